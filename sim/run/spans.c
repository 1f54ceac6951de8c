/* spans.c - a batch of references, as the spans of one pass */
#define _GNU_SOURCE
#include "sim/run/spans.h"

#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

struct margay_span_columns {
    uint32_t origins[MARGAY_SPAN_REFS];
    uint64_t distances[MARGAY_SPAN_REFS];
#define MARGAY_COLUMN(name, NAME, bit, type, words) type name[MARGAY_SPAN_REFS];
#include <margay/columns.def>
};

void margay_span_store_clear(struct margay_span_store *store)
{
    free(store->columns);
    store->columns = NULL;
}

/* ----------------------------------------- a reference touches several -- */

static enum margay_status next_split(struct margay_span_walk *walk,
                                     struct margay_span *span,
                                     struct margay_error *error)
{
    const struct margay_batch *batch = walk->batch;
    struct margay_span_store *store = walk->store;
    uint8_t *kinds = batch->kinds == NULL ? NULL : store->kinds;
    const unsigned wanted = walk->columns & ~(unsigned)MARGAY_COLUMN_KINDS;
    if (wanted != 0 && store->columns == NULL)
        store->columns = malloc(sizeof *store->columns);
    if (wanted != 0 && store->columns == NULL)
        return margay_fail_memory(error, "the columns of a span");
    struct margay_span_columns *columns = store->columns;
    span->count = margay_batch_blocks(
        batch, walk->shift, true, &walk->blocks, store->blocks, kinds,
        wanted == 0 ? NULL : columns->origins, MARGAY_SPAN_REFS);
    span->blocks = store->blocks;
    span->kinds = kinds;
#define MARGAY_COLUMN(name, NAME, bit, type, words)              \
    if ((wanted & 1u << (bit)) && batch->name != NULL) {         \
        for (size_t i = 0; i < span->count; i++)                 \
            columns->name[i] = batch->name[columns->origins[i]]; \
        span->name = columns->name;                              \
    }
#include <margay/columns.def>
    return MARGAY_OK;
}

/* ---------------------------------------------------- in another order -- */

struct margay_span_columns *margay_span_columns_create(void)
{
    return malloc(sizeof(struct margay_span_columns));
}

void margay_span_columns_sort(const struct margay_span *span,
                              const uint32_t *places,
                              struct margay_span_columns *columns,
                              struct margay_span *sorted)
{
    sorted->count = span->count;
#define SORT(name)                                         \
    for (size_t i = 0; span->name && i < span->count; i++) \
        columns->name[places[i]] = span->name[i];          \
    sorted->name = span->name == NULL ? NULL : columns->name;
#define MARGAY_COLUMN(name, NAME, bit, type, words) SORT(name)
#include <margay/columns.def>
    SORT(distances)
}

enum margay_status margay_span_pass_on(const struct margay_span *span,
                                       const struct margay_traffic *traffic,
                                       struct margay_passed_on *passed_on,
                                       margay_analysis *next,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (passed_on->columns == NULL)
        passed_on->columns = margay_span_columns_create();
    struct margay_span_columns *columns = passed_on->columns;
    if (columns == NULL)
        return margay_fail_memory(error, "what a cache passes on");
    for (size_t from = 0; from < traffic->count && status == MARGAY_OK;) {
        size_t left = traffic->count - from;
        struct margay_span passed = {
            .count = left < MARGAY_SPAN_REFS ? left : MARGAY_SPAN_REFS,
            .blocks = traffic->blocks + from,
            .first_index = passed_on->references,
            .warmup = span->warmup,
        };
#define MARGAY_COLUMN(name, NAME, bit, type, words)                 \
    for (size_t i = 0; span->name != NULL && i < passed.count; i++) \
        columns->name[i] = span->name[traffic->causes[from + i]];   \
    passed.name = span->name == NULL ? NULL : columns->name;
#include <margay/columns.def>
        passed.kinds = traffic->kinds + from;
        passed.purposes = traffic->purposes + from;
        passed.extents = traffic->covers ? traffic->extents + from : NULL;
        status = margay_analysis_feed(next, &passed, error);
        from += passed.count;
        passed_on->references += passed.count;
    }
    return status;
}

