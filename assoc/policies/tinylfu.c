/*
 * tinylfu.c - W-TinyLFU: admits a block that is used more than the victim
 *
 * A new block enters the window, an LRU line.  When the window overflows, its
 * least recently used block asks for a place among the others, which are a
 * segmented LRU: it is admitted instead of their victim if it was used more
 * often lately, and otherwise evicted itself.  Blocks are admitted to the
 * probation line and move to the protected one when they are hit; the surplus
 * of the protected line returns to the probation line.  The victim is the least
 * recently used block on probation.
 *
 * Source: Einziger, Friedman and Manes, "TinyLFU: a highly efficient cache
 *   admission policy", ACM Transactions on Storage 13(4), 2017, section 4.
 *   What is chosen here:
 *   - The window has `window` of the cache, rounded down, but 1 block at least,
 *     and the protected line `protected` of the rest, rounded down.
 *   - Uses are counted in the sketch (sketch.h), of 4 bits a counter, without a
 *     doorkeeper before it.  The use that brings a block in is counted after
 *     the choice that it causes.
 *   - Of equal frequencies the victim stays.
 *   - If nothing is on probation, the protected line has the victim.
 *   - Until the cache is full, blocks move on from the window without a choice.
 *   - Of objects with sizes, the shares are bytes, and the sketch is that of as
 *     many objects of their mean size as there is room for.  An object moves on
 *     as long as the others leave room for it, and asks where the window has
 *     too little for the new one; otherwise the victim goes.  One that has
 *     grown does not ask.
 *
 * Cost: constant, and on average a tenth of a pass over the sketch's memory of
 *   8 to 16 bytes for each way; 17 bytes for each way besides.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/order.h"

enum queue { WINDOW, PROBATION, PROTECTED, QUEUES };

struct state {
    struct margay_queues queues;
    uint64_t ways, room, window, protected;
    struct margay_sketch sketch;
    uint64_t *blocks; /* [set][slot]; of objects, the slot is the number */
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    state->ways = setup->ways;
    state->room = setup->room;
    state->window = margay_share_of(setup->room, setup->settings.fractions[0]);
    state->protected = margay_fraction_of(setup->room - state->window,
                                          setup->settings.fractions[1]);
    margay_queues_set_up(&state->queues, setup, QUEUES, layout);
    margay_sketch_set_up(&state->sketch, setup->sets, setup->ways, layout);
    if (setup->sizes == NULL)
        state->blocks = margay_lay_out(layout, setup->sets * setup->slots *
                                                   sizeof(uint64_t));
}

static MARGAY_ALWAYS_INLINE void hit(void *context, uint64_t set, uint32_t slot,
                                     const struct margay_use *use)
{
    struct state *state = context;
    struct margay_queues *queues = &state->queues;
    margay_sketch_use(&state->sketch, set, use->block);
    if (margay_queues_where(queues, set, slot) == WINDOW)
        margay_queues_renew(queues, set, slot);
    else
        margay_queues_protect(queues, set, slot, PROBATION, PROTECTED,
                              state->protected, use->sized);
}

static MARGAY_ALWAYS_INLINE unsigned frequency(const struct state *state,
                                               uint64_t set, uint32_t slot,
                                               bool sized)
{
    uint64_t block = sized ? slot : state->blocks[set * state->ways + slot];
    return margay_sketch_frequency(&state->sketch, set, block);
}

/* Has the window too little room for the block of `use`? */
static MARGAY_ALWAYS_INLINE bool window_overflows(const struct state *state,
                                                  uint64_t set,
                                                  const struct margay_use *use)
{
    const struct margay_queues *queues = &state->queues;
    uint64_t used = margay_queues_room(queues, set, WINDOW, use->sized);
    uint64_t size = 1;
    if (use->sized)
        size = margay_order_has(&queues->order, set, use->memory)
                   ? 0
                   : margay_amount(queues->sizes, use->memory);
    return used > state->window || size > state->window - used;
}

/* Have objects move on from the window as long as there is room. */
static void move_on(struct state *state, const struct margay_use *use)
{
    struct margay_queues *queues = &state->queues;
    uint64_t most = state->room - state->window, main;
    uint32_t slot;
    while (window_overflows(state, 0, use) &&
           (slot = margay_queues_victim(queues, 0, WINDOW, use)) !=
               MARGAY_NO_SLOT &&
           (main = queues->bytes[PROBATION] + queues->bytes[PROTECTED]) <=
               most &&
           margay_amount(queues->sizes, slot) <= most - main)
        margay_queues_enter(queues, 0, PROBATION, slot, true);
}

static MARGAY_ALWAYS_INLINE uint32_t evict(void *context, uint64_t set,
                                           const struct margay_use *use)
{
    struct state *state = context;
    struct margay_queues *queues = &state->queues;
    const bool sized = use->sized;
    if (sized)
        move_on(state, use);
    uint32_t candidate = margay_queues_victim(queues, set, WINDOW, use);
    uint32_t victim = margay_queues_victim(queues, set, PROBATION, use);
    if (victim == MARGAY_NO_SLOT)
        victim = margay_queues_victim(queues, set, PROTECTED, use);
    if (sized && victim != MARGAY_NO_SLOT &&
        (candidate == MARGAY_NO_SLOT || !window_overflows(state, set, use))) {
        margay_queues_leave(queues, set, victim, sized);
        return victim;
    }
    if (victim == MARGAY_NO_SLOT || frequency(state, set, candidate, sized) <=
                                        frequency(state, set, victim, sized)) {
        margay_queues_leave(queues, set, candidate, sized);
        return candidate;
    }
    margay_queues_leave(queues, set, victim, sized);
    margay_queues_enter(queues, set, PROBATION, candidate, sized);
    return victim;
}

static MARGAY_ALWAYS_INLINE void insert(void *context, uint64_t set,
                                        uint32_t slot,
                                        const struct margay_use *use)
{
    struct state *state = context;
    struct margay_queues *queues = &state->queues;
    uint32_t first;
    margay_sketch_use(&state->sketch, set, use->block);
    if (!use->sized)
        state->blocks[set * state->ways + slot] = use->block;
    while (window_overflows(state, set, use) &&
           (first = margay_queues_first(queues, set, WINDOW)) != MARGAY_NO_SLOT)
        margay_queues_enter(queues, set, PROBATION, first, use->sized);
    margay_queues_enter(queues, set, WINDOW, slot, use->sized);
}

MARGAY_OBJECT_POLICY_LOOPS(tinylfu, MARGAY_POLICY_CALLS)

const struct margay_policy margay_policy_tinylfu = {
    .info = {.name = "tinylfu",
             .parameters = "window=0.01|0..1,protected=0.8|0..1",
             .help = "the least recently used block goes, of a small window or "
                     "of the others, whichever was used less often",
             .source = "Einziger et al. 2017",
             .abilities = MARGAY_POLICY_FOR_OBJECTS},
    MARGAY_OBJECT_POLICY_MEMBERS(tinylfu),
    MARGAY_QUEUES_MEMBERS,
};
