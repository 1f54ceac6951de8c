/*
 * lirs.c - LIRS: evicts the blocks whose last reuse was far
 *
 * A block is LIR, of low inter-reference recency, or HIR.  The stack S has
 * blocks in the order of their last use, remembered ones among them, down to
 * the LIR block used least recently.  The queue Q has the HIR blocks that are
 * in the cache, and its first one is evicted; while it is in S it is remembered
 * there.  A HIR block that is used while it is in S becomes LIR, and the LIR
 * block at the bottom of S becomes HIR in its place, at the end of Q.  Then all
 * HIR blocks at the bottom of S leave S.
 *
 * Source: Jiang and Zhang, "LIRS: an efficient low inter-reference recency set
 *   replacement policy to improve buffer cache performance", SIGMETRICS 2002.
 *   What is chosen here:
 *   - HIR blocks have `hir` of the cache, rounded down, but 1 at least.
 *   - Blocks are LIR as they come until all places for LIR blocks are taken.
 *   - S remembers at most four times as many blocks as the cache has; of more,
 *     the one is forgotten that was evicted first.  The paper sets no bound.
 *   - Of objects with sizes, all of these are bytes.  Where an object becomes
 *     LIR, or grows, as many become HIR as needed; where no HIR object makes
 *     room, the LIR object at the bottom of S goes.
 *
 * Cost: constant on average, as a block leaves the bottom of S once for each
 *   time it enters S; 17 bytes for each way and remembered block.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/order.h"

/* Blocks remembered, for each way. */
#define GHOSTS 4

/* LIR and HIR blocks that are in the cache, and those evicted. */
enum queue { LIR, HIR, GHOST, FORGOTTEN, QUEUES };

struct state {
    struct margay_queues queues;
    uint64_t lir, ghosts;      /* the most of them */
    struct margay_order stack; /* the bottom first */
};

static uint64_t memory(const struct margay_policy_setup *setup)
{
    return GHOSTS * (uint64_t)setup->ways;
}

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    state->lir = setup->room -
                 margay_share_of(setup->room, setup->settings.fractions[0]);
    state->ghosts =
        setup->room < UINT64_MAX / GHOSTS ? GHOSTS * setup->room : UINT64_MAX;
    margay_queues_set_up(&state->queues, setup, QUEUES, layout);
    margay_order_set_up(&state->stack, setup->sets, setup->slots, 1, layout);
}

/* Have the bottom of the stack be a LIR block. */
static MARGAY_ALWAYS_INLINE void prune(struct state *state, uint64_t set,
                                       bool sized)
{
    struct margay_queues *queues = &state->queues;
    for (;;) {
        uint32_t bottom = margay_order_first(&state->stack, set, 0);
        if (bottom == MARGAY_NO_SLOT ||
            margay_queues_where(queues, set, bottom) == LIR)
            return;
        margay_order_remove(&state->stack, set, 0, bottom);
        if (margay_queues_where(queues, set, bottom) == GHOST)
            margay_queues_enter(queues, set, FORGOTTEN, bottom, sized);
    }
}

/* Move the bottom of the stack, a LIR block, to another queue. */
static MARGAY_ALWAYS_INLINE uint32_t lower(struct state *state, uint64_t set,
                                           enum queue to, bool sized)
{
    uint32_t bottom = margay_order_first(&state->stack, set, 0);
    margay_order_remove(&state->stack, set, 0, bottom);
    margay_queues_enter(&state->queues, set, to, bottom, sized);
    prune(state, set, sized);
    return bottom;
}

/* A block of the stack is used, and is LIR from then on. */
static MARGAY_ALWAYS_INLINE void promote(struct state *state, uint64_t set,
                                         uint32_t slot, bool sized)
{
    struct margay_queues *queues = &state->queues;
    margay_order_renew(&state->stack, set, 0, slot);
    if (margay_queues_where(queues, set, slot) != LIR)
        margay_queues_enter(queues, set, LIR, slot, sized);
    prune(state, set, sized);
    while (margay_queues_room(queues, set, LIR, sized) > state->lir)
        lower(state, set, HIR, sized);
}

static MARGAY_ALWAYS_INLINE void hit(void *context, uint64_t set, uint32_t slot,
                                     const struct margay_use *use)
{
    struct state *state = context;
    if (margay_order_has(&state->stack, set, slot)) {
        promote(state, set, slot, use->sized);
    } else {
        margay_order_append(&state->stack, set, 0, slot);
        margay_queues_renew(&state->queues, set, slot);
    }
}

static MARGAY_ALWAYS_INLINE uint32_t evict(void *context, uint64_t set,
                                           const struct margay_use *use)
{
    struct state *state = context;
    struct margay_queues *queues = &state->queues;
    const bool sized = use->sized;
    margay_queues_recall(queues, set, use);
    uint32_t slot = margay_queues_victim(queues, set, HIR, use), oldest;
    if (sized && slot == MARGAY_NO_SLOT)
        return lower(state, set, FORGOTTEN, sized);
    bool known = margay_order_has(&state->stack, set, slot);
    margay_queues_enter(queues, set, known ? GHOST : FORGOTTEN, slot, sized);
    while (margay_queues_room(queues, set, GHOST, sized) > state->ghosts) {
        oldest = margay_queues_first(queues, set, GHOST);
        margay_order_remove(&state->stack, set, 0, oldest);
        margay_queues_enter(queues, set, FORGOTTEN, oldest, sized);
    }
    return slot;
}

static MARGAY_ALWAYS_INLINE void insert(void *context, uint64_t set,
                                        uint32_t slot,
                                        const struct margay_use *use)
{
    struct state *state = context;
    struct margay_queues *queues = &state->queues;
    uint64_t lir = margay_queues_room(queues, set, LIR, use->sized);
    if (margay_order_has(&state->stack, set, slot)) {
        promote(state, set, slot, use->sized);
        return;
    }
    bool room =
        lir < state->lir &&
        (!use->sized || margay_amount(queues->sizes, slot) <= state->lir - lir);
    margay_order_append(&state->stack, set, 0, slot);
    margay_queues_enter(queues, set, room ? LIR : HIR, slot, use->sized);
    /* A HIR object may be below, which had no room where this one has. */
    if (use->sized && room)
        prune(state, set, true);
}

/* Of objects. */
static void remove_slot(void *context, uint64_t set, uint32_t slot)
{
    struct state *state = context;
    if (margay_order_has(&state->stack, set, slot))
        margay_order_remove(&state->stack, set, 0, slot);
    margay_queues_leave(&state->queues, set, slot, true);
    prune(state, set, true);
}

MARGAY_OBJECT_POLICY_LOOPS(lirs, MARGAY_POLICY_CALLS, MARGAY_QUEUES_MEMORY)

const struct margay_policy margay_policy_lirs = {
    .info = {.name = "lirs",
             .parameters = "hir=0.01|0..1",
             .help = "the block goes that came first of those whose last reuse "
                     "was far",
             .source = "Jiang and Zhang 2002",
             .abilities = MARGAY_POLICY_FOR_OBJECTS},
    MARGAY_OBJECT_POLICY_MEMBERS(lirs),
    .memory = memory,
    .remove = remove_slot,
    .resize = margay_queues_resize,
};
