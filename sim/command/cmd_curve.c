/*
 * cmd_curve.c - margay curve
 *
 * Every question of curves has series over sizes as its result: they become
 * rows, lines for Prometheus and answers in words.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/command/curve.h"
#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"

enum { TABLE, HISTOGRAM, PROMETHEUS, FILES };

struct curve {
    const struct options *options;
    struct margay_sizes object_sizes; /* the list is owned */
    struct csv_writer csvs[FILES];
    struct prometheus prometheus;
    bool unreached; /* some trace has no cache for --at-most */
};

/* ------------------------------------------------------------- the rows -- */

static struct curve_sinks sinks_of(struct curve *curve)
{
    const struct options *options = curve->options;
    return (struct curve_sinks){
        .csv = &curve->csvs[TABLE],
        .histogram_csv =
            options->results.histogram == NULL ? NULL : &curve->csvs[HISTOGRAM],
        .bins = &options->results.bins,
        .prometheus =
            options->results.prometheus == NULL ? NULL : &curve->prometheus,
        .tiers =
            options->results.tiers.count > 0 ? &options->results.tiers : NULL,
    };
}

/* A pass whose series are on their way into tables. */
struct rows {
    struct curve *curve;
    struct curve_sinks sinks;
    const struct margay_job *job;
    const struct margay_pass *pass;
    struct margay_series all; /* its references, in any cache */
    char number[24];          /* of a tenant without a name */
    bool warns;               /* of what is in doubt */
};

static struct series_labels labels_of(struct rows *rows,
                                      const struct margay_series *series)
{
    const struct margay_pass *pass = rows->pass;
    struct series_labels labels = {.trace = pass->trace,
                                   .block_bytes = pass->block_bytes};
    if (rows->curve->options->run.window_refs != 0)
        labels.window = &pass->window;
    if (!series->has_key)
        return labels;
    labels.tenant =
        margay_trace_tenant(rows->job->reader, (uint32_t)series->key);
    snprintf(rows->number, sizeof rows->number, "%" PRIu64, series->key);
    const struct options *options = rows->curve->options;
    if (options->run.join && series->key < options->operand_count)
        labels.tenant = options->operands[series->key];
    if (labels.tenant == NULL)
        labels.tenant = rows->number;
    return labels;
}

static enum margay_status write_series(void *context,
                                       const struct margay_series *series,
                                       struct margay_error *error)
{
    struct rows *rows = context;
    const struct series_labels labels = labels_of(rows, series);
    summary_add(&rows->all, series);
    if (rows->warns)
        warn_of_part(rows->curve->options, &labels, series);
    return curve_write(&rows->sinks, &labels, series, error);
}

/* The series of a pass at the sizes of the options. */
static enum margay_status write_rows(struct rows *rows,
                                     struct margay_error *error)
{
    const struct options *options = rows->curve->options;
    struct margay_sizes sizes;
    uint64_t block_bytes =
        options->results.objects ? 1 : rows->pass->block_bytes;
    enum margay_status status =
        curve_sizes(options, block_bytes, &sizes, error);
    if (status != MARGAY_OK)
        return status;
    status = margay_analysis_series(rows->job->analyses[rows->pass->index],
                                    &sizes, write_series, rows, error);
    free((void *)sizes.list_blocks);
    return status;
}

static enum margay_status write_passes(struct rows *rows,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < rows->job->pass_count && status == MARGAY_OK; i++) {
        rows->pass = &rows->job->passes[i];
        status = write_rows(rows, error);
    }
    return status;
}

static enum margay_status answer(void *context,
                                 const struct margay_series *series,
                                 struct margay_error *error)
{
    struct rows *rows = context;
    const struct series_labels labels = labels_of(rows, series);
    return answer_series(rows->curve->options, &labels, series,
                         &rows->curve->unreached, error);
}

static enum margay_status write_pass(void *context,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct curve *curve = context;
    const struct options *options = curve->options;
    margay_analysis *analysis = job->analyses[pass->index];
    struct rows rows = {.curve = curve,
                        .sinks = sinks_of(curve),
                        .job = job,
                        .pass = pass,
                        .warns = true};
    enum margay_status status = write_rows(&rows, error);
    if (status == MARGAY_OK && answers_are_asked(options))
        status = margay_analysis_series(analysis, NULL, answer, &rows, error);
    if (curve_shares(options))
        rows.all =
            margay_result_describe(margay_engine_analysis_result(analysis));
    if (status == MARGAY_OK && options->run.window_refs == 0)
        summarise_pass(options, job, pass, &rows.all);
    return status;
}

