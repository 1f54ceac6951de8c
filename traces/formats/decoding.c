/*
 * decoding.c - from bytes to references: of a whole trace, or of a part of it
 *
 * The thread of an open trace decodes all of it in order (reader.c), and a
 * range decodes a part of a plain file, from any offset on (range.c).
 *
 * Algorithm of lines: a part begins after the first newline from the byte
 * before it on, and ends with the line that holds its last byte.  Guarantee: of
 * parts that cover a file, each line is in one, and its place in a message is
 * its line in the file: the newlines before a part are counted when a message
 * is written, and not before.  The lines of a table follow from its first rows:
 * a part is given these before its own.
 * Cost: a part reads up to a line more than its bytes, of a table the first
 *   rows too.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/base/late.h"
#include "traces/formats/layout.h"
#include "traces/formats/reader.h"
#include "traces/formats/scan.h"

static const struct margay_format *format_of(
    const struct margay_decoding *decoding)
{
    return decoding->reader->detection.format;
}

/* --------------------------------------------------------------- bytes -- */

static enum margay_status read_input(struct margay_decoding *decoding,
                                     void *bytes, size_t count, size_t *got,
                                     struct margay_error *error)
{
    struct margay_input *input = decoding->reader->input;
    enum margay_status status =
        decoding->is_part ? margay_input_read_at(input, decoding->offset, bytes,
                                                 count, got, error)
                          : margay_input_read(input, bytes, count, got, error);
    decoding->offset += status == MARGAY_OK ? *got : 0;
    return status;
}

enum margay_status margay_decoding_read(struct margay_decoding *decoding)
{
    size_t got;
    enum margay_status status =
        read_input(decoding, decoding->buffer + decoding->end,
                   MARGAY_TEXT_BYTES - decoding->end, &got, &decoding->error);
    if (status != MARGAY_OK)
        return status;
    decoding->end += got;
    decoding->ended = got == 0;
    /* End the last line; nothing stands after it for those who look ahead. */
    memset(decoding->buffer + decoding->end, '\n', MARGAY_TEXT_PADDING);
    return MARGAY_OK;
}

/* The window first, then the rest of the file. */
static enum margay_status read_bytes(void *context, void *bytes, size_t count,
                                     size_t *got, struct margay_error *error)
{
    struct margay_decoding *decoding = context;
    size_t left = decoding->end - decoding->begin;
    if (left == 0 && decoding->ended) {
        *got = 0;
        return MARGAY_OK;
    }
    if (left == 0)
        return read_input(decoding, bytes, count, got, error);
    *got = left < count ? left : count;
    memcpy(bytes, decoding->buffer + decoding->begin, *got);
    decoding->begin += *got;
    return MARGAY_OK;
}

static uint64_t pipe_number(void *context)
{
    struct margay_decoding *decoding = context;
    return margay_input_pipe(decoding->reader->input);
}

static enum margay_status go_to(void *context, uint64_t offset,
                                struct margay_error *error)
{
    struct margay_decoding *decoding = context;
    decoding->begin = decoding->end = 0;
    decoding->ended = false;
    decoding->offset = offset;
    return decoding->is_part
               ? MARGAY_OK
               : margay_input_go_to(decoding->reader->input, offset, error);
}

/* ------------------------------------------------- making and releasing -- */

static void close_format(struct margay_decoding *decoding)
{
    if (decoding->state != NULL)
        format_of(decoding)->free_state(decoding->state);
    if (decoding->blocks != NULL)
        margay_blocks_close(format_of(decoding)->reading, decoding->blocks);
}

enum margay_status margay_decoding_begin(struct margay_decoding *decoding,
                                         struct margay_reader *reader)
{
    char *buffer = decoding->buffer;
    if (buffer == NULL)
        buffer = malloc(MARGAY_TEXT_BYTES + 1 + MARGAY_TEXT_PADDING);
    close_format(decoding);
    *decoding = (struct margay_decoding){
        .reader = reader,
        .is_part = decoding != &reader->whole,
        .stop = UINT64_MAX,
        .records = UINT64_MAX,
        .buffer = buffer,
    };
    if (decoding->buffer == NULL)
        return margay_fail_memory(&decoding->error, "a reading buffer");
    /* Functions on strings end here at the latest. */
    decoding->buffer[MARGAY_TEXT_BYTES + MARGAY_TEXT_PADDING] = '\0';
    return MARGAY_OK;
}

