/*
 * objects.h - the loop over the requests of a cache of objects
 *
 * MARGAY_OBJECT_POLICY_LOOPS() compiles it for a policy, beside the loops over
 * references to blocks, with the same calls inlined.
 */
#ifndef MARGAY_ASSOC_OBJECTS_H
#define MARGAY_ASSOC_OBJECTS_H

#include "assoc/policies/cache.h"
#include "assoc/policies/object_cache.h"

struct margay_object_cache {
    const struct margay_policy *policy;
    void *state;  /* the policy's, and */
    void *arrays; /* its arrays; NULL = none */
    uint64_t array_bytes;
    uint8_t *held;         /* [object]: 1 = it is in the cache */
    const uint64_t *sizes; /* [object] */
    uint32_t objects;
    uint64_t bytes, used_bytes;
    struct margay_object_counts counts;
};

/* Requests ahead of a request for which the prefetch is made. */
#define MARGAY_OBJECTS_AHEAD 16

static MARGAY_ALWAYS_INLINE void margay_object_cache_bring_in(
    margay_object_cache *cache, const struct margay_policy_calls *calls,
    uint32_t object, const struct margay_use *use)
{
    uint64_t bytes = cache->sizes[object];
    if (bytes > cache->bytes)
        return;
    while (bytes > cache->bytes - cache->used_bytes) {
        uint32_t evicted = calls->evict(cache->state, 0, use);
        cache->held[evicted] = 0;
        cache->used_bytes -= cache->sizes[evicted];
    }
    cache->held[object] = 1;
    cache->used_bytes += bytes;
    calls->insert(cache->state, 0, object, use);
}

static MARGAY_ALWAYS_INLINE void margay_object_cache_run(
    margay_object_cache *cache, const struct margay_policy_calls *calls,
    const uint32_t *requests, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t object = requests[i] & ~MARGAY_REQUEST_LATE;
        const struct margay_use use = {
            .block = object, .memory = object, .sized = true};
        bool held = cache->held[object] != 0;
        if (i + MARGAY_OBJECTS_AHEAD < count)
            __builtin_prefetch(
                cache->held +
                (requests[i + MARGAY_OBJECTS_AHEAD] & ~MARGAY_REQUEST_LATE));
        if (!held || (requests[i] & MARGAY_REQUEST_LATE) != 0) {
            cache->counts.misses++;
            cache->counts.missed_bytes += cache->sizes[object];
        }
        if (held)
            calls->hit(cache->state, 0, object, &use);
        else
            margay_object_cache_bring_in(cache, calls, object, &use);
    }
}

#define MARGAY_OBJECT_POLICY_LOOPS(...)                                \
    MARGAY_POLICY_LOOPS(__VA_ARGS__)                                   \
    static void feed_objects(margay_object_cache *cache,               \
                             const uint32_t *requests, size_t count)   \
    {                                                                  \
        static const struct margay_policy_calls calls = {__VA_ARGS__}; \
        margay_object_cache_run(cache, &calls, requests, count);       \
    }

#endif
