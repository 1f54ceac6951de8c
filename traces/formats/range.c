/*
 * range.c - a range of the references in a file, read without a thread
 *
 * Records of fixed length lie at offsets that can be computed; lines begin
 * behind newlines (line_reader.c); in blocks, the range finds its first one by
 * the index, with a reader of its own.  Of an
 * entry whose count crosses an end of the range, the range gives the references
 * that lie within.
 */
#include <stdlib.h>

#include "traces/base/error.h"
#include "traces/formats/blocks_format.h"
#include "traces/formats/line_reader.h"
#include "traces/formats/trace.h"

/* How much of a text tells how many references a byte stands for; below that
   of a batch, whose references are no shorter than four bytes. */
#define SAMPLE_BYTES ((uint64_t)MARGAY_BATCH_BYTES / 2)

struct margay_range {
    struct margay_trace *trace;
    uint64_t next, left; /* index of the next reference, and how many follow */
    uint64_t given;      /* those of kinds that are left out included */
    struct margay_references references;

    struct margay_line_reader *lines; /* NULL: it is no range of lines */

    /* For a format of blocks: */
    void *blocks;
    uint64_t offset; /* of the next byte in the file */
    uint64_t drop;   /* references still to be read before the range */
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
    struct margay_trace_facts facts = {.columns = 0};
    uint64_t skipped = 0, all;
    bool known;
    if (reading == NULL)
        return MARGAY_OK;
    enum margay_status status =
        reading->open(&source, &range->blocks, &facts, error);
    if (status == MARGAY_OK)
        status = reading->skip(range->blocks, range->next, &skipped, &known,
                               &all, error);
    range->drop = range->next - skipped;
    return status;
}

/* The first entry of those read that belongs to the range. */
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

/* The number of entries from there on that belong to the range. */
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
    uint64_t left = range->left;
    size_t from = drop(range), entries = keep(range, from);
    range->given += left - range->left;
    margay_trace_select(range->trace, references, from, entries, batch);
    return MARGAY_OK;
}

/* ----------------------------------------------------------------- any -- */

static bool has_offsets(const struct margay_trace *trace)
{
    const struct margay_reader *reader = &trace->reader;
    const struct margay_format *format = reader->detection.format;
    return trace->ready && reader->refs_known &&
           (format->record_bytes != 0 ||
            (format->reading != NULL &&
             ((reader->facts.columns & MARGAY_COLUMN_COUNTS) == 0 ||
              trace->reading.counts)));
}

/* A range with room for a batch.  On failure *range is NULL. */
static enum margay_status create(margay_trace *trace, uint64_t first,
                                 uint64_t count, margay_range **range,
                                 struct margay_error *error)
{
    const struct margay_reader *reader = &trace->reader;
    const struct margay_format *format = reader->detection.format;
    margay_range *made = calloc(1, sizeof *made);
    *range = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "a range of a trace");
    *made = (margay_range){.trace = trace, .next = first, .left = count};
    enum margay_status status = margay_batch_allocate(
        &made->references, format, margay_reader_columns(reader), error);
    if (status == MARGAY_OK)
        *range = made;
    else
        margay_range_free(made);
    return status;
}

/* Give the range to the caller, or release it. */
static enum margay_status hand_over(margay_range *made,
                                    enum margay_status status,
                                    margay_range **range)
{
    *range = status == MARGAY_OK ? made : NULL;
    if (status != MARGAY_OK)
        margay_range_free(made);
    return status;
}

enum margay_status margay_trace_range(margay_trace *trace, uint64_t first,
                                      uint64_t count, margay_range **range,
                                      struct margay_error *error)
{
    margay_range *made;
    *range = NULL;
    if (!has_offsets(trace))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: found no known offsets of references, expected "
                           "records of fixed length or an index",
                           trace->reader.path);
    enum margay_status status = create(trace, first, count, &made, error);
    if (status == MARGAY_OK)
        status = open_blocks(made, error);
    return hand_over(made, status, range);
}

bool margay_trace_has_records(const margay_trace *trace)
{
    return trace->reader.detection.format->record_bytes != 0;
}

enum margay_status margay_trace_lines(margay_trace *trace, uint64_t first,
                                      uint64_t bytes, margay_range **range,
                                      struct margay_error *error)
{
    margay_range *made;
    *range = NULL;
    if (!trace->ready || trace->reader.line_bytes == 0 ||
        (!trace->may_cut &&
         trace->reader.detection.format->create_state != NULL))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: found no lines that stand alone, expected a "
                           "plain file of them",
                           trace->reader.path);
    enum margay_status status = create(trace, first, bytes, &made, error);
    if (status == MARGAY_OK)
        status = margay_line_reader_create(&trace->reader, first, bytes,
                                           &made->lines, error);
    return hand_over(made, status, range);
}

/* From the first bytes of the file. */
bool margay_trace_known_lines(margay_trace *trace, uint64_t *bytes,
                              uint64_t *references)
{
    margay_range *range;
    struct margay_batch batch;
    *bytes = trace->reader.line_bytes;
    if (*bytes > 0 && !trace->may_cut)
        trace->may_cut = margay_line_reader_may_cut(&trace->reader);
    if (!trace->may_cut)
        return false;
    if (margay_trace_lines(trace, 0, SAMPLE_BYTES, &range, NULL) != MARGAY_OK)
        return false;
    enum margay_status status = margay_range_next(range, &batch, NULL);
    uint64_t sampled = *bytes < SAMPLE_BYTES ? *bytes : SAMPLE_BYTES;
    *references =
        status == MARGAY_OK ? range->references.count * (*bytes / sampled) : 0;
    margay_range_free(range);
    return status == MARGAY_OK;
}

uint64_t margay_range_given(const margay_range *range)
{
    return range->given;
}

void margay_range_free(margay_range *range)
{
    if (range == NULL)
        return;
    if (range->blocks != NULL)
        range->trace->reader.detection.format->reading->free_state(
            range->blocks);
    margay_line_reader_free(range->lines);
    margay_references_free(&range->references);
    free(range);
}

/* Half a record can only stand at the end of the file. */
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
    range->given += count;
    if (count == 0 && bytes > 0)
        return margay_reader_fail_half_record(reader, offset, bytes, error);
    return count == 0 ? MARGAY_END : MARGAY_OK;
}

static enum margay_status next_of_lines(margay_range *range,
                                        struct margay_batch *batch,
                                        struct margay_error *error)
{
    enum margay_status status =
        margay_line_reader_next(range->lines, &range->references, error);
    range->given += range->references.count;
    if (status == MARGAY_OK)
        margay_trace_select(range->trace, &range->references, 0,
                            range->references.count, batch);
    return status;
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
    if (range->lines != NULL)
        return next_of_lines(range, batch, error);
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