void margay_decoding_end(struct margay_decoding *decoding)
{
    close_format(decoding);
    free(decoding->buffer);
    decoding->buffer = NULL;
}

enum margay_status margay_decoding_make_state(struct margay_decoding *decoding)
{
    const struct margay_format *format = format_of(decoding);
    if (format->create_state == NULL)
        return MARGAY_OK;
#ifdef MARGAY_HAS_YAJL
    /* Not an error of a line, which --bad-lines could skip. */
    const struct margay_layout *layout = format->layout;
    if (layout != NULL && layout->syntax == MARGAY_SYNTAX_JSON &&
        !margay_late_open(&margay_libyajl))
        return margay_late_fail(&margay_libyajl, decoding->reader->path,
                                "reads", format->info.name, &decoding->error);
#endif
    decoding->state = format->create_state(&decoding->reader->state_options);
    return decoding->state == NULL
               ? margay_fail_memory(&decoding->error, "a reader of tables")
               : MARGAY_OK;
}

enum margay_status margay_decoding_open(struct margay_decoding *decoding,
                                        struct margay_trace_facts *facts,
                                        uint64_t skip_refs,
                                        struct margay_skipped *skipped)
{
    struct margay_reader *reader = decoding->reader;
    const struct margay_format *format = format_of(decoding);
    const struct margay_blocks_reading *reading = format->reading;
    struct margay_block_source *source = &decoding->source;
    *source = (struct margay_block_source){
        .context = decoding,
        .name = reader->path,
        .format = format->info.name,
        .evidence = reader->detection.evidence,
        .tenants = reader->state_options.tenants,
        .tenant = reader->state_options.tenant,
        .empty_requests = reader->empty_requests,
        .read = read_bytes,
        .go_to = go_to,
    };
    if (decoding->is_part) {
        source->plain_bytes = reader->whole.source.plain_bytes;
    } else {
        source->modules = &reader->modules;
        source->data = reader->data;
        source->pipe = pipe_number;
        source->plain_bytes = margay_input_plain_bytes(reader->input);
    }
    if (reading == NULL)
        return MARGAY_OK;
    enum margay_status status = margay_blocks_open(
        reading, source, &decoding->blocks, facts, &decoding->error);
    if (status == MARGAY_OK && reading->skip != NULL)
        status = reading->skip(decoding->blocks, skip_refs, skipped,
                               &decoding->error);
    return status;
}

/* -------------------------------------------------------------- packed -- */

enum margay_status margay_decoding_pass_records(
    struct margay_decoding *decoding, uint64_t count)
{
    uint64_t offset = count * format_of(decoding)->record_bytes;
    decoding->packed_bytes = offset;
    if (offset > decoding->end)
        return go_to(decoding, offset, &decoding->error);
    decoding->begin = offset;
    return MARGAY_OK;
}

/* Fill one batch.  The records are read to the end of the array of numbers.
   There 64-bit records stay; narrower ones are widened, and wider ones drawn
   together, towards its beginning.  An incomplete record of a slow writer is
   kept in the buffer. */
