/*
 * random.c - evicts any block, all with the same probability
 *
 * Source: Belady 1966.
 * Cost: constant; nothing for each way, 8 bytes for each object.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/held.h"

static MARGAY_ALWAYS_INLINE uint32_t evict(void *held, uint64_t set,
                                           const struct margay_use *use)
{
    uint32_t slot;
    (void)set;
    do
        slot = margay_held_any(held, use->sized);
    while (slot == margay_use_grown(use));
    if (use->sized)
        margay_held_take(held, slot);
    return slot;
}

static MARGAY_ALWAYS_INLINE void insert(void *held, uint64_t set, uint32_t slot,
                                        const struct margay_use *use)
{
    (void)set;
    if (use->sized)
        margay_held_add(held, slot);
}

MARGAY_OBJECT_POLICY_LOOPS(random, .hit = margay_no_hit, .evict = evict,
                           .insert = insert)

const struct margay_policy margay_policy_random = {
    .info = {.name = "random",
             .parameters = "",
             .help = "any block goes",
             .source = "Belady 1966",
             .abilities = MARGAY_POLICY_FOR_OBJECTS},
    MARGAY_OBJECT_POLICY_MEMBERS_OF(random, margay_held_set_up,
                                    struct margay_held),
    .idle_repeats = true,
    .remove = margay_held_remove,
};
