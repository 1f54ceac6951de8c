/*
 * engine.c - the question of reuse distances, and that of tenants, two of these
 *
 * Each pass has an engine.  The analysis of a further question is fed the same
 * spans, with the distances that the engine has found where they are needed.
 * Where that one has series, they are those of the engine, at the sizes of its
 * own curve.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "sim/run/series.h"
#include "stackdist/stackdist_internal.h"
#include <margay/questions.h>

struct engine_question {
    margay_question question;
    struct margay_engine_request request;
    struct margay_engine_abilities abilities;
    char name[96];
};

struct engine_analysis {
    margay_analysis analysis;
    const struct engine_question *asked;
    margay_engine *engine; /* NULL once the pass has ended, or is lent */
    uint64_t bound_blocks;
    struct margay_result result;
    margay_writebacks *writebacks; /* NULL = not wanted */
    margay_histogram *shared;      /* of the spans' distances; NULL likewise */
    uint64_t *distances;           /* of a span; NULL = not wanted */
    size_t room;
};

static struct engine_analysis *self(const margay_analysis *analysis)
{
    return (struct engine_analysis *)analysis;
}

static bool wants_distances(const struct engine_question *asked)
{
    return asked->request.writebacks ||
           (asked->question.next != NULL &&
            (asked->question.next->can.needs & MARGAY_COLUMN_DISTANCES) != 0);
}

/* ------------------------------------------------------- begin and end -- */

static void engine_free(margay_analysis *analysis)
{
    struct engine_analysis *own = self(analysis);
    margay_engine_free(own->engine);
    margay_result_clear(&own->result);
    margay_writebacks_free(own->writebacks);
    margay_histogram_free(own->shared);
    free(own->distances);
}

static enum margay_status make_engine(struct engine_analysis *own,
                                      const struct margay_pass *pass,
                                      const struct margay_share *share,
                                      struct margay_error *error)
{
    const struct margay_engine_request *request = &own->asked->request;
    struct margay_engine_options options = {
        .seed = request->seed,
        .threads = share->threads,
        .measure = request->measure,
        .half_life_refs = request->half_life_refs,
        .chunk_refs = share->chunk_refs,
        .phase_refs = share->phase_refs,
    };
    enum margay_status status = MARGAY_OK;
    if (request->bound.value != 0)
        status = margay_cache_size_blocks(&request->bound, "--bound",
                                          pass->block_bytes, &own->bound_blocks,
                                          error);
    options.bound_blocks = own->bound_blocks;
    if (status == MARGAY_OK && !share->lends)
        status =
            margay_engine_create(request->spec, &options, &own->engine, error);
    if (status == MARGAY_OK && request->writebacks)
        status = margay_writebacks_create(&own->writebacks, error);
    return status == MARGAY_OK && request->shared
               ? margay_histogram_create(&own->shared, error)
               : status;
}

/* Keep the result of the engine, by a function for now or for the end. */
static enum margay_status take_result(
    struct engine_analysis *own,
    enum margay_status (*take)(margay_engine *engine,
                               struct margay_result *result,
                               struct margay_error *error),
    struct margay_error *error)
{
    margay_result_clear(&own->result);
    enum margay_status status = take(own->engine, &own->result, error);
    return status == MARGAY_OK && own->writebacks != NULL
               ? margay_writebacks_settle(own->writebacks, error)
               : status;
}

static enum margay_status engine_finish(margay_analysis *analysis,
                                        struct margay_error *error)
{
    struct engine_analysis *own = self(analysis);
    enum margay_status status = take_result(own, margay_engine_finish, error);
    margay_engine_free(own->engine);
    own->engine = NULL;
    return status;
}

/* -------------------------------------------------------------- feeding -- */

