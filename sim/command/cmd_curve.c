/* cmd_curve.c - margay curve */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/command/answers.h"
#include "sim/command/curve_parts.h"
#include "sim/command/curve_policies.h"
#include "sim/command/drive.h"
#include "sim/command/objects.h"
#include "sim/command/prefixes.h"
#include "sim/command/request.h"
#include "sim/command/tenants.h"
#include "sim/options/commands.h"
#include "sim/options/options.h"
#include "sim/tables/histogram_csv.h"
#include "sim/tables/prometheus.h"
#include "sim/tables/tables.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"

struct curve {
    const struct options *options;
    struct curve_tables tables;
};

static enum margay_status check_looks(const struct options *options,
                                      struct margay_error *error)
{
    bool looks = options->run.window_refs != 0 ||
                 options->run.every.refs != 0 ||
                 options->run.every.seconds != 0 || options->run.save != NULL ||
                 options->run.resume != NULL;
    if (options->results.touch != MARGAY_FRONT_TO_BACK)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--touch is for requests of blocks (--requests)");
    if (options->results.sample_rate != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--sample goes with --policy (--engine shards "
                           "samples for a curve of LRU)");
    if (options->results.writebacks && looks)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--writebacks does not go with --window, --every, "
                           "--save and --resume");
    if (options->results.from != NULL && looks)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--from takes the place of a trace, so there is "
                           "nothing for --window, --every, --save and "
                           "--resume");
    return MARGAY_OK;
}

static const char *curve_columns(const struct options *options)
{
    if (options->run.window_refs != 0)
        return WINDOW_COLUMN CURVE_COLUMNS;
    return options->results.writebacks ? CURVE_COLUMNS CURVE_WRITE_COLUMNS
                                       : CURVE_COLUMNS;
}

/* -------------------------------------------------------- from a trace -- */

static enum margay_status open_writebacks(void *context,
                                          margay_consumer **consumer,
                                          struct margay_error *error)
{
    const struct options *options = ((struct curve *)context)->options;
    return options->results.writebacks
               ? margay_writebacks_consumer(consumer, error)
               : MARGAY_OK;
}

/* Write-backs follow from exact distances alone, however large. */
static enum margay_status check_writebacks(
    const struct options *options, const struct margay_engine_info *engine,
    struct margay_error *error)
{
    if (!options->results.writebacks)
        return MARGAY_OK;
    if (options->engine.bound.value != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--writebacks has to know all distances (leave out "
                           "--bound)");
    if (!engine->exact)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--writebacks: engine %s is not exact",
                           engine->name);
    return MARGAY_OK;
}

static enum margay_status check_pass(const struct curve *curve,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    const struct margay_engine_abilities *engine =
        margay_engine_consumer_abilities(job->consumer);
    struct margay_sizes resolved;
    enum margay_status status = cache_sizes_resolve(
        &curve->options->results.sizes, pass->block_bytes, &resolved, error);
    if (status != MARGAY_OK)
        return status;
    status = margay_engine_check_sizes(engine, &resolved, error);
    free((void *)resolved.list_blocks);
    return status == MARGAY_OK
               ? check_writebacks(curve->options, engine->info, error)
               : status;
}

/* A wrong size fails before the trace is read, which may take hours. */
static enum margay_status begun(void *context, const struct margay_job *job,
                                struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < job->pass_count && status == MARGAY_OK; i++)
        status = check_pass(context, job, &job->passes[i], error);
    return status;
}

static enum margay_status write_tables(struct curve *curve,
                                       const struct measured *measured,
                                       const margay_writebacks *writebacks,
                                       struct margay_error *error)
{
    enum margay_status status =
        table_curve(&curve->tables.csv, measured,
                    &curve->options->results.sizes, writebacks, error);
    if (status == MARGAY_OK && curve->options->results.histogram != NULL)
        status = table_histogram(&curve->tables.histogram_csv, measured,
                                 &curve->options->results.bins, error);
    if (status == MARGAY_OK)
        status = answer_result(curve->options, measured,
                               &curve->tables.unreached, error);
    return status;
}

/* What this curve does not count, and another would. */
static void mention_others(const struct options *options,
                           const struct margay_job *job,
                           const struct margay_pass *pass)
{
    if (options->quiet || job->reader == NULL || pass->index != 0 ||
        pass->fed_refs == 0)
        return;
    unsigned columns = margay_trace_columns(job->reader);
    if (columns & MARGAY_COLUMN_SIZES)
        message_keep("%s: the trace has sizes: --objects counts bytes",
                     job->trace);
    if (columns & MARGAY_COLUMN_REQUESTS)
        message_keep("%s: the trace has requests: --requests counts them",
                     job->trace);
}

static enum margay_status write_pass(void *context,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct curve *curve = context;
    const struct measured measured = measured_by(job, pass);
    const margay_consumer *next = margay_engine_consumer_next(job->consumer);
    if (curve->options->run.window_refs != 0)
        csv_label_u64(&curve->tables.csv, pass->window);
    else
        mention_others(curve->options, job, pass);
    enum margay_status status = write_tables(
        curve, &measured,
        next == NULL ? NULL : margay_writebacks_consumer_of(next, pass), error);
    if (status == MARGAY_OK && curve->options->results.prometheus != NULL &&
        pass->index + 1 == job->pass_count)
        status = prometheus_curves(curve->tables.outputs[CURVE_PROMETHEUS], job,
                                   &curve->options->results.sizes, error);
    return status;
}

