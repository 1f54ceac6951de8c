/*
 * csv.c - rows of a table, whose columns --column or a layout names
 *
 * libcsv reads the first two rows, and every row that is not plain (plain.h);
 * fields between runs of blanks are cut here, as they have no quotes.
 *
 * The first row decides where the columns are.  Of the format csv it is held
 * back until the second one is known.  It is a header if --column names one of
 * its fields, if it holds no number and the second row does, or if it is the
 * only row and what the writer of an empty trace leaves.  Of a layout it is a
 * header if the layout names its columns, or if it holds no number.
 *
 * libcsv keeps the state of a row, so it is fed line by line: a failure then
 * has its line, and a full batch leaves the next line for the next batch.
 */
#include <csv.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/base/number.h"
#include "traces/formats/csv.h"
#include "traces/formats/plain.h"
#include "traces/formats/scan.h"
#include "traces/formats/text.h"

/* The most bytes of the column names in a message, and of one name. */
#define NAMES_BYTES 160
#define NAME_BYTES  256

/* The columns of the first row that are kept until the plan is made. */
#define EARLY_FIELDS 32

/* Room for the fields of a row that are read, with a NUL behind each. */
#define ARENA_BYTES (MARGAY_LINE_BYTES + 2 * (EARLY_FIELDS + MARGAY_TAKES))

/* The header that the writer writes. */
#define HEAD "id"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* What is known of one row. */
struct row {
    size_t fields;
    bool any_number; /* in the first two rows: some field is a number */
    bool names_only; /* in the first row: each field may be a column name */
};

struct csv {
    struct csv_parser parser;
    struct margay_state_options options;
    const struct margay_layout *layout;
    struct margay_marks marks;
    bool delimited; /* the delimiter is known */

    /* Where the columns are: variants in the order of the layout, and where
       the first row has the names of each. */
    struct margay_choice choices[MARGAY_VARIANTS];
    uint64_t named[MARGAY_VARIANTS][MARGAY_TAKES];
    const char *shape; /* of the variant that was chosen; NULL = none */
    struct margay_rows rows;
    bool planned;

    uint64_t row_count; /* complete ones */
    struct row row, first;
    char names[NAMES_BYTES];                  /* the fields of the first row */
    struct margay_field fields[MARGAY_TAKES]; /* of the plan */
    struct margay_field early[EARLY_FIELDS];  /* of the first row */
    unsigned taken; /* columns of the plan that the row has shown */
    char *arena;    /* the texts of these fields */
    size_t arena_used;

    bool first_is_pending;
    struct margay_row_reference first_reference;
    bool first_fails;
    char first_message[512];

    /* The last row's reference, to be given so often again. */
    struct margay_row_reference again;
    uint32_t left;

    uint64_t last_time; /* in a trial */
    bool begun;         /* a line has been read */
    bool in_line;       /* the beginning of a line has been read */
    uint64_t row_line;  /* the line in which the current row begins */
    uint64_t row_bytes; /* how many bytes of it have been read */
    struct margay_references *references;
    const char *expected; /* NULL = nothing is wrong so far */
    char message[NAMES_BYTES + NAME_BYTES + 80]; /* the text of `expected` */
};

/* --------------------------------------------------------------- fields -- */

static bool may_be_name(const char *field)
{
    char first = (char)(field[0] | 0x20);
    return (first >= 'a' && first <= 'z') || field[0] == '_';
}

/* A copy of the field, which ends with a NUL. */
static struct margay_field keep_field(struct csv *csv, const char *text,
                                      size_t bytes)
{
    struct margay_field field = {csv->arena + csv->arena_used, bytes, 0, false};
    if (bytes > 0)
        memcpy(csv->arena + csv->arena_used, text, bytes);
    csv->arena[csv->arena_used + bytes] = '\0';
    csv->arena_used += bytes + 1;
    margay_field_value(&field);
    return field;
}

/* Note where the first row has the names of each variant. */
static void note_names(struct csv *csv, const char *text, size_t bytes)
{
    for (unsigned v = 0; v < MARGAY_VARIANTS; v++) {
        const struct margay_choice *choice = &csv->choices[v];
        for (unsigned i = 0; i < choice->count; i++) {
            const struct margay_named_column *column = &choice->columns[i];
            if (column->number == 0 && csv->named[v][i] == 0 &&
                column->name_bytes == bytes &&
                memcmp(column->name, text, bytes) == 0)
                csv->named[v][i] = csv->row.fields;
        }
    }
}

