/* buffers.h - buffers that go round between a program and its recorder */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_BUFFERS_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

/* The number of an empty buffer for the calling thread, waiting while all are
   full.  False: nothing is to be recorded now. */
bool margay_buffer_take(uint32_t *buffer);

/* So many words of it are full; it is not the thread's any more. */
void margay_buffer_send(uint32_t buffer, uint32_t words);

/* The calling thread, of a child, is another than it was in its parent. */
void margay_buffer_forget(void);

#endif
