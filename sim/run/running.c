/* running.c - one trace of a run, while it is analysed */
#include "sim/run/running.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sim/run/mix.h"
#include "sim/run/spans.h"

bool margay_running_is_over(const struct margay_running *running)
{
    const struct margay_host *host = running->host;
    return atomic_load(running->stop) ||
           (host->stop != NULL && host->stop(host->context));
}

double margay_running_seconds(const struct margay_running *running)
{
    return margay_clock_seconds(CLOCK_MONOTONIC) - running->begun;
}

static void show(const struct margay_running *running,
                 struct margay_progress *progress)
{
    const struct margay_host *host = running->host;
    progress->trace = running->job.trace;
    progress->seconds = margay_running_seconds(running);
    if (host->progress != NULL && atomic_load(&running->leads))
        host->progress(host->context, progress);
}

void margay_running_show(struct margay_running *running, uint64_t read_refs)
{
    struct margay_progress progress = {.references = read_refs};
    margay_trace_progress(running->trace, &progress.bytes_done,
                          &progress.bytes_total);
    show(running, &progress);
}

/* -------------------------------------------- while analyses finish -- */

static bool stop_finishing(void *context)
{
    const struct margay_running *running = context;
    return running->interrupted || running->looking
               ? atomic_load(running->stop)
               : margay_running_is_over(running);
}

static void show_finishing(void *context, uint64_t done, uint64_t total)
{
    struct margay_progress progress = {
        .references = done,
        .finishing = true,
        .bytes_done = done,
        .bytes_total = total,
    };
    show(context, &progress);
}

static void leave(void *context, size_t lacking, size_t caches)
{
    struct margay_running *running = context;
    running->lacking += lacking;
    running->caches += caches;
}

/* ------------------------------------------------------- its block sizes -- */

/* The default block size of addresses. */
#define DEFAULT_BLOCK_BYTES 64

/* The facts of the trace.  Where it does not say its blocks, as a stand-in does
   not, it has those of the state. */
static void make_pass(struct margay_running *running, uint64_t block_bytes)
{
    const struct margay_request *request = running->request;
    const struct margay_trace_facts *trace = margay_trace_facts(running->trace);
    const struct margay_state_pass saved =
        margay_state_pass(&running->state, running->pass_count);
    uint64_t unit = trace->unit_bytes;
    uint64_t tokens = request->block_tokens != 0 ? request->block_tokens
                                                 : trace->block_tokens;
    if (tokens == 0)
        tokens = saved.block_tokens;
    if (running->stands_in && request->block_count == 0) {
        block_bytes = saved.block_bytes;
    } else if (unit == 0) {
        block_bytes = trace->block_bytes;
        if (request->token_bytes != 0 &&
            !margay_multiply_u64(request->token_bytes, tokens, &block_bytes))
            block_bytes = 0;
        if (block_bytes == 0)
            block_bytes = saved.block_bytes;
    }
    running->passes[running->pass_count] = (struct margay_pass){
        .trace = running->job.trace,
        .format = trace->format,
        .numbers = trace->numbers,
        .splits = margay_plan_splits(&running->facts),
        .index = running->pass_count,
        .block_bytes = block_bytes,
        .block_tokens = tokens,
        .shift = unit == 0 ? 0 : margay_log2_floor(block_bytes / unit),
    };
    running->pass_count++;
}

/* The passes of an open trace: its block sizes, 0 = unknown. */
static enum margay_status make_passes(struct margay_running *running,
                                      struct margay_error *error)
{
    const struct margay_request *request = running->request;
    const struct margay_trace_facts *trace = margay_trace_facts(running->trace);
    uint64_t unit = trace->unit_bytes;
    bool ids = trace->numbers == MARGAY_IDS;
    uint64_t of_format = trace->format->usual_block_bytes;
    uint64_t usual = ids              ? unit
                     : of_format != 0 ? of_format
                                      : DEFAULT_BLOCK_BYTES;
    if (request->block_count > 0 && unit == 0)
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT,
            "%s: a block size with block ids of no known size (say "
            "what an id stands for with --unit BYTES)",
            running->job.trace);
    if (request->block_count > 0 && request->block_bytes[0] < unit)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: a block of %" PRIu64
                           " bytes is smaller than what "
                           "an id stands for, %" PRIu64 " bytes",
                           running->job.trace, request->block_bytes[0], unit);
    size_t count = request->block_count != 0 ? request->block_count
                   : running->stands_in      ? running->state.pass_count
                                             : 1;
    for (size_t i = 0; i < count; i++)
        make_pass(running,
                  request->block_count == 0 ? usual : request->block_bytes[i]);
    return MARGAY_OK;
}

