/* drive.c - how a command that reads traces runs */
#define _GNU_SOURCE
#include "sim/command/drive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/command/request.h"
#include "sim/options/commands.h"
#include "sim/run/running.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "sim/terminal/progress.h"
#include "sim/terminal/signals.h"
#include "traces/traces_internal.h"

/* The ranks of which this process is one; NULL = no cluster. */
static const struct margay_transport *ranks;

/* The context of the host's functions. */
struct seat {
    const struct drive *drive;
    struct progress progress; /* of the trace named below */
    const char *trace;        /* its name; NULL = none yet */
    bool explained;           /* a message told what a signal cut short */
};

/* ------------------------------------------------------------- the host -- */

static void explain(const struct drive *drive, const struct margay_job *job)
{
    message_print("%s: format %s, from %s", job->trace,
                  margay_trace_format(job->reader)->name,
                  margay_trace_evidence(job->reader));
    if (!drive->copies)
        message_print("%s: %s", job->trace, job->plan);
    if (drive->measures || drive->has_engine)
        message_print("%s: engine %s; the fastest code for this processor is "
                      "%s",
                      job->trace,
                      request_engine(drive->options, drive->needs).spec,
                      margay_target_name(margay_target_best()));
}

/* How much no number of threads makes shorter: the leading thread and the
   reading one work at the same time. */
static void explain_work(const struct margay_job *job)
{
    const struct margay_job_work *work = &job->work;
    bool reads = work->reading_seconds > work->leading_seconds;
    double serial_seconds =
        reads ? work->reading_seconds : work->leading_seconds;
    if (work->all_seconds > 0)
        message_print("%s: analysed in %.3f s of the processor, %.0f%% of them "
                      "serial: %.3f s of the leading thread, %.3f s of the "
                      "reading one; the %s one is the limit",
                      job->trace, work->all_seconds,
                      100 * serial_seconds / work->all_seconds,
                      work->leading_seconds, work->reading_seconds,
                      reads ? "reading" : "leading");
}

/* A sample of references is no trace: between two of them lie thousands that
   are not there, so that almost all distances are too short.  How many there
   are of each site, and what they are, is right. */
static enum margay_status check_samples(const struct drive *drive,
                                        const struct margay_job *job,
                                        struct margay_error *error)
{
    const struct options *options = drive->options;
    const struct attribution_option *by = &options->results.by;
    bool counts = (options->command->bit & (ON_DISTANCES | ON_ANNOTATE)) != 0 ||
                  (by->given && by->by == MARGAY_BY_SITE);
    if (drive->upright || drive->copies || job->reader == NULL ||
        !margay_trace_format(job->reader)->sampled)
        return MARGAY_OK;
    if (!counts)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: samples of references, whose distances and "
                           "misses are not those of the program; expected "
                           "all references, as 'margay record' takes them "
                           "('annotate' and 'histogram --by site' count "
                           "samples; 'convert' makes a trace of a file in "
                           "which each reference is)",
                           job->trace);
    message_keep("%s: these are samples, not all references: distances and "
                 "misses are not those of the program",
                 job->trace);
    return MARGAY_OK;
}

static enum margay_status begun(void *context, const struct margay_job *job,
                                struct margay_error *error)
{
    const struct drive *drive = ((struct seat *)context)->drive;
    const struct options *options = drive->options;
    enum margay_status status = check_samples(drive, job, error);
    if (options->verbose && job->reader != NULL)
        explain(drive, job);
    if (status == MARGAY_OK && drive->begun != NULL)
        status = drive->begun(drive->context, job, error);
    /* At once, so that readers of the file find a table from the start.  A run
       that goes on keeps the old table until it has more. */
    bool publishes =
        drive->publish != NULL && drive->snapshot != NULL &&
        (options->run.every.refs != 0 || options->run.every.seconds != 0) &&
        options->run.resume == NULL;
    return status == MARGAY_OK && publishes
               ? drive->publish(drive->context, job, error)
               : status;
}

static enum margay_status ended(void *context, const struct margay_job *job,
                                const struct margay_pass *pass,
                                struct margay_error *error)
{
    const struct drive *drive = ((struct seat *)context)->drive;
    if (drive->options->verbose && pass == job->passes && !drive->copies)
        explain_work(job);
    enum margay_status status =
        drive->ended == NULL ? MARGAY_OK
                             : drive->ended(drive->context, job, pass, error);
    if (status == MARGAY_OK && drive->summarises && !drive->options->quiet &&
        drive->options->run.window_refs == 0) {
        const struct margay_series series = margay_result_describe(
            margay_engine_analysis_result(job->analyses[pass->index]));
        table_summarise(pass, &series);
    }
    return status;
}

