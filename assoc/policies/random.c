/*
 * random.c - evicts any block, all with the same probability
 *
 * Source: Belady 1966.
 * Cost: constant; nothing for each way.
 */
#include "assoc/policies/cache.h"

struct state {
    struct margay_random random;
    uint32_t ways;
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    (void)layout;
    margay_random_seed(&state->random, setup->seed);
    state->ways = setup->ways;
}

static inline void ignore(void *state, uint64_t set, uint32_t slot,
                          const struct margay_use *use)
{
    (void)state, (void)set, (void)slot, (void)use;
}

static inline uint32_t evict(void *context, uint64_t set,
                             const struct margay_use *use)
{
    struct state *state = context;
    (void)set, (void)use;
    return (uint32_t)margay_random_below(&state->random, state->ways);
}

MARGAY_POLICY_LOOPS(.hit = ignore, .evict = evict, .insert = ignore)

const struct margay_policy margay_policy_random = {
    .info = {.name = "random",
             .parameters = "",
             .help = "any block goes",
             .source = "Belady 1966"},
    .state_bytes = sizeof(struct state),
    .set_up = set_up,
    .feed = MARGAY_POLICY_FEEDS,
};
