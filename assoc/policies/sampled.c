/*
 * sampled.c - hyperbolic, redis-lru and redis-lfu: of a sample, the block of
 * the least value goes
 *
 * hyperbolic evicts the block used least often for the time it is there.  The
 * value of a block is its number of uses since it came in, divided by the
 * references since then and, of objects, by its bytes.  It falls as long as the
 * block is not used, so that blocks which are just as old are not alike, and no
 * order of them is kept: of a sample, the block of the least value goes.
 *
 * Source: Blankstein, Sen and Freedman, "Hyperbolic caching: flexible caching
 *   for web applications", USENIX ATC 2017, with a cost of 1 for each miss.
 *   What is chosen here:
 *   - Of `sample` blocks or fewer all are candidates, and of equal values the
 *     first goes.
 *   - An object of no bytes counts as one of 1 byte.
 *
 * Redis keeps the POOL best candidates that its samples have found, each with
 * the value that it had then, and evicts the best of those that are still
 * there.  The value is the tick of the last use or, of redis-lfu, a counter of
 * 8 bits, which a use raises with a probability of 1 / ((counter - 5) * factor
 * + 1), and which is 5 at first.
 *
 * Source: evict.c and maxmemory-policy allkeys-lru and allkeys-lfu of
 *   Redis 7.0.  Differences here: samples are drawn one by one, and not from
 *   neighbouring buckets; ticks are counted in references, and not in seconds;
 *   counters do not decay, which in Redis they do by 1 each minute.
 *
 * Cost: proportional to the sample; 16 bytes for each way, 24 for each object;
 *   of Redis 388 for each set.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/held.h"

#define POOL      16
#define NEW_USES  5
#define MOST_USES 255

/* Of redis-lru, `uses` is the tick of the last one. */
struct block {
    uint64_t came, uses;
};

/* Blocks that may go, the best first. */
struct pool {
    struct candidate {
        struct block block;
        uint32_t slot;
    } candidates[POOL];
    uint32_t count;
};

struct state {
    struct margay_held held;
    uint32_t sample;
    uint64_t scale; /* of Redis: references of a tick, or the factor */
    uint64_t slots, now;
    struct block *blocks; /* [set][slot] */
    struct pool *pools;   /* [set]; of Redis */
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    margay_held_set_up(&state->held, setup, layout);
    state->sample = (uint32_t)setup->settings.counts[0];
    state->slots = setup->slots;
    state->blocks = margay_lay_out(layout, setup->sets * setup->slots *
                                               sizeof(struct block));
}

static inline void hit(void *context, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    struct state *state = context;
    (void)use;
    state->now++;
    state->blocks[set * state->slots + slot].uses++;
}

static inline double value_of(const void *context, uint64_t set, uint32_t slot,
                              const struct margay_use *use)
{
    const struct state *state = context;
    const struct block *block = &state->blocks[set * state->slots + slot];
    (void)use;
    return (double)block->uses /
           ((double)(state->now - block->came + 1) *
            (double)margay_held_bytes(&state->held, slot));
}

static MARGAY_ALWAYS_INLINE uint32_t evict(void *context, uint64_t set,
                                           const struct margay_use *use)
{
    struct state *state = context;
    return margay_held_evict(&state->held, set, state->sample, use, value_of);
}

static MARGAY_ALWAYS_INLINE void insert(void *context, uint64_t set,
                                        uint32_t slot,
                                        const struct margay_use *use)
{
    struct state *state = context;
    state->blocks[set * state->slots + slot] = (struct block){++state->now, 1};
    if (use->sized)
        margay_held_add(&state->held, slot);
}

MARGAY_OBJECT_POLICY_LOOPS(hyperbolic, MARGAY_POLICY_CALLS)

static void set_up_redis(void *context, const struct margay_policy_setup *setup,
                         struct margay_layout *layout)
{
    struct state *state = context;
    set_up(state, setup, layout);
    state->scale = setup->settings.counts[1];
    state->pools = margay_lay_out(layout, setup->sets * sizeof(struct pool));
}

/* Put a block of a sample into the pool, if there is room, or one that is no
   better. */
