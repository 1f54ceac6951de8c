/*
 * cmd_diff.c - margay diff: the changes between two tables of one kind
 *
 * Values are compared as they are written, so that the answer is the same on
 * every machine.  Ratios are judged or, where there are none, misses: a ratio
 * is worse if it rose by more than the tolerance, misses if they rose by more
 * than that part of the base's references, and either if only one of the tables
 * has a value.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/options/commands.h"
#include "sim/options/options.h"
#include "sim/result/csv.h"
#include "sim/result/json.h"
#include "sim/result/match.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

/* Changes for the worse that are named one by one. */
#define MOST_TOLD 10

/* A value of a judged column that is another one. */
struct change {
    size_t row, column; /* of the base */
    double rise;        /* as a fraction of 1 */
    bool is_lost;       /* one of the tables has no value */
};

struct diff {
    struct match match;
    struct csv_writer csv;
    double tolerance;
    enum column_role judged; /* COLUMN_RATIO or COLUMN_MISSES; or no column */
    size_t references;       /* the column of them, if misses are judged */
    struct change *changes;  /* owned */
    size_t change_count, compared_count, worse_count;
};

static const char *base_cell(const struct diff *diff, size_t row, size_t column)
{
    return cells_at(&diff->match.base, row, column);
}

static const char *new_cell(const struct diff *diff, size_t row, size_t column)
{
    return cells_at(&diff->match.now, diff->match.partner[row], column);
}

/* --------------------------------------------------------------- judging -- */

/* Ratios have 12 digits and may be rounded up; long doubles hold any count. */
static enum margay_status read_value(const struct cells *cells, size_t row,
                                     size_t column, bool is_ratio,
                                     long double *value,
                                     struct margay_error *error)
{
    const char *cell = cells_at(cells, row, column);
    uint64_t count;
    *value = strtold(cell, NULL);
    if (is_ratio ? json_is_number(cell) && *value >= 0 && *value <= 1 + 1e-9
                 : margay_parse_u64(cell, &count))
        return MARGAY_OK;
    return csv_fail(cells->path, cells_line(cells, row), error,
                    "found %s '%.40s', expected a %s",
                    cells_name(cells, column), cell,
                    is_ratio ? "number from 0 to 1" : "count");
}

/* By how much a value rose: misses as a part of the base's references; of none,
   without end. */
static enum margay_status find_rise(const struct diff *diff,
                                    struct change *change,
                                    struct margay_error *error)
{
    const struct cells *base = &diff->match.base, *now = &diff->match.now;
    size_t row = change->row, column = change->column;
    long double was, is = 0, references = 1;
    bool ratios = diff->judged == COLUMN_RATIO;
    enum margay_status status =
        read_value(base, row, column, ratios, &was, error);
    if (status == MARGAY_OK)
        status = read_value(now, diff->match.partner[row], column, ratios, &is,
                            error);
    if (status == MARGAY_OK && !ratios)
        status =
            read_value(base, row, diff->references, false, &references, error);
    change->rise = is == was ? 0 : (double)((is - was) / references);
    return status;
}

/* A value that neither table has is unknown in both.  Differences of ratios,
   all below 1, err by less than the margin, so that a rise by exactly the
   tolerance is within. */
static enum margay_status judge_value(struct diff *diff, size_t row,
                                      size_t column, struct margay_error *error)
{
    struct change change = {.row = row, .column = column, .rise = INFINITY};
    bool was_empty = *base_cell(diff, row, column) == '\0';
    bool is_empty = *new_cell(diff, row, column) == '\0';
    enum margay_status status = MARGAY_OK;
    if (was_empty && is_empty)
        return MARGAY_OK;
    change.is_lost = was_empty != is_empty;
    if (!change.is_lost)
        status = find_rise(diff, &change, error);
    diff->compared_count += !change.is_lost;
    diff->worse_count +=
        change.rise > diff->tolerance + (diff->tolerance > 0 ? 1e-15 : 0);
    if (change.rise != 0)
        diff->changes[diff->change_count++] = change;
    return status;
}

/* The worst comes first; of rises alike, the first row. */
static int compare_changes(const void *a, const void *b)
{
    const struct change *one = a, *other = b;
    if (one->rise != other->rise)
        return one->rise < other->rise ? 1 : -1;
    return (one->row > other->row) - (one->row < other->row);
}

/* Misses are judged where there is no ratio, and references to relate them
   to. */
static enum margay_status judge(struct diff *diff, struct margay_error *error)
{
    const struct match *match = &diff->match;
    const struct cells *base = &match->base;
    enum margay_status status = MARGAY_OK;
    diff->judged = COLUMN_KEY; /* none */
    diff->references = cells_column(base, "references");
    for (size_t i = 0; i < base->columns; i++) {
        if (match->roles[i] == COLUMN_RATIO)
            diff->judged = COLUMN_RATIO;
        else if (match->roles[i] == COLUMN_MISSES &&
                 diff->judged != COLUMN_RATIO && diff->references != SIZE_MAX)
            diff->judged = COLUMN_MISSES;
    }
    diff->changes =
        calloc(base->rows * base->columns + 1, sizeof *diff->changes);
    if (diff->changes == NULL)
        return margay_fail_memory(error, "the changes");
    for (size_t row = 0; row < base->rows; row++) {
        for (size_t i = 0; i < base->columns && status == MARGAY_OK; i++) {
            if (match->roles[i] == diff->judged && diff->judged != COLUMN_KEY)
                status = judge_value(diff, row, i, error);
        }
    }
    qsort(diff->changes, diff->change_count, sizeof *diff->changes,
          compare_changes);
    return status;
}

