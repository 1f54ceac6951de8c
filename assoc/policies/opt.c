/*
 * opt.c - evicts the block whose next use is the furthest away
 *
 * With bypass=on the block that misses takes part in the choice: if its next
 * use is the furthest away, the cache does not keep it. Source: Belady, "A
 * study of replacement algorithms for a virtual-storage computer", IBM Systems
 * J. 5(2), 1966. Guarantee: no policy misses less.  Of blocks that are never
 * used again the one in the lowest slot is evicted. Cost: up to 64 ways, one
 * step for each way per eviction; beyond, about 64 steps for each level of 64;
 * 8 bytes for each way.
 */
#include <stdlib.h>

#include "assoc/policies/cache.h"
#include "assoc/policies/peaks.h"

struct state {
    struct margay_peaks next_uses;
    bool bypass;
};

static void free_state(void *context)
{
    struct state *state = context;
    margay_peaks_destroy(&state->next_uses);
    free(state);
}

static enum margay_status create(const struct margay_policy_setup *setup,
                                 void **result, struct margay_error *error)
{
    struct state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return margay_fail_memory(error, "a cache");
    state->bypass = setup->settings.choices[0] == 1;
    enum margay_status status =
        margay_peaks_create(&state->next_uses, setup->sets, setup->ways, error);
    if (status == MARGAY_OK)
        *result = state;
    else
        free_state(state);
    return status;
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

MARGAY_POLICY_LOOPS(note, evict, note)

const struct margay_policy margay_policy_opt = {
    .info = {.name = "opt",
             .parameters = "bypass=off|on",
             .help = "the block goes that is used again last",
             .source = "Belady 1966",
             .abilities = MARGAY_POLICY_STACK | MARGAY_POLICY_NEEDS_FUTURE},
    .parameters = {{"bypass", "off|on", MARGAY_CHOICE}},
    .bytes = margay_peaks_bytes,
    .create = create,
    .free_state = free_state,
    .feed = MARGAY_POLICY_FEEDS,
};
