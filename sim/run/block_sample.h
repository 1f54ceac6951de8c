/*
 * block_sample.h - how many blocks the references of a trace touch
 *
 * References from places all over a file are read before it is analysed, so
 * that tables can be made for as many blocks as there will be.
 */
#ifndef MARGAY_SIM_RUN_BLOCK_SAMPLE_H
#define MARGAY_SIM_RUN_BLOCK_SAMPLE_H

#include "traces/traces_internal.h"

/* The sample is made of runs of references, each from a place of its own. */
#define MARGAY_SAMPLE_RUNS     64
#define MARGAY_SAMPLE_RUN_REFS 512
#define MARGAY_SAMPLE_REFS     (MARGAY_SAMPLE_RUNS * MARGAY_SAMPLE_RUN_REFS)

struct margay_block_sample {
    uint64_t numbers[MARGAY_SAMPLE_REFS];
    size_t count;
};

/* Sample `count` references, or bytes, as `open` takes them, from `first` on,
   by runs of `run`, which is less.  Where the trace cannot be read, the sample
   ends: the error is found when all is read. */
void margay_block_sample_take(margay_trace *trace, margay_range_function *open,
                              uint64_t first, uint64_t count, uint64_t run,
                              uint64_t seed,
                              struct margay_block_sample *sample);

/* The blocks of 1 << shift numbers that are expected among `refs` references.
 */
uint64_t margay_block_sample_expect(const struct margay_block_sample *sample,
                                    unsigned shift, uint64_t refs);

#endif
