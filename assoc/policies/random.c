/*
 * random.c - evicts any block, all with the same probability
 *
 * Source: Belady 1966.
 * Cost: constant; nothing for each way.
 */
#include <stdlib.h>

#include "assoc/policies/cache.h"

struct state {
    struct margay_random random;
    uint32_t ways;
};

static uint64_t bytes(uint64_t sets, uint32_t ways)
{
    (void)sets, (void)ways;
    return 0;
}

static enum margay_status create(const struct margay_policy_setup *setup,
                                 void **result, struct margay_error *error)
{
    struct state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return margay_fail_memory(error, "a cache");
    margay_random_seed(&state->random, setup->seed);
    state->ways = setup->ways;
    *result = state;
    return MARGAY_OK;
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

MARGAY_POLICY_LOOPS(ignore, evict, ignore)

const struct margay_policy margay_policy_random = {
    .info = {.name = "random",
             .parameters = "",
             .help = "any block goes",
             .source = "Belady 1966"},
    .bytes = bytes,
    .create = create,
    .free_state = free,
    .feed = MARGAY_POLICY_FEEDS,
};
