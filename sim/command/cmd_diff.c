/* cmd_diff.c - margay diff: what changed between two tables of one kind */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/command/gate.h"
#include "sim/options/commands.h"
#include "sim/options/options.h"
#include "sim/result/csv.h"
#include "sim/result/json.h"
#include "sim/result/match.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"

struct diff {
    struct match match;
    struct gate gate;
    struct csv_writer csv;
};

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
        const char *was = cells_at(base, row, column);
        const char *is =
            cells_at(&diff->match.now, diff->match.partner[row], column);
        if (roles[column] == COLUMN_KEY || roles[column] == COLUMN_OTHER ||
            strcmp(was, is) == 0)
            continue;
        for (size_t i = 0; i < base->columns; i++) {
            if (roles[i] == COLUMN_KEY)
                write_cell(&diff->csv, cells_name(base, i),
                           cells_at(base, row, i));
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
    struct diff diff = {.gate = {.match = NULL}};
    char *columns = NULL;
    struct margay_error error;
    double tolerance = fmax(options->caches.tolerance, 0); /* < 0: not given */
    enum margay_status status = match_read(&diff.match, options->operands[0],
                                           options->operands[1], &error);
    if (status == MARGAY_OK)
        status = gate_judge(&diff.gate, &diff.match, tolerance, &error);
    if (status == MARGAY_OK && (columns = name_columns(&diff)) == NULL)
        status = margay_fail_memory(&error, "the columns");
    if (status == MARGAY_OK)
        status = csv_open(&diff.csv, options->output, options->json, columns,
                          &error);
    for (size_t i = 0; i < diff.match.base.rows && status == MARGAY_OK; i++)
        write_rows(&diff, i);
    if (status == MARGAY_OK && !options->quiet && diff.match.base_trace != NULL)
        message_keep("%s is compared with %s", diff.match.base_trace,
                     diff.match.now_trace);
    if (status == MARGAY_OK && !options->quiet)
        gate_tell(&diff.gate);
    bool is_worse = diff.gate.worse_count > 0;
    gate_clear(&diff.gate);
    match_clear(&diff.match);
    int exit_status = csv_conclude(status, &diff.csv, 1, &error);
    free(columns);
    return exit_status == EXIT_DONE && is_worse ? EXIT_DENIED : exit_status;
}
