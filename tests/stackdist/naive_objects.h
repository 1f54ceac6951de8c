/* naive_objects.h - requests of objects, and a plain LRU cache with a size in
   bytes, written with loops */
#ifndef MARGAY_TESTS_STACKDIST_NAIVE_OBJECTS_H
#define MARGAY_TESTS_STACKDIST_NAIVE_OBJECTS_H

#include <string.h>

#include <margay/objects.h>
#include <margay/traces.h>

#define NAIVE_MOST 4096

struct naive_objects {
    uint64_t capacity_bytes, used_bytes;
    /* What is cached, the most recent first. */
    uint64_t names[NAIVE_MOST], sizes[NAIVE_MOST];
    uint64_t expiries[NAIVE_MOST]; /* the last second at which each is valid */
    bool gone[NAIVE_MOST];         /* deleted, and not yet evicted */
    size_t count;
    uint64_t misses, missed_bytes;
};

static inline void naive_objects_remove(struct naive_objects *cache, size_t at)
{
    size_t after = --cache->count - at;
    cache->used_bytes -= cache->sizes[at];
    memmove(cache->names + at, cache->names + at + 1, after * 8);
    memmove(cache->sizes + at, cache->sizes + at + 1, after * 8);
    memmove(cache->expiries + at, cache->expiries + at + 1, after * 8);
    memmove(cache->gone + at, cache->gone + at + 1, after * sizeof(bool));
}

static inline size_t naive_objects_find(const struct naive_objects *cache,
                                        uint64_t name)
{
    size_t at = 0;
    while (at < cache->count && (cache->gone[at] || cache->names[at] != name))
        at++;
    return at;
}

/* A request at `time` of an object that has this size from now on.  What the
   cache stores is valid up to `expiry`; a request that `sets` stores, too. */
static inline void naive_objects_ask(struct naive_objects *cache, uint64_t name,
                                     uint64_t size, uint64_t time,
                                     uint64_t expiry, bool sets)
{
    size_t at = naive_objects_find(cache, name);
    bool hits = at < cache->count && time <= cache->expiries[at];
    if (!hits) {
        cache->misses++;
        cache->missed_bytes += size;
    }
    if (hits && !sets)
        expiry = cache->expiries[at];
    if (at < cache->count)
        naive_objects_remove(cache, at);
    if (size > cache->capacity_bytes)
        return;
    while (size > cache->capacity_bytes - cache->used_bytes)
        naive_objects_remove(cache, cache->count - 1);
    memmove(cache->names + 1, cache->names, cache->count * 8);
    memmove(cache->sizes + 1, cache->sizes, cache->count * 8);
    memmove(cache->expiries + 1, cache->expiries, cache->count * 8);
    memmove(cache->gone + 1, cache->gone, cache->count * sizeof(bool));
    cache->names[0] = name;
    cache->sizes[0] = size;
    cache->expiries[0] = expiry;
    cache->gone[0] = false;
    cache->used_bytes += size;
    cache->count++;
}

/* The same of objects that do not expire. */
static inline void naive_objects_refer(struct naive_objects *cache,
                                       uint64_t name, uint64_t size)
{
    naive_objects_ask(cache, name, size, 0, UINT64_MAX, false);
}

static inline void naive_objects_delete(struct naive_objects *cache,
                                        uint64_t name)
{
    size_t at = naive_objects_find(cache, name);
    if (at < cache->count)
        cache->gone[at] = true;
}

/* -------------------------------------------------------------- traces -- */

#define MOST_REFS    300
#define MOST_OBJECTS 64

struct trace {
    size_t count, objects;
    uint64_t names[MOST_REFS], sizes[MOST_REFS], times[MOST_REFS];
    uint64_t ttls[MOST_REFS];
    uint8_t ops[MOST_REFS];
    uint64_t resized, shrunk; /* requests with another size than before */
    bool ages, operates;
    uint64_t ttl_seconds;
    uint64_t half_life_refs; /* 0 = counts do not fade */
};

static inline bool deletes(const struct trace *trace, size_t i)
{
    return trace->operates && trace->ops[i] == MARGAY_DELETE;
}

/* One request; true: it missed. */
static inline bool ask(struct naive_objects *cache, const struct trace *trace,
                       size_t i)
{
    uint64_t ttl =
        trace->ttl_seconds != UINT64_MAX ? trace->ttl_seconds : trace->ttls[i];
    uint64_t expiry = trace->ages ? trace->times[i] + ttl : UINT64_MAX;
    uint64_t misses = cache->misses;
    if (deletes(trace, i))
        naive_objects_delete(cache, trace->names[i]);
    else
        naive_objects_ask(cache, trace->names[i], trace->sizes[i],
                          trace->times[i], expiry,
                          trace->operates && trace->ops[i] == MARGAY_SET);
    return cache->misses > misses;
}

static inline void simulate(struct naive_objects *cache,
                            const struct trace *trace, uint64_t bytes,
                            size_t from)
{
    cache->capacity_bytes = bytes;
    cache->used_bytes = cache->misses = cache->missed_bytes = 0;
    cache->count = 0;
    for (size_t i = 0; i < trace->count; i++) {
        if (i == from)
            cache->misses = cache->missed_bytes = 0;
        ask(cache, trace, i);
    }
}

static inline uint64_t largest_size(const struct trace *trace)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < trace->count; i++)
        largest = trace->sizes[i] > largest ? trace->sizes[i] : largest;
    return largest;
}

#endif
