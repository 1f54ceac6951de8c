/* reader.c - the thread that turns bytes into batches of references */
#define _GNU_SOURCE
#include "traces/formats/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/crew.h"
#include "traces/base/error.h"
#include "traces/formats/layout.h"

/* Hand the batch to the other thread. */
static void publish(struct margay_reader *reader)
{
    reader->published_refs += reader->batch->count;
    reader->batch = NULL;
    margay_queue_publish(&reader->queue);
}

/* Reserve a batch; MARGAY_IO where the trace is being freed. */
static enum margay_status need_batch(struct margay_reader *reader)
{
    if (reader->batch != NULL)
        return MARGAY_OK;
    size_t slot;
    if (!margay_queue_reserve(&reader->queue, &slot))
        return MARGAY_IO;
    reader->batch = &reader->ring[slot];
    reader->batch->count = 0;
    reader->batch->repeats = 0;
    return MARGAY_OK;
}

/* Read once, to the end of the buffer's contents. */
static enum margay_status read_more(struct margay_reader *reader)
{
    size_t got;
    enum margay_status status = margay_input_read(
        reader->input, reader->buffer + reader->end,
        MARGAY_TEXT_BYTES - reader->end, &got, &reader->error);
    if (status != MARGAY_OK)
        return status;
    reader->end += got;
    reader->ended = got == 0;
    if (reader->ended)
        reader->buffer[reader->end] = '\n';
    return MARGAY_OK;
}

/* ------------------------------------------------------------- opening -- */

/* Fill the window, unless a slow writer has sent enough to tell the format. */
static enum margay_status read_window(struct margay_reader *reader)
{
    while (!reader->ended && reader->end < MARGAY_WINDOW_BYTES) {
        if (reader->end > 0 && margay_input_would_wait(reader->input) &&
            margay_detect_is_certain(reader->path, reader->buffer, reader->end))
            break;
        enum margay_status status = read_more(reader);
        if (status != MARGAY_OK)
            return status;
    }
    return MARGAY_OK;
}

/* The format that fits the window from a later line on, after as many bad
   lines as may be passed over.  Where there is none, reader->error stays as it
   is. */
static enum margay_status detect_further(struct margay_reader *reader,
                                         size_t bytes, bool whole)
{
    struct margay_error error;
    const char *line = reader->buffer, *end = line + bytes, *newline;
    for (uint64_t bad = 0; bad < reader->most_bad_lines; bad++) {
        newline = memchr(line, '\n', (size_t)(end - line));
        if (newline == NULL || newline + 1 == end)
            break;
        line = newline + 1;
        enum margay_status status =
            margay_detect(reader->path, line, (size_t)(end - line), whole,
                          &reader->detection, &error);
        if (status == MARGAY_OK && !reader->detection.nothing)
            return MARGAY_OK;
        if (status != MARGAY_OK && reader->detection.format != NULL) {
            reader->error = error; /* two fit */
            return status;
        }
    }
    return MARGAY_BAD_INPUT;
}

static enum margay_status find_format(struct margay_reader *reader)
{
    if (reader->detection.format != NULL) {
        if (reader->detection.evidence[0] == '\0')
            strcpy(reader->detection.evidence, "the format asked for");
        return MARGAY_OK;
    }
    enum margay_status status = read_window(reader);
    if (status != MARGAY_OK)
        return status;
    size_t bytes =
        reader->end < MARGAY_WINDOW_BYTES ? reader->end : MARGAY_WINDOW_BYTES;
    bool whole = reader->ended && bytes == reader->end;
    status = margay_detect(reader->path, reader->buffer, bytes, whole,
                           &reader->detection, &reader->error);
    if (status != MARGAY_OK && reader->detection.format == NULL)
        status = detect_further(reader, bytes, whole);
    const char *compression = margay_input_compression(reader->input);
    char *evidence = reader->detection.evidence;
    size_t length = strlen(evidence);
    if (compression != NULL)
        snprintf(evidence + length, MARGAY_EVIDENCE_BYTES - length, ", in %s",
                 compression);
    return status;
}

/* The array of numbers also holds the records of a packed format. */
static size_t number_bytes(const struct margay_format *format)
{
    return format->record_bytes > sizeof(uint64_t) ? format->record_bytes
                                                   : sizeof(uint64_t);
}

