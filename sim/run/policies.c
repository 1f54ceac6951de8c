/*
 * policies.c - the question of the curves of several policies
 *
 * Algorithm: LRU and the optimum are measured by engines while the trace is
 *   read.  All other policies are simulated at each size of the grid, and the
 *   grid is known once the trace has been read, since it ends at the largest
 *   LRU distance.  So the blocks are numbered on the way, and their numbers are
 *   kept (history.h); in the end each simulation goes over them by itself.  A
 *   look simulates only the references since the last one, if that had the same
 *   sizes and there is memory; otherwise all from the beginning.  With a sample
 *   of rate R, everything is fed the blocks of the sample alone: a cache of C
 *   blocks is one of C R there, at least 1, and a miss stands for 1/R misses.
 *   The references are counted whole: where the sample has more or fewer than
 *   its share of them, the difference is one of hits, as it comes from blocks
 *   that are referenced very often.
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

#include "sim/run/policies_replay.h"
#include "sim/run/series.h"
#include "sim/run/spans.h"

struct policies_question {
    struct margay_policies_question base;
    struct margay_policies_request request;
    struct margay_sample sample;
};

struct policies {
    margay_analysis analysis;
    const struct policies_question *asked;
    struct margay_share share;
    /* If a policy is simulated: the references as numbers of blocks.  Its
       points are those of all policies. */
    struct margay_replay replay;
    uint64_t bound_blocks;
    struct margay_sizes sizes_asked; /* its list is owned */
    /* By measure, those of exact policies, and that of LRU where the sizes
       follow from LRU distances; they are fed all references, or the sample. */
    margay_engine *engines[MARGAY_POLICY_MEASURES];
    struct margay_result results[MARGAY_POLICY_MEASURES];
    struct margay_error failures[MARGAY_POLICY_MEASURES + 1]; /* of tasks */
    /* The crew's part of a span: its blocks, or those in the sample. */
    const uint64_t *blocks;
    const uint8_t *kinds;
    size_t block_count;
    size_t refs; /* of the part, in the sample or not */
    uint64_t picked[MARGAY_SPAN_REFS];
    uint8_t picked_kinds[MARGAY_SPAN_REFS];

    uint64_t references;         /* counted, in the sample or not, */
    uint64_t sampled;            /* and in it */
    struct margay_result result; /* with the steps of all curves */
};

static struct policies *self(const margay_analysis *analysis)
{
    return (struct policies *)analysis;
}

/* ----------------------------------------------- what engines have found -- */

/* The references, first uses and blocks: those of any engine, as all are fed
   the same, or of the numbers. */
static void count_references(struct policies *own)
{
    const struct margay_sample *sample = &own->asked->sample;
    uint64_t distinct = margay_numbering_count(own->replay.numbering);
    uint64_t infinite = distinct - own->replay.uncounted_blocks;
    for (size_t i = MARGAY_POLICY_MEASURES; i-- > 0;) {
        if (own->engines[i] == NULL)
            continue;
        distinct = own->results[i].distinct_blocks;
        infinite = own->results[i].infinite;
    }
    /* A sample without references says nothing, as one without blocks. */
    if (own->sampled == 0)
        distinct = 0;
    /* Of counts that fade, the engine of LRU has the sum. */
    own->result.references = own->asked->request.half_life_refs == 0
                                 ? own->references
                                 : own->results[0].references;
    own->result.fraction_bits = own->results[0].fraction_bits;
    own->result.distinct_blocks =
        margay_policies_scaled(sample, distinct, UINT64_MAX);
    own->result.infinite =
        margay_policies_scaled(sample, infinite, own->result.references);
}

/* ---------------------------------------------------------------- sizes -- */

/* Add the distances from one on.  A size at which a curve steps is one more
   than a distance. */
static enum margay_status add_steps(const struct policies *own,
                                    margay_histogram *steps,
                                    const margay_histogram *distances,
                                    uint64_t from, struct margay_error *error)
{
    uint64_t distance, count;
    enum margay_status status = MARGAY_OK;
    while (status == MARGAY_OK && distances != NULL &&
           margay_histogram_next(distances, from, &distance, &count)) {
        uint64_t size = margay_policies_scaled(&own->asked->sample,
                                               distance + 1, UINT64_MAX);
        status = margay_histogram_add(steps, size - 1, 1, error);
        from = distance + 1;
    }
    return status;
}

