/*
 * extent.h - the numbers and blocks that a reference covers
 *
 * A reference covers `extent` numbers from `number` on.  One that would pass
 * the largest 64-bit number ends there; formats of others refuse it.
 */
#ifndef MARGAY_TRACES_BASE_EXTENT_H
#define MARGAY_TRACES_BASE_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

/* The last number covered; `extent` must not be 0. */
static inline uint64_t margay_extent_last(uint64_t number, uint64_t extent)
{
    uint64_t last = number + (extent - 1);
    return last < number ? UINT64_MAX : last;
}

/* Would it pass the largest number? */
static inline bool margay_extent_passes(uint64_t number, uint64_t extent)
{
    return extent > 1 && extent - 1 > UINT64_MAX - number;
}

/* The number of blocks of 2^shift numbers that the reference touches. */
static inline uint64_t margay_extent_blocks(uint64_t number, uint64_t extent,
                                            unsigned shift)
{
    if (extent == 0)
        return 0;
    return (margay_extent_last(number, extent) >> shift) - (number >> shift) +
           1;
}

#endif