/* ----------------------------------------------------------- its state -- */

/* Report the reference at which the run goes on to the host, once: a trace that
   goes on at another one gives wrong results. */
static void tell_state(struct margay_running *running)
{
    const struct margay_host *host = running->host;
    const struct margay_notice notice = {
        .news = MARGAY_RESUMED,
        .references = running->state.head.references,
        .warmup_refs = running->state.head.warmup_refs,
    };
    if (running->state.path == NULL || running->state_told)
        return;
    if (host->tell != NULL)
        host->tell(host->context, &running->job, &notice);
    running->state_told = true;
}

/* ---------------------------------------------------- opening the trace -- */

bool margay_running_leaves_out(const struct margay_running *running)
{
    const struct margay_trace_options *reading = &running->request->reading;
    return reading->kinds != MARGAY_ALL_KINDS || reading->ops != MARGAY_ALL_OPS;
}

/* Open a trace and wait until its format is known.  A mix counts its warm-up
   itself. */
static enum margay_status open_trace(struct margay_running *running,
                                     const char *name, margay_trace **trace,
                                     struct margay_error *error)
{
    const struct margay_request *request = running->request;
    const struct margay_plan *plan = &running->plan;
    unsigned used = plan->columns;
    if (request->mix != NULL && request->mix->by_time)
        used |= MARGAY_COLUMN_TIMES;
    struct margay_trace_options options = request->reading;
    options.warmup_refs = running->warmup_refs;
    if (request->mix != NULL) { /* which counts and selects what it merges */
        used |= options.ops != MARGAY_ALL_OPS ? MARGAY_COLUMN_OPS : 0;
        options.warmup_refs = 0;
        options.kinds = MARGAY_ALL_KINDS;
        options.ops = MARGAY_ALL_OPS;
    }
    const struct margay_reading reading = {
        .numbers_only = plan->numbers_only && request->mix == NULL,
        .unused_columns = MARGAY_STORAGE_COLUMNS & ~used,
        .times_for_ttls =
            running->question->can.times_for_ttls &&
            !(running->question->can.needs & MARGAY_COLUMN_TIMES) &&
            request->mix == NULL && !request->saves,
        .empty_requests = used & MARGAY_COLUMN_TOKENS,
        .data = plan->data,
        .tenants = running->state.tenants,
        .tenant_count = running->state.tenant_count,
        .threads = plan->threads,
    };
    enum margay_status status =
        margay_trace_open_for(name, &options, &reading, trace, error);
    if (status != MARGAY_OK)
        return status;
    status = MARGAY_AGAIN;
    while (status == MARGAY_AGAIN && !margay_running_is_over(running)) {
        uint64_t done, total;
        status = margay_trace_ready(*trace, MARGAY_WAIT_MS, error);
        margay_trace_progress(*trace, &done, &total);
        /* The writer of a pipe may wait for the place from which to write. */
        if (status == MARGAY_AGAIN && total == 0 && done == 0)
            tell_state(running);
        margay_running_show(running, running->read_refs);
    }
    return status;
}

/* Nothing came before a request to stop: a trace without references stands in
   for it, read as the state says, whose results are those of the run. */
static enum margay_status stand_in(struct margay_running *running,
                                   struct margay_error *error)
{
    const struct margay_state *state = &running->state;
    bool ids = state->head.numbers != 0;
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    const struct margay_reading reading = {
        .tenants = state->tenants,
        .tenant_count = state->tenant_count,
    };
    options.format = ids ? "lines" : "u64";
    options.unit_bytes = ids ? state->head.unit_bytes : 0;
    options.tenant = running->request->reading.tenant;
    margay_trace_free(running->trace);
    running->stands_in = true;
    enum margay_status status = margay_trace_open_for(
        "/dev/null", &options, &reading, &running->trace, error);
    if (status == MARGAY_OK)
        status = MARGAY_AGAIN;
    while (status == MARGAY_AGAIN)
        status = margay_trace_ready(running->trace, MARGAY_WAIT_MS, error);
    return status;
}

