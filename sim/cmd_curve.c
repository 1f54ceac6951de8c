/* cmd_curve.c - margay curve */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/commands.h"
#include "sim/conclude.h"
#include "sim/histogram_csv.h"
#include "sim/message.h"
#include "sim/options.h"
#include "sim/snapshot.h"
#include "sim/summary.h"
#include "sim/tables.h"
#include "traces/traces_internal.h"

/* Powers of two of 64 bits. */
#define MOST_BLOCK_SIZES 64

/* The table, and the histogram where one is asked for. */
struct curve {
    const struct options *options;
    struct output *outputs[2];
    struct csv_writer csv, histogram_csv;
    struct summary summary;
    margay_writebacks
        *writebacks[MOST_BLOCK_SIZES]; /* of each block size; NULL: none */
};

/* What takes the trace as a whole. */
static enum margay_status check_looks(const struct options *options,
                                      struct margay_error *error)
{
    bool looks = options->window_refs != 0 || options->every.refs != 0 ||
                 options->every.seconds != 0 || options->save != NULL ||
                 options->resume != NULL;
    if (options->writebacks && looks)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--writebacks does not go with --window, --every, "
                           "--save and --resume");
    if (options->histogram != NULL && options->window_refs != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--histogram: there is none for each --window");
    if (options->from != NULL && looks)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--from takes the place of a trace, so there is "
                           "nothing for --window, --every, --save and "
                           "--resume");
    return MARGAY_OK;
}

static const char *curve_columns(const struct options *options)
{
    if (options->window_refs != 0)
        return WINDOW_COLUMN CURVE_COLUMNS;
    return options->writebacks ? CURVE_COLUMNS CURVE_WRITE_COLUMNS
                               : CURVE_COLUMNS;
}

static enum margay_status open_outputs(struct curve *curve,
                                       struct margay_error *error)
{
    const struct options *options = curve->options;
    const char *place = options->output == NULL ? "-" : options->output;
    if (options->histogram != NULL && strcmp(options->histogram, place) == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--histogram: '%s' is where the curve goes", place);
    enum margay_status status =
        output_open(place, OUTPUT_HELD, &curve->outputs[0], error);
    if (status != MARGAY_OK)
        return status;
    csv_begin(&curve->csv, curve->outputs[0], curve_columns(options));
    curve->csv.has_window = options->window_refs != 0;
    if (options->histogram == NULL)
        return MARGAY_OK;
    status =
        output_open(options->histogram, OUTPUT_HELD, &curve->outputs[1], error);
    if (status == MARGAY_OK)
        csv_begin(&curve->histogram_csv, curve->outputs[1], HISTOGRAM_COLUMNS);
    return status;
}

/* --------------------------------------------------------- write-backs -- */

/* They follow from exact distances alone, however large. */
static enum margay_status begin_writebacks(struct curve *curve,
                                           const struct analysis_pass *pass,
                                           struct margay_error *error)
{
    const struct options *options = curve->options;
    if (!options->writebacks)
        return MARGAY_OK;
    if (options->bound.given)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--writebacks has to know all distances (leave out "
                           "--bound)");
    if (!margay_engine_describe(pass->engine)->exact)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--writebacks: engine %s is not exact",
                           margay_engine_describe(pass->engine)->name);
    return margay_writebacks_create(&curve->writebacks[pass->index], error);
}

static enum margay_status feed_writebacks(void *context,
                                          const struct analysis_pass *pass,
                                          const struct analysis_chunk *chunk,
                                          struct margay_error *error)
{
    struct curve *curve = context;
    return margay_writebacks_feed(curve->writebacks[pass->index], chunk->blocks,
                                  chunk->kinds, chunk->distances, chunk->count,
                                  error);
}

static enum margay_status reset_writebacks(void *context,
                                           struct margay_error *error)
{
    struct curve *curve = context;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < MOST_BLOCK_SIZES && status == MARGAY_OK; i++) {
        if (curve->writebacks[i] != NULL)
            status =
                margay_writebacks_reset_counts(curve->writebacks[i], error);
    }
    return status;
}

static void free_writebacks(struct curve *curve, size_t index)
{
    margay_writebacks_free(curve->writebacks[index]);
    curve->writebacks[index] = NULL;
}

/* -------------------------------------------------------- from a trace -- */

/* What is wrong with the sizes should not come out after hours. */
static enum margay_status begin_pass(void *context,
                                     const struct analysis_pass *pass,
                                     struct margay_error *error)
{
    struct curve *curve = context;
    struct margay_sizes resolved;
    enum margay_status status = cache_sizes_resolve(
        &curve->options->sizes, pass->block_bytes, &resolved, error);
    if (status != MARGAY_OK)
        return status;
    status = margay_engine_check_sizes(pass->engine, &resolved, error);
    free((void *)resolved.list_blocks);
    return status == MARGAY_OK ? begin_writebacks(curve, pass, error) : status;
}

static enum margay_status write_tables(struct curve *curve,
                                       const struct analysis_pass *pass,
                                       struct margay_error *error)
{
    enum margay_status status =
        table_curve(&curve->csv, pass, &curve->options->sizes,
                    curve->writebacks[pass->index], error);
    if (status == MARGAY_OK && curve->outputs[1] != NULL)
        status = table_histogram(&curve->histogram_csv, pass,
                                 &curve->options->bins, error);
    return status;
}

