/* caches_lru.c - all LRU caches at once */
#include "sim/caches.h"

#include <stdlib.h>

#include "traces/traces_internal.h"

/*
 * One object for all block sizes where they can share the numbers of the
 * trace, otherwise one for each.
 */
struct lru {
    const struct cache_grid *grid;
    bool shared; /* the only object is that of all block sizes */
    size_t object_count;
    margay_assoc *objects[];
};

static void lru_free(void *state)
{
    struct lru *lru = state;
    for (size_t i = 0; lru != NULL && i < lru->object_count; i++)
        margay_assoc_free(lru->objects[i]);
    free(lru);
}

static enum margay_status make_object(struct lru *lru,
                                      const struct options *options,
                                      const unsigned *block_shifts,
                                      size_t block_count,
                                      struct margay_error *error)
{
    struct margay_grid grid = {
        .block_shifts = block_shifts,
        .block_count = block_count,
        .set_shifts = lru->grid->set_shifts,
        .set_count = lru->grid->set_count,
        .most_ways = lru->grid->most_ways,
    };
    struct margay_assoc_options assoc_options = {.threads = options->threads,
                                                 .by_kind = options->by_kind};
    return margay_assoc_create(&grid, &assoc_options,
                               &lru->objects[lru->object_count++], error);
}

static enum margay_status lru_create(const struct caches_setup *setup,
                                     void **state, struct margay_error *error)
{
    static const unsigned as_it_is[] = {0};
    struct lru *lru =
        calloc(1, sizeof *lru + setup->pass_count * sizeof *lru->objects);
    enum margay_status status = MARGAY_OK;
    if (lru == NULL)
        return margay_fail_memory(error, "the caches");
    lru->grid = setup->grid;
    lru->shared = setup->numbers;
    if (lru->shared)
        status = make_object(lru, setup->options, setup->shifts,
                             setup->pass_count, error);
    for (size_t i = 0;
         !lru->shared && i < setup->pass_count && status == MARGAY_OK; i++)
        status = make_object(lru, setup->options, as_it_is, 1, error);
    if (status == MARGAY_OK)
        *state = lru;
    else
        lru_free(lru);
    return status;
}

static enum margay_status lru_feed(void *state, size_t pass_index,
                                   const uint64_t *blocks, const uint8_t *kinds,
                                   size_t count, struct margay_error *error)
{
    struct lru *lru = state;
    return margay_assoc_feed(lru->objects[pass_index], blocks, kinds, count,
                             error);
}

static void lru_reset_counts(void *state)
{
    struct lru *lru = state;
    for (size_t i = 0; i < lru->object_count; i++)
        margay_assoc_reset_counts(lru->objects[i]);
}

static enum margay_status lru_finish(void *state, struct margay_error *error)
{
    (void)state, (void)error;
    return MARGAY_OK;
}

static void lru_get(void *state, size_t pass_index, size_t set_index,
                    size_t way_index, struct cache_row *row)
{
    struct lru *lru = state;
    margay_assoc *object = lru->objects[lru->shared ? 0 : pass_index];
    row->references = margay_assoc_references(object, MARGAY_ALL_KINDS);
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++)
        row->misses[kind] = margay_assoc_misses(
            object, lru->shared ? pass_index : 0, set_index,
            lru->grid->ways[way_index], MARGAY_KIND_BIT(kind));
}

const struct caches_class caches_lru = {
    .takes_numbers = true,
    .create = lru_create,
    .feed = lru_feed,
    .reset_counts = lru_reset_counts,
    .finish = lru_finish,
    .get = lru_get,
    .free_state = lru_free,
};
