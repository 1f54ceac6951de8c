/* cmd_predict.c - margay predict: the distances of another input size */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/command/curve.h"
#include "sim/options/commands.h"
#include "sim/options/options.h"
#include "sim/result/csv.h"
#include "sim/result/run_csv.h"
#include "sim/result/tables.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "stackdist/stackdist_internal.h"

struct prediction {
    const struct options *options;
    const struct predict_choices *choices;
    struct run_csv *runs; /* owned */
    size_t run_count;
    struct run_csv truth;
    margay_model *model;
    uint64_t block_bytes;
    margay_histogram *predicted;
    struct csv_writer csv;
    struct output *saved; /* the model */
};

/* ------------------------------------------------------------- learning -- */

/* The width of linear bins in blocks, and the number of groups of reference
   bins, where the option leaves the number out. */
#define USUAL_LINEAR_WIDTH 2048
#define USUAL_MULTI_GROUPS 200

/* The library's options for these choices.  margay_model_fit() refuses choices
   that do not go together. */
static struct margay_predict_options resolve(
    const struct predict_choices *choices)
{
    struct margay_predict_options options = {
        .bins = choices->bins,
        .pattern = choices->pattern,
        .plain = choices->plain,
    };
    bool distance = options.bins.kind != MARGAY_BINS_EXACT &&
                    options.bins.kind != MARGAY_BINS_REFERENCE;
    bool multi = choices->method == PREDICT_MULTI ||
                 (choices->method == PREDICT_UNSAID && distance);
    options.method = multi ? MARGAY_METHOD_MULTI : MARGAY_METHOD_SINGLE;
    if (options.bins.kind == MARGAY_BINS_EXACT)
        options.bins.kind = multi ? MARGAY_BINS_LOG2 : MARGAY_BINS_REFERENCE;
    if (options.bins.parameter != 0)
        return options;
    if (options.bins.kind == MARGAY_BINS_LINEAR)
        options.bins.parameter = USUAL_LINEAR_WIDTH;
    if (options.bins.kind == MARGAY_BINS_REFERENCE)
        options.bins.parameter =
            multi ? USUAL_MULTI_GROUPS : MARGAY_USUAL_GROUPS;
    return options;
}

static enum margay_status learn(struct prediction *prediction,
                                struct margay_error *error)
{
    const struct options *options = prediction->options;
    const double size = prediction->choices->size;
    struct margay_predict_options fit = resolve(prediction->choices);
    struct margay_run *runs = calloc(options->operand_count, sizeof *runs);
    struct run_csv *read = calloc(options->operand_count, sizeof *read);
    enum margay_status status = MARGAY_OK;
    prediction->runs = read;
    if (runs == NULL || read == NULL)
        status = margay_fail_memory(error, "the runs");
    fit.downwards = size > 0;
    for (size_t i = 0; i < options->operand_count && status == MARGAY_OK; i++) {
        prediction->run_count++;
        status = run_csv_read(&read[i], options->operands[i], true, error);
        if (status == MARGAY_OK)
            status = run_csv_check_blocks(&read[i], read[0].path,
                                          read[0].block_bytes, error);
        fit.downwards &= size < read[i].size;
        runs[i] = (struct margay_run){read[i].histogram, read[i].size};
    }
    if (status == MARGAY_OK) {
        prediction->block_bytes = read[0].block_bytes;
        status = margay_model_fit(runs, prediction->run_count, &fit,
                                  &prediction->model, error);
    }
    free(runs);
    return status;
}

/* --------------------------------------------------------------- tables -- */

static enum margay_status write_table(struct prediction *prediction,
                                      const char *role, const char *name,
                                      const margay_histogram *histogram,
                                      struct margay_error *error)
{
    static const struct margay_bins exact = {MARGAY_BINS_EXACT, 0};
    const struct margay_result result = result_of_histogram(histogram);
    const struct margay_series series = margay_result_describe(&result);
    const struct series_labels labels = {
        .trace = name, .block_bytes = prediction->block_bytes};
    const struct curve_sinks sinks = {.options = prediction->options,
                                      .csv = &prediction->csv};
    if (prediction->choices->with_runs)
        prediction->csv.label = (struct csv_label){CSV_TEXT, .text = role};
    if (prediction->choices->curve)
        return curve_draw(&sinks, &labels, &result, false, error);
    return table_histogram(&prediction->csv, &labels, &series, &exact, error);
}

static enum margay_status write_tables(struct prediction *prediction,
                                       struct margay_error *error)
{
    const struct predict_choices *choices = prediction->choices;
    const struct run_csv *truth = &prediction->truth;
    char name[64];
    enum margay_status status =
        csv_open(&prediction->csv, prediction->options->output,
                 prediction->options->json, CSV_ROWS,
                 choices->with_runs ? ROLE_COLUMN CURVE_COLUMNS
                 : choices->curve   ? CURVE_COLUMNS
                                    : HISTOGRAM_COLUMNS,
                 error);
    snprintf(name, sizeof name, PREDICTED_NAME "%.12g", choices->size);
    for (size_t i = 0;
         choices->with_runs && i < prediction->run_count && status == MARGAY_OK;
         i++)
        status = write_table(prediction, "training", prediction->runs[i].name,
                             prediction->runs[i].histogram, error);
    if (status == MARGAY_OK && choices->with_runs && truth->histogram != NULL)
        status = write_table(prediction, "truth", truth->name, truth->histogram,
                             error);
    if (status == MARGAY_OK)
        status = write_table(prediction, "prediction", name,
                             prediction->predicted, error);
    return status;
}

/* ------------------------------------------------------------ reporting -- */

