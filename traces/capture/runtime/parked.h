/* parked.h - buffers that wait for words which are reserved in them */
#ifndef MARGAY_TRACES_CAPTURE_RUNTIME_PARKED_H
#define MARGAY_TRACES_CAPTURE_RUNTIME_PARKED_H

#include <stdbool.h>
#include <stdint.h>

/* A buffer is `held`, its number + 1, and its first `reserved` words have been
   promised to code.  All functions are of the calling thread's buffers. */

/* Keep a buffer until the words that are reserved in it are written. */
void margay_parked_keep(uint32_t held, uint32_t reserved);

/* Send it, or keep it where such words are missing and not `all` are to be
   sent. */
void margay_parked_send_or_keep(uint32_t held, uint32_t reserved, bool all);

/* Send the kept ones whose words are written by now, or all, in the order in
   which the thread filled them. */
void margay_parked_send(bool all);

/* If a kept buffer waits for words from `next` on, they go elsewhere.  Handlers
   that came later have written theirs. */
void margay_parked_expect_no_more(const uint64_t *next);

/* The process is about to fork; held = 0: the thread has no buffer. */
void margay_parked_before_fork(uint32_t held, uint32_t reserved);

/* In the child: all buffers are the parent's, `held` among them. */
void margay_parked_after_fork(uint32_t held);

#endif
