/*
 * clock.c - evicts the next block that has no second chance
 *
 * The slots of a set stand in a circle, in the order in which their blocks
 * came.  A hit gives a block a second chance.  The hand, which starts at the
 * oldest block, takes that chance from each block it passes and stops at the
 * first that has none; a new block takes the place of that one, behind the
 * hand, without a second chance.
 * Source: Corbato, "A paging experiment with the Multics system", MIT Project
 *   MAC Report MAC-M-384, 1968.  Others give a new block its chance at once.
 * Cost: constant on average, as the hand takes no more chances than hits gave;
 *   one bit for each way, 8 bytes for a set at least.
 */
#include "assoc/policies/bits.h"
#include "assoc/policies/cache.h"

static uint64_t bytes(uint64_t sets, uint32_t ways)
{
    return margay_bits_bytes(sets, ways) + sets * sizeof(uint32_t);
}

static enum margay_status create(const struct margay_policy_setup *setup,
                                 void **chances, struct margay_error *error)
{
    return margay_bits_create(setup, sizeof(uint32_t), chances, error);
}

static inline void hit(void *chances, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    (void)use;
    margay_bits_set(chances, set, slot);
}

static inline uint32_t evict(void *context, uint64_t set,
                             const struct margay_use *use)
{
    struct margay_bits *chances = context;
    uint32_t *hands = chances->of_sets; /* [set]: the slot it points at */
    uint32_t ways = chances->slots, hand = hands[set];
    (void)use;
    while (margay_bits_clear(chances, set, hand))
        hand = hand + 1 == ways ? 0 : hand + 1;
    hands[set] = hand + 1 == ways ? 0 : hand + 1;
    return hand;
}

static inline void insert(void *state, uint64_t set, uint32_t slot,
                          const struct margay_use *use)
{
    (void)state, (void)set, (void)slot, (void)use;
}

MARGAY_POLICY_LOOPS(hit, evict, insert)

const struct margay_policy margay_policy_clock = {
    .info = {.name = "clock",
             .parameters = "",
             .help = "the block goes that came first, unless it was hit since",
             .source = "Corbato 1968"},
    .bytes = bytes,
    .create = create,
    .free_state = margay_bits_free,
    .feed = MARGAY_POLICY_FEEDS,
};
