/* drive.c - running a command that reads traces */
#define _GNU_SOURCE
#include "sim/command/drive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/options/commands.h"
#include "sim/run/running.h"
#include "sim/terminal/message.h"
#include "sim/terminal/signals.h"

/* The ranks of which this process is one; NULL = no cluster. */
static const struct margay_transport *ranks;

/* ----------------------------------------------------------- the request -- */

bool drive_joins(const struct options *options)
{
    return options->machine.mix || options->run.join;
}

bool drive_tenants_are_threads(const struct options *options)
{
    return options->reading.tenant != NULL &&
           strcmp(options->reading.tenant, "thread") == 0;
}

/* The columns that options need; 0 for an option that is not given. */
struct needs {
    struct margay_need list[16];
};

#define IF(given, column)  ((given) ? (unsigned)MARGAY_COLUMN_##column : 0)
#define IF_BY(key, column) IF(by->given && by->by == MARGAY_BY_##key, column)

static struct needs needs_of(const struct options *options)
{
    static const char sites[] = "margay record --to mgt --sites";
    static const char threads[] = "margay record --to mgt";
    const struct margay_trace_options *reading = &options->reading;
    const struct attribution_option *by = &options->results.by;
    const unsigned writes = MARGAY_KIND_BIT(MARGAY_WRITE);
    const unsigned policies = options->caches.policy.info->abilities |
                              options->caches.policies.abilities;
    const bool joins = drive_joins(options), ids = reading->ids;
    const bool tenant = reading->tenant != NULL && !joins;
    const bool by_thread = drive_tenants_are_threads(options);
    const bool splits = options->run.straddle == MARGAY_STRADDLE_SPLIT;
    return (struct needs){{
        {"--kind", IF(reading->kinds != MARGAY_ALL_KINDS, KINDS),
         reading->kinds, NULL},
        {"--op", IF(reading->ops != MARGAY_ALL_OPS, OPS), 0, NULL},
        {"--objects", IF(options->results.objects, SIZES), 0, NULL},
        {"--ttl", IF(options->results.ttl.given, TIMES), 0, NULL},
        {"--requests", IF(options->results.requests, REQUESTS), 0, NULL},
        {"--tenant",
         IF(tenant && by_thread, THREADS) | IF(tenant && !by_thread, TENANTS),
         0, NULL},
        {"--straddle split", IF(splits, EXTENTS), 0,
         ids ? "the trace without --ids" : NULL},
        {"--writebacks", IF(options->results.writebacks, KINDS), writes, NULL},
        {"--write", IF(options->caches.write != WRITE_UNSAID, KINDS), writes,
         NULL},
        {"--allocate", IF(options->caches.allocate != WRITE_UNSAID, KINDS),
         writes, NULL},
        {"--by kind", IF(options->caches.by_kind, KINDS), MARGAY_ALL_KINDS,
         NULL},
        {"--policy ship", IF(policies & MARGAY_POLICY_NEEDS_SITES, SITES), 0,
         sites},
        {"annotate", IF(options->command->bit == ON_ANNOTATE, SITES), 0, sites},
        {"--by site", IF_BY(SITE, SITES), 0, sites},
        {"--by thread", joins ? 0 : IF_BY(THREAD, THREADS), 0, threads},
        {"--by op", IF_BY(OP, OPS), 0, NULL},
    }};
}

struct margay_engine_request drive_engine(const struct options *options,
                                          unsigned needs)
{
    struct margay_engine_request engine = options->engine;
    engine.seed = options->seed;
    engine.needs = needs;
    if (options->results.sample.rate != 0 && options->command->bit == ON_CURVE)
        engine.spec = options->results.sample.engine;
    if (engine.half_life_refs != 0)
        engine.measure |= MARGAY_FADING;
    return engine;
}

/* Without operands the trace is standard input. */
static struct margay_request request_of(const struct options *options,
                                        const struct needs *needs)
{
    static const char *const standard_input[] = {"-"};
    bool none = options->operand_count == 0;
    struct margay_trace_options reading = options->reading;
    if (drive_joins(options))
        reading.tenant = NULL; /* the tenants are the traces */
    return (struct margay_request){
        .needs = needs->list,
        .need_count = sizeof needs->list / sizeof *needs->list,
        .traces = none ? standard_input : options->operands,
        .trace_count = none ? 1 : options->operand_count,
        .reading = reading,
        .straddle = options->run.straddle,
        .block_bytes = options->run.blocks.numbers,
        .block_count = options->run.blocks.count,
        .threads = options->run.threads,
        .ranks = ranks,
        .chunk_refs = options->run.chunk_refs,
        .phase_refs = options->run.phase_refs,
        .block_tokens = options->run.block_tokens,
        .token_bytes = options->run.token_bytes,
        .window_refs = options->run.window_refs,
        .every_refs = options->run.every.refs,
        .every_seconds = options->run.every.seconds,
        .saves = options->run.save != NULL,
        .resume_path = options->run.resume,
        .mix = drive_joins(options) ? &options->run.mixing : NULL,
        .directory = output_temporary_directory(),
    };
}