static enum margay_status fill_packed(struct margay_decoding *decoding,
                                      struct margay_references *batch)
{
    const struct margay_format *format = format_of(decoding);
    struct margay_input *input = decoding->reader->input;
    size_t record_bytes = format->record_bytes, filled = 0, got;
    size_t wanted = batch->capacity < decoding->records
                        ? batch->capacity
                        : (size_t)decoding->records;
    char *records = margay_batch_records(batch, format);
    if (wanted == 0)
        return MARGAY_END;
    wanted *= record_bytes;
    do {
        enum margay_status status =
            read_bytes(decoding, records + filled, wanted - filled, &got,
                       &decoding->error);
        if (status != MARGAY_OK)
            return status;
        filled += got;
    } while (got > 0 && filled < wanted &&
             (filled < record_bytes || decoding->is_part ||
              !margay_input_would_wait(input)));
    size_t rest = filled % record_bytes;
    if (rest > 0) {
        decoding->begin = 0;
        decoding->end = rest;
        memcpy(decoding->buffer, records + filled - rest, rest);
    }
    const char *expected =
        format->unpack(batch, records, filled / record_bytes);
    decoding->packed_bytes += batch->count * record_bytes;
    decoding->records -= batch->count;
    if (expected != NULL)
        return margay_block_source_fail(
            &decoding->source, decoding->packed_bytes, "another record",
            expected, &decoding->error);
    if (got > 0)
        return MARGAY_OK;
    return rest == 0
               ? MARGAY_END
               : margay_block_source_fail_half(&decoding->source,
                                               decoding->packed_bytes, rest,
                                               record_bytes, &decoding->error);
}

/* ---------------------------------------------------------- bad lines -- */

/* How many newlines are before the first line that has been counted. */
static enum margay_status count_newlines(struct margay_decoding *decoding,
                                         uint64_t *newlines)
{
    char bytes[16384];
    size_t got = 1;
    *newlines = 0;
    for (uint64_t at = 0; at < decoding->counted_from && got > 0; at += got) {
        uint64_t left = decoding->counted_from - at;
        enum margay_status status = margay_input_read_at(
            decoding->reader->input, at, bytes,
            left < sizeof bytes ? (size_t)left : sizeof bytes, &got,
            &decoding->error);
        if (status != MARGAY_OK)
            return status;
        for (size_t i = 0; i < got; i++)
            *newlines += bytes[i] == '\n';
    }
    return MARGAY_OK;
}

static enum margay_status fail_line(struct margay_decoding *decoding,
                                    const struct margay_text *text,
                                    const char *expected)
{
    const struct margay_reader *reader = decoding->reader;
    char quoted[MARGAY_QUOTE_BYTES];
    const char *line = text->cursor, *end = text->end;
    uint64_t before, number = decoding->lines + 1;
    enum margay_status status = count_newlines(decoding, &before);
    if (status != MARGAY_OK)
        return status;
    if (text->earlier != NULL) {
        line = text->earlier;
        end = line + strlen(line);
        number = text->earlier_line;
    }
    return margay_fail(
        &decoding->error, MARGAY_BAD_INPUT,
        "%s:%llu: found '%s', expected %s (read as %s; %s)", reader->path,
        (unsigned long long)(before + number), margay_quote(quoted, line, end),
        expected, format_of(decoding)->info.name, reader->detection.evidence);
}

/* `failed` says, with decoding->error, that a line cannot be read.  MARGAY_OK:
   it is to be passed over.  Bad lines after the last reference that is wanted
   do not count. */
static enum margay_status judge_line(struct margay_decoding *decoding,
                                     const struct margay_references *batch,
                                     enum margay_status failed)
{
    struct margay_reader *reader = decoding->reader;
    uint64_t bad = atomic_load(&reader->bad_lines);
    if (reader->most_bad_lines == 0)
        return failed;
    if (reader->published_refs + batch->count >= reader->most_refs)
        return MARGAY_END;
    if (bad == reader->most_bad_lines) {
        char *message = decoding->error.message;
        size_t length = strlen(message);
        snprintf(message + length, sizeof decoding->error.message - length,
                 "; no more than %llu bad line%s may be passed over, of which "
                 "the first was line %llu",
                 (unsigned long long)bad, margay_plural(bad, "s"),
                 (unsigned long long)reader->first_bad_line);
        return failed;
    }
    if (bad == 0) {
        reader->first_bad = decoding->error;
        reader->first_bad_line = decoding->lines + 1;
    }
    atomic_store(&reader->bad_lines, bad + 1);
    return MARGAY_OK;
}

/* Have the state of a format forget a bad line.  False: an earlier one is bad,
   and the line at the cursor is still to be read. */