/* The distances that a grid needs: the largest of LRU's, which no other is
   above, or all of them.  A simulation has a point where LRU steps, even if LRU
   is not requested, as its own steps are unknown. */
static enum margay_status find_steps(const struct policies *own,
                                     margay_histogram *steps,
                                     struct margay_error *error)
{
    const struct margay_policy_rows *rows = &own->asked->base.rows;
    const margay_histogram *lru = own->results[0].histogram;
    bool all = own->sizes_asked.kind == MARGAY_SIZES_ALL;
    uint64_t largest;
    enum margay_status status =
        margay_histogram_add(steps, MARGAY_INFINITE, 1, error);
    if (lru != NULL && margay_histogram_exceeded_bound(lru) != 0)
        margay_histogram_set_exceeded_bound(steps, own->bound_blocks);
    if (status == MARGAY_OK && lru != NULL &&
        margay_histogram_largest(lru, &largest))
        status = add_steps(own, steps, lru,
                           all && rows->simulates ? 0 : largest, error);
    for (size_t i = 0; i < rows->count && status == MARGAY_OK && all; i++) {
        if (!rows->list[i].simulated)
            status = add_steps(own, steps,
                               own->results[rows->list[i].measure].histogram, 0,
                               error);
    }
    return status;
}

static void clear_results(struct policies *own)
{
    for (size_t i = 0; i < MARGAY_POLICY_MEASURES; i++)
        margay_result_clear(&own->results[i]);
    margay_result_clear(&own->result);
}

/* --------------------------------------------------------------- curves -- */

/* The points of a policy that an engine has measured.  Those of the sizes
   ascend, and some are the same in a sample. */
static void read_engine(const struct policies *own, size_t row,
                        const struct margay_series *all)
{
    const struct margay_sample *sample = &own->asked->sample;
    struct margay_misses misses = margay_misses_of(
        own->results[own->asked->base.rows.list[row].measure].histogram);
    for (size_t i = 0; i < all->count; i++) {
        uint64_t size = all->points[i].size;
        own->replay.points[row * all->count + i] = (struct margay_series_point){
            .size = size,
            .misses = margay_policies_scaled(
                sample,
                margay_misses_at(&misses,
                                 margay_policies_sampled(sample, size)),
                own->result.references)};
    }
}

/* The grid is that of a histogram of the steps. */
static enum margay_status make_curves(struct policies *own,
                                      struct margay_error *error)
{
    const struct margay_policy_rows *rows = &own->asked->base.rows;
    const struct margay_sizes sizes =
        margay_policies_sizes(own->sizes_asked, rows->simulates);
    struct margay_series all = {.count = 0};
    struct margay_series_point *points = NULL;
    enum margay_status status = MARGAY_OK;
    clear_results(own);
    for (size_t i = 0; i < MARGAY_POLICY_MEASURES && status == MARGAY_OK; i++) {
        if (own->engines[i] != NULL)
            status =
                margay_engine_peek(own->engines[i], &own->results[i], error);
    }
    if (status != MARGAY_OK)
        return status;
    count_references(own);
    if (own->references != 0) {
        status = margay_histogram_create(&own->result.histogram, error);
        if (status == MARGAY_OK)
            status = find_steps(own, own->result.histogram, error);
        if (status == MARGAY_OK)
            status = margay_result_series(&own->result, &sizes, &all, &points,
                                          error);
    }
    if (status == MARGAY_OK)
        status = margay_replay_run(&own->replay, &all, error);
    for (size_t i = 0; i < rows->count && status == MARGAY_OK; i++) {
        if (!rows->list[i].simulated)
            read_engine(own, i, &all);
    }
    free(points);
    return status;
}

/* ------------------------------------------------------- begin and end -- */

static void end_reading(struct policies *own)
{
    for (size_t i = 0; i < MARGAY_POLICY_MEASURES; i++) {
        margay_engine_free(own->engines[i]);
        own->engines[i] = NULL;
    }
}

