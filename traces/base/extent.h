/*
 * extent.h - the numbers and blocks that a reference covers
 *
 * A reference covers `extent` numbers from `number` on.  Formats refuse one
 * that would pass the largest 64-bit number; in an array it ends there.
 */
#ifndef MARGAY_TRACES_BASE_EXTENT_H
#define MARGAY_TRACES_BASE_EXTENT_H

#include <stdbool.h>
#include <stddef.h>
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

/* Would any?  Hardly ever is a number large enough. */
static inline bool margay_extents_pass(const uint64_t *numbers,
                                       const uint32_t *extents, size_t count)
{
    uint64_t any = 0;
    bool passes = false;
    for (size_t i = 0; i < count; i++)
        any |= numbers[i];
    for (size_t i = 0; any >> 63 != 0 && i < count; i++)
        passes |= margay_extent_passes(numbers[i], extents[i]);
    return passes;
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