static enum margay_status snapshot(void *context, struct csv_writer *csv,
                                   const struct margay_job *job,
                                   const struct margay_pass *pass,
                                   struct margay_error *error)
{
    struct rows rows = {
        .curve = context, .sinks = {.csv = csv}, .job = job, .pass = pass};
    rows.sinks.tiers = sinks_of(rows.curve).tiers;
    return write_rows(&rows, error);
}

static enum margay_status publish(void *context, const struct margay_job *job,
                                  struct margay_error *error)
{
    const struct options *options = ((struct curve *)context)->options;
    struct prometheus prometheus = {{NULL}};
    struct rows rows = {
        .curve = context, .sinks = {.prometheus = &prometheus}, .job = job};
    struct output *output;
    if (options->results.prometheus == NULL)
        return MARGAY_OK;
    enum margay_status status =
        output_open(options->results.prometheus, OUTPUT_HELD, &output, error);
    if (status != MARGAY_OK)
        return status;
    status = write_passes(&rows, error);
    prometheus_write(&prometheus, output);
    prometheus_clear(&prometheus);
    return output_settle(output, status, error);
}

/* ---------------------------------------------------------- the command -- */

static enum margay_status open_question(void *context,
                                        margay_question **question,
                                        struct margay_error *error)
{
    struct curve *curve = context;
    return curve_question(curve->options, &curve->object_sizes, question,
                          error);
}

/* Sizes that cannot be are refused before anything is written. */
static enum margay_status begun(void *context, const struct margay_job *job,
                                struct margay_error *error)
{
    struct rows rows = {.curve = context, .job = job};
    return write_passes(&rows, error);
}

/* Warnings and answers next to the tables. */
static void warn(const struct options *options)
{
    /* The summary of a whole trace says how many there are. */
    if (options->results.ttl.given && options->results.policies.count == 0 &&
        (options->reading.tenant != NULL || options->run.window_refs != 0))
        message_tell("times to live may be approximate here; --policy lru "
                     "counts them exactly");
    if (options->results.prometheus != NULL && options->run.every.refs == 0 &&
        options->run.every.seconds == 0)
        message_tell("%s: written once, in the end; --every N writes it as the "
                     "trace goes on",
                     options->results.prometheus);
}

int cmd_curve(const struct options *options)
{
    struct curve curve = {.options = options};
    const struct curve_sinks sinks = sinks_of(&curve);
    char columns[SERIES_COLUMNS_TEXT], snapshot_columns[SERIES_COLUMNS_TEXT];
    const struct drive drive = {
        .options = options,
        .context = &curve,
        .has_engine =
            !options->results.objects && options->results.policies.count == 0,
        .open = open_question,
        .begun = begun,
        .ended = write_pass,
        .snapshot = snapshot,
        .snapshot_columns = snapshot_columns,
        .publish = publish,
        .csvs = curve.csvs,
        .files = {[TABLE] = {.columns = columns},
                  [HISTOGRAM] = {.path = options->results.histogram,
                                 .columns = curve_histogram_columns(options)},
                  [PROMETHEUS] = {.path = options->results.prometheus}},
    };
    struct margay_error error;
    enum margay_status status;
    curve_columns(options, false, columns);
    curve_columns(options, true, snapshot_columns);
    warn(options);
    if (options->results.from == NULL)
        status = drive_run(&drive, &error);
    else if ((status = drive_open(&drive, &error)) == MARGAY_OK)
        status = curve_from(options, &sinks, &curve.unreached, &error);
    if (status == MARGAY_OK && options->results.prometheus != NULL)
        prometheus_write(&curve.prometheus, curve.csvs[PROMETHEUS].output);
    prometheus_clear(&curve.prometheus);
    free((void *)curve.object_sizes.list_blocks);
    int exit_status = csv_conclude(status, curve.csvs, FILES, &error);
    return exit_status == EXIT_DONE && curve.unreached ? EXIT_DENIED
                                                       : exit_status;
}
