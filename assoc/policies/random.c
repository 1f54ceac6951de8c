/*
 * random.c - evicts any block, all with the same probability
 *
 * A set that is full has a block in each slot.  Of objects, a list says which
 * are in the cache; the last of them fills the gap of one that leaves, unless
 * a new one comes into the gap.
 *
 * Source: Belady 1966.
 * Cost: constant; nothing for each way, 4 bytes for each object.
 */
#include "assoc/policies/cache.h"

struct state {
    struct margay_random random;
    uint32_t ways;
    uint32_t *held; /* of objects: the slots of those that are held */
    uint32_t count; /* of these */
    uint32_t gap;   /* where one has left; `count` if none has */
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    margay_random_seed(&state->random, setup->seed);
    state->ways = setup->ways;
    if (setup->sizes != NULL)
        state->held = margay_lay_out(layout, setup->slots * sizeof(uint32_t));
}

static inline void hit(void *state, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    (void)state, (void)set, (void)slot, (void)use;
}

static inline void take(struct state *state, uint32_t gap)
{
    state->held[gap] = state->held[--state->count];
    state->gap = gap;
}

/* Any object but one, which has grown or is not held. */
static inline uint32_t take_any(struct state *state, uint32_t but)
{
    uint32_t gap, slot;
    do {
        gap = (uint32_t)margay_random_below(&state->random, state->count);
        slot = state->held[gap];
    } while (slot == but);
    take(state, gap);
    return slot;
}

static MARGAY_ALWAYS_INLINE uint32_t evict(void *context, uint64_t set,
                                           const struct margay_use *use)
{
    struct state *state = context;
    (void)set;
    return use->sized
               ? take_any(state, use->memory)
               : (uint32_t)margay_random_below(&state->random, state->ways);
}

static MARGAY_ALWAYS_INLINE void insert(void *context, uint64_t set,
                                        uint32_t slot,
                                        const struct margay_use *use)
{
    struct state *state = context;
    (void)set;
    if (!use->sized)
        return;
    state->held[state->count++] = state->held[state->gap];
    state->held[state->gap] = slot;
    state->gap = state->count;
}

/* Of objects, which are searched: few outgrow their cache. */
static void remove_slot(void *context, uint64_t set, uint32_t slot)
{
    struct state *state = context;
    uint32_t at = 0;
    (void)set;
    while (at < state->count && state->held[at] != slot)
        at++;
    if (at < state->count)
        take(state, at);
}

MARGAY_OBJECT_POLICY_LOOPS(random, .hit = hit, .evict = evict, .insert = insert)

const struct margay_policy margay_policy_random = {
    .info = {.name = "random",
             .parameters = "",
             .help = "any block goes",
             .source = "Belady 1966",
             .abilities = MARGAY_POLICY_FOR_OBJECTS},
    .state_bytes = sizeof(struct state),
    .set_up = set_up,
    .loops = random_loops,
    .remove = remove_slot,
    .feed_objects = random_feed_objects,
};