static bool forget_line(struct margay_decoding *decoding)
{
    const struct margay_format *format = format_of(decoding);
    return format->forget == NULL || format->forget(decoding->state);
}

/* ---------------------------------------------------------------- text -- */

uint64_t margay_decoding_offset(const struct margay_decoding *decoding)
{
    return decoding->offset - (decoding->end - decoding->begin);
}

/* Does the state of a part still need the lines that come? */
static bool is_learning(const struct margay_decoding *decoding)
{
    return decoding->is_part && decoding->state != NULL &&
           format_of(decoding)->cut(decoding->state) == MARGAY_CUT_LATER;
}

/* Go past the end of a line that is not wanted, if it is there now. */
static void pass_line(struct margay_decoding *decoding)
{
    const char *first = decoding->buffer + decoding->begin;
    const char *newline = memchr(first, '\n', decoding->end - decoding->begin);
    decoding->begin = newline == NULL
                          ? decoding->end
                          : (size_t)(newline + 1 - decoding->buffer);
    decoding->lines += newline != NULL;
    decoding->in_line = newline == NULL;
}

/* The end of the whole lines in the buffer that are wanted, or where they begin
   if there are none.  A state that is learning gets them one by one. */
static const char *whole_lines(const struct margay_decoding *decoding)
{
    const char *first = decoding->buffer + decoding->begin;
    size_t bytes = decoding->end - decoding->begin;
    uint64_t wanted = decoding->stop - margay_decoding_offset(decoding);
    const char *newline = NULL;
    if (bytes == 0)
        return first;
    if (is_learning(decoding))
        newline = memchr(first, '\n', bytes);
    else if (wanted <= bytes)
        newline = memchr(first + wanted - 1, '\n', bytes - (size_t)wanted + 1);
    if (newline == NULL)
        newline = memrchr(first, '\n', bytes);
    return newline == NULL ? first : newline + 1;
}

/* Decode lines of the buffer up to `end`; *full: the batch has no room for all
   of them. */
static enum margay_status decode_lines(struct margay_decoding *decoding,
                                       const char *end,
                                       struct margay_references *batch,
                                       bool *full)
{
    struct margay_text text = {.end = end, .state = decoding->state};
    const char *expected = NULL;
    text.cursor = decoding->buffer + decoding->begin;
    text.lines = decoding->lines;
    while (text.cursor < end) {
        expected = format_of(decoding)->decode(&text, batch);
        decoding->lines = text.lines;
        if (expected == NULL)
            break;
        enum margay_status status =
            judge_line(decoding, batch, fail_line(decoding, &text, expected));
        text.earlier = NULL;
        if (status != MARGAY_OK)
            return status;
        if (forget_line(decoding)) {
            text.cursor =
                (const char *)memchr(text.cursor, '\n', PTRDIFF_MAX) + 1;
            decoding->lines = ++text.lines;
        }
    }
    *full = text.cursor < end;
    decoding->begin = (size_t)(text.cursor - decoding->buffer);
    return MARGAY_OK;
}

/* Move the incomplete last line to the beginning of the buffer. */
static enum margay_status keep_rest(struct margay_decoding *decoding,
                                    const struct margay_references *batch)
{
    size_t rest = decoding->end - decoding->begin;
    char *line = decoding->buffer + decoding->begin;
    if (rest > MARGAY_LINE_BYTES) {
        const struct margay_text text = {.cursor = line, .end = line + rest};
        enum margay_status status =
            judge_line(decoding, batch,
                       fail_line(decoding, &text, MARGAY_EXPECTS_SHORT_LINE));
        if (status != MARGAY_OK)
            return status;
        forget_line(decoding);
        decoding->in_line = true;
        rest = 0;
    }
    memmove(decoding->buffer, line, rest);
    decoding->begin = 0;
    decoding->end = rest;
    return MARGAY_OK;
}

/* Decode the whole lines of the buffer, or read on if there are none.  *full:
   the batch is to be given, as it has no more room, or as reading would wait
   for the writer of a pipe. */
