/* cmd_phases.c - margay phases */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/command/curve.h"
#include "sim/command/drive.h"
#include "sim/options/commands.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

/* The error and the share of the windows that stand for the trace. */
#define ERROR_WANTED 0.005
#define MOST_SHARE   0.05

enum { PHASES, CURVES, WEIGHTS };

/* Returns how many repeat none. */
static size_t write_phases(struct csv_writer *csv,
                           const struct margay_pass *pass,
                           const margay_phases *phases)
{
    size_t different = 0;
    for (size_t i = 0; i < margay_phases_count(phases); i++) {
        struct margay_phase phase;
        margay_phases_at(phases, i, &phase);
        csv_text(csv, pass->trace);
        csv_u64(csv, i);
        csv_u64(csv, phase.from);
        csv_u64(csv, phase.to);
        csv_u64(csv, phase.to - phase.from);
        csv_known(csv, phase.repeats != i, phase.repeats);
        csv_u64(csv, phase.working_set_blocks);
        csv_end_row(csv);
        different += phase.repeats == i;
    }
    return different;
}

/* The curve of a phase has the name of the trace and its number. */
static enum margay_status write_curves(struct drive *drive,
                                       const struct margay_pass *pass,
                                       const margay_phases *phases,
                                       struct margay_error *error)
{
    const struct curve_sinks sinks = {.options = &drive->options,
                                      .csv = &drive->csvs[CURVES]};
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < margay_phases_count(phases) && status == MARGAY_OK;
         i++) {
        struct margay_result result = {.only_points = true};
        struct margay_phase phase;
        char *name;
        margay_phases_at(phases, i, &phase);
        if (phase.repeats != i)
            continue;
        if (asprintf(&name, "%s phase %zu", pass->trace, i) < 0)
            return margay_fail_memory(error, "the name of a phase");
        const struct series_labels labels = {.trace = name,
                                             .block_bytes = pass->block_bytes};
        status =
            margay_phases_curve(phases, i, &result.points, &result.point_count,
                                &result.references, error);
        if (status == MARGAY_OK)
            status = curve_draw(&sinks, &labels, &result, false, error);
        free(result.points);
        free(name);
    }
    return status;
}

static enum margay_status write_weights(struct csv_writer *csv,
                                        const struct margay_pass *pass,
                                        const margay_phases *phases,
                                        struct margay_error *error)
{
    struct margay_representatives chosen;
    uint64_t refs = 0;
    enum margay_status status = margay_phases_represent(
        phases, MOST_SHARE, ERROR_WANTED, &chosen, error);
    for (size_t i = 0; status == MARGAY_OK && i < chosen.count; i++) {
        const struct margay_representative *one = &chosen.intervals[i];
        csv_text(csv, pass->trace);
        csv_u64(csv, one->phase);
        csv_u64(csv, one->from);
        csv_u64(csv, one->to);
        csv_u64(csv, one->to - one->from);
        csv_share(csv, one->refs, pass->fed_refs);
        csv_end_row(csv);
        refs += one->to - one->from;
    }
    if (status == MARGAY_OK && chosen.count > 0)
        message_tell("%s: %zu window%s with %.2g %% of the references: mean "
                     "error of the miss ratio %.4f, and about %.4f where each "
                     "begins with empty caches",
                     pass->trace, chosen.count,
                     margay_plural(chosen.count, "s"),
                     100 * (double)refs / (double)pass->fed_refs, chosen.error,
                     chosen.cold_error);
    margay_representatives_clear(&chosen);
    return status;
}

static enum margay_status write_pass(struct drive *drive,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct csv_writer *csvs = drive->csvs;
    const margay_phases *phases =
        margay_phases_analysis_of(job->analyses[pass->index]);
    enum margay_status status = MARGAY_OK;
    size_t count = margay_phases_count(phases);
    size_t different = write_phases(&csvs[PHASES], pass, phases);
    message_tell("%s: %" PRIu64 " reference%s in windows of %" PRIu64
                 ", %zu phase%s, %zu of them different, %.1f M refs/s",
                 pass->trace, pass->fed_refs,
                 margay_plural(pass->fed_refs, "s"),
                 margay_phases_interval_refs(phases), count,
                 margay_plural(count, "s"), different, pass_rate(pass));
    if (csvs[CURVES].output != NULL)
        status = write_curves(drive, pass, phases, error);
    if (status == MARGAY_OK && csvs[WEIGHTS].output != NULL)
        status = write_weights(&csvs[WEIGHTS], pass, phases, error);
    return status;
}

static enum margay_status ask(struct drive *drive, margay_question **question,
                              struct margay_error *error)
{
    (void)drive;
    return margay_phases_question(question, error);
}

int cmd_phases(const struct options *options)
{
    struct drive drive = {
        .options = *options,
        .ask = ask,
        .ended = write_pass,
        .files = {[PHASES] = {.columns = PHASES_COLUMNS},
                  [CURVES] = {.path = options->phases.curves,
                              .columns = CURVE_COLUMNS},
                  [WEIGHTS] = {.path = options->phases.weights,
                               .columns = WEIGHTS_COLUMNS}},
    };
    return drive_command(&drive);
}