/* The properties of the model, and why it is trusted or not. */
static void report_model(const struct prediction *prediction)
{
    const struct margay_model_info *info =
        margay_model_describe(prediction->model);
    const char *end = info->downwards ? "smallest" : "largest";
    message_tell("learnt from %" PRIu64 " runs of sizes %.12g to %.12g; "
                 "patterns of %d-dimensional data",
                 info->runs, info->least_size, info->most_size,
                 (int)info->pattern);
    if (info->size_power > 1)
        message_tell("the sizes are sides of %s: they are taken to "
                     "the power of %u",
                     info->size_power == 2 ? "squares" : "cubes",
                     info->size_power);
    if (info->checked_accuracy >= 0)
        message_tell("the %s run, from the others: accuracy %.4f, no "
                     "change %.4f",
                     end, info->checked_accuracy, info->checked_no_change);
    if (info->unexplained >= 0 && info->data_blocks < MARGAY_LEAST_DATA_BLOCKS)
        message_tell("the %s run has data of %.0f blocks, fewer than the "
                     "%d that a model needs",
                     end, info->data_blocks, MARGAY_LEAST_DATA_BLOCKS);
    if (info->unexplained >= 0)
        message_tell("%.0f%% of what changed from the second %s run to "
                     "the %s is none of the patterns: %s",
                     100 * info->unexplained, end, end,
                     info->trusted
                         ? "trusted"
                         : "not trusted, the prediction is no change");
}

/* Compare the truth with the prediction, and with the largest run as it is. */
static enum margay_status compare_truth(struct prediction *prediction,
                                        struct margay_error *error)
{
    const margay_histogram *truth = prediction->truth.histogram;
    const margay_histogram *predicted = prediction->predicted;
    margay_histogram *unchanged;
    if (truth == NULL)
        return MARGAY_OK;
    enum margay_status status = margay_model_no_change(
        prediction->model, prediction->choices->references, &unchanged, error);
    if (status != MARGAY_OK)
        return status;
    message_keep("accuracy %.6f no_change %.6f",
                 margay_signature_accuracy(predicted, truth),
                 margay_signature_accuracy(unchanged, truth));
    message_keep("mean_abs_miss_ratio_error %.6f no_change %.6f",
                 margay_curve_difference(predicted, truth),
                 margay_curve_difference(unchanged, truth));
    margay_histogram_free(unchanged);
    return MARGAY_OK;
}

/* ---------------------------------------------------------- the command -- */

static enum margay_status check_options(const struct options *options,
                                        struct margay_error *error)
{
    const struct predict_choices *choices = &options->predict;
    const bool learns = choices->load_model == NULL;
    const struct refusal refusals[] = {
        {choices->size == 0 &&
             (choices->save_model == NULL || choices->truth != NULL),
         "--size S is missing: the input size to predict for", NULL},
        {!learns && options->operand_count > 0,
         "--load-model is used instead of runs, so there is no use for '%s'",
         options->operands[0]},
        {learns && options->operand_count < 2,
         "%s to learn from, expected 2 or more: RUN.csv=SIZE RUN.csv=SIZE...",
         options->operand_count == 0 ? "0 runs" : "1 run"},
    };
    return REFUSE_FIRST(refusals, error);
}

static enum margay_status get_model(struct prediction *prediction,
                                    struct margay_error *error)
{
    const struct predict_choices *choices = prediction->choices;
    enum margay_status status;
    if (choices->load_model != NULL)
        status = predict_read_model(choices->load_model, &prediction->model,
                                    &prediction->block_bytes, error);
    else
        status = learn(prediction, error);
    if (status != MARGAY_OK || choices->truth == NULL)
        return status;
    status = run_csv_read(&prediction->truth, choices->truth, false, error);
    if (status == MARGAY_OK)
        status = run_csv_check_blocks(&prediction->truth,
                                      choices->load_model != NULL
                                          ? choices->load_model
                                          : prediction->runs[0].path,
                                      prediction->block_bytes, error);
    return status;
}

/* Without a size, only save the model. */
static enum margay_status predict(struct prediction *prediction,
                                  struct margay_error *error)
{
    const struct predict_choices *choices = prediction->choices;
    enum margay_status status = get_model(prediction, error);
    if (status == MARGAY_OK && choices->save_model != NULL)
        status = output_open(choices->save_model, OUTPUT_HELD,
                             &prediction->saved, error);
    if (status == MARGAY_OK && choices->save_model != NULL)
        status = predict_write_model(prediction->saved, prediction->model,
                                     prediction->block_bytes, error);
    if (status == MARGAY_OK)
        report_model(prediction);
    if (status != MARGAY_OK || choices->size == 0)
        return status;
    status = margay_model_predict(prediction->model, choices->size,
                                  choices->references, &prediction->predicted,
                                  error);
    if (status == MARGAY_OK)
        status = compare_truth(prediction, error);
    if (status == MARGAY_OK)
        status = write_tables(prediction, error);
    return status;
}

int cmd_predict(const struct options *options)
{
    struct prediction prediction = {.options = options,
                                    .choices = &options->predict};
    struct margay_error error;
    if (options->predict.sample)
        return cmd_predict_sample(options);
    enum margay_status status = check_options(options, &error);
    if (status == MARGAY_OK)
        status = predict(&prediction, &error);
    struct output *outputs[] = {prediction.csv.output, prediction.saved};
    csv_end(&prediction.csv);
    int exit_status = conclude(status, outputs, 2, &error);
    for (size_t i = 0; i < prediction.run_count; i++)
        run_csv_clear(&prediction.runs[i]);
    free(prediction.runs);
    run_csv_clear(&prediction.truth);
    margay_model_free(prediction.model);
    margay_histogram_free(prediction.predicted);
    return exit_status;
}
