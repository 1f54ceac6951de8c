/* caches_lru.c - all LRU caches of a trace in one structure */
#include <stdlib.h>

#include "sim/run/caches.h"
#include "traces/traces_internal.h"

/* The grid is of all block sizes where they can share the numbers of the trace,
   otherwise of one. */
struct lru {
    struct margay_caches caches;
    bool all_blocks;
    margay_assoc *grid;
};

static struct lru *self(const void *caches)
{
    return (struct lru *)caches;
}

static void lru_free(margay_analysis *analysis)
{
    margay_assoc_free(self(analysis)->grid);
    free(analysis);
}

static enum margay_status lru_feed(margay_analysis *analysis,
                                   const struct margay_span *span,
                                   struct margay_error *error)
{
    return margay_assoc_feed(self(analysis)->grid, span->blocks, span->kinds,
                             span->count, error);
}

static enum margay_status lru_reset(margay_analysis *analysis,
                                    struct margay_error *error)
{
    (void)error;
    margay_assoc_reset_counts(self(analysis)->grid);
    return MARGAY_OK;
}

static void lru_get(const struct margay_caches *caches,
                    const struct margay_pass *pass, size_t set, size_t way,
                    struct margay_cache_row *row)
{
    const struct lru *lru = self(caches);
    size_t block = lru->all_blocks ? pass->index : 0;
    row->references = margay_assoc_references(lru->grid, MARGAY_ALL_KINDS);
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++)
        row->misses[kind] =
            margay_assoc_misses(lru->grid, block, set, caches->part->ways[way],
                                MARGAY_KIND_BIT(kind));
}

static enum margay_status make_grid(struct lru *lru,
                                    const struct margay_caches_part *part,
                                    const struct margay_pass *passes,
                                    size_t count,
                                    const struct margay_share *share,
                                    struct margay_error *error)
{
    unsigned block_shifts[MARGAY_MOST_BLOCK_SIZES] = {0};
    unsigned set_shifts[MARGAY_MOST_SET_SHIFT + 1];
    for (size_t i = 0; lru->all_blocks && i < count; i++)
        block_shifts[i] = passes[i].shift;
    for (size_t i = 0; i < part->request.set_count; i++)
        set_shifts[i] = margay_log2_floor(part->sets[i]);
    const struct margay_grid grid = {
        .block_shifts = block_shifts,
        .block_count = count,
        .set_shifts = set_shifts,
        .set_count = part->request.set_count,
        .most_ways = part->most_ways,
    };
    const struct margay_assoc_options options = {
        .threads = share->threads, .by_kind = part->request.by_kind};
    return margay_assoc_create(&grid, &options, &lru->grid, error);
}

enum margay_status margay_caches_begin_lru(
    const struct margay_caches_part *part, const struct margay_pass *passes,
    size_t count, const struct margay_share *share,
    struct margay_caches **caches, struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .feed = lru_feed,
        .reset = lru_reset,
        .free = lru_free,
    };
    struct lru *lru = calloc(1, sizeof *lru);
    if (lru == NULL)
        return margay_fail_memory(error, "the caches");
    lru->caches.analysis.functions = &functions;
    lru->caches.get = lru_get;
    lru->all_blocks = share->all_blocks;
    enum margay_status status =
        make_grid(lru, part, passes, count, share, error);
    if (status == MARGAY_OK)
        *caches = &lru->caches;
    else
        lru_free(&lru->caches.analysis);
    return status;
}
