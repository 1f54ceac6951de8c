/*
 * engine.c - the consumer that measures reuse distances
 *
 * One engine for each pass.  What comes behind it is fed the same spans, with
 * the distances that the engine has found where they are needed.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "sim/run/consumer.h"
#include "stackdist/stackdist_internal.h"
#include "traces/traces_internal.h"

struct engine_pass {
    margay_engine *engine; /* NULL once the pass has ended, or is lent */
    uint64_t bound_blocks;
    struct margay_result result;
    uint64_t *distances; /* of a span; NULL = not wanted */
    size_t room;
};

struct engine_consumer {
    margay_consumer consumer;
    struct margay_engine_request request;
    struct margay_engine_abilities abilities;
    margay_consumer *next; /* NULL = none; owned */
    char name[96];
    struct engine_pass *passes;
    size_t pass_count;
};

static struct engine_consumer *self(const margay_consumer *consumer)
{
    return (struct engine_consumer *)consumer;
}

static struct engine_pass *pass_of(const margay_consumer *consumer,
                                   const struct margay_pass *pass)
{
    return &self(consumer)->passes[pass->index];
}

static bool wants_distances(const struct engine_consumer *made)
{
    return made->next != NULL &&
           (made->next->can.needs & MARGAY_COLUMN_DISTANCES) != 0;
}

/* ------------------------------------------------------- begin and end -- */

static void engine_free(margay_consumer *consumer)
{
    struct engine_consumer *made = self(consumer);
    for (size_t i = 0; made->passes != NULL && i < made->pass_count; i++) {
        margay_engine_free(made->passes[i].engine);
        margay_result_clear(&made->passes[i].result);
        free(made->passes[i].distances);
    }
    margay_consumer_free(made->next);
    free(made->passes);
    free(made);
}

static enum margay_status begin_pass(struct engine_consumer *made,
                                     const struct margay_pass *pass,
                                     const struct margay_share *share,
                                     struct margay_error *error)
{
    struct engine_pass *own = &made->passes[pass->index];
    const struct margay_engine_request *request = &made->request;
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
    return status;
}

static enum margay_status engine_begin(margay_consumer *consumer,
                                       const struct margay_pass *passes,
                                       size_t count,
                                       const struct margay_share *share,
                                       struct margay_error *error)
{
    struct engine_consumer *made = self(consumer);
    enum margay_status status = MARGAY_OK;
    made->passes = calloc(count, sizeof *made->passes);
    if (made->passes == NULL)
        return margay_fail_memory(error, "the analysis");
    made->pass_count = count;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = begin_pass(made, &passes[i], share, error);
    if (status == MARGAY_OK && made->next != NULL)
        status = margay_consumer_begin(made->next, passes, count, share, error);
    return status;
}

static enum margay_status engine_finish(margay_consumer *consumer,
                                        const struct margay_pass *pass,
                                        struct margay_error *error)
{
    margay_consumer *next = self(consumer)->next;
    struct engine_pass *own = pass_of(consumer, pass);
    enum margay_status status =
        margay_engine_finish(own->engine, &own->result, error);
    margay_engine_free(own->engine);
    own->engine = NULL;
    if (status == MARGAY_OK && next != NULL)
        status = margay_consumer_finish(next, pass, error);
    return status;
}

/* -------------------------------------------------------------- feeding -- */

static enum margay_status make_room(struct engine_pass *own, size_t count,
                                    struct margay_error *error)
{
    if (count <= own->room)
        return MARGAY_OK;
    uint64_t *distances =
        reallocarray(own->distances, count, sizeof *distances);
    if (distances == NULL)
        return margay_fail_memory(error, "the distances of a span");
    own->distances = distances;
    own->room = count;
    return MARGAY_OK;
}

static enum margay_status engine_feed(margay_consumer *consumer,
                                      const struct margay_pass *pass,
                                      const struct margay_span *span,
                                      struct margay_error *error)
{
    struct engine_consumer *made = self(consumer);
    struct engine_pass *own = pass_of(consumer, pass);
    enum margay_status status = MARGAY_OK;
    if (wants_distances(made))
        status = make_room(own, span->count, error);
    if (status == MARGAY_OK)
        status = margay_engine_feed(own->engine, span->blocks, span->count,
                                    own->distances, error);
    if (status == MARGAY_OK && span->repeats != 0)
        margay_engine_add_repeats(own->engine, span->repeats);
    if (status != MARGAY_OK || made->next == NULL)
        return status;
    struct margay_span forwarded = *span;
    forwarded.distances = own->distances;
    return margay_consumer_feed(made->next, pass, &forwarded, error);
}

static enum margay_status engine_reset(margay_consumer *consumer,
                                       const struct margay_pass *pass,
                                       struct margay_error *error)
{
    margay_consumer *next = self(consumer)->next;
    margay_engine_reset_counts(pass_of(consumer, pass)->engine);
    return next == NULL ? MARGAY_OK : margay_consumer_reset(next, pass, error);
}

/* ------------------------------------------------- looks before the end -- */

static enum margay_status engine_look(margay_consumer *consumer,
                                      const struct margay_pass *pass,
                                      struct margay_error *error)
{
    struct engine_pass *own = pass_of(consumer, pass);
    return margay_engine_peek(own->engine, &own->result, error);
}

