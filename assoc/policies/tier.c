/*
 * tier.c - memory before a cache of objects, such as a flash device
 *
 * Algorithm: `tier=BYTES` among the parameters of a policy.  Requested objects
 *   come into the memory; the least recently used one makes room, and is then
 *   offered to the cache: it comes in by the rules of the policy and its
 *   admission, unless the cache has it already.  A request that the memory hits
 *   does not reach the cache.  One that only the cache hits is a use of the
 *   object there, and brings a copy of it into the memory.  An object larger
 *   than the memory is offered at once.  Where an object is stored anew, by a
 *   set, with another size, or as it had expired, the cache loses its copy,
 *   until the object is offered again.  An expired object is not offered.
 *
 * Source: Berg et al., "The CacheLib caching engine", OSDI 2020, for the order
 *   of the two.
 *
 * Cost: 8 bytes for each object; 4 more where there are costs.
 */
#include "assoc/policies/cache.h"

/* A request that the memory passes on: it counts as written only. */
static void pass_on(margay_object_cache *cache, uint32_t object)
{
    struct margay_object_counts counts = cache->counts;
    uint64_t cost = cache->cost;
    if (cache->tier.costs.list != NULL)
        cache->cost = margay_amount(&cache->tier.costs, object);
    cache->policy->feed_objects(cache, &object, 1);
    counts.written_bytes = cache->counts.written_bytes;
    cache->counts = counts;
    cache->cost = cost;
}

static void offer(margay_object_cache *cache, uint32_t object)
{
    if (!margay_object_cache_holds(cache, object) &&
        !margay_object_cache_expired(cache, object))
        pass_on(cache, object);
}

void margay_tier_drop(margay_object_cache *cache, uint32_t object)
{
    struct margay_tier *tier = &cache->tier;
    if (tier->bytes == 0 || !margay_order_has(&tier->order, 0, object))
        return;
    margay_order_remove(&tier->order, 0, 0, object);
    tier->used_bytes -= margay_amount(&cache->sizes, object);
}

static void put(margay_object_cache *cache, uint32_t object)
{
    struct margay_tier *tier = &cache->tier;
    uint64_t bytes = margay_amount(&cache->sizes, object);
    if (bytes > tier->bytes) {
        offer(cache, object);
        return;
    }
    while (bytes > tier->bytes - tier->used_bytes) {
        uint32_t evicted = margay_order_first(&tier->order, 0, 0);
        margay_tier_drop(cache, evicted);
        offer(cache, evicted);
    }
    margay_order_append(&tier->order, 0, 0, object);
    tier->used_bytes += bytes;
}

void margay_tier_request(margay_object_cache *cache, uint32_t object)
{
    bool in_memory = margay_order_has(&cache->tier.order, 0, object);
    bool held = in_memory || margay_object_cache_holds(cache, object);
    bool valid = held && !margay_object_cache_expired(cache, object);
    bool stores = cache->stores || cache->has_size;
    margay_tier_drop(cache, object);
    if (!valid || stores)
        margay_object_cache_drop(cache, object);
    if ((!valid || cache->stores) && cache->expiries.list != NULL)
        margay_amount_set(&cache->expiries, object, cache->until);
    cache->stores = false;
    margay_object_cache_resize(cache, object);
    if (!valid) {
        cache->counts.misses++;
        cache->counts.missed_bytes += margay_amount(&cache->sizes, object);
        cache->counts.missed_cost += cache->cost;
    }
    cache->counts.memory_hits += valid && in_memory;
    if (cache->tier.costs.list != NULL)
        margay_amount_set(&cache->tier.costs, object, cache->cost);
    if (!in_memory && margay_object_cache_holds(cache, object))
        pass_on(cache, object);
    put(cache, object);
}
