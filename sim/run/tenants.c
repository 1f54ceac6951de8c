/*
 * tenants.c - whose references miss in a shared cache, and in one of their own
 *
 * Algorithm: in the cache that all share, a reference hits iff its distance in
 *   the stack of all is below the size, so that its miss is its tenant's at
 *   every size: distances are attributed (attribution.c).  In a cache of its
 *   own, the distance is the one among the tenant's references alone: an engine
 *   for each (split.c).
 * Guarantee: both exact, below the bound if there is one.
 * Cost: two engines' work on each reference, and the attribution's.  Memory:
 *   that of both stacks, and about 170 KB for each tenant.
 */
#include <stdlib.h>

#include "sim/run/series.h"
#include "traces/traces_internal.h"
#include <margay/questions.h>

struct tenants_question {
    margay_question question;
    margay_question *together, *alone; /* owned */
};

struct tenants {
    margay_analysis analysis;
    margay_analysis *together; /* an engine, and the attribution */
    margay_analysis *alone;    /* an engine for each */
};

static struct tenants *self(const margay_analysis *analysis)
{
    return (struct tenants *)analysis;
}

static void tenants_free(margay_analysis *analysis)
{
    margay_analysis_free(self(analysis)->together);
    margay_analysis_free(self(analysis)->alone);
    free(analysis);
}

static enum margay_status tenants_feed(margay_analysis *analysis,
                                       const struct margay_span *span,
                                       struct margay_error *error)
{
    enum margay_status status =
        margay_analysis_feed(self(analysis)->together, span, error);
    return status == MARGAY_OK
               ? margay_analysis_feed(self(analysis)->alone, span, error)
               : status;
}

static enum margay_status tenants_reset(margay_analysis *analysis,
                                        struct margay_error *error)
{
    enum margay_status status =
        margay_analysis_reset(self(analysis)->together, error);
    return status == MARGAY_OK
               ? margay_analysis_reset(self(analysis)->alone, error)
               : status;
}

static enum margay_status tenants_finish(margay_analysis *analysis,
                                         struct margay_error *error)
{
    enum margay_status status =
        margay_analysis_finish(self(analysis)->together, error);
    return status == MARGAY_OK
               ? margay_analysis_finish(self(analysis)->alone, error)
               : status;
}

/* -------------------------------------------------------------- results -- */

/* The series of all tenants on their way to who asked: at these sizes. */
struct visit {
    const struct tenants *tenants;
    struct margay_sizes sizes;
    margay_series_take *take;
    void *context;
    /* Of one tenant: */
    uint64_t key;
    const margay_histogram *shared;
};

static enum margay_status take_alone(void *context,
                                     const struct margay_series *series,
                                     struct margay_error *error)
{
    const struct visit *visit = context;
    struct margay_series both = *series;
    struct margay_misses together = margay_misses_of(visit->shared);
    struct margay_series_point *points =
        margay_series_room(series->count, error);
    if (points == NULL)
        return MARGAY_NO_MEMORY;
    for (size_t i = 0; i < series->count; i++) {
        points[i] = series->points[i];
        points[i].shared_misses = margay_misses_at(&together, points[i].size);
    }
    both.has_key = true;
    both.key = visit->key;
    both.counters |= MARGAY_COUNTS_SHARED;
    both.points = points;
    enum margay_status status = visit->take(visit->context, &both, error);
    free(points);
    return status;
}

static enum margay_status take_shared(void *context, uint64_t key,
                                      const margay_histogram *shared,
                                      struct margay_error *error)
{
    struct visit *visit = context;
    margay_analysis *alone;
    visit->key = key;
    visit->shared = shared;
    enum margay_status status =
        margay_split_analysis_at(visit->tenants->alone, key, &alone, error);
    return status == MARGAY_OK
               ? margay_analysis_series(alone, &visit->sizes, take_alone, visit,
                                        error)
               : status;
}

