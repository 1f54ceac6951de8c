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

static void write_rows(struct diff *diff)
{
    const struct cells *base = &diff->match.base;
    for (size_t row = 0; row < base->rows; row++) {
        for (size_t i = 0; i < base->columns; i++) {
            enum column_role role = diff->match.roles[i];
            if (role != COLUMN_KEY && role != COLUMN_OTHER)
                write_row(diff, row, i);
        }
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

static enum margay_status write_table(struct diff *diff,
                                      const struct options *options,
                                      struct output **output,
                                      struct margay_error *error)
{
    char *columns = name_columns(diff);
    if (columns == NULL)
        return margay_fail_memory(error, "the columns");
    enum margay_status status =
        output_open(options->output, OUTPUT_HELD, output, error);
    if (status == MARGAY_OK) {
        csv_begin(&diff->csv, *output, options->json, columns);
        write_rows(diff);
        csv_end(&diff->csv);
    }
    free(columns);
    return status;
}

int cmd_diff(const struct options *options)
{
    struct diff diff = {.gate = {.match = NULL}};
    struct output *output = NULL;
    struct margay_error error;
    double tolerance = fmax(options->caches.tolerance, 0); /* < 0: not given */
    enum margay_status status = match_read(&diff.match, options->operands[0],
                                           options->operands[1], &error);
    if (status == MARGAY_OK)
        status = gate_judge(&diff.gate, &diff.match, tolerance, &error);
    if (status == MARGAY_OK)
        status = write_table(&diff, options, &output, &error);
    if (status == MARGAY_OK && !options->quiet && diff.match.base_trace != NULL)
        message_keep("%s is compared with %s", diff.match.base_trace,
                     diff.match.now_trace);
    if (status == MARGAY_OK && !options->quiet)
        gate_tell(&diff.gate);
    bool is_worse = diff.gate.worse_count > 0;
    gate_clear(&diff.gate);
    match_clear(&diff.match);
    int exit_status = conclude(status, &output, 1, &error);
    return exit_status == EXIT_DONE && is_worse ? EXIT_DENIED : exit_status;
}
