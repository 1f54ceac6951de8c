/* objects.c - one cache of objects with sizes: creation, release and counts */
#include "assoc/policies/objects.h"

#include <stdlib.h>

#include "traces/traces_internal.h"

static enum margay_status make_design(
    const struct margay_object_cache_options *options,
    const struct margay_policy **policy, struct margay_policy_setup *setup,
    struct margay_error *error)
{
    *setup = (struct margay_policy_setup){
        .sets = 1,
        .slots = options->objects,
        .room = options->bytes,
        .sizes = options->sizes,
        .seed = options->seed,
    };
    enum margay_status status =
        margay_policy_parse(options->policy, policy, &setup->settings, error);
    if (status == MARGAY_OK && (*policy)->feed_objects == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "policy %s is not defined for objects with sizes",
                           (*policy)->info.name);
    if (status == MARGAY_OK && (options->bytes < 1 || options->objects < 1 ||
                                options->objects > MARGAY_MOST_OBJECTS))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a cache of objects: expected at least 1 byte and "
                           "up to 2^31 objects");
    return status;
}

uint64_t margay_object_cache_bytes(
    const struct margay_object_cache_options *options)
{
    const struct margay_policy *policy;
    struct margay_policy_setup setup;
    struct margay_layout count = {NULL, 0};
    if (make_design(options, &policy, &setup, NULL) != MARGAY_OK)
        return UINT64_MAX;
    void *state = calloc(1, policy->state_bytes);
    if (state == NULL)
        return UINT64_MAX;
    policy->set_up(state, &setup, &count);
    free(state);
    return count.bytes + options->objects;
}

/* The policy's state, in memory for its arrays.  Free the cache in any case. */
static bool make_state(margay_object_cache *cache,
                       const struct margay_policy_setup *setup)
{
    struct margay_layout layout = {NULL, 0};
    cache->state = calloc(1, cache->policy->state_bytes);
    cache->held = margay_map(cache->objects);
    if (cache->state == NULL || cache->held == NULL)
        return false;
    cache->policy->set_up(cache->state, setup, &layout);
    cache->array_bytes = layout.bytes;
    if (layout.bytes == 0)
        return true;
    cache->arrays = margay_map((size_t)layout.bytes);
    layout = (struct margay_layout){cache->arrays, 0};
    if (cache->arrays != NULL)
        cache->policy->set_up(cache->state, setup, &layout);
    return cache->arrays != NULL;
}

enum margay_status margay_object_cache_create(
    const struct margay_object_cache_options *options,
    margay_object_cache **cache, struct margay_error *error)
{
    const struct margay_policy *policy;
    struct margay_policy_setup setup;
    *cache = NULL;
    enum margay_status status = make_design(options, &policy, &setup, error);
    if (status != MARGAY_OK)
        return status;
    margay_object_cache *made = calloc(1, sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "a cache");
    made->policy = policy;
    made->sizes = options->sizes;
    made->objects = options->objects;
    made->bytes = options->bytes;
    if (!make_state(made, &setup)) {
        margay_object_cache_free(made);
        return margay_fail_memory(error, "a cache");
    }
    *cache = made;
    return MARGAY_OK;
}

void margay_object_cache_free(margay_object_cache *cache)
{
    if (cache == NULL)
        return;
    margay_unmap(cache->arrays, (size_t)cache->array_bytes);
    margay_unmap(cache->held, cache->objects);
    free(cache->state);
    free(cache);
}

void margay_object_cache_feed(margay_object_cache *cache,
                              const uint32_t *requests, size_t count)
{
    cache->policy->feed_objects(cache, requests, count);
}

void margay_object_cache_reset_counts(margay_object_cache *cache)
{
    cache->counts = (struct margay_object_counts){0, 0};
}

struct margay_object_counts margay_object_cache_counts(
    const margay_object_cache *cache)
{
    return cache->counts;
}
