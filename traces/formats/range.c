/*
 * range.c - part of a file, read without a thread
 *
 * Of records of fixed length, which lie where they must; or of blocks, by a
 * reader of the range's own that is led by the index.  An entry whose count
 * crosses an end of the range is in it with what lies within.
 */
#include <stdlib.h>

#include "traces/base/error.h"
#include "traces/formats/blocks_format.h"
#include "traces/formats/trace.h"

struct margay_range {
    struct margay_trace *trace;
    uint64_t next, left; /* references of the file */
    struct margay_references references;

    /* Of a format of blocks: */
    void *blocks;
    uint64_t offset; /* in the file */
    uint64_t drop;   /* references before the range */
};

/* -------------------------------------------------------------- blocks -- */

static enum margay_status read_bytes(void *context, void *bytes, size_t count,
                                     size_t *got, struct margay_error *error)
{
    margay_range *range = context;
    enum margay_status status = margay_input_read_at(
        range->trace->reader.input, range->offset, bytes, count, got, error);
    range->offset += status == MARGAY_OK ? *got : 0;
    return status;
}

static bool plain_bytes(void *context, uint64_t *bytes)
{
    margay_range *range = context;
    return margay_input_plain_bytes(range->trace->reader.input, bytes);
}

static enum margay_status go_to(void *context, uint64_t offset,
                                struct margay_error *error)
{
    margay_range *range = context;
    (void)error;
    range->offset = offset;
    return MARGAY_OK;
}

static enum margay_status open_blocks(margay_range *range,
                                      struct margay_error *error)
{
    const struct margay_reader *reader = &range->trace->reader;
    const struct margay_blocks_reading *reading =
        reader->detection.format->reading;
    const struct margay_block_source source = {
        .context = range,
        .name = reader->path,
        .evidence = reader->detection.evidence,
        .shift = reader->shift,
        .read = read_bytes,
        .plain_bytes = plain_bytes,
        .go_to = go_to,
    };
    struct margay_trace_facts facts;
    uint64_t skipped = 0, all;
    if (reading == NULL)
        return MARGAY_OK;
    enum margay_status status =
        reading->open(&source, &range->blocks, &facts, error);
    if (status == MARGAY_OK) {
        reading->skip(range->blocks, range->next, &skipped, &all);
        range->drop = range->next - skipped;
    }
    return status;
}

/* Where the range begins in what has been read. */
static size_t drop(margay_range *range)
{
    struct margay_references *references = &range->references;
    uint64_t dropped = range->drop;
    size_t from = margay_references_within(references, 0, &dropped);
    range->drop -= dropped;
    if (range->drop > 0 && from < references->count) {
        references->counts[from] -= (uint32_t)range->drop;
        range->drop = 0;
    }
    return from;
}

/* And how many entries of it, from there on, belong to the range. */
static size_t keep(margay_range *range, size_t from)
{
    struct margay_references *references = &range->references;
    uint64_t kept = range->left;
    size_t entries = margay_references_within(references, from, &kept);
    range->left -= kept;
    if (range->left > 0 && from + entries < references->count) {
        references->counts[from + entries] = (uint32_t)range->left;
        range->left = 0;
        entries++;
    }
    return entries;
}

static enum margay_status next_of_blocks(margay_range *range,
                                         struct margay_batch *batch,
                                         struct margay_error *error)
{
    const struct margay_blocks_reading *reading =
        range->trace->reader.detection.format->reading;
    struct margay_references *references = &range->references;
    references->count = 0;
    enum margay_status status = reading->fill(range->blocks, references, error);
    if (status != MARGAY_OK)
        return status;
    size_t from = drop(range), entries = keep(range, from);
    margay_trace_select(range->trace, references, from, entries, batch);
    return MARGAY_OK;
}

/* ----------------------------------------------------------------- any -- */

static bool has_places(const struct margay_trace *trace)
{
    const struct margay_reader *reader = &trace->reader;
    const struct margay_format *format = reader->detection.format;
    return trace->ready && reader->refs_known &&
           (format->record_bytes != 0 ||
            (format->reading != NULL &&
             (!reader->facts.has_counts || trace->options.counts)));
}

enum margay_status margay_trace_range(margay_trace *trace, uint64_t first,
                                      uint64_t count, margay_range **range,
                                      struct margay_error *error)
{
    *range = NULL;
    if (!has_places(trace))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: a range of references whose place is not known",
                           trace->reader.path);
    margay_range *made = calloc(1, sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "a range of a trace");
    *made = (margay_range){.trace = trace, .next = first, .left = count};
    enum margay_status status = margay_batch_allocate(
        &made->references, trace->reader.detection.format, error);
    if (status == MARGAY_OK)
        status = open_blocks(made, error);
    if (status == MARGAY_OK)
        *range = made;
    else
        margay_range_free(made);
    return status;
}

void margay_range_free(margay_range *range)
{
    if (range == NULL)
        return;
    if (range->blocks != NULL)
        range->trace->reader.detection.format->reading->free_state(
            range->blocks);
    margay_references_free(&range->references);
    free(range);
}

/* The records read are whole, but for what the file ends with. */
static enum margay_status unpack(margay_range *range, const char *records,
                                 size_t bytes, struct margay_error *error)
{
    const struct margay_reader *reader = &range->trace->reader;
    const struct margay_format *format = reader->detection.format;
    size_t count = bytes / format->record_bytes;
    uint64_t offset = range->next * format->record_bytes;
    const char *expected = format->unpack(&range->references, records, count);
    if (expected != NULL)
        return margay_reader_fail_record(
            reader, offset + range->references.count * format->record_bytes,
            expected, error);
    range->next += count;
    range->left -= count;
    if (count == 0 && bytes > 0)
        return margay_reader_fail_half_record(reader, offset, bytes, error);
    return count == 0 ? MARGAY_END : MARGAY_OK;
}

enum margay_status margay_range_next(margay_range *range,
                                     struct margay_batch *batch,
                                     struct margay_error *error)
{
    struct margay_reader *reader = &range->trace->reader;
    const struct margay_format *format = reader->detection.format;
    size_t count = range->references.capacity, got;
    if (range->left == 0)
        return MARGAY_END;
    if (range->blocks != NULL)
        return next_of_blocks(range, batch, error);
    if (count > range->left)
        count = (size_t)range->left;
    char *records = margay_batch_records(&range->references, format);
    range->references.count = 0;
    enum margay_status status = margay_input_read_at(
        reader->input, range->next * format->record_bytes, records,
        count * format->record_bytes, &got, error);
    if (status == MARGAY_OK)
        status = unpack(range, records, got, error);
    if (status == MARGAY_OK)
        margay_trace_select(range->trace, &range->references, 0,
                            range->references.count, batch);
    return status;
}
