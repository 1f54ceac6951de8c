/*
 * lru.c - evicts the least recently used block
 *
 * The line of a set is in the order of the last use, the oldest first.
 * Source: Mattson et al. 1970.
 * Cost: constant; 8 bytes for each way.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/order.h"

static inline void hit(void *state, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    (void)use;
    margay_order_renew(state, set, slot);
}

static inline uint32_t evict(void *state, uint64_t set,
                             const struct margay_use *use)
{
    (void)use;
    return margay_order_first(state, set);
}

static inline void insert(void *state, uint64_t set, uint32_t slot,
                          const struct margay_use *use)
{
    (void)use;
    margay_order_put_last(state, set, slot);
}

MARGAY_POLICY_LOOPS(hit, evict, insert)

const struct margay_policy margay_policy_lru = {
    .info = {.name = "lru",
             .parameters = "",
             .help = "the least recently used block goes",
             .source = "Mattson et al. 1970",
             .abilities = MARGAY_POLICY_STACK},
    .bytes = margay_order_bytes,
    .create = margay_order_create,
    .free_state = margay_order_free,
    .feed = MARGAY_POLICY_FEEDS,
};
