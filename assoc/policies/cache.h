/*
 * cache.h - one cache of blocks or of objects, and the loops over references
 *
 * The loops are the same for all policies.  MARGAY_POLICY_LOOPS() compiles them
 * for each policy with the calls of the policy inlined: the loop over
 * references to blocks, the steps that a hierarchy of caches is made of, and
 * for some policies the loop over requests of objects.
 */
#ifndef MARGAY_ASSOC_CACHE_H
#define MARGAY_ASSOC_CACHE_H

#include "assoc/policies/admission.h"
#include "assoc/policies/finder.h"
#include "assoc/policies/object_cache.h"
#include "assoc/policies/order.h"

/* The block that made room for another one. */
struct margay_evicted {
    uint64_t block;
    bool left, dirty; /* left: there is one */
};

/* The block that a set used last: its number inverted, 0 = none, and its place
   where a hierarchy notes it. */
struct margay_latest {
    uint64_t inverse, at;
};

struct margay_cache {
    const struct margay_policy *policy;
    void *state;  /* the policy's */
    void *arrays; /* all arrays, those of the finder and the state */
    uint64_t array_bytes;
    struct margay_finder finder;
    uint8_t *dirty; /* bits, [set][slot] */
    size_t dirty_bytes;
    struct margay_latest *latest; /* [set]; NULL = they are not noted */
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
};

/* The variant that a loop is compiled for: a constant, passed from function to
   function as an argument.  As a member of the loop it would be found too late
   to inline the calls, which costs a third more instructions. */
struct margay_cache_fixed {
    struct margay_policy_calls calls;
    enum margay_finder_form form;
};

/* Note a block that comes from the next level, or goes there. */
static inline void margay_cache_pass_on(margay_cache *cache, uint64_t block,
                                        enum margay_kind kind,
                                        enum margay_purpose purpose,
                                        const struct margay_use *cause)
{
    struct margay_traffic *traffic = cache->traffic;
    if (traffic == NULL)
        return;
    traffic->blocks[traffic->count] = block;
    traffic->causes[traffic->count] = cause->index;
    traffic->purposes[traffic->count] = (uint8_t)purpose;
    traffic->kinds[traffic->count++] = (uint8_t)kind;
}

/* A block leaves a slot, and goes to memory if it is dirty. */
static MARGAY_ALWAYS_INLINE void margay_cache_leave(
    const struct margay_cache_loop *loop, uint64_t at,
    const struct margay_use *cause)
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
    margay_cache_pass_on(cache, loop->finder.blocks[at], MARGAY_WRITE,
                         MARGAY_FOR_WRITING, cause);
}

/* The slot for the block of `use`, in a set that was full, once the block of
   slot `evicted` has left. */
static MARGAY_ALWAYS_INLINE uint32_t
margay_cache_place(const struct margay_cache_loop *loop,
                   const struct margay_cache_fixed *fixed, uint64_t set,
                   uint32_t evicted, const struct margay_use *use)
{
    const struct margay_finder *finder = &loop->finder;
    uint32_t slot = evicted;
    if (fixed->calls.holds != NULL) {
        if (use->memory != MARGAY_NO_SLOT)
            return use->memory;
        slot = fixed->calls.reuse(loop->cache->state, set);
        if (slot == MARGAY_NO_SLOT)
            return margay_finder_add(finder, fixed->form, set, use->block);
    }
    margay_finder_replace(finder, fixed->form, set, slot, use->block);
    return slot;
}

/* Bring the block of `use` into its set; returns the slot, or MARGAY_NO_SLOT if
   the cache does not keep the block. */
