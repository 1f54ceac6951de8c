/*
 * csv.c - a column of a table as block ids, read by libcsv
 *
 * A field that is a decimal number of at most 64 bits is an id as it stands;
 * any other text is a key, whose id is the 64-bit FNV-1a hash of its bytes.
 *
 * The first row is held back until the second one is known.  It is a header if
 * --column names one of its fields, if it holds no number and the second row
 * does, or if it is the only row and what the writer of an empty trace leaves.
 *
 * libcsv keeps the state of a row, so it is fed line by line: a failure then
 * has its line, and a full batch leaves the next line for the next batch.
 */
#include <csv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/base/fnv.h"
#include "traces/base/number.h"
#include "traces/formats/text.h"

/* The most bytes of the column names in a message, and of one name. */
#define NAMES_BYTES 160
#define NAME_BYTES  256

/* The header that the writer writes. */
#define HEAD "id"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* What is known of one row. */
struct row {
    size_t fields;
    bool any_number; /* in the first two rows: some field is a number */
    bool names_only; /* in the first row: each field may be a column name */
    bool has_key;    /* the column of ids holds a field that is not empty */
    uint64_t id;
};

struct csv {
    struct csv_parser parser;
    struct margay_state_options options;
    char column_name[NAME_BYTES]; /* "" = none was given */
    uint64_t column;              /* from 1 on; 0 = not known yet */
    uint64_t rows;                /* complete ones */
    struct row row, first;
    bool first_is_pending;
    char names[NAMES_BYTES]; /* the fields of the first row */
    bool named;              /* one of them is column_name */

    bool begun;         /* a line has been read */
    bool in_line;       /* the beginning of a line has been read */
    uint64_t row_line;  /* the line in which the current row begins */
    uint64_t row_bytes; /* how many bytes of it have been read */
    struct margay_references *references;
    const char *expected; /* NULL = nothing is wrong so far */
    char message[NAMES_BYTES + NAME_BYTES + 80]; /* the text of `expected` */
};

/* --------------------------------------------------------------- fields -- */

static void take_key(struct csv *csv, const char *field, size_t bytes)
{
    csv->row.has_key = bytes > 0;
    if (!margay_parse_u64(field, &csv->row.id))
        csv->row.id = margay_fnv1a(field, bytes);
}

static bool may_be_name(const char *field)
{
    char first = (char)(field[0] | 0x20);
    return (first >= 'a' && first <= 'z') || field[0] == '_';
}

/* The first two rows decide whether the first one is a header. */
static void examine_field(struct csv *csv, const char *field)
{
    struct row *row = &csv->row;
    uint64_t number;
    row->any_number |= margay_parse_u64(field, &number);
    if (csv->rows > 0)
        return;
    row->names_only =
        (row->fields == 1 || row->names_only) && may_be_name(field);
    size_t used = strlen(csv->names);
    snprintf(csv->names + used, sizeof csv->names - used, "%s%s",
             row->fields == 1 ? "" : ", ", field);
    if (!csv->named && csv->column_name[0] != '\0' &&
        strcmp(field, csv->column_name) == 0) {
        csv->named = true;
        csv->column = row->fields;
    }
}

/* With CSV_APPEND_NULL a NUL, not counted in `bytes`, ends each field. */
static void take_field(void *text, size_t bytes, void *context)
{
    struct csv *csv = context;
    const char *field = text == NULL ? "" : text;
    csv->row.fields++;
    if (csv->rows < 2)
        examine_field(csv, field);
    if (csv->row.fields == csv->column || (csv->column == 0 && csv->rows == 0))
        take_key(csv, field, bytes);
}

/* ----------------------------------------------------------------- rows -- */

static void append(struct csv *csv, const struct row *row)
{
    struct margay_references *references = csv->references;
    if (row->has_key) {
        references->numbers[references->count++] = row->id;
        return;
    }
    snprintf(csv->message, sizeof csv->message,
             "an id in column %llu%s (the row has %zu column%s)",
             (unsigned long long)csv->column,
             row == &csv->first ? " of the first row" : "", row->fields,
             margay_plural(row->fields, "s"));
    csv->expected = csv->message;
}

/* Choose the column of ids by the first row, unless a number was given. */
static void choose_column(struct csv *csv)
{
    if (csv->column_name[0] != '\0' && !csv->named) {
        snprintf(csv->message, sizeof csv->message,
                 "a column named '%s' among %s", csv->column_name, csv->names);
        csv->expected = csv->message;
    } else if (csv->column == 0 && csv->row.fields == 1) {
        csv->column = 1;
    } else if (csv->column == 0) {
        snprintf(csv->message, sizeof csv->message,
                 "--column NAME or N to choose one of the columns %s",
                 csv->names);
        csv->expected = csv->message;
    }
}

static void end_first_row(struct csv *csv)
{
    choose_column(csv);
    csv->first = csv->row;
    csv->first_is_pending = !csv->named;
}

static void end_data_row(struct csv *csv)
{
    bool header = !csv->first.any_number && csv->row.any_number;
    if (csv->first_is_pending && !header)
        append(csv, &csv->first);
    csv->first_is_pending = false;
    if (csv->expected == NULL)
        append(csv, &csv->row);
}

/* A trial needs no column of ids.  A trace whose suffix does not name the
   format must have a header, and rows with as many fields. */
