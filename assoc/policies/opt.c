/*
 * opt.c - evicts the block whose next use is the furthest away
 *
 * With bypass=on the block that misses takes part in the choice: if its next
 * use is the furthest away, the cache does not keep it.
 *
 * Source: Belady, "A study of replacement algorithms for a virtual-storage
 *   computer", IBM Systems J. 5(2), 1966.
 *
 * Guarantee: no policy misses less.  Of blocks that are never used again the
 *   one in the lowest slot is evicted.
 *
 * Cost: up to 64 ways, one step for each way per eviction; beyond, about 64
 *   steps for each level of 64; 8 bytes for each way.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/peaks.h"

struct state {
    struct margay_peaks next_uses;
    bool bypass;
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    state->bypass = setup->settings.choices[0] == 1;
    margay_peaks_set_up(&state->next_uses, setup->sets, setup->ways, layout);
}

static inline void note(void *context, uint64_t set, uint32_t slot,
                        const struct margay_use *use)
{
    struct state *state = context;
    margay_peaks_set(&state->next_uses, set, slot, use->next_use);
}

static inline uint32_t evict(void *context, uint64_t set,
                             const struct margay_use *use)
{
    const struct state *state = context;
    uint32_t last = margay_peaks_highest(&state->next_uses, set);
    if (state->bypass &&
        use->next_use >= margay_peaks_key(&state->next_uses, set, last))
        return MARGAY_NO_SLOT;
    return last;
}

MARGAY_POLICY_LOOPS(.hit = note, .evict = evict, .insert = note)

const struct margay_policy margay_policy_opt = {
    .info = {.name = "opt",
             .parameters = "bypass=off|on",
             .help = "the block goes that is used again last",
             .source = "Belady 1966",
             .abilities = MARGAY_POLICY_STACK | MARGAY_POLICY_NEEDS_FUTURE},
    .parameters = {{"bypass", "off|on", MARGAY_CHOICE}},
    .state_bytes = sizeof(struct state),
    .set_up = set_up,
    .loops = MARGAY_POLICY_LOOPS_OF_FORMS,
};