static MARGAY_ALWAYS_INLINE uint32_t
margay_cache_bring_in(const struct margay_cache_loop *loop,
                      const struct margay_cache_fixed *fixed, uint64_t set,
                      const struct margay_use *use)
{
    const struct margay_finder *finder = &loop->finder;
    margay_cache *cache = loop->cache;
    uint32_t slot;
    if (use->kind == MARGAY_WRITE && cache->no_allocate)
        return MARGAY_NO_SLOT;
    if (margay_finder_full(finder, fixed->form, set)) {
        uint32_t evicted = fixed->calls.evict(cache->state, set, use);
        if (evicted == MARGAY_NO_SLOT)
            return MARGAY_NO_SLOT;
        margay_cache_leave(loop, set * finder->slots + evicted, use);
        slot = margay_cache_place(loop, fixed, set, evicted, use);
    } else {
        slot = margay_finder_add(finder, fixed->form, set, use->block);
    }
    fixed->calls.insert(cache->state, set, slot, use);
    return slot;
}

/* A write makes its block dirty, or goes to memory at once. */
static MARGAY_ALWAYS_INLINE void margay_cache_write(
    margay_cache *cache, const struct margay_use *use, uint64_t at,
    bool present)
{
    if (cache->write_through || !present) {
        cache->counts.blocks_written++;
        margay_cache_pass_on(cache, use->block, MARGAY_WRITE, MARGAY_FOR_STORE,
                             use);
    } else {
        cache->dirty[at / 8] |= (uint8_t)(1u << at % 8);
    }
}

/* The slot of the block of `use` if the cache holds it, or MARGAY_NO_SLOT. Sets
   use->memory. */
static MARGAY_ALWAYS_INLINE uint32_t
margay_cache_find(const struct margay_cache_loop *loop,
                  const struct margay_cache_fixed *fixed, uint64_t set,
                  struct margay_use *use)
{
    uint32_t slot =
        margay_finder_find(&loop->finder, fixed->form, set, use->block);
    use->memory = slot;
    return slot == MARGAY_NO_SLOT || fixed->calls.holds == NULL ||
                   fixed->calls.holds(loop->cache->state, set, slot)
               ? slot
               : MARGAY_NO_SLOT;
}

static MARGAY_ALWAYS_INLINE void margay_cache_reference(
    const struct margay_cache_loop *loop,
    const struct margay_cache_fixed *fixed, struct margay_use *use)
{
    margay_cache *cache = loop->cache;
    uint64_t set = margay_finder_set(&loop->finder, fixed->form, use->block);
    uint32_t slot = margay_cache_find(loop, fixed, set, use);
    if (slot != MARGAY_NO_SLOT) {
        fixed->calls.hit(cache->state, set, slot, use);
    } else {
        cache->counts.misses[use->kind]++;
        slot = margay_cache_bring_in(loop, fixed, set, use);
        /* A write that finds no place goes to memory without fetching. */
        if (slot != MARGAY_NO_SLOT || use->kind != MARGAY_WRITE) {
            cache->counts.blocks_fetched++;
            margay_cache_pass_on(cache, use->block,
                                 use->kind == MARGAY_FETCH ? MARGAY_FETCH
                                                           : MARGAY_READ,
                                 MARGAY_FOR_CORE, use);
        }
    }
    if (use->kind == MARGAY_WRITE)
        margay_cache_write(cache, use, set * loop->finder.slots + slot,
                           slot != MARGAY_NO_SLOT);
}

static MARGAY_ALWAYS_INLINE void margay_cache_run(
    const struct margay_cache_loop *loop,
    const struct margay_cache_fixed *fixed, const struct margay_uses *uses)
{
    /* References are counted by margay_cache_feed(). */
    for (size_t i = 0; i < uses->count; i++) {
        struct margay_use use = {
            .block = uses->blocks[i],
            .kind = uses->kinds == NULL ? MARGAY_READ
                                        : (enum margay_kind)uses->kinds[i],
            .site = uses->sites == NULL ? 0 : uses->sites[i],
            .index = (uint32_t)i,
        };
        margay_finder_prefetch(&loop->finder, fixed->form, uses->blocks + i,
                               uses->count - i);
        margay_cache_reference(loop, fixed, &use);
    }
}

/* ------------------------------------------------------------ the steps -- */

/* Find the block of `use`, and use it if `touches`.  Returns its place if the
   cache holds it; otherwise MARGAY_NOWHERE. */
