/*
 * hyperbolic.c - evicts what was used least often for the time it is there
 *
 * The value of a block is its number of uses since it came in, divided by the
 * references since then and, of objects, by its bytes.  It falls as long as the
 * block is not used, so that blocks which are just as old are not alike, and no
 * order of them is kept: of a sample, the block of the least value goes.
 *
 * Source: Blankstein, Sen and Freedman, "Hyperbolic caching: flexible caching
 *   for web applications", USENIX ATC 2017, with a cost of 1 for each miss.
 *   What is chosen here:
 *   - Of `sample` blocks or fewer all are looked at, and of the same value the
 *     one goes that is looked at first.
 *   - An object of no bytes counts as one of 1 byte.
 *
 * Cost: proportional to the sample; 16 bytes for each way, 24 for each object.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/held.h"

struct block {
    uint64_t came, uses;
};

struct state {
    struct margay_held held;
    uint32_t sample;
    uint64_t slots, now;
    const uint64_t *sizes; /* [slot]; NULL = all have the same */
    struct block *blocks;  /* [set][slot] */
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    margay_held_set_up(&state->held, setup, layout);
    state->sample = (uint32_t)setup->settings.counts[0];
    state->slots = setup->slots;
    state->sizes = setup->sizes;
    state->blocks = margay_lay_out(layout, setup->sets * setup->slots *
                                               sizeof(struct block));
}

static inline void hit(void *context, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    struct state *state = context;
    (void)use;
    state->now++;
    state->blocks[set * state->slots + slot].uses++;
}

static inline double value_of(const void *context, uint64_t set, uint32_t slot,
                              const struct margay_use *use)
{
    const struct state *state = context;
    const struct block *block = &state->blocks[set * state->slots + slot];
    double bytes =
        use->sized && state->sizes[slot] > 0 ? (double)state->sizes[slot] : 1;
    return (double)block->uses /
           ((double)(state->now - block->came + 1) * bytes);
}

static MARGAY_ALWAYS_INLINE uint32_t evict(void *context, uint64_t set,
                                           const struct margay_use *use)
{
    struct state *state = context;
    uint32_t slot = margay_held_least(&state->held, state, set, state->sample,
                                      use, value_of);
    if (use->sized)
        margay_held_take(&state->held, slot);
    return slot;
}

static MARGAY_ALWAYS_INLINE void insert(void *context, uint64_t set,
                                        uint32_t slot,
                                        const struct margay_use *use)
{
    struct state *state = context;
    state->blocks[set * state->slots + slot] = (struct block){++state->now, 1};
    if (use->sized)
        margay_held_add(&state->held, slot);
}

MARGAY_OBJECT_POLICY_LOOPS(hyperbolic, MARGAY_POLICY_CALLS)

const struct margay_policy margay_policy_hyperbolic = {
    .info = {.name = "hyperbolic",
             .parameters = "sample=64",
             .help = "the block goes of the fewest uses for its time and bytes",
             .source = "Blankstein et al. 2017",
             .abilities = MARGAY_POLICY_FOR_OBJECTS},
    .parameters = {{"sample", "64|1..65536", MARGAY_COUNT}},
    MARGAY_OBJECT_POLICY_MEMBERS(hyperbolic),
    .remove = margay_held_remove,
};
