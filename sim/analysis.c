/* analysis.c - all the traces of the command line */
#define _GNU_SOURCE
#include "sim/analysis.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/cluster.h"
#include "sim/commands.h"
#include "sim/message.h"
#include "sim/signals.h"
#include "sim/trace_run.h"
#include "traces/traces_internal.h"

/*
 * Traces are read in their order, perhaps several at the same time, and end
 * in their order: whichever thread finds that the next one is there to be
 * ended does it.
 */
struct analysis {
    const struct options *options;
    const struct analysis_hooks *hooks;
    void *context;
    size_t trace_count;
    unsigned threads; /* for each trace */

    pthread_mutex_t mutex;   /* for what follows */
    struct trace_run **runs; /* NULL: not begun, or ended */
    bool *read;              /* or will never be */
    size_t ended;
    size_t unread;             /* traces not even begun, because of a signal */
    bool explained;            /* what a signal has cut short */
    enum margay_status status; /* of the first trace that failed */
    struct margay_error *error;
    atomic_bool stop; /* it did, or a signal came */
};

/* ------------------------------------------------------- what is wrong -- */

/* What is written as a whole would take the place of what has been read. */
static enum margay_status check_place(const struct options *options,
                                      const char *option, const char *place,
                                      struct margay_error *error)
{
    struct stat written, read;
    if (place == NULL || stat(place, &written) != 0 ||
        !S_ISREG(written.st_mode))
        return MARGAY_OK;
    for (size_t i = 0; i < options->operand_count; i++) {
        if (stat(options->operands[i], &read) == 0 &&
            read.st_dev == written.st_dev && read.st_ino == written.st_ino)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "%s: '%s' is the trace", option, place);
    }
    return MARGAY_OK;
}

static bool are_same(const char *place, const char *other)
{
    return place != NULL && other != NULL && strcmp(place, other) == 0;
}

static enum margay_status check_places(const struct options *options,
                                       struct margay_error *error)
{
    const char *save = options->save;
    if (are_same(save, options->output) || are_same(save, options->histogram))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--save: '%s' is where a table goes", save);
    enum margay_status status =
        check_place(options, "--output", options->output, error);
    if (status == MARGAY_OK)
        status = check_place(options, "--histogram", options->histogram, error);
    return status == MARGAY_OK ? check_place(options, "--save", save, error)
                               : status;
}

/* What can be known to fail should not fail after hours. */
static enum margay_status check_names(const struct options *options,
                                      struct margay_error *error)
{
    unsigned standard_inputs = 0;
    for (size_t i = 0; i < options->operand_count; i++) {
        const char *name = options->operands[i];
        if (strcmp(name, "-") == 0)
            standard_inputs++;
        else if (access(name, R_OK) != 0)
            return margay_fail(error, MARGAY_IO, "%s: %s",
                               *name == '\0' ? "''" : name, strerror(errno));
    }
    if (standard_inputs > 1)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "-: standard input can be read only once");
    return check_places(options, error);
}

static enum margay_status check_needs(const struct margay_engine_info *engine,
                                      unsigned needs,
                                      struct margay_error *error)
{
    unsigned lacks = needs & engine->lacks;
    if (lacks == 0)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       lacks & MARGAY_LACKS_HISTOGRAM
                           ? "engine %s gives a miss curve only, no histogram "
                             "(exact gives both)"
                           : "engine %s does not know the distance of a single "
                             "reference (exact does)",
                       engine->name);
}

/* What is looked into before its end. */
static bool needs_state(const struct options *options)
{
    return options->window_refs != 0 || options->every.refs != 0 ||
           options->every.seconds != 0 || options->save != NULL ||
           options->resume != NULL;
}

/* What was asked of an engine, where that is not distances. */
static const char *measure_text(enum margay_measure measure)
{
    return measure == MARGAY_REUSE_TIMES ? " with --of time"
           : measure == MARGAY_FOOTPRINT ? " with --model footprint"
                                         : "";
}

