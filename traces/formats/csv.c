/*
 * csv.c - tables whose columns --column or a layout names, line by line
 *
 * Rows without quotes are read where they stand:
 *
 * Algorithm: only the columns that are read are looked at; the fields between
 *   them are skipped sixteen characters at a time.  A row that is not plain is
 *   left to the caller, who reads it with libcsv: one with a quotation mark, a
 *   carriage return within, blanks around a field, too few columns, or a NUL
 *   byte.
 * Guarantee: a plain row gives the same reference as through libcsv.
 *
 * libcsv cuts the first two rows into fields, and every row that is not plain;
 * fields between runs of blanks are cut here, as they have no quotes.
 *
 * libcsv keeps the state of a row, so it is fed line by line: a failure then
 * has its line, and a full batch leaves the next line for the next batch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/formats/csv_rows.h"
#include "traces/formats/scan.h"

/* The header that the writer writes, of ids and of addresses. */
#define HEAD         "id"
#define ADDRESS_HEAD "address"

/* ------------------------------------------------------------ plain rows -- */

/* Does a field end here, or must the row be left to libcsv? */
static inline bool is_mark(char c, const struct margay_marks *marks)
{
    return c == marks->delimiter || c == marks->other || c == marks->quote ||
           c == '\n' || c == '\r' || c == '\0';
}

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
        unsigned mask = margay_mask(found);
        if (mask != 0)
            return cursor + __builtin_ctz(mask);
    }
}

static inline bool is_delimiter(char c, const struct margay_marks *marks)
{
    return c == marks->delimiter || c == marks->other;
}

/* The beginning of the field after a delimiter. */
static inline const char *next_field(const char *delimiter,
                                     const struct margay_marks *marks)
{
    const char *cursor = delimiter + 1;
    while (marks->blanks && is_delimiter(*cursor, marks))
        cursor++;
    return cursor;
}

/* The end of the line after the last field that was read, NULL if the row is
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
    /* libcsv strips blanks unless they are delimiters. */
    if (!marks->blanks && end > cursor &&
        (*cursor == ' ' || *cursor == '\t' || end[-1] == ' ' ||
         end[-1] == '\t'))
        return NULL;
    field->bytes = (size_t)(end - cursor);
    field->decimal = false;
    return end;
}

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

/* The fields of the choice; returns the row's newline, or NULL. */
static inline const char *read_fields(const struct margay_csv *csv,
                                      const struct margay_marks *marks,
                                      const char *line,
                                      struct margay_field *fields)
{
    const struct margay_take *take = csv->takes;
    const struct margay_take *end_take = take + csv->rows.choice.count;
    uint64_t column = 0;
    const char *end = NULL;
    while (marks->blanks && is_delimiter(*line, marks))
        line++;
    for (; take < end_take; take++) {
        if (column == take->column) {
            fields[take->at] = fields[take[-1].at];
            continue;
        }
        while (++column < take->column) {
            if ((end = go_on(line, end, marks)) == NULL)
                return NULL;
            end = find_mark(end, marks, false);
        }
        if ((end = go_on(line, end, marks)) == NULL ||
            (end = read_field(end, marks, &fields[take->at])) == NULL)
            return NULL;
    }
    return line_end(end, marks);
}

/* Are all columns that are read decimal numbers that are only stored? Each role
   then has one column, and no two the same. */
static bool are_numbers(const struct margay_csv *csv,
                        const struct margay_references *references)
{
    const struct margay_choice *choice = &csv->rows.choice;
    uint64_t ticks = csv->layout->ticks_per_second;
    for (unsigned i = 0; i < choice->count; i++) {
        unsigned role = csv->takes[i].role;
        if ((role != MARGAY_ROLE_ID && role != MARGAY_ROLE_SIZE &&
             role != MARGAY_ROLE_REQUEST &&
             (role != MARGAY_ROLE_TIME || ticks != MARGAY_EPOCH_TICKS)) ||
            choice->counts[role] > 1 ||
            (i > 0 && csv->takes[i].column == csv->takes[i - 1].column))
            return false;
    }
    return references->extents == NULL && references->kinds == NULL &&
           csv->rows.unit_bytes == 0 && !choice->addresses;
}

