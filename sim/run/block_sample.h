/*
 * block_sample.h - how many blocks the references of a trace touch
 *
 * References from places all over a file are read before it is analysed, so
 * that tables can be made for as many blocks as there will be.
 */
#ifndef MARGAY_SIM_RUN_BLOCK_SAMPLE_H
#define MARGAY_SIM_RUN_BLOCK_SAMPLE_H

#include "traces/traces_internal.h"

/* The sample is made of runs of references, each from anywhere in a part of its
   own: the more, the better, but each costs what its decoding costs. */
#define MARGAY_SAMPLE_REFS        ((size_t)32768)
#define MARGAY_SAMPLE_PLACES      ((size_t)64)
#define MARGAY_SAMPLE_MOST_PLACES ((size_t)512) /* of records */

struct margay_block_sample {
    uint64_t numbers[MARGAY_SAMPLE_REFS];
    size_t count, run_refs;
};

/* What is sampled: `count` references, or bytes, as `open` takes them, from
   `first` on: a run of `run` of them from each of `places` places.  The runs
   are fewer than `count` together. */
struct margay_sampled {
    margay_trace *trace;
    margay_range_function *open;
    uint64_t first, count, run;
    size_t places;
};

/* Where the trace cannot be read, the sample ends: the error is found when all
   is read. */
void margay_block_sample_take(const struct margay_sampled *sampled,
                              uint64_t seed,
                              struct margay_block_sample *sample);

/* The blocks of 1 << shift numbers that are expected among `refs` references.
 */
uint64_t margay_block_sample_expect(const struct margay_block_sample *sample,
                                    unsigned shift, uint64_t refs);

#endif
