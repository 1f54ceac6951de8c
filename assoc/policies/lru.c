/*
 * lru.c - evicts the least recently used block
 *
 * The line of a set is in the order of the last use, the oldest first.
 * Source: Mattson et al. 1970.
 * Cost: constant; 8 bytes for each way.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/order.h"

static void set_up(void *order, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    margay_order_set_up(order, setup->sets, setup->slots, 1, layout);
}

static inline void hit(void *order, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    (void)use;
    margay_order_renew(order, set, 0, slot);
}

/* A block stays in the line until another one comes into its slot.  An object
   that has grown is the most recently used one, and not alone. */
static MARGAY_ALWAYS_INLINE uint32_t evict(void *order, uint64_t set,
                                           const struct margay_use *use)
{
    uint32_t slot = margay_order_first(order, set, 0);
    if (use->sized)
        margay_order_remove(order, set, 0, slot);
    return slot;
}

static inline void insert(void *order, uint64_t set, uint32_t slot,
                          const struct margay_use *use)
{
    (void)use;
    if (margay_order_has(order, set, slot))
        margay_order_renew(order, set, 0, slot);
    else
        margay_order_append(order, set, 0, slot);
}

static void remove_slot(void *order, uint64_t set, uint32_t slot)
{
    margay_order_remove(order, set, 0, slot);
}

MARGAY_OBJECT_POLICY_LOOPS(lru, MARGAY_POLICY_CALLS)

const struct margay_policy margay_policy_lru = {
    .info = {.name = "lru",
             .parameters = "",
             .help = "the least recently used block goes",
             .source = "Mattson et al. 1970",
             .abilities = MARGAY_POLICY_STACK | MARGAY_POLICY_FOR_OBJECTS |
                          MARGAY_POLICY_FOR_REQUESTS},
    MARGAY_OBJECT_POLICY_MEMBERS_OF(lru, set_up, struct margay_order),
    .idle_repeats = true,
    .remove = remove_slot,
    .victim = margay_order_victim,
};
