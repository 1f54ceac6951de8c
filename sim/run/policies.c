/*
 * policies.c - the consumer that finds the curves of several policies
 *
 * Algorithm: LRU and the optimum are measured by engines while the trace is
 *   read.  All other policies are simulated at each size of the grid, and the
 *   grid is known once the trace has been read, since it ends at the largest
 *   LRU distance.  So the blocks are numbered on the way, and their numbers
 *   are kept (history.h); in the end each simulation goes over them by itself.
 *   With a sample, everything is fed the blocks of the sample alone, caches
 *   are smaller by its rate, and their misses count for as many more.
 *
 * Source: Waldspurger, Saemundsson, Ahmad, Park, "Cache modeling and
 *   optimization using miniature simulations", USENIX ATC 2017, for samples.
 *
 * Guarantee: exact without a sample.  Results do not depend on threads.
 *
 * Cost: one reading of the trace.  4 bytes for each reference, at most 128 MiB
 *   of them in memory, and the rest in a temporary file; a hash table of the
 *   blocks; and the state of one simulation for each thread, as those that are
 *   done leave theirs.  The engines and the numbering work side by side, and so
 *   do the simulations.
 */
#define _GNU_SOURCE
#include "sim/run/policies.h"

#include <stdlib.h>
#include <string.h>

static struct margay_policies *self(const margay_consumer *consumer)
{
    return (struct margay_policies *)consumer;
}

static struct margay_policies_pass *pass_of(const margay_consumer *consumer,
                                            const struct margay_pass *pass)
{
    return &self(consumer)->passes[pass->index];
}

/* ------------------------------------------------------- begin and end -- */

static void end_reading(const struct margay_policies *policies,
                        struct margay_policies_pass *own)
{
    size_t count = policies->request.policy_count + 1;
    for (size_t i = 0; own->engines != NULL && i < count; i++) {
        margay_engine_free(own->engines[i].engine);
        margay_result_clear(&own->engines[i].result);
    }
    free(own->engines);
    free(own->failures);
    own->engines = NULL;
    own->failures = NULL;
    margay_numbering_free(own->numbering);
    own->numbering = NULL;
    margay_history_end(&own->history);
}

static void free_pass(const struct margay_policies *policies,
                      struct margay_policies_pass *own)
{
    end_reading(policies, own);
    margay_result_clear(&own->result);
    free((void *)own->asked.list_blocks);
    free(own->sizes);
    free(own->sampled);
    free(own->places);
    free(own->misses);
    free(own->points);
    free(own->point_counts);
}

static void policies_free(margay_consumer *consumer)
{
    struct margay_policies *policies = self(consumer);
    for (size_t i = 0; i < policies->pass_count; i++)
        free_pass(policies, &policies->passes[i]);
    margay_crew_free(policies->crew);
    free(policies->passes);
    free(policies->picked);
    free(policies->rows.list);
    free(policies);
}

static enum margay_status begin_pass(struct margay_policies *policies,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct margay_policies_pass *own = &policies->passes[pass->index];
    const struct margay_policies_request *request = &policies->request;
    own->asked.kind = MARGAY_SIZES_USUAL;
    margay_history_begin(&own->history, request->directory,
                         MARGAY_HISTORY_HELD);
    if (request->bound.value != 0)
        return margay_cache_size_blocks(&request->bound, "--bound",
                                        pass->block_bytes, &own->bound_blocks,
                                        error);
    return MARGAY_OK;
}

static enum margay_status policies_begin(margay_consumer *consumer,
                                         const struct margay_pass *passes,
                                         size_t count,
                                         const struct margay_share *share,
                                         struct margay_error *error)
{
    struct margay_policies *policies = self(consumer);
    enum margay_status status = MARGAY_OK;
    policies->share = *share;
    policies->passes = calloc(count, sizeof *policies->passes);
    if (policies->passes == NULL)
        return margay_fail_memory(error, "the policies");
    for (; policies->pass_count < count && status == MARGAY_OK;
         policies->pass_count++)
        status = begin_pass(policies, &passes[policies->pass_count], error);
    return status == MARGAY_OK
               ? margay_crew_create(share->threads, &policies->crew, error)
               : status;
}

/* Sizes of a list need no distances, unless a bound may be exceeded. */
static bool needs_lru(const struct margay_policies_pass *own)
{
    return own->asked.kind != MARGAY_SIZES_LIST || own->bound_blocks != 0;
}

