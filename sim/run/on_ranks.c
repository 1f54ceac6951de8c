/*
 * on_ranks.c - a trace on all ranks of a cluster
 *
 * Rank 0 is the run that the host sees.  The others, its helpers, have the
 * same request, do their part of each trace that rank 0 tells them to, and
 * leave with its exit status.  Each rank reads its own part where the
 * references of a file can be counted; otherwise rank 0 reads for all, and the
 * trace is analysed in phases.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/run/running.h"
#include "sim/run/series.h"
#include "sim/run/spans.h"

/* The orders of rank 0. */
struct rank_order {
    bool leave;
    int exit_status;
    /* A trace: which one, in which format, and if everyone can read it, the
       references of the file to analyse. */
    size_t trace;
    bool from_file, to_end;
    char format[16], spec[1024];
    uint64_t seed;
    uint64_t first, count, warmup;
    size_t pass_count;
    struct {
        uint64_t bound_blocks;
        unsigned shift;
        bool splits;
    } passes[MARGAY_MOST_BLOCK_SIZES];
};

/* A thread's part of a rank's part of a phase. */
struct rank_part {
    uint64_t begin, count; /* references: of the file, or of what is here */
    struct margay_span_store store;
};

/* A trace, on one rank. */
struct rank_work {
    const struct margay_transport *ranks;
    const struct margay_request *request;
    const struct rank_order *order;
    unsigned threads;
    margay_trace *trace; /* read by rank 0 for all; NULL on others */
    margay_trace *file;  /* read by each rank */
    margay_cluster *passes[MARGAY_MOST_BLOCK_SIZES];
    margay_crew *crew;
    struct rank_part *parts; /* one for each thread */
    struct margay_error failures[MARGAY_ROW_MAX_PARTS];
    unsigned part_count; /* in this phase */

    /* The references read for all, or received. */
    uint64_t *numbers;
    uint32_t *extents;
    uint64_t capacity, buffered;
    bool has_extents, warmup;
    struct margay_batch batch; /* of the trace, of which `given` are buffered */
    size_t given;
    bool ended;
};

/* ------------------------------------------------ a phase, on one rank -- */

/* Fewer references are not worth another thread. */
#define LEAST_THREAD_REFS ((uint64_t)1 << 16)

/* Has a rank failed?  All learn of the first that did. */
static enum margay_status agree(struct rank_work *work,
                                enum margay_status status,
                                struct margay_error *error)
{
    struct margay_error theirs;
    memset(&theirs, 0, sizeof theirs);
    if (status != MARGAY_OK)
        theirs = *error;
    theirs.status = status;
    if (work->ranks->rank != 0)
        work->ranks->send(work->ranks->context, 0, &theirs, sizeof theirs);
    for (unsigned i = 1; work->ranks->rank == 0 && i < work->ranks->ranks;
         i++) {
        struct margay_error other;
        work->ranks->receive(work->ranks->context, i, &other, sizeof other);
        if (theirs.status == MARGAY_OK)
            theirs = other;
    }
    work->ranks->broadcast(work->ranks->context, &theirs, sizeof theirs);
    if (theirs.status != MARGAY_OK)
        *error = theirs;
    return theirs.status;
}

/* Where the share of `place` in `count` references begins. */
static uint64_t share_of(const struct rank_work *work, uint64_t count,
                         unsigned place)
{
    return count / work->ranks->ranks * place +
           count % work->ranks->ranks * place / work->ranks->ranks;
}

/* The place of this rank in the row of the phase. */
static unsigned own_place(const struct rank_work *work)
{
    return margay_cluster_position(work->passes[0]);
}

static enum margay_status feed_pass(struct rank_work *work, unsigned part,
                                    size_t i, const struct margay_batch *batch,
                                    struct margay_error *error)
{
    struct margay_span_walk walk = {
        .batch = batch,
        .shift = work->order->passes[i].shift,
        .splits = work->order->passes[i].splits,
        .store = &work->parts[part].store,
    };
    struct margay_span span;
    while (margay_span_next(&walk, &span, error))
        walk.status = margay_cluster_feed(work->passes[i], part, span.blocks,
                                          span.count, error);
    return walk.status;
}

