/*
 * policies_curves.c - the sizes of the curves, and their points
 *
 * With a sample of rate R, a cache of C blocks is one of C R blocks of the
 * sample, at least 1, and a miss there stands for 1 / R misses.  The references
 * are counted whole: where the sample has more or fewer than its share of them,
 * the difference is one of hits, as it comes from blocks that are referenced
 * very often.
 */
#define _GNU_SOURCE
#include "sim/run/policies.h"

#include <stdlib.h>

static uint64_t scaled(const struct margay_policies *policies, uint64_t count)
{
    return margay_policies_scaled(&policies->asked->sample, count, UINT64_MAX);
}

static uint64_t scaled_refs(const struct margay_policies *policies,
                            uint64_t count)
{
    return margay_policies_scaled(&policies->asked->sample, count,
                                  policies->references);
}

/* ------------------------------------------------- what engines have found --
 */

static enum margay_status look_at_engines(struct margay_policies *policies,
                                          struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0;
         i <= policies->asked->request.policy_count && status == MARGAY_OK;
         i++) {
        struct margay_policy_engine *engine = &policies->engines[i];
        if (engine->engine != NULL)
            status = margay_engine_peek(engine->engine, &engine->result, error);
    }
    return status;
}

/* The result of LRU, or else of another engine; NULL = there is none. */
static const struct margay_result *any_result(
    const struct margay_policies *policies)
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
static void count_references(struct margay_policies *policies)
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
static enum margay_status add_step(const struct margay_policies *policies,
                                   margay_histogram *steps, uint64_t distance,
                                   struct margay_error *error)
{
    return margay_histogram_add(steps, scaled(policies, distance + 1) - 1, 1,
                                error);
}

static enum margay_status add_steps(const struct margay_policies *policies,
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
static enum margay_status find_steps(const struct margay_policies *policies,
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

void margay_policies_clear_curves(struct margay_policies *policies)
{
    for (size_t i = 0; policies->engines != NULL &&
                       i <= policies->asked->request.policy_count;
         i++)
        margay_result_clear(&policies->engines[i].result);
    margay_result_clear(&policies->result);
    free(policies->sizes);
    free(policies->sampled);
    free(policies->places);
    free(policies->misses);
    free(policies->points);
    free(policies->point_counts);
    policies->sizes = policies->sampled = policies->misses = NULL;
    policies->places = policies->point_counts = NULL;
    policies->points = NULL;
    policies->size_count = policies->sampled_count = 0;
}

static enum margay_status make_room(struct margay_policies *own, size_t sizes,
                                    struct margay_error *error)
{
    size_t policies = own->asked->request.policy_count;
    own->sizes = calloc(sizes, sizeof *own->sizes);
    own->sampled = calloc(sizes, sizeof *own->sampled);
    own->places = calloc(sizes, sizeof *own->places);
    own->misses = calloc(policies * sizes, sizeof *own->misses);
    own->points = calloc(policies * sizes, sizeof *own->points);
    own->point_counts = calloc(policies, sizeof *own->point_counts);
    return own->sizes == NULL || own->sampled == NULL || own->places == NULL ||
                   own->misses == NULL || own->points == NULL ||
                   own->point_counts == NULL
               ? margay_fail_memory(error, "the curves")
               : MARGAY_OK;
}

static void keep_sizes(struct margay_policies *policies,
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
static enum margay_status make_sizes(struct margay_policies *policies,
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

static enum margay_status read_engine(const struct margay_policies *policies,
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
        policies->misses[policy * policies->sampled_count + i] =
            points[i].misses;
    free(points);
    return MARGAY_OK;
}

static void make_points(struct margay_policies *policies, size_t policy)
{
    const uint64_t *misses =
        policies->misses + policy * policies->sampled_count;
    struct margay_series_point *points =
        policies->points + policy * policies->size_count;
    for (size_t i = 0; i < policies->size_count; i++) {
        if (misses[policies->places[i]] != MARGAY_NOT_SIMULATED)
            points[policies->point_counts[policy]++] =
                (struct margay_series_point){
                    .size = policies->sizes[i],
                    .misses =
                        scaled_refs(policies, misses[policies->places[i]]),
                };
    }
}

static enum margay_status replay(const struct margay_policies *policies,
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
        .misses = policies->misses,
    };
    return margay_policies_replay(&replay, error);
}

enum margay_status margay_policies_make_curves(struct margay_policies *policies,
                                               struct margay_kept_caches *kept,
                                               struct margay_error *error)
{
    size_t count = policies->asked->request.policy_count;
    margay_policies_clear_curves(policies);
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
