/* uses.c - how often each block is used: see uses.h */
#include "sim/run/uses.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_REFS 4096

size_t margay_uses_count(const struct margay_uses *uses)
{
    return margay_numbering_count(uses->numbering);
}

uint64_t *margay_uses_record(const struct margay_uses *uses, size_t number)
{
    return &uses->records[number * (1 + uses->columns)];
}

static struct margay_uses *self(margay_analysis *analysis)
{
    return (struct margay_uses *)analysis;
}

enum margay_status margay_uses_begin(margay_analysis *analysis,
                                     const struct margay_share *share,
                                     struct margay_error *error)
{
    struct margay_uses *uses = self(analysis);
    const struct margay_uses_asked *asked = analysis->question->context;
    (void)share;
    uses->most = asked->most;
    uses->columns = asked->columns;
    uses->step = uses->columns == 1 ? 63 : 0;
    uses->lowest = UINT64_MAX;
    if (uses->columns > 0)
        uses->records = calloc(uses->most + CHUNK_REFS,
                               (1 + uses->columns) * sizeof *uses->records);
    return uses->columns > 0 && uses->records == NULL
               ? margay_fail_memory(error, "the uses of blocks")
               : margay_numbering_create(&uses->numbering, error);
}

void margay_uses_free(margay_analysis *analysis)
{
    margay_numbering_free(self(analysis)->numbering);
    free(self(analysis)->records);
}

static bool is_counted(const struct margay_uses *uses, uint64_t block)
{
    return uses->halvings == 0 ||
           margay_sample_hash(block, 0) <= UINT64_MAX >> uses->halvings;
}

/* Count half as many blocks. */
static enum margay_status halve(struct margay_uses *uses,
                                struct margay_error *error)
{
    margay_numbering *old = uses->numbering;
    const size_t count = margay_uses_count(uses);
    const size_t bytes = (1 + uses->columns) * sizeof *uses->records;
    enum margay_status status =
        margay_numbering_create(&uses->numbering, error);
    uses->halvings++;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        const uint64_t *record = margay_uses_record(uses, i);
        uint32_t number = 0;
        if (!is_counted(uses, *record))
            continue;
        status =
            margay_numbering_feed(uses->numbering, record, 1, &number, error);
        memmove(margay_uses_record(uses, number), record, bytes);
    }
    margay_numbering_free(old);
    if (status == MARGAY_OK)
        memset(margay_uses_record(uses, margay_uses_count(uses)), 0,
               bytes * (count - margay_uses_count(uses)));
    return status;
}

/* Columns of twice the width. */
static void widen(struct margay_uses *uses)
{
    const size_t columns = uses->columns;
    for (size_t i = 0; i < margay_uses_count(uses); i++) {
        uint64_t *counts = margay_uses_record(uses, i) + 1;
        for (size_t k = 0; k < columns; k++)
            counts[k] = k < columns / 2 ? counts[2 * k] + counts[2 * k + 1] : 0;
    }
    uses->step++;
}

/* The next blocks of the trace, CHUNK_REFS at most. */
static enum margay_status count_blocks(struct margay_uses *uses,
                                       const uint64_t *blocks, size_t count,
                                       struct margay_error *error)
{
    uint64_t counted[CHUNK_REFS];
    uint32_t numbers[CHUNK_REFS];
    uint8_t columns[CHUNK_REFS];
    size_t picked = 0;
    if (uses->columns == 0)
        return margay_numbering_feed(uses->numbering, blocks, count, numbers,
                                     error);
    while ((uses->refs + count - 1) >> uses->step >= uses->columns)
        widen(uses);
    for (size_t i = 0; i < count; i++) {
        counted[picked] = blocks[i];
        columns[picked] = (uint8_t)((uses->refs + i) >> uses->step);
        picked += is_counted(uses, blocks[i]);
    }
    enum margay_status status =
        margay_numbering_feed(uses->numbering, counted, picked, numbers, error);
    for (size_t i = 0; i < picked && status == MARGAY_OK; i++) {
        uint64_t *record = margay_uses_record(uses, numbers[i]);
        record[0] = counted[i];
        record[1 + columns[i]]++;
    }
    while (status == MARGAY_OK && margay_uses_count(uses) > uses->most)
        status = halve(uses, error);
    return status;
}

enum margay_status margay_uses_feed(margay_analysis *analysis,
                                    const struct margay_span *span,
                                    struct margay_error *error)
{
    struct margay_uses *uses = self(analysis);
    const struct margay_pass *pass = analysis->pass;
    const struct margay_batch batch = {
        .references = span->count,
        .numbers = span->blocks,
        .kinds = span->kinds,
        .extents = pass->splits ? span->extents : NULL,
    };
    uint64_t blocks[CHUNK_REFS];
    uint8_t kinds[CHUNK_REFS] = {MARGAY_READ};
    struct margay_block_cursor cursor = {0, 0};
    enum margay_status status = MARGAY_OK;
    size_t count;
    for (size_t i = 0; i < span->count; i++) {
        uint64_t extent = batch.extents == NULL ? 1 : batch.extents[i];
        uint64_t first = span->blocks[i];
        uint64_t last = extent == 0 ? 0 : margay_extent_last(first, extent);
        if (extent > 0 && first < uses->lowest)
            uses->lowest = first;
        if (last > uses->highest)
            uses->highest = last;
    }
    while (status == MARGAY_OK &&
           (count = margay_batch_blocks(
                &batch, pass->shift, pass->splits, &cursor, blocks,
                span->kinds == NULL ? NULL : kinds, NULL, CHUNK_REFS)) > 0) {
        status = count_blocks(uses, blocks, count, error);
        for (size_t i = 0; i < count; i++)
            uses->of_kind[kinds[i]]++;
        uses->refs += count;
    }
    return status;
}

const struct margay_analysis_class margay_uses_functions = {
    .bytes = sizeof(struct margay_uses),
    .begin = margay_uses_begin,
    .feed = margay_uses_feed,
    .free = margay_uses_free,
};
