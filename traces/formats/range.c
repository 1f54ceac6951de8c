/*
 * range.c - a range of the references in a file, read without a thread
 *
 * Records of fixed length lie at offsets that can be computed; lines begin
 * after newlines; in blocks, the range finds its first one by
 * the index, with a reader of its own.  Of an
 * entry whose count crosses an end of the range, the range gives the references
 * that lie within.
 *
 * Algorithm of lines: a piece begins after the first newline from the byte
 * before it on, and ends with the line that holds its last byte. Guarantee: of
 * pieces that cover a file, each line is in one, and its place in a message is
 * its line in the file: the newlines before it are counted when a message is
 * written, and not before.  The lines of a table follow from its first rows: a
 * piece is given these before its own.  A newline within quotes ends no row, so
 * a table is cut only where the rest has been searched for quotes and has none.
 * Cost: a piece reads up to a line more than its bytes, of a table the first
 *   rows too; a table that may have quotes is read twice.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/formats/trace.h"

/* ----------------------------------------------------------------- lines -- */

struct line_reader {
    const struct margay_reader *reader;
    uint64_t offset; /* of buffer[begin] in the file */
    uint64_t stop;   /* lines from there on are not of this piece */
    char *buffer;
    size_t begin, end;
    bool found;  /* `begin` is where a line begins */
    bool ended;  /* no bytes are left after `end` */
    void *state; /* of a format that has one; it knows the beginning */
};

/* The line in the file that begins at `offset`, from 1 on. */
static enum margay_status count_lines(const struct line_reader *lines,
                                      uint64_t offset, uint64_t *line,
                                      struct margay_error *error)
{
    char bytes[16384];
    size_t got = 1;
    *line = 1;
    for (uint64_t at = 0; at < offset && got > 0; at += got) {
        size_t wanted =
            offset - at < sizeof bytes ? (size_t)(offset - at) : sizeof bytes;
        enum margay_status status = margay_input_read_at(
            lines->reader->input, at, bytes, wanted, &got, error);
        if (status != MARGAY_OK)
            return status;
        for (size_t i = 0; i < got; i++)
            *line += bytes[i] == '\n';
    }
    return MARGAY_OK;
}

static enum margay_status fail_line(const struct line_reader *lines,
                                    const char *line, const char *end,
                                    const char *expected,
                                    struct margay_error *error)
{
    uint64_t number;
    size_t before = (size_t)(line - (lines->buffer + lines->begin));
    enum margay_status status =
        count_lines(lines, lines->offset + before, &number, error);
    return status == MARGAY_OK
               ? margay_reader_fail_line(lines->reader, number, line, end,
                                         expected, error)
               : status;
}

static void pass(struct line_reader *lines, size_t bytes)
{
    lines->begin += bytes;
    lines->offset += bytes;
}

/* Read on, after what is left in the buffer. */
static enum margay_status read_more(struct line_reader *lines,
                                    struct margay_error *error)
{
    size_t rest = lines->end - lines->begin, got;
    char *line = lines->buffer + lines->begin;
    if (lines->found && rest > MARGAY_LINE_BYTES)
        return fail_line(lines, line, line + rest, MARGAY_EXPECTS_SHORT_LINE,
                         error);
    memmove(lines->buffer, line, rest);
    lines->begin = 0;
    lines->end = rest;
    enum margay_status status = margay_input_read_at(
        lines->reader->input, lines->offset + rest, lines->buffer + rest,
        MARGAY_TEXT_BYTES - rest, &got, error);
    if (status != MARGAY_OK)
        return status;
    lines->end += got;
    lines->ended = got == 0;
    /* The last line may lack its newline. */
    if (lines->ended && rest > 0 && lines->buffer[rest - 1] != '\n')
        lines->buffer[lines->end++] = '\n';
    return MARGAY_OK;
}

/* The end of the whole lines in the buffer that are of this piece, `begin` if
   there are none. */