static enum margay_status check_engine(const struct options *options,
                                       unsigned needs,
                                       struct margay_error *error)
{
    struct margay_engine_options engine_options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    margay_engine *engine = NULL;
    engine_options.bound_blocks = options->bound.given ? 1 : 0;
    engine_options.measure = options->measure;
    enum margay_status status =
        margay_engine_create(options->engine, &engine_options, &engine, error);
    if (status == MARGAY_OK)
        status = check_needs(margay_engine_describe(engine), needs, error);
    if (status == MARGAY_OK && needs_state(options) &&
        !margay_engine_has_state(engine))
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "engine %s%s cannot be looked into before its "
                             "end, as --window, --every, --save and --resume "
                             "need",
                             margay_engine_describe(engine)->name,
                             measure_text(options->measure));
    margay_engine_free(engine);
    return status;
}

/* A snapshot goes beside a file that is written as a whole. */
static enum margay_status check_snapshots(const struct options *options,
                                          struct margay_error *error)
{
    struct stat status;
    const char *output = options->output;
    if (options->every.refs == 0 && options->every.seconds == 0)
        return MARGAY_OK;
    if (output == NULL && options->save == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--every writes FILE.snapshot beside the FILE of "
                           "--output, which is not given");
    if (output != NULL &&
        (strcmp(output, "-") == 0 ||
         (stat(output, &status) == 0 && !S_ISREG(status.st_mode))))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--every writes FILE.snapshot beside the FILE of "
                           "--output, and '%s' is not a regular file",
                           output);
    return MARGAY_OK;
}

static enum margay_status check_looks(const struct options *options,
                                      struct margay_error *error)
{
    bool every = options->every.refs != 0 || options->every.seconds != 0;
    if (!needs_state(options))
        return MARGAY_OK;
    if (options->window_refs != 0 &&
        (every || options->save != NULL || options->resume != NULL))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--window does not go with --every, --save and "
                           "--resume: a state has no windows");
    if (options->window_refs == 0 && options->operand_count > 1)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--every, --save and --resume are for one trace at "
                           "a time, not %zu",
                           options->operand_count);
    if (options->resume != NULL && options->warmup_refs != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--warmup: a state that is resumed is warm already");
    return check_snapshots(options, error);
}

/* ---------------------------------------------------------- one by one -- */

static const char *trace_name(const struct analysis *analysis, size_t i)
{
    return analysis->options->operand_count == 0
               ? "-"
               : analysis->options->operands[i];
}

static struct trace_run *make_run(struct analysis *analysis, size_t i)
{
    struct trace_run *run = calloc(1, sizeof *run);
    if (run == NULL)
        return NULL;
    run->options = analysis->options;
    run->hooks = analysis->hooks;
    run->context = analysis->context;
    run->name = trace_name(analysis, i);
    run->threads = analysis->threads;
    run->stop = &analysis->stop;
    return run;
}

static void fail(struct analysis *analysis, enum margay_status status,
                 const struct margay_error *error)
{
    if (analysis->status != MARGAY_OK)
        return;
    analysis->status = status;
    *analysis->error = *error;
    atomic_store(&analysis->stop, true);
}

static void explain_interrupt(struct analysis *analysis,
                              const struct trace_run *run)
{
    message_print("%s: interrupted; the output covers the first %" PRIu64
                  " reference%s%s only",
                  run->name, run->read_refs, margay_plural(run->read_refs, "s"),
                  run->cut ? " and a part of the next" : "");
    analysis->explained = true;
}

/*
 * Whoever sends a signal is told what has become of it, as the exit status is
 * the signal's in any case: a script that is to end must not go on.
 */
static void explain_rest(const struct analysis *analysis)
{
    if (analysis->unread > 0)
        message_print("interrupted; the output does not cover %zu of the %zu "
                      "trace%s",
                      analysis->unread, analysis->trace_count,
                      margay_plural(analysis->trace_count, "s"));
    else if (!analysis->explained)
        message_print("interrupted when all was read; the output is whole");
}

static void end_run(struct analysis *analysis, size_t i)
{
    struct trace_run *run = analysis->runs[i];
    struct margay_error error;
    if (run == NULL)
        return;
    if (run->status != MARGAY_OK) {
        fail(analysis, run->status, &run->error);
    } else if (analysis->status == MARGAY_OK) {
        enum margay_status status = trace_run_end(run, &error);
        if (status != MARGAY_OK)
            fail(analysis, status, &error);
        else if (run->interrupted)
            explain_interrupt(analysis, run);
    }
    trace_run_release(run);
    free(run);
    analysis->runs[i] = NULL;
}

