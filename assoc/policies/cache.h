/*
 * cache.h - one cache, and the loop over its references
 *
 * The loop is the same for all policies.  MARGAY_POLICY_LOOPS() compiles it for
 * each policy with the calls of the policy inlined, and beside it the steps
 * that a hierarchy of caches is made of.
 */
#ifndef MARGAY_ASSOC_CACHE_H
#define MARGAY_ASSOC_CACHE_H

#include "assoc/policies/finder.h"

/* The block that made room for another one. */
struct margay_evicted {
    uint64_t block;
    bool left, dirty; /* left: there is one */
};

struct margay_cache {
    const struct margay_policy *policy;
    void *state;  /* the policy's */
    void *arrays; /* of the state; NULL = none */
    uint64_t array_bytes;
    struct margay_finder finder;
    uint8_t *dirty; /* bits, [set][slot] */
    size_t dirty_bytes;
    bool write_through, no_allocate;
    struct margay_cache_counts counts;
    struct margay_traffic *traffic; /* where to gather it; NULL = nowhere */
    const uint64_t *sites;          /* of the references that are fed next */
    struct margay_evicted evicted;  /* last */
};

/* Everything that stays the same while a loop runs. */
struct margay_cache_loop {
    margay_cache *cache;
    struct margay_finder finder; /* a copy */
    struct margay_policy_calls calls;
    enum margay_form form;
};

/* A block comes from the level behind the cache, or goes there. */
static inline void margay_cache_pass_on(margay_cache *cache, uint64_t block,
                                        enum margay_kind kind)
{
    struct margay_traffic *traffic = cache->traffic;
    if (traffic == NULL)
        return;
    traffic->blocks[traffic->count] = block;
    traffic->kinds[traffic->count++] = (uint8_t)kind;
}

/* A block leaves a slot, and goes to memory if it is dirty. */
static MARGAY_ALWAYS_INLINE void margay_cache_leave(
    const struct margay_cache_loop *loop, uint64_t at)
{
    margay_cache *cache = loop->cache;
    uint8_t bit = (uint8_t)(1u << at % 8);
    bool dirty = (cache->dirty[at / 8] & bit) != 0;
    cache->evicted =
        (struct margay_evicted){loop->finder.blocks[at], true, dirty};
    if (!dirty)
        return;
    cache->dirty[at / 8] ^= bit;
    cache->counts.writebacks++;
    cache->counts.blocks_written++;
    margay_cache_pass_on(cache, loop->finder.blocks[at], MARGAY_WRITE);
}

/* The slot for the block of `use`, in a set that was full, once the block of
   slot `evicted` has left. */
static MARGAY_ALWAYS_INLINE uint32_t
margay_cache_place(const struct margay_cache_loop *loop, uint64_t set,
                   uint32_t evicted, const struct margay_use *use)
{
    const struct margay_finder *finder = &loop->finder;
    uint32_t slot = evicted;
    if (loop->calls.holds != NULL) {
        if (use->memory != MARGAY_NO_SLOT)
            return use->memory;
        slot = loop->calls.reuse(loop->cache->state, set);
        if (slot == MARGAY_NO_SLOT)
            return margay_finder_add(finder, loop->form, set, use->block);
    }
    margay_finder_replace(finder, loop->form, set, slot, use->block);
    return slot;
}

/* Bring the block of `use` into its set; returns the slot, or MARGAY_NO_SLOT if
   the cache does not keep the block. */
static MARGAY_ALWAYS_INLINE uint32_t
margay_cache_bring_in(const struct margay_cache_loop *loop, uint64_t set,
                      const struct margay_use *use)
{
    const struct margay_finder *finder = &loop->finder;
    margay_cache *cache = loop->cache;
    uint32_t slot;
    if (use->kind == MARGAY_WRITE && cache->no_allocate)
        return MARGAY_NO_SLOT;
    if (margay_finder_full(finder, loop->form, set)) {
        uint32_t evicted = loop->calls.evict(cache->state, set, use);
        if (evicted == MARGAY_NO_SLOT)
            return MARGAY_NO_SLOT;
        margay_cache_leave(loop, set * finder->slots + evicted);
        slot = margay_cache_place(loop, set, evicted, use);
    } else {
        slot = margay_finder_add(finder, loop->form, set, use->block);
    }
    loop->calls.insert(cache->state, set, slot, use);
    return slot;
}

/* A write makes its block dirty, or goes to memory at once. */
static MARGAY_ALWAYS_INLINE void margay_cache_write(margay_cache *cache,
                                                    uint64_t block, uint64_t at,
                                                    bool present)
{
    if (cache->write_through || !present) {
        cache->counts.blocks_written++;
        margay_cache_pass_on(cache, block, MARGAY_WRITE);
    } else {
        cache->dirty[at / 8] |= (uint8_t)(1u << at % 8);
    }
}

static MARGAY_ALWAYS_INLINE void margay_cache_reference(
    const struct margay_cache_loop *loop, struct margay_use *use)
{
    margay_cache *cache = loop->cache;
    uint64_t set = margay_finder_set(&loop->finder, loop->form, use->block);
    uint32_t slot =
        margay_finder_find(&loop->finder, loop->form, set, use->block);
    if (slot != MARGAY_NO_SLOT &&
        (loop->calls.holds == NULL ||
         loop->calls.holds(cache->state, set, slot))) {
        loop->calls.hit(cache->state, set, slot, use);
    } else {
        use->memory = slot;
        cache->counts.misses[use->kind]++;
        slot = margay_cache_bring_in(loop, set, use);
        /* A write that finds no place goes to memory without fetching. */
        if (slot != MARGAY_NO_SLOT || use->kind != MARGAY_WRITE) {
            cache->counts.blocks_fetched++;
            margay_cache_pass_on(cache, use->block,
                                 use->kind == MARGAY_FETCH ? MARGAY_FETCH
                                                           : MARGAY_READ);
        }
    }
    if (use->kind == MARGAY_WRITE)
        margay_cache_write(cache, use->block, set * loop->finder.slots + slot,
                           slot != MARGAY_NO_SLOT);
}

