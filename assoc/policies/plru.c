/*
 * plru.c - evicts the block at which the bits of a tree point
 *
 * A binary tree over the slots of a set, a power of two of them, has a bit at
 * each inner node: 1 points to the right.  A reference makes the bits on the
 * path to its slot point away from it, and the victim is the slot that the bits
 * lead to from the root.  Node 1 is the root, node i has the children 2i and
 * 2i + 1, and the slots are the nodes from `leaves` on.
 *
 * Other even numbers of ways are several trees, each of as many slots as the
 * largest power of two that divides the number; the victim is in the tree that
 * was used least recently.  So 12 ways are three trees of 4.
 *
 * Source: So and Rechtschaffen, "Cache operations by MRU change", IEEE Trans.
 *   Computers 37(6), 1988; of several trees, what Abel and Reineke measured of
 *   the first level of Ice Lake (uops.info, LRU3PLRU4).
 *
 * Cost: log2(ways) steps, and one for each of several trees; one bit for each
 *   way, 8 bytes for a set at least, and 8 for each of several trees.
 */
#include "assoc/policies/bits.h"
#include "assoc/policies/cache.h"

struct state {
    uint64_t leaves, trees; /* of a tree; of a set */
    struct margay_bits bits;
    uint64_t *used; /* [set][tree]: when; NULL = there is one tree */
    uint64_t now;
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    state->leaves = setup->ways & -setup->ways;
    state->trees = setup->ways / state->leaves;
    margay_bits_set_up(&state->bits, setup->sets, setup->ways, layout);
    if (state->trees > 1)
        state->used = margay_lay_out(layout, setup->sets * state->trees *
                                                 sizeof *state->used);
}

static inline void point_away(void *context, uint64_t set, uint32_t slot,
                              const struct margay_use *use)
{
    struct state *state = context;
    uint64_t *words = margay_bits_of(&state->bits, set);
    uint64_t base = slot & -state->leaves;
    uint64_t node = state->leaves + (slot - base);
    uint64_t at = (base + node / 2) / 64, word = words[at];
    (void)use;
    if (state->trees > 1)
        state->used[set * state->trees + slot / state->leaves] = ++state->now;
    for (; node > 1; node /= 2) {
        uint64_t parent = base + node / 2, bit = UINT64_C(1) << parent % 64;
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
    uint64_t node = 1, tree = 0;
    (void)use;
    for (uint64_t i = 1; i < state->trees; i++) {
        const uint64_t *used = state->used + set * state->trees;
        tree = used[i] < used[tree] ? i : tree;
    }
    uint64_t base = tree * state->leaves;
    while (node < state->leaves)
        node = 2 * node + (words[(base + node) / 64] >> (base + node) % 64 & 1);
    return (uint32_t)(base + node - state->leaves);
}

MARGAY_POLICY_LOOPS(plru, .hit = point_away, .evict = evict,
                    .insert = point_away)

const struct margay_policy margay_policy_plru = {
    .info = {.name = "plru",
             .parameters = "",
             .help = "the block goes to which the bits of a tree point",
             .source = "So and Rechtschaffen 1988",
             .abilities = MARGAY_POLICY_EVEN_WAYS | MARGAY_POLICY_FOR_SETS},
    MARGAY_POLICY_MEMBERS(plru),
    .idle_repeats = true,
};