/* Can a file of this name be replaced as a whole? */
static bool is_file(const char *path)
{
    struct stat status;
    return strcmp(path, "-") != 0 &&
           (stat(path, &status) != 0 || S_ISREG(status.st_mode));
}

/* Options of a run that contradict each other.  A snapshot goes next to a file
   that is written as a whole. */
static enum margay_status check_request(const struct options *options,
                                        struct margay_error *error)
{
    const bool joins = drive_joins(options);
    const bool several = options->operand_count > 1 && !joins;
    const bool every = interval_is_given(&options->run.every);
    const char *output = options->output, *tenant = options->reading.tenant;
    const char *prometheus = options->results.prometheus;
    char count[24];
    snprintf(count, sizeof count, "%zu", options->operand_count);
    const struct refusal refusals[] = {
        {joins && tenant != NULL && !drive_tenants_are_threads(options),
         "--tenant: found '%s', expected 'thread': with --join the tenants are "
         "the traces",
         tenant},
        {several && (options->command->bit & (ON_FILTER | ON_CONVERT)) != 0,
         "found %s traces, expected one, or --join to write all as one, in the "
         "order of their times",
         count},
        {several && prometheus != NULL,
         "--prometheus: the file is for one trace at a time, not %s", count},
        {several && options->machine.misses != NULL,
         "--misses: found %s traces, expected one", count},
        {several && options->machine.validate != NULL,
         "--validate: found %s traces, expected one", count},
        {several && options->annotate.callgrind != NULL,
         "--callgrind: the file is for one trace at a time, not %s", count},
        {every && output == NULL && options->run.save == NULL &&
             prometheus == NULL,
         "--every writes FILE.snapshot next to the FILE of --output, which is "
         "not given",
         NULL},
        {every && output != NULL && !is_file(output),
         "--every writes FILE.snapshot next to the FILE of --output, and '%s' "
         "is not a regular file",
         output},
        {every && prometheus != NULL && !is_file(prometheus),
         "--every replaces the FILE of --prometheus, and '%s' is not a regular "
         "file",
         prometheus},
    };
    return REFUSE_FIRST(refusals, error);
}

/* ------------------------------------------------------------- the host -- */

/* The context of the host's functions. */
struct seat {
    struct drive *drive;
    struct progress progress; /* of the trace named below */
    const char *trace;        /* its name; NULL = none yet */
    bool explained;           /* a message has named the interrupted trace */
};