static const char *whole_lines(const struct line_reader *lines)
{
    const char *first = lines->buffer + lines->begin;
    size_t bytes = lines->end - lines->begin;
    uint64_t piece = lines->stop - lines->offset;
    const char *newline = NULL;
    if (piece <= bytes)
        newline = memchr(first + piece - 1, '\n', bytes - (size_t)piece + 1);
    if (newline == NULL)
        newline = memrchr(first, '\n', bytes);
    return newline == NULL ? first : newline + 1;
}

static enum margay_status decode_lines(struct line_reader *lines,
                                       const char *end,
                                       struct margay_references *batch,
                                       struct margay_error *error)
{
    const char *first = lines->buffer + lines->begin;
    struct margay_text text = {first, end, 0, lines->state};
    const char *expected =
        lines->reader->detection.format->decode(&text, batch);
    if (expected != NULL)
        return fail_line(lines, text.cursor, end, expected, error);
    pass(lines, (size_t)(text.cursor - first));
    return MARGAY_OK;
}

/* -------------------------------------------------------------- a state -- */

static int where_to_cut(const struct line_reader *lines)
{
    return lines->reader->detection.format->cut(lines->state);
}

/* Does the state still need the lines that come? */
static bool is_learning(const struct line_reader *lines)
{
    return lines->state != NULL && where_to_cut(lines) == MARGAY_CUT_LATER;
}

/* The end of the next line, or where it begins. */
static const char *next_line(const struct line_reader *lines)
{
    const char *first = lines->buffer + lines->begin;
    const char *newline = memchr(first, '\n', lines->end - lines->begin);
    return newline == NULL ? first : newline + 1;
}

/* Give the state the lines that tell how the rest is read: up to
   lines->offset.  MARGAY_END: the file has no more. */
static enum margay_status learn(struct line_reader *lines,
                                struct margay_error *error)
{
    const struct margay_reader *reader = lines->reader;
    const struct margay_format *format = reader->detection.format;
    struct margay_references scratch = {.count = 0};
    enum margay_status status = margay_batch_allocate(
        &scratch, format, margay_reader_columns(reader), error);
    while (status == MARGAY_OK && is_learning(lines)) {
        const char *end = next_line(lines);
        scratch.count = 0;
        if (end > lines->buffer + lines->begin)
            status = decode_lines(lines, end, &scratch, error);
        else
            status = lines->ended ? MARGAY_END : read_more(lines, error);
    }
    margay_references_free(&scratch);
    return status;
}

/* A state for a piece.  The first one has the beginning, however short it is,
   and others begin after that. */
static enum margay_status begin_state(struct line_reader *lines, uint64_t first,
                                      struct margay_error *error)
{
    const struct margay_reader *reader = lines->reader;
    lines->state =
        reader->detection.format->create_state(&reader->state_options);
    if (lines->state == NULL)
        return margay_fail_memory(error, "a reader of tables");
    if (first == 0)
        return MARGAY_OK;
    lines->offset = 0;
    lines->found = true;
    enum margay_status status = learn(lines, error);
    if (first > lines->offset) {
        lines->found = lines->ended = false;
        lines->offset = first - 1;
        lines->begin = lines->end = 0;
    }
    return status == MARGAY_END ? MARGAY_OK : status;
}

/* --------------------------------------------------------------- a piece -- */

static void line_reader_free(struct line_reader *lines)
{
    if (lines == NULL)
        return;
    if (lines->state != NULL)
        lines->reader->detection.format->free_state(lines->state);
    free(lines->buffer);
    free(lines);
}

/* The lines whose first byte is one of [first, first + bytes), or of those up
   to the end of the file. */
static enum margay_status line_reader_create(const struct margay_reader *reader,
                                             uint64_t first, uint64_t bytes,
                                             struct line_reader **lines,
                                             struct margay_error *error)
{
    struct line_reader *made = calloc(1, sizeof *made);
    char *buffer = calloc(1, MARGAY_TEXT_BYTES + 1 + MARGAY_TEXT_PADDING);
    *lines = NULL;
    if (made == NULL || buffer == NULL) {
        free(made);
        free(buffer);
        return margay_fail_memory(error, "a reading buffer");
    }
    *made = (struct line_reader){
        .reader = reader,
        .offset = first == 0 ? 0 : first - 1,
        .stop = bytes > UINT64_MAX - first ? UINT64_MAX : first + bytes,
        .buffer = buffer,
        .found = first == 0,
    };
    enum margay_status status = MARGAY_OK;
    if (reader->detection.format->create_state != NULL)
        status = begin_state(made, first, error);
    *lines = status == MARGAY_OK ? made : NULL;
    if (status != MARGAY_OK)
        line_reader_free(made);
    return status;
}

