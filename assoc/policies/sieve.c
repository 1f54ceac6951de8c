/*
 * sieve.c - evicts the next block that was not hit since the hand passed it
 *
 * The blocks of a set stand in a line, in the order in which they came, and a
 * hit marks its block.  The hand goes from the oldest towards the newest, takes
 * the mark from each block it passes, and evicts the first that has none; it
 * then points at the next newer block.  From the newest it returns to the
 * oldest.  A new block stands at the newest end; the hand may be anywhere.
 *
 * Source: Zhang, Yang, Yue, Vigfusson and Rashmi, "SIEVE is simpler than LRU",
 *   NSDI 2024, algorithm 1.  When the newest block is evicted, the hand starts
 *   again at the oldest one, not at the block that comes in next.
 *
 * Cost: constant on average, as the hand takes no more marks than hits gave; 9
 *   bytes for each way, 8 bytes for a set.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/order.h"

struct state {
    struct margay_order order; /* the oldest first */
    uint32_t *hands;           /* [set]: the slot plus 1; 0: the oldest */
    uint64_t slots;
    bool *marks; /* [set][slot] */
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    margay_order_set_up(&state->order, setup->sets, setup->slots, 1, layout);
    state->slots = setup->slots;
    state->marks = margay_lay_out(layout, setup->sets * setup->slots);
    state->hands = margay_lay_out(layout, setup->sets * sizeof(uint32_t));
}

static inline void hit(void *context, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    struct state *state = context;
    (void)use;
    state->marks[set * state->slots + slot] = true;
}

static MARGAY_ALWAYS_INLINE uint32_t evict(void *context, uint64_t set,
                                           const struct margay_use *use)
{
    struct state *state = context;
    struct margay_order *order = &state->order;
    bool *marks = state->marks + set * state->slots;
    uint32_t oldest = margay_order_first(order, set, 0);
    uint32_t hand = state->hands[set] == 0 ? oldest : state->hands[set] - 1;
    for (; marks[hand] || (use->sized && hand == use->memory);
         hand = margay_order_next(order, set, hand))
        marks[hand] = false;
    /* The ring leads from the newest block to the oldest.  Of a single way the
       next block comes into the slot that the hand points at; the next object,
       where there was one, has another slot. */
    uint32_t next = margay_order_next(order, set, hand);
    state->hands[set] = use->sized && next == hand ? 0 : next + 1;
    margay_order_remove(order, set, 0, hand);
    return hand;
}

static inline void insert(void *context, uint64_t set, uint32_t slot,
                          const struct margay_use *use)
{
    struct state *state = context;
    (void)use;
    margay_order_append(&state->order, set, 0, slot);
}

/* A hand that points at the block moves on, as after an eviction. */
static void remove_slot(void *context, uint64_t set, uint32_t slot)
{
    struct state *state = context;
    uint32_t next = margay_order_next(&state->order, set, slot);
    if (state->hands[set] == slot + 1)
        state->hands[set] = next == slot ? 0 : next + 1;
    state->marks[set * state->slots + slot] = false;
    margay_order_remove(&state->order, set, 0, slot);
}

MARGAY_OBJECT_POLICY_LOOPS(sieve, MARGAY_POLICY_CALLS)

const struct margay_policy margay_policy_sieve = {
    .info = {.name = "sieve",
             .parameters = "",
             .help = "the next block goes that was not hit since the hand's "
                     "last round",
             .source = "Zhang et al. 2024",
             .abilities = MARGAY_POLICY_FOR_OBJECTS},
    MARGAY_OBJECT_POLICY_MEMBERS(sieve),
    .remove = remove_slot,
};
