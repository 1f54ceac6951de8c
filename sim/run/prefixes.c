/* prefixes.c - requests of several blocks, and what beginnings of them hit */
#include <stdlib.h>

#include "sim/run/consumer.h"
#include "traces/traces_internal.h"

struct prefixes_pass {
    margay_prefixes *prefixes;
    struct margay_prefixes_result result;
};

struct prefixes_consumer {
    margay_consumer consumer;
    struct margay_engine_request engine;
    enum margay_touch touch;
    struct prefixes_pass passes[MARGAY_MOST_BLOCK_SIZES];
};

static struct prefixes_pass *pass_of(const margay_consumer *consumer,
                                     const struct margay_pass *pass)
{
    return &((struct prefixes_consumer *)consumer)->passes[pass->index];
}

static void prefixes_free(margay_consumer *consumer)
{
    struct prefixes_consumer *made = (struct prefixes_consumer *)consumer;
    for (size_t i = 0; i < MARGAY_MOST_BLOCK_SIZES; i++) {
        margay_prefixes_free(made->passes[i].prefixes);
        margay_prefixes_result_clear(&made->passes[i].result);
    }
    free(made);
}

static enum margay_status begin_pass(struct prefixes_consumer *made,
                                     const struct margay_pass *pass,
                                     const struct margay_share *share,
                                     struct margay_error *error)
{
    struct margay_prefixes_options options = {
        .engine = made->engine.spec,
        .engine_options = {.seed = made->engine.seed,
                           .threads = share->threads,
                           .chunk_refs = share->chunk_refs,
                           .phase_refs = share->phase_refs},
        .touch = made->touch,
    };
    enum margay_status status = MARGAY_OK;
    if (made->engine.bound.value != 0)
        status = margay_cache_size_blocks(
            &made->engine.bound, "--bound", pass->block_bytes,
            &options.engine_options.bound_blocks, error);
    return status == MARGAY_OK
               ? margay_prefixes_create(
                     &options, &made->passes[pass->index].prefixes, error)
               : status;
}

static enum margay_status prefixes_begin(margay_consumer *consumer,
                                         const struct margay_pass *passes,
                                         size_t count,
                                         const struct margay_share *share,
                                         struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = begin_pass((struct prefixes_consumer *)consumer, &passes[i],
                            share, error);
    return status;
}

static enum margay_status prefixes_feed(margay_consumer *consumer,
                                        const struct margay_pass *pass,
                                        const struct margay_span *span,
                                        struct margay_error *error)
{
    return margay_prefixes_feed(pass_of(consumer, pass)->prefixes, span->blocks,
                                span->requests, span->count, error);
}

static enum margay_status prefixes_reset(margay_consumer *consumer,
                                         const struct margay_pass *pass,
                                         struct margay_error *error)
{
    (void)error;
    margay_prefixes_reset_counts(pass_of(consumer, pass)->prefixes);
    return MARGAY_OK;
}

static enum margay_status prefixes_finish(margay_consumer *consumer,
                                          const struct margay_pass *pass,
                                          struct margay_error *error)
{
    struct prefixes_pass *own = pass_of(consumer, pass);
    return margay_prefixes_finish(own->prefixes, &own->result, error);
}

enum margay_status margay_prefixes_consumer(
    const struct margay_engine_request *engine, enum margay_touch touch,
    margay_consumer **consumer, struct margay_error *error)
{
    static const struct margay_consumer_class functions = {
        .begin = prefixes_begin,
        .feed = prefixes_feed,
        .reset = prefixes_reset,
        .finish = prefixes_finish,
        .free = prefixes_free,
    };
    struct prefixes_consumer *made = calloc(1, sizeof *made);
    *consumer = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "a consumer of requests");
    made->consumer = (margay_consumer){
        .functions = &functions,
        .can = {.needs = MARGAY_COLUMN_REQUESTS,
                .passes = true,
                .traces = true},
        .name = "requests",
    };
    made->engine = *engine;
    if (made->engine.spec == NULL)
        made->engine.spec = "exact";
    made->touch = touch;
    *consumer = &made->consumer;
    return MARGAY_OK;
}

const struct margay_prefixes_result *margay_prefixes_consumer_result(
    const margay_consumer *consumer, const struct margay_pass *pass)
{
    return &pass_of(consumer, pass)->result;
}