void margay_running_range(const struct margay_running *running, uint64_t *first,
                          uint64_t *count)
{
    const struct margay_trace_options *reading = &running->request->reading;
    uint64_t refs = margay_trace_facts(running->trace)->references;
    *first = margay_minimum(reading->skip_refs, refs);
    *count = margay_minimum(reading->limit_refs, refs - *first);
}

static bool has_ranges(const struct margay_running *running)
{
    margay_range *range = NULL;
    if (!margay_trace_facts(running->trace)->knows_references ||
        margay_trace_range(running->trace, 0, 0, &range, NULL) != MARGAY_OK)
        return false;
    margay_range_free(range);
    return true;
}

static void plan_with_trace(struct margay_running *running)
{
    const struct margay_trace_options *reading = &running->request->reading;
    struct margay_plan_facts *facts = &running->facts;
    uint64_t first, bytes;
    facts->is_open = true;
    facts->trace_splits = margay_trace_facts(running->trace)->splits;
    facts->has_ranges = has_ranges(running);
    facts->has_records =
        facts->has_ranges && margay_trace_facts(running->trace)->has_records;
    facts->is_named = strcmp(running->job.trace, "-") != 0;
    /* Where references are skipped or left out in the end, they are counted. */
    if (facts->has_ranges)
        margay_running_range(running, &first, &facts->refs);
    else
        facts->has_ranges = facts->by_lines =
            facts->can.parts && facts->threads > 1 && reading->skip_refs == 0 &&
            reading->limit_refs == UINT64_MAX &&
            margay_trace_known_lines(running->trace, &bytes, &facts->refs);
    margay_plan_make(facts, &running->plan);
    margay_plan_describe(facts, &running->plan, running->plan_text);
}

/* ------------------------------------------------------ begin and end -- */

size_t margay_running_analyses(const struct margay_running *running)
{
    return running->plan.all_blocks ? 1 : running->pass_count;
}

/* One analysis for all passes, or one for each. */
static enum margay_status begin_all(struct margay_running *running,
                                    struct margay_error *error)
{
    const struct margay_host *host = running->host;
    const struct margay_abilities *can = &running->question->can;
    const char *given = running->request->directory;
    const char *directory = given == NULL ? "/tmp" : given;
    const struct margay_share share = {
        .threads = running->plan.pass_threads,
        .pass_count = running->pass_count,
        .all_blocks = running->plan.all_blocks,
        .lends = running->plan.executor != MARGAY_ONE_READER,
        .chunk_refs = running->request->chunk_refs,
        .phase_refs = running->request->phase_refs,
        .watch = &running->watch,
    };
    size_t count = margay_running_analyses(running);
    enum margay_status status = MARGAY_OK;
    running->watch =
        (struct margay_watch){running, stop_finishing, show_finishing, leave};
    running->job.pass_count = running->pass_count;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (running->request->saves && !can->saves) {
            running->fed[i].keeps = true;
            running->fed[i].columns = can->needs | can->uses;
            margay_history_begin(&running->fed[i].history, directory,
                                 MARGAY_HISTORY_HELD);
        }
        running->fed[i].is_apart =
            running->request->reading.skip_refs == 0 &&
            margay_trace_facts(running->trace)->counts_requests;
        status = margay_question_begin(running->question, &running->passes[i],
                                       count == 1 ? running->pass_count : 1,
                                       &share, &running->analyses[i], error);
    }
    for (size_t i = count; i < running->pass_count; i++)
        running->analyses[i] = running->analyses[0];
    return status == MARGAY_OK && host->begun != NULL
               ? host->begun(host->context, &running->job, error)
               : status;
}

/* Check the needs of the request, then of the order of a mix and then, column
   by column, of the question; the threads of a mix are its traces. */