/* With the mutex held: end what there is to be ended. */
static void end_in_order(struct analysis *analysis)
{
    while (analysis->ended < analysis->trace_count &&
           analysis->read[analysis->ended])
        end_run(analysis, analysis->ended++);
    if (analysis->ended < analysis->trace_count &&
        analysis->runs[analysis->ended] != NULL)
        atomic_store(&analysis->runs[analysis->ended]->leads, true);
}

/* The task of a crew: trace i. */
static void analyse_trace(void *context, size_t i)
{
    struct analysis *analysis = context;
    struct trace_run *run = NULL;
    struct margay_error error;
    pthread_mutex_lock(&analysis->mutex);
    if (signals_interrupted()) {
        analysis->unread++;
    } else if (!atomic_load(&analysis->stop)) {
        run = analysis->runs[i] = make_run(analysis, i);
        if (run == NULL)
            fail(analysis, margay_fail_memory(&error, "the analysis"), &error);
        else
            atomic_store(&run->leads, i == analysis->ended);
    }
    pthread_mutex_unlock(&analysis->mutex);
    if (run != NULL)
        trace_run_read(run);
    pthread_mutex_lock(&analysis->mutex);
    analysis->read[i] = true;
    end_in_order(analysis);
    pthread_mutex_unlock(&analysis->mutex);
}

/* Threads go to traces first, where what happens with one does not depend on
   what happens with the others. */
static unsigned threads_for_traces(const struct analysis *analysis)
{
    unsigned threads = analysis->options->threads;
    if (analysis->hooks->batch != NULL || analysis->hooks->chunk != NULL ||
        analysis->options->window_refs != 0)
        return 1;
    return analysis->trace_count < threads ? (unsigned)analysis->trace_count
                                           : threads;
}

/* Who has no memory left may not know that there are ways to need less. */
static void advise_on_memory(const struct options *options,
                             struct margay_error *error)
{
    size_t length = strlen(error->message);
    if (!options->bound.given)
        snprintf(error->message + length, sizeof error->message - length,
                 " (--bound SIZE takes less, and so do the engines that "
                 "sample: see 'margay engines')");
}

static void mention_terminal(const struct options *options)
{
    if (options->operand_count == 0 && isatty(STDIN_FILENO) && !options->quiet)
        message_print("reading a trace from standard input, the terminal "
                      "('margay help %s' tells how to name a file)",
                      options->command->name);
}

static enum margay_status analyse_all(struct analysis *analysis,
                                      struct margay_error *error)
{
    unsigned at_once = threads_for_traces(analysis);
    margay_crew *crew;
    enum margay_status status = margay_crew_create(at_once, &crew, error);
    if (status != MARGAY_OK)
        return status;
    analysis->threads = analysis->options->threads / at_once;
    margay_crew_start(crew, analyse_trace, analysis, analysis->trace_count);
    margay_crew_finish(crew);
    margay_crew_free(crew);
    return analysis->status;
}

enum margay_status analysis_run(const struct options *options,
                                const struct analysis_hooks *hooks,
                                void *context, struct margay_error *error)
{
    size_t count = options->operand_count == 0 ? 1 : options->operand_count;
    struct analysis analysis = {
        .options = options,
        .hooks = hooks,
        .context = context,
        .trace_count = count,
        .error = error,
    };
    enum margay_status status =
        hooks->no_engine ? MARGAY_OK
                         : check_engine(options, hooks->needs, error);
    if (status == MARGAY_OK)
        status = check_looks(options, error);
    if (status == MARGAY_OK)
        status = check_names(options, error);
    if (status != MARGAY_OK)
        return status;
    if (!needs_state(options) && cluster_shares(options, hooks))
        return cluster_run(options, hooks, context, error);
    analysis.runs = calloc(count, sizeof(struct trace_run *));
    analysis.read = calloc(count, sizeof *analysis.read);
    pthread_mutex_init(&analysis.mutex, NULL);
    mention_terminal(options);
    signals_finish_gracefully(true);
    if (analysis.runs == NULL || analysis.read == NULL)
        status = margay_fail_memory(error, "the analysis");
    else
        status = analyse_all(&analysis, error);
    signals_finish_gracefully(false);
    if (signals_interrupted() && status == MARGAY_OK)
        explain_rest(&analysis);
    pthread_mutex_destroy(&analysis.mutex);
    free(analysis.runs);
    free(analysis.read);
    if (status == MARGAY_NO_MEMORY && !hooks->no_engine)
        advise_on_memory(options, error);
    return status;
}
