/* curve_from.c - curve --from: a table of distances instead of a trace */
#include "sim/command/curve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result/run_csv.h"
#include "sim/result/tables.h"
#include "traces/traces_internal.h"

struct drawing {
    const struct options *options;
    struct csv_writer *csv, *histogram_csv;
    bool *unreached;
};

/*
 * A table of reuse times (--of time) has the same columns.  An immediate
 * repeat is at distance 0 and at time 1; and a distance is less than the
 * number of blocks, which is that of cold misses unless there was a warm-up or
 * counts are predicted shares of another number of references.
 */
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

static enum margay_status answer(const struct drawing *drawing,
                                 const struct series_labels *labels,
                                 const struct margay_result *result,
                                 struct margay_error *error)
{
    static const struct margay_sizes every = {.kind = MARGAY_SIZES_ALL};
    struct margay_series series;
    struct margay_series_point *points;
    enum margay_status status =
        margay_result_series(result, &every, &series, &points, error);
    if (status == MARGAY_OK)
        status = answer_series(drawing->options, labels, &series,
                               drawing->unreached, error);
    free(points);
    return status;
}

static enum margay_status draw(const struct drawing *drawing,
                               const struct run_csv *run,
                               struct margay_error *error)
{
    const struct options *options = drawing->options;
    const struct margay_series series = series_of_histogram(run->histogram);
    const struct margay_result result = {
        .histogram = run->histogram,
        .references = series.references,
        .infinite = series.infinite,
    };
    const struct series_labels labels = {.trace = run->trace,
                                         .block_bytes = run->block_bytes};
    enum margay_status status =
        check_distances(options, run->trace, run->histogram, error);
    if (status == MARGAY_OK)
        status = table_curve(drawing->csv, run->trace, run->block_bytes,
                             &result, &options->results.sizes, error);
    if (status == MARGAY_OK && drawing->histogram_csv != NULL)
        status = table_histogram(drawing->histogram_csv, run->trace,
                                 run->block_bytes, &series,
                                 &options->results.bins, error);
    return status == MARGAY_OK && answers_are_asked(options)
               ? answer(drawing, &labels, &result, error)
               : status;
}

enum margay_status curve_from(const struct options *options,
                              struct csv_writer *csv,
                              struct csv_writer *histogram_csv, bool *unreached,
                              struct margay_error *error)
{
    struct drawing drawing = {options, csv, histogram_csv, unreached};
    if (options->operand_count > 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--from takes the place of a trace, so there is no "
                           "use for a trace beside it");
    struct run_places table;
    enum margay_status status =
        run_table_read(&table, options->results.from, RUN_EXACT, error);
    for (size_t i = 0; i < table.count && status == MARGAY_OK; i++)
        status = draw(&drawing, &table.runs[i], error);
    run_places_clear(&table);
    return status;
}
