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
 *   With a sample of rate R, everything is fed the blocks of the sample alone:
 * a cache of C blocks is one of C R there, at least 1, and a miss stands for 1
 * / R misses.  The references are counted whole: where the sample has more or
 * fewer than its share of them, the difference is one of hits, as it comes from
 * blocks that are referenced very often.
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
#include <stdlib.h>
#include <string.h>

#include "sim/run/policies_replay.h"
#include "sim/run/series.h"

struct policies_question {
    margay_question question;
    struct margay_policies_request request;
    struct margay_policy_rows rows; /* the list is owned */
    struct margay_sample sample;
};

/* An engine that is fed all references, or those of the sample. */
struct policy_engine {
    margay_engine *engine; /* NULL = none */
    struct margay_result result;
};

struct policies {
    margay_analysis analysis;
    const struct policies_question *asked;
    struct margay_share share;
    margay_crew *crew;
    uint64_t bound_blocks;
    struct margay_sizes sizes_asked; /* its list is owned */
    /* One of each exact policy and, last, of LRU where the sizes follow from
       LRU distances and no policy is LRU. */
    struct policy_engine *engines; /* [policy_count + 1] */
    size_t lru;                    /* which of them; none: beyond */
    struct margay_error *failures; /* of the crew's tasks */
    /* Where a policy is simulated: the references as numbers of blocks. */
    margay_numbering *numbering;
    struct margay_history history;
    uint64_t uncounted; /* the first of them, a warm-up */
    uint32_t uncounted_blocks;
    struct margay_kept_caches kept; /* from look to look */
    /* The span that the crew works on: its blocks, or those in the sample. */
    const uint64_t *blocks;
    size_t block_count;
    uint64_t *picked; /* owned */
    size_t picked_room;

    uint64_t references; /* counted, in the sample or not */
    struct margay_result result;
    /* The curves.  Several sizes may be the same in a sample, where
       sampled[places[i]] stands for sizes[i]. */
    uint64_t *sizes, *sampled; /* in blocks, ascending */
    size_t *places;            /* [size_count] */
    size_t size_count, sampled_count;
    struct margay_series_point *found;  /* [policy][sampled], in the sample, */
    struct margay_series_point *points; /* and [policy][size] */
};

static struct policies *self(const margay_analysis *analysis)
{
    return (struct policies *)analysis;
}

static uint64_t scaled(const struct policies *policies, uint64_t count)
{
    return margay_policies_scaled(&policies->asked->sample, count, UINT64_MAX);
}

static uint64_t scaled_refs(const struct policies *policies, uint64_t count)
{
    return margay_policies_scaled(&policies->asked->sample, count,
                                  policies->references);
}

/* ------------------------------------------------- what engines have found --
 */

static enum margay_status look_at_engines(struct policies *policies,
                                          struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0;
         i <= policies->asked->request.policy_count && status == MARGAY_OK;
         i++) {
        struct policy_engine *engine = &policies->engines[i];
        if (engine->engine != NULL)
            status = margay_engine_peek(engine->engine, &engine->result, error);
    }
    return status;
}

/* The result of LRU, or else of another engine; NULL = there is none. */
static const struct margay_result *any_result(const struct policies *policies)
{
    size_t count = policies->asked->request.policy_count;
    if (policies->lru <= count)
        return &policies->engines[policies->lru].result;
    for (size_t i = 0; i < count; i++) {
        if (policies->engines[i].engine != NULL)
            return &policies->engines[i].result;
    }
    return NULL;
}

/* The references, first uses and blocks. */
static void count_references(struct policies *policies)
{
    const struct margay_result *found = any_result(policies);
    uint64_t distinct, infinite;
    if (found != NULL) {
        distinct = found->distinct_blocks;
        infinite = found->infinite;
    } else {
        distinct = margay_numbering_count(policies->numbering);
        infinite = distinct - policies->uncounted_blocks;
    }
    policies->result.references = policies->references;
    policies->result.distinct_blocks = scaled(policies, distinct);
    policies->result.infinite = scaled_refs(policies, infinite);
}

