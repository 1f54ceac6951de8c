/*
 * gate.c - what is worse in a table than in another of its kind
 *
 * Values are compared as they are written, so that the answer is the same on
 * every machine.
 */
#include "sim/command/gate.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result/json.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

/* Changes for the worse that are told one by one. */
#define MOST_TOLD 10

static const char *base_cell(const struct gate *gate, size_t row, size_t column)
{
    return cells_at(&gate->match->base, row, column);
}

static const char *new_cell(const struct gate *gate, size_t row, size_t column)
{
    return cells_at(&gate->match->now, gate->match->partner[row], column);
}

/* ---------------------------------------------------------------- judging */

static enum margay_status fail_value(const struct cells *cells, size_t row,
                                     size_t column, const char *expected,
                                     struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s:%" PRIu64 ": found %s '%.40s', expected %s",
                       cells->path, cells_line(cells, row),
                       cells_name(cells, column), cells_at(cells, row, column),
                       expected);
}

static enum margay_status read_ratio(const struct cells *cells, size_t row,
                                     size_t column, double *ratio,
                                     struct margay_error *error)
{
    const char *cell = cells_at(cells, row, column);
    *ratio = json_is_number(cell) ? strtod(cell, NULL) : -1;
    /* A ratio is printed with 12 digits and may be rounded up. */
    if (*ratio < 0 || *ratio > 1 + 1e-9)
        return fail_value(cells, row, column, "a number from 0 to 1", error);
    return MARGAY_OK;
}

static enum margay_status read_count(const struct cells *cells, size_t row,
                                     size_t column, uint64_t *count,
                                     struct margay_error *error)
{
    if (!margay_parse_u64(cells_at(cells, row, column), count))
        return fail_value(cells, row, column, "a count", error);
    return MARGAY_OK;
}

static enum margay_status rise_of_ratio(const struct gate *gate,
                                        struct change *change,
                                        struct margay_error *error)
{
    const struct match *match = gate->match;
    double was = 0, is = 0;
    enum margay_status status =
        read_ratio(&match->base, change->row, change->column, &was, error);
    if (status == MARGAY_OK)
        status = read_ratio(&match->now, match->partner[change->row],
                            change->column, &is, error);
    change->rise = is - was;
    return status;
}

/* As a part of the base's references; of none, without end. */
static enum margay_status rise_of_misses(const struct gate *gate,
                                         struct change *change,
                                         struct margay_error *error)
{
    const struct match *match = gate->match;
    uint64_t was = 0, is = 0, references = 0;
    enum margay_status status =
        read_count(&match->base, change->row, change->column, &was, error);
    if (status == MARGAY_OK)
        status = read_count(&match->now, match->partner[change->row],
                            change->column, &is, error);
    if (status == MARGAY_OK)
        status = read_count(&match->base, change->row, gate->references,
                            &references, error);
    double more = is > was ? (double)(is - was) : -(double)(was - is);
    change->rise = more == 0 ? 0 : more / (double)references;
    return status;
}

/* Differences of ratios, all below 1, err by less than the margin, so that a
   rise by what the tolerance says is within. */
static bool is_worse(const struct gate *gate, const struct change *change)
{
    double margin = gate->tolerance > 0 ? 1e-15 : 0;
    return change->rise > gate->tolerance + margin;
}

/* What neither table has is unknown in both. */
static enum margay_status judge_value(struct gate *gate, size_t row,
                                      size_t column, struct margay_error *error)
{
    struct change change = {.row = row, .column = column};
    bool was_empty = *base_cell(gate, row, column) == '\0';
    bool is_empty = *new_cell(gate, row, column) == '\0';
    enum margay_status status = MARGAY_OK;
    change.is_lost = was_empty != is_empty;
    if (was_empty && is_empty)
        return MARGAY_OK;
    if (change.is_lost)
        change.rise = INFINITY;
    else if (gate->judged == COLUMN_RATIO)
        status = rise_of_ratio(gate, &change, error);
    else
        status = rise_of_misses(gate, &change, error);
    gate->compared_count += !change.is_lost;
    gate->worse_count += is_worse(gate, &change);
    if (change.rise != 0)
        gate->changes[gate->change_count++] = change;
    return status;
}