static unsigned engine_threads(const struct margay_policies *policies,
                               size_t engines)
{
    size_t tasks = engines + policies->rows.simulates;
    return tasks < policies->share.threads
               ? policies->share.threads / (unsigned)tasks
               : 1;
}

static enum margay_status make_engine(const struct margay_policies *policies,
                                      struct margay_policies_pass *own,
                                      size_t i, enum margay_measure measure,
                                      size_t engines,
                                      struct margay_error *error)
{
    const struct margay_engine_options options = {
        .bound_blocks =
            own->bound_blocks == 0
                ? 0
                : margay_policies_sampled(policies, own->bound_blocks),
        .seed = policies->request.seed,
        .threads = engine_threads(policies, engines),
        .measure = measure,
        .chunk_refs = policies->share.chunk_refs,
        .phase_refs = policies->share.phase_refs,
    };
    return margay_engine_create("exact", &options, &own->engines[i].engine,
                                error);
}

static enum margay_status make_engines(const struct margay_policies *policies,
                                       struct margay_policies_pass *own,
                                       struct margay_error *error)
{
    size_t count = policies->request.policy_count, engines = 0;
    enum margay_status status = MARGAY_OK;
    own->lru = count + 1;
    own->engines = calloc(count + 1, sizeof *own->engines);
    own->failures = calloc(count + 2, sizeof *own->failures);
    if (own->engines == NULL || own->failures == NULL)
        return margay_fail_memory(error, "the policies");
    for (size_t i = 0; i < count; i++) {
        const struct margay_policy_row *row = &policies->rows.list[i];
        engines += !row->simulated;
        if (!row->simulated && row->measure == MARGAY_REUSE_DISTANCES)
            own->lru = i;
    }
    if (own->lru > count && needs_lru(own)) {
        own->lru = count;
        status = make_engine(policies, own, count, MARGAY_REUSE_DISTANCES,
                             ++engines, error);
    }
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (!policies->rows.list[i].simulated)
            status =
                make_engine(policies, own, i, policies->rows.list[i].measure,
                            engines, error);
    }
    return status == MARGAY_OK && policies->rows.simulates
               ? margay_numbering_create(&own->numbering, error)
               : status;
}

/* Before the first reference, or the end: the sizes are known by then. */
static enum margay_status get_ready(const struct margay_policies *policies,
                                    struct margay_policies_pass *own,
                                    struct margay_error *error)
{
    return own->engines != NULL ? MARGAY_OK
                                : make_engines(policies, own, error);
}

enum margay_status margay_policies_consumer_set_sizes(
    margay_consumer *consumer, const struct margay_pass *pass,
    const struct margay_sizes *sizes, struct margay_error *error)
{
    struct margay_policies_pass *own = pass_of(consumer, pass);
    free((void *)own->asked.list_blocks);
    own->asked = *sizes;
    own->asked.list_blocks = NULL;
    if (sizes->kind != MARGAY_SIZES_LIST)
        return MARGAY_OK;
    size_t bytes = sizes->list_count * sizeof *sizes->list_blocks;
    uint64_t *list = malloc(bytes);
    if (list == NULL)
        return margay_fail_memory(error, "the sizes of a curve");
    memcpy(list, sizes->list_blocks, bytes);
    own->asked.list_blocks = list;
    return MARGAY_OK;
}

/* -------------------------------------------------------------- feeding -- */

static enum margay_status keep_numbers(const struct margay_policies *policies,
                                       struct margay_policies_pass *own,
                                       struct margay_error *error)
{
    uint32_t *place;
    enum margay_status status = margay_history_reserve(
        &own->history, policies->block_count, &place, error);
    if (status == MARGAY_OK)
        status = margay_numbering_feed(own->numbering, policies->blocks,
                                       policies->block_count, place, error);
    if (status == MARGAY_OK)
        margay_history_add(&own->history, policies->block_count);
    return status;
}

/* The crew's tasks: task 0 numbers the blocks, task i + 1 feeds engine i. */
static void feed_one(void *context, size_t i)
{
    const struct margay_policies *policies = context;
    struct margay_policies_pass *own = policies->fed;
    struct margay_error *failure = &own->failures[i];
    if (i == 0 && own->numbering != NULL)
        failure->status = keep_numbers(policies, own, failure);
    else if (i > 0 && own->engines[i - 1].engine != NULL)
        failure->status =
            margay_engine_feed(own->engines[i - 1].engine, policies->blocks,
                               policies->block_count, NULL, failure);
}

