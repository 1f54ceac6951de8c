/* process.h - what the threads of a recorded process share */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_PROCESS_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/capture/stream.h"

enum margay_descriptor {
    MARGAY_DESCRIPTOR_FILE, /* the shared memory */
    MARGAY_DESCRIPTOR_FREE, /* gives a byte when buffers have become free */
    MARGAY_DESCRIPTOR_MESSAGES,
};
#define MARGAY_DESCRIPTORS 3

struct margay_process {
    struct margay_capture *capture;
    uint32_t id, program;
    int descriptors[MARGAY_DESCRIPTORS];
};

/* Valid once margay_process_attach() has returned true. */
extern struct margay_process margay_process;

/* True if the process is recorded.  The first call finds out. */
bool margay_process_attach(void);

/* True if the call of margay_process_attach() that finds out has begun, and has
   not found that the process is recorded. */
bool margay_process_is_apart(void);

/* True if a descriptor still belongs to the recording, or does so again. */
bool margay_process_has(enum margay_descriptor which);

/* Send a message.  False: the receiver has ended. */
bool margay_process_send(uint32_t type, uint32_t value);

/* Send a message about any process. */
bool margay_process_tell(uint32_t type, uint32_t process, uint32_t value);

/* A process becomes another program, which is `certain` to attach, or may not;
   or this one could not.  They say nothing in other name spaces, where programs
   get other numbers, and so are not counted. */
void margay_process_leave(uint32_t process, bool certain);
void margay_process_stay(void);

/* Before a fork of which libc does not tell, and in its child. */
void margay_process_before_fork(void);
void margay_process_after_fork(void);

/* After any fork that failed, of which libc tells no more than before it. */
void margay_process_fork_failed(void);

/* Tell the recorder that references of this process are lost from now on. */
void margay_process_lose(enum margay_loss loss);
bool margay_process_loses(enum margay_loss loss);

/* True if the system has not made another process of this one meanwhile, with
   the memory or a copy of it. */
bool margay_process_is_own(void);

/* Another thread than the calling one has had the variables of that: true if it
   may still use them, or has left this process a copy; false if it waits for
   the end of the caller, as the parent of vfork does. */
bool margay_process_shares(int thread);

/* True if its number means nothing to the recorder, who has given it one. */
bool margay_process_is_foreign(void);

/* The address of a buffer; NULL if it cannot be mapped. */
uint64_t *margay_process_map(uint32_t buffer);

/* The same of a buffer that has been mapped; NULL: it has not. */
const uint64_t *margay_process_mapped(uint32_t buffer);

/* A buffer has been mapped elsewhere; base = NULL: it no longer is. */
void margay_process_moved(uint32_t buffer, uint64_t *base);

/* Map the first bytes of a buffer at an address. */
bool margay_process_map_at(uint32_t buffer, void *address, size_t bytes);

/* The calling thread owns a buffer, to be sent when the thread ends. */
void margay_process_mark_thread(void);

#endif