/* The first row decides whether it is a header, and where columns are. */
static void examine_first(struct csv *csv, const char *text, size_t bytes)
{
    char name[NAME_BYTES];
    struct row *row = &csv->row;
    snprintf(name, sizeof name, "%.*s",
             (int)(bytes < NAME_BYTES ? bytes : NAME_BYTES - 1), text);
    row->names_only =
        (row->fields == 1 || row->names_only) && may_be_name(name);
    size_t used = strlen(csv->names);
    snprintf(csv->names + used, sizeof csv->names - used, "%s%s",
             row->fields == 1 ? "" : ", ", name);
    note_names(csv, text, bytes);
}

static bool is_number(const char *text, size_t bytes)
{
    char copy[32];
    uint64_t number;
    if (bytes >= sizeof copy)
        return false;
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    return margay_parse_u64(copy, &number);
}

/* The field is one of the plan, perhaps of several of its columns. */
static void take_planned(struct csv *csv, const char *text, size_t bytes)
{
    const struct margay_plan *plan = &csv->rows.plan;
    for (unsigned same = 0; csv->taken < plan->count &&
                            plan->takes[csv->taken].column == csv->row.fields;
         same++, csv->taken++)
        csv->fields[csv->taken] = same > 0 ? csv->fields[csv->taken - 1]
                                           : keep_field(csv, text, bytes);
}

static void take_field(void *given, size_t bytes, void *context)
{
    struct csv *csv = context;
    const char *text = given == NULL ? "" : given;
    csv->row.fields++;
    if (csv->row_count < 2)
        csv->row.any_number |= is_number(text, bytes);
    if (csv->row_count == 0)
        examine_first(csv, text, bytes);
    if (csv->planned && !csv->options.trial)
        take_planned(csv, text, bytes);
    else if (csv->row.fields <= EARLY_FIELDS)
        csv->early[csv->row.fields - 1] = keep_field(csv, text, bytes);
}

/* ---------------------------------------------------------------- plans -- */

static void make_plan(struct csv *csv, unsigned variant)
{
    margay_plan_columns(&csv->choices[variant], csv->named[variant],
                        &csv->rows.plan);
    csv->shape = csv->layout->variants[variant].shape;
    csv->planned = true;
}

/* Are all names of the variant there that have to be? */
static bool has_names(const struct csv *csv, unsigned variant)
{
    const struct margay_choice *choice = &csv->choices[variant];
    for (unsigned i = 0; i < choice->count; i++) {
        if (choice->columns[i].number == 0 && !choice->columns[i].optional &&
            csv->named[variant][i] == 0)
            return false;
    }
    return choice->by_name;
}

/* Has the row as many columns as the shape has letters, or more where there is
   an asterisk? */
static bool has_shape(const char *shape, size_t fields)
{
    size_t letters = strcspn(shape, "*");
    return shape[letters] == '*' ? fields >= letters : fields == letters;
}

/* The words of operations are looked at where the row is read. */
static bool fits_letter(char letter, const struct margay_field *field)
{
    return field->bytes > 0 && (letter == 'd'   ? field->decimal
                                : letter == 'n' ? !field->decimal
                                                : true);
}

/* Are the fields of the row, which are early ones, as the letters say? */
static bool fits_letters(const struct csv *csv, const char *shape)
{
    if (!has_shape(shape, csv->row.fields))
        return false;
    for (size_t i = 0; shape[i] != '\0' && shape[i] != '*'; i++) {
        if (!fits_letter(shape[i], &csv->early[i]))
            return false;
    }
    return true;
}

/* The first variant without names that the row fits, by the letters or by
   their number. */
static unsigned variant_of_row(const struct csv *csv, bool by_letters)
{
    unsigned v = 0;
    for (; v < MARGAY_VARIANTS; v++) {
        const struct margay_variant *variant = &csv->layout->variants[v];
        if (variant->shape == NULL ||
            (csv->options.by_content && variant->by_name_only))
            continue;
        if (by_letters ? fits_letters(csv, variant->shape)
                       : has_shape(variant->shape, csv->row.fields))
            break;
    }
    return v;
}

/* Choose the variant that the first row has; true: it is a header. */
static bool choose_variant(struct csv *csv)
{
    unsigned v = 0;
    while (v < MARGAY_VARIANTS && !has_names(csv, v))
        v++;
    bool header = v < MARGAY_VARIANTS;
    if (!header)
        v = variant_of_row(csv, true);
    if (v == MARGAY_VARIANTS)
        v = variant_of_row(csv, false);
    if (v == MARGAY_VARIANTS)
        return false;
    make_plan(csv, v);
    return header || !csv->row.any_number;
}