/* The numbers of a row, by role; returns its newline, or NULL. */
static const char *read_numbers(const struct margay_csv *csv,
                                const struct margay_marks *marks,
                                const char *cursor, uint64_t *numbers)
{
    const struct margay_take *takes = csv->takes;
    uint64_t column = 0;
    while (marks->blanks && is_delimiter(*cursor, marks))
        cursor++;
    for (unsigned i = 0; i < csv->rows.choice.count; i++) {
        if (i > 0 && !is_delimiter(*cursor, marks))
            return NULL;
        if (i > 0)
            cursor = next_field(cursor, marks);
        while (++column < takes[i].column) {
            cursor = find_mark(cursor, marks, false);
            if (!is_delimiter(*cursor, marks))
                return NULL;
            cursor = next_field(cursor, marks);
        }
        cursor = margay_scan_decimal(cursor, &numbers[takes[i].role]);
        if (__builtin_expect(cursor == NULL, 0))
            return NULL;
    }
    return __builtin_expect(*cursor == '\n', 1) ? cursor
                                                : line_end(cursor, marks);
}

/* The most columns of a short row, up to the last that is read. */
#define SHORT_COLUMNS 8
#define NO_ROLE       MARGAY_ROLES

/* The roles of the first columns. */
struct short_row {
    unsigned columns; /* up to the last that is read; 0 = too many */
    uint8_t roles[SHORT_COLUMNS];
};

static struct short_row make_short(const struct margay_csv *csv)
{
    struct short_row made = {0};
    unsigned count = csv->rows.choice.count;
    uint64_t columns = csv->takes[count - 1].column;
    memset(made.roles, NO_ROLE, sizeof made.roles);
    for (unsigned i = 0; i < count && columns <= SHORT_COLUMNS; i++) {
        made.roles[csv->takes[i].column - 1] = csv->takes[i].role;
        made.columns = (unsigned)columns;
    }
    return made;
}

/* The same of a row whose columns, up to the last that is read, are digits
   within 32 characters: the ends of all its fields are found at once, so that
   the next row can begin before the numbers of this one are known.  NULL: the
   row is longer, or holds something else. */
static inline const char *read_short(const struct short_row *row,
                                     const struct margay_marks *marks,
                                     const char *line, uint64_t *numbers)
{
    /* Bit i: the character i bytes on is no digit; for 32 of them. */
    margay_bytes16 low = margay_load_bytes16(line);
    margay_bytes16 high = margay_load_bytes16(line + 16);
    uint32_t others =
        ~((uint32_t)margay_mask(margay_decimal_digits(high)) << 16 |
          (uint32_t)margay_mask(margay_decimal_digits(low)));
    unsigned begin = 0, end = 0;
    for (unsigned i = 0; i < row->columns; i++, begin = end + 1) {
        if (others == 0 || (i > 0 && !is_delimiter(line[end], marks)))
            return NULL;
        end = (unsigned)__builtin_ctz(others);
        others &= others - 1;
        if (end - begin - 1 >= 15)
            return NULL;
        margay_u128 digits = margay_align_digits(line + begin, end - begin);
        numbers[row->roles[i]] =
            margay_fold_decimal((uint64_t)digits) * 100000000 +
            margay_fold_decimal((uint64_t)(digits >> 64));
    }
    return __builtin_expect(line[end] == '\n', 1) ? line + end
                                                  : line_end(line + end, marks);
}

