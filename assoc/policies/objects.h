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
    void *state;  /* the policy's */
    void *arrays; /* all arrays, those of the state included */
    uint64_t array_bytes;
    uint8_t *held;         /* [object]: 1 = it is in the cache */
    const uint64_t *sizes; /* [object]: those of now, */
    uint64_t *own_sizes;   /* which are these where there are notes, */
    uint64_t *expiries;    /* [object], or both are NULL */
    uint64_t time, until;  /* as the notes have it */
    uint64_t size;         /* of the next object, */
    bool has_size, stores; /* if it is noted; the next request stores */
    uint64_t bytes, used_bytes;
    struct margay_object_counts counts;
};

/* Requests ahead of a request for which the prefetch is made. */
#define MARGAY_OBJECTS_AHEAD 16

void margay_object_cache_note(margay_object_cache *cache, const uint32_t *note);

/* Do what notes say of a request.  Returns whether what is held of the object
   is valid.  Another size clears *fits: what is held then takes no room until
   margay_object_cache_fit(). */
bool margay_object_cache_heed(margay_object_cache *cache, uint32_t object,
                              bool *fits);

/* Make room for an object, and hold it.  One that is held takes no room as yet,
   and is never evicted, so that others are left as long as room is needed. */
static MARGAY_ALWAYS_INLINE void margay_object_cache_fit(
    margay_object_cache *cache, const struct margay_policy_calls *calls,
    uint32_t object, const struct margay_use *use)
{
    uint64_t bytes = cache->sizes[object];
    bool held = cache->held[object] != 0;
    if (bytes > cache->bytes) {
        if (held)
            cache->policy->remove(cache->state, 0, object);
        cache->held[object] = 0;
        return;
    }
    while (bytes > cache->bytes - cache->used_bytes) {
        uint32_t evicted = calls->evict(cache->state, 0, use);
        cache->held[evicted] = 0;
        cache->used_bytes -= cache->sizes[evicted];
    }
    cache->held[object] = 1;
    cache->used_bytes += bytes;
    if (!held)
        calls->insert(cache->state, 0, object, use);
}

static MARGAY_ALWAYS_INLINE void margay_object_cache_request(
    margay_object_cache *cache, const struct margay_policy_calls *calls,
    uint32_t object)
{
    const struct margay_use use = {
        .block = object, .memory = object, .sized = true};
    bool held = cache->held[object] != 0, valid = held, fits = held;
    if (cache->own_sizes != NULL)
        valid = margay_object_cache_heed(cache, object, &fits);
    if (!valid) {
        cache->counts.misses++;
        cache->counts.missed_bytes += cache->sizes[object];
    }
    if (held)
        calls->hit(cache->state, 0, object, &use);
    if (!fits)
        margay_object_cache_fit(cache, calls, object, &use);
}

static MARGAY_ALWAYS_INLINE size_t margay_object_cache_run(
    margay_object_cache *cache, const struct margay_policy_calls *calls,
    const uint32_t *words, size_t count)
{
    size_t i = 0;
    while (i < count) {
        if (i + MARGAY_OBJECTS_AHEAD < count)
            __builtin_prefetch(
                cache->held + (words[i + MARGAY_OBJECTS_AHEAD] & ~MARGAY_NOTE));
        if ((words[i] & MARGAY_NOTE) == 0) {
            margay_object_cache_request(cache, calls, words[i++]);
            continue;
        }
        if (count - i < MARGAY_NOTE_WORDS)
            break;
        margay_object_cache_note(cache, words + i);
        i += MARGAY_NOTE_WORDS;
    }
    return i;
}

#define MARGAY_OBJECT_POLICY_LOOPS(...)                                \
    MARGAY_POLICY_LOOPS(__VA_ARGS__)                                   \
    static size_t feed_objects(margay_object_cache *cache,             \
                               const uint32_t *words, size_t count)    \
    {                                                                  \
        static const struct margay_policy_calls calls = {__VA_ARGS__}; \
        return margay_object_cache_run(cache, &calls, words, count);   \
    }

#endif