/* What the first row should have been. */
static void refuse_variants(struct csv *csv)
{
    const struct margay_layout *layout = csv->layout;
    size_t used = 0;
    for (unsigned v = 0; v < MARGAY_VARIANTS; v++) {
        const struct margay_variant *variant = &layout->variants[v];
        if (variant->columns == NULL || used >= sizeof csv->message)
            continue;
        const char *between = used == 0 ? "" : ", or ";
        if (variant->shape == NULL)
            used += (size_t)snprintf(
                csv->message + used, sizeof csv->message - used,
                "%sa header with the columns of %s", between, variant->columns);
        else
            used += (size_t)snprintf(
                csv->message + used, sizeof csv->message - used,
                "%s%zu columns%s", between, strcspn(variant->shape, "*"),
                strchr(variant->shape, '*') == NULL ? "" : " or more");
    }
    csv->expected = csv->message;
}

/* The column of ids is not named by a layout: by --column, or it is the only
   one. */
static void choose_column(struct csv *csv)
{
    const struct margay_choice *choice = &csv->choices[0];
    const struct margay_named_column *lacking = NULL;
    for (unsigned i = choice->count; i-- > 0;) {
        if (choice->columns[i].number == 0 && csv->named[0][i] == 0)
            lacking = &choice->columns[i];
    }
    if (lacking != NULL) {
        snprintf(csv->message, sizeof csv->message,
                 "a column named '%.*s' among %s",
                 (int)(lacking->name_bytes < NAME_BYTES ? lacking->name_bytes
                                                        : NAME_BYTES),
                 lacking->name, csv->names);
        csv->expected = csv->message;
    } else if (csv->options.column == NULL && csv->row.fields != 1) {
        snprintf(csv->message, sizeof csv->message,
                 "--column NAME or N to choose one of the columns %s",
                 csv->names);
        csv->expected = csv->message;
    } else if (!csv->planned) {
        make_plan(csv, 0);
    }
}

/* The fields of the plan, from those of the first row. */
static void take_early(struct csv *csv)
{
    const struct margay_plan *plan = &csv->rows.plan;
    for (; csv->taken < plan->count; csv->taken++) {
        uint64_t column = plan->takes[csv->taken].column;
        if (column > csv->row.fields || column > EARLY_FIELDS)
            break;
        csv->fields[csv->taken] = csv->early[column - 1];
    }
}

/* ----------------------------------------------------------------- rows -- */

/* A field that the row lacks has no text. */
static const char *read_row(struct csv *csv,
                            struct margay_row_reference *reference)
{
    for (unsigned i = csv->taken; i < csv->rows.plan.count; i++)
        csv->fields[i] = (struct margay_field){.text = NULL};
    return margay_rows_read(&csv->rows, csv->fields, csv->row.fields,
                            reference);
}

static void append(struct csv *csv, const struct margay_row_reference *row)
{
    csv->again = *row;
    csv->left = row->count;
    if (csv->left > 0) {
        margay_rows_append(row, csv->references);
        csv->left--;
    }
}

static void append_first(struct csv *csv)
{
    if (csv->first_fails)
        csv->expected = csv->first_message;
    else
        append(csv, &csv->first_reference);
}

static void append_row(struct csv *csv)
{
    struct margay_row_reference reference;
    csv->expected = read_row(csv, &reference);
    if (csv->expected == NULL)
        append(csv, &reference);
}

/* Where all columns that are read may hold text, only the second row tells
   whether the first one is a header. */
static bool may_be_text(const struct margay_plan *plan)
{
    return plan->role_counts[MARGAY_ROLE_SIZE] +
               plan->role_counts[MARGAY_ROLE_TIME] +
               plan->role_counts[MARGAY_ROLE_TTL] +
               plan->role_counts[MARGAY_ROLE_COUNT] ==
           0;
}

/* Make the plan; true: the first row is a header for certain. */
static bool plan_by_first_row(struct csv *csv)
{
    bool header = false;
    if (csv->layout != &margay_layout_any) {
        header = choose_variant(csv);
        if (!csv->planned)
            refuse_variants(csv);
        return header;
    }
    choose_column(csv);
    return csv->choices[0].by_name ||
           (!csv->row.any_number && !may_be_text(&csv->rows.plan));
}

