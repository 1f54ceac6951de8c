/*
 * policies.c - the question of the curves of several policies
 *
 * Algorithm: LRU and the optimum are measured by engines while the trace is
 *   read.  All other policies are simulated at each size of the grid, and the
 *   grid is known once the trace has been read, since it ends at the largest
 *   LRU distance.  So the blocks are numbered on the way, and their numbers
 *   are kept (history.h); in the end each simulation goes over them by itself.
 *   A look simulates what has come since the last one, at sizes that this one
 *   had, too, and that memory is there for, and else all from the beginning.
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

static struct margay_policies *self(const margay_analysis *analysis)
{
    return (struct margay_policies *)analysis;
}

/* ------------------------------------------------------- begin and end -- */

static void end_reading(struct margay_policies *own)
{
    size_t count = own->asked->request.policy_count + 1;
    for (size_t i = 0; own->engines != NULL && i < count; i++) {
        margay_engine_free(own->engines[i].engine);
        own->engines[i].engine = NULL;
    }
    free(own->failures);
    own->failures = NULL;
    margay_numbering_free(own->numbering);
    own->numbering = NULL;
    margay_history_end(&own->history);
    margay_kept_caches_free(&own->kept);
}

static void policies_free(margay_analysis *analysis)
{
    struct margay_policies *own = self(analysis);
    end_reading(own);
    margay_policies_clear_curves(own);
    free(own->engines);
    margay_crew_free(own->crew);
    free((void *)own->sizes_asked.list_blocks);
    free(own->picked);
    free(own);
}

static unsigned engine_threads(const struct margay_policies *own,
                               size_t engines)
{
    size_t tasks = engines + own->asked->rows.simulates;
    return tasks < own->share.threads ? own->share.threads / (unsigned)tasks
                                      : 1;
}

static enum margay_status make_engine(struct margay_policies *own, size_t i,
                                      enum margay_measure measure,
                                      size_t engines,
                                      struct margay_error *error)
{
    const struct margay_engine_options options = {
        .bound_blocks = own->bound_blocks == 0
                            ? 0
                            : margay_policies_sampled(&own->asked->sample,
                                                      own->bound_blocks),
        .seed = own->asked->request.seed,
        .threads = engine_threads(own, engines),
        .measure = measure,
        .chunk_refs = own->share.chunk_refs,
        .phase_refs = own->share.phase_refs,
    };
    return margay_engine_create("exact", &options, &own->engines[i].engine,
                                error);
}

static enum margay_status make_engines(struct margay_policies *own,
                                       struct margay_error *error)
{
    const struct margay_policy_rows *rows = &own->asked->rows;
    size_t count = rows->count, engines = 0;
    enum margay_status status = MARGAY_OK;
    own->lru = count + 1;
    own->engines = calloc(count + 1, sizeof *own->engines);
    own->failures = calloc(count + 2, sizeof *own->failures);
    if (own->engines == NULL || own->failures == NULL)
        return margay_fail_memory(error, "the policies");
    for (size_t i = 0; i < count; i++) {
        const struct margay_policy_row *row = &rows->list[i];
        engines += !row->simulated;
        if (!row->simulated && row->measure == MARGAY_REUSE_DISTANCES)
            own->lru = i;
    }
    /* Sizes of a list need no distances, unless a bound may be exceeded. */
    if (own->lru > count && (own->sizes_asked.kind != MARGAY_SIZES_LIST ||
                             own->bound_blocks != 0)) {
        own->lru = count;
        status =
            make_engine(own, count, MARGAY_REUSE_DISTANCES, ++engines, error);
    }
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (!rows->list[i].simulated)
            status = make_engine(own, i, rows->list[i].measure, engines, error);
    }
    return status == MARGAY_OK && rows->simulates
               ? margay_numbering_create(&own->numbering, error)
               : status;
}

/* -------------------------------------------------------------- feeding -- */

static enum margay_status keep_numbers(struct margay_policies *own,
                                       struct margay_error *error)
{
    uint32_t *place;
    enum margay_status status =
        margay_history_reserve(&own->history, own->block_count, &place, error);
    if (status == MARGAY_OK)
        status = margay_numbering_feed(own->numbering, own->blocks,
                                       own->block_count, place, error);
    if (status == MARGAY_OK)
        margay_history_add(&own->history, own->block_count);
    return status;
}

/* The crew's tasks: task 0 numbers the blocks, task i + 1 feeds engine i. */
static void feed_one(void *context, size_t i)
{
    struct margay_policies *own = context;
    struct margay_error *failure = &own->failures[i];
    if (i == 0 && own->numbering != NULL)
        failure->status = keep_numbers(own, failure);
    else if (i > 0 && own->engines[i - 1].engine != NULL)
        failure->status =
            margay_engine_feed(own->engines[i - 1].engine, own->blocks,
                               own->block_count, NULL, failure);
}

static enum margay_status pick_sample(struct margay_policies *own,
                                      const struct margay_span *span,
                                      struct margay_error *error)
{
    if (span->count >= own->picked_room) {
        size_t room = span->count + 1;
        uint64_t *picked = reallocarray(own->picked, room, sizeof *picked);
        if (picked == NULL)
            return margay_fail_memory(error, "a sample of blocks");
        own->picked = picked;
        own->picked_room = room;
    }
    own->blocks = own->picked;
    own->block_count = margay_sample_pick(&own->asked->sample, span->blocks,
                                          span->count, own->picked);
    return MARGAY_OK;
}