enum margay_status margay_batch_allocate(struct margay_references *batch,
                                         const struct margay_format *format,
                                         unsigned columns,
                                         struct margay_error *error)
{
    batch->capacity = MARGAY_BATCH_BYTES / number_bytes(format);
    batch->numbers = malloc(MARGAY_BATCH_BYTES);
    if (batch->numbers == NULL || !margay_references_allocate(batch, columns))
        return margay_fail_memory(error, "a batch of references");
    return MARGAY_OK;
}

char *margay_batch_records(const struct margay_references *batch,
                           const struct margay_format *format)
{
    return (char *)batch->numbers +
           batch->capacity * (number_bytes(format) - format->record_bytes);
}

unsigned margay_reader_columns(const struct margay_reader *reader)
{
    const struct margay_format *format = reader->detection.format;
    return (format->describe != NULL ? reader->facts.columns
                                     : format->info.columns) &
           ~reader->unused_columns;
}

/* Make the state of the format, and batches of the columns that the caller uses
   and those that the format cannot do without. */
static enum margay_status allocate(struct margay_reader *reader)
{
    const struct margay_format *format = reader->detection.format;
    unsigned columns = margay_reader_columns(reader);
    enum margay_status status = MARGAY_OK;
    if (format->create_state != NULL &&
        (reader->state = format->create_state(&reader->state_options)) == NULL)
        return margay_fail_memory(&reader->error, "a reader of tables");
    if (reader->numbers_only && format->leaves_out && !reader->facts.splits)
        columns &= reader->sums_counts ? 0 : MARGAY_COLUMN_COUNTS;
    for (size_t i = 0; i < MARGAY_RING_SLOTS && status == MARGAY_OK; i++)
        status = margay_batch_allocate(&reader->ring[i], format, columns,
                                       &reader->error);
    return status;
}

/* Where offsets count units that --unit may say, people are told which. */
static void note_unit(struct margay_reader *reader)
{
    const struct margay_layout *layout = reader->detection.format->layout;
    char *evidence = reader->detection.evidence;
    size_t length = strlen(evidence);
    uint64_t unit = reader->state_options.unit_bytes;
    if (layout != NULL && layout->offset_bytes > 1)
        snprintf(evidence + length, MARGAY_EVIDENCE_BYTES - length,
                 ", offsets in %llu byte%s",
                 (unsigned long long)(unit == 0 ? layout->offset_bytes : unit),
                 margay_plural(unit == 0 ? layout->offset_bytes : unit, "s"));
}

/* What the first line of a table tells of it. */
static enum margay_status describe(struct margay_reader *reader)
{
    const struct margay_format *format = reader->detection.format;
    reader->state_options.layout = format->layout;
    note_unit(reader);
    if (format->describe == NULL)
        return MARGAY_OK;
    const char *newline = NULL;
    while ((newline = memchr(reader->buffer, '\n', reader->end)) == NULL &&
           !reader->ended && reader->end < MARGAY_TEXT_BYTES) {
        enum margay_status status = read_more(reader);
        if (status != MARGAY_OK)
            return status;
    }
    if (newline == NULL && reader->end < MARGAY_TEXT_BYTES)
        newline = reader->buffer + reader->end; /* read_more() has set it */
    bool whole = newline != NULL && newline > reader->buffer;
    format->describe(&reader->state_options, reader->buffer,
                     whole ? newline + 1 : reader->buffer, &reader->facts);
    if (reader->facts.guess[0] != '\0')
        reader->state_options.column = reader->facts.guess;
    return MARGAY_OK;
}

/* -------------------------------------------------------------- blocks -- */

/* The window first, then the rest of the file. */
static enum margay_status read_bytes(void *context, void *bytes, size_t count,
                                     size_t *got, struct margay_error *error)
{
    struct margay_reader *reader = context;
    size_t left = reader->end - reader->begin;
    if (left == 0 && reader->ended) {
        *got = 0;
        return MARGAY_OK;
    }
    if (left == 0)
        return margay_input_read(reader->input, bytes, count, got, error);
    *got = left < count ? left : count;
    memcpy(bytes, reader->buffer + reader->begin, *got);
    reader->begin += *got;
    return MARGAY_OK;
}

static uint64_t pipe_number(void *context)
{
    struct margay_reader *reader = context;
    return margay_input_pipe(reader->input);
}

static enum margay_status go_to(void *context, uint64_t offset,
                                struct margay_error *error)
{
    struct margay_reader *reader = context;
    reader->begin = reader->end = 0;
    reader->ended = false;
    return margay_input_go_to(reader->input, offset, error);
}

