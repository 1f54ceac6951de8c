/*
 * run.c - all traces of a request
 *
 * Traces are read in their order, perhaps several at the same time, and end in
 * their order: the thread that finds the next one read ends it.
 */
#include <margay/run.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/run/mix.h"
#include "sim/run/running.h"

/* ------------------------------------------------- impossible requests -- */

/* How many traces are read separately: a mix is one. */
static size_t job_count(const struct margay_request *request)
{
    return request->mix == NULL ? request->trace_count : 1;
}

/* A request that cannot succeed should not fail after hours. */
static enum margay_status check_names(const struct margay_request *request,
                                      struct margay_error *error)
{
    unsigned standard_inputs = 0;
    for (size_t i = 0; i < request->trace_count; i++) {
        const char *name = request->traces[i];
        if (strcmp(name, "-") == 0)
            standard_inputs++;
        else if (access(name, R_OK) != 0)
            return margay_fail(error, MARGAY_IO, "%s: %s",
                               *name == '\0' ? "''" : name, strerror(errno));
    }
    if (standard_inputs > 1)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "-: standard input can be read only once");
    return MARGAY_OK;
}

/* Passes are numbered in arrays of a fixed length, and a batch is cut by the
   blocks of the first, which are the smallest. */
static enum margay_status check_blocks(const struct margay_request *request,
                                       struct margay_error *error)
{
    const uint64_t *bytes = request->block_bytes;
    if (request->block_count > MARGAY_MOST_BLOCK_SIZES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%zu block sizes (expected at most %d)",
                           request->block_count, MARGAY_MOST_BLOCK_SIZES);
    for (size_t i = 0; i < request->block_count; i++) {
        if (!margay_is_power_of_two(bytes[i]))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "a block of %" PRIu64 " bytes (expected a power "
                               "of two)",
                               bytes[i]);
        if (i > 0 && bytes[i] <= bytes[i - 1])
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "a block of %" PRIu64 " bytes after one of "
                               "%" PRIu64 " (expected a larger one)",
                               bytes[i], bytes[i - 1]);
    }
    return MARGAY_OK;
}

/* Looks and states, which not every question has. */
static enum margay_status check_looks(const struct margay_request *request,
                                      const margay_question *question,
                                      struct margay_error *error)
{
    bool keeps = request->saves || request->resume_path != NULL;
    bool looks = request->every_refs != 0 || request->every_seconds > 0;
    bool windows = request->window_refs != 0;
    if (looks && windows)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--window does not go with --every: one shows parts "
                           "of the trace, and the other all of it so far");
    if ((keeps && request->trace_count > 1) ||
        (looks && job_count(request) > 1))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--every, --save and --resume are for one trace at "
                           "a time, not %zu",
                           request->trace_count);
    if (keeps && question->can.references && request->block_count > 1)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: --save and --resume are for one block size at "
                           "a time, not %zu",
                           question->name, request->block_count);
    if ((looks || windows) && !question->can.looks)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s cannot be looked into before its end, as "
                           "--window and --every need",
                           question->name);
    return MARGAY_OK;
}

/* ------------------------------------------------------------- a run -- */

struct run {
    const struct margay_request *request;
    const struct margay_host *host;
    const margay_question *question;

    pthread_mutex_t mutex;           /* for what follows */
    struct margay_running **running; /* NULL: not made, or ended */
    bool *read;                      /* or will never be */
    size_t ended;
    struct margay_outcome *outcome;
    enum margay_status status; /* of the first trace that failed */
    struct margay_error *error;
    atomic_bool stop; /* it did */
};

/* ---------------------------------------------------------- one trace -- */

static void fail(struct run *run, enum margay_status status,
                 const struct margay_error *error)
{
    if (run->status != MARGAY_OK)
        return;
    run->status = status;
    *run->error = *error;
    atomic_store(&run->stop, true);
}

/* Each file that was read: of a mix, all of the request. */
static void tell_files(const struct run *run,
                       const struct margay_running *running)
{
    const struct margay_host *host = run->host;
    const struct margay_notice notice = {.news = MARGAY_WAS_READ};
    struct margay_job job = running->job;
    size_t count = running->mix == NULL ? 1 : run->request->trace_count;
    for (size_t i = 0; i < count && job.reader != NULL; i++) {
        if (i > 0) {
            job.trace = run->request->traces[i];
            job.reader = margay_mix_trace(running->mix, i);
        }
        host->tell(host->context, &job, &notice);
    }
}

/* The end of a trace that was not read to its end, not worked through, or
   without a reference. */
static void tell_end(const struct run *run,
                     const struct margay_running *running)
{
    const struct margay_host *host = run->host;
    struct margay_notice notice = {
        .news = running->interrupted   ? MARGAY_CUT_SHORT
                : running->lacking > 0 ? MARGAY_LEFT_OUT
                                       : MARGAY_READ_NOTHING,
        .references = running->read_refs,
        .lacking = running->lacking,
        .caches = running->caches,
    };
    uint64_t done, total;
    if (notice.news == MARGAY_READ_NOTHING) {
        if (running->read_refs > running->state.head.references)
            return;
        margay_trace_progress(running->trace, &done, &total);
        notice.empty = done == 0;
    }
    host->tell(host->context, &running->job, &notice);
}

