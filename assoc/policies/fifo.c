/*
 * fifo.c - evicts the block that came in first
 *
 * The slots of a set stand in a circle, in the order in which their blocks
 * came, and a hand goes round with the evictions.
 *
 * Source: Belady 1966.
 *
 * Cost: constant; 4 bytes for each set.
 */
#include <stdlib.h>

#include "assoc/policies/cache.h"

struct state {
    uint64_t sets;
    uint32_t ways;
    uint32_t *hands; /* [set]: the slot whose block came first */
};

static uint64_t bytes(uint64_t sets, uint32_t ways)
{
    (void)ways;
    return sets * sizeof(uint32_t);
}

static void free_state(void *context)
{
    struct state *state = context;
    margay_unmap(state->hands, bytes(state->sets, state->ways));
    free(state);
}

static enum margay_status create(const struct margay_policy_setup *setup,
                                 void **result, struct margay_error *error)
{
    struct state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return margay_fail_memory(error, "a cache");
    state->sets = setup->sets;
    state->ways = setup->ways;
    state->hands = margay_map(bytes(state->sets, state->ways));
    if (state->hands == NULL) {
        free_state(state);
        return margay_fail_memory(error, "a cache");
    }
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
    uint32_t oldest = state->hands[set];
    (void)use;
    state->hands[set] = oldest + 1 == state->ways ? 0 : oldest + 1;
    return oldest;
}

MARGAY_POLICY_LOOPS(ignore, evict, ignore)

const struct margay_policy margay_policy_fifo = {
    .info = {.name = "fifo",
             .parameters = "",
             .help = "the block that came first goes",
             .source = "Belady 1966"},
    .bytes = bytes,
    .create = create,
    .free_state = free_state,
    .feed = MARGAY_POLICY_FEEDS,
};
