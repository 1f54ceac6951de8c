/* predict_sample.c - margay predict --sample: input sizes of running
   programs */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"
#include <margay/prediction.h>

/* One trace, and the peaks found in it. */
struct run {
    char *path;                      /* owned */
    struct margay_sampled_run peaks; /* owned; of size 0: to be found */
    uint64_t block_bytes, references;
    struct margay_sampler_options thresholds;
};

struct sampling {
    struct drive drive;
    struct run *runs; /* owned */
    const char **paths;
    size_t count, at; /* `at` is the run that is read */
    bool has_rule;
    struct margay_size_rule rule;
};

/* --------------------------------------------------------------- traces -- */

/* Split each TRACE=SIZE at the last '='; an operand may be TRACE alone. */
static enum margay_status list_runs(struct sampling *sampling,
                                    struct margay_error *error)
{
    struct options *options = &sampling->drive.options;
    enum margay_status status = MARGAY_OK;
    size_t count = options->operand_count == 0 ? 1 : options->operand_count;
    sampling->runs = calloc(count, sizeof *sampling->runs);
    sampling->paths = calloc(count + 1, sizeof *sampling->paths);
    if (sampling->runs == NULL || sampling->paths == NULL)
        return margay_fail_memory(error, "the traces");
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        const char *operand =
            options->operand_count == 0 ? "-" : options->operands[i];
        struct run *run = &sampling->runs[sampling->count++];
        sampling->paths[i] = run->path = strdup(operand);
        if (run->path == NULL)
            return margay_fail_memory(error, "the name of a trace");
        char *equals = strrchr(run->path, '=');
        if (equals == NULL)
            continue;
        *equals = '\0';
        status = parse_input_size(operand, equals + 1, &run->peaks.size, error);
    }
    options->operands = sampling->paths;
    options->operand_count = count;
    return status;
}

/* Finds peaks among distances. */
struct peaks {
    margay_analysis analysis;
    margay_sampler *sampler;
};

static margay_sampler *sampler_of(margay_analysis *analysis)
{
    return ((struct peaks *)analysis)->sampler;
}

static enum margay_status feed(margay_analysis *analysis,
                               const struct margay_span *span,
                               struct margay_error *error)
{
    return margay_sampler_feed(sampler_of(analysis), span->blocks,
                               span->distances, span->count, error);
}

static void free_peaks(margay_analysis *analysis)
{
    margay_sampler_free(sampler_of(analysis));
}

static enum margay_status begin_peaks(margay_analysis *analysis,
                                      const struct margay_share *share,
                                      struct margay_error *error)
{
    const struct sampling *sampling = analysis->question->context;
    const struct predict_choices *choices = &sampling->drive.options.predict;
    const struct margay_sampler_options options = {
        .qualification_blocks = choices->qualification_blocks,
        .temporal_blocks = choices->temporal_blocks,
        .spatial_blocks = choices->spatial_blocks,
        .most_samples = choices->samples > MARGAY_MOST_SAMPLES
                            ? UINT32_MAX
                            : (unsigned)choices->samples,
        .most_peaks =
            choices->peaks > UINT32_MAX ? UINT32_MAX : (unsigned)choices->peaks,
    };
    (void)share;
    return margay_sampler_create(&options, &((struct peaks *)analysis)->sampler,
                                 error);
}

static enum margay_status ask(struct drive *drive, margay_question **question,
                              struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .bytes = sizeof(struct peaks),
        .begin = begin_peaks,
        .feed = feed,
        .free = free_peaks,
    };
    static const margay_question kind = {
        .functions = &functions,
        .can.needs = MARGAY_COLUMN_DISTANCES,
        .name = "the peaks",
    };
    struct sampling *sampling = (struct sampling *)drive;
    enum margay_status status = list_runs(sampling, error);
    return status == MARGAY_OK
               ? margay_question_create(&kind, sampling, 0, question, error)
               : status;
}

static enum margay_status end(struct drive *drive, const struct margay_job *job,
                              const struct margay_pass *pass,
                              struct margay_error *error)
{
    struct sampling *sampling = (struct sampling *)drive;
    struct run *run = &sampling->runs[sampling->at++];
    run->block_bytes = pass->block_bytes;
    run->references = pass->fed_refs;
    struct margay_peak *peaks;
    enum margay_status status = margay_sampler_finish(
        sampler_of(job->analyses[pass->index]->next), &run->thresholds, &peaks,
        &run->peaks.count, error);
    run->peaks.peaks = status == MARGAY_OK ? peaks : NULL;
    return status;
}

