/*
 * csv.c - tables whose columns --column or a layout names, line by line
 *
 * libcsv cuts the first two rows into fields, and every row that is not plain
 * (plain.h); fields between runs of blanks are cut here, as they have no
 * quotes.
 *
 * libcsv keeps the state of a row, so it is fed line by line: a failure then
 * has its line, and a full batch leaves the next line for the next batch.
 */
#include "traces/formats/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/formats/csv_rows.h"
#include "traces/formats/scan.h"
#include "traces/formats/text.h"

/* The header that the writer writes. */
#define HEAD "id"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* ---------------------------------------------------------------- lines -- */

static const char *explain_parser(struct margay_csv *csv)
{
    if (csv_error(&csv->parser) == CSV_EPARSE)
        return "quotes around a whole field, and doubled inside one (--quote "
               "none takes them for text)";
    return "a row for which there is memory";
}

/* The fields between runs of blanks.  A header may begin with a hash. */
static void cut_blanks(struct margay_csv *csv, const char *line,
                       const char *newline)
{
    const char *cursor = margay_skip_blanks(line);
    if (csv->row_count == 0 && *cursor == '#')
        cursor = margay_skip_blanks(cursor + 1);
    if (cursor == newline)
        return;
    while (cursor < newline) {
        const char *end = cursor;
        while (end < newline && !margay_is_blank(*end))
            end++;
        margay_csv_take_field((void *)(uintptr_t)cursor, (size_t)(end - cursor),
                              csv);
        cursor = margay_skip_blanks(end);
    }
    margay_csv_take_row('\n', csv);
}

static void feed(struct margay_csv *csv, const char *piece, size_t bytes,
                 uint64_t lines)
{
    if (csv->row_bytes == 0)
        csv->row_line = lines + 1;
    csv->row_bytes += bytes;
    if (csv->row_bytes > MARGAY_LINE_BYTES + 1)
        csv->expected = "a row of at most 65536 bytes";
    else if (memchr(piece, '\0', bytes) != NULL)
        csv->expected = "text without NUL bytes";
    else if (csv->marks.blanks)
        cut_blanks(csv, piece, piece + bytes - 1);
    else if (csv_parse(&csv->parser, piece, bytes, margay_csv_take_field,
                       margay_csv_take_row, csv) != bytes)
        csv->expected = explain_parser(csv);
}

/* libcsv also ends a row at a carriage return.  It gets one row at a time, so
   that the batch cannot overflow.  Between blanks a carriage return is one. */
static const char *piece_end(const struct margay_csv *csv, const char *cursor,
                             const char *newline)
{
    const char *end = csv->marks.blanks
                          ? NULL
                          : memchr(cursor, '\r', (size_t)(newline - cursor));
    return end == NULL || end + 1 == newline ? newline + 1 : end + 1;
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

/* The first line of a trace that is not empty tells what separates its
   columns. */
static void begin(struct margay_csv *csv, struct margay_text *text,
                  const char *newline)
{
    if (!csv->begun && text->end - text->cursor > 3 &&
        memcmp(text->cursor, BYTE_ORDER_MARK, 3) == 0)
        text->cursor += 3;
    size_t bytes = (size_t)(newline - text->cursor);
    csv->begun = true;
    if (!csv->delimited && margay_skip_blanks(text->cursor) < newline)
        set_delimiter(csv, memchr(text->cursor, ',', bytes) != NULL ? ','
                           : memchr(text->cursor, '\t', bytes) != NULL
                               ? '\t'
                               : MARGAY_BLANKS);
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
    if (!csv->begun || !csv->delimited)
        begin(csv, text, newline);
    const char *end = piece_end(csv, text->cursor, newline);
    feed(csv, text->cursor, (size_t)(end - text->cursor), text->lines);
    if (csv->expected != NULL)
        return;
    csv->in_line = end != newline + 1;
    text->lines += !csv->in_line;
    text->cursor = end;
    if (!csv->parser.quoted) /* the row has ended, or the line is empty */
        csv->row_bytes = 0;
}

/* Do whole rows follow whose columns are known? */
static bool may_be_plain(const struct margay_csv *csv)
{
    return csv->planned && csv->row_count >= 2 && !csv->options.trial &&
           !csv->in_line && csv->row_bytes == 0;
}

static bool has_room(const struct margay_csv *csv)
{
    return csv->references->count + MARGAY_LINE_REFERENCES <=
           csv->references->capacity;
}

static void repeat(struct margay_csv *csv)
{
    for (; csv->left > 0 && has_room(csv); csv->left--)
        margay_rows_append(&csv->again, csv->references);
}

const char *margay_table_decode(struct margay_text *text,
                                struct margay_references *references)
{
    struct margay_csv *csv = text->state;
    csv->references = references;
    while (text->cursor < text->end && csv->expected == NULL && has_room(csv)) {
        if (may_be_plain(csv) && csv->left == 0)
            csv->row_count +=
                margay_plain_rows(&csv->rows, &csv->marks, text, references);
        if (text->cursor < text->end && has_room(csv) && csv->left == 0)
            decode_piece(csv, text);
        repeat(csv);
    }
    /* What is left of a row keeps its newline from being passed. */
    if (csv->left > 0 && text->cursor == text->end) {
        text->cursor--;
        text->lines--;
    }
    return csv->expected;
}

const char *margay_table_finish(struct margay_text *text,
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
               strcmp(csv->names, HEAD) != 0) {
        margay_csv_append_first(csv);
    }
    return csv->expected;
}