/* Feed a batch to all passes, as part `part`. */
static enum margay_status feed_batch(struct rank_work *work, unsigned part,
                                     const struct margay_batch *batch,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t done = 0, some; done < batch->references && status == MARGAY_OK;
         done += some)
        status = margay_batch_take(batch, done, work->order->passes[0].shift,
                                   work->order->passes[0].splits,
                                   work->request->traces[work->order->trace],
                                   &some, error);
    for (size_t i = 0; i < work->order->pass_count && status == MARGAY_OK; i++)
        status = feed_pass(work, part, i, batch, error);
    return status;
}

/* Begin with this rank's share, divided among its threads. */
static enum margay_status begin_phase(struct rank_work *work, uint64_t begin,
                                      uint64_t count,
                                      struct margay_error *error)
{
    uint64_t least = work->request->chunk_refs;
    uint64_t parts = count / (least != 0 ? least : LEAST_THREAD_REFS);
    uint64_t most = margay_minimum(work->threads, MARGAY_ROW_MAX_PARTS);
    parts = margay_minimum(parts, most);
    work->part_count = parts < 1 ? 1 : (unsigned)parts;
    for (unsigned i = 0; i < work->part_count; i++) {
        uint64_t each = count / work->part_count;
        work->parts[i].begin = begin + each * i;
        work->parts[i].count =
            i + 1 < work->part_count ? each : count - each * i;
    }
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < work->order->pass_count && status == MARGAY_OK; i++)
        status = margay_cluster_begin_phase(work->passes[i], work->part_count,
                                            count, error);
    return status;
}

/* Let each thread feed its part; the first failure counts. */
static enum margay_status run_parts(struct rank_work *work,
                                    void (*feed)(void *work, size_t part),
                                    struct margay_error *error)
{
    margay_crew_run(work->crew, feed, work, work->part_count);
    return margay_first_failure(work->failures, work->part_count, error);
}

/* Agree on how it went, and end the phase if that was well. */
static enum margay_status end_phase(struct rank_work *work,
                                    enum margay_status status, bool more,
                                    bool reset, struct margay_error *error)
{
    status = agree(work, status, error);
    for (size_t i = 0; i < work->order->pass_count && status == MARGAY_OK;
         i++) {
        margay_cluster_end_phase(work->passes[i], more);
        if (reset)
            margay_cluster_reset_counts(work->passes[i]);
    }
    return status;
}

/* ------------------------------------- a trace that rank 0 reads for all -- */

/* Rank 0 fills a phase, sends each rank its share, and all analyse it. */

/* If rank 0 reads for all, the references of each rank in a phase. */
#define USUAL_PART_REFS ((uint64_t)1 << 20)

struct stream_phase {
    uint64_t count;
    bool has_extents, more, reset, failed;
};

static enum margay_status reserve(struct rank_work *work, uint64_t count,
                                  struct margay_error *error)
{
    uint64_t capacity = work->capacity;
    size_t bytes;
    if (count <= capacity)
        return MARGAY_OK;
    capacity = 2 * capacity + count;
    uint64_t *numbers = NULL;
    uint32_t *extents = NULL;
    if (margay_multiply_size(capacity, sizeof *numbers, &bytes)) {
        numbers = realloc(work->numbers, bytes);
        work->numbers = numbers == NULL ? work->numbers : numbers;
        extents = realloc(work->extents, bytes / 2);
        work->extents = extents == NULL ? work->extents : extents;
    }
    if (numbers == NULL || extents == NULL)
        return margay_fail_memory(error, "the references of a phase");
    work->capacity = capacity;
    return MARGAY_OK;
}

static enum margay_status keep_some(struct rank_work *work, size_t count,
                                    struct margay_error *error)
{
    const struct margay_batch *batch = &work->batch;
    enum margay_status status = reserve(work, work->buffered + count, error);
    if (status != MARGAY_OK)
        return status;
    work->has_extents = batch->extents != NULL;
    work->warmup = batch->warmup;
    memcpy(work->numbers + work->buffered, batch->numbers + work->given,
           count * sizeof *work->numbers);
    if (work->has_extents)
        memcpy(work->extents + work->buffered, batch->extents + work->given,
               count * sizeof *work->extents);
    work->buffered += count;
    work->given += count;
    return MARGAY_OK;
}

