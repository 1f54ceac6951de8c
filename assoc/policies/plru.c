/*
 * plru.c - evicts the block at which the bits of a tree point
 *
 * A binary tree over the slots of a set, a power of two of them, has a bit at
 * each inner node: 1 points to the right.  A reference makes the bits on the
 * path to its slot point away from it, and the victim is the slot that the bits
 * lead to from the root.  Node 1 is the root, node i has the children 2i and
 * 2i + 1, and the slots are the nodes from `ways` on.
 *
 * Source: So and Rechtschaffen, "Cache operations by MRU change", IEEE Trans.
 *   Computers 37(6), 1988.
 *
 * Cost: log2(ways) steps; one bit for each way, 8 bytes for a set at least.
 */
#include "assoc/policies/bits.h"
#include "assoc/policies/cache.h"

struct state {
    uint64_t ways;
    struct margay_bits bits;
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    state->ways = setup->ways;
    margay_bits_set_up(&state->bits, setup->sets, setup->ways, layout);
}

static inline void point_away(void *context, uint64_t set, uint32_t slot,
                              const struct margay_use *use)
{
    const struct state *state = context;
    uint64_t *words = margay_bits_of(&state->bits, set);
    uint64_t node = state->ways + slot;
    uint64_t at = node / 2 / 64, word = words[at];
    (void)use;
    for (; node > 1; node /= 2) {
        uint64_t parent = node / 2, bit = UINT64_C(1) << parent % 64;
        if (parent / 64 != at) {
            words[at] = word;
            at = parent / 64;
            word = words[at];
        }
        word = node % 2 == 0 ? word | bit : word & ~bit;
    }
    words[at] = word;
}

static inline uint32_t evict(void *context, uint64_t set,
                             const struct margay_use *use)
{
    const struct state *state = context;
    const uint64_t *words = margay_bits_of(&state->bits, set);
    uint64_t node = 1;
    (void)use;
    while (node < state->ways)
        node = 2 * node + (words[node / 64] >> node % 64 & 1);
    return (uint32_t)(node - state->ways);
}

MARGAY_POLICY_LOOPS(plru, .hit = point_away, .evict = evict,
                    .insert = point_away)

const struct margay_policy margay_policy_plru = {
    .info = {.name = "plru",
             .parameters = "",
             .help = "the block goes to which the bits of a tree point",
             .source = "So and Rechtschaffen 1988",
             .abilities = MARGAY_POLICY_POWERS_OF_TWO | MARGAY_POLICY_FOR_SETS},
    .state_bytes = sizeof(struct state),
    .set_up = set_up,
    .loops = plru_loops,
};