/* ---------------------------------------------------------------- state -- */

static int quote_of(const struct margay_state_options *options)
{
    int quote = options->layout == &margay_layout_any ? options->quote
                                                      : options->layout->quote;
    return quote == 0 ? '"' : quote == MARGAY_NO_QUOTE ? '\0' : quote;
}

/* No line holds a NUL, so NUL as the quote quotes nothing. */
static void begin_parser(struct margay_csv *csv)
{
    const struct margay_state_options *options = &csv->options;
    char delimiter = csv->layout == &margay_layout_any ? options->delimiter
                                                       : csv->layout->delimiter;
    int quote = quote_of(options);
    csv_init(&csv->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL);
    csv_set_quote(&csv->parser, (unsigned char)quote);
    csv->marks.quote = quote == '\0' ? '\n' : (char)quote;
    if (delimiter != MARGAY_ANY_DELIMITER)
        set_delimiter(csv, delimiter == '\0' ? ',' : delimiter);
}

/* Read how the columns are named; what --column says was checked before. */
static bool parse_choices(struct margay_csv *csv)
{
    const struct margay_layout *layout = csv->layout;
    const char *given = csv->options.column;
    if (layout == &margay_layout_any)
        return margay_choice_parse(given == NULL ? "1" : given, false,
                                   csv->options.tenant, &csv->choices[0],
                                   NULL) == MARGAY_OK;
    for (unsigned v = 0; v < MARGAY_VARIANTS; v++) {
        const char *columns = layout->variants[v].columns;
        if (columns != NULL &&
            margay_choice_parse(columns, true, csv->options.tenant,
                                &csv->choices[v], NULL) != MARGAY_OK)
            return false;
    }
    return true;
}

void *margay_table_create(const struct margay_state_options *options)
{
    struct margay_csv *csv = calloc(1, sizeof *csv);
    char *arena = malloc(MARGAY_ARENA_BYTES + MARGAY_TEXT_PADDING);
    if (csv == NULL || arena == NULL) {
        free(csv);
        free(arena);
        return NULL;
    }
    const struct margay_layout *layout = options->layout;
    csv->options = *options;
    csv->layout = layout;
    csv->arena = arena;
    csv->rows.layout = layout;
    csv->rows.unit_bytes =
        options->unit_bytes != 0 ? options->unit_bytes : layout->offset_bytes;
    csv->rows.tenants = options->trial ? NULL : options->tenants;
    begin_parser(csv);
    if (!parse_choices(csv)) {
        free(arena);
        free(csv);
        return NULL;
    }
    if (layout == &margay_layout_any && options->column != NULL &&
        !csv->choices[0].by_name)
        margay_csv_make_plan(csv, 0);
    return csv;
}

