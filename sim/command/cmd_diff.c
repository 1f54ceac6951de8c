/*
 * cmd_diff.c - margay diff: what changed between two tables of one kind
 *
 * Rows are matched by their keys, whatever their order.  Cells are compared as
 * they are written, so that the answer is the same on every machine.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/command/request.h"
#include "sim/options/commands.h"
#include "sim/options/options.h"
#include "sim/tables/csv.h"
#include "sim/tables/json.h"
#include "sim/tables/match.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"

/* Rises that are told one by one. */
#define MOST_TOLD 10

/* A ratio that is another one. */
struct change {
    size_t row, column; /* of the base */
    double base, now;
};

struct diff {
    struct match match;
    struct change *changes; /* owned */
    size_t change_count, ratio_count;
    double tolerance;
    struct csv_writer csv;
};

/* ------------------------------------------------------------ the changes */

static enum margay_status read_ratio(const struct cells *cells, size_t row,
                                     size_t column, double *ratio,
                                     struct margay_error *error)
{
    const char *cell = cells_at(cells, row, column);
    if (json_is_number(cell)) {
        *ratio = strtod(cell, NULL);
        return MARGAY_OK;
    }
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s:%" PRIu64 ": found %s '%.40s', expected a number",
                       cells->path, cells_line(cells, row),
                       cells_name(cells, column), cell);
}

/* An empty ratio is unknown: it neither rises nor falls. */
static enum margay_status note_ratio(struct diff *diff, size_t row,
                                     size_t column, struct margay_error *error)
{
    size_t partner = diff->match.partner[row];
    struct change change = {row, column, 0, 0};
    if (*cells_at(&diff->match.base, row, column) == '\0' ||
        *cells_at(&diff->match.now, partner, column) == '\0')
        return MARGAY_OK;
    enum margay_status status =
        read_ratio(&diff->match.base, row, column, &change.base, error);
    if (status == MARGAY_OK)
        status =
            read_ratio(&diff->match.now, partner, column, &change.now, error);
    diff->ratio_count++;
    if (status == MARGAY_OK && change.base != change.now)
        diff->changes[diff->change_count++] = change;
    return status;
}

/* The difference of two counts is exact. */
static void write_change(struct csv_writer *csv, const char *base,
                         const char *now)
{
    int64_t change;
    uint64_t was, is;
    if (!json_is_number(base) || !json_is_number(now))
        csv_nothing(csv);
    else if (margay_parse_u64(base, &was) && margay_parse_u64(now, &is) &&
             !__builtin_sub_overflow(is, was, &change))
        csv_i64(csv, change);
    else
        csv_decimal(csv, strtod(now, NULL) - strtod(base, NULL));
}

static void write_cell(struct csv_writer *csv, const char *name,
                       const char *text)
{
    if (column_is_text(name))
        csv_text(csv, text);
    else
        csv_cell(csv, text);
}

static void write_row(struct diff *diff, size_t row, size_t column)
{
    const struct cells *base = &diff->match.base;
    const char *name = cells_name(base, column);
    const char *was = cells_at(base, row, column);
    const char *is =
        cells_at(&diff->match.now, diff->match.partner[row], column);
    if (strcmp(was, is) == 0)
        return;
    for (size_t i = 0; i < base->columns; i++) {
        if (diff->match.roles[i] == COLUMN_KEY)
            write_cell(&diff->csv, cells_name(base, i), cells_at(base, row, i));
    }
    csv_text(&diff->csv, name);
    write_cell(&diff->csv, name, was);
    write_cell(&diff->csv, name, is);
    write_change(&diff->csv, was, is);
    csv_end_row(&diff->csv);
}

static enum margay_status write_rows(struct diff *diff,
                                     struct margay_error *error)
{
    const struct cells *base = &diff->match.base;
    enum margay_status status = MARGAY_OK;
    diff->changes =
        calloc(base->rows * base->columns + 1, sizeof *diff->changes);
    if (diff->changes == NULL)
        return margay_fail_memory(error, "the changes");
    for (size_t row = 0; row < base->rows; row++) {
        for (size_t i = 0; i < base->columns && status == MARGAY_OK; i++) {
            if (diff->match.roles[i] == COLUMN_RATIO)
                status = note_ratio(diff, row, i, error);
            if (diff->match.roles[i] != COLUMN_KEY)
                write_row(diff, row, i);
        }
    }
    return status;
}

