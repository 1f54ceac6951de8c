/*
 * csv_rows.c - the columns of a table, and its rows
 *
 * The first row decides where the columns are.  Of the format csv it is held
 * back until the second one is known.  It is a header if --column names one of
 * its fields, if it holds no number and the second row does, or if it is the
 * only row and the header that the writer of an empty trace leaves.  Of a
 * layout it is a header if the layout names its columns, or if it holds no
 * number although one of its columns has to; where none has to, it is held
 * back, too.
 */
#include "traces/formats/csv_rows.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "traces/base/number.h"
#include "traces/formats/scan.h"

/* --------------------------------------------------------------- fields -- */

/* A copy of the field, which ends with a NUL. */
static struct margay_field keep_field(struct margay_csv *csv, const char *text,
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

void margay_csv_guess(const struct margay_csv *csv,
                      char guess[MARGAY_GUESS_BYTES])
{
    const unsigned *told = csv->told;
    bool fits = csv->first.names_only &&
                told[MARGAY_ROLE_ID] + told[MARGAY_ROLE_ADDRESS] > 0;
    size_t used = 0;
    guess[0] = '\0';
    for (unsigned role = 0; role < MARGAY_ROLES && fits; role++) {
        bool taken =
            role <= MARGAY_ROLE_TTL ||
            (role == MARGAY_ROLE_ADDRESS ? told[MARGAY_ROLE_ID] == 0
                                         : csv->known == csv->first.fields);
        fits = !taken || told[role] <= 1;
        /* With --unit, the numbers are ids. */
        bool ids =
            role == MARGAY_ROLE_ADDRESS && csv->options.given.unit_bytes != 0;
        if (taken && told[role] == 1)
            used +=
                (size_t)snprintf(guess + used, MARGAY_GUESS_BYTES - used,
                                 "%s%s=%s", used == 0 ? "" : ",",
                                 margay_role_names[ids ? MARGAY_ROLE_ID : role],
                                 csv->teller[role]);
    }
    if (!fits)
        guess[0] = '\0';
}

/* Read a field of the first row as a name, which decides whether the row is a
   header, and where columns are. */
static void examine_first(struct margay_csv *csv, const char *text,
                          size_t bytes)
{
    char name[MARGAY_NAME_BYTES];
    struct margay_csv_row *row = &csv->row;
    snprintf(name, sizeof name, "%.*s",
             (int)(bytes < MARGAY_NAME_BYTES ? bytes : MARGAY_NAME_BYTES - 1),
             text);
    char first = (char)(name[0] | 0x20);
    row->names_only = (row->fields == 1 || row->names_only) &&
                      ((first >= 'a' && first <= 'z') || name[0] == '_');
    size_t used = strlen(csv->names);
    snprintf(csv->names + used, sizeof csv->names - used, "%s%s",
             row->fields == 1 ? "" : ", ", name);
    for (unsigned v = 0; v < MARGAY_VARIANTS; v++) {
        for (unsigned i = 0; i < csv->choices[v].count; i++) {
            struct margay_named_column *column = &csv->choices[v].columns[i];
            if (column->name_bytes != bytes || column->given ||
                memcmp(column->name, text, bytes) != 0)
                continue;
            *(column->number == 0 ? &column->number : &column->again) =
                row->fields;
        }
    }
    unsigned role = margay_role_told(name);
    if (csv->options.given.column == NULL && role < MARGAY_ROLES) {
        csv->told[role]++;
        memcpy(csv->teller[role], name, strlen(name) + 1);
    }
    csv->known += role < MARGAY_ROLES || strcasecmp(name, "purpose") == 0;
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

void margay_csv_take_field(void *given, size_t bytes, void *context)
{
    struct margay_csv *csv = context;
    const struct margay_choice *choice = &csv->rows.choice;
    const struct margay_take *takes = csv->takes;
    const char *text = given == NULL ? "" : given;
    csv->row.fields++;
    if (csv->row_count < 2)
        csv->row.any_number |=
            is_number(text, bytes) ||
            (choice->addresses && bytes > 2 && margay_has_hex_prefix(text));
    if (csv->row_count == 0)
        examine_first(csv, text, bytes);
    bool chosen = csv->chosen && !csv->options.trial;
    /* Perhaps it is several of the choice. */
    const struct margay_field *same = NULL;
    for (; chosen && csv->taken < choice->count &&
           takes[csv->taken].column == csv->row.fields;
         csv->taken++) {
        struct margay_field *field = &csv->fields[takes[csv->taken].at];
        *field = same != NULL ? *same : keep_field(csv, text, bytes);
        same = field;
    }
    if (!chosen && csv->row.fields <= MARGAY_EARLY_FIELDS)
        csv->early[csv->row.fields - 1] = keep_field(csv, text, bytes);
}

/* -------------------------------------------------------------- choosing -- */

void margay_csv_choose(struct margay_csv *csv, unsigned variant)
{
    struct margay_choice *choice = &csv->rows.choice;
    *choice = margay_choice_found(&csv->choices[variant]);
    for (unsigned i = 0; i < choice->count; i++) {
        const struct margay_named_column *column = &choice->columns[i];
        unsigned at = i;
        for (; at > 0 && csv->takes[at - 1].column > column->number; at--)
            csv->takes[at] = csv->takes[at - 1];
        csv->takes[at] =
            (struct margay_take){column->number, (uint8_t)i, column->role};
    }
    csv->shape = csv->layout->variants[variant].shape;
    csv->chosen = true;
}

/* Has the row as many columns as the shape has letters, or more where there is
   an asterisk? */
static bool has_shape(const char *shape, size_t fields)
{
    size_t letters = strcspn(shape, "*");
    return shape[letters] == '*' ? fields >= letters : fields == letters;
}

/* Are the fields of the row, which are early ones, as the letters say?  The
   words of operations are checked when the row is read. */
static bool fits_letters(const struct margay_csv *csv, const char *shape)
{
    if (!has_shape(shape, csv->row.fields))
        return false;
    for (size_t i = 0; shape[i] != '\0' && shape[i] != '*'; i++) {
        const struct margay_field *field = &csv->early[i];
        if ((field->bytes == 0 && shape[i] != 'w' && shape[i] != 'e') ||
            (shape[i] == 'd' && !field->decimal) ||
            (shape[i] == 'n' && field->decimal))
            return false;
    }
    return true;
}

/* The first variant without names that the row fits, by the letters or by
   their number. */
static unsigned variant_of_row(const struct margay_csv *csv, bool by_letters)
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

/* Names that are not known do not say which of two variants the rows have: `v`,
   or another of as many columns that means something else by them. */
static bool refuse_names(struct margay_csv *csv, unsigned v)
{
    const struct margay_variant *variants = csv->layout->variants;
    unsigned w = csv->row.any_number ? MARGAY_VARIANTS : 0;
    while (w < MARGAY_VARIANTS &&
           (variants[w].shape == NULL ||
            !has_shape(variants[w].shape, csv->row.fields) ||
            strcmp(variants[w].columns, variants[v].columns) == 0))
        w++;
    if (w == MARGAY_VARIANTS)
        return false;
    snprintf(
        csv->message, sizeof csv->message,
        "names of columns that are known, or none, as those of %zu columns "
        "may mean %s or %s",
        csv->row.fields, variants[v].columns, variants[w].columns);
    csv->expected = csv->message;
    return true;
}

/* Where all columns that are read may hold text, only the second row shows
   whether the first one is a header. */
static bool may_be_text(const struct margay_csv *csv)
{
    const uint8_t *counts = csv->rows.choice.counts;
    return counts[MARGAY_ROLE_SIZE] + counts[MARGAY_ROLE_TIME] +
               counts[MARGAY_ROLE_TTL] + counts[MARGAY_ROLE_COUNT] +
               counts[MARGAY_ROLE_THREAD] + counts[MARGAY_ROLE_COST] ==
           0;
}

/* Choose the variant that fits the first row; true: it is a header. */
static bool choose_variant(struct margay_csv *csv)
{
    unsigned v = 0;
    while (v < MARGAY_VARIANTS && !(csv->choices[v].by_name &&
                                    margay_choice_is_found(&csv->choices[v])))
        v++;
    bool header = v < MARGAY_VARIANTS;
    if (!header)
        v = variant_of_row(csv, true);
    if (v == MARGAY_VARIANTS)
        v = variant_of_row(csv, false);
    if (v == MARGAY_VARIANTS || (!header && refuse_names(csv, v)))
        return false;
    margay_csv_choose(csv, v);
    return header || (!csv->row.any_number && !may_be_text(csv));
}

/* The expected first row: each number of columns once. */
static void refuse_variants(struct margay_csv *csv)
{
    const struct margay_variant *variants = csv->layout->variants;
    size_t used = 0, room = sizeof csv->message;
    for (unsigned v = 0; v < MARGAY_VARIANTS && used < room; v++) {
        const char *shape = variants[v].shape;
        const char *between = used == 0 ? "" : ", or ";
        bool open = false, said = variants[v].columns == NULL;
        size_t letters = shape == NULL ? 0 : strcspn(shape, "*");
        for (unsigned w = 0; w < MARGAY_VARIANTS && shape != NULL; w++) {
            const char *other = variants[w].shape;
            if (other == NULL || strcspn(other, "*") != letters)
                continue;
            open |= other[letters] == '*';
            said |= w < v;
        }
        if (!said && shape == NULL)
            used += (size_t)snprintf(csv->message + used, room - used,
                                     "%sa header with the columns of %s",
                                     between, variants[v].columns);
        else if (!said)
            used += (size_t)snprintf(csv->message + used, room - used,
                                     "%s%zu columns%s", between, letters,
                                     open ? " or more" : "");
    }
    csv->expected = csv->message;
}

/* The column of ids is not named by a layout: by --column, or it is the only
   one. */
static void choose_column(struct margay_csv *csv)
{
    const struct margay_choice *choice = &csv->choices[0];
    const struct margay_named_column *bad = NULL;
    for (unsigned i = choice->count; i-- > 0;) {
        if (choice->columns[i].number == 0 || choice->columns[i].again != 0)
            bad = &choice->columns[i];
    }
    if (bad != NULL) {
        int bytes =
            (int)(bad->name_bytes < MARGAY_NAME_BYTES ? bad->name_bytes
                                                      : MARGAY_NAME_BYTES);
        csv->expected = csv->message;
        if (bad->number == 0)
            snprintf(csv->message, sizeof csv->message,
                     "a column named '%.*s' among %s", bytes, bad->name,
                     csv->names);
        else
            snprintf(csv->message, sizeof csv->message,
                     "one column named '%.*s', not %llu and %llu (--column "
                     "takes numbers, too)",
                     bytes, bad->name, (unsigned long long)bad->number,
                     (unsigned long long)bad->again);
    } else if (csv->options.given.column == NULL && csv->row.fields != 1) {
        snprintf(csv->message, sizeof csv->message,
                 "--column NAME or N to choose one of the columns %s",
                 csv->names);
        csv->expected = csv->message;
    } else if (!csv->chosen) {
        margay_csv_choose(csv, 0);
    }
}

/* The fields of the choice, from those of the first row. */
static void take_early(struct margay_csv *csv)
{
    uint64_t shown = margay_minimum(csv->row.fields, MARGAY_EARLY_FIELDS);
    for (; csv->taken < csv->rows.choice.count &&
           csv->takes[csv->taken].column <= shown;
         csv->taken++)
        csv->fields[csv->takes[csv->taken].at] =
            csv->early[csv->takes[csv->taken].column - 1];
}

/* ----------------------------------------------------------------- rows -- */

/* A field that the row lacks has no text. */
static const char *read_row(struct margay_csv *csv,
                            struct margay_row_reference *reference)
{
    for (unsigned i = csv->taken; i < csv->rows.choice.count; i++)
        csv->fields[csv->takes[i].at] = (struct margay_field){.text = NULL};
    return margay_rows_read(&csv->rows, csv->fields, csv->row.fields,
                            reference);
}

static void append(struct margay_csv *csv,
                   const struct margay_row_reference *row)
{
    csv->again = *row;
    csv->left = row->count;
    if (csv->left > 0) {
        margay_rows_append(row, csv->references);
        csv->left--;
    }
}

void margay_csv_append_first(struct margay_csv *csv)
{
    if (csv->first_fails)
        csv->expected = csv->first_message;
    else
        append(csv, &csv->first_reference);
}

static void end_first_row(struct margay_csv *csv)
{
    csv->first = csv->row;
    csv->first_line = csv->row_line;
    bool header, doubtful = false;
    if (csv->layout == &margay_layout_any) {
        choose_column(csv);
        header = csv->choices[0].by_name;
        /* Dates, fractions and negative numbers are none of its numbers. */
        doubtful = !header && !csv->row.any_number && !may_be_text(csv);
    } else {
        header = choose_variant(csv);
        if (!csv->chosen && csv->expected == NULL)
            refuse_variants(csv);
    }
    if (csv->expected != NULL || header)
        return;
    take_early(csv);
    csv->rows.in_first_row = true;
    const char *expected = read_row(csv, &csv->first_reference);
    csv->rows.in_first_row = false;
    if (doubtful && expected != NULL)
        return; /* names, where numbers have to be */
    csv->first_fails = expected != NULL;
    if (csv->first_fails)
        snprintf(csv->first_message, sizeof csv->first_message, "%s", expected);
    const uint8_t *counts = csv->rows.choice.counts;
    csv->first_is_pending =
        may_be_text(csv) ||
        (doubtful && counts[MARGAY_ROLE_TIME] + counts[MARGAY_ROLE_TTL] == 0);
    if (!csv->first_is_pending)
        margay_csv_append_first(csv);
}

static void end_data_row(struct margay_csv *csv)
{
    struct margay_row_reference reference;
    bool header = !csv->first.any_number && csv->row.any_number;
    if (csv->first_is_pending && !header)
        margay_csv_append_first(csv);
    csv->first_is_pending = false;
    if (csv->expected == NULL)
        csv->expected = read_row(csv, &reference);
    if (csv->expected == NULL)
        append(csv, &reference);
}

/* --------------------------------------------------------------- trials -- */

/* A trial needs no column of ids.  A trace whose suffix does not name the
   format must have a header, and rows with as many fields. */
static void end_trial_row(struct margay_csv *csv)
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

static void end_layout_trial_row(struct margay_csv *csv)
{
    struct margay_row_reference reference;
    bool header = csv->row_count == 0 && choose_variant(csv);
    if (csv->row_count == 0)
        csv->first = csv->row;
    if (header)
        return;
    if (!csv->chosen ||
        !(csv->shape == NULL ? csv->row.fields == csv->first.fields
                             : fits_letters(csv, csv->shape))) {
        csv->expected = "a row of this layout";
        return;
    }
    csv->taken = 0;
    take_early(csv);
    csv->expected = read_row(csv, &reference);
    if (csv->expected != NULL)
        return;
    if (csv->layout->ascends &&
        (reference.time < csv->last_time ||
         reference.time / MARGAY_SECOND < csv->layout->least_seconds))
        csv->expected = "times that do not go back";
    else
        margay_rows_append(&reference, csv->references);
    csv->last_time = reference.time;
}

void margay_csv_take_row(int terminator, void *context)
{
    struct margay_csv *csv = context;
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
    csv->row = (struct margay_csv_row){.fields = 0};
    csv->taken = 0;
    csv->arena_used = 0;
}
