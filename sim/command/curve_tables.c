/* curve_tables.c - the tables that curve writes, of traces and of --from */
#include "sim/command/curve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result/run_csv.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

const char *curve_histogram_columns(const struct options *options)
{
    static const char *const columns[2][2] = {
        {HISTOGRAM_COLUMNS, "tenant," HISTOGRAM_COLUMNS},
        {WINDOW_COLUMN HISTOGRAM_COLUMNS,
         WINDOW_COLUMN "tenant," HISTOGRAM_COLUMNS}};
    return columns[options->run.window_refs != 0]
                  [options->reading.tenant != NULL];
}

void curve_columns(const struct options *options, bool snapshot,
                   char text[SERIES_COLUMNS_TEXT])
{
    const struct series_columns columns = {
        .counters =
            (options->results.objects ? MARGAY_COUNTS_BYTES : 0u) |
            (options->results.writebacks ? MARGAY_COUNTS_WRITEBACKS : 0u) |
            (options->results.requests ? MARGAY_COUNTS_REQUESTS : 0u) |
            curve_object_counters(options) |
            (curve_shares(options) ? MARGAY_COUNTS_SHARED : 0u),
        .policy = options->results.policies.count > 0 ||
                  options->results.groups.count > 0,
        .key = options->reading.tenant != NULL,
        .window = !snapshot && options->run.window_refs != 0,
    };
    if (options->results.tiers.count == 0)
        series_columns_text(&columns, text);
    else
        snprintf(text, SERIES_COLUMNS_TEXT, "%s%s%s%s",
                 columns.window ? WINDOW_COLUMN : "",
                 tiers_have_splits(&options->results.tiers) ? SPLIT_COLUMN : "",
                 TIER_COLUMNS, columns.key ? CURVE_TENANT_COLUMN : "");
}

enum margay_status curve_write(const struct curve_sinks *sinks,
                               const struct series_labels *labels,
                               const struct margay_series *series,
                               struct margay_error *error)
{
    struct csv_writer *csv = sinks->csv, *histogram_csv = sinks->histogram_csv;
    enum margay_status status = MARGAY_OK;
    if (csv != NULL && labels->window != NULL)
        csv_window(csv, *labels->window);
    if (csv != NULL && sinks->tiers != NULL)
        status = table_tiers(csv, labels, sinks->tiers, series, error);
    else if (csv != NULL)
        status = table_series(csv, labels->trace, labels->block_bytes, series,
                              labels->tenant, error);
    if (histogram_csv != NULL && labels->window != NULL)
        csv_window(histogram_csv, *labels->window);
    if (histogram_csv != NULL && labels->tenant != NULL)
        csv_label_text(histogram_csv, labels->tenant);
    if (status == MARGAY_OK && histogram_csv != NULL)
        status =
            table_histogram(histogram_csv, labels->trace, labels->block_bytes,
                            series, sinks->bins, error);
    return status == MARGAY_OK && sinks->prometheus != NULL
               ? prometheus_take(sinks->prometheus, labels, series, error)
               : status;
}

enum margay_status curve_sizes(const struct options *options,
                               uint64_t block_bytes, struct margay_sizes *sizes,
                               struct margay_error *error)
{
    const struct margay_tiers *tiers = &options->results.tiers;
    if (tiers->count == 0)
        return margay_cache_sizes_resolve(&options->results.sizes, block_bytes,
                                          sizes, error);
    uint64_t *sums;
    size_t splits;
    enum margay_status status =
        margay_tiers_resolve(tiers, block_bytes, &sums, &splits, error);
    *sizes = (struct margay_sizes){
        .kind = MARGAY_SIZES_LIST,
        .list_blocks = sums,
        .list_count = status == MARGAY_OK
                          ? margay_sort_unique(sums, splits * tiers->count)
                          : 0};
    return status;
}

/* ----------------------------- a table of distances instead of a trace -- */

struct drawing {
    const struct options *options;
    struct curve_sinks sinks;
    bool *unreached;
};

/* A table of reuse times (--of time) has the same columns.  An immediate repeat
   is at distance 0 and at time 1; and a distance is less than the number of
   blocks, which is that of cold misses unless there was a warm-up or counts are
   predicted shares of another number of references. */
static enum margay_status check_distances(const struct options *options,
                                          const char *trace,
                                          const margay_histogram *histogram,
                                          struct margay_error *error)
{
    uint64_t first, count, largest;
    uint64_t cold = margay_histogram_infinite(histogram);
    if (options->results.of_distances || cold == 0 ||
        strncmp(trace, PREDICTED_NAME, strlen(PREDICTED_NAME)) == 0 ||
        !margay_histogram_next(histogram, 0, &first, &count) || first == 0 ||
        !margay_histogram_largest(histogram, &largest) || largest < cold)
        return MARGAY_OK;
    return margay_fail(
        error, MARGAY_BAD_INPUT,
        "%s: found %" PRIu64 " and no 0 in the histogram of %s, which has only "
        "%" PRIu64 " cold miss%s: reuse times, expected reuse distances "
        "(--of distance takes it as such, if there was a warm-up)",
        options->results.from, largest, trace, cold, margay_plural(cold, "es"));
}

/* The rows of a histogram, and the answers about it. */
static enum margay_status draw(const struct drawing *drawing,
                               const struct run_csv *run,
                               struct margay_error *error)
{
    const struct options *options = drawing->options;
    const struct margay_result result = result_of_histogram(run->histogram);
    const struct series_labels labels = {.trace = run->trace,
                                         .block_bytes = run->block_bytes};
    struct margay_sizes sizes = {.list_blocks = NULL};
    struct margay_series series;
    struct margay_series_point *points = NULL;
    enum margay_status status =
        check_distances(options, run->trace, run->histogram, error);
    if (status == MARGAY_OK)
        status = curve_sizes(options, run->block_bytes, &sizes, error);
    if (status != MARGAY_OK)
        return status;
    status = margay_result_series(&result, &sizes, &series, &points, error);
    if (status == MARGAY_OK)
        status = curve_write(&drawing->sinks, &labels, &series, error);
    free(points);
    free((void *)sizes.list_blocks);
    if (status != MARGAY_OK || !answers_are_asked(options))
        return status;
    status = margay_result_series(&result, NULL, &series, &points, error);
    if (status == MARGAY_OK)
        status =
            answer_series(options, &labels, &series, drawing->unreached, error);
    free(points);
    return status;
}

enum margay_status curve_from(const struct options *options,
                              const struct curve_sinks *sinks, bool *unreached,
                              struct margay_error *error)
{
    const struct drawing drawing = {options, *sinks, unreached};
    if (options->operand_count > 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--from reads a table instead of a trace: leave out "
                           "the trace");
    struct run_places table;
    enum margay_status status =
        run_table_read(&table, options->results.from, RUN_EXACT, false, error);
    for (size_t i = 0; i < table.count && status == MARGAY_OK; i++)
        status = draw(&drawing, &table.runs[i], error);
    run_places_clear(&table);
    return status;
}