static enum margay_status snapshot(void *context, struct csv_writer *csv,
                                   const struct margay_job *job,
                                   const struct margay_pass *pass,
                                   struct margay_error *error)
{
    const struct options *options = ((struct curve *)context)->options;
    const struct measured measured = measured_by(job, pass);
    return table_curve(csv, &measured, &options->results.sizes, NULL, error);
}

static enum margay_status publish(void *context, const struct margay_job *job,
                                  struct margay_error *error)
{
    const struct options *options = ((struct curve *)context)->options;
    struct output *output;
    if (options->results.prometheus == NULL)
        return MARGAY_OK;
    enum margay_status status =
        output_open(options->results.prometheus, OUTPUT_HELD, &output, error);
    if (status != MARGAY_OK)
        return status;
    status = prometheus_curves(output, job, &options->results.sizes, error);
    return output_settle(output, status, error);
}

/* -------------------------------------------------------- from a table -- */

/* The table takes the place of the trace, and the engine's work is done. */
static enum margay_status check_from(const struct options *options,
                                     struct margay_error *error)
{
    const char *reading = request_find_reading(options);
    const char *needless =
        options->operand_count > 0                    ? "a trace beside it"
        : reading != NULL                             ? reading
        : options->engine.bound.value != 0            ? "--bound"
        : strcmp(options->engine.spec, "exact") != 0  ? "--engine"
        : options->engine.measure == MARGAY_FOOTPRINT ? "--model"
        : options->results.writebacks                 ? "--writebacks"
        : options->engine.half_life_refs != 0         ? "--half-life"
        : options->results.prometheus != NULL         ? "--prometheus"
                                                      : NULL;
    return needless == NULL
               ? MARGAY_OK
               : margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "--from takes the place of a trace, so there is "
                             "no use for %s",
                             needless);
}

/*
 * A table of reuse times (--of time) has the same columns.  An immediate
 * repeat is at distance 0 and at time 1; and a distance is less than the
 * number of blocks, which is that of cold misses unless there was a warm-up or
 * counts are predicted shares of another number of references.
 */
static enum margay_status check_distances(const struct curve *curve,
                                          const char *trace,
                                          const margay_histogram *histogram,
                                          struct margay_error *error)
{
    uint64_t first, count, largest;
    uint64_t cold = margay_histogram_infinite(histogram);
    if (curve->options->results.of_distances || cold == 0 ||
        strncmp(trace, PREDICTED_NAME, strlen(PREDICTED_NAME)) == 0 ||
        !margay_histogram_next(histogram, 0, &first, &count) || first == 0 ||
        !margay_histogram_largest(histogram, &largest) || largest < cold)
        return MARGAY_OK;
    return margay_fail(
        error, MARGAY_BAD_INPUT,
        "%s: found %" PRIu64 " and no 0 in the histogram of %s, which has only "
        "%" PRIu64 " cold miss%s: reuse times, expected reuse distances "
        "(--of distance takes it as such, if there was a warm-up)",
        curve->options->results.from, largest, trace, cold,
        margay_plural(cold, "es"));
}

static enum margay_status write_histogram(void *context, const char *trace,
                                          uint64_t block_bytes,
                                          const margay_histogram *histogram,
                                          struct margay_error *error)
{
    const struct margay_result result = result_of(histogram);
    const struct measured measured = {trace, block_bytes, &result};
    enum margay_status status =
        check_distances(context, trace, histogram, error);
    return status == MARGAY_OK ? write_tables(context, &measured, NULL, error)
                               : status;
}

static enum margay_status draw_table(struct curve *curve,
                                     struct margay_error *error)
{
    enum margay_status status = check_from(curve->options, error);
    if (status != MARGAY_OK)
        return status;
    return histogram_csv_read(curve->options->results.from, write_histogram,
                              curve, error);
}

int cmd_curve(const struct options *options)
{
    if (options->reading.tenant != NULL)
        return tenants_curve(options);
    if (options->results.requests)
        return prefixes_curve(options);
    if (options->results.policies.count > 0)
        return curve_of_policies(options);
    struct curve curve = {.options = options};
    const struct drive drive = {
        .options = options,
        .context = &curve,
        .measures = true,
        .needs =
            options->results.histogram == NULL ? 0 : MARGAY_CAN_GIVE_HISTOGRAM,
        .summarises = true,
        .open = open_writebacks,
        .begun = begun,
        .ended = write_pass,
        .snapshot = snapshot,
        .snapshot_columns = CURVE_COLUMNS,
        .publish = publish,
    };
    struct margay_error error;
    if (options->results.objects)
        return objects_curve(options);
    enum margay_status status = objects_refuse(options, &error);
    if (status == MARGAY_OK)
        status = check_looks(options, &error);
    if (status == MARGAY_OK)
        status =
            curve_tables_open(&curve.tables, options, curve_columns(options),
                              HISTOGRAM_COLUMNS, &error);
    if (status == MARGAY_OK && options->results.from != NULL)
        status = draw_table(&curve, &error);
    else if (status == MARGAY_OK)
        status = drive_run(&drive, &error);
    return curve_tables_end(&curve.tables, status, &error);
}