/* ---------------------------------------------------------------- sizes -- */

/* A size at which a curve steps is one more than a distance. */
static enum margay_status add_step(const struct policies *policies,
                                   margay_histogram *steps, uint64_t distance,
                                   struct margay_error *error)
{
    return margay_histogram_add(steps, scaled(policies, distance + 1) - 1, 1,
                                error);
}

static enum margay_status add_steps(const struct policies *policies,
                                    margay_histogram *steps,
                                    const margay_histogram *distances,
                                    struct margay_error *error)
{
    uint64_t distance = 0, count;
    enum margay_status status = MARGAY_OK;
    for (uint64_t from = 0;
         status == MARGAY_OK && distances != NULL &&
         margay_histogram_next(distances, from, &distance, &count);
         from = distance + 1)
        status = add_step(policies, steps, distance, error);
    return status;
}

/* The distances that a grid needs: the largest of LRU's, which no other is
   above, or all of them.  A simulation is shown where LRU steps, even if LRU is
   not asked for, as its own steps are not known. */
static enum margay_status find_steps(const struct policies *policies,
                                     margay_histogram *steps,
                                     struct margay_error *error)
{
    size_t count = policies->asked->request.policy_count;
    size_t stepping = policies->asked->rows.simulates ? count + 1 : count;
    const margay_histogram *lru =
        policies->lru <= count
            ? policies->engines[policies->lru].result.histogram
            : NULL;
    uint64_t largest;
    enum margay_status status =
        margay_histogram_add(steps, MARGAY_INFINITE, 1, error);
    if (lru != NULL && margay_histogram_exceeded_bound(lru) != 0)
        margay_histogram_set_exceeded_bound(steps, policies->bound_blocks);
    if (lru != NULL && margay_histogram_largest(lru, &largest) &&
        status == MARGAY_OK)
        status = add_step(policies, steps, largest, error);
    for (size_t i = 0; i < stepping && status == MARGAY_OK &&
                       policies->sizes_asked.kind == MARGAY_SIZES_ALL;
         i++)
        status = add_steps(policies, steps,
                           policies->engines[i].result.histogram, error);
    return status;
}

static void clear_curves(struct policies *policies)
{
    for (size_t i = 0; policies->engines != NULL &&
                       i <= policies->asked->request.policy_count;
         i++)
        margay_result_clear(&policies->engines[i].result);
    margay_result_clear(&policies->result);
    free(policies->sizes);
    free(policies->sampled);
    free(policies->places);
    free(policies->found);
    free(policies->points);
    policies->sizes = policies->sampled = NULL;
    policies->places = NULL;
    policies->found = policies->points = NULL;
    policies->size_count = policies->sampled_count = 0;
}

static enum margay_status make_room(struct policies *own, size_t sizes,
                                    struct margay_error *error)
{
    size_t policies = own->asked->request.policy_count;
    own->sizes = calloc(sizes, sizeof *own->sizes);
    own->sampled = calloc(sizes, sizeof *own->sampled);
    own->places = calloc(sizes, sizeof *own->places);
    own->found = calloc(policies * sizes, sizeof *own->found);
    own->points = calloc(policies * sizes, sizeof *own->points);
    return own->sizes == NULL || own->sampled == NULL || own->places == NULL ||
                   own->found == NULL || own->points == NULL
               ? margay_fail_memory(error, "the curves")
               : MARGAY_OK;
}

static void keep_sizes(struct policies *policies,
                       const struct margay_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t sampled = margay_policies_sampled(&policies->asked->sample,
                                                   points[i].cache_blocks);
        if (i == 0 || policies->sampled[policies->sampled_count - 1] != sampled)
            policies->sampled[policies->sampled_count++] = sampled;
        policies->sizes[i] = points[i].cache_blocks;
        policies->places[i] = policies->sampled_count - 1;
    }
    policies->size_count = count;
}