/* Fill an empty batch.  MARGAY_END: there are no more references. */
static enum margay_status line_reader_next(struct line_reader *lines,
                                           struct margay_references *batch,
                                           struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    batch->count = 0;
    while (batch->count + MARGAY_LINE_REFERENCES <= batch->capacity &&
           status == MARGAY_OK) {
        if (!lines->found) {
            /* Go past the first newline. */
            const char *first = lines->buffer + lines->begin;
            size_t bytes = lines->end - lines->begin;
            const char *newline = memchr(first, '\n', bytes);
            lines->found = newline != NULL;
            pass(lines, lines->found ? (size_t)(newline + 1 - first) : bytes);
        }
        bool past = lines->found && lines->offset >= lines->stop;
        if (past && !is_learning(lines))
            break;
        const char *end = past ? next_line(lines) : whole_lines(lines);
        if (lines->found && end > lines->buffer + lines->begin)
            status = decode_lines(lines, end, batch, error);
        else if (!lines->ended)
            status = read_more(lines, error);
        else
            break;
    }
    return status == MARGAY_OK && batch->count == 0 ? MARGAY_END : status;
}

/* --------------------------------------------------------------- cutting -- */

/* May pieces begin after any newline?  Of a table, its first rows are read,
   and the rest is searched for quotes, unless there are none. */
static bool line_reader_may_cut(const struct margay_reader *reader)
{
    struct line_reader *lines;
    size_t got = 1;
    if (reader->detection.format->create_state == NULL)
        return true;
    if (line_reader_create(reader, 0, UINT64_MAX, &lines, NULL) != MARGAY_OK)
        return false;
    int cut = learn(lines, NULL) == MARGAY_OK ? where_to_cut(lines)
                                              : MARGAY_CUT_NEVER;
    bool may = cut >= 0;
    for (uint64_t at = lines->offset; cut > 0 && may && got > 0; at += got)
        may =
            margay_input_read_at(reader->input, at, lines->buffer,
                                 MARGAY_TEXT_BYTES, &got, NULL) == MARGAY_OK &&
            memchr(lines->buffer, cut, got) == NULL;
    line_reader_free(lines);
    return may;
}

/* ---------------------------------------------------------------- ranges -- */

/* How much of a text tells how many references a byte stands for; below that
   of a batch, whose references are no shorter than four bytes. */
#define SAMPLE_BYTES ((uint64_t)MARGAY_BATCH_BYTES / 2)

struct margay_range {
    struct margay_trace *trace;
    uint64_t next, left; /* index of the next reference, and how many follow */
    uint64_t given;      /* those of kinds that are left out included */
    struct margay_references references;