static enum margay_status check_needs(const struct margay_running *running,
                                      const char *name,
                                      const margay_trace *trace,
                                      struct margay_error *error)
{
    const struct margay_request *request = running->request;
    const margay_question *question = running->question;
    const struct margay_mix_options *mix = request->mix;
    unsigned needs = question->can.needs;
    struct margay_need order = {.column = 0};
    if (mix != NULL)
        needs &= ~(unsigned)MARGAY_COLUMN_THREADS;
    if (mix != NULL && mix->by_time)
        order = (struct margay_need){
            .asked_by = mix->apart ? "--interleave time" : "--join",
            .column = MARGAY_COLUMN_TIMES};
    else if (mix != NULL && mix->by_instructions)
        order = (struct margay_need){.asked_by = "--interleave instructions",
                                     .column = MARGAY_COLUMN_KINDS,
                                     .kinds = MARGAY_KIND_BIT(MARGAY_FETCH)};
    enum margay_status status = margay_needs_check(
        request->needs, request->need_count, name, trace, error);
    if (status == MARGAY_OK)
        status = margay_needs_check(&order, 1, name, trace, error);
    for (unsigned column = 1;
         column <= MARGAY_ALL_COLUMNS && status == MARGAY_OK; column <<= 1) {
        const struct margay_need need = {
            .asked_by = question->name,
            .column = needs & column,
        };
        status = margay_needs_check(&need, 1, name, trace, error);
    }
    return status;
}

/* A mix of the trace, which is open, and all others of the request. */
static enum margay_status make_mix(struct margay_running *running,
                                   struct margay_error *error)
{
    const struct margay_request *request = running->request;
    margay_trace *trace = running->trace;
    enum margay_status status =
        margay_mix_create(request, running->warmup_refs, &running->mix, error);
    running->facts.can.parts = running->facts.can.ranks = false;
    for (size_t i = 0; i < request->trace_count && status == MARGAY_OK; i++) {
        const char *name = request->traces[i];
        if (i > 0)
            status = open_trace(running, name, &trace, error);
        if (status == MARGAY_OK)
            status = check_needs(running, name, trace, error);
        if (status == MARGAY_OK)
            status = margay_mix_add(running->mix, name, trace, error);
        else if (i > 0)
            margay_trace_free(trace);
    }
    return status;
}

/* The head of a state of the trace, which is open. */
static struct margay_state_head head_of(const struct margay_running *running)
{
    const struct margay_request *request = running->request;
    return (struct margay_state_head){
        .numbers = margay_trace_facts(running->trace)->numbers == MARGAY_IDS,
        .unit_bytes = margay_trace_facts(running->trace)->unit_bytes,
        .kinds = request->reading.kinds,
        .ops = request->reading.ops,
        .split =
            running->stands_in && request->straddle == MARGAY_STRADDLE_USUAL
                ? running->state.head.split
                : margay_plan_splits(&running->facts),
        .window_refs = request->window_refs,
    };
}

/* The state is read before the trace is opened: it says how much of the warm-up
   is left, even if no reference comes after it. */
enum margay_status margay_running_begin(struct margay_running *running,
                                        struct margay_error *error)
{
    const struct margay_request *request = running->request;
    const char *name = request->traces[running->index];
    enum margay_status status = MARGAY_OK;
    running->job = (struct margay_job){
        .index = running->index,
        .trace = request->mix == NULL ? name : request->mix->name,
        .passes = running->passes,
        .analyses = running->analyses,
        .plan = running->plan_text,
    };
    running->begun = margay_clock_seconds(CLOCK_MONOTONIC);
    running->warmup_refs = request->reading.warmup_refs;
    margay_plan_state(request, &running->question->can, &running->facts);
    margay_plan_make(&running->facts, &running->plan);
    if (request->resume_path != NULL) {
        status =
            margay_state_read(request->resume_path, &running->state, error);
        running->warmup_refs = running->state.head.warmup_refs;
        running->read_refs = running->state.head.references;
    }
    if (status == MARGAY_OK)
        status = open_trace(running, name, &running->trace, error);
    if (status == MARGAY_AGAIN && running->state.path != NULL)
        status = stand_in(running, error);
    if (status == MARGAY_OK && !running->stands_in)
        status = request->mix == NULL
                     ? check_needs(running, name, running->trace, error)
                     : make_mix(running, error);
    if (status != MARGAY_OK)
        return status;
    plan_with_trace(running);
    running->head = head_of(running);
    running->job.reader = running->trace;
    status = make_passes(running, error);
    return status == MARGAY_OK ? begin_all(running, error) : status;
}