/* All have the sizes of the cache that they share. */
static enum margay_status tenants_series(margay_analysis *analysis,
                                         const struct margay_sizes *sizes,
                                         margay_series_take *take,
                                         void *context,
                                         struct margay_error *error)
{
    const struct tenants *tenants = self(analysis);
    const struct margay_result *result =
        margay_engine_analysis_result(tenants->together);
    struct margay_series all;
    struct margay_series_point *points;
    enum margay_status status =
        margay_result_series(result, sizes, &all, &points, error);
    uint64_t *list = calloc(all.count + 1, sizeof *list);
    struct visit visit = {
        .tenants = tenants,
        .sizes = {MARGAY_SIZES_LIST, 0, list, all.count},
        .take = take,
        .context = context,
    };
    if (status == MARGAY_OK && list == NULL)
        status = margay_fail_memory(error, "the sizes of a curve");
    for (size_t i = 0; i < all.count && status == MARGAY_OK; i++)
        list[i] = points[i].size;
    if (status == MARGAY_OK)
        status = margay_attribution_visit(
            margay_engine_analysis_next(tenants->together), all.bound,
            take_shared, &visit, error);
    free(list);
    free(points);
    return status;
}

const struct margay_result *margay_tenants_analysis_result(
    const margay_analysis *analysis)
{
    return margay_engine_analysis_result(self(analysis)->together);
}

/* --------------------------------------------------------------- making -- */

static enum margay_status begin(const margay_question *question,
                                const struct margay_pass *passes, size_t count,
                                const struct margay_share *share,
                                margay_analysis **analysis,
                                struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .feed = tenants_feed,
        .reset = tenants_reset,
        .finish = tenants_finish,
        .free = tenants_free,
        .series = tenants_series,
    };
    const struct tenants_question *asked =
        (const struct tenants_question *)question;
    struct tenants *own = calloc(1, sizeof *own);
    if (own == NULL)
        return margay_fail_memory(error, "the tenants");
    own->analysis.functions = &functions;
    *analysis = &own->analysis;
    enum margay_status status = margay_question_begin(
        asked->together, passes, count, share, &own->together, error);
    if (status == MARGAY_OK)
        status = margay_question_begin(asked->alone, passes, count, share,
                                       &own->alone, error);
    return status;
}

static void question_free(margay_question *question)
{
    struct tenants_question *made = (struct tenants_question *)question;
    margay_question_free(made->together);
    margay_question_free(made->alone);
    free(made);
}

static enum margay_status check_engine(
    const struct margay_engine_request *engine, struct margay_error *error)
{
    struct margay_engine_abilities abilities;
    enum margay_status status =
        margay_engine_abilities(engine->spec == NULL ? "exact" : engine->spec,
                                MARGAY_REUSE_DISTANCES, &abilities, error);
    if (status == MARGAY_OK && !abilities.info->exact)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "tenants take exact distances, and engine %s is not "
                           "exact",
                           abilities.info->name);
    return status;
}

/* The sizes are for the cache of all to check. */
static enum margay_status ask_both(struct tenants_question *made,
                                   const struct margay_engine_request *engine,
                                   enum margay_attribution by,
                                   struct margay_error *error)
{
    struct margay_engine_request apart = *engine;
    margay_question *next = NULL, *inner = NULL;
    apart.sizes = NULL;
    enum margay_status status = check_engine(engine, error);
    if (status == MARGAY_OK)
        status = margay_attribution_question(by, NULL, NULL, &next, error);
    if (status == MARGAY_OK)
        status = margay_engine_question(engine, next, &made->together, error);
    if (status == MARGAY_OK)
        status = margay_engine_question(&apart, NULL, &inner, error);
    return status == MARGAY_OK
               ? margay_split_question(by, inner, &made->alone, error)
               : status;
}

enum margay_status margay_tenants_question(
    const struct margay_engine_request *engine, enum margay_attribution by,
    margay_question **question, struct margay_error *error)
{
    struct tenants_question *made = calloc(1, sizeof *made);
    *question = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the tenants");
    made->question = (margay_question){
        .begin = begin,
        .free = question_free,
        .can.curves = true,
        .name = "the tenants",
    };
    enum margay_status status = ask_both(made, engine, by, error);
    if (status != MARGAY_OK) {
        question_free(&made->question);
        return status;
    }
    made->question.can.needs =
        made->together->can.needs | made->alone->can.needs;
    *question = &made->question;
    return MARGAY_OK;
}
