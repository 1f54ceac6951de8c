/*
 * cache.c - one cache of any policy
 *
 * The tests hold every other simulation of caches against this one, and this
 * one against the lists and loops of tests/assoc/test_policies.c.
 */
#include "assoc/policies/cache.h"

#include <inttypes.h>
#include <stdlib.h>

#include "traces/traces_internal.h"

/* The policy of the options, and the setup of its state. */
static enum margay_status read_options(
    const struct margay_cache_options *options,
    const struct margay_policy **policy, struct margay_policy_setup *setup,
    struct margay_error *error)
{
    const char *spec = options->policy == NULL ? "lru" : options->policy;
    *setup =
        (struct margay_policy_setup){.sets = UINT64_C(1) << options->set_shift,
                                     .ways = options->ways,
                                     .seed = options->seed};
    enum margay_status status =
        margay_policy_parse(spec, policy, &setup->settings, error);
    if (status != MARGAY_OK)
        return status;
    if (((*policy)->info.abilities & MARGAY_POLICY_POWERS_OF_TWO) != 0 &&
        !margay_is_power_of_two(options->ways))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: %" PRIu32 " ways (expected a power of two)",
                           (*policy)->info.name, options->ways);
    return MARGAY_OK;
}

static enum margay_status check_size(const struct margay_cache_options *options,
                                     struct margay_error *error)
{
    if (options->set_shift > MARGAY_MOST_SET_SHIFT || options->ways < 1)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a cache of 2^%u sets of %" PRIu32
                           " way%s (expected at most 2^%d sets and at least "
                           "1 way)",
                           options->set_shift, options->ways,
                           margay_plural(options->ways, "s"),
                           MARGAY_MOST_SET_SHIFT);
    if ((uint64_t)options->ways << options->set_shift > MARGAY_MOST_SLOTS)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a cache of 2^%u sets of %" PRIu32
                           " ways (expected at most %" PRIu64 " blocks)",
                           options->set_shift, options->ways,
                           MARGAY_MOST_SLOTS);
    if (options->dense_blocks && options->set_shift != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a cache of 2^%u sets of dense blocks (expected one "
                           "set)",
                           options->set_shift);
    return MARGAY_OK;
}

/* How the cache finds its blocks. */
static enum margay_form form_of(const struct margay_cache_options *options)
{
    return options->dense_blocks ? MARGAY_FORM_DENSE
                                 : margay_finder_form(options->ways);
}

static size_t dirty_bytes(const struct margay_cache_options *options)
{
    return (((size_t)options->ways << options->set_shift) + 7) / 8;
}

uint64_t margay_cache_bytes(const struct margay_cache_options *options)
{
    const struct margay_policy *policy;
    struct margay_policy_setup setup;
    if (check_size(options, NULL) != MARGAY_OK ||
        read_options(options, &policy, &setup, NULL) != MARGAY_OK)
        return UINT64_MAX;
    return margay_finder_bytes(form_of(options), options->set_shift,
                               options->ways) +
           policy->bytes(setup.sets, setup.ways) + dirty_bytes(options);
}

/* Fill a zeroed cache.  Free it in any case. */
static enum margay_status make_parts(margay_cache *cache,
                                     const struct margay_cache_options *options,
                                     struct margay_error *error)
{
    const struct margay_policy *policy;
    struct margay_policy_setup setup;
    enum margay_status status = read_options(options, &policy, &setup, error);
    cache->write_through = options->write_through;
    cache->no_allocate = options->no_allocate;
    if (status == MARGAY_OK)
        status = margay_finder_create(&cache->finder, form_of(options),
                                      options->set_shift, options->ways, error);
    if (status == MARGAY_OK)
        status = policy->create(&setup, &cache->state, error);
    if (status != MARGAY_OK)
        return status;
    cache->policy = policy;
    cache->dirty_bytes = dirty_bytes(options);
    cache->dirty = margay_map(cache->dirty_bytes);
    return cache->dirty != NULL ? MARGAY_OK
                                : margay_fail_memory(error, "a cache");
}

enum margay_status margay_cache_create(
    const struct margay_cache_options *options, margay_cache **result,
    struct margay_error *error)
{
    *result = NULL;
    enum margay_status status = check_size(options, error);
    if (status != MARGAY_OK)
        return status;
    margay_cache *cache = calloc(1, sizeof *cache);
    if (cache == NULL)
        return margay_fail_memory(error, "a cache");
    status = make_parts(cache, options, error);
    if (status == MARGAY_OK)
        *result = cache;
    else
        margay_cache_free(cache);
    return status;
}

void margay_cache_free(margay_cache *cache)
{
    if (cache == NULL)
        return;
    if (cache->policy != NULL)
        cache->policy->free_state(cache->state);
    margay_finder_destroy(&cache->finder);
    margay_unmap(cache->dirty, cache->dirty_bytes);
    free(cache);
}

enum margay_status margay_cache_reserve(margay_cache *cache, uint64_t blocks,
                                        struct margay_error *error)
{
    return cache->finder.form == MARGAY_FORM_DENSE
               ? margay_finder_reserve(&cache->finder, blocks, error)
               : MARGAY_OK;
}

static void count_references(uint64_t *references, const uint8_t *kinds,
                             size_t count)
{
    uint64_t writes = 0, fetches = 0;
    for (size_t i = 0; kinds != NULL && i < count; i++) {
        writes += kinds[i] == MARGAY_WRITE;
        fetches += kinds[i] == MARGAY_FETCH;
    }
    references[MARGAY_READ] += count - writes - fetches;
    references[MARGAY_WRITE] += writes;
    references[MARGAY_FETCH] += fetches;
}

void margay_cache_feed(margay_cache *cache, const uint64_t *blocks,
                       const uint64_t *next_uses, const uint8_t *kinds,
                       size_t count)
{
    const struct margay_uses uses = {blocks, next_uses, kinds, count};
    count_references(cache->counts.references, kinds, count);
    cache->policy->feed[cache->finder.form](cache, &uses);
}

void margay_cache_feed_through(margay_cache *cache, const uint64_t *blocks,
                               const uint64_t *next_uses, const uint8_t *kinds,
                               size_t count, struct margay_traffic *traffic)
{
    traffic->count = 0;
    cache->traffic = traffic;
    margay_cache_feed(cache, blocks, next_uses, kinds, count);
    cache->traffic = NULL;
}

void margay_cache_reset_counts(margay_cache *cache)
{
    cache->counts = (struct margay_cache_counts){0};
}

const struct margay_cache_counts *margay_cache_counts(const margay_cache *cache)
{
    return &cache->counts;
}