static uint64_t number_rows(const struct margay_csv *csv,
                            struct margay_text *text,
                            struct margay_references *references)
{
    /* Copies, so that the compiler may keep them in registers. */
    const struct margay_marks marks = csv->marks;
    const struct short_row row = make_short(csv);
    const char *cursor = text->cursor, *end = text->end;
    uint64_t *ids = references->numbers, *sizes = references->sizes;
    uint64_t *times = references->times, *requests = references->requests;
    size_t first = references->count, i = first;
    uint64_t numbers[MARGAY_ROLES + 1] = {0};
    for (; cursor < end && i < references->capacity; i++) {
        const char *newline = read_short(&row, &marks, cursor, numbers);
        if (__builtin_expect(newline == NULL, 0))
            newline = read_numbers(csv, &marks, cursor, numbers);
        if (newline == NULL || (size_t)(newline - cursor) > MARGAY_LINE_BYTES ||
            (times != NULL &&
             numbers[MARGAY_ROLE_TIME] >= MARGAY_EPOCH_MILLISECONDS))
            break;
        ids[i] = numbers[MARGAY_ROLE_ID];
        if (sizes != NULL)
            sizes[i] = numbers[MARGAY_ROLE_SIZE];
        if (times != NULL)
            times[i] = numbers[MARGAY_ROLE_TIME] * MARGAY_SECOND;
        if (requests != NULL)
            requests[i] = numbers[MARGAY_ROLE_REQUEST];
        cursor = newline + 1;
    }
    references->count = i;
    text->cursor = cursor;
    text->lines += i - first;
    return i - first;
}

/* At most `most` rows; their columns may be read for anything. */
static uint64_t any_rows(struct margay_csv *csv, uint64_t most,
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
        const char *newline = read_fields(csv, &csv->marks, cursor, fields);
        if (newline == NULL || (size_t)(newline - cursor) > MARGAY_LINE_BYTES ||
            margay_rows_read(&csv->rows, fields, 0, &row) != NULL ||
            row.count != 1)
            break;
        margay_rows_append(&row, references);
        cursor = newline + 1;
        count++;
    }
    text->cursor = cursor;
    text->lines += count;
    return count;
}

/* How many rows are read for anything where the first is not of numbers. */
#define ANY_ROWS 64

/* Read rows from text->cursor on, as long as they are plain, valid, and stand
   for exactly one reference each, and the batch has room.  Returns how many;
   the caller reads the next one.  Where numbers are read, a row with other
   fields does not end the faster way for good. */
static uint64_t plain_rows(struct margay_csv *csv, struct margay_text *text,
                           struct margay_references *references)
{
    uint64_t count = 0, more;
    if (csv->rows.choice.count == 0 || !are_numbers(csv, references))
        return any_rows(csv, UINT64_MAX, text, references);
    do {
        more = number_rows(csv, text, references);
        more += any_rows(csv, more == 0 ? ANY_ROWS : 1, text, references);
        count += more;
    } while (more > 0);
    return count;
}

/* ---------------------------------------------------------------- lines -- */

/* Make fields of words, as the letters of the shape say: w takes any number of
   them and e one or none, but no more than the other letters leave. */
static bool fit_words(const char *shape, const struct margay_field *words,
                      size_t count, struct margay_field *fields)
{
    size_t least = *shape == 'w' || *shape == 'e' ? 0 : 1;
    size_t most = *shape == 'w' || count == 0 ? count : 1;
    if (*shape == '\0' || *shape == '*')
        return *shape == '*' || count == 0;
    for (size_t n = least; n <= most; n++) {
        if (n > 0 && ((*shape == 'd' && !words->decimal) ||
                      ((*shape == 'n' || *shape == 'o') && words->decimal)))
            return false;
        if (!fit_words(shape + 1, words + n, count - n, fields + 1))
            continue;
        const char *first = n == 0 ? "" : words->text;
        const char *end =
            n == 0 ? first : words[n - 1].text + words[n - 1].bytes;
        *fields = margay_field_of(first, (size_t)(end - first));
        return true;
    }
    return false;
}

/* Do words become fields by the letters of the shape, and not one by one? */
static bool is_loose(const struct margay_csv *csv)
{
    const char *shape = csv->layout->variants[0].shape;
    return csv->marks.blanks && shape != NULL && strpbrk(shape, "we") != NULL;
}

