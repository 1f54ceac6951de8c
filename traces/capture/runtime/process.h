/*
 * process.h - a recorded process, and its buffers
 *
 * A thread takes a buffer, maps it, opens it, writes words, and sends it
 * (slots.h).
 */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_PROCESS_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_PROCESS_H

#include <signal.h>
#include <stddef.h>

#include "traces/capture/stream.h"

enum margay_descriptor {
    MARGAY_DESCRIPTOR_FILE, /* the shared memory */
    MARGAY_DESCRIPTOR_FREE, /* gives a byte when buffers have become free */
    MARGAY_DESCRIPTOR_BELL, /* wakes the receiver */
};
#define MARGAY_DESCRIPTORS 3

struct margay_process {
    struct margay_capture *capture;
    uint32_t id;
    int descriptors[MARGAY_DESCRIPTORS];
};

/* Valid once margay_process_attach() has returned true. */
extern struct margay_process margay_process;

/* True if the process is recorded.  The first call finds out. */
bool margay_process_attach(void);

/* In the child of a fork of which libc does not tell; before that fork,
   margay_recorder_before_fork(). */
void margay_process_after_fork(void);

/* Tell the recorder that references of this process are lost, or may be. */
void margay_process_lose(enum margay_loss loss);

/* --------------------------------------------------------------- buffers -- */

/* True if it is known without a call of the system that margay_buffer_take()
   would take none.  `early`: also before recording begins. */
bool margay_buffer_refused(bool early);

/* Take a free buffer for the calling thread.  Where there is none, wait for a
   while, with this mask of signals (NULL: as it is), and take none yet. */
enum margay_taking {
    MARGAY_TAKEN,
    MARGAY_WAITED, /* to be called again */
    MARGAY_NONE,   /* nothing is to be recorded now, or references are lost */
};
enum margay_taking margay_buffer_take(uint32_t *buffer, bool early,
                                      const sigset_t *signals);

/* Open a buffer that was taken; returns its words, all of them 0.  From now on
   each word that is written there is recorded, also if the process is killed.
   The buffer is to be sent when the thread ends.  NULL: it cannot be mapped,
   and is given back. */
uint64_t *margay_buffer_open(uint32_t buffer);

/* Send a buffer of `words` words; the thread no longer owns it.  `dirty`, at
   least as many, may not be 0. */
void margay_buffer_send(uint32_t buffer, uint32_t words, uint32_t dirty);

/* The calling thread ends, and code that it interrupted has: others may have
   its buffers. */
void margay_buffer_end(void);

/* ------------------------------------------------------------- recorders -- */

/* The runtime and the tool of Valgrind each define these: */

/* Send the buffer of the calling thread, which records no more, or not soon. */
void margay_recorder_leave(void);

/* Before a fork, and in its child, where the calling thread has no buffer for
   its next words. */
void margay_recorder_before_fork(void);
void margay_recorder_after_fork(void);

#endif
