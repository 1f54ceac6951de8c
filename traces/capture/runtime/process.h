/* process.h - what the threads of a recorded process have in common */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_PROCESS_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/capture/stream.h"

enum margay_descriptor {
    MARGAY_DESCRIPTOR_FILE, /* the memory */
    MARGAY_DESCRIPTOR_FREE, /* numbers of free buffers come from here */
    MARGAY_DESCRIPTOR_FULL, /* messages go there */
};
#define MARGAY_DESCRIPTORS 3

struct margay_process {
    struct margay_capture *capture;
    uint32_t id, program;
    int descriptors[MARGAY_DESCRIPTORS];
};

/* Only what margay_process_attach() has been true for. */
extern struct margay_process margay_process;

/* Whether the process is recorded; the first call finds out. */
bool margay_process_attach(void);

/* Whether a descriptor still is what it was. */
bool margay_process_has(enum margay_descriptor which);

/* Send a message; false: nobody is there to receive it. */
bool margay_process_send(uint32_t type, uint32_t buffer, uint32_t words);

/* Where a buffer is; NULL if it cannot be mapped. */
uint64_t *margay_process_map(uint32_t buffer);

/* The same of its first bytes, at an address. */
bool margay_process_map_at(uint32_t buffer, void *address, size_t bytes);

/* The calling thread has a buffer, which it is to leave when it ends. */
void margay_process_mark_thread(void);

#endif
