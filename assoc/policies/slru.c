/*
 * slru.c - SLRU: blocks that were hit are protected from those that were not
 *
 * A new block enters the probation line, and moves to the protected line when
 * it is hit.  The least recently used blocks of an overfull protected line
 * return to the other end of the probation line, whose least recently used
 * block is evicted.
 *
 * Source: Karedla, Love and Wherry, "Caching strategies to improve disk system
 *   performance", Computer 27(3), 1994.  What is chosen here:
 *   - The protected line has `protected` of the cache, rounded down; the paper
 *     finds its share by experiment, and TinyLFU's main part has the same.
 *   - If nothing is on probation, the protected line has the victim.
 *   - Of objects with sizes, the share is one of bytes.  An object that has
 *     grown is passed over.
 *
 * Cost: constant; 9 bytes for each way.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/order.h"

enum queue { PROBATION, PROTECTED, QUEUES };

struct state {
    struct margay_queues queues;
    uint64_t protected;
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    state->protected =
        margay_fraction_of(setup->room, setup->settings.fractions[0]);
    margay_queues_set_up(&state->queues, setup, QUEUES, layout);
}

static MARGAY_ALWAYS_INLINE void hit(void *context, uint64_t set, uint32_t slot,
                                     const struct margay_use *use)
{
    struct state *state = context;
    margay_queues_protect(&state->queues, set, slot, PROBATION, PROTECTED,
                          state->protected, use->sized);
}

static MARGAY_ALWAYS_INLINE uint32_t evict(void *queues, uint64_t set,
                                           const struct margay_use *use)
{
    uint32_t slot = margay_queues_victim(queues, set, PROBATION, use);
    if (slot == MARGAY_NO_SLOT)
        slot = margay_queues_victim(queues, set, PROTECTED, use);
    margay_queues_leave(queues, set, slot, use->sized);
    return slot;
}

static MARGAY_ALWAYS_INLINE void insert(void *queues, uint64_t set,
                                        uint32_t slot,
                                        const struct margay_use *use)
{
    margay_queues_enter(queues, set, PROBATION, slot, use->sized);
}

static uint32_t victim(const void *queues)
{
    uint32_t slot = margay_queues_first(queues, 0, PROBATION);
    return slot == MARGAY_NO_SLOT ? margay_queues_first(queues, 0, PROTECTED)
                                  : slot;
}

MARGAY_OBJECT_POLICY_LOOPS(slru, MARGAY_POLICY_CALLS)

const struct margay_policy margay_policy_slru = {
    .info = {.name = "slru",
             .parameters = "protected=0.8|0..1",
             .help = "the least recently used block goes of those not hit "
                     "since they came",
             .source = "Karedla et al. 1994",
             .abilities =
                 MARGAY_POLICY_FOR_OBJECTS | MARGAY_POLICY_FOR_REQUESTS},
    MARGAY_OBJECT_POLICY_MEMBERS(slru),
    MARGAY_QUEUES_MEMBERS,
    .victim = victim,
};