static void explain(const struct drive *drive, const struct margay_job *job)
{
    const struct margay_trace_facts *facts = margay_trace_facts(job->reader);
    message_print("%s: format %s, from %s", job->trace, facts->format->name,
                  facts->evidence);
    if (!drive->copies)
        message_print("%s: %s", job->trace, job->plan);
    if (drive->measures || drive->has_engine)
        message_print("%s: engine %s; the fastest code for this processor is "
                      "%s",
                      job->trace,
                      drive_engine(&drive->options, drive->needs).spec,
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

/* A sample of references is no trace: thousands are missing between two of
   them, so almost all distances are too short.  Counts by site, kind and the
   like are right. */
static enum margay_status check_samples(const struct drive *drive,
                                        const struct margay_job *job,
                                        struct margay_error *error)
{
    const struct options *options = &drive->options;
    const struct attribution_option *by = &options->results.by;
    bool counts = (options->command->bit & (ON_DISTANCES | ON_ANNOTATE)) != 0 ||
                  (by->given && by->by == MARGAY_BY_SITE);
    if (drive->files[0].form == CSV_UPRIGHT || drive->copies ||
        !margay_trace_facts(job->reader)->format->sampled)
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

/* Write a file of all passes so far: a table, or else the file for
   Prometheus. */
static enum margay_status renew(struct drive *drive, const char *path,
                                const struct margay_job *job, bool is_table,
                                struct margay_error *error)
{
    struct csv_writer csv = {0};
    enum margay_status status =
        is_table ? csv_open(&csv, path, drive->options.json, CSV_ROWS,
                            drive->files[0].columns, error)
                 : output_open(path, OUTPUT_HELD, &csv.output, error);
    if (status != MARGAY_OK)
        return status;
    for (size_t i = 0; i < job->pass_count && status == MARGAY_OK; i++)
        status = drive->snapshot(drive, is_table ? &csv : NULL, job,
                                 &job->passes[i], error);
    if (!is_table)
        drive->publish(drive, csv.output);
    csv_end(&csv);
    return output_settle(csv.output, status, error);
}

static enum margay_status begun(void *context, const struct margay_job *job,
                                struct margay_error *error)
{
    struct drive *drive = ((struct seat *)context)->drive;
    const struct options *options = &drive->options;
    enum margay_status status = check_samples(drive, job, error);
    if (options->verbose)
        explain(drive, job);
    if (status == MARGAY_OK && drive->begun != NULL)
        status = drive->begun(drive, job, error);
    /* At once, so that readers of the file find a table from the start.  A run
       that goes on keeps the old table until it has more. */
    bool publishes = options->results.prometheus != NULL &&
                     interval_is_given(&options->run.every) &&
                     options->run.resume == NULL;
    return status == MARGAY_OK && publishes
               ? renew(drive, options->results.prometheus, job, false, error)
               : status;
}

static enum margay_status ended(void *context, const struct margay_job *job,
                                const struct margay_pass *pass,
                                struct margay_error *error)
{
    struct drive *drive = ((struct seat *)context)->drive;
    if (drive->options.verbose && pass == job->passes && !drive->copies)
        explain_work(job);
    return drive->ended == NULL ? MARGAY_OK
                                : drive->ended(drive, job, pass, error);
}

static enum margay_status look(void *context, const struct margay_job *job,
                               uint64_t references, struct margay_error *error)
{
    struct drive *drive = ((struct seat *)context)->drive;
    const struct options *options = &drive->options;
    enum margay_status status = MARGAY_OK;
    char *path = NULL;
    if (options->output != NULL &&
        asprintf(&path, "%s.snapshot", options->output) < 0)
        return margay_fail_memory(error, "a snapshot");
    if (path != NULL)
        status = renew(drive, path, job, true, error);
    if (status == MARGAY_OK && path != NULL && !options->quiet)
        message_print("%s: the first %" PRIu64 " reference%s", path, references,
                      margay_plural(references, "s"));
    free(path);
    return status == MARGAY_OK && options->results.prometheus != NULL
               ? renew(drive, options->results.prometheus, job, false, error)
               : status;
}

static enum margay_status save(void *context, const struct margay_job *job,
                               struct margay_error *error)
{
    const struct drive *drive = ((struct seat *)context)->drive;
    struct output *output;
    const struct margay_sink sink = {&output, sink_write};
    enum margay_status status =
        output_open(drive->options.run.save, OUTPUT_DURABLE, &output, error);
    if (status != MARGAY_OK)
        return status;
    return output_settle(output, margay_job_save(job, &sink, error), error);
}

static bool stop(void *context)
{
    (void)context;
    return signals_interrupted() != 0;
}

/* Report the guesses about a trace that has been read, and its skipped
   lines. */
static void tell_reading(const char *name, const margay_trace *trace)
{
    const char *first, *guess = margay_trace_facts(trace)->guess;
    if (*guess != '\0')
        message_tell("%s: the names of its columns are taken for --column %s",
                     name, guess);
    uint64_t lines = margay_trace_bad_lines(trace, &first);
    if (lines > 0)
        message_keep("%s: %" PRIu64 " line%s could not be read and %s left "
                     "out%s: %s",
                     name, lines, margay_plural(lines, "s"),
                     lines == 1 ? "is" : "are", lines == 1 ? "" : "; the first",
                     first);
}

/* Even with --quiet, because the writer of a pipe waits for it. */
static void tell_resumed(const struct options *options,
                         const struct margay_notice *notice)
{
    char warmup[80] = "";
    if (notice->warmup_refs > 0)
        snprintf(warmup, sizeof warmup,
                 ", of whose warm-up %" PRIu64 " %s still to come",
                 notice->warmup_refs, notice->warmup_refs == 1 ? "is" : "are");
    message_print("%s: goes on after %" PRIu64 " reference%s%s",
                  options->run.resume, notice->references,
                  margay_plural(notice->references, "s"), warmup);
}

static void tell(void *context, const struct margay_job *job,
                 const struct margay_notice *notice)
{
    struct seat *seat = context;
    const char *end = margay_plural(notice->references, "s");
    switch (notice->news) {
    case MARGAY_RESUMED:
        tell_resumed(&seat->drive->options, notice);
        break;
    case MARGAY_WAS_READ:
        tell_reading(job->trace, job->reader);
        break;
    case MARGAY_CUT_SHORT:
        /* Without a pass there is nothing to put into a state. */
        message_print("%s: interrupted; the output covers the first %" PRIu64
                      " reference%s only%s",
                      job->trace, notice->references, end,
                      seat->drive->options.run.save != NULL &&
                              job->pass_count == 0
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
        message_tell("%s: %sno reference was read", job->trace,
                     notice->empty ? "empty: " : "");
        break;
    }
}

static void show_progress(void *context, const struct margay_progress *run)
{
    struct seat *seat = context;
    if (seat->trace != run->trace || seat->progress.simulates != run->finishing)
        progress_begin(&seat->progress, run->trace, seat->drive->options.quiet);
    seat->trace = run->trace;
    seat->progress.simulates = run->finishing;
    progress_update(&seat->progress, run->references, run->bytes_done,
                    run->bytes_total);
}

/* -------------------------------------------------------------- the run -- */

/* Report how much the output covers if a signal has ended the run: the exit
   status is that of the signal even for a whole output, so that a script ends,
   too.  Advise on a lack of memory. */
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
    if (status == MARGAY_NO_MEMORY && drive->options.engine.bound.value == 0 &&
        (drive->measures || drive->has_engine)) {
        size_t length = strlen(error->message);
        snprintf(error->message + length, sizeof error->message - length,
                 " (--bound SIZE takes less, and so do the engines that "
                 "sample: see 'margay engines')");
    }
}

enum margay_status drive_open(struct drive *drive, struct margay_error *error)
{
    const struct options *options = &drive->options;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < DRIVE_MOST_FILES && status == MARGAY_OK; i++) {
        const struct drive_file *file = &drive->files[i];
        const char *path = i == 0 ? options->output : file->path;
        if (i == 0 ? file->columns == NULL : path == NULL)
            continue;
        struct csv_writer *csv = &drive->csvs[i];
        status = file->columns == NULL
                     ? output_open(path, OUTPUT_HELD, &csv->output, error)
                     : csv_open(csv, path, options->json, file->form,
                                file->columns, error);
    }
    return status;
}

/* Make the question, and open the files; *question is NULL where there is
   nothing to run. */
static enum margay_status prepare(struct drive *drive,
                                  margay_question **question,
                                  struct margay_error *error)
{
    const struct options *options = &drive->options;
    *question = NULL;
    enum margay_status status = drive->ask(drive, question, error);
    if (status != MARGAY_OK || (*question == NULL && !drive->measures))
        return status;
    const struct margay_engine_request engine =
        drive_engine(options, drive->needs);
    status = drive_open(drive, error);
    if (status == MARGAY_OK)
        status = check_request(options, error);
    if (status == MARGAY_OK && drive->measures)
        return margay_engine_question(&engine, *question, question, error);
    if (status != MARGAY_OK) {
        margay_question_free(*question);
        *question = NULL;
    }
    return status;
}

enum margay_status drive_run(struct drive *drive, struct margay_error *error)
{
    margay_question *question;
    struct margay_outcome outcome;
    enum margay_status status = prepare(drive, &question, error);
    if (status != MARGAY_OK || question == NULL)
        return status;
    const struct options *options = &drive->options;
    const struct needs needs = needs_of(options);
    const struct margay_request request = request_of(options, &needs);
    struct seat seat = {.drive = drive};
    const bool shows =
        options->output != NULL || options->results.prometheus != NULL;
    const struct margay_host host = {
        .context = &seat,
        .begun = begun,
        .ended = ended,
        .look = drive->snapshot != NULL && shows ? look : NULL,
        .save = save,
        .stop = stop,
        .tell = tell,
        .progress = show_progress,
    };
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

int drive_command(struct drive *drive)
{
    struct margay_error error;
    enum margay_status status = drive_run(drive, &error);
    return csv_conclude(status, drive->csvs, DRIVE_MOST_FILES, &error);
}

void drive_set_ranks(const struct margay_transport *transport)
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
    const struct needs needs = needs_of(options);
    const struct margay_request request = request_of(options, &needs);
    return margay_ranks_serve(&request);
}