static void engine_forget(margay_consumer *consumer,
                          const struct margay_pass *pass, bool counts)
{
    struct engine_pass *own = pass_of(consumer, pass);
    margay_result_clear(&own->result);
    if (counts)
        margay_engine_reset_counts(own->engine);
}

static enum margay_status engine_save(margay_consumer *consumer,
                                      const struct margay_pass *pass,
                                      struct margay_engine_state *state,
                                      struct margay_error *error)
{
    return margay_engine_export(pass_of(consumer, pass)->engine, state, error);
}

static enum margay_status engine_load(margay_consumer *consumer,
                                      const struct margay_pass *pass,
                                      const struct margay_engine_state *state,
                                      struct margay_error *error)
{
    return margay_engine_import(pass_of(consumer, pass)->engine, state, error);
}

/* --------------------------------------------------- parts and ranks -- */

static void engine_lend(margay_consumer *consumer,
                        const struct margay_pass *pass,
                        struct margay_engine_recipe *recipe)
{
    const struct margay_engine_request *request = &self(consumer)->request;
    *recipe = (struct margay_engine_recipe){
        .spec = request->spec,
        .seed = request->seed,
        .bound_blocks = pass_of(consumer, pass)->bound_blocks,
    };
}

static void engine_adopt(margay_consumer *consumer,
                         const struct margay_pass *pass,
                         struct margay_result *result)
{
    struct engine_pass *own = pass_of(consumer, pass);
    margay_result_clear(&own->result);
    own->result = *result;
    *result = (struct margay_result){.histogram = NULL};
}

/* --------------------------------------------------------------- making -- */

/* What was asked of an engine, where that is not distances. */
static const char *measure_text(enum margay_measure measure)
{
    return measure == MARGAY_REUSE_TIMES        ? " with --of time"
           : measure == MARGAY_FOOTPRINT        ? " with --model footprint"
           : measure == MARGAY_FADING_DISTANCES ? " with --half-life"
                                                : "";
}

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

static bool can(const struct engine_consumer *made, unsigned abilities)
{
    return (made->abilities.can & abilities) == abilities;
}

/* What the engine can, and what stands behind it lets it do. */
static void declare(struct engine_consumer *made)
{
    const margay_consumer *next = made->next;
    bool alone = next == NULL;
    made->consumer.can = (struct margay_abilities){
        .needs = alone ? 0 : next->can.needs & ~MARGAY_COLUMN_DISTANCES,
        .uses = alone ? 0 : next->can.uses,
        .data = !alone && next->can.data,
        .repeats = alone && can(made, MARGAY_CAN_COUNT_REPEATS),
        .passes = alone || next->can.passes,
        .traces = alone || next->can.traces,
        .parts = alone && can(made, MARGAY_CAN_TAKE_PARTS),
        .ranks = alone && can(made, MARGAY_CAN_SHARE_RANKS),
        .looks = alone && can(made, MARGAY_CAN_PEEK),
        .saves = alone && can(made, MARGAY_CAN_SAVE),
    };
    snprintf(made->name, sizeof made->name, "engine %s%s",
             made->abilities.info->name, measure_text(made->request.measure));
    made->consumer.name = made->name;
}

/* Can the request be met? */
static enum margay_status check_request(struct engine_consumer *made,
                                        struct margay_error *error)
{
    const struct margay_engine_request *request = &made->request;
    unsigned needs = request->needs |
                     (wants_distances(made) ? MARGAY_CAN_TELL_DISTANCES : 0);
    if (made->next != NULL && made->next->can.references)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: asks for references as they stand, and an "
                           "engine passes on blocks",
                           made->next->name);
    enum margay_status status = margay_engine_abilities(
        request->spec, request->measure, &made->abilities, error);
    if (status == MARGAY_OK)
        status = margay_engine_check_bound(
            &made->abilities, request->bound.value != 0 ? 1 : 0, error);
    return status == MARGAY_OK ? check_needs(&made->abilities, needs, error)
                               : status;
}

static const struct margay_consumer_class functions = {
    .begin = engine_begin,
    .feed = engine_feed,
    .reset = engine_reset,
    .finish = engine_finish,
    .free = engine_free,
    .look = engine_look,
    .forget = engine_forget,
    .save = engine_save,
    .load = engine_load,
    .lend = engine_lend,
    .adopt = engine_adopt,
};

enum margay_status margay_engine_consumer(
    const struct margay_engine_request *request, margay_consumer *next,
    margay_consumer **consumer, struct margay_error *error)
{
    struct engine_consumer *made = calloc(1, sizeof *made);
    *consumer = NULL;
    if (made == NULL) {
        margay_consumer_free(next);
        return margay_fail_memory(error, "an engine");
    }
    made->consumer.functions = &functions;
    made->request = *request;
    made->next = next;
    if (made->request.spec == NULL)
        made->request.spec = "exact";
    enum margay_status status = check_request(made, error);
    if (status != MARGAY_OK) {
        engine_free(&made->consumer);
        return status;
    }
    declare(made);
    *consumer = &made->consumer;
    return MARGAY_OK;
}

const struct margay_result *margay_engine_consumer_result(
    const margay_consumer *consumer, const struct margay_pass *pass)
{
    return &pass_of(consumer, pass)->result;
}

const struct margay_engine_abilities *margay_engine_consumer_abilities(
    const margay_consumer *consumer)
{
    return &self(consumer)->abilities;
}

margay_consumer *margay_engine_consumer_next(const margay_consumer *consumer)
{
    return self(consumer)->next;
}