/* Read until the phase is full, the warm-up over, or the trace at its end; and
   see whether there is more. */
static enum margay_status fill_phase(struct rank_work *work,
                                     struct margay_error *error)
{
    const struct margay_request *request = work->request;
    uint64_t most = request->phase_refs;
    enum margay_status status = MARGAY_OK;
    if (most == 0 &&
        !margay_multiply_u64(request->chunk_refs != 0 ? request->chunk_refs
                                                      : USUAL_PART_REFS,
                             work->ranks->ranks, &most))
        most = UINT64_MAX;
    work->buffered = 0;
    while (status == MARGAY_OK) {
        size_t left = work->batch.references - work->given;
        if (left == 0) {
            status = margay_trace_next(work->trace, -1, &work->batch, error);
            work->given = 0;
            continue;
        }
        if (work->buffered == most ||
            (work->buffered > 0 && work->batch.warmup != work->warmup))
            return MARGAY_OK;
        uint64_t room = most - work->buffered;
        status = keep_some(work, left < room ? left : (size_t)room, error);
    }
    work->ended = status == MARGAY_END;
    return work->ended ? MARGAY_OK : status;
}

/* Ranks stand in the row as this one sees it, or the other way round. */
static void send_parts(const struct rank_work *work,
                       const struct stream_phase *phase)
{
    unsigned ranks = work->ranks->ranks;
    bool turned = own_place(work) != work->ranks->rank;
    for (unsigned i = 1; i < ranks; i++) {
        unsigned place = turned ? ranks - 1 - i : i;
        uint64_t begin = share_of(work, phase->count, place);
        uint64_t count = share_of(work, phase->count, place + 1) - begin;
        work->ranks->send(work->ranks->context, i, work->numbers + begin,
                          count * sizeof *work->numbers);
        if (phase->has_extents)
            work->ranks->send(work->ranks->context, i, work->extents + begin,
                              count * sizeof *work->extents);
    }
}

static void receive_part(struct rank_work *work,
                         const struct stream_phase *phase)
{
    unsigned place = own_place(work);
    uint64_t count = share_of(work, phase->count, place + 1) -
                     share_of(work, phase->count, place);
    struct margay_error error;
    if (reserve(work, count, &error) != MARGAY_OK)
        work->ranks->give_up(work->ranks->context);
    work->ranks->receive(work->ranks->context, 0, work->numbers,
                         count * sizeof *work->numbers);
    if (phase->has_extents)
        work->ranks->receive(work->ranks->context, 0, work->extents,
                             count * sizeof *work->extents);
}

/* A task: the references of a thread. */
static void feed_buffered(void *context, size_t i)
{
    struct rank_work *work = context;
    struct rank_part *part = &work->parts[i];
    const struct margay_batch batch = {
        .references = (size_t)part->count,
        .numbers = work->numbers + part->begin,
        .extents = work->has_extents ? work->extents + part->begin : NULL,
    };
    work->failures[i].status =
        feed_batch(work, (unsigned)i, &batch, &work->failures[i]);
}

static enum margay_status feed_part(struct rank_work *work,
                                    const struct stream_phase *phase,
                                    struct margay_error *error)
{
    unsigned place = own_place(work);
    uint64_t begin = share_of(work, phase->count, place);
    uint64_t count = share_of(work, phase->count, place + 1) - begin;
    /* A helper has its own part only. */
    uint64_t offset = work->ranks->rank == 0 ? begin : 0;
    work->has_extents = phase->has_extents;
    enum margay_status status = begin_phase(work, offset, count, error);
    return status == MARGAY_OK && count > 0
               ? run_parts(work, feed_buffered, error)
               : status;
}

/* Rank 0 begins each phase by telling its length and its columns. */
static enum margay_status analyse_stream(struct rank_work *work,
                                         struct margay_error *error)
{
    struct stream_phase phase;
    enum margay_status status = MARGAY_OK;
    do {
        memset(&phase, 0, sizeof phase);
        if (work->ranks->rank == 0) {
            status = fill_phase(work, error);
            phase.count = work->buffered;
            phase.has_extents = work->has_extents;
            phase.more = !work->ended;
            phase.reset = work->warmup && (work->ended || !work->batch.warmup);
            phase.failed = status != MARGAY_OK;
        }
        work->ranks->broadcast(work->ranks->context, &phase, sizeof phase);
        if (phase.failed)
            return work->ranks->rank == 0
                       ? status
                       : margay_fail(error, MARGAY_IO, "rank 0 cannot read on");
        if (work->ranks->rank == 0)
            send_parts(work, &phase);
        else
            receive_part(work, &phase);
        status = feed_part(work, &phase, error);
        status = end_phase(work, status, phase.more, phase.reset, error);
    } while (status == MARGAY_OK && phase.more);
    return status;
}