/* The facts of the format, and what the trace adds to them. */
static enum margay_status open_blocks(struct margay_reader *reader)
{
    const struct margay_format *format = reader->detection.format;
    const struct margay_blocks_reading *reading = format->reading;
    bool nothing = reader->detection.nothing;
    struct margay_block_source *source = &reader->source;
    *source = (struct margay_block_source){
        .context = reader,
        .name = reader->path,
        .format = format->info.name,
        .evidence = reader->detection.evidence,
        .shift = reader->shift,
        .modules = &reader->modules,
        .data = reader->data,
        .read = read_bytes,
        .pipe = pipe_number,
        .go_to = go_to,
    };
    if (!margay_input_plain_bytes(reader->input, &source->plain_bytes))
        source->plain_bytes = 0;
    reader->facts = (struct margay_trace_facts){
        .numbers = format->info.numbers,
        .unit_bytes = format->info.unit_bytes,
        .columns = nothing ? MARGAY_ALL_COLUMNS
                           : format->info.columns | format->info.named_columns,
        .kinds = nothing ? MARGAY_ALL_KINDS : format->info.kinds,
        .splits = format->info.splits,
    };
    if (reading == NULL)
        return MARGAY_OK;
    enum margay_status status = margay_blocks_open(
        reading, source, &reader->blocks, &reader->facts, &reader->error);
    if (status == MARGAY_OK && reading->skip != NULL)
        status = reading->skip(reader->blocks, reader->skip_refs,
                               &reader->skipped_refs, &reader->refs_known,
                               &reader->refs, &reader->error);
    return status;
}

static enum margay_status decode_blocks(struct margay_reader *reader)
{
    const struct margay_blocks_reading *reading =
        reader->detection.format->reading;
    enum margay_status status;
    do {
        status = need_batch(reader);
        if (status == MARGAY_OK)
            status =
                reading->fill(reader->blocks, reader->batch, &reader->error);
        if (status == MARGAY_OK)
            publish(reader);
    } while (status == MARGAY_OK);
    return status;
}

/* -------------------------------------------------------------- packed -- */

/*
 * Fill one batch; *more = false at the end of the trace.  The records are read
 * to the end of the array of numbers.  There 64-bit records stay; narrower ones
 * are widened, and wider ones drawn together, towards its beginning.  An
 * incomplete record of a slow writer is kept in the buffer.
 */
static enum margay_status fill_packed(struct margay_reader *reader, bool *more)
{
    const struct margay_format *format = reader->detection.format;
    struct margay_references *batch = reader->batch;
    size_t record_bytes = format->record_bytes;
    size_t wanted = batch->capacity * record_bytes;
    char *records = margay_batch_records(batch, format);
    size_t filled = 0, got;
    do {
        enum margay_status status = read_bytes(
            reader, records + filled, wanted - filled, &got, &reader->error);
        if (status != MARGAY_OK)
            return status;
        filled += got;
    } while (
        got > 0 && filled < wanted &&
        (filled < record_bytes || !margay_input_would_wait(reader->input)));
    *more = got > 0;
    size_t rest = filled % record_bytes;
    if (rest > 0) {
        reader->begin = 0;
        reader->end = rest;
        memcpy(reader->buffer, records + filled - rest, rest);
    }
    const char *expected =
        format->unpack(batch, records, filled / record_bytes);
    reader->packed_bytes += batch->count * record_bytes;
    return expected == NULL
               ? MARGAY_OK
               : margay_block_source_fail(&reader->source, reader->packed_bytes,
                                          "another record", expected,
                                          &reader->error);
}

/*
 * Records of fixed length in a plain file are counted, and passed over, without
 * being read.  Half a record at the end does not count.  Of lines that stand
 * alone, or may do so, no more than the bytes are known.
 */
static enum margay_status skip_records(struct margay_reader *reader)
{
    const struct margay_format *format = reader->detection.format;
    size_t record_bytes = format->record_bytes;
    uint64_t bytes = reader->source.plain_bytes;
    bool by_lines = format->lines_stand_alone || format->cut != NULL;
    if ((record_bytes == 0 && !by_lines) || bytes == 0)
        return MARGAY_OK;
    if (by_lines) {
        /* Of bad lines, the first ones count, so that nothing is cut. */
        reader->line_bytes = reader->most_bad_lines == 0 ? bytes : 0;
        return MARGAY_OK;
    }
    reader->refs_known = true;
    reader->refs = bytes / record_bytes;
    reader->skipped_refs =
        reader->skip_refs < reader->refs ? reader->skip_refs : reader->refs;
    uint64_t offset = reader->skipped_refs * record_bytes;
    reader->packed_bytes = offset;
    if (offset <= reader->end) {
        reader->begin = offset;
        return MARGAY_OK;
    }
    reader->begin = reader->end = 0;
    return margay_input_go_to(reader->input, offset, &reader->error);
}

