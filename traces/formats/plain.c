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

/* ---------------------------------------------------------------- numbers --
 */

/* Are all columns that are read decimal numbers, which need no more than to be
   stored?  Each role then has one column, and no two the same. */
static bool are_numbers(const struct margay_rows *rows,
                        const struct margay_references *references)
{
    const struct margay_plan *plan = &rows->plan;
    uint64_t ticks = rows->layout->ticks_per_second;
    for (unsigned i = 0; i < plan->count; i++) {
        unsigned role = plan->takes[i].role;
        if ((role != MARGAY_ROLE_ID && role != MARGAY_ROLE_SIZE &&
             role != MARGAY_ROLE_REQUEST &&
             (role != MARGAY_ROLE_TIME || ticks > 1)) ||
            plan->role_counts[role] > 1 ||
            (i > 0 && plan->takes[i].column == plan->takes[i - 1].column))
            return false;
    }
    return references->extents == NULL && references->kinds == NULL &&
           rows->unit_bytes == 0;
}

/* The numbers of a row, by role; returns its newline, or NULL. */
static const char *read_numbers(const struct margay_plan *plan,
                                const struct margay_marks *marks,
                                const char *cursor, uint64_t *numbers)
{
    uint64_t column = 0;
    for (unsigned i = 0; i < plan->count; i++) {
        if (i > 0 && !is_delimiter(*cursor, marks))
            return NULL;
        if (i > 0)
            cursor = next_field(cursor, marks);
        while (++column < plan->takes[i].column) {
            cursor = find_mark(cursor, marks, false);
            if (!is_delimiter(*cursor, marks))
                return NULL;
            cursor = next_field(cursor, marks);
        }
        cursor = margay_scan_decimal(cursor, &numbers[plan->takes[i].role]);
        if (__builtin_expect(cursor == NULL, 0))
            return NULL;
    }
    return __builtin_expect(*cursor == '\n', 1) ? cursor
                                                : line_end(cursor, marks);
}

/* The most columns up to the last that is read, for a row to be short. */
#define SHORT_COLUMNS 8
#define NO_ROLE       MARGAY_ROLES

/* What each of the first columns is read for. */
struct short_plan {
    unsigned columns; /* up to the last that is read; 0 = too many */
    uint8_t roles[SHORT_COLUMNS];
};

static struct short_plan make_short(const struct margay_plan *plan)
{
    struct short_plan made = {0};
    uint64_t columns = plan->takes[plan->count - 1].column;
    memset(made.roles, NO_ROLE, sizeof made.roles);
    for (unsigned i = 0; i < plan->count && columns <= SHORT_COLUMNS; i++) {
        made.roles[plan->takes[i].column - 1] = plan->takes[i].role;
        made.columns = (unsigned)columns;
    }
    return made;
}

#if defined(__SSE2__)

/* Bit i: the character i bytes on is no digit; for 32 of them. */
static inline uint32_t other_than_digits(const char *cursor)
{
    margay_bytes16 low = margay_load_bytes16(cursor);
    margay_bytes16 high = margay_load_bytes16(cursor + 16);
    uint32_t first = (uint32_t)__builtin_ia32_pmovmskb128(
        (margay_chars16)(margay_bytes16)(low - '0' < 10));
    uint32_t second = (uint32_t)__builtin_ia32_pmovmskb128(
        (margay_chars16)(margay_bytes16)(high - '0' < 10));
    return ~(second << 16 | first);
}

#else

static inline uint32_t other_than_digits(const char *cursor)
{
    uint32_t others = 0;
    for (unsigned i = 0; i < 32; i++)
        others |= (uint32_t)((unsigned)(unsigned char)cursor[i] - '0' >= 10)
                  << i;
    return others;
}

#endif

/*
 * The same of a row whose columns up to the last that is read are digits within
 * 32 characters: the ends of all its fields are found at once, so that the next
 * row can begin before the numbers of this one are known.  NULL: it is not such
 * a row.
 */
static inline const char *read_short(const struct short_plan *plan,
                                     const struct margay_marks *marks,
                                     const char *line, uint64_t *numbers)
{
    uint32_t others = other_than_digits(line);
    unsigned begin = 0, end = 0;
    for (unsigned i = 0; i < plan->columns; i++, begin = end + 1) {
        if (others == 0 || (i > 0 && !is_delimiter(line[end], marks)))
            return NULL;
        end = (unsigned)__builtin_ctz(others);
        others &= others - 1;
        if (end - begin - 1 >= 15)
            return NULL;
        margay_u128 digits = margay_align_digits(line + begin, end - begin);
        numbers[plan->roles[i]] =
            margay_fold_decimal((uint64_t)digits) * 100000000 +
            margay_fold_decimal((uint64_t)(digits >> 64));
    }
    return __builtin_expect(line[end] == '\n', 1) ? line + end
                                                  : line_end(line + end, marks);
}

static uint64_t number_rows(const struct margay_rows *rows,
                            const struct margay_marks *given,
                            struct margay_text *text,
                            struct margay_references *references)
{
    /* Copies, so that the compiler may keep them in registers. */
    const struct margay_marks marks = *given;
    const struct short_plan plan = make_short(&rows->plan);
    const char *cursor = text->cursor, *end = text->end;
    uint64_t *ids = references->numbers, *sizes = references->sizes;
    uint64_t *times = references->times, *requests = references->requests;
    size_t first = references->count, i = first;
    uint64_t numbers[MARGAY_ROLES + 1] = {0};
    for (; cursor < end && i < references->capacity; i++) {
        const char *newline = read_short(&plan, &marks, cursor, numbers);
        if (__builtin_expect(newline == NULL, 0))
            newline = read_numbers(&rows->plan, &marks, cursor, numbers);
        if (newline == NULL || (size_t)(newline - cursor) > MARGAY_LINE_BYTES)
            break;
        ids[i] = numbers[MARGAY_ROLE_ID];
        if (sizes != NULL)
            sizes[i] = numbers[MARGAY_ROLE_SIZE];
        if (times != NULL)
            times[i] = numbers[MARGAY_ROLE_TIME];
        if (requests != NULL)
            requests[i] = numbers[MARGAY_ROLE_REQUEST];
        cursor = newline + 1;
    }
    references->count = i;
    text->cursor = cursor;
    text->lines += i - first;
    return i - first;
}

/* ------------------------------------------------------------------- rows --
 */

/* At most `most` rows; their columns may be read for anything. */
static uint64_t any_rows(struct margay_rows *rows,
                         const struct margay_marks *marks, uint64_t most,
                         struct margay_text *text,
                         struct margay_references *references)
{
    const char *cursor = text->cursor;
    uint64_t count = 0;
    while (count < most && cursor < text->end &&
           references->count < references->capacity) {
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

/* Where numbers are read, a row that is no row of numbers alone does not end
   the faster way for good. */
uint64_t margay_plain_rows(struct margay_rows *rows,
                           const struct margay_marks *marks,
                           struct margay_text *text,
                           struct margay_references *references)
{
    uint64_t count = 0, more;
    if (rows->plan.count == 0 || !are_numbers(rows, references))
        return any_rows(rows, marks, UINT64_MAX, text, references);
    do {
        more = number_rows(rows, marks, text, references);
        more += any_rows(rows, marks, 1, text, references);
        count += more;
    } while (more > 0);
    return count;
}
