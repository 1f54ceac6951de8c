/*
 * decoding.c - from bytes to references: of a whole trace, or of a part of it
 *
 * The thread of an open trace decodes all of it in order (reader.c), and a
 * range decodes a part of a plain file, from any offset on (range.c).  Bytes
 * are read into an intake; the whole lines or records there are decoded, and
 * half of one stays until the rest of it has come.
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

/* ------------------------------------------------- making and releasing -- */

static void close_format(struct margay_decoding *decoding)
{
    if (decoding->state != NULL)
        format_of(decoding)->free_state(decoding->state);
    if (decoding->blocks != NULL && format_of(decoding)->reading->clear != NULL)
        format_of(decoding)->reading->clear(decoding->blocks);
    free(decoding->blocks);
    decoding->state = decoding->blocks = NULL;
}

enum margay_status margay_decoding_begin(struct margay_decoding *decoding,
                                         struct margay_reader *reader)
{
    char *held = decoding->intake.held;
    if (held == NULL)
        held = malloc(MARGAY_HELD_BYTES + 1 + MARGAY_TEXT_PADDING);
    close_format(decoding);
    *decoding = (struct margay_decoding){
        .reader = reader,
        .intake = {.input = reader->input,
                   .is_part = decoding != &reader->whole,
                   .held = held},
        .stop = UINT64_MAX,
    };
    if (held == NULL)
        return margay_fail_memory(&decoding->error, "a reading buffer");
    /* Functions on strings end here at the latest. */
    held[MARGAY_HELD_BYTES + MARGAY_TEXT_PADDING] = '\0';
    return MARGAY_OK;
}

void margay_decoding_end(struct margay_decoding *decoding)
{
    close_format(decoding);
    free(decoding->intake.held);
    decoding->intake.held = NULL;
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
               ? margay_fail_memory(&decoding->error, "a reader of traces")
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
        .intake = &decoding->intake,
        .name = reader->path,
        .format = format->info.name,
        .evidence = reader->detection.evidence,
        .tenants = reader->state_options.tenants,
        .tenant = reader->state_options.given.tenant,
        .empty_requests = reader->reading.empty_requests,
    };
    if (decoding->intake.is_part) {
        source->plain_bytes = reader->whole.source.plain_bytes;
    } else {
        source->modules = &reader->modules;
        source->data = reader->data;
        source->plain_bytes = margay_input_plain_bytes(reader->input);
    }
    if (reading == NULL)
        return MARGAY_OK;
    decoding->blocks = calloc(1, reading->state_bytes);
    if (decoding->blocks == NULL)
        return margay_fail_memory(&decoding->error, "a reader of traces");
    memcpy(decoding->blocks, source, sizeof *source);
    enum margay_status status =
        reading->open(decoding->blocks, facts, &decoding->error);
    if (status == MARGAY_OK && reading->skip != NULL)
        status = reading->skip(decoding->blocks, skip_refs, skipped,
                               &decoding->error);
    return status;
}

/* ---------------------------------------------------------- bad lines -- */

