/*
 * filter.c - a cache before another consumer
 *
 * One cache for each pass; what it asks of what is behind it, misses and
 * writes, is what the next consumer is fed.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>

#include "sim/run/consumer.h"
#include "traces/traces_internal.h"

struct filter_pass {
    margay_cache *cache;
    struct margay_traffic traffic;
    size_t room;        /* for traffic */
    uint64_t passed_on; /* references, so far */
};

struct filter {
    margay_consumer consumer;
    struct margay_filter_request request;
    margay_consumer *next; /* owned */
    struct filter_pass *passes;
    size_t pass_count;
};

static struct filter *self(const margay_consumer *consumer)
{
    return (struct filter *)consumer;
}

static void filter_free(margay_consumer *consumer)
{
    struct filter *filter = self(consumer);
    for (size_t i = 0; filter->passes != NULL && i < filter->pass_count; i++) {
        margay_cache_free(filter->passes[i].cache);
        free(filter->passes[i].traffic.blocks);
        free(filter->passes[i].traffic.kinds);
    }
    margay_consumer_free(filter->next);
    free(filter->passes);
    free(filter);
}

/* The sets and ways that a capacity comes to. */
static enum margay_status divide_capacity(
    const struct margay_filter_request *request, uint64_t block_bytes,
    struct margay_cache_options *cache, struct margay_error *error)
{
    uint64_t blocks;
    if (request->capacity.value == 0)
        return MARGAY_OK;
    enum margay_status status = margay_cache_size_blocks(
        &request->capacity, "--bytes", block_bytes, &blocks, error);
    if (status != MARGAY_OK)
        return status;
    if (blocks > MARGAY_MOST_SLOTS)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--bytes: a cache of %" PRIu64
                           " blocks (expected at most %" PRIu64 ")",
                           blocks, MARGAY_MOST_SLOTS);
    if (cache->ways == 0)
        cache->ways = (uint32_t)blocks;
    if (blocks % cache->ways != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--bytes: %" PRIu64 " block%s in sets of %" PRIu32
                           " (expected a whole number of sets)",
                           blocks, margay_plural(blocks, "s"), cache->ways);
    cache->sets = blocks / cache->ways;
    return MARGAY_OK;
}

static enum margay_status make_cache(const struct filter *filter,
                                     const struct margay_pass *pass,
                                     margay_cache **cache,
                                     struct margay_error *error)
{
    struct margay_cache_options options = filter->request.cache;
    enum margay_status status =
        divide_capacity(&filter->request, pass->block_bytes, &options, error);
    return status == MARGAY_OK ? margay_cache_create(&options, cache, error)
                               : status;
}

static enum margay_status filter_begin(margay_consumer *consumer,
                                       const struct margay_pass *passes,
                                       size_t count,
                                       const struct margay_share *share,
                                       struct margay_error *error)
{
    struct filter *filter = self(consumer);
    enum margay_status status = MARGAY_OK;
    filter->passes = calloc(count, sizeof *filter->passes);
    if (filter->passes == NULL)
        return margay_fail_memory(error, "the caches");
    filter->pass_count = count;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status =
            make_cache(filter, &passes[i], &filter->passes[i].cache, error);
    return status == MARGAY_OK ? margay_consumer_begin(filter->next, passes,
                                                       count, share, error)
                               : status;
}

static enum margay_status make_room(struct filter_pass *own, size_t count,
                                    struct margay_error *error)
{
    struct margay_traffic *traffic = &own->traffic;
    if (count <= own->room)
        return MARGAY_OK;
    uint64_t *blocks =
        reallocarray(traffic->blocks, count, sizeof *traffic->blocks);
    if (blocks != NULL)
        traffic->blocks = blocks;
    uint8_t *kinds = realloc(traffic->kinds, count);
    if (kinds != NULL)
        traffic->kinds = kinds;
    if (blocks == NULL || kinds == NULL)
        return margay_fail_memory(error, "what a cache passes on");
    own->room = count;
    return MARGAY_OK;
}

static enum margay_status filter_feed(margay_consumer *consumer,
                                      const struct margay_pass *pass,
                                      const struct margay_span *span,
                                      struct margay_error *error)
{
    struct filter *filter = self(consumer);
    struct filter_pass *own = &filter->passes[pass->index];
    enum margay_status status =
        make_room(own, MARGAY_MOST_TRAFFIC * span->count, error);
    if (status != MARGAY_OK)
        return status;
    margay_cache_tell_sites(own->cache, span->sites);
    margay_cache_feed_through(own->cache, span->blocks, NULL, span->kinds,
                              span->count, &own->traffic);
    const struct margay_span passed = {
        .count = own->traffic.count,
        .blocks = own->traffic.blocks,
        .kinds = own->traffic.kinds,
        .first_index = own->passed_on,
        .warmup = span->warmup,
    };
    own->passed_on += passed.count;
    return passed.count == 0
               ? MARGAY_OK
               : margay_consumer_feed(filter->next, pass, &passed, error);
}

static enum margay_status filter_reset(margay_consumer *consumer,
                                       const struct margay_pass *pass,
                                       struct margay_error *error)
{
    struct filter *filter = self(consumer);
    margay_cache_reset_counts(filter->passes[pass->index].cache);
    return margay_consumer_reset(filter->next, pass, error);
}

static enum margay_status filter_finish(margay_consumer *consumer,
                                        const struct margay_pass *pass,
                                        struct margay_error *error)
{
    return margay_consumer_finish(self(consumer)->next, pass, error);
}

/* What it passes on has blocks and kinds. */
static enum margay_status check_next(const margay_consumer *next,
                                     struct margay_error *error)
{
    if ((next->can.needs & ~MARGAY_COLUMN_KINDS) != 0 || next->can.references)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: asks for more than the blocks and kinds that "
                           "a cache passes on",
                           next->name);
    return MARGAY_OK;
}

enum margay_status margay_filter_consumer(
    const struct margay_filter_request *request, margay_consumer *next,
    margay_consumer **consumer, struct margay_error *error)
{
    static const struct margay_consumer_class functions = {
        .begin = filter_begin,
        .feed = filter_feed,
        .reset = filter_reset,
        .finish = filter_finish,
        .free = filter_free,
    };
    const struct margay_policy_info *policy;
    *consumer = NULL;
    struct filter *made = calloc(1, sizeof *made);
    enum margay_status status = made == NULL
                                    ? margay_fail_memory(error, "a cache")
                                    : check_next(next, error);
    if (status == MARGAY_OK)
        status = margay_policy_find(
            request->cache.policy == NULL ? "lru" : request->cache.policy,
            &policy, error);
    if (status != MARGAY_OK) {
        free(made);
        margay_consumer_free(next);
        return status;
    }
    made->consumer = (margay_consumer){
        .functions = &functions,
        /* A trace without kinds would pass for one without writes. */
        .can = {.needs = next->can.needs |
                         (policy->abilities & MARGAY_POLICY_NEEDS_SITES
                              ? MARGAY_COLUMN_SITES
                              : 0),
                .uses = MARGAY_COLUMN_KINDS,
                .passes = next->can.passes,
                .traces = next->can.traces},
        .name = "a cache",
    };
    made->request = *request;
    made->next = next;
    *consumer = &made->consumer;
    return MARGAY_OK;
}

const struct margay_cache_counts *margay_filter_consumer_counts(
    const margay_consumer *consumer, const struct margay_pass *pass)
{
    return margay_cache_counts(self(consumer)->passes[pass->index].cache);
}

margay_consumer *margay_filter_consumer_next(const margay_consumer *consumer)
{
    return self(consumer)->next;
}
