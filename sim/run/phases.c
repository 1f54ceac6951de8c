/* phases.c - the phases of each pass */
#include <stdlib.h>

#include "traces/traces_internal.h"
#include <margay/run.h>

struct phases_consumer {
    margay_consumer consumer;
    margay_phases *passes[MARGAY_MOST_BLOCK_SIZES]; /* NULL: none */
};

static struct phases_consumer *self(const margay_consumer *consumer)
{
    return (struct phases_consumer *)consumer;
}

static void phases_free(margay_consumer *consumer)
{
    for (size_t i = 0; i < MARGAY_MOST_BLOCK_SIZES; i++)
        margay_phases_free(self(consumer)->passes[i]);
    free(consumer);
}

static enum margay_status phases_begin(margay_consumer *consumer,
                                       const struct margay_pass *passes,
                                       size_t count,
                                       const struct margay_share *share,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    (void)passes;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = margay_phases_create(share->threads,
                                      &self(consumer)->passes[i], error);
    return status;
}

static enum margay_status phases_feed(margay_consumer *consumer,
                                      const struct margay_pass *pass,
                                      const struct margay_span *span,
                                      struct margay_error *error)
{
    return margay_phases_feed(self(consumer)->passes[pass->index], span->blocks,
                              span->count, error);
}

static enum margay_status phases_finish(margay_consumer *consumer,
                                        const struct margay_pass *pass,
                                        struct margay_error *error)
{
    return margay_phases_finish(self(consumer)->passes[pass->index], error);
}

enum margay_status margay_phases_consumer(margay_consumer **consumer,
                                          struct margay_error *error)
{
    static const struct margay_consumer_class functions = {
        .begin = phases_begin,
        .feed = phases_feed,
        .finish = phases_finish,
        .free = phases_free,
    };
    struct phases_consumer *made = calloc(1, sizeof *made);
    *consumer = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "a consumer of phases");
    made->consumer = (margay_consumer){
        .functions = &functions,
        .can = {.passes = true, .traces = true},
        .name = "phases",
    };
    *consumer = &made->consumer;
    return MARGAY_OK;
}

const margay_phases *margay_phases_consumer_of(const margay_consumer *consumer,
                                               const struct margay_pass *pass)
{
    return self(consumer)->passes[pass->index];
}