/* How many newlines are before the first line that has been counted. */
static enum margay_status count_newlines(struct margay_decoding *decoding,
                                         uint64_t *newlines)
{
    char bytes[16384 + MARGAY_TEXT_PADDING];
    struct margay_intake intake = {
        .input = decoding->intake.input, .is_part = true, .held = bytes};
    *newlines = 0;
    while (intake.offset < decoding->counted_from && !intake.ended) {
        uint64_t left = decoding->counted_from - intake.offset;
        intake.end = 0;
        enum margay_status status = margay_input_read(
            &intake, left < 16384 ? (size_t)left : 16384, &decoding->error);
        if (status != MARGAY_OK)
            return status;
        for (size_t i = 0; i < intake.end; i++)
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
   it is to be skipped.  Bad lines after the last reference that is wanted do
   not count. */
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

/* Go past the end of a line that is not wanted, if it is there now. */
static void pass_line(struct margay_decoding *decoding)
{
    struct margay_intake *intake = &decoding->intake;
    const char *first = intake->held + intake->begin;
    const char *newline = memchr(first, '\n', intake->end - intake->begin);
    intake->begin =
        newline == NULL ? intake->end : (size_t)(newline + 1 - intake->held);
    decoding->lines += newline != NULL;
    decoding->in_line = newline == NULL;
}

/* Skip the line at the cursor, which cannot be read, if that is allowed.  Where
   an earlier one is bad, the state forgets that, and the line at the cursor is
   still to be read. */
static enum margay_status pass_over(struct margay_decoding *decoding,
                                    const struct margay_references *batch,
                                    const struct margay_text *text,
                                    const char *expected)
{
    const struct margay_format *format = format_of(decoding);
    if (format->record_bytes > 0)
        return margay_source_fail(&decoding->source, "another record", expected,
                                  &decoding->error);
    enum margay_status status =
        judge_line(decoding, batch, fail_line(decoding, text, expected));
    if (status != MARGAY_OK ||
        (format->forget != NULL && !format->forget(decoding->state)))
        return status;
    decoding->in_line = true;
    pass_line(decoding);
    return MARGAY_OK;
}

/* -------------------------------------------- whole lines and records -- */

/* Does the state of a part still need the lines that come? */
static bool is_learning(const struct margay_decoding *decoding)
{
    return decoding->intake.is_part && decoding->state != NULL &&
           format_of(decoding)->cut(decoding->state) == MARGAY_CUT_LATER;
}

/* Nothing follows the held bytes, or nothing that is wanted. */
static bool is_over(const struct margay_decoding *decoding)
{
    return decoding->intake.ended ||
           (!decoding->in_line && !is_learning(decoding) &&
            margay_intake_offset(&decoding->intake) >= decoding->stop);
}

/* The end of the whole lines that are held and wanted, or where they begin if
   there are none.  A state that is learning gets them one by one. */
static const char *end_of_lines(struct margay_decoding *decoding)
{
    struct margay_intake *intake = &decoding->intake;
    /* The last line may lack its newline, which follows it all the same. */
    if (intake->ended && intake->end > intake->begin &&
        intake->held[intake->end - 1] != '\n') {
        intake->end++;
        intake->offset++;
    }
    if (decoding->in_line)
        pass_line(decoding);
    const char *newline = NULL, *first = intake->held + intake->begin;
    size_t bytes = margay_intake_left(intake);
    uint64_t offset = margay_intake_offset(intake);
    bool learns = is_learning(decoding);
    if (bytes == 0 || (offset >= decoding->stop && !learns))
        return first;
    if (learns)
        newline = memchr(first, '\n', bytes);
    else if (decoding->stop - offset <= bytes)
        newline = memchr(first + (decoding->stop - offset - 1), '\n',
                         bytes - (size_t)(decoding->stop - offset) + 1);
    if (newline == NULL)
        newline = memrchr(first, '\n', bytes);
    return newline == NULL ? first : newline + 1;
}

/* The number of records for which the batch has room; of lines, 0 = none. */
static size_t records_for(const struct margay_decoding *decoding,
                          const struct margay_references *batch)
{
    unsigned each = format_of(decoding)->record_references;
    return (batch->capacity - batch->count) / (each == 0 ? 1 : each);
}

/* The whole lines that are held and wanted, or the records for which the batch
   has room, too. */
static struct margay_text whole_pieces(struct margay_decoding *decoding,
                                       const struct margay_references *batch)
{
    struct margay_intake *intake = &decoding->intake;
    size_t record_bytes = format_of(decoding)->record_bytes;
    size_t held = margay_intake_left(intake);
    uint64_t offset = margay_intake_offset(intake);
    const char *end;
    if (record_bytes > 0) {
        uint64_t wanted = (decoding->stop - offset) / record_bytes;
        size_t room = records_for(decoding, batch);
        size_t records = held / record_bytes;
        records = records < wanted ? records : (size_t)wanted;
        records = records < room ? records : room;
        end = intake->held + intake->begin + records * record_bytes;
    } else {
        if (offset == 0)
            intake->begin +=
                margay_order_mark(intake->held + intake->begin, held);
        end = end_of_lines(decoding);
    }
    return (struct margay_text){.cursor = intake->held + intake->begin,
                                .end = end,
                                .lines = decoding->lines,
                                .state = decoding->state};
}

/* An incomplete line that is too long is skipped, if that is allowed. */
static enum margay_status check_length(struct margay_decoding *decoding,
                                       const struct margay_references *batch)
{
    const struct margay_intake *intake = &decoding->intake;
    const struct margay_text text = {.cursor = intake->held + intake->begin,
                                     .end = intake->held + intake->end};
    if (text.end - text.cursor <= (ptrdiff_t)MARGAY_LINE_BYTES)
        return MARGAY_OK;
    enum margay_status status =
        pass_over(decoding, batch, &text, MARGAY_EXPECTS_SHORT_LINE);
    decoding->in_line = true;
    pass_line(decoding);
    return status;
}

/* The end: no half record may be left; decode the rest that the state of a
   format holds. */
static enum margay_status finish(struct margay_decoding *decoding,
                                 struct margay_references *batch)
{
    const struct margay_format *format = format_of(decoding);
    const struct margay_reader *reader = decoding->reader;
    const struct margay_intake *intake = &decoding->intake;
    const char *end = intake->held + intake->end;
    struct margay_text text = {end,  end, decoding->lines, decoding->state,
                               NULL, 0};
    bool records = format->record_bytes > 0;
    if (records && intake->ended && margay_intake_left(intake) > 0)
        return margay_source_fail_half(&decoding->source, format->record_bytes,
                                       &decoding->error);
    const char *expected = format->finish == NULL || intake->is_part
                               ? NULL
                               : format->finish(&text, batch);
    if (expected == NULL)
        return MARGAY_END;
    if (records)
        return margay_source_fail(&decoding->source, "the end", expected,
                                  &decoding->error);
    margay_fail(&decoding->error, MARGAY_BAD_INPUT,
                "%s:%llu: found the end, expected %s (read as %s; %s)",
                reader->path, (unsigned long long)decoding->lines, expected,
                format->info.name, reader->detection.evidence);
    enum margay_status status = judge_line(decoding, batch, MARGAY_BAD_INPUT);
    return status == MARGAY_OK ? MARGAY_END : status;
}

/* How much is to be read at once: of records, no more than are wanted. */
static size_t most_bytes(const struct margay_decoding *decoding)
{
    uint64_t left = decoding->stop - decoding->intake.offset;
    return format_of(decoding)->record_bytes > 0 && left < MARGAY_HELD_BYTES
               ? (size_t)left
               : MARGAY_HELD_BYTES;
}

enum margay_status margay_decoding_fill(struct margay_decoding *decoding,
                                        struct margay_references *batch)
{
    const struct margay_format *format = format_of(decoding);
    struct margay_intake *intake = &decoding->intake;
    enum margay_status status = MARGAY_OK;
    if (decoding->blocks != NULL)
        return format->reading->fill(decoding->blocks, batch, &decoding->error);
    while (status == MARGAY_OK) {
        struct margay_text text = whole_pieces(decoding, batch);
        if (text.cursor < text.end && intake->is_part &&
            format->stands_in_memory) {
            batch->numbers = (uint64_t *)(void *)(intake->held + intake->begin);
            batch->count = (size_t)(text.end - text.cursor) / sizeof(uint64_t);
            intake->begin = (size_t)(text.end - intake->held);
            return MARGAY_OK;
        }
        if (text.cursor < text.end) {
            const char *expected = format->decode(&text, batch);
            decoding->lines = text.lines;
            intake->begin = (size_t)(text.cursor - intake->held);
            if (expected != NULL)
                status = pass_over(decoding, batch, &text, expected);
            else if (text.cursor < text.end ||
                     records_for(decoding, batch) == 0)
                return MARGAY_OK;
        } else if (is_over(decoding)) {
            return finish(decoding, batch);
        } else {
            status = check_length(decoding, batch);
            if (status == MARGAY_OK && !intake->is_part && batch->count > 0 &&
                margay_input_would_wait(intake->input))
                return MARGAY_OK;
            if (status == MARGAY_OK)
                status = margay_input_read(intake, most_bytes(decoding),
                                           &decoding->error);
        }
    }
    return status;
}

enum margay_status margay_decoding_learn(struct margay_decoding *decoding)
{
    struct margay_references scratch = {.count = 0};
    uint64_t stop = decoding->stop;
    enum margay_status status = margay_batch_allocate(
        &scratch, margay_reader_columns(decoding->reader), &decoding->error);
    decoding->stop = 0; /* no lines are wanted but those */
    while (status == MARGAY_OK) {
        scratch.count = 0;
        status = margay_decoding_fill(decoding, &scratch);
    }
    decoding->stop = stop;
    margay_references_free(&scratch);
    return status == MARGAY_END ? MARGAY_OK : status;
}

/* ------------------------------------------------ where a part begins -- */

/* The end of a stretch, or of all that there is. */
static uint64_t end_of(uint64_t first, uint64_t length)
{
    return length > UINT64_MAX - first ? UINT64_MAX : first + length;
}

void margay_decoding_go_to_records(struct margay_decoding *decoding,
                                   uint64_t first, uint64_t count)
{
    struct margay_intake *intake = &decoding->intake;
    uint64_t record_bytes = format_of(decoding)->record_bytes;
    uint64_t offset = first * record_bytes;
    decoding->stop = count > UINT64_MAX / record_bytes
                         ? UINT64_MAX
                         : end_of(offset, count * record_bytes);
    if (offset <= intake->end)
        intake->begin = (size_t)offset;
    else
        margay_intake_go_to(intake, offset);
}

enum margay_status margay_decoding_go_to_lines(struct margay_decoding *decoding,
                                               uint64_t first, uint64_t bytes)
{
    enum margay_status status = margay_decoding_make_state(decoding);
    if (status == MARGAY_OK && first > 0)
        status = margay_decoding_learn(decoding);
    decoding->stop = end_of(first, bytes);
    if (first > margay_intake_offset(&decoding->intake)) {
        decoding->in_line = true;
        decoding->lines = 0;
        decoding->counted_from = first - 1;
        margay_intake_go_to(&decoding->intake, first - 1);
    }
    return status;
}