static inline void pool_slot(const struct state *state, uint64_t set,
                             uint32_t slot)
{
    struct pool *pool = &state->pools[set];
    const struct block *block = &state->blocks[set * state->slots + slot];
    uint32_t at = pool->count;
    if (at == POOL && pool->candidates[--at].block.uses <= block->uses)
        return;
    for (; at > 0 && pool->candidates[at - 1].block.uses > block->uses; at--)
        pool->candidates[at] = pool->candidates[at - 1];
    pool->candidates[at] = (struct candidate){*block, slot};
    pool->count += pool->count < POOL;
}

static void remove_redis(void *context, uint64_t set, uint32_t slot)
{
    struct state *state = context;
    state->blocks[set * state->slots + slot].came = 0; /* none of the pool */
    margay_held_remove(state, set, slot);
}

static MARGAY_ALWAYS_INLINE uint32_t evict_redis(void *context, uint64_t set,
                                                 const struct margay_use *use)
{
    struct state *state = context;
    struct pool *pool = &state->pools[set];
    const struct block *blocks = state->blocks + set * state->slots;
    const uint32_t grown = margay_use_grown(use);
    for (;;) {
        for (uint32_t i = 0; i < state->sample; i++)
            pool_slot(state, set, margay_held_any(&state->held, use->sized));
        while (pool->count > 0) {
            struct candidate best = pool->candidates[0];
            memmove(pool->candidates, pool->candidates + 1,
                    --pool->count * sizeof best);
            if (best.slot == grown || blocks[best.slot].came != best.block.came)
                continue;
            remove_redis(state, set, best.slot);
            return best.slot;
        }
    }
}

static inline void hit_redis_lru(void *context, uint64_t set, uint32_t slot,
                                 const struct margay_use *use)
{
    struct state *state = context;
    (void)use;
    state->blocks[set * state->slots + slot].uses = ++state->now / state->scale;
}

static MARGAY_ALWAYS_INLINE void insert_redis_lru(void *context, uint64_t set,
                                                  uint32_t slot,
                                                  const struct margay_use *use)
{
    insert(context, set, slot, use);
    struct state *state = context;
    state->blocks[set * state->slots + slot].uses = state->now / state->scale;
}

static inline void hit_redis_lfu(void *context, uint64_t set, uint32_t slot,
                                 const struct margay_use *use)
{
    struct state *state = context;
    uint64_t *uses = &state->blocks[set * state->slots + slot].uses;
    (void)use;
    *uses += *uses < MOST_USES &&
             margay_random_below(&state->held.random,
                                 (*uses - NEW_USES) * state->scale + 1) == 0;
}

static MARGAY_ALWAYS_INLINE void insert_redis_lfu(void *context, uint64_t set,
                                                  uint32_t slot,
                                                  const struct margay_use *use)
{
    insert(context, set, slot, use);
    struct state *state = context;
    state->blocks[set * state->slots + slot].uses = NEW_USES;
}

MARGAY_OBJECT_POLICY_LOOPS(redis_lru, .hit = hit_redis_lru,
                           .evict = evict_redis, .insert = insert_redis_lru)
MARGAY_OBJECT_POLICY_LOOPS(redis_lfu, .hit = hit_redis_lfu,
                           .evict = evict_redis, .insert = insert_redis_lfu)

#define REDIS(policy, NAME, PARAMETER, HELP)                                 \
    const struct margay_policy margay_policy_##policy = {                    \
        .info = {.name = NAME,                                               \
                 .parameters =                                               \
                     "samples=5|1..64," PARAMETER "|1..1000000000000",       \
                 .help = HELP,                                               \
                 .source = "Redis 7.0",                                      \
                 .abilities = MARGAY_POLICY_FOR_OBJECTS},                    \
        MARGAY_OBJECT_POLICY_MEMBERS_OF(policy, set_up_redis, struct state), \
        .remove = remove_redis,                                              \
    }

REDIS(redis_lru, "redis-lru", "tick=1",
      "evicts the block unused longest, of samples");
REDIS(redis_lfu, "redis-lfu", "log-factor=10",
      "evicts the lowest counter of uses, of samples");

const struct margay_policy margay_policy_hyperbolic = {
    .info = {.name = "hyperbolic",
             .parameters = "sample=64|1..65536",
             .help = "the block goes of the fewest uses for its time and bytes",
             .source = "Blankstein et al. 2017",
             .abilities = MARGAY_POLICY_FOR_OBJECTS},
    MARGAY_OBJECT_POLICY_MEMBERS(hyperbolic),
    .remove = margay_held_remove,
};