static enum margay_status engine_feed(margay_analysis *analysis,
                                      const struct margay_span *span,
                                      struct margay_error *error)
{
    struct engine_analysis *own = self(analysis);
    if (wants_distances(own->asked) && span->count > own->room) {
        uint64_t *distances =
            reallocarray(own->distances, span->count, sizeof *distances);
        if (distances == NULL)
            return margay_fail_memory(error, "the distances of a span");
        own->distances = distances;
        own->room = span->count;
    }
    enum margay_status status = own->engine->class->feed(
        own->engine->state, span->blocks, span->count, own->distances, error);
    if (status == MARGAY_OK && own->writebacks != NULL)
        status =
            margay_writebacks_feed(own->writebacks, span->blocks, span->kinds,
                                   own->distances, span->count, error);
    /* The distances in the cache that others use, too. */
    for (size_t i = 0;
         own->shared != NULL && i < span->count && status == MARGAY_OK; i++)
        status =
            margay_histogram_add(own->shared, span->distances[i], 1, error);
    if (status != MARGAY_OK || analysis->next == NULL)
        return status;
    struct margay_span forwarded = *span;
    forwarded.distances = own->distances;
    return margay_analysis_feed(analysis->next, &forwarded, error);
}

static enum margay_status engine_reset(margay_analysis *analysis,
                                       struct margay_error *error)
{
    struct engine_analysis *own = self(analysis);
    margay_engine_reset_counts(own->engine);
    if (own->shared != NULL)
        margay_histogram_clear(own->shared);
    return own->writebacks == NULL
               ? MARGAY_OK
               : margay_writebacks_reset_counts(own->writebacks, error);
}

/* ------------------------------------------------- looks before the end -- */

static enum margay_status engine_look(margay_analysis *analysis,
                                      struct margay_error *error)
{
    return take_result(self(analysis), margay_engine_peek, error);
}

static enum margay_status engine_save(margay_analysis *analysis,
                                      struct margay_engine_state *state,
                                      struct margay_error *error)
{
    return margay_engine_export(self(analysis)->engine, state, error);
}

static enum margay_status engine_load(margay_analysis *analysis,
                                      const struct margay_engine_state *state,
                                      struct margay_error *error)
{
    return margay_engine_import(self(analysis)->engine, state, error);
}

/* -------------------------------------------------------------- results -- */

static enum margay_status add_writebacks(const struct engine_analysis *own,
                                         struct margay_series *series,
                                         struct margay_series_point *points,
                                         struct margay_error *error)
{
    uint64_t *counts = margay_series_sizes(series, error);
    if (counts == NULL)
        return MARGAY_NO_MEMORY;
    margay_writebacks_curve(own->writebacks, counts, series->count, counts);
    for (size_t i = 0; i < series->count; i++)
        points[i].writebacks = counts[i];
    series->counters |= MARGAY_COUNTS_WRITEBACKS;
    free(counts);
    return MARGAY_OK;
}

/* The series of the further question, at the sizes of this curve. */
static enum margay_status series_of_next(const struct engine_analysis *own,
                                         const struct margay_series *series,
                                         margay_series_take *take,
                                         void *context,
                                         struct margay_error *error)
{
    uint64_t *list = margay_series_sizes(series, error);
    const struct margay_sizes sizes = {.kind = MARGAY_SIZES_LIST,
                                       .list_blocks = list,
                                       .list_count = series->count};
    if (list == NULL)
        return MARGAY_NO_MEMORY;
    enum margay_status status = margay_analysis_series(
        own->analysis.next, &sizes, take, context, error);
    free(list);
    return status;
}

static enum margay_status engine_series(margay_analysis *analysis,
                                        const struct margay_sizes *sizes,
                                        margay_series_take *take, void *context,
                                        struct margay_error *error)
{
    struct engine_analysis *own = self(analysis);
    margay_analysis *next = analysis->next;
    bool forwards = next != NULL && next->question->can.curves;
    struct margay_series series;
    struct margay_series_point *points;
    if (forwards && sizes == NULL)
        return margay_analysis_series(next, NULL, take, context, error);
    enum margay_status status =
        margay_result_series(&own->result, sizes, &series, &points, error);
    if (status == MARGAY_OK && own->writebacks != NULL)
        status = add_writebacks(own, &series, points, error);
    if (status == MARGAY_OK && own->shared != NULL) {
        struct margay_misses misses = margay_misses_of(own->shared);
        for (size_t i = 0; i < series.count; i++)
            points[i].shared_misses = margay_misses_at(&misses, points[i].size);
        series.counters |= MARGAY_COUNTS_SHARED;
    }
    if (status == MARGAY_OK)
        status = forwards ? series_of_next(own, &series, take, context, error)
                          : take(context, &series, error);
    free(points);
    return status;
}

