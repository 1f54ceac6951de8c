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

#include "sim/run/executors.h"
#include "sim/run/rank_work.h"

/* ------------------------------------------ a file that all can read -- */

static enum margay_status open_file(struct margay_rank_work *work,
                                    struct margay_error *error)
{
    struct margay_trace_options trace_options = work->request->reading;
    /* Rank 0 has found the format, and says which references are to be read. */
    trace_options.format = work->order->format;
    trace_options.skip_refs = 0;
    trace_options.limit_refs = UINT64_MAX;
    trace_options.warmup_refs = 0;
    const struct margay_reading reading = {.counts = work->order->counts};
    enum margay_status status =
        margay_trace_open_for(work->request->traces[work->order->trace],
                              &trace_options, &reading, &work->file, error);
    return status == MARGAY_OK ? margay_trace_ready(work->file, -1, error)
                               : status;
}

/* A task: the range of a thread. */
static void feed_range(void *context, size_t i)
{
    struct margay_rank_work *work = context;
    struct margay_rank_part *part = &work->parts[i];
    struct margay_batch batch;
    margay_range *range;
    enum margay_status status = margay_trace_range(
        work->file, part->begin, part->count, &range, &part->error);
    while (status == MARGAY_OK) {
        status = margay_range_next(range, &batch, &part->error);
        if (status != MARGAY_OK)
            break;
        status =
            margay_rank_feed_batch(work, (unsigned)i, &batch, &part->error);
    }
    margay_range_free(range);
    part->status = status == MARGAY_END ? MARGAY_OK : status;
}

/* The references from `from` to `to`; the rank that has the last ones
   of the file looks at its end, too. */
static enum margay_status file_phase(struct margay_rank_work *work,
                                     uint64_t from, uint64_t to,
                                     struct margay_error *error)
{
    const struct margay_rank_order *order = work->order;
    unsigned place = margay_rank_own_place(work);
    uint64_t begin = from + margay_rank_share(work, to - from, place);
    uint64_t end = from + margay_rank_share(work, to - from, place + 1);
    bool is_last =
        place + 1 == work->ranks->ranks && to == order->count && order->to_end;
    enum margay_status status =
        margay_rank_begin_phase(work, order->first + begin, end - begin, error);
    if (is_last)
        work->parts[work->part_count - 1].count = UINT64_MAX;
    if (status == MARGAY_OK && (is_last || end > begin))
        status = margay_rank_run_parts(work, feed_range, error);
    return margay_rank_end_phase(
        work, status, to<order->count, order->warmup> 0 && to == order->warmup,
        error);
}

static enum margay_status analyse_file(struct margay_rank_work *work,
                                       struct margay_error *error)
{
    const struct margay_rank_order *order = work->order;
    uint64_t phase = work->request->phase_refs, at = 0;
    enum margay_status status =
        margay_rank_agree(work, open_file(work, error), error);
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

static enum margay_status create_passes(struct margay_rank_work *work,
                                        struct margay_error *error)
{
    const struct margay_rank_order *order = work->order;
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
    return margay_rank_agree(work, status, error);
}

static void free_work(struct margay_rank_work *work)
{
    for (size_t i = 0; i < work->order->pass_count; i++)
        margay_cluster_free(work->passes[i]);
    margay_trace_free(work->file);
    margay_crew_free(work->crew);
    free(work->parts);
    free(work->numbers);
    free(work->extents);
    free(work);
}

/* On all ranks.  Rank 0 gives an open trace and gets results. */
static enum margay_status do_work(const struct margay_request *request,
                                  const struct margay_rank_order *order,
                                  margay_trace *trace,
                                  struct margay_result *results,
                                  struct margay_error *error)
{
    struct margay_rank_work *work = calloc(1, sizeof *work);
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
        status = margay_rank_analyse_stream(work, error);
    for (size_t i = 0; i < order->pass_count && status == MARGAY_OK; i++)
        margay_cluster_finish(work->passes[i], &results[i]);
    free_work(work);
    return status;
}

int margay_ranks_serve(const struct margay_request *request)
{
    static struct margay_rank_order order;
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
                                     struct margay_rank_order *order,
                                     struct margay_error *error)
{
    const struct margay_trace_options *reading = &running->request->reading;
    memset(order, 0, sizeof *order);
    order->trace = running->index;
    order->from_file = running->plan.ranks_read;
    order->counts = running->plan.counts;
    strncpy(order->format, margay_trace_format(running->trace)->name,
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
    static struct margay_rank_order order;
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
    struct margay_rank_order order = {.leave = true,
                                      .exit_status = exit_status};
    if (ranks != NULL)
        ranks->broadcast(ranks->context, &order, sizeof order);
    return exit_status;
}
