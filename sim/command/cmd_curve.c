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

enum { TABLE, HISTOGRAM, PROMETHEUS };

struct curve {
    struct drive drive;
    struct prometheus prometheus;
    struct curve_sinks tables, answers;
    bool unreached; /* some trace has no cache for --at-most */
    struct margay_sizes object_sizes; /* of the question */
};

/* A pass, whose series go into sinks. */
struct rows {
    struct curve_sinks sinks;
    const struct margay_job *job;
    const struct margay_pass *pass;
    struct margay_series all;       /* its references, in any cache */
    char number[24];                /* of a tenant without a name */
    char sample[CURVE_SAMPLE_TEXT]; /* of the series */
    bool warns;                     /* of doubtful counts */
};

static struct series_labels labels_of(struct rows *rows,
                                      const struct margay_series *series)
{
    const struct options *options = rows->sinks.options;
    const struct margay_pass *pass = rows->pass;
    struct series_labels labels = {
        .trace = pass->trace,
        .block_bytes = pass->block_bytes,
        .window = options->run.window_refs != 0 ? &pass->window : NULL,
        .sampled = rows->sample,
    };
    if (!series->has_key)
        return labels;
    snprintf(rows->number, sizeof rows->number, "%" PRIu64, series->key);
    labels.tenant =
        options->run.join && series->key < options->operand_count
            ? options->operands[series->key]
            : margay_trace_tenant(rows->job->reader, (uint32_t)series->key);
    if (labels.tenant == NULL)
        labels.tenant = rows->number;
    return labels;
}

static enum margay_status write_series(void *context,
                                       const struct margay_series *measured,
                                       struct margay_error *error)
{
    struct rows *rows = context;
    struct margay_series series = *measured;
    const struct series_labels labels = labels_of(rows, &series);
    curve_sample(rows->sinks.options, &series, rows->sample);
    summary_add(&rows->all, &series);
    if (rows->warns)
        warn_of_part(rows->sinks.options, &labels, &series);
    return curve_write(&rows->sinks, &labels, &series, error);
}

/* The series of a pass at the sizes of the options. */
static enum margay_status write_rows(struct rows *rows,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    const struct options *options = rows->sinks.options;
    struct margay_sizes sizes;
    enum margay_status status =
        curve_sizes(options, options->results.objects ? 1 : pass->block_bytes,
                    &sizes, error);
    if (status != MARGAY_OK)
        return status;
    rows->pass = pass;
    status = margay_analysis_series(rows->job->analyses[pass->index], &sizes,
                                    write_series, rows, error);
    free((void *)sizes.list_blocks);
    return status;
}

static enum margay_status write_pass(struct drive *drive,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    const struct curve *curve = (struct curve *)drive;
    const struct options *options = &drive->options;
    margay_analysis *analysis = job->analyses[pass->index];
    struct rows rows = {.sinks = curve->tables, .job = job, .warns = true};
    struct rows answers = {.sinks = curve->answers, .job = job, .pass = pass};
    enum margay_status status = write_rows(&rows, pass, error);
    if (status == MARGAY_OK && answers_are_asked(options))
        status = margay_analysis_series(analysis, NULL, write_series, &answers,
                                        error);
    if (curve_shares(options))
        rows.all =
            margay_result_describe(margay_engine_analysis_result(analysis));
    if (status == MARGAY_OK && options->run.window_refs == 0)
        summarise_pass(options, job, pass, &rows.all);
    return status;
}

static enum margay_status snapshot(struct drive *drive, struct csv_writer *csv,
                                   const struct margay_job *job,
                                   const struct margay_pass *pass,
                                   struct margay_error *error)
{
    struct rows rows = {.sinks = {.options = &drive->options, .csv = csv},
                        .job = job};
    if (csv == NULL)
        rows.sinks.prometheus = &((struct curve *)drive)->prometheus;
    return write_rows(&rows, pass, error);
}

static void publish(struct drive *drive, struct output *output)
{
    prometheus_end(&((struct curve *)drive)->prometheus, output);
}

/* Sizes that cannot be are refused before anything is written. */
static enum margay_status begun(struct drive *drive,
                                const struct margay_job *job,
                                struct margay_error *error)
{
    struct rows rows = {.sinks.options = &drive->options, .job = job};
    enum margay_status status = MARGAY_OK;
    warn_of_ages(&drive->options, job);
    for (size_t i = 0; i < job->pass_count && status == MARGAY_OK; i++)
        status = write_rows(&rows, &job->passes[i], error);
    return status;
}

/* Measure the traces, or take the histograms of --from. */
static enum margay_status ask(struct drive *drive, margay_question **question,
                              struct margay_error *error)
{
    struct curve *curve = (struct curve *)drive;
    if (drive->options.results.from == NULL)
        return curve_question(&drive->options, &curve->object_sizes, question,
                              error);
    enum margay_status status = drive_open(drive, error);
    return status == MARGAY_OK
               ? curve_from(&curve->tables, &curve->answers, error)
               : status;
}

int cmd_curve(const struct options *options)
{
    const char *histogram = options->results.histogram;
    const char *prometheus = options->results.prometheus;
    char columns[CURVE_COLUMNS_TEXT];
    struct curve curve = {
        .drive = {.options = *options,
                  .has_engine = !options->results.objects &&
                                options->results.policies.count == 0,
                  .ask = ask,
                  .begun = begun,
                  .ended = write_pass,
                  .snapshot = snapshot,
                  .publish = publish,
                  .files = {[TABLE] = {.columns = columns},
                            [HISTOGRAM] = {.path = histogram,
                                           .columns = curve_histogram_columns(
                                               options)},
                            [PROMETHEUS] = {.path = prometheus}}},
        .tables = {.options = options,
                   .csv = &curve.drive.csvs[TABLE],
                   .histogram_csv =
                       histogram == NULL ? NULL : &curve.drive.csvs[HISTOGRAM],
                   .prometheus = prometheus == NULL ? NULL : &curve.prometheus},
        .answers = {.options = options, .unreached = &curve.unreached},
    };
    curve_columns(options, columns);
    curve_warn(options);
    struct margay_error error;
    enum margay_status status = drive_run(&curve.drive, &error);
    prometheus_end(&curve.prometheus, curve.drive.csvs[PROMETHEUS].output);
    int exit_status =
        csv_conclude(status, curve.drive.csvs, DRIVE_MOST_FILES, &error);
    free((void *)curve.object_sizes.list_blocks);
    return exit_status == EXIT_DONE && curve.unreached ? EXIT_DENIED
                                                       : exit_status;
}