const struct margay_result *margay_engine_analysis_result(
    const margay_analysis *analysis)
{
    return &self(analysis)->result;
}

/* --------------------------------------------------- parts and ranks -- */

static void engine_lend(margay_analysis *analysis,
                        struct margay_engine_recipe *recipe)
{
    const struct engine_analysis *own = self(analysis);
    *recipe = (struct margay_engine_recipe){
        .spec = own->asked->request.spec,
        .seed = own->asked->request.seed,
        .bound_blocks = own->bound_blocks,
    };
}

static void engine_adopt(margay_analysis *analysis,
                         struct margay_result *result)
{
    struct engine_analysis *own = self(analysis);
    margay_result_clear(&own->result);
    own->result = *result;
    *result = (struct margay_result){.histogram = NULL};
}

/* --------------------------------------------------------------- making -- */

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct engine_analysis *own = self(analysis);
    const struct margay_cache_sizes *asked;
    struct margay_sizes sizes;
    own->asked = (const struct engine_question *)analysis->question;
    asked = own->asked->request.sizes;
    enum margay_status status = make_engine(own, analysis->pass, share, error);
    if (status != MARGAY_OK || asked == NULL)
        return status;
    /* A wrong size fails before the trace is read, which may take hours. */
    status = margay_cache_sizes_resolve(asked, analysis->pass->block_bytes,
                                        &sizes, error);
    if (status != MARGAY_OK)
        return status;
    status = margay_engine_check_sizes(&own->asked->abilities, &sizes, error);
    free((void *)sizes.list_blocks);
    return status;
}

static const struct margay_analysis_class functions = {
    .bytes = sizeof(struct engine_analysis),
    .begin = begin,
    .feed = engine_feed,
    .reset = engine_reset,
    .finish = engine_finish,
    .free = engine_free,
    .look = engine_look,
    .save = engine_save,
    .load = engine_load,
    .series = engine_series,
    .lend = engine_lend,
    .adopt = engine_adopt,
};

static enum margay_status check_needs(
    const struct margay_engine_abilities *engine, unsigned needs,
    struct margay_error *error)
{
    unsigned lacks = needs & ~engine->can;
    if (lacks == 0)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       lacks & MARGAY_CAN_GIVE_HISTOGRAM
                           ? "engine %s gives a miss curve only, no histogram "
                             "(exact gives both)"
                           : "engine %s does not know the distance of a single "
                             "reference (exact does)",
                       engine->info->name);
}

static bool can(const struct engine_question *asked, unsigned abilities)
{
    return (asked->abilities.can & abilities) == abilities;
}

/* The abilities of the engine, restricted by the further question. */
static void declare(struct engine_question *asked)
{
    const margay_question *next = asked->question.next;
    enum margay_measure measure = asked->request.measure;
    bool alone =
        next == NULL && !asked->request.writebacks && !asked->request.shared;
    asked->question.can = (struct margay_abilities){
        .needs =
            (next == NULL ? 0 : next->can.needs & ~MARGAY_COLUMN_DISTANCES) |
            (asked->request.writebacks ? MARGAY_COLUMN_KINDS : 0) |
            (asked->request.shared ? MARGAY_COLUMN_DISTANCES : 0),
        .uses = next == NULL ? 0 : next->can.uses,
        .data = next != NULL && next->can.data,
        .passes = next == NULL || next->can.passes,
        .traces = next == NULL || next->can.traces,
        .parts = alone && can(asked, MARGAY_CAN_TAKE_PARTS),
        .ranks = alone && can(asked, MARGAY_CAN_SHARE_RANKS),
        .curves = true,
        .looks =
            (next == NULL || next->can.looks) && can(asked, MARGAY_CAN_PEEK),
        .saves = alone && can(asked, MARGAY_CAN_SAVE),
    };
    snprintf(asked->name, sizeof asked->name, "engine %s%s",
             asked->abilities.info->name,
             measure == MARGAY_REUSE_TIMES ? " with --of time"
             : measure == MARGAY_FOOTPRINT ? " with --model footprint"
             : measure & MARGAY_FADING     ? " with --half-life"
                                           : "");
    asked->question.name = asked->name;
}

