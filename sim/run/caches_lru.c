/* caches_lru.c - all LRU caches of a trace in one structure */
#include <stdlib.h>

#include "sim/run/caches.h"
#include "traces/traces_internal.h"

/* One grid for all block sizes where they can share the numbers of the trace,
   otherwise one for each. */
struct lru {
    struct margay_caches caches;
    bool shared;
    size_t grid_count;
    margay_assoc *grids[MARGAY_MOST_BLOCK_SIZES];
};

static struct lru *self(const void *consumer)
{
    return (struct lru *)consumer;
}

static void lru_free(margay_consumer *consumer)
{
    struct lru *lru = self(consumer);
    for (size_t i = 0; i < lru->grid_count; i++)
        margay_assoc_free(lru->grids[i]);
    free(lru);
}

static enum margay_status make_grid(struct lru *lru,
                                    const unsigned *block_shifts,
                                    size_t block_count,
                                    struct margay_error *error)
{
    const struct margay_caches *caches = &lru->caches;
    unsigned set_shifts[MARGAY_MOST_SET_SHIFT + 1];
    for (size_t i = 0; i < caches->request.set_count; i++)
        set_shifts[i] = margay_log2_floor(caches->sets[i]);
    const struct margay_grid grid = {
        .block_shifts = block_shifts,
        .block_count = block_count,
        .set_shifts = set_shifts,
        .set_count = caches->request.set_count,
        .most_ways = caches->most_ways,
    };
    const struct margay_assoc_options options = {
        .threads = caches->threads, .by_kind = caches->request.by_kind};
    return margay_assoc_create(&grid, &options, &lru->grids[lru->grid_count++],
                               error);
}

static enum margay_status lru_begin(margay_consumer *consumer,
                                    const struct margay_pass *passes,
                                    size_t count,
                                    const struct margay_share *share,
                                    struct margay_error *error)
{
    static const unsigned as_it_is[] = {0};
    struct lru *lru = self(consumer);
    unsigned shifts[MARGAY_MOST_BLOCK_SIZES];
    enum margay_status status = MARGAY_OK;
    margay_caches_begin(&lru->caches, passes, count, share);
    lru->shared = share->all_blocks;
    for (size_t i = 0; i < count; i++)
        shifts[i] = passes[i].shift;
    if (lru->shared)
        return make_grid(lru, shifts, count, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = make_grid(lru, as_it_is, 1, error);
    return status;
}

static enum margay_status lru_feed(margay_consumer *consumer,
                                   const struct margay_pass *pass,
                                   const struct margay_span *span,
                                   struct margay_error *error)
{
    return margay_assoc_feed(self(consumer)->grids[pass->index], span->blocks,
                             span->kinds, span->count, error);
}

static enum margay_status lru_reset(margay_consumer *consumer,
                                    const struct margay_pass *pass,
                                    struct margay_error *error)
{
    (void)error;
    margay_assoc_reset_counts(self(consumer)->grids[pass->index]);
    return MARGAY_OK;
}

static void lru_get(const struct margay_caches *caches, size_t pass, size_t set,
                    size_t way, struct margay_cache_row *row)
{
    const struct lru *lru = self(caches);
    margay_assoc *grid = lru->grids[lru->shared ? 0 : pass];
    row->references = margay_assoc_references(grid, MARGAY_ALL_KINDS);
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++)
        row->misses[kind] =
            margay_assoc_misses(grid, lru->shared ? pass : 0, set,
                                caches->ways[way], MARGAY_KIND_BIT(kind));
}

struct margay_caches *margay_caches_lru(void)
{
    static const struct margay_consumer_class functions = {
        .begin = lru_begin,
        .feed = lru_feed,
        .reset = lru_reset,
        .free = lru_free,
    };
    struct lru *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->caches.consumer.functions = &functions;
    made->caches.consumer.can.all_blocks = true;
    made->caches.get = lru_get;
    return &made->caches;
}