/* The key columns of the tables and those of DIFF_COLUMNS, owned by the caller;
   NULL = no memory. */
static char *name_columns(const struct diff *diff)
{
    const struct cells *base = &diff->match.base;
    size_t bytes = sizeof DIFF_COLUMNS, used = 0;
    for (size_t i = 0; i < base->columns; i++)
        bytes += strlen(cells_name(base, i)) + 1;
    char *columns = malloc(bytes);
    for (size_t i = 0; i < base->columns && columns != NULL; i++) {
        if (diff->match.roles[i] == COLUMN_KEY)
            used += (size_t)sprintf(columns + used, "%s,", cells_name(base, i));
    }
    if (columns != NULL)
        strcpy(columns + used, DIFF_COLUMNS);
    return columns;
}

/* --------------------------------------------------------------- in words */

static double rise_of(const struct change *change)
{
    return change->now - change->base;
}

/* The largest rise first; of the same, the first row. */
static int compare_changes(const void *a, const void *b)
{
    const struct change *one = a, *other = b;
    double rise = rise_of(one), of_other = rise_of(other);
    if (rise != of_other)
        return rise < of_other ? 1 : -1;
    return (one->row > other->row) - (one->row < other->row);
}

/* Differences of ratios, all below 1, err by less than the margin, so that a
   rise by what the tolerance says is within. */
static bool is_worse(const struct diff *diff, const struct change *change)
{
    double margin = diff->tolerance > 0 ? 1e-15 : 0;
    return rise_of(change) > diff->tolerance + margin;
}

static void tell_rise(const struct diff *diff, const struct change *change)
{
    char keys[200];
    match_describe(&diff->match, &diff->match.base, change->row, keys,
                   sizeof keys);
    message_keep("%s: %s rose from %.6g to %.6g, by %.6g", keys,
                 cells_name(&diff->match.base, change->column), change->base,
                 change->now, rise_of(change));
}

static void tell_counts(const struct diff *diff, size_t worse, size_t fell)
{
    char most[40] = "";
    if (fell > 0)
        snprintf(most, sizeof most, ", by at most %.6g",
                 -rise_of(&diff->changes[diff->change_count - 1]));
    message_keep("of %zu miss ratio%s, %zu rose by more than %g, %zu by less, "
                 "and %zu fell%s",
                 diff->ratio_count, margay_plural(diff->ratio_count, "s"),
                 worse, diff->tolerance, diff->change_count - worse - fell,
                 fell, most);
}

/* Returns whether a ratio rose by more than the tolerance. */
static bool tell(struct diff *diff)
{
    size_t worse = 0, fell = 0;
    qsort(diff->changes, diff->change_count, sizeof *diff->changes,
          compare_changes);
    for (size_t i = 0; i < diff->change_count; i++) {
        worse += is_worse(diff, &diff->changes[i]);
        fell += rise_of(&diff->changes[i]) < 0;
    }
    for (size_t i = 0; i < worse && i < MOST_TOLD; i++)
        tell_rise(diff, &diff->changes[i]);
    if (worse > MOST_TOLD)
        message_keep("and %zu more", worse - MOST_TOLD);
    if (diff->ratio_count == 0)
        message_keep("the tables have no miss ratios to compare");
    else
        tell_counts(diff, worse, fell);
    return worse > 0;
}

/* ---------------------------------------------------------- the command -- */

int cmd_diff(const struct options *options)
{
    struct diff diff = {.tolerance = 0};
    struct output *output = NULL;
    struct margay_error error;
    char *columns = NULL;
    bool worse = false;
    if (options->caches.tolerance > 0)
        diff.tolerance = options->caches.tolerance;
    enum margay_status status = match_read(&diff.match, options->operands[0],
                                           options->operands[1], &error);
    if (status == MARGAY_OK && (columns = name_columns(&diff)) == NULL)
        status = margay_fail_memory(&error, "the columns");
    if (status == MARGAY_OK)
        status = output_open(options->output, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK) {
        csv_begin(&diff.csv, output, options->json, columns);
        status = write_rows(&diff, &error);
    }
    if (status == MARGAY_OK)
        worse = tell(&diff);
    match_clear(&diff.match);
    free(diff.changes);
    int exit_status = conclude(status, &output, 1, &error);
    free(columns);
    return exit_status == EXIT_DONE && worse ? EXIT_DENIED : exit_status;
}