/* The rows of all passes, in a table of their own. */
static enum margay_status show_snapshot(const struct drive *drive,
                                        const struct margay_job *job,
                                        uint64_t references,
                                        struct margay_error *error)
{
    struct output *output = NULL;
    struct csv_writer csv;
    char *path;
    if (asprintf(&path, "%s.snapshot", drive->options->output) < 0)
        return margay_fail_memory(error, "a snapshot");
    enum margay_status status = output_open(path, OUTPUT_HELD, &output, error);
    if (status == MARGAY_OK) {
        csv_begin(&csv, output, drive->options->json, drive->snapshot_columns);
        for (size_t i = 0; i < job->pass_count && status == MARGAY_OK; i++)
            status = drive->snapshot(drive->context, &csv, job, &job->passes[i],
                                     error);
        csv_end(&csv);
    }
    status = output_settle(output, status, error);
    if (status == MARGAY_OK && !drive->options->quiet)
        message_print("%s: the first %" PRIu64 " reference%s", path, references,
                      margay_plural(references, "s"));
    free(path);
    return status;
}

static enum margay_status look(void *context, const struct margay_job *job,
                               uint64_t references, struct margay_error *error)
{
    const struct drive *drive = ((struct seat *)context)->drive;
    enum margay_status status = MARGAY_OK;
    if (drive->options->output != NULL)
        status = show_snapshot(drive, job, references, error);
    if (status == MARGAY_OK && drive->publish != NULL)
        status = drive->publish(drive->context, job, error);
    return status;
}

static enum margay_status save(void *context, const struct margay_job *job,
                               struct margay_error *error)
{
    const struct drive *drive = ((struct seat *)context)->drive;
    struct output *output;
    const struct margay_sink sink = {&output, sink_write};
    enum margay_status status =
        output_open(drive->options->run.save, OUTPUT_DURABLE, &output, error);
    if (status != MARGAY_OK)
        return status;
    return output_settle(output, margay_job_save(job, &sink, error), error);
}

static bool stop(void *context)
{
    (void)context;
    return signals_interrupted() != 0;
}

static void tell(void *context, const struct margay_job *job,
                 const struct margay_notice *notice)
{
    struct seat *seat = context;
    const struct options *options = seat->drive->options;
    const char *end = margay_plural(notice->references, "s");
    char warmup[80] = "";
    switch (notice->news) {
    case MARGAY_RESUMED:
        if (notice->warmup_refs > 0)
            snprintf(warmup, sizeof warmup,
                     ", of whose warm-up %" PRIu64 " %s still to come",
                     notice->warmup_refs,
                     notice->warmup_refs == 1 ? "is" : "are");
        /* Even with --quiet, because the writer of a pipe waits for it. */
        message_print("%s: goes on after %" PRIu64 " reference%s%s",
                      options->run.resume, notice->references, end, warmup);
        break;
    case MARGAY_WAS_READ:
        request_tell_reading(options, job->trace, job->reader);
        break;
    case MARGAY_CUT_SHORT:
        /* Without a pass there is nothing to put into a state. */
        message_print("%s: interrupted; the output covers the first %" PRIu64
                      " reference%s only%s",
                      job->trace, notice->references, end,
                      options->run.save != NULL && job->pass_count == 0
                          ? ", and no state was saved"
                          : "");
        seat->explained = true;
        break;
    case MARGAY_LEFT_OUT:
        message_print("%s: interrupted when all was read; the output lacks %zu "
                      "of the %zu cache%s to be simulated",
                      job->trace, notice->lacking, notice->caches,
                      margay_plural(notice->caches, "s"));
        seat->explained = true;
        break;
    case MARGAY_READ_NOTHING:
        /* A pipe is empty, perhaps because a command failed. */
        if (!options->quiet)
            message_keep("%s: %sno reference was read", job->trace,
                         notice->empty ? "empty: " : "");
        break;
    }
}

static void show_progress(void *context, const struct margay_progress *run)
{
    struct seat *seat = context;
    if (seat->trace != run->trace || seat->progress.simulates != run->finishing)
        progress_begin(&seat->progress, run->trace,
                       seat->drive->options->quiet);
    seat->trace = run->trace;
    seat->progress.simulates = run->finishing;
    progress_update(&seat->progress, run->references, run->bytes_done,
                    run->bytes_total);
}

/* -------------------------------------------------------------- the run -- */