/* What is worse comes first; of rises alike, the first row. */
static int compare_changes(const void *a, const void *b)
{
    const struct change *one = a, *other = b;
    if (one->rise != other->rise)
        return one->rise < other->rise ? 1 : -1;
    return (one->row > other->row) - (one->row < other->row);
}

/* Misses are judged where there is no ratio, and references to relate them
   to. */
static void choose_columns(struct gate *gate)
{
    const struct match *match = gate->match;
    gate->judged = COLUMN_KEY; /* none */
    gate->references = cells_column(&match->base, "references");
    for (size_t i = 0; i < match->base.columns; i++) {
        if (match->roles[i] == COLUMN_RATIO)
            gate->judged = COLUMN_RATIO;
        else if (match->roles[i] == COLUMN_MISSES &&
                 gate->judged != COLUMN_RATIO && gate->references != SIZE_MAX)
            gate->judged = COLUMN_MISSES;
    }
}

enum margay_status gate_judge(struct gate *gate, const struct match *match,
                              double tolerance, struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    const struct cells *base = &match->base;
    *gate = (struct gate){.match = match, .tolerance = tolerance};
    choose_columns(gate);
    gate->changes =
        calloc(base->rows * base->columns + 1, sizeof *gate->changes);
    if (gate->changes == NULL)
        return margay_fail_memory(error, "the changes");
    for (size_t row = 0; row < base->rows; row++) {
        for (size_t i = 0; i < base->columns && status == MARGAY_OK; i++) {
            if (match->roles[i] == gate->judged && gate->judged != COLUMN_KEY)
                status = judge_value(gate, row, i, error);
        }
    }
    qsort(gate->changes, gate->change_count, sizeof *gate->changes,
          compare_changes);
    return status;
}

void gate_clear(struct gate *gate)
{
    free(gate->changes);
    *gate = (struct gate){.match = NULL};
}

/* --------------------------------------------------------------- in words */

static void tell_change(const struct gate *gate, const struct change *change)
{
    char keys[200];
    const char *name = cells_name(&gate->match->base, change->column);
    const char *was = base_cell(gate, change->row, change->column);
    const char *is = new_cell(gate, change->row, change->column);
    match_describe(gate->match, &gate->match->base, change->row, keys,
                   sizeof keys);
    if (*is == '\0')
        message_keep("%s: %s is empty, and was %s", keys, name, was);
    else if (*was == '\0')
        message_keep("%s: %s is %s, and was empty", keys, name, is);
    else if (gate->judged == COLUMN_RATIO)
        message_keep("%s: %s rose from %.6g to %.6g, by %.6g", keys, name,
                     strtod(was, NULL), strtod(is, NULL), change->rise);
    else
        message_keep("%s: %s rose from %s to %s, of %s references", keys, name,
                     was, is, base_cell(gate, change->row, gate->references));
}

static void tell_counts(const struct gate *gate, size_t lost, size_t fell)
{
    bool ratios = gate->judged == COLUMN_RATIO;
    char most[40] = "";
    size_t worse = gate->worse_count - lost;
    if (fell > 0)
        snprintf(most, sizeof most, ", by at most %.6g",
                 -gate->changes[gate->change_count - 1].rise);
    message_keep("of %zu %s%s, %zu rose by more than %g%s, %zu by less, and "
                 "%zu fell%s",
                 gate->compared_count, ratios ? "miss ratio" : "count",
                 margay_plural(gate->compared_count, "s"), worse,
                 gate->tolerance, ratios ? "" : " of the references",
                 gate->change_count - gate->worse_count - fell, fell, most);
}

void gate_tell(const struct gate *gate)
{
    size_t lost = 0, fell = 0;
    for (size_t i = 0; i < gate->change_count; i++) {
        lost += gate->changes[i].is_lost;
        fell += gate->changes[i].rise < 0;
    }
    for (size_t i = 0; i < gate->worse_count && i < MOST_TOLD; i++)
        tell_change(gate, &gate->changes[i]);
    if (gate->worse_count > MOST_TOLD)
        message_keep("and %zu more", gate->worse_count - MOST_TOLD);
    if (gate->compared_count == 0 && lost == 0)
        message_keep("the tables have no miss ratios or misses to compare");
    else
        tell_counts(gate, lost, fell);
}