static enum margay_status write_pass(void *context,
                                     const struct analysis_pass *pass,
                                     struct margay_error *error)
{
    struct curve *curve = context;
    margay_writebacks *writebacks = curve->writebacks[pass->index];
    enum margay_status status = MARGAY_OK;
    curve->csv.window = pass->window;
    if (writebacks != NULL)
        status = margay_writebacks_finish(writebacks, error);
    if (status == MARGAY_OK)
        status = write_tables(curve, pass, error);
    free_writebacks(curve, pass->index);
    if (status == MARGAY_OK && curve->options->window_refs == 0)
        status = summary_add(&curve->summary, pass, error);
    return status;
}

static enum margay_status write_snapshot(void *context,
                                         const struct analysis_pass *passes,
                                         size_t count, uint64_t references,
                                         struct margay_error *error)
{
    const struct options *options = ((struct curve *)context)->options;
    struct snapshot snapshot;
    enum margay_status status =
        snapshot_begin(&snapshot, options, CURVE_COLUMNS, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = table_curve(&snapshot.csv, &passes[i], &options->sizes, NULL,
                             error);
    return snapshot_end(&snapshot, status, references, error);
}

/* -------------------------------------------------------- from a table -- */

/* What only a trace can give. */
static enum margay_status check_from(const struct options *options,
                                     struct margay_error *error)
{
    const struct {
        bool given;
        const char *name;
    } needless[] = {
        {options->operand_count > 0, "a trace beside it"},
        {options->blocks.count > 0, "--block"},
        {options->bound.given, "--bound"},
        {options->format != NULL, "--format"},
        {options->column != NULL, "--column"},
        {options->delimiter != 0, "--delimiter"},
        {options->ids, "--ids"},
        {options->unit_bytes != 0, "--unit"},
        {options->kinds != MARGAY_ALL_KINDS, "--kind"},
        {options->skip_refs != 0, "--skip"},
        {options->limit_refs != UINT64_MAX, "--limit"},
        {options->warmup_refs != 0, "--warmup"},
        {options->split, "--straddle"},
        {strcmp(options->engine, "exact") != 0, "--engine"},
        {options->measure == MARGAY_FOOTPRINT, "--model"},
        {options->writebacks, "--writebacks"},
    };
    for (size_t i = 0; i < sizeof needless / sizeof needless[0]; i++) {
        if (needless[i].given)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--from takes the place of a trace, so there "
                               "is no use for %s",
                               needless[i].name);
    }
    return MARGAY_OK;
}

/*
 * A table of reuse times (--of time) has the same columns.  An immediate
 * repeat is at distance 0 and at time 1; and a distance is less than the
 * number of blocks, which is that of cold misses unless there was a warm-up.
 */
static enum margay_status check_distances(const struct curve *curve,
                                          const char *trace,
                                          const margay_histogram *histogram,
                                          struct margay_error *error)
{
    uint64_t first, count, largest;
    uint64_t cold = margay_histogram_infinite(histogram);
    if (curve->options->of_distances || cold == 0 ||
        !margay_histogram_next(histogram, 0, &first, &count) || first == 0 ||
        !margay_histogram_largest(histogram, &largest) || largest < cold)
        return MARGAY_OK;
    return margay_fail(
        error, MARGAY_BAD_INPUT,
        "%s: found %" PRIu64 " and no 0 in the histogram of %s, which has only "
        "%" PRIu64 " cold miss%s: reuse times, expected reuse distances "
        "(--of distance takes it as such, if there was a warm-up)",
        curve->options->from, largest, trace, cold, margay_plural(cold, "es"));
}

static enum margay_status write_histogram(void *context, const char *trace,
                                          uint64_t block_bytes,
                                          const margay_histogram *histogram,
                                          struct margay_error *error)
{
    const struct analysis_pass pass = {
        .trace = trace,
        .block_bytes = block_bytes,
        .result =
            {
                .histogram = (margay_histogram *)histogram, /* only read */
                .references = margay_histogram_references(histogram),
                .infinite = margay_histogram_infinite(histogram),
            },
    };
    enum margay_status status =
        check_distances(context, trace, histogram, error);
    return status == MARGAY_OK ? write_tables(context, &pass, error) : status;
}

static enum margay_status draw_table(struct curve *curve,
                                     struct margay_error *error)
{
    enum margay_status status = check_from(curve->options, error);
    if (status != MARGAY_OK)
        return status;
    return histogram_csv_read(curve->options->from, write_histogram, curve,
                              error);
}

int cmd_curve(const struct options *options)
{
    const struct analysis_hooks hooks = {
        .needs = (options->histogram == NULL ? 0 : MARGAY_LACKS_HISTOGRAM) |
                 (options->writebacks ? MARGAY_LACKS_DISTANCES : 0),
        .wants_distances = options->writebacks,
        .begin = begin_pass,
        .chunk = options->writebacks ? feed_writebacks : NULL,
        .end_warmup = reset_writebacks,
        .end = write_pass,
        .snapshot = write_snapshot,
    };
    struct curve curve = {.options = options};
    struct margay_error error;
    enum margay_status status = check_looks(options, &error);
    if (status == MARGAY_OK)
        status = open_outputs(&curve, &error);
    if (status == MARGAY_OK && options->from != NULL)
        status = draw_table(&curve, &error);
    else if (status == MARGAY_OK)
        status = analysis_run(options, &hooks, &curve, &error);
    for (size_t i = 0; i < MOST_BLOCK_SIZES; i++)
        free_writebacks(&curve, i);
    csv_end(&curve.csv);
    csv_end(&curve.histogram_csv);
    int exit_status = conclude(status, curve.outputs, 2, &error);
    summary_end(&curve.summary, options->quiet || exit_status == EXIT_TROUBLE);
    return exit_status;
}