/* A first row that was held back is found faulty when the second one is there.
   One that does not say where the columns are leaves that to the next. */
bool margay_table_forget(void *state)
{
    struct margay_csv *csv = state;
    bool earlier = csv->expected == csv->first_message && csv->row_count > 1;
    csv_free(&csv->parser);
    begin_parser(csv);
    if (csv->delimited)
        set_delimiter(csv,
                      csv->marks.blanks ? MARGAY_BLANKS : csv->marks.delimiter);
    if (!csv->planned) {
        csv->row_count = 0;
        csv->names[0] = '\0';
        memset(csv->named, 0, sizeof csv->named);
    }
    csv->row = (struct margay_csv_row){.fields = 0};
    csv->taken = 0;
    csv->arena_used = 0;
    csv->row_bytes = 0;
    csv->in_line = false;
    csv->expected = NULL;
    return !earlier;
}

void margay_table_free(void *state)
{
    struct margay_csv *csv = state;
    csv_free(&csv->parser);
    free(csv->rows.devices);
    free(csv->arena);
    free(csv);
}

/* Devices and tenants get numbers in the order in which they come. */
int margay_table_cut(const void *state)
{
    const struct margay_csv *csv = state;
    if (!csv->planned || csv->row_count < 2 || csv->left > 0)
        return MARGAY_CUT_LATER;
    if (csv->rows.plan.role_counts[MARGAY_ROLE_DEVICE] > 0 ||
        csv->rows.plan.role_counts[MARGAY_ROLE_TENANT] > 0)
        return MARGAY_CUT_NEVER;
    return csv->marks.quote == '\n' ? '\0' : (unsigned char)csv->marks.quote;
}

/* What the trace has is known of the format csv by --column, and of a layout by
   its first row. */
void margay_table_describe(const struct margay_state_options *options,
                           const char *line, const char *end,
                           struct margay_trace_facts *facts)
{
    struct margay_references references;
    uint64_t numbers[2 * MARGAY_LINE_REFERENCES];
    struct margay_text text = {line, end, 0, NULL};
    struct margay_csv *csv = margay_table_create(options);
    if (csv == NULL)
        return;
    references = (struct margay_references){
        .numbers = numbers,
        .capacity = sizeof numbers / sizeof *numbers,
    };
    csv->references = &references;
    if (csv->layout == &margay_layout_any && options->column == NULL &&
        line < end) {
        decode_piece(csv, &text);
        margay_csv_guess(csv, facts->guess);
        struct margay_state_options guessed = *options;
        guessed.column = facts->guess;
        if (facts->guess[0] != '\0') {
            margay_table_free(csv);
            margay_table_describe(&guessed, line, end, facts);
            return;
        }
    }
    /* What --column names is there, or the first row will be refused. */
    for (unsigned i = 0; i < MARGAY_TAKES; i++)
        csv->named[0][i] = csv->layout == &margay_layout_any;
    if (csv->layout == &margay_layout_any)
        margay_csv_make_plan(csv, 0);
    else if (line < end)
        decode_piece(csv, &text);
    if (csv->planned) {
        unsigned named = margay_plan_facts(&csv->rows.plan, csv->layout,
                                           options->unit_bytes);
        facts->columns &= named;
        facts->kinds = named & MARGAY_COLUMN_KINDS ? MARGAY_TABLE_KINDS : 0;
    } else if (options->tenant == NULL) {
        facts->columns &= ~(unsigned)MARGAY_COLUMN_TENANTS;
    }
    margay_table_free(csv);
}

const struct margay_format margay_format_csv = {
    .info = {.name = "csv",
             .description = "a table with a column of ids or of text keys",
             .suffixes = "csv",
             .numbers = MARGAY_IDS,
             .writable = true,
             .named_columns = MARGAY_TABLE_COLUMNS,
             .head = HEAD "\n"},
    .layout = &margay_layout_any,
    MARGAY_TABLE_FUNCTIONS,
    .recognise = margay_table_decode,
    .encode = margay_encode_decimal,
};
