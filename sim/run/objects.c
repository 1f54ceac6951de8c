/* objects.c - a trace of objects with sizes, behind the engine for these */
#include <stdlib.h>

#include "sim/run/consumer.h"
#include "sim/run/spans.h"
#include "traces/traces_internal.h"

struct objects_consumer {
    margay_consumer consumer;
    struct margay_objects_options options;
    margay_objects *engine;  /* made with the first references, which tell
                                whether objects expire */
    margay_consumer *next;   /* NULL = none */
    struct margay_pass pass; /* the only one, of no block size, for `next` */
    uint64_t distances[MARGAY_SPAN_REFS];
};

static struct objects_consumer *self(const margay_consumer *consumer)
{
    return (struct objects_consumer *)consumer;
}

static void objects_free(margay_consumer *consumer)
{
    margay_objects_free(self(consumer)->engine);
    margay_consumer_free(self(consumer)->next);
    free(consumer);
}

static enum margay_status objects_begin(margay_consumer *consumer,
                                        const struct margay_pass *passes,
                                        size_t count,
                                        const struct margay_share *share,
                                        struct margay_error *error)
{
    struct objects_consumer *objects = self(consumer);
    (void)count;
    objects->pass = passes[0];
    objects->pass.block_bytes = 0;
    return objects->next == NULL
               ? MARGAY_OK
               : margay_consumer_begin(objects->next, &objects->pass, 1, share,
                                       error);
}

static enum margay_status make_engine(struct objects_consumer *objects,
                                      bool have_ttls,
                                      struct margay_error *error)
{
    if (objects->engine != NULL)
        return MARGAY_OK;
    objects->options.ages |= have_ttls;
    return margay_objects_create(&objects->options, &objects->engine, error);
}

static enum margay_status objects_feed(margay_consumer *consumer,
                                       const struct margay_pass *pass,
                                       const struct margay_span *span,
                                       struct margay_error *error)
{
    (void)pass;
    struct objects_consumer *objects = self(consumer);
    const struct margay_requests requests = {
        .count = span->count,
        .objects = span->blocks,
        .sizes = span->sizes,
        .times = span->times,
        .ttls = span->ttls,
        .ops = span->ops,
    };
    bool have_ttls = span->ttls != NULL && span->times != NULL;
    enum margay_status status = make_engine(objects, have_ttls, error);
    if (status == MARGAY_OK)
        status = margay_objects_feed(
            objects->engine, &requests,
            objects->next == NULL ? NULL : objects->distances, error);
    if (status == MARGAY_BAD_INPUT && error != NULL) {
        const struct margay_error reason = *error;
        return margay_fail(error, status, "%s: %s", objects->pass.trace,
                           reason.message);
    }
    if (status != MARGAY_OK || objects->next == NULL)
        return status;
    struct margay_span measured = *span;
    measured.distances = objects->distances;
    return margay_consumer_feed(objects->next, &objects->pass, &measured,
                                error);
}

static enum margay_status objects_reset(margay_consumer *consumer,
                                        const struct margay_pass *pass,
                                        struct margay_error *error)
{
    struct objects_consumer *objects = self(consumer);
    (void)pass;
    if (objects->engine != NULL)
        margay_objects_reset_counts(objects->engine);
    return objects->next == NULL
               ? MARGAY_OK
               : margay_consumer_reset(objects->next, &objects->pass, error);
}

static enum margay_status objects_finish(margay_consumer *consumer,
                                         const struct margay_pass *pass,
                                         struct margay_error *error)
{
    struct objects_consumer *objects = self(consumer);
    (void)pass;
    enum margay_status status = make_engine(objects, false, error);
    return status != MARGAY_OK || objects->next == NULL
               ? status
               : margay_consumer_finish(objects->next, &objects->pass, error);
}

static enum margay_status objects_look(margay_consumer *consumer,
                                       const struct margay_pass *pass,
                                       struct margay_error *error)
{
    (void)pass;
    return make_engine(self(consumer), false, error);
}

static void objects_forget(margay_consumer *consumer,
                           const struct margay_pass *pass, bool counts)
{
    (void)pass;
    if (counts)
        margay_objects_reset_counts(self(consumer)->engine);
}

enum margay_status margay_objects_consumer(
    const struct margay_objects_options *options, margay_consumer *next,
    margay_consumer **consumer, struct margay_error *error)
{
    static const struct margay_consumer_class functions = {
        .begin = objects_begin,
        .feed = objects_feed,
        .reset = objects_reset,
        .finish = objects_finish,
        .look = objects_look,
        .forget = objects_forget,
        .free = objects_free,
    };
    struct objects_consumer *made = calloc(1, sizeof *made);
    *consumer = NULL;
    if (made == NULL) {
        margay_consumer_free(next);
        return margay_fail_memory(error, "a consumer of objects");
    }
    made->consumer = (margay_consumer){
        .functions = &functions,
        .can = {.needs = MARGAY_COLUMN_SIZES |
                         (options->ages ? MARGAY_COLUMN_TIMES : 0u),
                .uses = MARGAY_OBJECT_COLUMNS,
                .references = true,
                .traces = true,
                .looks = next == NULL},
        .name = "objects",
    };
    made->options = *options;
    made->next = next;
    *consumer = &made->consumer;
    return MARGAY_OK;
}

const margay_objects *margay_objects_consumer_engine(
    const margay_consumer *consumer)
{
    return self(consumer)->engine;
}

margay_consumer *margay_objects_consumer_next(const margay_consumer *consumer)
{
    return self(consumer)->next;
}