static enum margay_status decode_packed(struct margay_reader *reader)
{
    bool more = true;
    while (more) {
        enum margay_status status = need_batch(reader);
        if (status == MARGAY_OK)
            status = fill_packed(reader, &more);
        if (status != MARGAY_OK)
            return status;
        publish(reader);
    }
    size_t rest = reader->end - reader->begin;
    return rest == 0
               ? MARGAY_END
               : margay_block_source_fail_half(
                     &reader->source, reader->packed_bytes, rest,
                     reader->detection.format->record_bytes, &reader->error);
}

/* ---------------------------------------------------------------- text -- */

enum margay_status margay_reader_fail_line(const struct margay_reader *reader,
                                           uint64_t number, const char *line,
                                           const char *end,
                                           const char *expected,
                                           struct margay_error *error)
{
    char quoted[MARGAY_QUOTE_BYTES];
    return margay_fail(
        error, MARGAY_BAD_INPUT,
        "%s:%llu: found '%s', expected %s (read as %s; %s)", reader->path,
        (unsigned long long)number, margay_quote(quoted, line, end), expected,
        reader->detection.format->info.name, reader->detection.evidence);
}

static enum margay_status fail_line(struct margay_reader *reader,
                                    const char *line, const char *end,
                                    const char *expected)
{
    return margay_reader_fail_line(reader, reader->lines + 1, line, end,
                                   expected, &reader->error);
}

/*
 * `failed` says, with reader->error, that a line cannot be read.  MARGAY_OK: it
 * is to be passed over.  What a caller does not look at, it does not hear of
 * either: bad lines after the last reference that is wanted do not count.
 */
static enum margay_status judge_line(struct margay_reader *reader,
                                     enum margay_status failed)
{
    uint64_t bad = atomic_load(&reader->bad_lines);
    uint64_t refs = reader->published_refs +
                    (reader->batch == NULL ? 0 : reader->batch->count);
    if (reader->most_bad_lines == 0)
        return failed;
    if (refs >= reader->most_refs)
        return MARGAY_END;
    if (bad == reader->most_bad_lines) {
        const char *message = reader->error.message;
        size_t length = strlen(message);
        snprintf(reader->error.message + length,
                 sizeof reader->error.message - length,
                 "; no more than %llu bad line%s may be passed over, of which "
                 "the first was line %llu",
                 (unsigned long long)bad, margay_plural(bad, "s"),
                 (unsigned long long)reader->first_bad_line);
        return failed;
    }
    if (bad == 0) {
        reader->first_bad = reader->error;
        reader->first_bad_line = reader->lines + 1;
    }
    atomic_store(&reader->bad_lines, bad + 1);
    return MARGAY_OK;
}

/* Forget what the state of a format knows of a bad line.  False: what is bad is
   an earlier one, and the line at the cursor is still to be read. */
static bool forget_line(struct margay_reader *reader)
{
    const struct margay_format *format = reader->detection.format;
    return format->forget == NULL || format->forget(reader->state);
}

/* Go past the end of a bad line that began before the buffer, if it is there
   now. */
static void end_bad_line(struct margay_reader *reader)
{
    const char *first = reader->buffer + reader->begin;
    const char *newline = memchr(first, '\n', reader->end - reader->begin);
    reader->begin =
        newline == NULL ? reader->end : (size_t)(newline + 1 - reader->buffer);
    reader->lines += newline != NULL;
    reader->in_bad_line = newline == NULL;
}

/* Decode every complete line of the buffer. */
static enum margay_status decode_buffer(struct margay_reader *reader)
{
    if (reader->in_bad_line)
        end_bad_line(reader);
    const char *first = reader->buffer + reader->begin;
    const char *newline = memrchr(first, '\n', reader->end - reader->begin);
    if (newline == NULL)
        return MARGAY_OK;
    struct margay_text text = {first, newline + 1, reader->lines,
                               reader->state};
    while (text.cursor < text.end) {
        if (need_batch(reader) != MARGAY_OK)
            return MARGAY_IO;
        const char *expected =
            reader->detection.format->decode(&text, reader->batch);
        reader->lines = text.lines;
        if (expected == NULL) {
            if (text.cursor < text.end)
                publish(reader);
            continue;
        }
        enum margay_status status = judge_line(
            reader, fail_line(reader, text.cursor, text.end, expected));
        if (status != MARGAY_OK)
            return status;
        if (forget_line(reader)) {
            text.cursor =
                (const char *)memchr(text.cursor, '\n', PTRDIFF_MAX) + 1;
            reader->lines = ++text.lines;
        }
    }
    reader->begin = (size_t)(text.end - reader->buffer);
    return MARGAY_OK;
}

