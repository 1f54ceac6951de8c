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
 *   one bit for each way, 8 bytes for a set at least, and 8 for each object.
 */
#include "assoc/policies/bits.h"
#include "assoc/policies/circle.h"
#include "assoc/policies/objects.h"

struct state {
    struct margay_circle circle;
    struct margay_bits chances;
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    margay_circle_set_up(&state->circle, setup, layout);
    margay_bits_set_up(&state->chances, setup->sets, setup->slots, layout);
}

static inline void hit(void *context, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    struct state *state = context;
    (void)use;
    margay_bits_set(&state->chances, set, slot);
}

static MARGAY_ALWAYS_INLINE uint32_t evict(void *context, uint64_t set,
                                           const struct margay_use *use)
{
    struct state *state = context;
    struct margay_circle *circle = &state->circle;
    uint32_t slot;
    while (slot = margay_circle_oldest(circle, set, use->sized),
           margay_bits_clear(&state->chances, set, slot) ||
               (use->sized && slot == use->memory))
        margay_circle_pass(circle, set, use->sized);
    return margay_circle_take(circle, set, use->sized);
}

static MARGAY_ALWAYS_INLINE void insert(void *context, uint64_t set,
                                        uint32_t slot,
                                        const struct margay_use *use)
{
    struct state *state = context;
    margay_circle_add(&state->circle, set, slot, use->sized);
}

/* The next block takes its turn, without its chance; an object has none. */
static void remove_slot(void *context, uint64_t set, uint32_t slot)
{
    struct state *state = context;
    margay_bits_clear(&state->chances, set, slot);
    margay_circle_remove(&state->circle, set, slot);
}

MARGAY_OBJECT_POLICY_LOOPS(.hit = hit, .evict = evict, .insert = insert)

const struct margay_policy margay_policy_clock = {
    .info = {.name = "clock",
             .parameters = "",
             .help = "the block goes that came first, unless it was hit since",
             .source = "Corbato 1968",
             .abilities = MARGAY_POLICY_FOR_OBJECTS},
    .state_bytes = sizeof(struct state),
    .set_up = set_up,
    .loops = MARGAY_POLICY_LOOPS_OF_FORMS,
    .remove = remove_slot,
    .feed_objects = feed_objects,
};
