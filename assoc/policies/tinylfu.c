/*
 * tinylfu.c - W-TinyLFU: admits a block where it is used more than the victim
 *
 * A new block enters the window, an LRU line.  When the window overflows, its
 * least recently used block asks for a place among the others, which are a
 * segmented LRU: it is admitted in the place of their victim if it was used
 * more often lately, and otherwise evicted itself.  Blocks are admitted to the
 * probation line and move to the protected one when they are hit; what the
 * protected line has too many of returns to the probation line.  The victim is
 * the least recently used block on probation.
 *
 * Source: Einziger, Friedman and Manes, "TinyLFU: a highly efficient cache
 *   admission policy", ACM Transactions on Storage 13(4), 2017, section 4.
 *   What is chosen here:
 *   - The window has `window` of the cache, rounded down, but 1 block at least,
 *     and the protected line `protected` of the rest, rounded down.
 *   - Uses are counted in a sketch of 4 bits a counter (sketch.h says how wide
 *     it is and how it ages), without a doorkeeper before it.  The use that
 *     brings a block in is counted after the choice that it causes.
 *   - Of equal frequencies the victim stays.
 *   - If nothing is on probation, the protected line has the victim.
 *   - Until the cache is full, blocks move on from the window without a choice.
 *
 * Cost: constant, and on average a tenth of a pass over the sketch's memory of
 *   8 to 16 bytes for each way; 17 bytes for each way besides.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/queues.h"
#include "assoc/policies/sketch.h"

enum queue { WINDOW, PROBATION, PROTECTED, QUEUES };

struct state {
    uint32_t ways, window, protected;
    struct margay_queues queues;
    struct margay_sketch sketch;
    uint64_t *blocks; /* [set][slot] */
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    state->ways = setup->ways;
    state->window =
        (uint32_t)margay_share_of(setup->ways, setup->settings.fractions[0]);
    state->protected = (uint32_t)margay_fraction_of(
        setup->ways - state->window, setup->settings.fractions[1]);
    margay_queues_set_up(&state->queues, setup, QUEUES, layout);
    margay_sketch_set_up(&state->sketch, setup->sets, setup->ways, layout);
    state->blocks =
        margay_lay_out(layout, setup->sets * setup->slots * sizeof(uint64_t));
}

static inline void hit(void *context, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    struct state *state = context;
    struct margay_queues *queues = &state->queues;
    margay_sketch_use(&state->sketch, set, use->block);
    if (margay_queues_where(queues, set, slot) != PROBATION) {
        margay_queues_renew(queues, set, slot);
        return;
    }
    margay_queues_enter(queues, set, PROTECTED, slot);
    if (margay_queues_length(queues, set, PROTECTED) > state->protected)
        margay_queues_enter(queues, set, PROBATION,
                            margay_queues_first(queues, set, PROTECTED));
}

static inline unsigned frequency(const struct state *state, uint64_t set,
                                 uint32_t slot)
{
    return margay_sketch_frequency(&state->sketch, set,
                                   state->blocks[set * state->ways + slot]);
}

static inline uint32_t evict(void *context, uint64_t set,
                             const struct margay_use *use)
{
    struct state *state = context;
    struct margay_queues *queues = &state->queues;
    uint32_t candidate = margay_queues_first(queues, set, WINDOW);
    uint32_t victim = margay_queues_first(queues, set, PROBATION);
    (void)use;
    if (victim == MARGAY_NO_SLOT)
        victim = margay_queues_first(queues, set, PROTECTED);
    if (victim == MARGAY_NO_SLOT ||
        frequency(state, set, candidate) <= frequency(state, set, victim)) {
        margay_queues_leave(queues, set, candidate);
        return candidate;
    }
    margay_queues_leave(queues, set, victim);
    margay_queues_enter(queues, set, PROBATION, candidate);
    return victim;
}

static inline void insert(void *context, uint64_t set, uint32_t slot,
                          const struct margay_use *use)
{
    struct state *state = context;
    struct margay_queues *queues = &state->queues;
    margay_sketch_use(&state->sketch, set, use->block);
    state->blocks[set * state->ways + slot] = use->block;
    if (margay_queues_length(queues, set, WINDOW) == state->window)
        margay_queues_enter(queues, set, PROBATION,
                            margay_queues_first(queues, set, WINDOW));
    margay_queues_enter(queues, set, WINDOW, slot);
}

static void remove_slot(void *context, uint64_t set, uint32_t slot)
{
    struct state *state = context;
    margay_queues_leave(&state->queues, set, slot);
}

MARGAY_POLICY_LOOPS(.hit = hit, .evict = evict, .insert = insert)

const struct margay_policy margay_policy_tinylfu = {
    .info = {.name = "tinylfu",
             .parameters = "window=0.01,protected=0.8",
             .help = "the least recently used block goes, of a small window or "
                     "of the others, whichever was used less often",
             .source = "Einziger et al. 2017"},
    .parameters = {{"window", "0.01|0..1", MARGAY_FRACTION},
                   {"protected", "0.8|0..1", MARGAY_FRACTION}},
    .state_bytes = sizeof(struct state),
    .set_up = set_up,
    .loops = MARGAY_POLICY_LOOPS_OF_FORMS,
    .remove = remove_slot,
};
