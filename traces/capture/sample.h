/* sample.h - of recorded words those that refer to a sample of the blocks */
#ifndef MARGAY_TRACES_CAPTURE_SAMPLE_H
#define MARGAY_TRACES_CAPTURE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/base/sample.h"
#include "traces/capture/stream.h"

/*
 * Keep of `count` words, which have no sites, no events of data and no repeats,
 * those that refer to blocks of the sample, in their order, and behind them a
 * word that tells how many do not, if any, with those that such words among
 * them tell.  Words from MARGAY_CONTROL_STOP on are dropped, and so are other
 * control words.  `kept` has room for `count` words.  `vectors`: the processor
 * has AVX2.  Returns how many words there are.  Uses no C library.
 */
uint32_t margay_sample_words(const struct margay_sampling *sampling,
                             const uint64_t *words, uint32_t count,
                             bool vectors, uint64_t *kept);

/*
 * The same in place.  The thread may be killed at any moment, and what is in
 * the buffer then, taken as words, is all of the words, what becomes of them,
 * or nothing.
 */
uint32_t margay_sample_buffer(const struct margay_sampling *sampling,
                              uint64_t *words, uint32_t count, bool vectors);

#endif
