/* cmd_overlap.c - margay overlap: how alike two histograms are */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/options/commands.h"
#include "sim/options/options.h"
#include "sim/result/csv.h"
#include "sim/result/run_csv.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"
#include <margay/prediction.h>

struct overlap {
    const struct options *options;
    struct run_places tables[2];
    struct csv_writer csv;
    double finite[2]; /* references of each table at finite distances */
    /* The mean: its sum, each place by its share of these references, of both
       tables alike; and how many places that is over. */
    double mean;
    size_t places;
};

/* ----------------------------------------------------------- the tables -- */

static uint64_t finite_of(const struct run_csv *run)
{
    return run == NULL ? 0
                       : margay_histogram_references(run->histogram) -
                             margay_histogram_infinite(run->histogram);
}

static enum margay_status read_both(struct overlap *overlap,
                                    struct margay_error *error)
{
    struct run_places *tables = overlap->tables;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < 2 && status == MARGAY_OK; i++)
        status = run_places_read(&tables[i], overlap->options->operands[i],
                                 false, RUN_BINNED, true, error);
    if (status != MARGAY_OK)
        return status;
    if (strcmp(tables[0].column, tables[1].column) != 0)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: found histograms of %s, expected them of %s as "
                           "in %s",
                           tables[1].runs[0].path,
                           *tables[1].column ? tables[1].column : "a trace",
                           *tables[0].column ? tables[0].column : "a trace",
                           tables[0].runs[0].path);
    status = run_csv_check_blocks(&tables[1].runs[0], tables[0].runs[0].path,
                                  tables[0].runs[0].block_bytes, error);
    for (size_t i = 0; i < 2 && status == MARGAY_OK; i++) {
        for (size_t k = 0; k < tables[i].count; k++)
            overlap->finite[i] += (double)finite_of(&tables[i].runs[k]);
        if (overlap->finite[i] == 0)
            status = run_csv_check_finite(&tables[i].runs[0], error);
    }
    return status;
}

/* ------------------------------------------------------------------ rows -- */

/* A place of one table or both; NULL = it is not in that one. */
static void write_place(struct overlap *overlap, const char *place,
                        const struct run_csv *base, const struct run_csv *other)
{
    struct csv_writer *csv = &overlap->csv;
    const struct run_csv *runs[2] = {base, other};
    double weight = 0;
    csv_cell(csv, place);
    for (size_t i = 0; i < 2; i++) {
        csv_u64(csv, runs[i] == NULL
                         ? 0
                         : margay_histogram_references(runs[i]->histogram));
        weight += (double)finite_of(runs[i]) / overlap->finite[i] / 2;
    }
    double value =
        finite_of(base) > 0 && finite_of(other) > 0
            ? margay_signature_accuracy(base->histogram, other->histogram)
            : 0;
    csv_decimal(csv, weight == 0 ? NAN : value);
    csv_end_row(csv);
    overlap->mean += weight * value;
    overlap->places += weight > 0;
}

static int by_place(const void *a, const void *b)
{
    return strcmp(((const struct run_csv *)a)->place,
                  ((const struct run_csv *)b)->place);
}

/* The places of both tables in ascending order of their texts. */
static void write_places(struct overlap *overlap)
{
    struct run_places *base = &overlap->tables[0], *other = &overlap->tables[1];
    qsort(base->runs, base->count, sizeof *base->runs, by_place);
    qsort(other->runs, other->count, sizeof *other->runs, by_place);
    for (size_t i = 0, k = 0; i < base->count || k < other->count;) {
        int order = i == base->count ? 1
                    : k == other->count
                        ? -1
                        : by_place(&base->runs[i], &other->runs[k]);
        write_place(overlap,
                    order <= 0 ? base->runs[i].place : other->runs[k].place,
                    order <= 0 ? &base->runs[i] : NULL,
                    order >= 0 ? &other->runs[k] : NULL);
        i += order <= 0;
        k += order >= 0;
    }
    message_tell("mean overlap %.12g of %zu %s%s", fmin(overlap->mean, 1),
                 overlap->places, base->column,
                 margay_plural(overlap->places, "s"));
}

static void write_result(struct overlap *overlap, struct output *output)
{
    const struct run_places *tables = overlap->tables;
    bool json = overlap->options->json, places = *tables[0].column != '\0';
    char columns[64];
    double value = places
                       ? 0
                       : margay_signature_accuracy(tables[0].runs->histogram,
                                                   tables[1].runs->histogram);
    snprintf(columns, sizeof columns, "%s%s", tables[0].column,
             places ? OVERLAP_COLUMNS : "overlap");
    if (places || json)
        csv_begin(&overlap->csv, output, json, CSV_ROWS, columns);
    if (places) {
        write_places(overlap);
    } else if (json) {
        csv_decimal(&overlap->csv, value);
        csv_end_row(&overlap->csv);
    } else {
        output_text(output, "%.12g\n", value);
    }
    csv_end(&overlap->csv);
}

int cmd_overlap(const struct options *options)
{
    struct overlap overlap = {.options = options};
    struct output *output = NULL;
    struct margay_error error;
    enum margay_status status = read_both(&overlap, &error);
    if (status == MARGAY_OK)
        status = output_open(options->output, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK)
        write_result(&overlap, output);
    run_places_clear(&overlap.tables[0]);
    run_places_clear(&overlap.tables[1]);
    return conclude(status, &output, 1, &error);
}
