/*
 * brrip.c - bimodal RRIP: as srrip, but few new blocks are expected to stay
 *
 * A new block is predicted to be used in the distant future, and every 32nd
 * after a long time (rrip.h).
 *
 * Source: Jaleel et al. 2010, with a probability of 1/32.  What is chosen here:
 *   a count of the blocks that come into any set of the cache takes the place
 *   of chance, so that a run can be repeated.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/rrip.h"

struct state {
    struct margay_rrip rrip;
    uint32_t count;
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    margay_rrip_set_up(&state->rrip, setup, layout);
}

static inline void insert(void *context, uint64_t set, uint32_t slot,
                          const struct margay_use *use)
{
    struct state *state = context;
    (void)use;
    margay_rrip_predict(&state->rrip, set, slot,
                        margay_rrip_bimodal(&state->count));
}

MARGAY_POLICY_LOOPS(.hit = margay_rrip_hit, .evict = margay_rrip_evict,
                    .insert = insert)

const struct margay_policy margay_policy_brrip = {
    .info = {.name = "brrip",
             .parameters = "",
             .help = "as srrip, but most new blocks are not expected to stay",
             .source = "Jaleel et al. 2010",
             .abilities = MARGAY_POLICY_FOR_SETS},
    .state_bytes = sizeof(struct state),
    .set_up = set_up,
    .loops = MARGAY_POLICY_LOOPS_OF_FORMS,
};