static void policies_free(margay_analysis *analysis)
{
    struct policies *own = self(analysis);
    end_reading(own);
    clear_results(own);
    margay_replay_free(&own->replay);
    free((void *)own->sizes_asked.list_blocks);
}

static enum margay_status make_engines(struct policies *own,
                                       struct margay_error *error)
{
    const struct margay_policy_rows *rows = &own->asked->base.rows;
    bool wanted[MARGAY_POLICY_MEASURES] = {false};
    unsigned tasks = rows->simulates;
    enum margay_status status = MARGAY_OK;
    uint64_t half_life_refs = own->asked->request.half_life_refs;
    /* Sizes of a list need no distances, unless a bound may be exceeded. */
    wanted[MARGAY_REUSE_DISTANCES] =
        own->sizes_asked.kind != MARGAY_SIZES_LIST || own->bound_blocks != 0 ||
        half_life_refs != 0;
    for (size_t i = 0; i < rows->count; i++)
        wanted[rows->list[i].measure] |= !rows->list[i].simulated;
    for (size_t i = 0; i < MARGAY_POLICY_MEASURES; i++)
        tasks += wanted[i];
    struct margay_engine_options options = {
        .bound_blocks = own->bound_blocks == 0
                            ? 0
                            : margay_policies_sampled(&own->asked->sample,
                                                      own->bound_blocks),
        .seed = own->asked->request.seed,
        .threads = tasks < own->share.threads ? own->share.threads / tasks : 1,
        .chunk_refs = own->share.chunk_refs,
        .phase_refs = own->share.phase_refs,
        .half_life_refs = half_life_refs,
    };
    for (size_t i = 0; i < MARGAY_POLICY_MEASURES && status == MARGAY_OK; i++) {
        options.measure = (enum margay_measure)(
            i | (half_life_refs != 0 ? MARGAY_FADING : 0));
        if (wanted[i])
            status = margay_engine_create("exact", &options, &own->engines[i],
                                          error);
    }
    return status;
}

/* -------------------------------------------------------------- feeding -- */

/* The crew's tasks: the first number the blocks, and each other feeds an
   engine. */
static void feed_one(void *context, size_t i)
{
    struct policies *own = context;
    struct margay_error *failure = &own->failures[i];
    if (i > 0 && own->engines[i - 1] != NULL)
        failure->status =
            margay_engine_feed_sample(own->engines[i - 1], own->blocks,
                                      own->block_count, own->refs, failure);
    if (i == 0 && own->asked->base.rows.simulates)
        failure->status = margay_replay_add(
            &own->replay, own->blocks, own->kinds, own->block_count, failure);
}

/* In parts that end where pieces of counts that fade do. */
static enum margay_status policies_feed(margay_analysis *analysis,
                                        const struct margay_span *span,
                                        struct margay_error *error)
{
    struct policies *own = self(analysis);
    struct margay_replay *replay = &own->replay;
    const struct margay_sample *sample = &replay->sample;
    const size_t tasks = MARGAY_POLICY_MEASURES + 1;
    const bool all = sample->limit == UINT64_MAX;
    enum margay_status status = MARGAY_OK;
    for (size_t from = 0; from < span->count && status == MARGAY_OK;
         from += own->refs) {
        own->refs = (size_t)margay_half_life_left(
            replay->piece_refs, own->references, span->count - from);
        const struct margay_span part = margay_span_part(span, from, own->refs);
        size_t picked = 0;
        for (size_t i = 0; !all && i < part.count; i++) {
            own->picked[picked] = part.blocks[i];
            own->picked_kinds[picked] =
                part.kinds == NULL ? MARGAY_READ : part.kinds[i];
            picked += margay_sample_hash(part.blocks[i], sample->key) <=
                      sample->limit;
        }
        own->blocks = all ? part.blocks : own->picked;
        own->kinds = all ? part.kinds : own->picked_kinds;
        own->block_count = all ? part.count : picked;
        own->references += part.count;
        own->sampled += own->block_count;
        margay_crew_run(replay->crew, feed_one, own, tasks);
        status = margay_first_failure(own->failures, tasks, error);
        if (status == MARGAY_OK && replay->piece_refs != 0 &&
            own->references % replay->piece_refs == 0)
            status = margay_replay_end_piece(replay, error);
    }
    return status;
}