static MARGAY_ALWAYS_INLINE uint64_t
margay_cache_step(const struct margay_cache_loop *loop,
                  const struct margay_cache_fixed *fixed,
                  struct margay_use *use, bool touches)
{
    uint64_t set = margay_finder_set(&loop->finder, fixed->form, use->block);
    uint32_t slot = margay_cache_find(loop, fixed, set, use);
    if (slot == MARGAY_NO_SLOT)
        return MARGAY_NOWHERE;
    if (touches)
        fixed->calls.hit(loop->cache->state, set, slot, use);
    return set * loop->finder.slots + slot;
}

/* Bring in a block that a step has just not found.  Returns its place, and
   cache->evicted says which block made room. */
static MARGAY_ALWAYS_INLINE uint64_t margay_cache_fill(
    const struct margay_cache_loop *loop,
    const struct margay_cache_fixed *fixed, const struct margay_use *use)
{
    uint64_t set = margay_finder_set(&loop->finder, fixed->form, use->block);
    loop->cache->evicted = (struct margay_evicted){.left = false};
    return set * loop->finder.slots +
           margay_cache_bring_in(loop, fixed, set, use);
}

static inline void margay_cache_make_dirty(margay_cache *cache, uint64_t at)
{
    cache->dirty[at / 8] |= (uint8_t)(1u << at % 8);
}

/* Returns whether it was dirty. */
static inline bool margay_cache_make_clean(margay_cache *cache, uint64_t at)
{
    bool dirty = (cache->dirty[at / 8] >> at % 8 & 1) != 0;
    cache->dirty[at / 8] &= (uint8_t) ~(1u << at % 8);
    return dirty;
}

/* Find the block of `use` without using it. */
static inline uint64_t margay_cache_look(margay_cache *cache,
                                         struct margay_use *use)
{
    return cache->policy->loops[cache->finder.form].look(cache, use);
}

/* The place of a block; MARGAY_NOWHERE. */
static inline uint64_t margay_cache_where(margay_cache *cache, uint64_t block)
{
    struct margay_use use = {.block = block};
    return margay_cache_look(cache, &use);
}

/* Take the block at a place out of a cache whose policy has no memory.  Returns
   whether it was dirty. */
bool margay_cache_take_out(margay_cache *cache, uint64_t at);

/* ----------------------------------------------------- caches of objects -- */

/* Memory before the cache (tier.c). */
struct margay_tier {
    uint64_t bytes, used_bytes;  /* 0 bytes: there is none */
    struct margay_order order;   /* of the objects in it, the oldest first */
    struct margay_amounts costs; /* of the last requests, if they are noted */
};

struct margay_object_cache {
    const struct margay_policy *policy;
    void *state;  /* the policy's */
    void *arrays; /* all arrays, those of the state included */
    uint64_t array_bytes;
    struct margay_amounts sizes;    /* those of now; the held ones are marked */
    struct margay_amounts expiries; /* if times are noted */
    uint64_t time, until, tick;     /* in ticks; a tick, in microseconds */
    uint64_t size;                  /* of the next object, */
    bool has_size, stores; /* if it is noted; the next request stores */
    bool heeds;            /* the loop over requests handles notes */
    uint64_t cost;         /* of a miss */
    struct margay_tier tier;
    const uint64_t *nexts; /* [request]; NULL */
    struct margay_admission admission;
    uint64_t requests;
    uint64_t bytes, used_bytes;
    struct margay_object_counts counts;
};

/* Requests ahead of a request for which the prefetch is made. */
#define MARGAY_OBJECTS_AHEAD 16

void margay_object_cache_note(margay_object_cache *cache, const uint32_t *note);

static inline bool margay_object_cache_holds(const margay_object_cache *cache,
                                             uint32_t object)
{
    return cache->sizes.list[object].mark;
}

/* Objects that are not stored anew are of no use after their expiry. */
static inline bool margay_object_cache_expired(const margay_object_cache *cache,
                                               uint32_t object)
{
    return cache->expiries.list != NULL &&
           cache->time > margay_amount(&cache->expiries, object);
}

