/*
 * sample.h - which blocks are in a spatial sample
 *
 * A block is in the sample if the hash of its id is at most a limit.  All
 * references to a block are in the sample or none is, so that the sample is a
 * smaller trace with the same behaviour.  The hash is a permutation: no two
 * blocks have the same.
 */
#ifndef MARGAY_TRACES_BASE_SAMPLE_H
#define MARGAY_TRACES_BASE_SAMPLE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

struct margay_sample {
    uint64_t key;   /* of the hash; from the seed */
    uint64_t limit; /* the greatest hash in the sample */
};

#define MARGAY_SAMPLE_FACTOR UINT64_C(0xd6e8feb86659fd93)

static inline uint64_t margay_sample_hash(uint64_t block, uint64_t key)
{
    block ^= key;
    block ^= block >> 32;
    block *= MARGAY_SAMPLE_FACTOR;
    block ^= block >> 32;
    block *= MARGAY_SAMPLE_FACTOR;
    return block ^ block >> 32;
}

/* A share `rate` in (0, 1] of all blocks. */
static inline struct margay_sample margay_sample_of(double rate, uint64_t seed)
{
    struct margay_sample sample = {seed * UINT64_C(0x9e3779b97f4a7c15),
                                   UINT64_MAX};
    if (rate < 1)
        sample.limit = (uint64_t)ldexp(rate, 64) - 1;
    return sample;
}

/* Blocks of the trace per block of the sample. */
static inline double margay_sample_scale(const struct margay_sample *sample)
{
    return ldexp(1, 64) / ((double)sample->limit + 1);
}

/* Copy the blocks that are in the sample to `sampled`, an array of count + 1;
   returns how many. */
static inline size_t margay_sample_pick(const struct margay_sample *sample,
                                        const uint64_t *blocks, size_t count,
                                        uint64_t *sampled)
{
    uint64_t key = sample->key, limit = sample->limit;
    size_t picked = 0;
    /* Every block is written, and kept if `picked` moves on: a branch would be
       mispredicted. */
    for (size_t i = 0; i < count; i++) {
        sampled[picked] = blocks[i];
        picked += margay_sample_hash(blocks[i], key) <= limit;
    }
    return picked;
}

#endif