/* The grid is that of a histogram of the steps. */
static enum margay_status make_sizes(struct policies *policies,
                                     struct margay_error *error)
{
    const struct margay_sizes sizes = margay_policies_sizes(
        policies->sizes_asked, policies->asked->rows.simulates);
    struct margay_point *points = NULL;
    size_t count = 0;
    enum margay_status status =
        margay_histogram_create(&policies->result.histogram, error);
    if (status == MARGAY_OK)
        status = find_steps(policies, policies->result.histogram, error);
    if (status == MARGAY_OK)
        status = margay_histogram_curve(policies->result.histogram, &sizes,
                                        &points, &count, error);
    if (status == MARGAY_OK && count > 0)
        status = make_room(policies, count, error);
    if (status == MARGAY_OK)
        keep_sizes(policies, points, count);
    free(points);
    return status;
}

/* --------------------------------------------------------------- points -- */

static enum margay_status read_engine(const struct policies *policies,
                                      size_t policy, struct margay_error *error)
{
    const struct margay_sizes sizes = {
        .kind = MARGAY_SIZES_LIST,
        .list_blocks = policies->sampled,
        .list_count = policies->sampled_count,
    };
    struct margay_point *points;
    size_t count;
    enum margay_status status = margay_result_curve(
        &policies->engines[policy].result, &sizes, &points, &count, error);
    if (status != MARGAY_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        policies->found[policy * policies->sampled_count + i] =
            (struct margay_series_point){.size = points[i].cache_blocks,
                                         .misses = points[i].misses};
    free(points);
    return MARGAY_OK;
}

static void make_points(struct policies *policies, size_t policy)
{
    const struct margay_series_point *found =
        policies->found + policy * policies->sampled_count;
    struct margay_series_point *points =
        policies->points + policy * policies->size_count;
    for (size_t i = 0; i < policies->size_count; i++) {
        const struct margay_series_point *at = &found[policies->places[i]];
        if (at->size != 0)
            points[i] = (struct margay_series_point){
                .size = policies->sizes[i],
                .misses = scaled_refs(policies, at->misses)};
    }
}

static enum margay_status replay(const struct policies *policies,
                                 struct margay_kept_caches *kept,
                                 struct margay_error *error)
{
    const struct margay_replay replay = {
        .history = &policies->history,
        .uncounted = policies->uncounted,
        .blocks = policies->numbering == NULL
                      ? 0
                      : margay_numbering_count(policies->numbering),
        .rows = &policies->asked->rows,
        .sizes = policies->sampled,
        .size_count = policies->sampled_count,
        .seed = policies->asked->request.seed,
        .crew = policies->crew,
        .watch = policies->share.watch,
        .kept = kept,
        .points = policies->found,
    };
    return margay_policies_replay(&replay, error);
}

static enum margay_status make_curves(struct policies *policies,
                                      struct margay_kept_caches *kept,
                                      struct margay_error *error)
{
    size_t count = policies->asked->request.policy_count;
    clear_curves(policies);
    enum margay_status status = look_at_engines(policies, error);
    if (status != MARGAY_OK)
        return status;
    count_references(policies);
    if (policies->references == 0)
        return MARGAY_OK;
    status = make_sizes(policies, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (!policies->asked->rows.list[i].simulated)
            status = read_engine(policies, i, error);
    }
    if (status == MARGAY_OK)
        status = replay(policies, kept, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        make_points(policies, i);
    return status;
}

/* ------------------------------------------------------- begin and end -- */

static void end_reading(struct policies *own)
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
    struct policies *own = self(analysis);
    end_reading(own);
    clear_curves(own);
    free(own->engines);
    margay_crew_free(own->crew);
    free((void *)own->sizes_asked.list_blocks);
    free(own->picked);
}

static unsigned engine_threads(const struct policies *own, size_t engines)
{
    size_t tasks = engines + own->asked->rows.simulates;
    return tasks < own->share.threads ? own->share.threads / (unsigned)tasks
                                      : 1;
}

static enum margay_status make_engine(struct policies *own, size_t i,
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

static enum margay_status make_engines(struct policies *own,
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

static enum margay_status keep_numbers(struct policies *own,
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
    struct policies *own = context;
    struct margay_error *failure = &own->failures[i];
    if (i == 0 && own->numbering != NULL)
        failure->status = keep_numbers(own, failure);
    else if (i > 0 && own->engines[i - 1].engine != NULL)
        failure->status =
            margay_engine_feed(own->engines[i - 1].engine, own->blocks,
                               own->block_count, NULL, failure);
}

static enum margay_status pick_sample(struct policies *own,
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
    struct policies *own = self(analysis);
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
    struct policies *own = self(analysis);
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
    struct policies *own = self(analysis);
    return make_curves(own, &own->kept, error);
}

static enum margay_status policies_finish(margay_analysis *analysis,
                                          struct margay_error *error)
{
    struct policies *own = self(analysis);
    bool looked = own->kept.count > 0;
    enum margay_status status =
        make_curves(own, looked ? &own->kept : NULL, error);
    end_reading(own);
    return status;
}

/* Without a sample, the curve of an engine is known at every size. */
static enum margay_status series_of_engine(const struct policies *own, size_t i,
                                           margay_series_take *take,
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
    const struct policies *own = self(analysis);
    bool exact = sizes == NULL && own->asked->sample.limit == UINT64_MAX;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0;
         i < own->asked->request.policy_count && status == MARGAY_OK; i++) {
        if (exact && !own->asked->rows.list[i].simulated) {
            status = series_of_engine(own, i, take, context, error);
            continue;
        }
        struct margay_series series = {
            .policy = own->asked->request.policies[i],
            .references = own->result.references,
            .distinct = own->result.distinct_blocks,
            .infinite = own->result.infinite,
            .bound =
                own->result.histogram == NULL
                    ? 0
                    : margay_histogram_exceeded_bound(own->result.histogram),
        };
        status = margay_series_give(
            &series,
            own->points == NULL ? NULL : own->points + i * own->size_count,
            own->size_count, take, context, error);
    }
    return status;
}

/* --------------------------------------------------------------- making -- */

/* The size of the bound, and those of the curves. */
static enum margay_status resolve_sizes(struct policies *own,
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

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct policies *own = self(analysis);
    own->asked = (const struct policies_question *)analysis->question;
    own->share = *share;
    margay_history_begin(&own->history, own->asked->request.directory,
                         MARGAY_HISTORY_HELD);
    enum margay_status status = resolve_sizes(own, analysis->pass, error);
    if (status == MARGAY_OK)
        status = margay_crew_create(share->threads, &own->crew, error);
    if (status == MARGAY_OK)
        status = make_engines(own, error);
    return status;
}

static const struct margay_analysis_class functions = {
    .bytes = sizeof(struct policies),
    .begin = begin,
    .feed = policies_feed,
    .reset = policies_reset,
    .look = policies_look,
    .finish = policies_finish,
    .series = policies_series,
    .free = policies_free,
};

static void question_free(margay_question *question)
{
    free(((struct policies_question *)question)->rows.list);
    free(question);
}

enum margay_status margay_policies_question(
    const struct margay_policies_request *request, margay_question **question,
    struct margay_error *error)
{
    struct policies_question *made = calloc(1, sizeof *made);
    *question = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the policies");
    made->question = (margay_question){
        .functions = &functions,
        .free = question_free,
        .can = {.curves = true, .looks = true},
        .name = "the policies",
    };
    made->request = *request;
    made->sample = margay_sample_of(
        request->sample_rate == 0 ? 1 : request->sample_rate, request->seed);
    enum margay_status status =
        margay_policies_read(request->policies, request->policy_count,
                             MARGAY_CACHES_OF_BLOCKS, &made->rows, error);
    /* Simulations fill the threads of one trace; engines alone do not. */
    made->question.can.traces = !made->rows.simulates;
    if (status == MARGAY_OK)
        *question = &made->question;
    else
        question_free(&made->question);
    return status;
}
