/*
 * range.c - a range of the references in a file, read without a thread
 *
 * Records of fixed length lie at offsets that can be computed; lines begin
 * after newlines; in blocks, the range finds its first one by the index, with a
 * reader of its own.  A newline within quotes ends no row, so a table is cut
 * only where the rest has been searched for quotes and has none.
 * Cost: that of decoding.c; a table that may have quotes is read twice.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/formats/trace.h"

/* How much of a text is read to estimate its references; less than a batch,
   whose references have four bytes or more. */
#define SAMPLE_BYTES ((uint64_t)MARGAY_BATCH_BYTES / 2)

struct margay_range {
    struct margay_trace *trace;
    uint64_t left;  /* of blocks: references that follow; 0 = none */
    uint64_t given; /* those of kinds that are left out included */
    uint64_t drop;  /* of blocks: to be read before the range */
    struct margay_references references;
    struct margay_decoding part;
};

/* May parts begin after any newline?  Of a table, its first rows are read, and
   the rest is searched for quotes, unless there are none. */
static bool may_cut(struct margay_reader *reader)
{
    const struct margay_format *format = reader->detection.format;
    struct margay_decoding part = {.reader = NULL};
    struct margay_intake *intake = &part.intake;
    if (format->create_state == NULL)
        return true;
    int cut = MARGAY_CUT_NEVER;
    if (margay_decoding_begin(&part, reader) == MARGAY_OK &&
        margay_decoding_make_state(&part) == MARGAY_OK &&
        margay_decoding_learn(&part) == MARGAY_OK)
        cut = format->cut(part.state);
    bool may = cut >= 0;
    for (bool more = cut > 0; may && more; more = intake->end > 0) {
        may = memchr(intake->held + intake->begin, cut,
                     margay_intake_left(intake)) == NULL;
        intake->begin = intake->end;
        if (margay_input_read(intake, MARGAY_HELD_BYTES, NULL) != MARGAY_OK)
            may = false;
    }
    margay_decoding_end(&part);
    return may;
}

/* Do references lie at known offsets? */
static bool has_offsets(const struct margay_trace *trace)
{
    const struct margay_reader *reader = &trace->reader;
    const struct margay_format *format = reader->detection.format;
    return trace->ready && reader->skipped.known &&
           (format->record_bytes != 0 || format->reading != NULL);
}

/* Do lines stand alone? */
static bool has_lines(const struct margay_trace *trace)
{
    const struct margay_reader *reader = &trace->reader;
    return trace->ready && reader->line_bytes != 0 &&
           (trace->may_cut || reader->detection.format->create_state == NULL);
}

/* Read on at the first reference, or the first line. */
static enum margay_status begin_part(struct margay_range *range, uint64_t first,
                                     uint64_t count, bool of_lines)
{
    struct margay_reader *reader = &range->trace->reader;
    struct margay_decoding *part = &range->part;
    struct margay_trace_facts facts = {.columns = 0};
    struct margay_skipped skipped = {.known = false};
    enum margay_status status = margay_decoding_begin(part, reader);
    if (status == MARGAY_OK && range->references.numbers == NULL)
        status = margay_batch_allocate(
            &range->references, margay_reader_columns(reader), &part->error);
    if (status == MARGAY_OK)
        status = margay_decoding_open(part, &facts, first, &skipped);
    range->drop = first - skipped.skipped;
    if (status == MARGAY_OK && of_lines)
        status = margay_decoding_go_to_lines(part, first, count);
    else if (status == MARGAY_OK && part->blocks == NULL)
        margay_decoding_go_to_records(part, first, count);
    return status;
}

enum margay_status margay_trace_range(margay_trace *trace, uint64_t first,
                                      uint64_t count, margay_range **range,
                                      struct margay_error *error)
{
    bool of_lines = has_lines(trace);
    margay_range *made = *range != NULL ? *range : calloc(1, sizeof *made);
    *range = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "a range of a trace");
    made->trace = trace;
    made->left = count;
    made->given = 0;
    enum margay_status status =
        of_lines || has_offsets(trace)
            ? begin_part(made, first, count, of_lines)
            : margay_fail(&made->part.error, MARGAY_BAD_ARGUMENT,
                          "%s: found no known offsets of references, expected "
                          "a plain file of lines that stand alone, records of "
                          "fixed length or an index",
                          trace->reader.path);
    if (status == MARGAY_OK) {
        *range = made;
        return MARGAY_OK;
    }
    if (error != NULL)
        *error = made->part.error;
    margay_range_free(made);
    return status;
}

/* From the first bytes of the file. */
bool margay_trace_known_lines(margay_trace *trace, uint64_t *bytes,
                              uint64_t *references)
{
    margay_range *range = NULL;
    struct margay_batch batch;
    *bytes = trace->reader.line_bytes;
    if (*bytes > 0 && !trace->may_cut)
        trace->may_cut = may_cut(&trace->reader);
    if (!trace->may_cut)
        return false;
    if (margay_trace_range(trace, 0, SAMPLE_BYTES, &range, NULL) != MARGAY_OK)
        return false;
    enum margay_status status = margay_range_next(range, &batch, NULL);
    uint64_t sampled = *bytes < SAMPLE_BYTES ? *bytes : SAMPLE_BYTES;
    *references = status == MARGAY_OK ? range->given * (*bytes / sampled) : 0;
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
    margay_decoding_end(&range->part);
    margay_references_free(&range->references);
    free(range);
}

enum margay_status margay_range_next(margay_range *range,
                                     struct margay_batch *batch,
                                     struct margay_error *error)
{
    /* Its numbers may be lent until the next call. */
    struct margay_references given = range->references;
    if (range->left == 0)
        return MARGAY_END;
    enum margay_status status = margay_decoding_fill(&range->part, &given);
    if (status == MARGAY_END && given.count > 0)
        status = MARGAY_OK;
    if (status != MARGAY_OK && status != MARGAY_END && error != NULL)
        *error = range->part.error;
    if (status != MARGAY_OK)
        return status;
    size_t from = 0, count = given.count;
    /* Blocks may begin before the range, or end after it. */
    if (range->part.blocks != NULL) {
        from = count < range->drop ? count : (size_t)range->drop;
        range->drop -= from;
        count = count - from < range->left ? count - from : (size_t)range->left;
        range->left -= count;
    }
    range->given += count;
    margay_trace_select(range->trace, &given, from, count, batch);
    return MARGAY_OK;
}