/* An object leaves the cache, if it is held. */
void margay_object_cache_drop(margay_object_cache *cache, uint32_t object);

/* It gets the noted size, if there is one, and takes no room yet. */
void margay_object_cache_resize(margay_object_cache *cache, uint32_t object);

/* An object leaves the tier, if it is there. */
void margay_tier_drop(margay_object_cache *cache, uint32_t object);

/* A request, with a tier. */
void margay_tier_request(margay_object_cache *cache, uint32_t object);

/* Apply the notes of a request.  Returns whether the held object is valid.
   Another size clears *fits: the object then takes no room until
   margay_object_cache_fit(). */
bool margay_object_cache_heed(margay_object_cache *cache, uint32_t object,
                              bool *fits);

/* Does an object that misses come into the cache? */
bool margay_object_cache_admits(margay_object_cache *cache, uint32_t object);

/* Make room for an object, and hold it.  A held one takes no room yet, and is
   never evicted, so others are left as long as room is needed. */
static MARGAY_ALWAYS_INLINE void margay_object_cache_fit(
    margay_object_cache *cache, const struct margay_policy_calls *calls,
    uint32_t object, const struct margay_use *use)
{
    uint64_t bytes = margay_amount(&cache->sizes, object);
    struct margay_amount *list = cache->sizes.list;
    bool held = list[object].mark;
    if (bytes > cache->bytes) {
        if (held)
            cache->policy->remove(cache->state, 0, object);
        list[object].mark = 0;
        if (cache->admission.asked != NULL)
            cache->admission.asked[object] = 1;
        return;
    }
    if (!held && cache->admission.rule != MARGAY_ADMIT_ALL &&
        !margay_object_cache_admits(cache, object))
        return;
    while (bytes > cache->bytes - cache->used_bytes) {
        uint32_t evicted = calls->evict(cache->state, 0, use);
        list[evicted].mark = 0;
        cache->used_bytes -= margay_amount(&cache->sizes, evicted);
    }
    list[object].mark = 1;
    cache->used_bytes += bytes;
    cache->counts.written_bytes += bytes;
    if (!held)
        calls->insert(cache->state, 0, object, use);
}

static MARGAY_ALWAYS_INLINE void margay_object_cache_request(
    margay_object_cache *cache, const struct margay_policy_calls *calls,
    uint32_t object)
{
    const uint64_t now = cache->requests++;
    const struct margay_use use = {
        .block = object,
        .memory = object,
        .now = now,
        .next = cache->nexts == NULL ? UINT64_MAX : cache->nexts[now],
        .cost = cache->cost,
        .sized = true};
    bool held = margay_object_cache_holds(cache, object), valid = held,
         fits = held;
    if (cache->heeds)
        valid = margay_object_cache_heed(cache, object, &fits);
    if (!valid) {
        cache->counts.misses++;
        cache->counts.missed_bytes += margay_amount(&cache->sizes, object);
        cache->counts.missed_cost += cache->cost;
    }
    if (cache->admission.rule >= MARGAY_ADMIT_ADAPTED)
        margay_admission_watch(&cache->admission, object, &cache->sizes);
    if (held)
        calls->hit(cache->state, 0, object, &use);
    if (!fits)
        margay_object_cache_fit(cache, calls, object, &use);
}

