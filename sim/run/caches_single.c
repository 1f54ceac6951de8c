/* caches_single.c - every cache by itself, all of them in one reading */
#include <stdlib.h>

#include "sim/run/caches.h"
#include "traces/traces_internal.h"

struct single {
    struct margay_caches caches;
    size_t cache_count;
    margay_cache **each; /* [pass][set][ways] */
    margay_crew *crew;
    /* What the crew feeds: a span, to the caches from this one on. */
    const struct margay_span *span;
    size_t first;
};

static struct single *self(const void *consumer)
{
    return (struct single *)consumer;
}

static void single_free(margay_consumer *consumer)
{
    struct single *single = self(consumer);
    margay_crew_free(single->crew);
    for (size_t i = 0; i < single->cache_count; i++)
        margay_cache_free(single->each[i]);
    free(single->each);
    free(single);
}

static enum margay_status make_cache(struct single *single, size_t i,
                                     struct margay_error *error)
{
    const struct margay_cache_options options = margay_caches_options(
        &single->caches, i % margay_caches_per_pass(&single->caches));
    return margay_cache_create(&options, &single->each[i], error);
}

static enum margay_status single_begin(margay_consumer *consumer,
                                       const struct margay_pass *passes,
                                       size_t count,
                                       const struct margay_share *share,
                                       struct margay_error *error)
{
    struct single *single = self(consumer);
    size_t all = count * margay_caches_per_pass(&single->caches);
    margay_caches_begin(&single->caches, passes, count, share);
    enum margay_status status =
        margay_caches_check_room(&single->caches, error);
    if (status != MARGAY_OK)
        return status;
    single->each = calloc(all, sizeof *single->each);
    if (single->each == NULL)
        return margay_fail_memory(error, "the caches");
    while (single->cache_count < all && status == MARGAY_OK)
        status = make_cache(single, single->cache_count++, error);
    return status == MARGAY_OK
               ? margay_crew_create(share->threads, &single->crew, error)
               : status;
}

static void feed_one(void *context, size_t i)
{
    const struct single *single = context;
    const struct margay_span *span = single->span;
    margay_cache_tell_sites(single->each[single->first + i], span->sites);
    margay_cache_feed(single->each[single->first + i], span->blocks, NULL,
                      span->kinds, span->count);
}

static enum margay_status single_feed(margay_consumer *consumer,
                                      const struct margay_pass *pass,
                                      const struct margay_span *span,
                                      struct margay_error *error)
{
    struct single *single = self(consumer);
    size_t count = margay_caches_per_pass(&single->caches);
    (void)error;
    single->span = span;
    single->first = pass->index * count;
    margay_crew_start(single->crew, feed_one, single, count);
    margay_crew_finish(single->crew);
    return MARGAY_OK;
}

static enum margay_status single_reset(margay_consumer *consumer,
                                       const struct margay_pass *pass,
                                       struct margay_error *error)
{
    struct single *single = self(consumer);
    size_t count = margay_caches_per_pass(&single->caches);
    (void)error;
    for (size_t i = 0; i < count; i++)
        margay_cache_reset_counts(single->each[pass->index * count + i]);
    return MARGAY_OK;
}

static void single_get(const struct margay_caches *caches, size_t pass,
                       size_t set, size_t way, struct margay_cache_row *row)
{
    size_t i = pass * margay_caches_per_pass(caches) +
               set * caches->request.way_count + way;
    const struct margay_cache_counts *counts =
        margay_cache_counts(self(caches)->each[i]);
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++) {
        row->references += counts->references[kind];
        row->misses[kind] = counts->misses[kind];
    }
    row->writebacks = counts->writebacks;
    row->blocks_fetched = counts->blocks_fetched;
    row->blocks_written = counts->blocks_written;
}

struct margay_caches *margay_caches_single(void)
{
    static const struct margay_consumer_class functions = {
        .begin = single_begin,
        .feed = single_feed,
        .reset = single_reset,
        .free = single_free,
    };
    struct single *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->caches.consumer.functions = &functions;
    made->caches.get = single_get;
    return &made->caches;
}
