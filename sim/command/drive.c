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
#include "sim/terminal/output.h"
#include "sim/terminal/progress.h"
#include "sim/terminal/signals.h"
#include "traces/traces_internal.h"

/* The ranks of which this process is one; NULL = no cluster. */
static const struct margay_transport *ranks;

/* More than the options that ask for a column which not every trace has. */
#define MOST_NEEDS 24

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

/* The needs of the options of columns of a trace; returns how many. */
static size_t list_needs(const struct options *options,
                         struct margay_need needs[MOST_NEEDS])
{
    static const char sited[] = "margay record --to mgt --sites";
    const unsigned writes = MARGAY_KIND_BIT(MARGAY_WRITE);
    const struct attribution_option *by = &options->results.by;
    const bool joins = drive_joins(options);
    const struct {
        bool given;
        struct margay_need need;
    } table[] = {
        {options->reading.kinds != MARGAY_ALL_KINDS,
         {"--kind", MARGAY_COLUMN_KINDS, options->reading.kinds, NULL}},
        {options->reading.ops != MARGAY_ALL_OPS,
         {"--op", MARGAY_COLUMN_OPS, 0, NULL}},
        {options->results.objects, {"--objects", MARGAY_COLUMN_SIZES, 0, NULL}},
        {options->results.ttl.given, {"--ttl", MARGAY_COLUMN_TIMES, 0, NULL}},
        {options->results.requests,
         {"--requests", MARGAY_COLUMN_REQUESTS, 0, NULL}},
        {options->reading.tenant != NULL && !joins,
         {"--tenant",
          drive_tenants_are_threads(options) ? MARGAY_COLUMN_THREADS
                                             : MARGAY_COLUMN_TENANTS,
          0, NULL}},
        {options->run.straddle == MARGAY_STRADDLE_SPLIT,
         {"--straddle split", MARGAY_COLUMN_EXTENTS, 0,
          options->reading.ids ? "the trace without --ids" : NULL}},
        {options->results.writebacks,
         {"--writebacks", MARGAY_COLUMN_KINDS, writes, NULL}},
        {options->caches.write != WRITE_UNSAID,
         {"--write", MARGAY_COLUMN_KINDS, writes, NULL}},
        {options->caches.allocate != WRITE_UNSAID,
         {"--allocate", MARGAY_COLUMN_KINDS, writes, NULL}},
        {options->caches.by_kind,
         {"--by kind", MARGAY_COLUMN_KINDS, MARGAY_ALL_KINDS, NULL}},
        {(options->caches.policy.info->abilities |
          options->caches.policies.abilities) &
             MARGAY_POLICY_NEEDS_SITES,
         {"--policy ship", MARGAY_COLUMN_SITES, 0, sited}},
        {options->command->bit == ON_ANNOTATE,
         {"annotate", MARGAY_COLUMN_SITES, 0, sited}},
        {by->given && by->by == MARGAY_BY_SITE,
         {"--by site", MARGAY_COLUMN_SITES, 0, sited}},
        {by->given && by->by == MARGAY_BY_THREAD && !joins,
         {"--by thread", MARGAY_COLUMN_THREADS, 0, "margay record --to mgt"}},
        {by->given && by->by == MARGAY_BY_OP,
         {"--by op", MARGAY_COLUMN_OPS, 0, NULL}},
    };
    _Static_assert(sizeof table / sizeof *table <= MOST_NEEDS, "all fit");
    size_t count = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].given)
            needs[count++] = table[i].need;
    }
    return count;
}

struct margay_engine_request drive_engine(const struct options *options,
                                          unsigned needs)
{
    struct margay_engine_request engine = options->engine;
    engine.seed = options->seed;
    engine.needs = needs;
    if (engine.half_life_refs != 0)
        engine.measure |= MARGAY_FADING;
    return engine;
}