static enum margay_status go_on(struct margay_decoding *decoding,
                                struct margay_references *batch, bool *full)
{
    *full = false;
    /* The last line may lack its newline; margay_decoding_read() has added
       one. */
    if (decoding->ended && decoding->end > decoding->begin &&
        decoding->buffer[decoding->end - 1] != '\n') {
        decoding->end++;
        decoding->offset++;
    }
    if (decoding->in_line)
        pass_line(decoding);
    if (margay_decoding_offset(decoding) == 0)
        decoding->begin += margay_order_mark(decoding->buffer + decoding->begin,
                                             decoding->end - decoding->begin);
    if (!decoding->in_line &&
        margay_decoding_offset(decoding) >= decoding->stop &&
        !is_learning(decoding))
        return MARGAY_END;
    const char *end = whole_lines(decoding);
    if (end > decoding->buffer + decoding->begin)
        return decode_lines(decoding, end, batch, full);
    if (decoding->ended)
        return MARGAY_END;
    enum margay_status status = keep_rest(decoding, batch);
    *full = status == MARGAY_OK && !decoding->is_part && batch->count > 0 &&
            margay_input_would_wait(decoding->reader->input);
    return status == MARGAY_OK && !*full ? margay_decoding_read(decoding)
                                         : status;
}

/* Decode the rest that the state of a format holds. */
static enum margay_status finish_text(struct margay_decoding *decoding,
                                      struct margay_references *batch)
{
    const struct margay_format *format = format_of(decoding);
    const struct margay_reader *reader = decoding->reader;
    const char *end = decoding->buffer + decoding->end;
    struct margay_text text = {end,  end, decoding->lines, decoding->state,
                               NULL, 0};
    const char *expected =
        format->finish == NULL ? NULL : format->finish(&text, batch);
    if (expected == NULL)
        return MARGAY_END;
    margay_fail(&decoding->error, MARGAY_BAD_INPUT,
                "%s:%llu: found the end, expected %s (read as %s; %s)",
                reader->path, (unsigned long long)decoding->lines, expected,
                format->info.name, reader->detection.evidence);
    enum margay_status status = judge_line(decoding, batch, MARGAY_BAD_INPUT);
    return status == MARGAY_OK ? MARGAY_END : status;
}

enum margay_status margay_decoding_go_to_lines(struct margay_decoding *decoding,
                                               uint64_t first, uint64_t bytes)
{
    enum margay_status status = MARGAY_OK;
    if (first > 0)
        status = margay_decoding_learn(decoding);
    decoding->stop = bytes > UINT64_MAX - first ? UINT64_MAX : first + bytes;
    if (first > margay_decoding_offset(decoding)) {
        decoding->in_line = true;
        decoding->lines = 0;
        decoding->counted_from = first - 1;
        go_to(decoding, first - 1, NULL);
    }
    return status == MARGAY_END ? MARGAY_OK : status;
}

enum margay_status margay_decoding_learn(struct margay_decoding *decoding)
{
    const struct margay_reader *reader = decoding->reader;
    struct margay_references scratch = {.count = 0};
    enum margay_status status =
        margay_batch_allocate(&scratch, format_of(decoding),
                              margay_reader_columns(reader), &decoding->error);
    bool full;
    while (status == MARGAY_OK && is_learning(decoding)) {
        scratch.count = 0;
        status = go_on(decoding, &scratch, &full);
    }
    margay_references_free(&scratch);
    return status;
}

/* ----------------------------------------------------------------- any -- */

enum margay_status margay_decoding_fill(struct margay_decoding *decoding,
                                        struct margay_references *batch)
{
    const struct margay_format *format = format_of(decoding);
    enum margay_status status;
    bool full;
    if (decoding->blocks != NULL)
        return format->reading->fill(decoding->blocks, batch, &decoding->error);
    if (format->record_bytes > 0)
        return fill_packed(decoding, batch);
    do {
        status = go_on(decoding, batch, &full);
    } while (status == MARGAY_OK && !full);
    return status == MARGAY_END && !decoding->is_part
               ? finish_text(decoding, batch)
               : status;
}
