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
    margay_order_set_up(order, setup->sets, setup->ways, 1, layout);
}

static inline void hit(void *order, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    (void)use;
    margay_order_renew(order, set, 0, slot);
}

/* The block stays in the line until another one comes into its slot. */
static inline uint32_t evict(void *order, uint64_t set,
                             const struct margay_use *use)
{
    (void)use;
    return margay_order_first(order, set, 0);
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

MARGAY_POLICY_LOOPS(.hit = hit, .evict = evict, .insert = insert)

const struct margay_policy margay_policy_lru = {
    .info = {.name = "lru",
             .parameters = "",
             .help = "the least recently used block goes",
             .source = "Mattson et al. 1970",
             .abilities = MARGAY_POLICY_STACK | MARGAY_POLICY_SETS_APART},
    .state_bytes = sizeof(struct margay_order),
    .set_up = set_up,
    .loops = MARGAY_POLICY_LOOPS_OF_FORMS,
};