static MARGAY_ALWAYS_INLINE void margay_cache_run(
    margay_cache *cache, struct margay_policy_calls calls,
    enum margay_form form, const struct margay_uses *uses)
{
    const struct margay_cache_loop loop = {cache, cache->finder, calls, form};
    /* References are counted by margay_cache_feed(). */
    for (size_t i = 0; i < uses->count; i++) {
        struct margay_use use = {
            .block = uses->blocks[i],
            .next_use = uses->next_uses == NULL ? 0 : uses->next_uses[i],
            .kind = uses->kinds == NULL ? MARGAY_READ
                                        : (enum margay_kind)uses->kinds[i],
            .site = uses->sites == NULL ? 0 : uses->sites[i],
        };
        margay_finder_prefetch(&loop.finder, form, uses->blocks + i,
                               uses->count - i);
        margay_cache_reference(&loop, &use);
    }
}

/* ------------------------------------------------------------ the steps -- */

/* Use the block of `use` if the cache holds it.  Returns its place; otherwise
   MARGAY_NOWHERE, and use->memory is set. */
static MARGAY_ALWAYS_INLINE uint64_t
margay_cache_touch(margay_cache *cache, struct margay_policy_calls calls,
                   enum margay_form form, struct margay_use *use)
{
    const struct margay_finder *finder = &cache->finder;
    uint64_t set = margay_finder_set(finder, form, use->block);
    uint32_t slot = margay_finder_find(finder, form, set, use->block);
    use->memory = slot;
    if (slot == MARGAY_NO_SLOT ||
        (calls.holds != NULL && !calls.holds(cache->state, set, slot)))
        return MARGAY_NOWHERE;
    calls.hit(cache->state, set, slot, use);
    return set * finder->slots + slot;
}

/* Bring in a block that margay_cache_touch() has just not found.  Returns its
   place, and cache->evicted says which block made room. */
static MARGAY_ALWAYS_INLINE uint64_t
margay_cache_fill(margay_cache *cache, struct margay_policy_calls calls,
                  enum margay_form form, const struct margay_use *use)
{
    const struct margay_cache_loop loop = {cache, cache->finder, calls, form};
    uint64_t set = margay_finder_set(&loop.finder, form, use->block);
    cache->evicted = (struct margay_evicted){.left = false};
    uint32_t slot = margay_cache_bring_in(&loop, set, use);
    return set * loop.finder.slots + slot;
}

static inline bool margay_cache_is_dirty(const margay_cache *cache, uint64_t at)
{
    return (cache->dirty[at / 8] >> at % 8 & 1) != 0;
}

static inline void margay_cache_make_dirty(margay_cache *cache, uint64_t at)
{
    cache->dirty[at / 8] |= (uint8_t)(1u << at % 8);
}

/* Returns whether it was dirty. */
static inline bool margay_cache_make_clean(margay_cache *cache, uint64_t at)
{
    bool dirty = margay_cache_is_dirty(cache, at);
    cache->dirty[at / 8] &= (uint8_t) ~(1u << at % 8);
    return dirty;
}

/* Do what margay_cache_touch() does, but do not use the block. */
uint64_t margay_cache_look(const margay_cache *cache, struct margay_use *use);

/* The place of a block; MARGAY_NOWHERE. */
uint64_t margay_cache_where(const margay_cache *cache, uint64_t block);

/* Take the block at a place out of a cache whose policy has no memory.  Returns
   whether it was dirty. */
bool margay_cache_take_out(margay_cache *cache, uint64_t at);

/* Define from a policy's calls the functions that MARGAY_POLICY_LOOPS_OF_FORMS
   lists. */
#define MARGAY_POLICY_LOOP(name, form, ...)                                   \
    static void feed_##name(margay_cache *cache,                              \
                            const struct margay_uses *uses)                   \
    {                                                                         \
        margay_cache_run(cache, (struct margay_policy_calls){__VA_ARGS__},    \
                         form, uses);                                         \
    }                                                                         \
    static uint64_t touch_##name(margay_cache *cache, struct margay_use *use) \
    {                                                                         \
        return margay_cache_touch(                                            \
            cache, (struct margay_policy_calls){__VA_ARGS__}, form, use);     \
    }                                                                         \
    static uint64_t bring_in_##name(margay_cache *cache,                      \
                                    const struct margay_use *use)             \
    {                                                                         \
        return margay_cache_fill(                                             \
            cache, (struct margay_policy_calls){__VA_ARGS__}, form, use);     \
    }
#define MARGAY_POLICY_LOOPS(...)                                  \
    MARGAY_POLICY_LOOP(scanned, MARGAY_FORM_SCANNED, __VA_ARGS__) \
    MARGAY_POLICY_LOOP(indexed, MARGAY_FORM_INDEXED, __VA_ARGS__) \
    MARGAY_POLICY_LOOP(dense, MARGAY_FORM_DENSE, __VA_ARGS__)
#define MARGAY_POLICY_LOOPS_OF_FORMS                         \
    {                                                        \
        {feed_scanned, touch_scanned, bring_in_scanned},     \
            {feed_indexed, touch_indexed, bring_in_indexed}, \
            {feed_dense, touch_dense, bring_in_dense},       \
    }

#endif