/* Without calls, of a cache with a tier. */
static MARGAY_ALWAYS_INLINE size_t margay_object_cache_run(
    margay_object_cache *cache, const struct margay_policy_calls *calls,
    const uint32_t *words, size_t count)
{
    size_t i = 0;
    while (i < count) {
        if (i + MARGAY_OBJECTS_AHEAD < count)
            __builtin_prefetch(
                cache->sizes.list +
                (words[i + MARGAY_OBJECTS_AHEAD] & ~MARGAY_NOTE));
        if ((words[i] & MARGAY_NOTE) == 0) {
            if (calls == NULL)
                margay_tier_request(cache, words[i++]);
            else
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

/* ----------------------------------------------------- loops of a policy -- */

/* Define name_loops[], from a policy's calls. */
#define MARGAY_POLICY_LOOP(name, form, ...)                                   \
    static const struct margay_cache_fixed name##_fixed = {{__VA_ARGS__},     \
                                                           form};             \
    static void name##_feed(margay_cache *cache,                              \
                            const struct margay_uses *uses)                   \
    {                                                                         \
        const struct margay_cache_loop loop = {cache, cache->finder};         \
        margay_cache_run(&loop, &name##_fixed, uses);                         \
    }                                                                         \
    static uint64_t name##_touch(margay_cache *cache, struct margay_use *use) \
    {                                                                         \
        const struct margay_cache_loop loop = {cache, cache->finder};         \
        return margay_cache_step(&loop, &name##_fixed, use, true);            \
    }                                                                         \
    static uint64_t name##_look(margay_cache *cache, struct margay_use *use)  \
    {                                                                         \
        const struct margay_cache_loop loop = {cache, cache->finder};         \
        return margay_cache_step(&loop, &name##_fixed, use, false);           \
    }                                                                         \
    static uint64_t name##_bring_in(margay_cache *cache,                      \
                                    const struct margay_use *use)             \
    {                                                                         \
        const struct margay_cache_loop loop = {cache, cache->finder};         \
        return margay_cache_fill(&loop, &name##_fixed, use);                  \
    }
#define MARGAY_STEPS_OF(name)                                   \
    {                                                           \
        name##_feed, name##_touch, name##_look, name##_bring_in \
    }
#define MARGAY_POLICY_LOOPS(name, ...)                                     \
    MARGAY_POLICY_LOOP(name##_scanned, MARGAY_FORM_SCANNED, __VA_ARGS__)   \
    MARGAY_POLICY_LOOP(name##_indexed, MARGAY_FORM_INDEXED, __VA_ARGS__)   \
    MARGAY_POLICY_LOOP(name##_dense, MARGAY_FORM_DENSE, __VA_ARGS__)       \
    static const struct margay_policy_loops name##_loops[MARGAY_FORMS] = { \
        MARGAY_STEPS_OF(name##_scanned), MARGAY_STEPS_OF(name##_indexed),  \
        MARGAY_STEPS_OF(name##_dense)};

/* The call hit() where hits change nothing. */
static inline void margay_no_hit(void *state, uint64_t set, uint32_t slot,
                                 const struct margay_use *use)
{
    (void)state, (void)set, (void)slot, (void)use;
}

/* The calls of a policy, and the members of its row, that stand in its file
   under these names. */
#define MARGAY_POLICY_CALLS .hit = hit, .evict = evict, .insert = insert
#define MARGAY_POLICY_MEMBERS_OF(name, set_up_call, state) \
    .state_bytes = sizeof(state), .set_up = set_up_call, .loops = name##_loops
#define MARGAY_POLICY_MEMBERS(name) \
    MARGAY_POLICY_MEMBERS_OF(name, set_up, struct state)
#define MARGAY_OBJECT_POLICY_MEMBERS_OF(name, set_up_call, state) \
    MARGAY_POLICY_MEMBERS_OF(name, set_up_call, state),           \
        .feed_objects = name##_feed_objects
#define MARGAY_OBJECT_POLICY_MEMBERS(name) \
    MARGAY_OBJECT_POLICY_MEMBERS_OF(name, set_up, struct state)

/* The same, and the loop name_feed_objects() over requests of objects. */
#define MARGAY_OBJECT_POLICY_LOOPS(name, ...) \
    MARGAY_POLICY_LOOPS(name, __VA_ARGS__)    \
    MARGAY_OBJECT_LOOP(name, __VA_ARGS__)
#define MARGAY_OBJECT_LOOP(name, ...)                                      \
    static size_t name##_feed_objects(margay_object_cache *cache,          \
                                      const uint32_t *words, size_t count) \
    {                                                                      \
        static const struct margay_policy_calls calls = {__VA_ARGS__};     \
        return margay_object_cache_run(cache, &calls, words, count);       \
    }

#endif
