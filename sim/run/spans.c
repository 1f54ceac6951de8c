/* spans.c - a batch of references, as the spans of one pass */
#include "sim/run/spans.h"

#include <stdlib.h>

#include "traces/traces_internal.h"

struct margay_span_columns {
    uint32_t origins[MARGAY_SPAN_REFS], extents[MARGAY_SPAN_REFS];
    uint32_t threads[MARGAY_SPAN_REFS], tenants[MARGAY_SPAN_REFS];
    uint64_t numbers[MARGAY_SPAN_REFS], sites[MARGAY_SPAN_REFS];
    uint64_t sizes[MARGAY_SPAN_REFS], times[MARGAY_SPAN_REFS];
    uint64_t ttls[MARGAY_SPAN_REFS], requests[MARGAY_SPAN_REFS];
    uint64_t distances[MARGAY_SPAN_REFS];
    uint32_t counts[MARGAY_SPAN_REFS];
    uint8_t ops[MARGAY_SPAN_REFS];
};

void margay_span_store_clear(struct margay_span_store *store)
{
    free(store->columns);
    store->columns = NULL;
}

/* -------------------------------------- a reference touches one block -- */

/* A column of the batch, from entry `from` on, where it is wanted. */
#define TAKE(name, column)                                     \
    do {                                                       \
        if ((columns & MARGAY_COLUMN_##name) && batch->column) \
            span->column = batch->column + from;               \
    } while (0)

static void take_columns(const struct margay_batch *batch, unsigned columns,
                         size_t from, struct margay_span *span)
{
    if (batch->kinds != NULL)
        span->kinds = batch->kinds + from;
    TAKE(NUMBERS, numbers);
    TAKE(EXTENTS, extents);
    TAKE(THREADS, threads);
    TAKE(SITES, sites);
    TAKE(COUNTS, counts);
    TAKE(SIZES, sizes);
    TAKE(TIMES, times);
    TAKE(TTLS, ttls);
    TAKE(OPS, ops);
    TAKE(REQUESTS, requests);
    TAKE(TENANTS, tenants);
}

/* Numbers that are blocks already are not even copied. */
static void next_whole(struct margay_span_walk *walk, struct margay_span *span)
{
    const struct margay_batch *batch = walk->batch;
    size_t from = walk->blocks.reference;
    size_t left = batch->references - from;
    span->count = left < MARGAY_SPAN_REFS ? left : MARGAY_SPAN_REFS;
    take_columns(batch, walk->columns, from, span);
    if (walk->shift == 0) {
        span->blocks = batch->numbers + from;
        walk->blocks.reference += span->count;
    } else {
        span->blocks = walk->store->blocks;
        margay_batch_blocks(batch, walk->shift, false, &walk->blocks,
                            walk->store->blocks, NULL, span->count);
    }
}

/* ----------------------------------------- a reference touches several -- */

#define SPREAD(name, column)                                               \
    do {                                                                   \
        if ((wanted & MARGAY_COLUMN_##name) && batch->column) {            \
            for (size_t i_ = 0; i_ < span->count; i_++)                    \
                columns->column[i_] = batch->column[columns->origins[i_]]; \
            span->column = columns->column;                                \
        }                                                                  \
    } while (0)

static void spread_columns(const struct margay_batch *batch, unsigned wanted,
                           struct margay_span_columns *columns,
                           struct margay_span *span)
{
    SPREAD(NUMBERS, numbers);
    SPREAD(EXTENTS, extents);
    SPREAD(THREADS, threads);
    SPREAD(SITES, sites);
    SPREAD(SIZES, sizes);
    SPREAD(TIMES, times);
    SPREAD(TTLS, ttls);
    SPREAD(OPS, ops);
    SPREAD(REQUESTS, requests);
    SPREAD(TENANTS, tenants);
}

static enum margay_status next_split(struct margay_span_walk *walk,
                                     struct margay_span *span,
                                     struct margay_error *error)
{
    const struct margay_batch *batch = walk->batch;
    struct margay_span_store *store = walk->store;
    uint8_t *kinds = batch->kinds == NULL ? NULL : store->kinds;
    span->count = margay_batch_blocks(batch, walk->shift, true, &walk->blocks,
                                      store->blocks, kinds, MARGAY_SPAN_REFS);
    span->blocks = store->blocks;
    span->kinds = kinds;
    if ((walk->columns & ~MARGAY_COLUMN_KINDS) == 0)
        return MARGAY_OK;
    if (store->columns == NULL)
        store->columns = malloc(sizeof *store->columns);
    if (store->columns == NULL)
        return margay_fail_memory(error, "the columns of a span");
    margay_batch_origins(batch, walk->shift, true, &walk->origins,
                         store->columns->origins, span->count);
    spread_columns(batch, walk->columns, store->columns, span);
    return MARGAY_OK;
}

/* ---------------------------------------------------- in another order -- */

struct margay_span_columns *margay_span_columns_create(void)
{
    return malloc(sizeof(struct margay_span_columns));
}

#define SORT(column)                                            \
    do {                                                        \
        if (span->column != NULL) {                             \
            for (size_t i_ = 0; i_ < span->count; i_++)         \
                columns->column[places[i_]] = span->column[i_]; \
            sorted->column = columns->column;                   \
        }                                                       \
    } while (0)

void margay_span_columns_sort(const struct margay_span *span,
                              const uint32_t *places,
                              struct margay_span_columns *columns,
                              struct margay_span *sorted)
{
    sorted->count = span->count;
    SORT(numbers);
    SORT(extents);
    SORT(threads);
    SORT(sites);
    SORT(counts);
    SORT(sizes);
    SORT(times);
    SORT(ttls);
    SORT(ops);
    SORT(requests);
    SORT(tenants);
    SORT(distances);
}

#define PART(column)             \
    do {                         \
        if (part.column != NULL) \
            part.column += from; \
    } while (0)

struct margay_span margay_span_part(const struct margay_span *span, size_t from,
                                    size_t count)
{
    struct margay_span part = *span;
    part.count = count;
    part.repeats = 0;
    PART(blocks);
    PART(kinds);
    PART(numbers);
    PART(extents);
    PART(threads);
    PART(sites);
    PART(counts);
    PART(sizes);
    PART(times);
    PART(ttls);
    PART(ops);
    PART(requests);
    PART(tenants);
    PART(distances);
    return part;
}

/* ------------------------------------------------------------- the walk -- */

enum margay_status margay_span_next(struct margay_span_walk *walk,
                                    struct margay_span *span,
                                    struct margay_error *error)
{
    const struct margay_batch *batch = walk->batch;
    enum margay_status status = MARGAY_OK;
    *span = (struct margay_span){.warmup = batch->warmup};
    if (walk->blocks.reference >= batch->references)
        return MARGAY_END;
    if (walk->splits && batch->extents != NULL)
        status = next_split(walk, span, error);
    else
        next_whole(walk, span);
    if (!walk->begun)
        span->repeats = margay_batch_references(batch) - batch->references;
    walk->begun = true;
    /* References that cover nothing may be all that was left. */
    if (status == MARGAY_OK && span->count == 0 && span->repeats == 0)
        return MARGAY_END;
    return status;
}
