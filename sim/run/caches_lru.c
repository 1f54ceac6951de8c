/* caches_lru.c - all LRU caches of a trace in one structure */
#include <stdlib.h>

#include "sim/run/caches.h"
#include "traces/traces_internal.h"

/* The grid is of all block sizes where they can share the numbers of the trace,
   otherwise of one. */
struct lru {
    margay_analysis analysis;
    bool all_blocks;
    margay_assoc *grid;
};

static struct lru *self(const margay_analysis *analysis)
{
    return (struct lru *)analysis;
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

static void lru_get(const margay_analysis *analysis,
                    const struct margay_pass *pass, size_t set, size_t way,
                    struct margay_cache_row *row)
{
    const struct lru *lru = self(analysis);
    unsigned ways = margay_caches_part_of(analysis)->ways[way];
    size_t block = lru->all_blocks ? pass->index : 0;
    row->references = margay_assoc_references(lru->grid, MARGAY_ALL_KINDS);
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++)
        row->misses[kind] = margay_assoc_misses(lru->grid, block, set, ways,
                                                MARGAY_KIND_BIT(kind));
}

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct lru *lru = self(analysis);
    const struct margay_caches_part *part = margay_caches_part_of(analysis);
    size_t count = analysis->pass_count;
    unsigned block_shifts[MARGAY_MOST_BLOCK_SIZES] = {0};
    unsigned set_shifts[MARGAY_MOST_SET_SHIFT + 1];
    lru->all_blocks = share->all_blocks;
    for (size_t i = 0; lru->all_blocks && i < count; i++)
        block_shifts[i] = analysis->pass[i].shift;
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

const struct margay_caches_way margay_caches_lru = {
    .functions = {.bytes = sizeof(struct lru),
                  .begin = begin,
                  .feed = lru_feed,
                  .reset = lru_reset,
                  .free = lru_free},
    .get = lru_get,
};