static enum margay_status policies_reset(margay_analysis *analysis,
                                         struct margay_error *error)
{
    struct policies *own = self(analysis);
    (void)error;
    for (size_t i = 0; i < MARGAY_POLICY_MEASURES; i++) {
        if (own->engines[i] != NULL)
            margay_engine_reset_counts(own->engines[i]);
    }
    own->references = own->sampled = 0;
    margay_replay_reset(&own->replay);
    return MARGAY_OK;
}

static enum margay_status policies_look(margay_analysis *analysis,
                                        struct margay_error *error)
{
    struct policies *own = self(analysis);
    own->replay.keeps = true;
    return make_curves(own, error);
}

static enum margay_status policies_finish(margay_analysis *analysis,
                                          struct margay_error *error)
{
    struct policies *own = self(analysis);
    enum margay_status status = make_curves(own, error);
    end_reading(own);
    margay_replay_end(&own->replay);
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
        &own->results[own->asked->base.rows.list[i].measure], NULL, &series,
        &points, error);
    series.policy = own->asked->request.policies[i];
    if (status == MARGAY_OK)
        status = take(context, &series, error);
    free(points);
    return status;
}

/* The sizes are those of the question, unless it has all. */
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
        if (exact && !own->asked->base.rows.list[i].simulated) {
            status = series_of_engine(own, i, take, context, error);
            continue;
        }
        struct margay_series series = margay_result_describe(&own->result);
        series.policy = own->asked->request.policies[i];
        series.counters = own->replay.counters;
        series.histogram = NULL; /* which is of steps */
        status =
            margay_replay_give(&own->replay, i, &series, take, context, error);
    }
    return status;
}

/* --------------------------------------------------------------- making -- */

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct policies *own = self(analysis);
    uint64_t block_bytes = analysis->pass->block_bytes;
    own->asked = (const struct policies_question *)analysis->question;
    const struct margay_policies_request *request = &own->asked->request;
    own->share = *share;
    own->replay.rows = &own->asked->base.rows;
    own->replay.sample = own->asked->sample;
    own->replay.seed = request->seed;
    own->replay.half_life_refs = request->half_life_refs;
    own->replay.counters = request->writebacks ? MARGAY_COUNTS_WRITEBACKS : 0;
    enum margay_status status =
        margay_replay_begin(&own->replay, share, request->directory, error);
    if (status == MARGAY_OK && request->bound.value != 0)
        status = margay_cache_size_blocks(
            &request->bound, "--bound", block_bytes, &own->bound_blocks, error);
    if (status == MARGAY_OK)
        status = margay_cache_sizes_resolve(request->sizes, block_bytes,
                                            &own->sizes_asked, error);
    return status == MARGAY_OK ? make_engines(own, error) : status;
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

enum margay_status margay_policies_question(
    const struct margay_policies_request *request, margay_question **question,
    struct margay_error *error)
{
    struct policies_question *made = calloc(1, sizeof *made);
    *question = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the policies");
    made->base.question = (margay_question){
        .functions = &functions,
        .free = margay_policies_question_free,
        .can = {.needs = request->writebacks ? MARGAY_COLUMN_KINDS : 0,
                .curves = true,
                .looks = true},
        .name = "the policies",
    };
    made->request = *request;
    made->sample = margay_sample_of(
        request->sample_rate == 0 ? 1 : request->sample_rate, request->seed);
    enum margay_status status =
        margay_policies_read(request->policies, request->policy_count,
                             MARGAY_CACHES_OF_BLOCKS, &made->base.rows, error);
    if (status == MARGAY_OK && request->writebacks)
        status = margay_policies_simulate(
            &made->base.rows,
            "whichever of the blocks goes that do not come again, it misses "
            "least, so that its write-backs are not one number",
            error);
    /* Simulations fill the threads of one trace; engines alone do not. */
    made->base.question.can.traces = !made->base.rows.simulates;
    if (status == MARGAY_OK)
        *question = &made->base.question;
    else
        margay_question_free(&made->base.question);
    return status;
}
