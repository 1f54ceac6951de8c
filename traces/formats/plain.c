/* plain.c - rows without quotes, read where they stand: see plain.h */
#include "traces/formats/plain.h"

#include "traces/formats/scan.h"

/* ---------------------------------------------------------- sixteen bytes --
 */

/* Does a field end here, or must the row be left to libcsv? */
static inline bool is_mark(char c, const struct margay_marks *marks)
{
    return c == marks->delimiter || c == marks->other || c == marks->quote ||
           c == '\n' || c == '\r' || c == '\0';
}

#if defined(__SSE2__)

/* The first mark from `cursor` on; with `rest`, delimiters are none. */
static inline const char *find_mark(const char *cursor,
                                    const struct margay_marks *marks, bool rest)
{
    unsigned char delimiter = (unsigned char)(rest ? '\n' : marks->delimiter);
    unsigned char other = (unsigned char)(rest ? '\n' : marks->other);
    unsigned char quote = (unsigned char)marks->quote;
    for (;; cursor += 16) {
        margay_bytes16 bytes = margay_load_bytes16(cursor);
        margay_bytes16 found =
            (margay_bytes16)(bytes == delimiter) |
            (margay_bytes16)(bytes == other) |
            (margay_bytes16)(bytes == quote) | (margay_bytes16)(bytes == '\n') |
            (margay_bytes16)(bytes == '\r') | (margay_bytes16)(bytes == 0);
        unsigned mask =
            (unsigned)__builtin_ia32_pmovmskb128((margay_chars16)found);
        if (mask != 0)
            return cursor + __builtin_ctz(mask);
    }
}

#else

static inline const char *find_mark(const char *cursor,
                                    const struct margay_marks *marks, bool rest)
{
    while (!is_mark(*cursor, marks) ||
           (rest && *cursor != marks->quote &&
            (*cursor == marks->delimiter || *cursor == marks->other)))
        cursor++;
    return cursor;
}

#endif

/* ----------------------------------------------------------------- fields --
 */

static inline bool is_delimiter(char c, const struct margay_marks *marks)
{
    return c == marks->delimiter || c == marks->other;
}

/* The beginning of the field behind a delimiter. */
static inline const char *next_field(const char *delimiter,
                                     const struct margay_marks *marks)
{
    const char *cursor = delimiter + 1;
    while (marks->blanks && is_delimiter(*cursor, marks))
        cursor++;
    return cursor;
}

/* The end of the line behind the last field that was read, NULL if the row is
   not plain. */
static inline const char *line_end(const char *cursor,
                                   const struct margay_marks *marks)
{
    if (is_delimiter(*cursor, marks))
        cursor = find_mark(cursor, marks, true);
    if (*cursor == '\r')
        cursor++;
    return *cursor == '\n' ? cursor : NULL;
}

/* libcsv takes blanks off that no delimiter is. */
static inline bool has_blanks_around(const char *begin, const char *end,
                                     const struct margay_marks *marks)
{
    return !marks->blanks && end > begin &&
           (*begin == ' ' || *begin == '\t' || end[-1] == ' ' ||
            end[-1] == '\t');
}

/* Read the field that begins at `cursor`.  Returns its end, or NULL. */
static inline const char *read_field(const char *cursor,
                                     const struct margay_marks *marks,
                                     struct margay_field *field)
{
    field->text = cursor;
    if ((unsigned)(unsigned char)*cursor - '0' < 10) {
        const char *end = margay_scan_decimal(cursor, &field->value);
        if (__builtin_expect(end != NULL && is_mark(*end, marks), 1)) {
            field->bytes = (size_t)(end - cursor);
            field->decimal = true;
            return end;
        }
    }
    const char *end = find_mark(cursor, marks, false);
    if (has_blanks_around(cursor, end, marks))
        return NULL;
    field->bytes = (size_t)(end - cursor);
    field->decimal = false;
    return end;
}

/* ------------------------------------------------------------------- rows --
 */

/* Go from the end of a field, NULL before the first one, to the beginning of
   the next; NULL if there is none. */
static inline const char *go_on(const char *line, const char *end,
                                const struct margay_marks *marks)
{
    const char *cursor = line;
    if (end != NULL) {
        if (!is_delimiter(*end, marks))
            return NULL;
        cursor = next_field(end, marks);
    }
    return marks->blanks && (*cursor == '\n' || *cursor == '\r') ? NULL
                                                                 : cursor;
}

/* The fields of the plan; returns the row's newline, or NULL. */
static inline const char *read_fields(const struct margay_plan *plan,
                                      const struct margay_marks *marks,
                                      const char *line,
                                      struct margay_field *fields)
{
    uint64_t column = 0;
    const char *end = NULL;
    while (marks->blanks && is_delimiter(*line, marks))
        line++;
    for (unsigned i = 0; i < plan->count; i++) {
        uint64_t wanted = plan->takes[i].column;
        if (column == wanted) {
            fields[i] = fields[i - 1];
            continue;
        }
        while (++column < wanted) {
            if ((end = go_on(line, end, marks)) == NULL)
                return NULL;
            end = find_mark(end, marks, false);
        }
        if ((end = go_on(line, end, marks)) == NULL ||
            (end = read_field(end, marks, &fields[i])) == NULL)
            return NULL;
    }
    return line_end(end, marks);
}

uint64_t margay_plain_rows(struct margay_rows *rows,
                           const struct margay_marks *marks,
                           struct margay_text *text,
                           struct margay_references *references)
{
    const char *cursor = text->cursor;
    uint64_t count = 0;
    while (cursor < text->end && references->count < references->capacity) {
        struct margay_field fields[MARGAY_TAKES];
        struct margay_row_reference row;
        if (*cursor == '\n' || *cursor == '\r')
            break;
        const char *newline = read_fields(&rows->plan, marks, cursor, fields);
        if (newline == NULL || (size_t)(newline - cursor) > MARGAY_LINE_BYTES ||
            margay_rows_read(rows, fields, 0, &row) != NULL || row.count != 1)
            break;
        margay_rows_append(&row, references);
        cursor = newline + 1;
        count++;
    }
    text->cursor = cursor;
    text->lines += count;
    return count;
}