/* ------------------------------------------ a file that all can read -- */

/* A task: the range of a thread. */
static void feed_range(void *context, size_t i)
{
    struct rank_work *work = context;
    struct rank_part *part = &work->parts[i];
    struct margay_error *error = &work->failures[i];
    struct margay_batch batch;
    margay_range *range = NULL;
    enum margay_status status =
        margay_trace_range(work->file, part->begin, part->count, &range, error);
    while (status == MARGAY_OK) {
        status = margay_range_next(range, &batch, error);
        if (status == MARGAY_OK)
            status = feed_batch(work, (unsigned)i, &batch, error);
    }
    margay_range_free(range);
    error->status = status == MARGAY_END ? MARGAY_OK : status;
}

/* The references from `from` to `to`; the rank that has the last ones
   of the file looks at its end, too. */
static enum margay_status file_phase(struct rank_work *work, uint64_t from,
                                     uint64_t to, struct margay_error *error)
{
    const struct rank_order *order = work->order;
    unsigned place = own_place(work);
    uint64_t begin = from + share_of(work, to - from, place);
    uint64_t end = from + share_of(work, to - from, place + 1);
    bool is_last =
        place + 1 == work->ranks->ranks && to == order->count && order->to_end;
    enum margay_status status =
        begin_phase(work, order->first + begin, end - begin, error);
    if (is_last)
        work->parts[work->part_count - 1].count = UINT64_MAX;
    if (status == MARGAY_OK && (is_last || end > begin))
        status = run_parts(work, feed_range, error);
    return end_phase(work, status,
                     to<order->count, order->warmup> 0 && to == order->warmup,
                     error);
}

static enum margay_status analyse_file(struct rank_work *work,
                                       struct margay_error *error)
{
    const struct rank_order *order = work->order;
    struct margay_trace_options options = work->request->reading;
    uint64_t phase = work->request->phase_refs, at = 0;
    /* Rank 0 has found the format, and says which references are to be read. */
    options.format = order->format;
    options.skip_refs = 0;
    options.limit_refs = UINT64_MAX;
    options.warmup_refs = 0;
    enum margay_status status = margay_trace_open(
        work->request->traces[order->trace], &options, &work->file, error);
    if (status == MARGAY_OK)
        status = margay_trace_ready(work->file, -1, error);
    status = agree(work, status, error);
    while (status == MARGAY_OK) {
        uint64_t end = at < order->warmup ? order->warmup : order->count;
        if (phase != 0 && end - at > phase)
            end = at + phase;
        status = file_phase(work, at, end, error);
        at = end;
        if (at >= order->count)
            break;
    }
    return status;
}

/* --------------------------------------------------------- a whole trace -- */

static enum margay_status create_passes(struct rank_work *work,
                                        struct margay_error *error)
{
    const struct rank_order *order = work->order;
    enum margay_status status =
        margay_crew_create(work->threads, &work->crew, error);
    work->parts = calloc(work->threads, sizeof *work->parts);
    if (status == MARGAY_OK && work->parts == NULL)
        status = margay_fail_memory(error, "the threads of a rank");
    for (size_t i = 0; i < order->pass_count && status == MARGAY_OK; i++) {
        const struct margay_engine_options options = {
            .bound_blocks = order->passes[i].bound_blocks,
            .seed = order->seed,
            .threads = work->threads,
            .chunk_refs = work->request->chunk_refs,
            .phase_refs = work->request->phase_refs,
        };
        status = margay_cluster_create(work->ranks, order->spec, &options,
                                       work->crew, &work->passes[i], error);
    }
    return agree(work, status, error);
}

