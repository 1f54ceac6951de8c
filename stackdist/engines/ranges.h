/*
 * ranges.h - consecutive ranges of time and how many blocks each holds
 *
 * Range i reaches from behind the end of range i - 1 to its own end.  Ends and
 * sizes are in arrays, which grow at the newer end only, with 16-ary sums over
 * the sizes: a B-tree of fan-out 16 without pointers.  An empty range stays
 * until the caller rewrites the arrays.
 */
#ifndef MARGAY_STACKDIST_ORDER_RANGES_H
#define MARGAY_STACKDIST_ORDER_RANGES_H

#include "stackdist/reference/sums.h"

#define MARGAY_RANGES_SHIFT 4

struct margay_ranges {
    uint32_t *ends; /* ascending; of unused ranges UINT32_MAX */
    struct margay_sums sums;
    uint32_t count, capacity; /* capacity: a power of two */
};

enum margay_status margay_ranges_create(struct margay_ranges *ranges,
                                        struct margay_error *error);
void margay_ranges_destroy(struct margay_ranges *ranges);

/* Reserve `capacity` ranges in all.  MARGAY_NO_MEMORY leaves them as they
   were. */
enum margay_status margay_ranges_reserve(struct margay_ranges *ranges,
                                         uint64_t capacity,
                                         struct margay_error *error);

/* The size of each range, to be written only before a rewrite. */
static inline uint32_t *margay_ranges_sizes(const struct margay_ranges *ranges)
{
    return ranges->sums.levels[0];
}

/* Compute the sums after the first `count` ends and sizes have been written,
   and drop all other ranges. */
void margay_ranges_rewrite(struct margay_ranges *ranges, uint32_t count);

/* The range that `time` is in; there must be one. */
static inline uint32_t margay_ranges_find(const struct margay_ranges *ranges,
                                          uint32_t time)
{
    uint32_t base = 0;
    for (uint32_t half = ranges->capacity / 2; half != 0; half /= 2)
        base += ranges->ends[base + half - 1] < time ? half : 0;
    return base;
}

/* Blocks in newer ranges than this one. */
static inline uint32_t margay_ranges_newer(const struct margay_ranges *ranges,
                                           uint32_t range)
{
    return margay_sums_behind_index(&ranges->sums, range, MARGAY_RANGES_SHIFT);
}

static inline void margay_ranges_add(struct margay_ranges *ranges,
                                     uint32_t range, int32_t change)
{
    margay_sums_add(&ranges->sums, range, change, MARGAY_RANGES_SHIFT);
}

/* Add a range of one block, which must have been reserved. */
static inline uint32_t margay_ranges_append(struct margay_ranges *ranges,
                                            uint32_t end)
{
    ranges->ends[ranges->count] = end;
    margay_ranges_add(ranges, ranges->count, 1);
    return ranges->count++;
}

#endif