/* Say how much the output covers where a signal has ended the run: the exit
   status is that of the signal even for a whole output, so that a script ends,
   too.  Add to a lack of memory how to need less. */
static void explain_end(const struct seat *seat,
                        const struct margay_request *request,
                        const struct margay_outcome *outcome,
                        enum margay_status status, struct margay_error *error)
{
    const struct drive *drive = seat->drive;
    bool interrupted = signals_interrupted() && status == MARGAY_OK;
    if (interrupted && outcome->unread_traces > 0)
        message_print("interrupted; the output does not cover %zu of the %zu "
                      "trace%s",
                      outcome->unread_traces, request->trace_count,
                      margay_plural(request->trace_count, "s"));
    else if (interrupted && !seat->explained)
        message_print("interrupted when all was read; the output is whole");
    if (status == MARGAY_NO_MEMORY && drive->options->engine.bound.value == 0 &&
        (drive->measures || drive->has_engine)) {
        size_t length = strlen(error->message);
        snprintf(error->message + length, sizeof error->message - length,
                 " (--bound SIZE takes less, and so do the engines that "
                 "sample: see 'margay engines')");
    }
}

static enum margay_status ask(const struct drive *drive,
                              margay_question **question,
                              struct margay_error *error)
{
    const struct margay_engine_request engine =
        request_engine(drive->options, drive->needs);
    margay_question *own = NULL;
    enum margay_status status = drive->open == NULL
                                    ? MARGAY_OK
                                    : drive->open(drive->context, &own, error);
    if (status == MARGAY_OK && drive->measures)
        return margay_engine_question(&engine, own, question, error);
    *question = own;
    return status;
}

enum margay_status drive_run(const struct drive *drive,
                             struct margay_error *error)
{
    const struct options *options = drive->options;
    struct margay_request request = request_of(options);
    struct margay_need needs[REQUEST_NEEDS];
    struct seat seat = {.drive = drive};
    /* Is there something to be written at each --every? */
    bool shows =
        drive->snapshot != NULL &&
        (options->output != NULL || options->results.prometheus != NULL);
    const struct margay_host host = {
        .context = &seat,
        .begun = begun,
        .ended = ended,
        .look = shows ? look : NULL,
        .save = save,
        .stop = stop,
        .tell = tell,
        .progress = show_progress,
    };
    struct margay_outcome outcome;
    margay_question *question = NULL;
    enum margay_status status = request_check(options, error);
    if (status == MARGAY_OK)
        status = ask(drive, &question, error);
    if (status != MARGAY_OK)
        return status;
    request_needs(options, needs);
    request.needs = needs;
    request.ranks = ranks;
    request.need_count = REQUEST_NEEDS;
    if (options->operand_count == 0 && isatty(STDIN_FILENO) && !options->quiet)
        message_print("reading a trace from standard input, the terminal "
                      "('margay help %s' tells how to name a file)",
                      options->command->name);
    signals_finish_gracefully(!drive->copies);
    status = margay_run_request(&request, question, &host, &outcome, error);
    margay_question_free(question);
    signals_finish_gracefully(false);
    explain_end(&seat, &request, &outcome, status, error);
    return status;
}

int drive_table(const struct drive *drive, enum margay_status status,
                struct margay_error *error)
{
    struct output *output = NULL;
    if (status == MARGAY_OK)
        status =
            output_open(drive->options->output, OUTPUT_HELD, &output, error);
    if (status == MARGAY_OK) {
        (drive->upright ? csv_begin_upright : csv_begin)(
            drive->csv, output, drive->options->json, drive->columns);
        status = drive_run(drive, error);
    }
    csv_end(drive->csv);
    return conclude(status, &output, 1, error);
}

enum margay_status drive_question(const margay_question *kind, void *context,
                                  margay_question **question,
                                  struct margay_error *error)
{
    *question = malloc(sizeof **question);
    if (*question == NULL)
        return margay_fail_memory(error, kind->name);
    **question = *kind;
    (*question)->context = context;
    return MARGAY_OK;
}

void drive_join(const struct margay_transport *transport)
{
    ranks = transport;
}

bool drive_has_ranks(void)
{
    return ranks != NULL;
}

bool drive_is_helper(void)
{
    return ranks != NULL && ranks->rank != 0;
}

int drive_dismiss(int exit_status)
{
    return margay_ranks_dismiss(ranks, exit_status);
}

int drive_serve(const struct options *options)
{
    struct margay_request request = request_of(options);
    request.ranks = ranks;
    return margay_ranks_serve(&request);
}