/* ---------------------------------------------------------------- sizes -- */

/* Without runs of known size there is no rule, which is no failure. */
static enum margay_status find_rule(struct sampling *sampling,
                                    struct margay_error *error)
{
    struct margay_sampled_run *known = calloc(sampling->at + 1, sizeof *known);
    size_t count = 0;
    if (known == NULL)
        return margay_fail_memory(error, "the peaks");
    for (size_t i = 0; i < sampling->at; i++) {
        if (sampling->runs[i].peaks.size > 0)
            known[count++] = sampling->runs[i].peaks;
    }
    enum margay_status status = MARGAY_OK;
    if (count > 0)
        status = margay_size_rule_fit(known, count, &sampling->rule, error);
    sampling->has_rule = status == MARGAY_OK && count > 0;
    free(known);
    return status;
}

/* --------------------------------------------------------------- output -- */

/* `size` is NAN where the peak does not give it. */
static void write_peak(struct csv_writer *csv, const struct margay_peak *peak,
                       double coverage, double size)
{
    csv_key(csv);
    csv_u64(csv, peak->sample);
    csv_u64(csv, peak->block);
    csv_u64(csv, peak->peak);
    csv_u64(csv, peak->index);
    csv_u64(csv, peak->known_index);
    csv_decimal(csv, coverage);
    csv_u64(csv, peak->distance);
    csv_decimal(csv, size);
    csv_end_row(csv);
}

/* The rows of a run, and their summary.  A peak gives the size if the rule uses
   it. */
static enum margay_status write_run(struct sampling *sampling,
                                    const struct run *run,
                                    struct margay_error *error)
{
    struct csv_writer *csv = sampling->drive.csvs;
    const struct margay_size_rule *rule = &sampling->rule;
    const struct margay_sampler_options *found = &run->thresholds;
    const struct margay_sampled_run *peaks = &run->peaks;
    double size = peaks->size;
    bool has_size = sampling->has_rule &&
                    (size > 0 || margay_size_rule_apply(rule, peaks, &size));
    enum margay_status status =
        csv_set_key(csv, run->path, run->block_bytes, error);
    message_tell("%s: %zu peak%s, qualification %" PRIu64 ", temporal %" PRIu64
                 ", spatial %" PRIu64 " block%s",
                 run->path, peaks->count, margay_plural(peaks->count, "s"),
                 found->qualification_blocks, found->temporal_blocks,
                 found->spatial_blocks,
                 margay_plural(found->spatial_blocks, "s"));
    if (sampling->has_rule && !has_size)
        message_tell("%s: no peak tells the input size", run->path);
    for (size_t i = 0; i < peaks->count && status == MARGAY_OK; i++) {
        const struct margay_peak *peak = &peaks->peaks[i];
        double coverage =
            1 - (double)(peak->known_index + 1) / (double)run->references;
        bool tells_size = has_size && peak->sample == rule->sample &&
                          peak->peak == rule->peak;
        write_peak(csv, peak, coverage, tells_size ? size : NAN);
        if (tells_size && peaks->size == 0)
            message_tell("%s: input size %.12g, coverage %.4f", run->path, size,
                         coverage);
    }
    return status;
}

int cmd_predict_sample(const struct options *options)
{
    struct sampling sampling = {
        .drive = {.options = *options,
                  .measures = true,
                  .needs = MARGAY_CAN_TELL_DISTANCES,
                  .files = {{.columns = SAMPLE_COLUMNS}},
                  .ask = ask,
                  .ended = end},
    };
    struct margay_error error;
    enum margay_status status = drive_run(&sampling.drive, &error);
    if (status == MARGAY_OK)
        status = find_rule(&sampling, &error);
    for (size_t i = 0; i < sampling.at && status == MARGAY_OK; i++)
        status = write_run(&sampling, &sampling.runs[i], &error);
    int exit_status =
        csv_conclude(status, sampling.drive.csvs, DRIVE_MOST_FILES, &error);
    for (size_t i = 0; i < sampling.count; i++) {
        free(sampling.runs[i].path);
        free((void *)sampling.runs[i].peaks.peaks);
    }
    free(sampling.runs);
    free(sampling.paths);
    return exit_status;
}