/* Can the request be met? */
static enum margay_status check_request(struct engine_question *asked,
                                        struct margay_error *error)
{
    const struct margay_engine_request *request = &asked->request;
    unsigned needs = request->needs |
                     (wants_distances(asked) ? MARGAY_CAN_TELL_DISTANCES : 0);
    if (asked->question.next != NULL && asked->question.next->can.references)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: asks for references as they stand, and an "
                           "engine passes on blocks",
                           asked->question.next->name);
    enum margay_status status = margay_engine_abilities(
        request->spec, request->measure, &asked->abilities, error);
    if (status == MARGAY_OK)
        status = margay_engine_check_bound(
            &asked->abilities, request->bound.value != 0 ? 1 : 0, error);
    if (status == MARGAY_OK)
        status = check_needs(&asked->abilities, needs, error);
    if (status != MARGAY_OK || !request->writebacks)
        return status;
    if (request->measure & MARGAY_FADING)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--half-life does not go with --writebacks, unless "
                           "--policy lru simulates them");
    /* Write-backs follow from exact distances alone, however large. */
    if (request->bound.value != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--writebacks has to know all distances (leave out "
                           "--bound)");
    if (!asked->abilities.info->exact)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--writebacks: engine %s is not exact",
                           asked->abilities.info->name);
    return MARGAY_OK;
}

enum margay_status margay_engine_question(
    const struct margay_engine_request *request, margay_question *next,
    margay_question **question, struct margay_error *error)
{
    struct engine_question *made = calloc(1, sizeof *made);
    *question = NULL;
    if (made == NULL) {
        margay_question_free(next);
        return margay_fail_memory(error, "an engine");
    }
    made->question = (margay_question){.functions = &functions, .next = next};
    made->request = *request;
    if (made->request.spec == NULL)
        made->request.spec = "exact";
    enum margay_status status = check_request(made, error);
    if (status != MARGAY_OK) {
        margay_question_free(&made->question);
        return status;
    }
    declare(made);
    *question = &made->question;
    return MARGAY_OK;
}

/* -------------------------------------------------------------- tenants -- */

/*
 * The misses of tenants in a shared cache, and in caches of their own
 *
 * Algorithm: in the cache that all share, a reference hits iff its distance in
 *   the stack of all is below the size, so that its miss is its tenant's at
 *   every size.  So an engine hands its distances on to the engines of the
 *   tenants (split.c), each of which counts these next to those of its own.
 * Guarantee: both exact, below the bound if there is one.
 * Cost: two engines' work on each reference.  Memory: that of both stacks, and
 *   about 170 KB for each tenant.
 *
 * The sizes are for the cache of all to check.
 */
enum margay_status margay_tenants_question(
    const struct margay_engine_request *engine, enum margay_attribution by,
    margay_question **question, struct margay_error *error)
{
    struct margay_engine_request together = *engine, alone = *engine;
    struct margay_engine_abilities abilities;
    margay_question *inner = NULL, *next = NULL;
    together.writebacks = false;
    alone.sizes = NULL;
    alone.shared = true;
    *question = NULL;
    enum margay_status status =
        margay_engine_abilities(engine->spec == NULL ? "exact" : engine->spec,
                                MARGAY_REUSE_DISTANCES, &abilities, error);
    if (status == MARGAY_OK && !abilities.info->exact)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "tenants take exact distances, and engine %s is not "
                           "exact",
                           abilities.info->name);
    if (status == MARGAY_OK)
        status = margay_engine_question(&alone, NULL, &inner, error);
    if (status == MARGAY_OK)
        status = margay_split_question(by, inner, &next, error);
    return status == MARGAY_OK
               ? margay_engine_question(&together, next, question, error)
               : status;
}
