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
#include "assoc/policies/cache.h"

struct state {
    uint32_t ways;
    uint32_t *hands; /* [set]: the slot whose block came first */
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    state->ways = setup->ways;
    state->hands = margay_lay_out(layout, setup->sets * sizeof(uint32_t));
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

MARGAY_POLICY_LOOPS(.hit = ignore, .evict = evict, .insert = ignore)

const struct margay_policy margay_policy_fifo = {
    .info = {.name = "fifo",
             .parameters = "",
             .help = "the block that came first goes",
             .source = "Belady 1966"},
    .state_bytes = sizeof(struct state),
    .set_up = set_up,
    .feed = MARGAY_POLICY_FEEDS,
};