/* The fields between runs of blanks.  A header may begin with a hash. */
static void cut_blanks(struct margay_csv *csv, const char *line,
                       const char *newline)
{
    struct margay_field words[MARGAY_EARLY_FIELDS], fields[MARGAY_EARLY_FIELDS];
    const char *shape = csv->layout->variants[0].shape;
    bool loose = is_loose(csv);
    size_t count = 0;
    const char *cursor = margay_skip_blanks(line);
    if (csv->row_count == 0 && *cursor == '#')
        cursor = margay_skip_blanks(cursor + 1);
    if (cursor == newline)
        return;
    while (cursor < newline) {
        const char *end = margay_word_end(cursor, newline);
        if (!loose)
            margay_csv_take_field((void *)(uintptr_t)cursor,
                                  (size_t)(end - cursor), csv);
        else if (count < MARGAY_EARLY_FIELDS)
            words[count++] = margay_field_of(cursor, (size_t)(end - cursor));
        cursor = margay_skip_blanks(end);
    }
    bool fits = loose && fit_words(shape, words, count, fields);
    for (size_t i = 0; i < (fits ? strcspn(shape, "*") : count); i++) {
        const struct margay_field *field = fits ? &fields[i] : &words[i];
        margay_csv_take_field((void *)(uintptr_t)field->text, field->bytes,
                              csv);
    }
    margay_csv_take_row('\n', csv);
}

static void feed(struct margay_csv *csv, const char *piece, size_t bytes,
                 uint64_t lines)
{
    if (csv->row_bytes == 0)
        csv->row_line = lines + 1;
    if (csv->row_bytes == 0 && csv->row_count == 0)
        snprintf(csv->first_text, sizeof csv->first_text, "%.*s", (int)bytes,
                 piece);
    csv->row_bytes += bytes;
    if (csv->row_bytes > MARGAY_LINE_BYTES + 1)
        csv->expected = "a row of at most 65536 bytes";
    else if (memchr(piece, '\0', bytes) != NULL)
        csv->expected = "text without NUL bytes";
    else if (csv->marks.blanks)
        cut_blanks(csv, piece, piece + bytes - 1);
    else if (csv_parse(&csv->parser, piece, bytes, margay_csv_take_field,
                       margay_csv_take_row, csv) != bytes)
        csv->expected = csv_error(&csv->parser) == CSV_EPARSE
                            ? "quotes around a whole field, and doubled inside "
                              "one (--quote "
                              "none takes them for text)"
                            : "a row for which there is memory";
}

static void set_delimiter(struct margay_csv *csv, char delimiter)
{
    csv->delimited = true;
    csv->marks.blanks = delimiter == MARGAY_BLANKS;
    csv->marks.delimiter = csv->marks.blanks ? ' ' : delimiter;
    csv->marks.other = csv->marks.blanks ? '\t' : delimiter;
    if (csv->marks.blanks)
        csv->marks.quote = '\n';
    csv_set_delim(&csv->parser, (unsigned char)csv->marks.delimiter);
}

/* Decode one row at most, from a cursor that may stand within a line. */
static void decode_piece(struct margay_csv *csv, struct margay_text *text)
{
    const char *newline =
        memchr(text->cursor, '\n', (size_t)(text->end - text->cursor));
    if (!csv->in_line && (size_t)(newline - text->cursor) > MARGAY_LINE_BYTES) {
        csv->expected = MARGAY_EXPECTS_SHORT_LINE;
        return;
    }
    size_t bytes = (size_t)(newline - text->cursor);
    /* The first line that is not empty shows the separator. */
    if (!csv->delimited && margay_skip_blanks(text->cursor) < newline)
        set_delimiter(csv, memchr(text->cursor, ',', bytes) != NULL ? ','
                           : memchr(text->cursor, '\t', bytes) != NULL
                               ? '\t'
                               : MARGAY_BLANKS);
    /* libcsv also ends a row at a carriage return.  It gets one row at a time,
       so that the batch cannot overflow.  Between blanks a carriage return is
       one. */
    const char *end = NULL;
    if (!csv->marks.blanks)
        end = memchr(text->cursor, '\r', (size_t)(newline - text->cursor));
    if (end == NULL || end + 1 == newline)
        end = newline;
    end++;
    feed(csv, text->cursor, (size_t)(end - text->cursor), text->lines);
    if (csv->expected != NULL)
        return;
    csv->in_line = end != newline + 1;
    text->lines += !csv->in_line;
    text->cursor = end;
    if (!csv->parser.quoted) /* the row has ended, or the line is empty */
        csv->row_bytes = 0;
}

