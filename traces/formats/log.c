/* log.c - logs whose lines are no columns: see log.h */
#include "traces/formats/log.h"

#include <stdlib.h>
#include <string.h>

#include "traces/formats/scan.h"

const char *margay_log_word(const char *cursor, const char *end)
{
    while (cursor < end && !margay_is_blank(*cursor))
        cursor++;
    return cursor;
}

const char *margay_log_next(const char *cursor, const char *end)
{
    cursor = margay_log_word(cursor, end);
    while (cursor < end && margay_is_blank(*cursor))
        cursor++;
    return cursor;
}

bool margay_log_number(const char *begin, const char *end, uint64_t *number)
{
    struct margay_field field = {.text = begin, .bytes = (size_t)(end - begin)};
    margay_field_value(&field);
    *number = field.value;
    return field.decimal;
}

void *margay_log_create(const struct margay_state_options *options)
{
    (void)options;
    return calloc(1, sizeof(struct margay_log));
}

void margay_log_free(void *log)
{
    free(((struct margay_log *)log)->devices);
    free(log);
}

int margay_log_cut(const void *log)
{
    (void)log;
    return '\0';
}

/* All references of a line, or as many as there is room for. */
static const char *decode_line(struct margay_log *log, const char *line,
                               const char *end,
                               struct margay_references *references,
                               margay_line_function *parse)
{
    log->cursor = line + log->resume;
    while (log->cursor < end && references->count < references->capacity) {
        struct margay_row_reference *row = &log->row;
        *row = (struct margay_row_reference){.count = 1, .ttl = UINT64_MAX};
        const char *expected = parse(log, line, end, row);
        if (expected != NULL)
            return expected;
        if (row->count > 0)
            margay_rows_append(row, references);
    }
    log->resume = log->cursor < end ? (size_t)(log->cursor - line) : 0;
    return NULL;
}

const char *margay_log_decode(struct margay_text *text,
                              struct margay_references *references,
                              margay_line_function *parse)
{
    struct margay_log *log = text->state;
    while (text->cursor < text->end &&
           references->count < references->capacity) {
        const char *newline =
            memchr(text->cursor, '\n', (size_t)(text->end - text->cursor));
        size_t bytes = (size_t)(newline - text->cursor);
        const char *line = margay_skip_blanks(text->cursor), *end = newline;
        if (bytes > MARGAY_LINE_BYTES)
            return MARGAY_EXPECTS_SHORT_LINE;
        if (memchr(text->cursor, '\0', bytes) != NULL)
            return "text without NUL bytes";
        while (end > line && margay_is_blank(end[-1]))
            end--;
        const char *expected = decode_line(log, line, end, references, parse);
        if (expected != NULL)
            return expected;
        if (log->resume > 0)
            break;
        text->cursor = newline + 1;
        text->lines++;
    }
    return NULL;
}