static void end_trial_row(struct csv *csv)
{
    bool by_content = csv->options.by_content;
    if (by_content && csv->rows == 0 &&
        (csv->row.fields < 2 || !csv->row.names_only))
        csv->expected = "a row of names";
    else if (by_content && csv->rows > 0 &&
             (csv->row.fields != csv->first.fields ||
              (csv->rows == 1 && !csv->row.any_number)))
        csv->expected = "a row as long as the first, with a number";
    if (csv->rows == 0)
        csv->first = csv->row;
    csv->row.has_key = true;
    if (csv->expected == NULL && (!by_content || csv->rows > 0))
        append(csv, &csv->row);
}

static void take_row(int terminator, void *context)
{
    struct csv *csv = context;
    (void)terminator;
    if (csv->options.trial)
        end_trial_row(csv);
    else if (csv->rows == 0)
        end_first_row(csv);
    else
        end_data_row(csv);
    csv->rows++;
    csv->row = (struct row){.fields = 0};
}

/* ---------------------------------------------------------------- lines -- */

static const char *explain_parser(struct csv *csv)
{
    if (csv_error(&csv->parser) == CSV_EPARSE)
        return "quotes around a whole field, and doubled inside one (--quote "
               "none takes them for text)";
    return "a row for which there is memory";
}

static void feed(struct csv *csv, const char *piece, size_t bytes,
                 uint64_t lines)
{
    if (csv->row_bytes == 0)
        csv->row_line = lines + 1;
    csv->row_bytes += bytes;
    if (csv->row_bytes > MARGAY_LINE_BYTES + 1)
        csv->expected = "a row of at most 65536 bytes";
    else if (memchr(piece, '\0', bytes) != NULL)
        csv->expected = "text without NUL bytes";
    else if (csv_parse(&csv->parser, piece, bytes, take_field, take_row, csv) !=
             bytes)
        csv->expected = explain_parser(csv);
}

/* libcsv also ends a row at a carriage return.  It gets one row at a time, so
   that the batch cannot overflow. */
static const char *piece_end(const char *cursor, const char *newline)
{
    const char *end = memchr(cursor, '\r', (size_t)(newline - cursor));
    return end == NULL || end + 1 == newline ? newline + 1 : end + 1;
}

static void skip_byte_order_mark(struct csv *csv, struct margay_text *text)
{
    if (!csv->begun && text->end - text->cursor > 3 &&
        memcmp(text->cursor, BYTE_ORDER_MARK, 3) == 0)
        text->cursor += 3;
    csv->begun = true;
}

/* Decode one row at most, from a cursor that may stand within a line. */
static void decode_piece(struct csv *csv, struct margay_text *text)
{
    const char *newline =
        memchr(text->cursor, '\n', (size_t)(text->end - text->cursor));
    if (!csv->in_line && (size_t)(newline - text->cursor) > MARGAY_LINE_BYTES) {
        csv->expected = "a line of at most 65536 bytes";
        return;
    }
    skip_byte_order_mark(csv, text);
    const char *end = piece_end(text->cursor, newline);
    feed(csv, text->cursor, (size_t)(end - text->cursor), text->lines);
    if (csv->expected != NULL)
        return;
    csv->in_line = end != newline + 1;
    text->lines += !csv->in_line;
    text->cursor = end;
    if (!csv->parser.quoted) /* the row has ended, or the line is empty */
        csv->row_bytes = 0;
}

static const char *decode(struct margay_text *text,
                          struct margay_references *references)
{
    struct csv *csv = text->state;
    csv->references = references;
    while (text->cursor < text->end && csv->expected == NULL &&
           references->count + MARGAY_LINE_REFERENCES <= references->capacity)
        decode_piece(csv, text);
    return csv->expected;
}

static const char *finish(struct margay_text *text,
                          struct margay_references *references)
{
    struct csv *csv = text->state;
    csv->references = references;
    if (csv_fini(&csv->parser, take_field, take_row, csv) != 0) {
        snprintf(csv->message, sizeof csv->message,
                 "the quotes in the row that begins in line %llu to be closed",
                 (unsigned long long)csv->row_line);
        csv->expected = csv->message;
    } else if (csv->first_is_pending && csv->expected == NULL &&
               strcmp(csv->names, HEAD) != 0) {
        append(csv, &csv->first);
    }
    return csv->expected;
}

/* ---------------------------------------------------------------- state -- */

static void *create_state(const struct margay_state_options *options)
{
    struct csv *csv = calloc(1, sizeof *csv);
    if (csv == NULL)
        return NULL;
    csv->options = *options;
    csv_init(&csv->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL);
    if (options->delimiter != '\0')
        csv_set_delim(&csv->parser, (unsigned char)options->delimiter);
    /* No line holds a NUL, so NUL as the quote quotes nothing. */
    if (options->quote != 0)
        csv_set_quote(&csv->parser, options->quote == MARGAY_NO_QUOTE
                                        ? '\0'
                                        : (unsigned char)options->quote);
    if (options->column != NULL &&
        (!margay_parse_u64(options->column, &csv->column) ||
         csv->column == 0)) {
        csv->column = 0;
        snprintf(csv->column_name, sizeof csv->column_name, "%s",
                 options->column);
    }
    return csv;
}

static void free_state(void *state)
{
    struct csv *csv = state;
    csv_free(&csv->parser);
    free(csv);
}

const struct margay_format margay_format_csv = {
    .info = {.name = "csv",
             .description = "a table with a column of ids or of text keys",
             .suffixes = "csv",
             .numbers = MARGAY_IDS,
             .writable = true,
             .head = HEAD "\n"},
    .decode = decode,
    .recognise = decode,
    .create_state = create_state,
    .free_state = free_state,
    .finish = finish,
    .encode = margay_encode_decimal,
};