static bool has_room(const struct margay_csv *csv)
{
    return csv->references->count + MARGAY_LINE_REFERENCES <=
           csv->references->capacity;
}

static const char *decode_table(struct margay_text *text,
                                struct margay_references *references)
{
    struct margay_csv *csv = text->state;
    csv->references = references;
    csv->rows.lacks_times = references->times == NULL;
    while (text->cursor < text->end && csv->expected == NULL && has_room(csv)) {
        /* Do whole rows follow whose columns are known? */
        if (csv->chosen && csv->row_count >= 2 && !csv->options.trial &&
            !csv->in_line && csv->row_bytes == 0 && csv->left == 0 &&
            !is_loose(csv))
            csv->row_count += plain_rows(csv, text, references);
        if (text->cursor < text->end && has_room(csv) && csv->left == 0)
            decode_piece(csv, text);
        for (; csv->left > 0 && has_room(csv); csv->left--)
            margay_rows_append(&csv->again, references);
    }
    if (csv->expected != NULL && csv->expected == csv->first_message &&
        csv->row_count > 1) {
        text->earlier = csv->first_text;
        text->earlier_line = csv->first_line;
    }
    /* The rest of a row keeps its newline. */
    if (csv->left > 0 && text->cursor == text->end) {
        text->cursor--;
        text->lines--;
    }
    return csv->expected;
}

static const char *finish_table(struct margay_text *text,
                                struct margay_references *references)
{
    struct margay_csv *csv = text->state;
    csv->references = references;
    if (csv_fini(&csv->parser, margay_csv_take_field, margay_csv_take_row,
                 csv) != 0) {
        snprintf(csv->message, sizeof csv->message,
                 "the quotes in the row that begins in line %llu to be closed",
                 (unsigned long long)csv->row_line);
        csv->expected = csv->message;
    } else if (csv->first_is_pending && csv->expected == NULL &&
               strcmp(csv->names, HEAD) != 0 &&
               strcmp(csv->names, ADDRESS_HEAD) != 0) {
        margay_csv_append_first(csv);
    }
    return csv->expected;
}

/* ---------------------------------------------------------------- state -- */

/* No line holds a NUL, so NUL as the quote quotes nothing. */
static void begin_parser(struct margay_csv *csv)
{
    const struct margay_state_options *options = &csv->options;
    char delimiter = csv->layout == &margay_layout_any
                         ? options->given.delimiter
                         : csv->layout->delimiter;
    int quote = csv->layout == &margay_layout_any ? options->given.quote
                                                  : csv->layout->quote;
    quote = quote == 0 ? '"' : quote == MARGAY_NO_QUOTE ? '\0' : quote;
    csv_init(&csv->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL);
    csv_set_quote(&csv->parser, (unsigned char)quote);
    csv->marks.quote = quote == '\0' ? '\n' : (char)quote;
    if (delimiter != MARGAY_ANY_DELIMITER)
        set_delimiter(csv, delimiter == '\0' ? ',' : delimiter);
}

static void *create_table(const struct margay_state_options *options)
{
    struct margay_csv *csv =
        calloc(1, sizeof *csv + MARGAY_ARENA_BYTES + MARGAY_TEXT_PADDING);
    if (csv == NULL)
        return NULL;
    const struct margay_layout *layout = options->layout;
    csv->options = *options;
    csv->layout = layout;
    csv->rows.layout = layout;
    csv->rows.unit_bytes = options->given.unit_bytes != 0
                               ? options->given.unit_bytes
                               : layout->offset_bytes;
    csv->rows.tenants = options->trial ? NULL : options->tenants;
    begin_parser(csv);
    if (margay_choices_parse(options, csv->choices, NULL) != MARGAY_OK) {
        free(csv);
        return NULL;
    }
    if (layout == &margay_layout_any && options->given.column != NULL &&
        !csv->choices[0].by_name)
        margay_csv_choose(csv, 0);
    return csv;
}

