/* distinct.c - the number of distinct blocks of a trace */
#include "sim/command/distinct.h"

#include <stdlib.h>

#include "traces/traces_internal.h"

#define CHUNK_REFS 8192

/* A reference that touches more blocks is an interval. */
#define MOST_SHORT_BLOCKS 64

enum margay_status distinct_begin(struct distinct *distinct, unsigned threads,
                                  struct margay_error *error)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    options.threads = threads;
    return margay_engine_create("exact", &options, &distinct->engine, error);
}

void distinct_clear(struct distinct *distinct)
{
    margay_engine_free(distinct->engine);
    free(distinct->intervals);
    *distinct = (struct distinct){.engine = NULL};
}

/* ------------------------------------------------------------- intervals -- */

static int compare_first(const void *left, const void *right)
{
    const struct block_interval *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

/* Does b, which begins no earlier than a, overlap it or begin right behind it?
 */
static bool joins(const struct block_interval *a,
                  const struct block_interval *b)
{
    return b->first <= a->last || b->first - a->last == 1;
}

/* Sort the intervals and join those without a gap between them. */
static void join_intervals(struct distinct *distinct)
{
    struct block_interval *list = distinct->intervals;
    size_t kept = 0;
    if (distinct->count == 0)
        return;
    qsort(list, distinct->count, sizeof *list, compare_first);
    for (size_t i = 1; i < distinct->count; i++) {
        if (!joins(&list[kept], &list[i]))
            list[++kept] = list[i];
        else if (list[i].last > list[kept].last)
            list[kept].last = list[i].last;
    }
    distinct->count = kept + 1;
}

/* Join the intervals, and allocate more room only if that gains too little. */
static enum margay_status make_room(struct distinct *distinct,
                                    struct margay_error *error)
{
    struct block_interval *grown;
    join_intervals(distinct);
    if (distinct->count < distinct->capacity / 2)
        return MARGAY_OK;
    size_t capacity = 2 * distinct->capacity + 1024, bytes;
    grown = margay_multiply_size(capacity, sizeof *grown, &bytes)
                ? realloc(distinct->intervals, bytes)
                : NULL;
    if (grown == NULL)
        return margay_fail_memory(error, "the intervals of a trace");
    distinct->intervals = grown;
    distinct->capacity = capacity;
    return MARGAY_OK;
}

/* Add an interval.  It may continue the newest one, because the pieces of a
   long reference come one behind the other. */
static enum margay_status add_interval(struct distinct *distinct,
                                       struct block_interval interval,
                                       struct margay_error *error)
{
    struct block_interval *newest = NULL;
    if (distinct->count > 0)
        newest = &distinct->intervals[distinct->count - 1];
    if (newest != NULL && interval.first >= newest->first &&
        joins(newest, &interval)) {
        if (interval.last > newest->last)
            newest->last = interval.last;
        return MARGAY_OK;
    }
    enum margay_status status = MARGAY_OK;
    if (distinct->count == distinct->capacity)
        status = make_room(distinct, error);
    if (status == MARGAY_OK)
        distinct->intervals[distinct->count++] = interval;
    return status;
}

/* ------------------------------------------------------------ references -- */

static enum margay_status add_short(struct distinct *distinct,
                                    const struct margay_batch *batch,
                                    unsigned shift, bool splits,
                                    struct margay_error *error)
{
    uint64_t blocks[CHUNK_REFS];
    struct margay_block_cursor cursor = {0, 0};
    enum margay_status status = MARGAY_OK;
    size_t count;
    while (status == MARGAY_OK &&
           (count = margay_batch_blocks(batch, shift, splits, &cursor, blocks,
                                        NULL, CHUNK_REFS)) > 0)
        status =
            margay_engine_feed(distinct->engine, blocks, count, NULL, error);
    return status;
}

static bool is_long(const struct margay_batch *batch, size_t i, unsigned shift)
{
    return margay_extent_blocks(batch->numbers[i], batch->extents[i], shift) >
           MOST_SHORT_BLOCKS;
}

enum margay_status distinct_add(struct distinct *distinct,
                                const struct margay_batch *batch,
                                unsigned shift, bool splits,
                                struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (!splits || batch->extents == NULL)
        return add_short(distinct, batch, shift, splits, error);
    for (size_t done = 0, i; done < batch->references && status == MARGAY_OK;
         done = i) {
        for (i = done; i < batch->references && !is_long(batch, i, shift);)
            i++;
        const struct margay_batch some = {
            .references = i - done,
            .numbers = batch->numbers + done,
            .extents = batch->extents + done,
        };
        status = add_short(distinct, &some, shift, splits, error);
        if (status != MARGAY_OK || i == batch->references)
            break;
        uint64_t number = batch->numbers[i];
        const struct block_interval interval = {
            number >> shift,
            margay_extent_last(number, batch->extents[i++]) >> shift};
        status = add_interval(distinct, interval, error);
    }
    return status;
}

/* --------------------------------------------------------------- the end -- */

static bool is_within(const struct distinct *distinct, uint64_t block)
{
    size_t low = 0, high = distinct->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (distinct->intervals[middle].last < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low < distinct->count && distinct->intervals[low].first <= block;
}

enum margay_status distinct_count(struct distinct *distinct, uint64_t *blocks,
                                  struct margay_error *error)
{
    struct margay_engine_state state;
    *blocks = 0;
    join_intervals(distinct);
    for (size_t i = 0; i < distinct->count; i++)
        *blocks +=
            distinct->intervals[i].last - distinct->intervals[i].first + 1;
    if (distinct->count == 0) {
        struct margay_result result;
        enum margay_status status =
            margay_engine_finish(distinct->engine, &result, error);
        if (status == MARGAY_OK)
            *blocks = result.distinct_blocks;
        margay_result_clear(&result);
        return status;
    }
    enum margay_status status =
        margay_engine_export(distinct->engine, &state, error);
    if (status != MARGAY_OK)
        return status;
    for (uint64_t i = 0; i < state.block_count; i++)
        *blocks += !is_within(distinct, state.blocks[i]);
    margay_engine_state_clear(&state);
    return MARGAY_OK;
}