static void end_first_row(struct csv *csv)
{
    csv->first = csv->row;
    bool header = plan_by_first_row(csv);
    if (csv->expected != NULL || header)
        return;
    take_early(csv);
    csv->rows.in_first_row = true;
    const char *expected = read_row(csv, &csv->first_reference);
    csv->rows.in_first_row = false;
    csv->first_fails = expected != NULL;
    if (csv->first_fails)
        snprintf(csv->first_message, sizeof csv->first_message, "%s", expected);
    csv->first_is_pending =
        csv->layout == &margay_layout_any && may_be_text(&csv->rows.plan);
    if (!csv->first_is_pending)
        append_first(csv);
}

static void end_data_row(struct csv *csv)
{
    bool header = !csv->first.any_number && csv->row.any_number;
    if (csv->first_is_pending && !header)
        append_first(csv);
    csv->first_is_pending = false;
    if (csv->expected == NULL)
        append_row(csv);
}

/* --------------------------------------------------------------- trials -- */

/* A trial needs no column of ids.  A trace whose suffix does not name the
   format must have a header, and rows with as many fields. */
static void end_trial_row(struct csv *csv)
{
    static const struct margay_row_reference any = {.count = 1, .extent = 1};
    bool by_content = csv->options.by_content;
    if (by_content && csv->row_count == 0 &&
        (csv->row.fields < 2 || !csv->row.names_only))
        csv->expected = "a row of names";
    else if (by_content && csv->row_count > 0 &&
             (csv->row.fields != csv->first.fields ||
              (csv->row_count == 1 && !csv->row.any_number)))
        csv->expected = "a row as long as the first, with a number";
    if (csv->row_count == 0)
        csv->first = csv->row;
    if (csv->expected == NULL && (!by_content || csv->row_count > 0))
        margay_rows_append(&any, csv->references);
}

static bool fits_shape(const struct csv *csv)
{
    return csv->shape == NULL ? csv->row.fields == csv->first.fields
                              : fits_letters(csv, csv->shape);
}

static bool ascends(struct csv *csv, uint64_t time)
{
    bool fits = !csv->layout->ascends ||
                (time >= csv->last_time && time >= csv->layout->least_time);
    csv->last_time = time;
    return fits;
}

static void end_layout_trial_row(struct csv *csv)
{
    struct margay_row_reference reference;
    bool header = csv->row_count == 0 && choose_variant(csv);
    if (csv->row_count == 0)
        csv->first = csv->row;
    if (header)
        return;
    if (!csv->planned || !fits_shape(csv)) {
        csv->expected = "a row of this layout";
        return;
    }
    csv->taken = 0;
    take_early(csv);
    csv->expected = read_row(csv, &reference);
    if (csv->expected == NULL && !ascends(csv, reference.time))
        csv->expected = "times that do not go back";
    if (csv->expected == NULL)
        margay_rows_append(&reference, csv->references);
}

static void take_row(int terminator, void *context)
{
    struct csv *csv = context;
    (void)terminator;
    if (csv->options.trial && csv->layout == &margay_layout_any)
        end_trial_row(csv);
    else if (csv->options.trial)
        end_layout_trial_row(csv);
    else if (csv->row_count == 0)
        end_first_row(csv);
    else
        end_data_row(csv);
    csv->row_count++;
    csv->row = (struct row){.fields = 0};
    csv->taken = 0;
    csv->arena_used = 0;
}

/* ---------------------------------------------------------------- lines -- */

static const char *explain_parser(struct csv *csv)
{
    if (csv_error(&csv->parser) == CSV_EPARSE)
        return "quotes around a whole field, and doubled inside one (--quote "
               "none takes them for text)";
    return "a row for which there is memory";
}

/* The fields between runs of blanks.  A header may begin with a hash. */
static void cut_blanks(struct csv *csv, const char *line, const char *newline)
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
        take_field((void *)(uintptr_t)cursor, (size_t)(end - cursor), csv);
        cursor = margay_skip_blanks(end);
    }
    take_row('\n', csv);
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
    else if (csv->marks.blanks)
        cut_blanks(csv, piece, piece + bytes - 1);
    else if (csv_parse(&csv->parser, piece, bytes, take_field, take_row, csv) !=
             bytes)
        csv->expected = explain_parser(csv);
}

/* libcsv also ends a row at a carriage return.  It gets one row at a time, so
   that the batch cannot overflow.  Between blanks a carriage return is one. */
static const char *piece_end(const struct csv *csv, const char *cursor,
                             const char *newline)
{
    const char *end = csv->marks.blanks
                          ? NULL
                          : memchr(cursor, '\r', (size_t)(newline - cursor));
    return end == NULL || end + 1 == newline ? newline + 1 : end + 1;
}