/* A first row that was held back is found faulty when the second one is there.
   One that does not say where the columns are leaves that to the next. */
static bool forget_row(void *state)
{
    struct margay_csv *csv = state;
    bool earlier = csv->expected == csv->first_message && csv->row_count > 1;
    csv_free(&csv->parser);
    begin_parser(csv);
    if (csv->delimited)
        set_delimiter(csv,
                      csv->marks.blanks ? MARGAY_BLANKS : csv->marks.delimiter);
    if (!csv->chosen) {
        csv->row_count = 0;
        csv->names[0] = '\0';
        margay_choices_parse(&csv->options, csv->choices, NULL);
    }
    csv->row = (struct margay_csv_row){.fields = 0};
    csv->taken = 0;
    csv->arena_used = 0;
    csv->row_bytes = 0;
    csv->in_line = false;
    csv->expected = NULL;
    return !earlier;
}

static void free_table(void *state)
{
    struct margay_csv *csv = state;
    csv_free(&csv->parser);
    free(csv->rows.devices);
    free(csv);
}

/* Devices and tenants get numbers in the order in which they come. */
static int cut_table(const void *state)
{
    const struct margay_csv *csv = state;
    const uint8_t *counts = csv->rows.choice.counts;
    if (!csv->chosen || csv->row_count < 2 || csv->left > 0)
        return MARGAY_CUT_LATER;
    if (counts[MARGAY_ROLE_DEVICE] > 0 || counts[MARGAY_ROLE_TENANT] > 0)
        return MARGAY_CUT_NEVER;
    return csv->marks.quote == '\n' ? '\0' : (unsigned char)csv->marks.quote;
}

/* The columns of the trace follow from --column in csv, and of a layout from
   its first row. */
static void describe_table(const struct margay_state_options *options,
                           const char *line, const char *end,
                           struct margay_trace_facts *facts)
{
    struct margay_references references;
    uint64_t numbers[2 * MARGAY_LINE_REFERENCES];
    struct margay_text text = {.cursor = line, .end = end};
    struct margay_csv *csv = create_table(options);
    if (csv == NULL)
        return;
    bool any = csv->layout == &margay_layout_any;
    references = (struct margay_references){
        .numbers = numbers,
        .capacity = sizeof numbers / sizeof *numbers,
    };
    csv->references = &references;
    if (any && options->given.column == NULL && line < end) {
        decode_piece(csv, &text);
        margay_csv_guess(csv, facts->guess);
        struct margay_state_options guessed = *options;
        guessed.given.column = facts->guess;
        if (facts->guess[0] != '\0') {
            free_table(csv);
            describe_table(&guessed, line, end, facts);
            return;
        }
    }
    /* The columns that --column names exist, or the first row will be
       refused. */
    if (!any && line < end)
        decode_piece(csv, &text);
    if (any || csv->chosen) {
        margay_choice_facts(any ? &csv->choices[0] : &csv->rows.choice,
                            csv->layout, options->given.unit_bytes, facts);
    } else if (options->given.tenant == NULL) {
        facts->columns &= ~(unsigned)MARGAY_COLUMN_TENANTS;
    }
    free_table(csv);
}

const struct margay_format margay_format_csv = {
    .info = {.name = "csv",
             .description = "a table with a column of ids or of text keys",
             .suffixes = "csv",
             .numbers = MARGAY_IDS,
             .any_numbers = true,
             .writable = true,
             .named_columns = MARGAY_TABLE_COLUMNS},
    .writing = &margay_table_writing,
    .layout = &margay_layout_any,
    .decode = decode_table,
    .recognise = decode_table,
    .finish = finish_table,
    .create_state = create_table,
    .free_state = free_table,
    .describe = describe_table,
    .cut = cut_table,
    .forget = forget_row,
    .encode = margay_encode_decimal,
};
