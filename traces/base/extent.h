/*
 * extent.h - how far a reference reaches
 *
 * It covers `extent` numbers from `number` on; one that would run over the top
 * of the address space ends there.
 */
#ifndef MARGAY_TRACES_BASE_EXTENT_H
#define MARGAY_TRACES_BASE_EXTENT_H

#include <stdint.h>

/* The last number; `extent` must not be 0. */
static inline uint64_t margay_extent_last(uint64_t number, uint64_t extent)
{
    uint64_t last = number + (extent - 1);
    return last < number ? UINT64_MAX : last;
}

/* Blocks of 1 << shift numbers that it touches. */
static inline uint64_t margay_extent_blocks(uint64_t number, uint64_t extent,
                                            unsigned shift)
{
    if (extent == 0)
        return 0;
    return (margay_extent_last(number, extent) >> shift) - (number >> shift) +
           1;
}

#endif
