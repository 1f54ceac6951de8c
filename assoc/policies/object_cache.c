/* object_cache.c - one cache of objects: creation, release, notes and counts */
#include "assoc/policies/cache.h"

#include <stdlib.h>
#include <string.h>

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

/* Lay out all arrays; the state is not touched otherwise. */
static void lay_out(const struct margay_object_cache_options *options,
                    struct margay_policy_setup *setup,
                    margay_object_cache *cache, struct margay_layout *layout)
{
    uint64_t bytes = options->objects * sizeof(uint64_t);
    cache->held = margay_lay_out(layout, options->objects);
    if (options->noted) {
        cache->expiries = margay_lay_out(layout, bytes);
        cache->own_sizes = margay_lay_out(layout, bytes);
    }
    if (cache->own_sizes != NULL)
        setup->sizes = cache->own_sizes;
    cache->policy->set_up(cache->state, setup, layout);
}

uint64_t margay_object_cache_bytes(
    const struct margay_object_cache_options *options)
{
    margay_object_cache cache = {.policy = NULL};
    struct margay_policy_setup setup;
    struct margay_layout count = {NULL, 0};
    if (make_design(options, &cache.policy, &setup, NULL) != MARGAY_OK)
        return UINT64_MAX;
    cache.state = calloc(1, cache.policy->state_bytes);
    if (cache.state == NULL)
        return UINT64_MAX;
    lay_out(options, &setup, &cache, &count);
    free(cache.state);
    return count.bytes;
}

/* The policy's state, and memory for all arrays.  Free the cache in any case.
 */
static bool make_state(const struct margay_object_cache_options *options,
                       struct margay_policy_setup *setup,
                       margay_object_cache *cache)
{
    struct margay_layout layout = {NULL, 0};
    cache->state = calloc(1, cache->policy->state_bytes);
    if (cache->state == NULL)
        return false;
    lay_out(options, setup, cache, &layout);
    cache->array_bytes = layout.bytes;
    cache->arrays = margay_map((size_t)layout.bytes);
    if (cache->arrays == NULL)
        return false;
    layout = (struct margay_layout){cache->arrays, 0};
    lay_out(options, setup, cache, &layout);
    if (cache->own_sizes != NULL)
        memcpy(cache->own_sizes, options->sizes,
               options->objects * sizeof *options->sizes);
    cache->sizes = setup->sizes;
    return true;
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
    made->bytes = options->bytes;
    if (!make_state(options, &setup, made)) {
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
    free(cache->state);
    free(cache);
}

/* ------------------------------------------------------------- requests -- */

void margay_object_cache_note(margay_object_cache *cache, const uint32_t *note)
{
    uint64_t value = note[1] | (uint64_t)note[2] << 32;
    if (note[0] == MARGAY_NOTE_SIZE) {
        cache->size = value;
        cache->has_size = true;
    } else if (note[0] == MARGAY_NOTE_TIME) {
        cache->time = value;
    } else {
        cache->until = value;
        cache->stores = note[0] == MARGAY_NOTE_STORE;
    }
}

bool margay_object_cache_heed(margay_object_cache *cache, uint32_t object,
                              bool *fits)
{
    bool held = cache->held[object] != 0;
    bool valid = held && cache->time <= cache->expiries[object];
    if (!valid || cache->stores)
        cache->expiries[object] = cache->until;
    cache->stores = false;
    if (!cache->has_size)
        return valid;
    if (held)
        cache->used_bytes -= cache->sizes[object];
    if (cache->policy->resize != NULL)
        cache->policy->resize(cache->state, object, cache->size);
    cache->own_sizes[object] = cache->size;
    cache->has_size = *fits = false;
    return valid;
}

size_t margay_object_cache_feed(margay_object_cache *cache,
                                const uint32_t *words, size_t count)
{
    return cache->policy->feed_objects(cache, words, count);
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