static void end_trace(struct run *run, size_t i)
{
    struct margay_running *running = run->running[i];
    struct margay_error error;
    if (running == NULL)
        return;
    enum margay_status status = running->status;
    if (status != MARGAY_OK)
        error = running->error;
    else if (run->status == MARGAY_OK)
        status = margay_running_end(running, &error);
    if (status != MARGAY_OK)
        fail(run, status, &error);
    else if (run->status == MARGAY_OK) {
        run->outcome->cut_short |= running->interrupted || running->lacking > 0;
        if (run->host->tell != NULL) {
            tell_files(run, running);
            tell_end(run, running);
        }
    }
    margay_running_release(running);
    free(running);
    run->running[i] = NULL;
}

/* With the mutex held: end all traces that are next and have been read. */
static void end_in_order(struct run *run)
{
    while (run->ended < job_count(run->request) && run->read[run->ended])
        end_trace(run, run->ended++);
    if (run->ended < job_count(run->request) &&
        run->running[run->ended] != NULL)
        atomic_store(&run->running[run->ended]->leads, true);
}

/* Trace i, which is to be read; NULL where the run is over or has failed. */
static struct margay_running *take_trace(struct run *run, size_t i)
{
    const struct margay_host *host = run->host;
    struct margay_running *running = NULL;
    struct margay_error error;
    pthread_mutex_lock(&run->mutex);
    if (host->stop != NULL && host->stop(host->context)) {
        run->outcome->unread_traces++;
    } else if (!atomic_load(&run->stop)) {
        running = calloc(1, sizeof *running);
        if (running == NULL) {
            fail(run, margay_fail_memory(&error, "the analysis"), &error);
        } else {
            running->request = run->request;
            running->question = run->question;
            running->host = host;
            running->index = i;
            running->stop = &run->stop;
            atomic_store(&running->leads, i == run->ended);
        }
    }
    run->running[i] = running;
    pthread_mutex_unlock(&run->mutex);
    return running;
}

/* A task: read trace i, as its plan says.  If the host stops the run before the
   format is known, no passes have begun, and there is nothing to report. */
static void read_trace(void *context, size_t i)
{
    struct run *run = context;
    struct margay_running *running = take_trace(run, i);
    if (running != NULL) {
        struct margay_error *error = &running->error;
        double all = margay_clock_seconds(CLOCK_PROCESS_CPUTIME_ID),
               leading = margay_thread_serial_seconds();
        enum margay_status status = margay_running_begin(running, error);
        running->interrupted = status == MARGAY_AGAIN;
        if (status == MARGAY_AGAIN)
            status = MARGAY_OK;
        else if (status == MARGAY_OK)
            status = running->plan.executor == MARGAY_IN_PARTS
                         ? margay_read_in_parts(running, error)
                     : running->plan.executor == MARGAY_ON_RANKS
                         ? margay_read_on_ranks(running, error)
                         : margay_read_in_order(running, error);
        if (running->job.reader != NULL && running->plan.traces <= 1)
            running->job.work = (struct margay_job_work){
                margay_clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - all,
                margay_thread_serial_seconds() - leading,
                margay_trace_reading_seconds(running->trace),
            };
        running->status = status;
    }
    pthread_mutex_lock(&run->mutex);
    run->read[i] = true;
    end_in_order(run);
    pthread_mutex_unlock(&run->mutex);
}

/* --------------------------------------------------------- all traces -- */

enum margay_status margay_run_request(const struct margay_request *request,
                                      const margay_question *question,
                                      const struct margay_host *host,
                                      struct margay_outcome *outcome,
                                      struct margay_error *error)
{
    struct margay_error unread = {0};
    struct run run = {.request = request,
                      .question = question,
                      .host = host,
                      .outcome = outcome,
                      .error = error == NULL ? &unread : error};
    struct margay_plan_facts facts;
    struct margay_plan plan;
    margay_crew *crew = NULL;
    size_t count = job_count(request);
    *outcome = (struct margay_outcome){.unread_traces = 0};
    enum margay_status status = check_names(request, run.error);
    if (status == MARGAY_OK)
        status = check_blocks(request, run.error);
    if (status == MARGAY_OK)
        status = check_looks(request, question, run.error);
    if (status != MARGAY_OK || request->trace_count == 0)
        return status;
    margay_plan_state(request, &question->can, &facts);
    margay_plan_make(&facts, &plan);
    run.running = calloc(count, sizeof(struct margay_running *));
    run.read = calloc(count, sizeof *run.read);
    pthread_mutex_init(&run.mutex, NULL);
    if (run.running == NULL || run.read == NULL)
        status = margay_fail_memory(run.error, "the analysis");
    if (status == MARGAY_OK && plan.traces > 1)
        status = margay_crew_create(plan.traces, &crew, run.error);
    for (size_t i = 0; crew == NULL && i < count && status == MARGAY_OK; i++)
        read_trace(&run, i);
    if (crew != NULL)
        margay_crew_run(crew, read_trace, &run, count);
    margay_crew_free(crew);
    pthread_mutex_destroy(&run.mutex);
    free(run.running);
    free(run.read);
    return status == MARGAY_OK ? run.status : status;
}
