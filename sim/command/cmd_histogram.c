/* cmd_histogram.c - margay histogram */
#include <stdio.h>
#include <stdlib.h>

#include "sim/command/curve.h"
#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/result/regions.h"
#include "traces/traces_internal.h"

struct histogram {
    struct drive drive;
    struct regions *regions; /* NULL unless attributed to regions */
    struct margay_series last;
};

/* ----------------------------------------------------------- attribution -- */

static const char *const attribution_columns[] = {
    [MARGAY_BY_SITE] = "site," HISTOGRAM_COLUMNS,
    [MARGAY_BY_THREAD] = "thread," HISTOGRAM_COLUMNS,
    [MARGAY_BY_REGION] = "region," HISTOGRAM_COLUMNS,
    [MARGAY_BY_OP] = "op," HISTOGRAM_COLUMNS,
};

static uint32_t region_of(void *context, uint64_t address)
{
    return (uint32_t)regions_find(context, address);
}

static enum margay_status ask(struct drive *drive, margay_question **question,
                              struct margay_error *error)
{
    struct histogram *histogram = (struct histogram *)drive;
    const struct options *options = &drive->options;
    const struct attribution_option *by = &options->results.by;
    margay_question *next = NULL;
    enum margay_status status = MARGAY_OK;
    if (by->given && by->by == MARGAY_BY_REGION)
        status = regions_read(by->map, &histogram->regions, error);
    if (status == MARGAY_OK && by->given)
        status = margay_attribution_question(
            by->by, region_of, histogram->regions,
            options->engine.half_life_refs, &next, error);
    const struct objects_wanted wanted = {
        .histogram = true, .distances = by->given, .next = next};
    if (status == MARGAY_OK && options->results.objects)
        return objects_question(options, &wanted, question, error);
    *question = next;
    return status;
}

/* A pass, on its way into a table. */
struct rows {
    struct histogram *histogram;
    struct csv_writer *csv;
    struct series_labels labels;
    const margay_analysis *analysis;
    struct margay_series all; /* where it is told apart */
    char sample[CURVE_SAMPLE_TEXT];
};

static enum margay_status write_part(void *context, uint64_t key,
                                     const margay_histogram *counts,
                                     struct margay_error *error)
{
    static const char *const operations[] = {
        [MARGAY_GET] = "get", [MARGAY_SET] = "set", [MARGAY_DELETE] = "delete"};
    struct rows *part = context;
    const struct histogram *histogram = part->histogram;
    struct csv_writer *csv = part->csv;
    struct margay_series series = part->all;
    series.histogram = counts;
    enum margay_attribution by = histogram->drive.options.results.by.by;
    if (histogram->regions != NULL)
        csv->label = (struct csv_label){
            CSV_TEXT, .text = regions_name(histogram->regions, (size_t)key)};
    else if (by == MARGAY_BY_OP)
        csv->label = (struct csv_label){CSV_TEXT, .text = operations[key]};
    else
        csv->label = (struct csv_label){
            by == MARGAY_BY_SITE ? CSV_HEXADECIMAL : CSV_NUMBER, .number = key};
    return table_histogram(csv, &part->labels, &series,
                           &histogram->drive.options.results.bins, error);
}

/* ------------------------------------------------------------- the rows -- */

/* Of objects, the shares are of the references in the histogram. */
static enum margay_status write_series(void *context,
                                       const struct margay_series *series,
                                       struct margay_error *error)
{
    struct rows *rows = context;
    const struct options *options = &rows->histogram->drive.options;
    const struct margay_result result = result_of_histogram(series->histogram);
    struct margay_series counted =
        series->in_bytes ? margay_result_describe(&result) : *series;
    counted.fraction_bits = series->fraction_bits;
    counted.in_bytes = series->in_bytes;
    rows->all = counted;
    rows->histogram->last = *series;
    curve_sample(options, &rows->histogram->last, rows->sample);
    counted.histogram = rows->histogram->last.histogram;
    return options->results.by.given
               ? margay_attribution_visit(rows->analysis->next, counted.bound,
                                          counted.fraction_bits, write_part,
                                          rows, error)
               : table_histogram(rows->csv, &rows->labels, &counted,
                                 &options->results.bins, error);
}

static enum margay_status write_rows(struct drive *drive,
                                     struct csv_writer *csv,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    margay_analysis *analysis = job->analyses[pass->index];
    struct rows rows = {
        .histogram = (struct histogram *)drive,
        .csv = csv,
        .labels = {.trace = pass->trace,
                   .block_bytes = pass->block_bytes,
                   .sampled = rows.sample},
        .analysis = analysis,
    };
    if (drive->options.results.objects)
        return margay_analysis_series(analysis, NULL, write_series, &rows,
                                      error);
    const struct margay_series all =
        margay_result_describe(margay_engine_analysis_result(analysis));
    return write_series(&rows, &all, error);
}

static enum margay_status write_pass(struct drive *drive,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct histogram *histogram = (struct histogram *)drive;
    enum margay_status status =
        write_rows(drive, drive->csvs, job, pass, error);
    histogram->last.unsure_below = 0; /* no row is of a cache */
    if (status == MARGAY_OK)
        summarise_pass(&drive->options, job, pass, &histogram->last);
    return status;
}

int cmd_histogram(const struct options *options)
{
    const struct attribution_option *by = &options->results.by;
    const char *columns = by->given ? attribution_columns[by->by]
                                    : curve_histogram_columns(options);
    struct histogram histogram = {.drive = {
                                      .options = *options,
                                      .measures = !options->results.objects,
                                      .needs = MARGAY_CAN_GIVE_HISTOGRAM,
                                      .files = {{.columns = columns}},
                                      .ask = ask,
                                      .ended = write_pass,
                                      .snapshot = write_rows,
                                  }};
    int exit_status = drive_command(&histogram.drive);
    regions_free(histogram.regions);
    return exit_status;
}