struct margay_span margay_span_part(const struct margay_span *span, size_t from,
                                    size_t count)
{
    struct margay_span part = *span;
    part.count = count;
    part.blocks += from;
#define PART(name)         \
    if (part.name != NULL) \
        part.name += from;
#define MARGAY_COLUMN(name, NAME, bit, type, words) PART(name)
#include <margay/columns.def>
    PART(distances)
    return part;
}

/* ------------------------------------------------------------- the walk -- */

bool margay_span_next(struct margay_span_walk *walk, struct margay_span *span,
                      struct margay_error *error)
{
    const struct margay_batch *batch = walk->batch;
    size_t from = walk->blocks.reference;
    *span = (struct margay_span){.warmup = batch->warmup};
    if (walk->status != MARGAY_OK || from >= batch->references)
        return false;
    /* References that cover nothing may be all that was left. */
    if (walk->splits && batch->extents != NULL) {
        walk->status = next_split(walk, span, error);
        return walk->status == MARGAY_OK && span->count > 0;
    }
    size_t left = batch->references - from;
    span->count = left < MARGAY_SPAN_REFS ? left : MARGAY_SPAN_REFS;
    unsigned wanted = walk->columns | MARGAY_COLUMN_KINDS;
#define MARGAY_COLUMN(name, NAME, bit, type, words)    \
    if ((wanted & 1u << (bit)) && batch->name != NULL) \
        span->name = batch->name + from;
#include <margay/columns.def>
    /* Numbers that are blocks already are not even copied. */
    span->blocks =
        walk->shift == 0 ? batch->numbers + from : walk->store->blocks;
    if (walk->shift != 0)
        margay_numbers_shift(batch->numbers + from, span->count, walk->shift,
                             walk->store->blocks);
    walk->blocks.reference += span->count;
    return true;
}

/* ------------------------------------------- parts and copies of batches -- */

struct margay_batch margay_batch_part(const struct margay_batch *batch,
                                      size_t from, size_t entries)
{
    struct margay_batch part = *batch;
    part.references = entries;
#define MARGAY_COLUMN(name, NAME, bit, type, words) \
    if (part.name != NULL)                          \
        part.name += from;
#include <margay/columns.def>
    return part;
}

void margay_batch_copy_clear(struct margay_batch_copy *copy)
{
#define MARGAY_COLUMN(name, NAME, bit, type, words) free(copy->name);
#include <margay/columns.def>
    *copy = (struct margay_batch_copy){.capacity = 0};
}

/* A column of the copy, in an array of its own that is made when a batch first
   has that column.  NULL where `from` is, and where there is no memory. */
static const void *copy_column(void **to, const void *from, size_t bytes_each,
                               size_t count, size_t capacity, bool *failed)
{
    if (from == NULL)
        return NULL;
    if (*to == NULL)
        *to = reallocarray(NULL, capacity, bytes_each);
    if (*to == NULL)
        *failed = true;
    else
        memcpy(*to, from, count * bytes_each);
    return *to;
}

enum margay_status margay_batch_copy(struct margay_batch_copy *copy,
                                     const struct margay_batch *batch,
                                     struct margay_error *error)
{
    bool failed = false;
    if (copy->capacity < batch->references) {
        margay_batch_copy_clear(copy);
        copy->capacity = batch->references;
    }
    copy->batch = *batch;
#define MARGAY_COLUMN(name, NAME, bit, type, words)                  \
    copy->batch.name =                                               \
        copy_column((void **)&copy->name, batch->name, sizeof(type), \
                    batch->references, copy->capacity, &failed);
#include <margay/columns.def>
    return failed ? margay_fail_memory(error, "batches of references")
                  : MARGAY_OK;
}
