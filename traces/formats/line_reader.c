/*
 * line_reader.c - the lines of a piece of a file, read without a thread
 *
 * Algorithm: a piece begins behind the first newline from the byte before it
 *   on, and ends with the line that holds its last byte.
 * Guarantee: of pieces that cover a file, each line is in one, and its place in
 *   a message is its line in the file: the newlines before it are counted when
 *   a message is written, and not before.  The lines of a table follow from
 *   its first rows: a piece is given these before its own.  A newline within
 *   quotes ends no row, so a table is cut only where the rest has been searched
 *   for quotes and has none.
 * Cost: a piece reads up to a line more than its bytes, of a table the first
 *   rows too; a table that may have quotes is read twice.
 */
#define _GNU_SOURCE
#include "traces/formats/line_reader.h"

#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"

struct margay_line_reader {
    const struct margay_reader *reader;
    uint64_t offset; /* of buffer[begin] in the file */
    uint64_t stop;   /* lines from there on are not of this piece */
    char *buffer;
    size_t begin, end;
    bool found;  /* `begin` is where a line begins */
    bool ended;  /* no bytes are left behind `end` */
    void *state; /* of a format that has one; it knows the beginning */
};

/* The line in the file that begins at `offset`, from 1 on. */
static enum margay_status count_lines(const struct margay_line_reader *lines,
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

static enum margay_status fail_line(const struct margay_line_reader *lines,
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

static void pass(struct margay_line_reader *lines, size_t bytes)
{
    lines->begin += bytes;
    lines->offset += bytes;
}

/* Read on, behind what is left in the buffer. */
static enum margay_status read_more(struct margay_line_reader *lines,
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

/* Go behind the first newline. */
static void find_line(struct margay_line_reader *lines)
{
    const char *first = lines->buffer + lines->begin;
    size_t bytes = lines->end - lines->begin;
    const char *newline = memchr(first, '\n', bytes);
    lines->found = newline != NULL;
    pass(lines, lines->found ? (size_t)(newline + 1 - first) : bytes);
}

/* The end of the whole lines in the buffer that are of this piece, `begin` if
   there are none. */
static const char *whole_lines(const struct margay_line_reader *lines)
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

static enum margay_status decode(struct margay_line_reader *lines,
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

static int where_to_cut(const struct margay_line_reader *lines)
{
    return lines->reader->detection.format->cut(lines->state);
}

/* Does the state still need the lines that come? */
static bool is_learning(const struct margay_line_reader *lines)
{
    return lines->state != NULL && where_to_cut(lines) == MARGAY_CUT_LATER;
}

/* The end of the next line, or where it begins. */
static const char *next_line(const struct margay_line_reader *lines)
{
    const char *first = lines->buffer + lines->begin;
    const char *newline = memchr(first, '\n', lines->end - lines->begin);
    return newline == NULL ? first : newline + 1;
}

/* Decode the next line, where a state is at the beginning of a file. */
static enum margay_status learn_line(struct margay_line_reader *lines,
                                     struct margay_references *scratch,
                                     struct margay_error *error)
{
    const char *end = next_line(lines);
    scratch->count = 0;
    if (end > lines->buffer + lines->begin)
        return decode(lines, end, scratch, error);
    return lines->ended ? MARGAY_END : read_more(lines, error);
}

/* Give the state the lines that tell how the rest is read: up to
   lines->offset.  MARGAY_END: the file has no more. */
static enum margay_status learn(struct margay_line_reader *lines,
                                struct margay_error *error)
{
    const struct margay_reader *reader = lines->reader;
    const struct margay_format *format = reader->detection.format;
    struct margay_references scratch = {.count = 0};
    enum margay_status status = margay_batch_allocate(
        &scratch, format, margay_reader_columns(reader), error);
    while (status == MARGAY_OK && is_learning(lines))
        status = learn_line(lines, &scratch, error);
    margay_references_free(&scratch);
    return status;
}

/* A state for a piece.  The first one has the beginning, however short it is,
   and others begin behind that. */
static enum margay_status begin_state(struct margay_line_reader *lines,
                                      uint64_t first,
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

/* Is this character nowhere from lines->offset on? */
static bool lacks(const struct margay_line_reader *lines, char character)
{
    size_t got = 1;
    for (uint64_t at = lines->offset; got > 0; at += got) {
        if (margay_input_read_at(lines->reader->input, at, lines->buffer,
                                 MARGAY_TEXT_BYTES, &got, NULL) != MARGAY_OK ||
            memchr(lines->buffer, character, got) != NULL)
            return false;
    }
    return true;
}

bool margay_line_reader_may_cut(const struct margay_reader *reader)
{
    struct margay_line_reader *lines;
    if (reader->detection.format->create_state == NULL)
        return true;
    if (margay_line_reader_create(reader, 0, UINT64_MAX, &lines, NULL) !=
        MARGAY_OK)
        return false;
    int cut = learn(lines, NULL) == MARGAY_OK ? where_to_cut(lines)
                                              : MARGAY_CUT_NEVER;
    bool may = cut == '\0' || (cut > 0 && lacks(lines, (char)cut));
    margay_line_reader_free(lines);
    return may;
}

/* --------------------------------------------------------------- a piece -- */

enum margay_status margay_line_reader_create(const struct margay_reader *reader,
                                             uint64_t first, uint64_t bytes,
                                             struct margay_line_reader **lines,
                                             struct margay_error *error)
{
    struct margay_line_reader *made = calloc(1, sizeof *made);
    char *buffer = calloc(1, MARGAY_TEXT_BYTES + 1 + MARGAY_TEXT_PADDING);
    *lines = NULL;
    if (made == NULL || buffer == NULL) {
        free(made);
        free(buffer);
        return margay_fail_memory(error, "a reading buffer");
    }
    *made = (struct margay_line_reader){
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
        margay_line_reader_free(made);
    return status;
}

void margay_line_reader_free(struct margay_line_reader *lines)
{
    if (lines == NULL)
        return;
    if (lines->state != NULL)
        lines->reader->detection.format->free_state(lines->state);
    free(lines->buffer);
    free(lines);
}

enum margay_status margay_line_reader_next(struct margay_line_reader *lines,
                                           struct margay_references *batch,
                                           struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    batch->count = 0;
    while (batch->count + MARGAY_LINE_REFERENCES <= batch->capacity &&
           status == MARGAY_OK) {
        if (!lines->found)
            find_line(lines);
        bool past = lines->found && lines->offset >= lines->stop;
        if (past && !is_learning(lines))
            break;
        const char *end = past ? next_line(lines) : whole_lines(lines);
        if (lines->found && end > lines->buffer + lines->begin)
            status = decode(lines, end, batch, error);
        else if (!lines->ended)
            status = read_more(lines, error);
        else
            break;
    }
    return status == MARGAY_OK && batch->count == 0 ? MARGAY_END : status;
}
