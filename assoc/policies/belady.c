/*
 * belady.c - belady-size: evicts the object with the most room for the longest
 * time
 *
 * Of objects with sizes, the one goes whose bytes times the requests until its
 * next one are most; an object that is not requested again goes first.  This is
 * no optimum, which is too costly to find where sizes differ: see pfoo-l and
 * pfoo-u (policies_future.c).  Of objects of one size it is one.
 *
 * Source: Belady 1966; as a plain policy for objects it is in libCacheSim.
 *   What is chosen here: of more than `sample` objects, that many are drawn at
 *   random, as the products change with every request.
 *
 * Cost: proportional to the sample; 16 bytes for each object.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/held.h"

struct state {
    struct margay_held held;
    uint32_t sample;
    uint64_t *nexts; /* [slot]: its next request */
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    margay_held_set_up(&state->held, setup, layout);
    state->sample = (uint32_t)setup->settings.counts[0];
    state->nexts = margay_lay_out(layout, setup->slots * sizeof(uint64_t));
}

static inline void hit(void *context, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    struct state *state = context;
    (void)set;
    state->nexts[slot] = use->next;
}

static inline double value_of(const void *context, uint64_t set, uint32_t slot,
                              const struct margay_use *use)
{
    const struct state *state = context;
    (void)set;
    if (state->nexts[slot] == UINT64_MAX)
        return -HUGE_VAL;
    return -(double)margay_amount(state->held.sizes, slot) *
           (double)(state->nexts[slot] - use->now);
}

static MARGAY_ALWAYS_INLINE uint32_t evict(void *context, uint64_t set,
                                           const struct margay_use *use)
{
    struct state *state = context;
    return margay_held_evict(&state->held, set, state->sample, use, value_of);
}

static MARGAY_ALWAYS_INLINE void insert(void *context, uint64_t set,
                                        uint32_t slot,
                                        const struct margay_use *use)
{
    struct state *state = context;
    hit(state, set, slot, use);
    margay_held_add(&state->held, slot);
}

MARGAY_OBJECT_LOOP(belady, MARGAY_POLICY_CALLS)

const struct margay_policy margay_policy_belady_size = {
    .info = {.name = "belady-size",
             .parameters = "sample=128|1..65536",
             .help = "the object goes of the most bytes times requests until "
                     "its next one",
             .source = "Belady 1966",
             .abilities = MARGAY_POLICY_FOR_OBJECTS |
                          MARGAY_POLICY_ONLY_OBJECTS |
                          MARGAY_POLICY_NEEDS_FUTURE},
    .state_bytes = sizeof(struct state),
    .set_up = set_up,
    .remove = margay_held_remove,
    .feed_objects = belady_feed_objects,
};