/* Block sizes ascend: the first has the most blocks.  Of references as they
   stand, those are taken that cover a million units, or the last one more: who
   writes each unit shows meanwhile how far the trace is. */
enum margay_status margay_running_take(const struct margay_running *running,
                                       const struct margay_batch *batch,
                                       size_t from, uint64_t most,
                                       struct margay_batch *part,
                                       struct margay_error *error)
{
    const struct margay_pass *pass = &running->passes[0];
    size_t count;
    enum margay_status status = margay_batch_take(
        batch, from, pass->shift, pass->splits, pass->trace, &count, error);
    if (running->question->can.references && batch->extents != NULL &&
        status == MARGAY_OK) {
        uint64_t covered = 0;
        size_t i = from;
        while (i < batch->references && covered < 1000000)
            covered += batch->extents[i++];
        count = i - from;
    }
    *part = margay_batch_part(batch, from, count < most ? count : (size_t)most);
    return status;
}

/* ------------------------------------------------------ going on, saving -- */

enum margay_status margay_running_resume(struct margay_running *running,
                                         struct margay_error *error)
{
    const char *saved = running->state.column;
    const char *column = running->request->reading.tenant;
    if (running->state.path == NULL)
        return MARGAY_OK;
    if (*saved != '\0' && column != NULL && strcmp(saved, column) != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: a state of other options: its tenants are in "
                           "'%s', and here in '%s'",
                           running->state.path, saved, column);
    enum margay_status status =
        margay_state_restore(&running->state, &running->head, &running->job,
                             running->passes, running->fed, error);
    running->counted_refs = running->state.head.counted_refs;
    if (running->request->window_refs != 0)
        running->window = running->counted_refs / running->request->window_refs;
    if (status == MARGAY_OK)
        tell_state(running);
    return status;
}

uint64_t margay_running_refs(const struct margay_running *running)
{
    return running->read_refs - running->state.head.references;
}

uint64_t margay_running_warmup_left(const struct margay_running *running)
{
    uint64_t refs = margay_running_refs(running);
    return refs < running->warmup_refs ? running->warmup_refs - refs : 0;
}

enum margay_status margay_job_save(const struct margay_job *job,
                                   const struct margay_sink *sink,
                                   struct margay_error *error)
{
    /* The trace that the job is part of. */
    const struct margay_running *running =
        (const void *)((const char *)job -
                       offsetof(struct margay_running, job));
    struct margay_state_head head = running->head;
    head.references = running->read_refs;
    head.counted_refs = running->counted_refs;
    head.warmup_refs = margay_running_warmup_left(running);
    struct margay_error unread;
    return margay_state_write(sink, &head, running->request->reading.tenant,
                              job, running->fed,
                              error == NULL ? &unread : error);
}

/* ------------------------------------------------------------- the end -- */

enum margay_status margay_running_end(struct margay_running *running,
                                      struct margay_error *error)
{
    const struct margay_host *host = running->host;
    uint64_t window = running->request->window_refs;
    enum margay_status status = MARGAY_OK;
    /* The last window has ended already if nothing came after it. */
    bool has_ended = window != 0 && running->window > 0 &&
                     running->counted_refs % window == 0;
    if (host->ended == NULL || has_ended)
        return MARGAY_OK;
    for (size_t i = 0; i < running->pass_count && status == MARGAY_OK; i++)
        status = host->ended(host->context, &running->job, &running->passes[i],
                             error);
    return status;
}

void margay_running_release(struct margay_running *running)
{
    for (size_t i = 0; i < margay_running_analyses(running); i++)
        margay_analysis_free(running->analyses[i]);
    for (size_t i = 0; i < running->pass_count; i++) {
        if (running->fed[i].keeps)
            margay_history_end(&running->fed[i].history);
    }
    memset(running->analyses, 0, sizeof running->analyses);
    margay_mix_free(running->mix);
    margay_trace_free(running->trace);
    margay_state_clear(&running->state);
    running->mix = NULL;
    running->trace = NULL;
    running->pass_count = 0;
}
