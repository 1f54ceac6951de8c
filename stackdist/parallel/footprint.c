/*
 * footprint.c - how many blocks to expect
 *
 * Of M equally likely blocks, n references touch M (1 - exp(-n / M)): so many
 * of the sample tell M, and M tells how many of all.
 */
#include "stackdist/parallel/footprint.h"

#include <math.h>

#include "stackdist/hash/hash.h"

/* More blocks than any trace has. */
#define MOST_BLOCKS 1e15

static double touched(double blocks, double refs)
{
    return -blocks * expm1(-refs / blocks);
}

/* The number of blocks of which so many are touched. */
static double blocks_for(double distinct, double refs)
{
    double low = distinct, high = MOST_BLOCKS;
    for (int i = 0; i < 64; i++) {
        double middle = sqrt(low * high);
        if (touched(middle, refs) < distinct)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t margay_footprint_expect(const uint64_t *sample, size_t count,
                                 uint64_t refs)
{
    struct margay_hash seen;
    if (count == 0 || margay_hash_create(&seen, count, NULL) != MARGAY_OK)
        return 0;
    for (size_t i = 0; i < count; i++)
        *margay_hash_insert(&seen, sample[i]) = 1;
    double distinct = (double)seen.entries;
    margay_hash_destroy(&seen);
    return (uint64_t)touched(blocks_for(distinct, (double)count), (double)refs);
}
