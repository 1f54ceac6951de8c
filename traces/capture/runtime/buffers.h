/*
 * buffers.h - the buffers of a recorded process
 *
 * A thread takes a buffer, maps it (process.h), opens it, writes words, and
 * sends it; slots.h says what comes of that.
 */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_BUFFERS_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

/* True if it is known without a call of the system that margay_buffer_take()
   would take none. */
bool margay_buffer_refused(bool early);

/* Take a free buffer for the calling thread, after a wait while there is none;
   `early`: also before recording begins.  False: nothing is to be recorded
   now. */
bool margay_buffer_take(uint32_t *buffer, bool early);

/* The same, step by step: whether a buffer is to be taken now, the attempt, and
   the wait; *waits is 0 before the first one.  False: none comes, and
   references are lost. */
bool margay_buffer_is_wanted(bool early);
bool margay_buffer_try(uint32_t *buffer);
bool margay_buffer_await(unsigned *waits);

/* Open a buffer that was taken and mapped at `words`; all of them are 0 then.
   From now on each word that is written there is recorded, also if the process
   is killed. */
void margay_buffer_open(uint32_t buffer, uint64_t *words);

/* Give back a buffer that could not be mapped; another process may. */
void margay_buffer_return(uint32_t buffer);

/* Send a buffer of `words` words; the thread no longer owns it.  `dirty`, at
   least as many, may not be 0. */
void margay_buffer_send(uint32_t buffer, uint32_t words, uint32_t dirty);

/* The calling thread ends, and code that it interrupted has: others may have
   its buffers. */
void margay_buffer_end(void);

/* In the child of a fork: the calling thread is a new thread. */
void margay_buffer_forget(void);

#endif