/* Move the incomplete last line to the beginning of the buffer. */
static enum margay_status keep_rest(struct margay_reader *reader)
{
    size_t rest = reader->end - reader->begin;
    char *line = reader->buffer + reader->begin;
    if (rest > MARGAY_LINE_BYTES) {
        enum margay_status status =
            judge_line(reader, fail_line(reader, line, line + rest,
                                         MARGAY_EXPECTS_SHORT_LINE));
        if (status != MARGAY_OK)
            return status;
        forget_line(reader);
        reader->in_bad_line = true;
        rest = 0;
    }
    memmove(reader->buffer, line, rest);
    reader->begin = 0;
    reader->end = rest;
    return MARGAY_OK;
}

/* Decode what the state of a format still holds. */
static enum margay_status finish_text(struct margay_reader *reader)
{
    const char *end = reader->buffer + reader->end;
    struct margay_text text = {end, end, reader->lines, reader->state};
    if (reader->detection.format->finish == NULL)
        return MARGAY_END;
    if (need_batch(reader) != MARGAY_OK)
        return MARGAY_IO;
    const char *expected =
        reader->detection.format->finish(&text, reader->batch);
    if (expected == NULL)
        return MARGAY_END;
    margay_fail(&reader->error, MARGAY_BAD_INPUT,
                "%s:%llu: found the end, expected %s (read as %s; %s)",
                reader->path, (unsigned long long)reader->lines, expected,
                reader->detection.format->info.name,
                reader->detection.evidence);
    enum margay_status status = judge_line(reader, MARGAY_BAD_INPUT);
    return status == MARGAY_OK ? MARGAY_END : status;
}

static enum margay_status decode_text(struct margay_reader *reader)
{
    for (;;) {
        /* The last line may lack its newline; read_more() has added one. */
        if (reader->ended && reader->end > reader->begin &&
            reader->buffer[reader->end - 1] != '\n')
            reader->end++;
        enum margay_status status = decode_buffer(reader);
        if (status == MARGAY_OK && reader->ended)
            return finish_text(reader);
        if (status == MARGAY_OK)
            status = keep_rest(reader);
        if (status == MARGAY_OK) {
            /* Hand over what there is before waiting for a pipe's writer. */
            if (reader->batch != NULL && reader->batch->count > 0 &&
                margay_input_would_wait(reader->input))
                publish(reader);
            status = read_more(reader);
        }
        if (status != MARGAY_OK)
            return status;
    }
}

/* -------------------------------------------------------------- thread -- */

static enum margay_status read_trace(struct margay_reader *reader)
{
    reader->buffer = calloc(1, MARGAY_TEXT_BYTES + 1 + MARGAY_TEXT_PADDING);
    if (reader->buffer == NULL)
        return margay_fail_memory(&reader->error, "a reading buffer");
    enum margay_status status = find_format(reader);
    if (status == MARGAY_OK)
        status = open_blocks(reader);
    if (status == MARGAY_OK)
        status = describe(reader);
    if (status == MARGAY_OK)
        status = allocate(reader);
    if (status == MARGAY_OK)
        status = skip_records(reader);
    if (status == MARGAY_OK)
        status = need_batch(reader);
    if (status != MARGAY_OK)
        return status;
    publish(reader);
    if (reader->blocks != NULL)
        return decode_blocks(reader);
    return reader->detection.format->record_bytes > 0 ? decode_packed(reader)
                                                      : decode_text(reader);
}

void *margay_reader_run(void *argument)
{
    struct margay_reader *reader = argument;
    reader->status = read_trace(reader);
    if (reader->batch != NULL &&
        (reader->batch->count > 0 || reader->batch->repeats > 0))
        publish(reader);
    if (reader->state != NULL)
        reader->detection.format->free_state(reader->state);
    if (reader->blocks != NULL)
        margay_blocks_close(reader->detection.format->reading, reader->blocks);
    free(reader->buffer);
    atomic_store(&reader->spent_ns, (uint64_t)(1e9 * margay_thread_seconds()));
    margay_queue_close(&reader->queue);
    return NULL;
}
