/* writebacks.c - the write-backs of each pass, behind its engine */
#include <stdlib.h>

#include "traces/traces_internal.h"
#include <margay/run.h>

struct writebacks_consumer {
    margay_consumer consumer;
    margay_writebacks *passes[MARGAY_MOST_BLOCK_SIZES]; /* NULL: none */
};

static struct writebacks_consumer *self(const margay_consumer *consumer)
{
    return (struct writebacks_consumer *)consumer;
}

static void writebacks_free(margay_consumer *consumer)
{
    for (size_t i = 0; i < MARGAY_MOST_BLOCK_SIZES; i++)
        margay_writebacks_free(self(consumer)->passes[i]);
    free(consumer);
}

static enum margay_status writebacks_begin(margay_consumer *consumer,
                                           const struct margay_pass *passes,
                                           size_t count,
                                           const struct margay_share *share,
                                           struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    (void)passes, (void)share;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = margay_writebacks_create(&self(consumer)->passes[i], error);
    return status;
}

static enum margay_status writebacks_feed(margay_consumer *consumer,
                                          const struct margay_pass *pass,
                                          const struct margay_span *span,
                                          struct margay_error *error)
{
    return margay_writebacks_feed(self(consumer)->passes[pass->index],
                                  span->blocks, span->kinds, span->distances,
                                  span->count, error);
}

static enum margay_status writebacks_reset(margay_consumer *consumer,
                                           const struct margay_pass *pass,
                                           struct margay_error *error)
{
    return margay_writebacks_reset_counts(self(consumer)->passes[pass->index],
                                          error);
}

static enum margay_status writebacks_finish(margay_consumer *consumer,
                                            const struct margay_pass *pass,
                                            struct margay_error *error)
{
    return margay_writebacks_finish(self(consumer)->passes[pass->index], error);
}

enum margay_status margay_writebacks_consumer(margay_consumer **consumer,
                                              struct margay_error *error)
{
    static const struct margay_consumer_class functions = {
        .begin = writebacks_begin,
        .feed = writebacks_feed,
        .reset = writebacks_reset,
        .finish = writebacks_finish,
        .free = writebacks_free,
    };
    struct writebacks_consumer *made = calloc(1, sizeof *made);
    *consumer = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the write-backs");
    made->consumer = (margay_consumer){
        .functions = &functions,
        .can.needs = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_DISTANCES,
        .name = "write-backs",
    };
    *consumer = &made->consumer;
    return MARGAY_OK;
}

const margay_writebacks *margay_writebacks_consumer_of(
    const margay_consumer *consumer, const struct margay_pass *pass)
{
    return self(consumer)->passes[pass->index];
}