static enum margay_status pick_sample(struct margay_policies *policies,
                                      const struct margay_span *span,
                                      struct margay_error *error)
{
    if (span->count >= policies->picked_room) {
        size_t room = span->count + 1;
        uint64_t *picked = reallocarray(policies->picked, room, sizeof *picked);
        if (picked == NULL)
            return margay_fail_memory(error, "a sample of blocks");
        policies->picked = picked;
        policies->picked_room = room;
    }
    policies->blocks = policies->picked;
    policies->block_count = margay_sample_pick(&policies->sample, span->blocks,
                                               span->count, policies->picked);
    return MARGAY_OK;
}

static enum margay_status policies_feed(margay_consumer *consumer,
                                        const struct margay_pass *pass,
                                        const struct margay_span *span,
                                        struct margay_error *error)
{
    struct margay_policies *policies = self(consumer);
    struct margay_policies_pass *own = pass_of(consumer, pass);
    size_t tasks = policies->request.policy_count + 2;
    enum margay_status status = get_ready(policies, own, error);
    policies->fed = own;
    policies->blocks = span->blocks;
    policies->block_count = span->count;
    own->references += span->count;
    if (status == MARGAY_OK && policies->sample.limit != UINT64_MAX)
        status = pick_sample(policies, span, error);
    if (status != MARGAY_OK)
        return status;
    margay_crew_start(policies->crew, feed_one, policies, tasks);
    margay_crew_finish(policies->crew);
    return margay_policies_failure(own->failures, tasks, error);
}

static enum margay_status policies_reset(margay_consumer *consumer,
                                         const struct margay_pass *pass,
                                         struct margay_error *error)
{
    struct margay_policies_pass *own = pass_of(consumer, pass);
    (void)error;
    for (size_t i = 0;
         own->engines != NULL && i <= self(consumer)->request.policy_count;
         i++) {
        if (own->engines[i].engine != NULL)
            margay_engine_reset_counts(own->engines[i].engine);
    }
    own->references = 0;
    if (own->numbering != NULL) {
        own->uncounted = margay_history_count(&own->history);
        own->uncounted_blocks = margay_numbering_count(own->numbering);
    }
    return MARGAY_OK;
}

static enum margay_status policies_finish(margay_consumer *consumer,
                                          const struct margay_pass *pass,
                                          struct margay_error *error)
{
    struct margay_policies *policies = self(consumer);
    struct margay_policies_pass *own = pass_of(consumer, pass);
    enum margay_status status = get_ready(policies, own, error);
    if (status == MARGAY_OK)
        status = margay_policies_make_curves(policies, own, error);
    end_reading(policies, own);
    return status;
}

/* --------------------------------------------------------------- making -- */

static const struct margay_consumer_class functions = {
    .begin = policies_begin,
    .feed = policies_feed,
    .reset = policies_reset,
    .finish = policies_finish,
    .free = policies_free,
};

enum margay_status margay_policies_consumer(
    const struct margay_policies_request *request, margay_consumer **consumer,
    struct margay_error *error)
{
    struct margay_policies *made = calloc(1, sizeof *made);
    *consumer = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the policies");
    made->consumer.functions = &functions;
    made->consumer.name = "the policies";
    made->request = *request;
    made->sample = margay_sample_of(
        request->sample_rate == 0 ? 1 : request->sample_rate, request->seed);
    enum margay_status status = margay_policies_read(
        request->policies, request->policy_count, false, &made->rows, error);
    /* Simulations fill the threads of one trace; engines alone do not. */
    made->consumer.can.traces = !made->rows.simulates;
    if (status == MARGAY_OK)
        *consumer = &made->consumer;
    else
        policies_free(&made->consumer);
    return status;
}

/* -------------------------------------------------------------- results -- */

size_t margay_policies_consumer_curve(const margay_consumer *consumer,
                                      const struct margay_pass *pass,
                                      size_t policy,
                                      const struct margay_point **points)
{
    const struct margay_policies_pass *own = pass_of(consumer, pass);
    *points = own->points + policy * own->size_count;
    return own->point_counts == NULL ? 0 : own->point_counts[policy];
}

const struct margay_result *margay_policies_consumer_result(
    const margay_consumer *consumer, const struct margay_pass *pass)
{
    return &pass_of(consumer, pass)->result;
}