/* -------------------------------------------------------------- in words -- */

static void tell_change(const struct diff *diff, const struct change *change)
{
    char keys[200];
    const char *name = cells_name(&diff->match.base, change->column);
    const char *was = base_cell(diff, change->row, change->column);
    const char *is = new_cell(diff, change->row, change->column);
    const char *of = base_cell(diff, change->row, diff->references);
    match_describe(&diff->match, &diff->match.base, change->row, keys,
                   sizeof keys);
    if (*is == '\0')
        message_tell("%s: %s is empty, and was %s", keys, name, was);
    else if (*was == '\0')
        message_tell("%s: %s is %s, and was empty", keys, name, is);
    else if (diff->judged == COLUMN_RATIO)
        message_tell("%s: %s rose from %.6g to %.6g, by %.6g", keys, name,
                     strtod(was, NULL), strtod(is, NULL), change->rise);
    else
        message_tell("%s: %s rose from %s to %s, of %s reference%s", keys, name,
                     was, is, of, strcmp(of, "1") == 0 ? "" : "s");
}

/* Name the changes for the worse, the largest rise first. */
static void tell_changes(const struct diff *diff)
{
    bool ratios = diff->judged == COLUMN_RATIO;
    char most[40] = "";
    size_t count = diff->change_count, worse = diff->worse_count;
    size_t lost = 0, fell = 0;
    for (size_t i = 0; i < count; i++) {
        lost += diff->changes[i].is_lost;
        fell += diff->changes[i].rise < 0;
    }
    if (diff->match.base_trace != NULL)
        message_tell("%s is compared with %s", diff->match.base_trace,
                     diff->match.now_trace);
    for (size_t i = 0; i < worse && i < MOST_TOLD; i++)
        tell_change(diff, &diff->changes[i]);
    if (worse > MOST_TOLD)
        message_tell("and %zu more", worse - MOST_TOLD);
    if (fell > 0)
        snprintf(most, sizeof most, ", by at most %.6g",
                 -diff->changes[count - 1].rise);
    if (diff->compared_count == 0 && lost == 0)
        message_tell("the tables have no miss ratios or misses to compare");
    else
        message_tell("of %zu %s%s, %zu rose by more than %g%s, %zu by less, "
                     "and %zu fell%s",
                     diff->compared_count, ratios ? "miss ratio" : "count",
                     margay_plural(diff->compared_count, "s"), worse - lost,
                     diff->tolerance, ratios ? "" : " of the references",
                     count - worse - fell, fell, most);
}

/* ------------------------------------------------------------- the rows -- */

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

/* A row for each value that is another one. */
static void write_rows(struct diff *diff, size_t row)
{
    const struct cells *base = &diff->match.base;
    const enum column_role *roles = diff->match.roles;
    for (size_t column = 0; column < base->columns; column++) {
        const char *name = cells_name(base, column);
        const char *was = base_cell(diff, row, column);
        const char *is = new_cell(diff, row, column);
        if (roles[column] == COLUMN_KEY || roles[column] == COLUMN_OTHER ||
            strcmp(was, is) == 0)
            continue;
        for (size_t i = 0; i < base->columns; i++) {
            if (roles[i] == COLUMN_KEY)
                write_cell(&diff->csv, cells_name(base, i),
                           base_cell(diff, row, i));
        }
        csv_text(&diff->csv, name);
        write_cell(&diff->csv, name, was);
        write_cell(&diff->csv, name, is);
        write_change(&diff->csv, was, is);
        csv_end_row(&diff->csv);
    }
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

int cmd_diff(const struct options *options)
{
    /* A tolerance below 0 is one that is not given. */
    struct diff diff = {.tolerance = fmax(options->caches.tolerance, 0)};
    char *columns = NULL;
    struct margay_error error;
    enum margay_status status = match_read(&diff.match, options->operands[0],
                                           options->operands[1], &error);
    if (status == MARGAY_OK)
        status = judge(&diff, &error);
    if (status == MARGAY_OK && (columns = name_columns(&diff)) == NULL)
        status = margay_fail_memory(&error, "the columns");
    if (status == MARGAY_OK)
        status = csv_open(&diff.csv, options->output, options->json, CSV_ROWS,
                          columns, &error);
    for (size_t i = 0; i < diff.match.base.rows && status == MARGAY_OK; i++)
        write_rows(&diff, i);
    if (status == MARGAY_OK)
        tell_changes(&diff);
    free(diff.changes);
    match_clear(&diff.match);
    int exit_status = csv_conclude(status, &diff.csv, 1, &error);
    free(columns);
    return exit_status == EXIT_DONE && diff.worse_count > 0 ? EXIT_DENIED
                                                            : exit_status;
}
