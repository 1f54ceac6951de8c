/* curve_tables.c - the tables that curve writes, of traces and of --from */
#define _GNU_SOURCE
#include "sim/command/curve.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/result/run_csv.h"
#include "sim/result/text.h"
#include "sim/terminal/message.h"
#include "stackdist/stackdist_internal.h"

/* ------------------------------------------------------------- samples -- */

/* A sample is a guide for caches that hold this many of its blocks or more
   (docs/inside/engines.md). */
#define FEW_BLOCKS 10

static double share_of(const struct options *options, uint64_t distinct)
{
    return margay_engine_share(drive_engine(options, 0).spec, distinct);
}

/* Has the table SAMPLED_COLUMNS? */
static bool shows_sample(const struct options *options)
{
    return (options->results.in_view || options->json) &&
           options->results.tiers.count == 0 &&
           share_of(options, UINT64_MAX) < 1;
}

uint64_t curve_sample(const struct options *options,
                      struct margay_series *series,
                      char text[CURVE_SAMPLE_TEXT])
{
    const double share = share_of(options, series->distinct);
    const uint64_t count = (uint64_t)((double)series->distinct * share + 0.5);
    char numbers[2][WORDS_BYTES];
    double bytes = 1, few;
    *text = '\0';
    if (share >= 1 || series->references == 0)
        return count;
    if (series->in_bytes) /* LRU of objects takes small caches, too */
        bytes = options->results.policies.count == 0 || series->infinite == 0
                    ? 0
                    : ldexp((double)series->infinite_bytes /
                                (double)series->infinite,
                            (int)series->fraction_bits -
                                (int)series->byte_fraction_bits);
    if (bytes == 0 && count == 0 && series->distinct <= MARGAY_OBJECTS_FRONT)
        return count; /* all objects are in front */
    few = ceil(FEW_BLOCKS * bytes / share);
    if (few > (double)series->unsure_below)
        series->unsure_below = (uint64_t)few;
    if (count == 0) {
        series->count = 0;
        series->histogram = NULL;
    }
    snprintf(text, CURVE_SAMPLE_TEXT, "1 in %.*g %s (%s of about %s)",
             1 / share < 10000 ? 4 : 7, 1 / share,
             series->in_bytes ? "objects" : "blocks",
             words_number(count, numbers[0]),
             words_number(series->distinct, numbers[1]));
    return count;
}

/* --------------------------------------------------------------- tables -- */

/* A file next to a view is no part of it. */
const char *curve_histogram_columns(const struct options *options)
{
    static char text[CURVE_COLUMNS_TEXT];
    bool in_view = options->json || options->command->bit != ON_CURVE;
    snprintf(text, sizeof text, "%s%s" HISTOGRAM_COLUMNS "%s",
             options->run.window_refs != 0 ? WINDOW_COLUMN : "",
             options->reading.tenant != NULL ? "tenant," : "",
             in_view && shows_sample(options) ? SAMPLED_COLUMN : "");
    return text;
}

void curve_columns(const struct options *options, char text[CURVE_COLUMNS_TEXT])
{
    const struct margay_tiers *tiers = &options->results.tiers;
    const bool has_tiers = tiers->count > 0;
    const unsigned counters = curve_object_counters(options);
    const struct {
        bool has;
        const char *columns;
    } parts[] = {
        {options->run.window_refs != 0, WINDOW_COLUMN},
        {has_tiers && tiers_have_splits(tiers), SPLIT_COLUMN},
        {true, has_tiers ? TIER_COLUMNS : CURVE_COLUMNS},
        {options->results.objects, CURVE_OBJECT_COLUMNS},
        {counters & MARGAY_COUNTS_COSTS, CURVE_COST_COLUMN},
        {counters & MARGAY_COUNTS_WRITTEN, CURVE_WRITTEN_COLUMN},
        {counters & MARGAY_COUNTS_TIERS, CURVE_MEMORY_COLUMNS},
        {options->results.writebacks, CURVE_WRITE_COLUMNS},
        {options->results.requests && !has_tiers, CURVE_REQUEST_COLUMNS},
        {options->results.policies.count > 0 ||
             options->results.groups.count > 0,
         POLICY_COLUMN},
        {options->reading.tenant != NULL, CURVE_TENANT_COLUMN},
        {curve_shares(options), CURVE_SHARED_COLUMN},
        {shows_sample(options), SAMPLED_COLUMNS},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        text = stpcpy(text, parts[i].has ? parts[i].columns : "");
}

enum margay_status curve_write(const struct curve_sinks *sinks,
                               const struct series_labels *labels,
                               const struct margay_series *series,
                               struct margay_error *error)
{
    const struct options *options = sinks->options;
    const struct margay_tiers *tiers = &options->results.tiers;
    enum margay_status status = MARGAY_OK;
    if (sinks->csv != NULL && tiers->count > 0)
        status = table_tiers(sinks->csv, labels, tiers, series, error);
    else if (sinks->csv != NULL)
        status = table_series(sinks->csv, labels, series, error);
    if (status == MARGAY_OK && sinks->histogram_csv != NULL)
        status = table_histogram(sinks->histogram_csv, labels, series,
                                 &options->results.bins, error);
    if (status == MARGAY_OK && sinks->prometheus != NULL)
        status = prometheus_take(sinks->prometheus, labels, series, error);
    return status == MARGAY_OK && sinks->unreached != NULL
               ? answer_series(options, labels, series, sinks->unreached, error)
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

enum margay_status curve_draw(const struct curve_sinks *sinks,
                              const struct series_labels *labels,
                              const struct margay_result *result, bool in_steps,
                              struct margay_error *error)
{
    struct margay_sizes sizes = {.list_blocks = NULL};
    struct margay_series series;
    struct margay_series_point *points;
    enum margay_status status = MARGAY_OK;
    if (!in_steps)
        status =
            curve_sizes(sinks->options, labels->block_bytes, &sizes, error);
    if (status != MARGAY_OK)
        return status;
    status = margay_result_series(result, in_steps ? NULL : &sizes, &series,
                                  &points, error);
    if (status == MARGAY_OK)
        status = curve_write(sinks, labels, &series, error);
    free(points);
    free((void *)sizes.list_blocks);
    return status;
}

/* ----------------------------- a table of distances instead of a trace -- */

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

static enum margay_status draw_run(const struct curve_sinks *tables,
                                   const struct curve_sinks *answers,
                                   const struct run_csv *run,
                                   struct margay_error *error)
{
    const struct margay_result result = result_of_histogram(run->histogram);
    const struct series_labels labels = {.trace = run->trace,
                                         .block_bytes = run->block_bytes};
    enum margay_status status =
        check_distances(tables->options, run->trace, run->histogram, error);
    if (status == MARGAY_OK)
        status = curve_draw(tables, &labels, &result, false, error);
    return status == MARGAY_OK && answers_are_asked(tables->options)
               ? curve_draw(answers, &labels, &result, true, error)
               : status;
}

enum margay_status curve_from(const struct curve_sinks *tables,
                              const struct curve_sinks *answers,
                              struct margay_error *error)
{
    const struct options *options = tables->options;
    struct run_places table;
    if (options->operand_count > 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--from reads a table instead of a trace: leave out "
                           "the trace");
    enum margay_status status =
        run_table_read(&table, options->results.from, RUN_EXACT, false, error);
    for (size_t i = 0; i < table.count && status == MARGAY_OK; i++)
        status = draw_run(tables, answers, &table.runs[i], error);
    run_places_clear(&table);
    return status;
}
