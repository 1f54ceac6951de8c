/*
 * tenants.c - whose references miss in a shared cache, and in one of their own
 *
 * Algorithm: in the cache that all share, a reference hits iff its distance in
 *   the stack of all is below the size, so that its miss is its tenant's at
 *   every size: distances are attributed (attribution.c).  In a cache of its
 *   own, the distance is the one among the tenant's references alone: each
 *   tenant has an engine, made when the tenant is first met, and a span is
 *   sorted by tenants, stably, before the engines are fed.
 * Guarantee: both exact, below the bound if there is one.
 * Cost: two engines' work on each reference, and the attribution's.  Memory:
 *   that of both stacks, and about 170 KB for each tenant.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "sim/run/consumer.h"
#include "sim/run/keys.h"
#include "sim/run/spans.h"
#include "traces/traces_internal.h"

/* A tenant without the others. */
struct alone {
    margay_engine *engine; /* NULL once the pass has finished */
    struct margay_result result;
    size_t in_span; /* its references in the span that is being sorted, */
    size_t end;     /* and where they end among those of all, once sorted */
};

struct tenants_pass {
    uint64_t bound_blocks;
    struct margay_keys keys;
    struct alone *list; /* by the number of the key */
    size_t count, capacity;
    /* The tenants of a span in the order of their first references, and its
       blocks, which are sorted into the order of tenants. */
    uint32_t met[MARGAY_SPAN_REFS], numbers[MARGAY_SPAN_REFS];
    uint64_t blocks[MARGAY_SPAN_REFS];
};

struct tenants {
    margay_consumer consumer;
    margay_consumer *attribution; /* owned */
    struct margay_engine_request engine;
    enum margay_attribution by;
    struct tenants_pass *passes[MARGAY_MOST_BLOCK_SIZES]; /* NULL: none */
};

static struct tenants *self(const margay_consumer *consumer)
{
    return (struct tenants *)consumer;
}

static void free_pass(struct tenants_pass *pass)
{
    if (pass == NULL)
        return;
    for (size_t i = 0; i < pass->count; i++) {
        margay_engine_free(pass->list[i].engine);
        margay_result_clear(&pass->list[i].result);
    }
    margay_keys_clear(&pass->keys);
    free(pass->list);
    free(pass);
}

static void tenants_free(margay_consumer *consumer)
{
    for (size_t i = 0; i < MARGAY_MOST_BLOCK_SIZES; i++)
        free_pass(self(consumer)->passes[i]);
    margay_consumer_free(self(consumer)->attribution);
    free(consumer);
}

static enum margay_status begin_pass(struct tenants *made,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct tenants_pass *own = calloc(1, sizeof *own);
    made->passes[pass->index] = own;
    if (own == NULL)
        return margay_fail_memory(error, "the tenants");
    enum margay_status status = margay_keys_begin(&own->keys, error);
    if (status == MARGAY_OK && made->engine.bound.value != 0)
        status = margay_cache_size_blocks(&made->engine.bound, "--bound",
                                          pass->block_bytes, &own->bound_blocks,
                                          error);
    return status;
}

static enum margay_status tenants_begin(margay_consumer *consumer,
                                        const struct margay_pass *passes,
                                        size_t count,
                                        const struct margay_share *share,
                                        struct margay_error *error)
{
    struct tenants *made = self(consumer);
    enum margay_status status =
        margay_consumer_begin(made->attribution, passes, count, share, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = begin_pass(made, &passes[i], error);
    return status;
}

/* -------------------------------------------------------------- feeding -- */

/* An engine for the tenant that was met last. */
static enum margay_status add_tenant(const struct tenants *made,
                                     struct tenants_pass *own,
                                     struct margay_error *error)
{
    const struct margay_engine_options options = {
        .bound_blocks = own->bound_blocks,
        .seed = made->engine.seed,
        .threads = 1,
        .measure = MARGAY_REUSE_DISTANCES,
    };
    struct alone *list =
        margay_grow(own->list, own->count, &own->capacity, sizeof *list);
    if (list == NULL)
        return margay_fail_memory(error, "the tenants");
    own->list = list;
    list[own->count] = (struct alone){.engine = NULL};
    return margay_engine_create(made->engine.spec, &options,
                                &list[own->count++].engine, error);
}

/* Find the tenants of a span, and how many references each has there. */
static enum margay_status count_references(const struct tenants *made,
                                           struct tenants_pass *own,
                                           const struct margay_span *span,
                                           size_t *met,
                                           struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    *met = 0;
    for (size_t i = 0; i < span->count && status == MARGAY_OK; i++) {
        uint64_t key =
            made->by == MARGAY_BY_THREAD ? span->threads[i] : span->tenants[i];
        uint32_t *number = &own->numbers[i];
        status = margay_keys_number(&own->keys, key, number, error);
        if (status == MARGAY_OK && *number == own->count)
            status = add_tenant(made, own, error);
        if (status == MARGAY_OK && own->list[*number].in_span++ == 0)
            own->met[(*met)++] = *number;
    }
    return status;
}

static void sort_blocks(struct tenants_pass *own,
                        const struct margay_span *span, size_t met)
{
    size_t from = 0;
    for (size_t k = 0; k < met; k++) {
        struct alone *alone = &own->list[own->met[k]];
        alone->end = from;
        from += alone->in_span;
    }
    for (size_t i = 0; i < span->count; i++)
        own->blocks[own->list[own->numbers[i]].end++] = span->blocks[i];
}

static enum margay_status feed_engines(struct tenants_pass *own, size_t met,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t k = 0; k < met && status == MARGAY_OK; k++) {
        struct alone *alone = &own->list[own->met[k]];
        status = margay_engine_feed(alone->engine,
                                    own->blocks + alone->end - alone->in_span,
                                    alone->in_span, NULL, error);
        alone->in_span = 0;
    }
    return status;
}

