/* approximate.c - the common part of the engines with a guaranteed error */
#include "stackdist/engines/approximate.h"

#include <stdlib.h>
#include <string.h>

/* Buckets of the hash table are prefetched this many references ahead, in
   batches, so that their address translations overlap, too. */
#define AHEAD_REFS 32
#define BATCH_REFS 16

void margay_approximate_destroy(struct margay_approximate *approximate)
{
    margay_tally_destroy(&approximate->tally);
    margay_hash_destroy(&approximate->last);
}

enum margay_status margay_approximate_create(
    struct margay_approximate *approximate,
    const struct margay_approximate_class *class, struct margay_error *error)
{
    approximate->class = class;
    approximate->end = UINT32_MAX;
    enum margay_status status =
        margay_hash_create(&approximate->last, 0, error);
    if (status == MARGAY_OK)
        status = margay_tally_create(&approximate->tally, 0, error);
    return status;
}

static enum margay_status refer(struct margay_approximate *approximate,
                                uint64_t block, uint64_t *distance,
                                struct margay_error *error)
{
    if (approximate->last.entries == UINT32_MAX - 1)
        return margay_fail(error, MARGAY_NO_MEMORY,
                           "more than 2^32 - 2 distinct blocks");
    enum margay_status status =
        margay_hash_reserve(&approximate->last, 1, error);
    if (status != MARGAY_OK)
        return status;
    if (approximate->now == approximate->end - 1) {
        /* Times are used up.  Of a block's time only its range matters, so the
           number of the range takes its place. */
        const struct margay_approximate_class *class = approximate->class;
        struct margay_hash *last = &approximate->last;
        if (class->begin_renaming != NULL)
            class->begin_renaming(approximate);
        for (uint64_t i = 0; i < last->bucket_count; i++) {
            uint32_t *values = last->buckets[i].values;
            for (unsigned slot = 0; slot < MARGAY_BUCKET_SLOTS; slot++) {
                if (values[slot] != 0)
                    values[slot] =
                        class->rename_time(approximate, values[slot]);
            }
        }
        approximate->now = class->rename_ends(approximate);
    }
    uint32_t *time = margay_hash_insert(&approximate->last, block);
    uint32_t newer = 0, last = *time;
    *time = ++approximate->now;
    status = approximate->class->refer(approximate, last, approximate->now,
                                       &newer, error);
    if (status != MARGAY_OK)
        return status;
    *distance = last == 0 ? MARGAY_INFINITE : newer;
    return margay_histogram_add(approximate->tally.histogram, *distance, 1,
                                error);
}

enum margay_status margay_approximate_feed(void *state, const uint64_t *blocks,
                                           size_t count, uint64_t *distances,
                                           struct margay_error *error)
{
    struct margay_approximate *approximate = state;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < count && i < BATCH_REFS; i++)
        margay_hash_prefetch(&approximate->last, blocks[i]);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        uint64_t distance = 0;
        if (i % BATCH_REFS == 0) {
            size_t end = margay_minimum(i + AHEAD_REFS + BATCH_REFS, count);
            for (size_t k = i + AHEAD_REFS; k < end; k++)
                margay_hash_prefetch(&approximate->last, blocks[k]);
        }
        status = refer(approximate, blocks[i], &distance, error);
        if (distances != NULL)
            distances[i] = distance;
    }
    return status;
}

enum margay_status margay_approximate_finish(void *state,
                                             struct margay_result *result,
                                             struct margay_error *error)
{
    struct margay_approximate *approximate = state;
    approximate->tally.blocks = approximate->last.entries;
    enum margay_status status = margay_tally_peek(state, result, error);
    result->nodes = approximate->class->count(state);
    return status;
}

/* ------------------------------------------------------- ranges of time -- */

#define FIRST_CAPACITY 64

enum margay_status margay_ranges_create(struct margay_ranges *ranges,
                                        struct margay_error *error)
{
    *ranges = (struct margay_ranges){0};
    return margay_ranges_reserve(ranges, FIRST_CAPACITY, error);
}

void margay_ranges_destroy(struct margay_ranges *ranges)
{
    free(ranges->ends);
    margay_sums_destroy(&ranges->sums);
    *ranges = (struct margay_ranges){0};
}

enum margay_status margay_ranges_reserve(struct margay_ranges *ranges,
                                         uint64_t capacity,
                                         struct margay_error *error)
{
    struct margay_sums sums;
    uint64_t power = FIRST_CAPACITY;
    while (power < capacity)
        power *= 2;
    if (power <= ranges->capacity)
        return MARGAY_OK;
    if (power > UINT32_MAX)
        return margay_fail_memory(error, "that many ranges of time");
    uint32_t *ends = realloc(ranges->ends, (size_t)power * sizeof *ends);
    if (ends == NULL)
        return margay_fail_memory(error, "ranges of time");
    ranges->ends = ends;
    enum margay_status status =
        margay_sums_create(&sums, (uint32_t)power, MARGAY_RANGES_SHIFT, error);
    if (status != MARGAY_OK)
        return status;
    if (ranges->count > 0)
        memcpy(sums.levels[0], margay_ranges_sizes(ranges),
               ranges->count * sizeof(uint32_t));
    margay_sums_destroy(&ranges->sums);
    ranges->sums = sums;
    ranges->capacity = (uint32_t)power;
    margay_ranges_rewrite(ranges, ranges->count);
    return MARGAY_OK;
}

void margay_ranges_rewrite(struct margay_ranges *ranges, uint32_t count)
{
    uint32_t *sizes = margay_ranges_sizes(ranges);
    for (uint32_t i = count; i < ranges->capacity; i++) {
        ranges->ends[i] = UINT32_MAX;
        sizes[i] = 0;
    }
    ranges->count = count;
    margay_sums_rebuild(&ranges->sums, MARGAY_RANGES_SHIFT);
}