static void set_delimiter(struct csv *csv, char delimiter)
{
    csv->delimited = true;
    csv->marks.blanks = delimiter == MARGAY_BLANKS;
    csv->marks.delimiter = csv->marks.blanks ? ' ' : delimiter;
    csv->marks.other = csv->marks.blanks ? '\t' : delimiter;
    if (csv->marks.blanks)
        csv->marks.quote = '\n';
    csv_set_delim(&csv->parser, (unsigned char)csv->marks.delimiter);
}

/* The first line of a trace tells what separates its columns. */
static void begin(struct csv *csv, struct margay_text *text,
                  const char *newline)
{
    size_t bytes = (size_t)(newline - text->cursor);
    if (!csv->begun && text->end - text->cursor > 3 &&
        memcmp(text->cursor, BYTE_ORDER_MARK, 3) == 0)
        text->cursor += 3;
    csv->begun = true;
    if (!csv->delimited)
        set_delimiter(csv, memchr(text->cursor, ',', bytes) != NULL ? ','
                           : memchr(text->cursor, '\t', bytes) != NULL
                               ? '\t'
                               : MARGAY_BLANKS);
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
    if (!csv->begun)
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
static bool may_be_plain(const struct csv *csv)
{
    return csv->planned && csv->row_count >= 2 && !csv->options.trial &&
           !csv->in_line && csv->row_bytes == 0;
}

static bool has_room(const struct csv *csv)
{
    return csv->references->count + MARGAY_LINE_REFERENCES <=
           csv->references->capacity;
}

static void repeat(struct csv *csv)
{
    for (; csv->left > 0 && has_room(csv); csv->left--)
        margay_rows_append(&csv->again, csv->references);
}

const char *margay_table_decode(struct margay_text *text,
                                struct margay_references *references)
{
    struct csv *csv = text->state;
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
    struct csv *csv = text->state;
    csv->references = references;
    if (csv_fini(&csv->parser, take_field, take_row, csv) != 0) {
        snprintf(csv->message, sizeof csv->message,
                 "the quotes in the row that begins in line %llu to be closed",
                 (unsigned long long)csv->row_line);
        csv->expected = csv->message;
    } else if (csv->first_is_pending && csv->expected == NULL &&
               strcmp(csv->names, HEAD) != 0) {
        append_first(csv);
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
static void begin_parser(struct csv *csv)
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
static bool parse_choices(struct csv *csv)
{
    const struct margay_layout *layout = csv->layout;
    const char *given = csv->options.column;
    if (layout == &margay_layout_any)
        return margay_choice_parse(given == NULL ? "1" : given, false,
                                   &csv->choices[0], NULL) == MARGAY_OK;
    for (unsigned v = 0; v < MARGAY_VARIANTS; v++) {
        const char *columns = layout->variants[v].columns;
        if (columns != NULL &&
            margay_choice_parse(columns, true, &csv->choices[v], NULL) !=
                MARGAY_OK)
            return false;
    }
    return true;
}

void *margay_table_create(const struct margay_state_options *options)
{
    struct csv *csv = calloc(1, sizeof *csv);
    char *arena = malloc(ARENA_BYTES + MARGAY_TEXT_PADDING);
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
    begin_parser(csv);
    if (!parse_choices(csv)) {
        free(arena);
        free(csv);
        return NULL;
    }
    if (layout == &margay_layout_any && options->column != NULL &&
        !csv->choices[0].by_name)
        make_plan(csv, 0);
    return csv;
}

void margay_table_free(void *state)
{
    struct csv *csv = state;
    csv_free(&csv->parser);
    free(csv->rows.devices);
    free(csv->arena);
    free(csv);
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
    struct csv *csv = margay_table_create(options);
    if (csv == NULL)
        return;
    references = (struct margay_references){
        .numbers = numbers,
        .capacity = sizeof numbers / sizeof *numbers,
    };
    csv->references = &references;
    /* Whatever --column names is there, or the first row will be refused. */
    for (unsigned i = 0; i < MARGAY_TAKES; i++)
        csv->named[0][i] = csv->layout == &margay_layout_any;
    if (csv->layout == &margay_layout_any)
        make_plan(csv, 0);
    else if (line < end)
        decode_piece(csv, &text);
    if (csv->planned) {
        unsigned named = margay_plan_facts(&csv->rows.plan, csv->layout,
                                           options->unit_bytes);
        facts->columns &= named;
        facts->kinds = named & MARGAY_COLUMN_KINDS ? MARGAY_TABLE_KINDS : 0;
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