static enum margay_status tenants_feed(margay_consumer *consumer,
                                       const struct margay_pass *pass,
                                       const struct margay_span *span,
                                       struct margay_error *error)
{
    struct tenants *made = self(consumer);
    struct tenants_pass *own = made->passes[pass->index];
    size_t met;
    enum margay_status status =
        margay_consumer_feed(made->attribution, pass, span, error);
    if (status == MARGAY_OK)
        status = count_references(made, own, span, &met, error);
    if (status != MARGAY_OK)
        return status;
    sort_blocks(own, span, met);
    return feed_engines(own, met, error);
}

static enum margay_status tenants_reset(margay_consumer *consumer,
                                        const struct margay_pass *pass,
                                        struct margay_error *error)
{
    struct tenants_pass *own = self(consumer)->passes[pass->index];
    for (size_t i = 0; i < own->count; i++)
        margay_engine_reset_counts(own->list[i].engine);
    return margay_consumer_reset(self(consumer)->attribution, pass, error);
}

static enum margay_status tenants_finish(margay_consumer *consumer,
                                         const struct margay_pass *pass,
                                         struct margay_error *error)
{
    struct tenants_pass *own = self(consumer)->passes[pass->index];
    enum margay_status status =
        margay_consumer_finish(self(consumer)->attribution, pass, error);
    for (size_t i = 0; i < own->count && status == MARGAY_OK; i++) {
        struct alone *alone = &own->list[i];
        status = margay_engine_finish(alone->engine, &alone->result, error);
        margay_engine_free(alone->engine);
        alone->engine = NULL;
    }
    return status;
}

/* ------------------------------------------------------------- visiting -- */

struct visit {
    struct tenants_pass *own;
    margay_tenants_take *take;
    void *context;
};

static enum margay_status take_shared(void *context, uint64_t key,
                                      const margay_histogram *shared,
                                      struct margay_error *error)
{
    struct visit *visit = context;
    uint32_t number;
    enum margay_status status =
        margay_keys_number(&visit->own->keys, key, &number, error);
    return status == MARGAY_OK
               ? visit->take(visit->context, key, shared,
                             &visit->own->list[number].result, error)
               : status;
}

enum margay_status margay_tenants_visit(const margay_consumer *consumer,
                                        const struct margay_pass *pass,
                                        uint64_t bound_blocks,
                                        margay_tenants_take *take,
                                        void *context,
                                        struct margay_error *error)
{
    struct visit visit = {self(consumer)->passes[pass->index], take, context};
    return margay_attribution_visit(self(consumer)->attribution, pass,
                                    bound_blocks, take_shared, &visit, error);
}

/* --------------------------------------------------------------- making -- */

static enum margay_status check_engine(
    const struct margay_engine_request *engine, struct margay_error *error)
{
    struct margay_engine_abilities abilities;
    enum margay_status status = margay_engine_abilities(
        engine->spec, MARGAY_REUSE_DISTANCES, &abilities, error);
    if (status == MARGAY_OK && !abilities.info->exact)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "tenants take exact distances, and engine %s is not "
                           "exact",
                           abilities.info->name);
    return status;
}

enum margay_status margay_tenants_consumer(
    const struct margay_engine_request *engine, enum margay_attribution by,
    margay_consumer **consumer, struct margay_error *error)
{
    static const struct margay_consumer_class functions = {
        .begin = tenants_begin,
        .feed = tenants_feed,
        .reset = tenants_reset,
        .finish = tenants_finish,
        .free = tenants_free,
    };
    struct tenants *made = calloc(1, sizeof *made);
    *consumer = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the tenants");
    made->consumer = (margay_consumer){
        .functions = &functions,
        .name = "the tenants",
    };
    made->engine = *engine;
    if (made->engine.spec == NULL)
        made->engine.spec = "exact";
    made->by = by;
    enum margay_status status = check_engine(&made->engine, error);
    if (status == MARGAY_OK)
        status = margay_attribution_consumer(by, NULL, NULL, &made->attribution,
                                             error);
    if (status != MARGAY_OK) {
        tenants_free(&made->consumer);
        return status;
    }
    made->consumer.can = made->attribution->can;
    *consumer = &made->consumer;
    return MARGAY_OK;
}