/* On all ranks.  Rank 0 gives an open trace and gets results. */
static enum margay_status do_work(const struct margay_request *request,
                                  const struct rank_order *order,
                                  margay_trace *trace,
                                  struct margay_result *results,
                                  struct margay_error *error)
{
    struct rank_work *work = calloc(1, sizeof *work);
    if (work == NULL)
        request->ranks->give_up(request->ranks->context);
    work->ranks = request->ranks;
    work->request = request;
    work->order = order;
    work->threads = request->threads == 0 ? 1 : request->threads;
    work->trace = trace;
    enum margay_status status = create_passes(work, error);
    if (status == MARGAY_OK && order->from_file)
        status = analyse_file(work, error);
    else if (status == MARGAY_OK)
        status = analyse_stream(work, error);
    for (size_t i = 0; i < order->pass_count && status == MARGAY_OK; i++)
        margay_cluster_finish(work->passes[i], &results[i]);
    for (size_t i = 0; i < order->pass_count; i++)
        margay_cluster_free(work->passes[i]);
    margay_trace_free(work->file);
    margay_crew_free(work->crew);
    free(work->parts);
    free(work->numbers);
    free(work->extents);
    free(work);
    return status;
}

int margay_ranks_serve(const struct margay_request *request)
{
    static struct rank_order order;
    const struct margay_transport *ranks = request->ranks;
    for (;;) {
        /* On a helper they are empty: rank 0 has the results. */
        struct margay_result results[MARGAY_MOST_BLOCK_SIZES];
        struct margay_error error;
        ranks->broadcast(ranks->context, &order, sizeof order);
        if (order.leave)
            return order.exit_status;
        do_work(request, &order, NULL, results, &error);
    }
}

/* -------------------------------------------------------------- rank 0 -- */

static enum margay_status fill_order(struct margay_running *running,
                                     struct rank_order *order,
                                     struct margay_error *error)
{
    const struct margay_trace_options *reading = &running->request->reading;
    memset(order, 0, sizeof *order);
    order->trace = running->index;
    order->from_file = running->plan.ranks_read;
    strncpy(order->format, margay_trace_facts(running->trace)->format->name,
            sizeof order->format - 1);
    margay_running_range(running, &order->first, &order->count);
    order->to_end = reading->limit_refs > order->count;
    order->warmup = reading->warmup_refs < order->count ? reading->warmup_refs
                                                        : order->count;
    order->pass_count = running->pass_count;
    for (size_t i = 0; i < running->pass_count; i++) {
        struct margay_engine_recipe recipe;
        running->analyses[i]->functions->lend(running->analyses[i], &recipe);
        if (strlen(recipe.spec) >= sizeof order->spec)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "the engine's spec has %zu characters (expected "
                               "fewer than %zu for ranks)",
                               strlen(recipe.spec), sizeof order->spec);
        strncpy(order->spec, recipe.spec, sizeof order->spec - 1);
        order->seed = recipe.seed;
        order->passes[i].bound_blocks = recipe.bound_blocks;
        order->passes[i].shift = running->passes[i].shift;
        order->passes[i].splits = running->passes[i].splits;
    }
    return MARGAY_OK;
}

enum margay_status margay_read_on_ranks(struct margay_running *running,
                                        struct margay_error *error)
{
    static struct rank_order order;
    struct margay_result results[MARGAY_MOST_BLOCK_SIZES];
    const struct margay_transport *ranks = running->request->ranks;
    enum margay_status status = fill_order(running, &order, error);
    if (status != MARGAY_OK)
        return status;
    ranks->broadcast(ranks->context, &order, sizeof order);
    status = do_work(running->request, &order, running->trace, results, error);
    if (status == MARGAY_OK)
        running->read_refs = results[0].references + order.warmup;
    for (size_t i = 0; i < running->pass_count && status == MARGAY_OK; i++) {
        struct margay_pass *pass = &running->passes[i];
        pass->fed_refs = results[i].references;
        pass->seconds = margay_running_seconds(running);
        running->analyses[i]->functions->adopt(running->analyses[i],
                                               &results[i]);
    }
    return status;
}

int margay_ranks_dismiss(const struct margay_transport *ranks, int exit_status)
{
    struct rank_order order = {.leave = true, .exit_status = exit_status};
    if (ranks != NULL)
        ranks->broadcast(ranks->context, &order, sizeof order);
    return exit_status;
}
