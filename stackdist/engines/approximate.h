/*
 * approximate.h - the common part of the engines with a guaranteed error
 *
 * Algorithm: a hash table has the time of each block's last reference, and
 *   ranges of time have the number of blocks whose last reference lies in them.
 *   The distance is the number of blocks in newer ranges; the newer blocks of
 *   the same range are missing from it.  The engines differ in the width of
 *   ranges.
 */
#ifndef MARGAY_STACKDIST_APPROXIMATE_H
#define MARGAY_STACKDIST_APPROXIMATE_H

#include "stackdist/engine.h"
#include "stackdist/exact/hash.h"
#include "stackdist/reference/sums.h"
#include "stackdist/reference/tally.h"

/* The operations of such an engine on its ranges; its `state` begins with a
   struct margay_approximate.  Times are numbers from 1 up, and below
   UINT32_MAX. */
struct margay_approximate_class {
    /* A block that was referenced at `last` (0: never) is referenced at `now`.
       Unless `last` is 0, *distance becomes the number of blocks in newer
       ranges than that of `last`.  MARGAY_NO_MEMORY on failure. */
    enum margay_status (*refer)(void *state, uint32_t last, uint32_t now,
                                uint32_t *distance, struct margay_error *error);

    /* Time begins anew.  In this order: number the ranges from 1 up (NULL: they
       are numbered); give the number of the range that a time is in, for each
       block; make these numbers the ends of the ranges, and return the last. */
    void (*begin_renaming)(void *state);
    uint32_t (*rename_time)(void *state, uint32_t time);
    uint32_t (*rename_ends)(void *state);

    /* The number of ranges. */
    uint64_t (*count)(const void *state);
};

/* The first member of the engine's state. */
struct margay_approximate {
    struct margay_tally tally; /* without a bound */
    const struct margay_approximate_class *class;
    struct margay_hash last; /* block to the time of its last reference */
    uint32_t now;
    uint32_t end; /* times are below this */
};

/* On failure margay_approximate_destroy() releases what there is. */
enum margay_status margay_approximate_create(
    struct margay_approximate *approximate,
    const struct margay_approximate_class *class, struct margay_error *error);
void margay_approximate_destroy(struct margay_approximate *approximate);

/* Members of a margay_engine_class. */
enum margay_status margay_approximate_feed(void *state, const uint64_t *blocks,
                                           size_t count, uint64_t *distances,
                                           struct margay_error *error);
enum margay_status margay_approximate_finish(void *state,
                                             struct margay_result *result,
                                             struct margay_error *error);
#define MARGAY_APPROXIMATE_FUNCTIONS(type)                             \
    .state_bytes = sizeof(type), .create = create, .destroy = destroy, \
    .feed = margay_approximate_feed,                                   \
    .reset_counts = margay_tally_reset_counts,                         \
    .finish = margay_approximate_finish

/* ------------------------------------------------------- ranges of time -- */

/* Range i reaches from after the end of range i - 1 to its own end.  Ends and
   sizes are in arrays, which grow at the newer end only, with 16-ary sums over
   the sizes: a B-tree of fan-out 16 without pointers.  An empty range stays
   until the caller rewrites the arrays. */
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
