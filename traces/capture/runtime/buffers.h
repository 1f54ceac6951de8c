/* buffers.h - buffers that circulate between a program and its recorder */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_BUFFERS_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

/* Take an empty buffer for the calling thread, after a wait while all are full;
   `early`: also before recording begins.  False: nothing is to be recorded
   now. */
bool margay_buffer_take(uint32_t *buffer, bool early);

/* Send a buffer of `words` words; the thread no longer owns it. */
void margay_buffer_send(uint32_t buffer, uint32_t words);

/* In the child of a fork: the calling thread is a new thread. */
void margay_buffer_forget(void);

#endif