static enum margay_status policies_feed(margay_analysis *analysis,
                                        const struct margay_span *span,
                                        struct margay_error *error)
{
    struct margay_policies *own = self(analysis);
    size_t tasks = own->asked->request.policy_count + 2;
    enum margay_status status = MARGAY_OK;
    own->blocks = span->blocks;
    own->block_count = span->count;
    own->references += span->count;
    if (own->asked->sample.limit != UINT64_MAX)
        status = pick_sample(own, span, error);
    if (status != MARGAY_OK)
        return status;
    margay_crew_start(own->crew, feed_one, own, tasks);
    margay_crew_finish(own->crew);
    return margay_policies_failure(own->failures, tasks, error);
}

static enum margay_status policies_reset(margay_analysis *analysis,
                                         struct margay_error *error)
{
    struct margay_policies *own = self(analysis);
    (void)error;
    for (size_t i = 0; i <= own->asked->request.policy_count; i++) {
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

static enum margay_status policies_look(margay_analysis *analysis,
                                        struct margay_error *error)
{
    struct margay_policies *own = self(analysis);
    return margay_policies_make_curves(own, &own->kept, error);
}

static enum margay_status policies_finish(margay_analysis *analysis,
                                          struct margay_error *error)
{
    struct margay_policies *own = self(analysis);
    bool looked = own->kept.count > 0;
    enum margay_status status =
        margay_policies_make_curves(own, looked ? &own->kept : NULL, error);
    end_reading(own);
    return status;
}

/* Without a sample, the curve of an engine is known at every size. */
static enum margay_status series_of_engine(const struct margay_policies *own,
                                           size_t i, margay_series_take *take,
                                           void *context,
                                           struct margay_error *error)
{
    struct margay_series series;
    struct margay_series_point *points;
    enum margay_status status = margay_result_series(
        &own->engines[i].result, NULL, &series, &points, error);
    series.policy = own->asked->request.policies[i];
    if (status == MARGAY_OK)
        status = take(context, &series, error);
    free(points);
    return status;
}

/* The sizes are those of the question, unless all are asked for. */
static enum margay_status policies_series(margay_analysis *analysis,
                                          const struct margay_sizes *sizes,
                                          margay_series_take *take,
                                          void *context,
                                          struct margay_error *error)
{
    const struct margay_policies *own = self(analysis);
    bool exact = sizes == NULL && own->asked->sample.limit == UINT64_MAX;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0;
         i < own->asked->request.policy_count && status == MARGAY_OK; i++) {
        if (exact && !own->asked->rows.list[i].simulated) {
            status = series_of_engine(own, i, take, context, error);
            continue;
        }
        const struct margay_series series = {
            .policy = own->asked->request.policies[i],
            .references = own->result.references,
            .distinct = own->result.distinct_blocks,
            .infinite = own->result.infinite,
            .bound =
                own->result.histogram == NULL
                    ? 0
                    : margay_histogram_exceeded_bound(own->result.histogram),
            .points = own->points + i * own->size_count,
            .count = own->point_counts == NULL ? 0 : own->point_counts[i],
        };
        status = take(context, &series, error);
    }
    return status;
}

/* --------------------------------------------------------------- making -- */

/* The size of the bound, and those of the curves. */
static enum margay_status resolve_sizes(struct margay_policies *own,
                                        const struct margay_pass *pass,
                                        struct margay_error *error)
{
    const struct margay_policies_request *request = &own->asked->request;
    enum margay_status status = MARGAY_OK;
    if (request->bound.value != 0)
        status = margay_cache_size_blocks(&request->bound, "--bound",
                                          pass->block_bytes, &own->bound_blocks,
                                          error);
    return status == MARGAY_OK
               ? margay_cache_sizes_resolve(request->sizes, pass->block_bytes,
                                            &own->sizes_asked, error)
               : status;
}

static enum margay_status begin(const margay_question *question,
                                const struct margay_pass *passes, size_t count,
                                const struct margay_share *share,
                                margay_analysis **analysis,
                                struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .feed = policies_feed,
        .reset = policies_reset,
        .look = policies_look,
        .finish = policies_finish,
        .series = policies_series,
        .free = policies_free,
    };
    struct margay_policies *own = calloc(1, sizeof *own);
    (void)count;
    if (own == NULL)
        return margay_fail_memory(error, "the policies");
    own->analysis.functions = &functions;
    *analysis = &own->analysis;
    own->asked = (const struct margay_policies_question *)question;
    own->share = *share;
    margay_history_begin(&own->history, own->asked->request.directory,
                         MARGAY_HISTORY_HELD);
    enum margay_status status = resolve_sizes(own, passes, error);
    if (status == MARGAY_OK)
        status = margay_crew_create(share->threads, &own->crew, error);
    if (status == MARGAY_OK)
        status = make_engines(own, error);
    return status;
}

static void question_free(margay_question *question)
{
    free(((struct margay_policies_question *)question)->rows.list);
    free(question);
}

enum margay_status margay_policies_question(
    const struct margay_policies_request *request, margay_question **question,
    struct margay_error *error)
{
    struct margay_policies_question *made = calloc(1, sizeof *made);
    *question = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the policies");
    made->question = (margay_question){
        .begin = begin,
        .free = question_free,
        .can = {.curves = true, .looks = true},
        .name = "the policies",
    };
    made->request = *request;
    made->sample = margay_sample_of(
        request->sample_rate == 0 ? 1 : request->sample_rate, request->seed);
    enum margay_status status = margay_policies_read(
        request->policies, request->policy_count, false, &made->rows, error);
    /* Simulations fill the threads of one trace; engines alone do not. */
    made->question.can.traces = !made->rows.simulates;
    if (status == MARGAY_OK)
        *question = &made->question;
    else
        question_free(&made->question);
    return status;
}
