/* caches_direct.c - every cache by itself, all of them in one reading */
#include "sim/caches.h"

#include <stdlib.h>

#include "assoc/assoc_internal.h"
#include "traces/traces_internal.h"

/* What each of the caches is to be fed. */
struct portion {
    const uint64_t *blocks;
    const uint8_t *kinds;
    size_t count;
    size_t first_cache;
};

struct direct {
    const struct cache_grid *grid;
    size_t per_pass; /* caches */
    size_t cache_count;
    margay_cache **caches; /* [pass][set][ways] */
    margay_crew *crew;
    struct portion portion;
};

static void direct_free(void *state)
{
    struct direct *direct = state;
    if (direct == NULL)
        return;
    margay_crew_free(direct->crew);
    for (size_t i = 0; i < direct->cache_count; i++)
        margay_cache_free(direct->caches[i]);
    free(direct->caches);
    free(direct);
}

static enum margay_status check_room(const struct direct *direct,
                                     size_t pass_count,
                                     struct margay_error *error)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < direct->per_pass; i++)
        bytes += margay_cache_bytes(
            direct->grid->set_shifts[i / direct->grid->way_count],
            direct->grid->ways[i % direct->grid->way_count]);
    return margay_room_check("the caches", bytes * pass_count, error);
}

static enum margay_status make_caches(struct direct *direct,
                                      const struct options *options,
                                      size_t count, struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    const struct cache_grid *grid = direct->grid;
    direct->caches = calloc(count, sizeof *direct->caches);
    if (direct->caches == NULL)
        return margay_fail_memory(error, "the caches");
    while (direct->cache_count < count && status == MARGAY_OK) {
        size_t i = direct->cache_count++;
        struct margay_cache_options cache_options = {
            .set_shift =
                grid->set_shifts[i % direct->per_pass / grid->way_count],
            .ways = grid->ways[i % grid->way_count],
            .policy = options->policy.policy,
            .seed = options->seed,
            .write_through = options->write == WRITE_THROUGH,
            .no_allocate = options->allocate == WRITE_AROUND,
        };
        status = margay_cache_create(&cache_options, &direct->caches[i], error);
    }
    return status;
}

static enum margay_status direct_create(const struct caches_setup *setup,
                                        void **state,
                                        struct margay_error *error)
{
    struct direct *direct = calloc(1, sizeof *direct);
    if (direct == NULL)
        return margay_fail_memory(error, "the caches");
    direct->grid = setup->grid;
    direct->per_pass = setup->grid->set_count * setup->grid->way_count;
    enum margay_status status = check_room(direct, setup->pass_count, error);
    if (status == MARGAY_OK)
        status = make_caches(direct, setup->options,
                             setup->pass_count * direct->per_pass, error);
    if (status == MARGAY_OK)
        status =
            margay_crew_create(setup->options->threads, &direct->crew, error);
    if (status == MARGAY_OK)
        *state = direct;
    else
        direct_free(direct);
    return status;
}

static void feed_one(void *context, size_t i)
{
    const struct direct *direct = context;
    const struct portion *portion = &direct->portion;
    margay_cache_feed(direct->caches[portion->first_cache + i], portion->blocks,
                      NULL, portion->kinds, portion->count);
}

static enum margay_status direct_feed(void *state, size_t pass_index,
                                      const uint64_t *blocks,
                                      const uint8_t *kinds, size_t count,
                                      struct margay_error *error)
{
    struct direct *direct = state;
    (void)error;
    direct->portion =
        (struct portion){blocks, kinds, count, pass_index * direct->per_pass};
    margay_crew_start(direct->crew, feed_one, direct, direct->per_pass);
    margay_crew_finish(direct->crew);
    return MARGAY_OK;
}

static void direct_reset_counts(void *state)
{
    struct direct *direct = state;
    for (size_t i = 0; i < direct->cache_count; i++)
        margay_cache_reset_counts(direct->caches[i]);
}

static enum margay_status direct_finish(void *state, struct margay_error *error)
{
    (void)state, (void)error;
    return MARGAY_OK;
}

static void direct_get(void *state, size_t pass_index, size_t set_index,
                       size_t way_index, struct cache_row *row)
{
    const struct direct *direct = state;
    size_t i = pass_index * direct->per_pass +
               set_index * direct->grid->way_count + way_index;
    const struct margay_cache_counts *counts =
        margay_cache_counts(direct->caches[i]);
    row->references = 0;
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++) {
        row->references += counts->references[kind];
        row->misses[kind] = counts->misses[kind];
    }
    row->writebacks = counts->writebacks;
    row->blocks_fetched = counts->blocks_fetched;
    row->blocks_written = counts->blocks_written;
}

const struct caches_class caches_direct = {
    .create = direct_create,
    .feed = direct_feed,
    .reset_counts = direct_reset_counts,
    .finish = direct_finish,
    .get = direct_get,
    .free_state = direct_free,
};