    struct line_reader *lines; /* NULL: it is no range of lines */

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
    struct margay_block_source source = reader->source;
    struct margay_trace_facts facts = {.columns = 0};
    uint64_t skipped = 0, all;
    bool known;
    if (reading == NULL)
        return MARGAY_OK;
    source.context = range;
    source.read = read_bytes;
    source.go_to = go_to;
    source.pipe = NULL;
    source.modules = NULL;
    source.data = NULL;
    enum margay_status status =
        margay_blocks_open(reading, &source, &range->blocks, &facts, error);
    if (status == MARGAY_OK)
        status = reading->skip(range->blocks, range->next, &skipped, &known,
                               &all, error);
    range->drop = range->next - skipped;
    return status;
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
    size_t from = margay_references_drop(references, 0, &range->drop);
    uint64_t kept = range->left;
    size_t entries = margay_references_within(references, from, &kept);
    /* Of the last entry, perhaps, some of its references. */
    if (kept < range->left && from + entries < references->count) {
        references->counts[from + entries] = (uint32_t)(range->left - kept);
        kept = range->left;
        entries++;
    }
    range->left -= kept;
    range->given += kept;
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

/* A range of references, or of the bytes of lines.  On failure *range is
   NULL. */
static enum margay_status create(margay_trace *trace, bool of_lines,
                                 uint64_t first, uint64_t count,
                                 margay_range **range,
                                 struct margay_error *error)
{
    const struct margay_reader *reader = &trace->reader;
    margay_range *made = calloc(1, sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "a range of a trace");
    *made = (margay_range){.trace = trace, .next = first, .left = count};
    enum margay_status status =
        margay_batch_allocate(&made->references, reader->detection.format,
                              margay_reader_columns(reader), error);
    if (status == MARGAY_OK && of_lines)
        status = line_reader_create(reader, first, count, &made->lines, error);
    else if (status == MARGAY_OK)
        status = open_blocks(made, error);
    if (status == MARGAY_OK)
        *range = made;
    else
        margay_range_free(made);
    return status;
}

enum margay_status margay_trace_range(margay_trace *trace, uint64_t first,
                                      uint64_t count, margay_range **range,
                                      struct margay_error *error)
{
    *range = NULL;
    if (has_offsets(trace))
        return create(trace, false, first, count, range, error);
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "%s: found no known offsets of references, expected "
                       "records of fixed length or an index",
                       trace->reader.path);
}

bool margay_trace_has_records(const margay_trace *trace)
{
    return trace->reader.detection.format->record_bytes != 0;
}

enum margay_status margay_trace_lines(margay_trace *trace, uint64_t first,
                                      uint64_t bytes, margay_range **range,
                                      struct margay_error *error)
{
    *range = NULL;
    if (trace->ready && trace->reader.line_bytes != 0 &&
        (trace->may_cut ||
         trace->reader.detection.format->create_state == NULL))
        return create(trace, true, first, bytes, range, error);
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "%s: found no lines that stand alone, expected a plain "
                       "file of them",
                       trace->reader.path);
}

/* From the first bytes of the file. */
bool margay_trace_known_lines(margay_trace *trace, uint64_t *bytes,
                              uint64_t *references)
{
    margay_range *range;
    struct margay_batch batch;
    *bytes = trace->reader.line_bytes;
    if (*bytes > 0 && !trace->may_cut)
        trace->may_cut = line_reader_may_cut(&trace->reader);
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
        margay_blocks_close(range->trace->reader.detection.format->reading,
                            range->blocks);
    line_reader_free(range->lines);
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
        return margay_block_source_fail(&reader->source,
                                        offset + range->references.count *
                                                     format->record_bytes,
                                        "another record", expected, error);
    range->next += count;
    range->left -= count;
    range->given += count;
    if (count == 0 && bytes > 0)
        return margay_block_source_fail_half(&reader->source, offset, bytes,
                                             format->record_bytes, error);
    return count == 0 ? MARGAY_END : MARGAY_OK;
}

enum margay_status margay_range_next(margay_range *range,
                                     struct margay_batch *batch,
                                     struct margay_error *error)
{
    struct margay_reader *reader = &range->trace->reader;
    const struct margay_format *format = reader->detection.format;
    struct margay_references *references = &range->references;
    enum margay_status status;
    if (range->left == 0)
        return MARGAY_END;
    if (range->blocks != NULL)
        return next_of_blocks(range, batch, error);
    if (range->lines != NULL) {
        status = line_reader_next(range->lines, references, error);
        range->given += references->count;
    } else {
        size_t count = references->capacity, got;
        if (count > range->left)
            count = (size_t)range->left;
        char *records = margay_batch_records(references, format);
        references->count = 0;
        status = margay_input_read_at(
            reader->input, range->next * format->record_bytes, records,
            count * format->record_bytes, &got, error);
        if (status == MARGAY_OK)
            status = unpack(range, records, got, error);
    }
    if (status == MARGAY_OK)
        margay_trace_select(range->trace, references, 0, references->count,
                            batch);
    return status;
}