/* Without operands the trace is standard input. */
static struct margay_request request_of(const struct options *options)
{
    static const char *const standard_input[] = {"-"};
    bool none = options->operand_count == 0;
    struct margay_trace_options reading = options->reading;
    if (drive_joins(options))
        reading.tenant = NULL; /* the tenants are the traces */
    return (struct margay_request){
        .traces = none ? standard_input : options->operands,
        .trace_count = none ? 1 : options->operand_count,
        .reading = reading,
        .straddle = options->run.straddle,
        .block_bytes = options->run.blocks.bytes,
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

/* A snapshot goes next to a file that is written as a whole. */
static enum margay_status check_snapshots(const struct options *options,
                                          struct margay_error *error)
{
    const char *output = options->output;
    const char *prometheus = options->results.prometheus;
    if (options->run.every.refs == 0 && options->run.every.seconds == 0)
        return MARGAY_OK;
    if (output == NULL && options->run.save == NULL && prometheus == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--every writes FILE.snapshot next to the FILE of "
                           "--output, which is not given");
    if (output != NULL && !is_file(output))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--every writes FILE.snapshot next to the FILE of "
                           "--output, and '%s' is not a regular file",
                           output);
    if (prometheus != NULL && !is_file(prometheus))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--every replaces the FILE of --prometheus, and "
                           "'%s' is not a regular file",
                           prometheus);
    return MARGAY_OK;
}

/* Options of a run that contradict each other. */
static enum margay_status check_request(const struct options *options,
                                        struct margay_error *error)
{
    const bool joins = drive_joins(options);
    if (joins && options->reading.tenant != NULL &&
        !drive_tenants_are_threads(options))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--tenant: found '%s', expected 'thread': with "
                           "--join the tenants are the traces",
                           options->reading.tenant);
    if (!joins && options->operand_count > 1 &&
        (options->command->bit & (ON_FILTER | ON_CONVERT)) != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "found %zu traces, expected one, or --join to write "
                           "all as one, in the order of their times",
                           options->operand_count);
    const char *file = options->results.prometheus != NULL   ? "prometheus"
                       : options->annotate.callgrind != NULL ? "callgrind"
                                                             : NULL;
    if (file != NULL && options->operand_count > 1 && !joins)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--%s: the file is for one trace at a time, not %zu",
                           file, options->operand_count);
    return check_snapshots(options, error);
}

/* ------------------------------------------------------------- the host -- */

/* The context of the host's functions. */
struct seat {
    const struct drive *drive;
    struct progress progress; /* of the trace named below */
    const char *trace;        /* its name; NULL = none yet */
    bool explained;           /* a message has named the interrupted trace */
};

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
                      drive_engine(drive->options, drive->needs).spec,
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
    const struct options *options = drive->options;
    const struct attribution_option *by = &options->results.by;
    bool counts = (options->command->bit & (ON_DISTANCES | ON_ANNOTATE)) != 0 ||
                  (by->given && by->by == MARGAY_BY_SITE);
    if (drive->files[0].upright || drive->copies ||
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
    if (options->verbose)
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
    if (status == MARGAY_OK && drive->summarises &&
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

/* Report the guesses about a trace that has been read, and its skipped
   lines. */
static void tell_reading(const char *name, const margay_trace *trace)
{
    const char *first, *guess = margay_trace_guess(trace);
    if (guess != NULL)
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
        tell_reading(job->trace, job->reader);
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
        message_tell("%s: %sno reference was read", job->trace,
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
        drive_engine(drive->options, drive->needs);
    margay_question *own = NULL;
    enum margay_status status = drive->open == NULL
                                    ? MARGAY_OK
                                    : drive->open(drive->context, &own, error);
    if (status == MARGAY_OK && drive->measures)
        return margay_engine_question(&engine, own, question, error);
    *question = own;
    return status;
}

enum margay_status drive_open(const struct drive *drive,
                              struct margay_error *error)
{
    const struct options *options = drive->options;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < DRIVE_MOST_FILES && status == MARGAY_OK; i++) {
        const struct drive_file *file = &drive->files[i];
        const char *path = i == 0 ? options->output : file->path;
        struct output *output;
        if (drive->csvs == NULL || (i > 0 && path == NULL))
            continue;
        status = output_open(path, OUTPUT_HELD, &output, error);
        if (status == MARGAY_OK && file->columns == NULL)
            drive->csvs[i].output = output;
        else if (status == MARGAY_OK)
            (file->upright ? csv_begin_upright : csv_begin)(
                &drive->csvs[i], output, options->json, file->columns);
    }
    return status;
}

enum margay_status drive_run(const struct drive *drive,
                             struct margay_error *error)
{
    const struct options *options = drive->options;
    struct margay_request request = request_of(options);
    struct margay_need needs[MOST_NEEDS];
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
    enum margay_status status = drive_open(drive, error);
    if (status == MARGAY_OK)
        status = check_request(options, error);
    if (status == MARGAY_OK)
        status = ask(drive, &question, error);
    if (status != MARGAY_OK)
        return status;
    request.needs = needs;
    request.need_count = list_needs(options, needs);
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
    return margay_ranks_serve(&request);
}
