/*
 * srrip.c - static RRIP: evicts a block predicted to be used far from now
 *
 * A new block is predicted to be used after a long time (rrip.h).
 *
 * Source: Jaleel et al. 2010, SRRIP-HP with 2 bits.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/rrip.h"

static void set_up(void *rrip, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    margay_rrip_set_up(rrip, setup, layout);
}

static inline void insert(void *rrip, uint64_t set, uint32_t slot,
                          const struct margay_use *use)
{
    (void)use;
    margay_rrip_predict(rrip, set, slot, MARGAY_RRIP_LONG);
}

MARGAY_POLICY_LOOPS(.hit = margay_rrip_hit, .evict = margay_rrip_evict,
                    .insert = insert)

const struct margay_policy margay_policy_srrip = {
    .info = {.name = "srrip",
             .parameters = "",
             .help = "a block goes that is predicted to be used far from now",
             .source = "Jaleel et al. 2010",
             .abilities = MARGAY_POLICY_FOR_SETS},
    .state_bytes = sizeof(struct margay_rrip),
    .set_up = set_up,
    .loops = MARGAY_POLICY_LOOPS_OF_FORMS,
};
