/*
 * arc.c - ARC: evicts by recency or by frequency, whichever paid more lately
 *
 * T1 holds the blocks that were used once lately, T2 those used more often,
 * both in LRU order.  B1 and B2 remember the blocks that were evicted from
 * them.  A miss that B1 remembers raises the target p for the length of T1, one
 * that B2 remembers lowers it; T1 evicts if it is longer than p, else T2.
 *
 * Source: Megiddo and Modha, "ARC: a self-tuning, low overhead replacement
 *   cache", FAST 2003, figure 4.  What is chosen here:
 *   - p is a real number, as printed.  It grows by 1 or by |B2| / |B1|, which
 *     is more, up to the cache's blocks, and falls likewise.  The lengths are
 *     taken with the block still in B1 or B2.
 *   - p is compared with whole numbers only, so it matters on which side of one
 *     it is, or that it is one.  It has 96 binary digits after the point; a
 *     step is off by less than 2^-96, and 2^39 of them together by less than
 *     2^-57.  A value within 2^-56 of a whole number counts as that number.  So
 *     each comparison is that of the real p, unless that is no whole number but
 *     within 2^-55 of one: the lengths that were divided by since p was whole
 *     then have a least common multiple above 2^55.
 *   - REPLACE evicts from the other list if the one that it names is empty.
 *   - Of objects with sizes, p and the lengths are bytes, and p moves by as
 *     many times the object's bytes as it would move by blocks.  The lists are
 *     shortened until the new object fits into them.
 *
 * Cost: constant; 18 bytes for each way, and 16 for a set.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/order.h"

/* Of objects there are fewer, as their bytes take 64 digits before the
   point. */
#define DIGITS(sized) (sized ? 63 : 96)
#define NEAR(sized)   ((margay_u128)1 << (sized ? 27 : 40))

enum queue { T1, T2, B1, B2, FORGOTTEN, QUEUES };

struct state {
    struct margay_queues queues;
    uint64_t room;
    margay_u128 *targets; /* [set]: p, in units of 2^-DIGITS */
};

static uint64_t memory(const struct margay_policy_setup *setup)
{
    return setup->ways;
}

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    state->room = setup->room;
    margay_queues_set_up(&state->queues, setup, QUEUES, layout);
    state->targets =
        margay_lay_out(layout, setup->sets * sizeof *state->targets);
}

static MARGAY_ALWAYS_INLINE void hit(void *context, uint64_t set, uint32_t slot,
                                     const struct margay_use *use)
{
    struct state *state = context;
    if (margay_queues_where(&state->queues, set, slot) == T2)
        margay_queues_renew(&state->queues, set, slot);
    else
        margay_queues_enter(&state->queues, set, T2, slot, use->sized);
}

/* The move of the target for a block of `size` that a list of `length`
   remembers, the other such list being of length `other`. */
static MARGAY_ALWAYS_INLINE margay_u128 step_of(uint64_t length, uint64_t other,
                                                uint64_t size, uint64_t room,
                                                bool sized)
{
    const int digits = DIGITS(sized);
    if (size == 0 || other <= length)
        return (margay_u128)size << digits;
    if (other / length > room / size)
        return (margay_u128)room << digits;
    return (((margay_u128)(other / length) << digits) +
            ((margay_u128)(other % length) << digits) / length) *
           size;
}

/* Move the target for a block that B1 or B2 remembers. */
static MARGAY_ALWAYS_INLINE void adapt(struct state *state, uint64_t set,
                                       uint32_t slot, bool sized)
{
    const struct margay_queues *queues = &state->queues;
    const margay_u128 one = (margay_u128)1 << DIGITS(sized);
    margay_u128 most = state->room * one, target = state->targets[set];
    uint64_t size = sized ? margay_amount(queues->sizes, slot) : 1;
    uint64_t b1 = margay_queues_room(queues, set, B1, sized);
    uint64_t b2 = margay_queues_room(queues, set, B2, sized);
    if (margay_queues_where(queues, set, slot) == B1) {
        margay_u128 step = step_of(b1, b2, size, state->room, sized);
        target = step < most - target ? target + step : most;
    } else {
        margay_u128 step = step_of(b2, b1, size, state->room, sized);
        target = step < target ? target - step : 0;
    }
    margay_u128 whole = (target + one / 2) / one * one;
    bool is_whole =
        target - whole < NEAR(sized) || whole - target < NEAR(sized);
    state->targets[set] = is_whole ? whole : target;
}

/* REPLACE of figure 4. */
static MARGAY_ALWAYS_INLINE uint32_t replace(struct state *state, uint64_t set,
                                             bool from_b2,
                                             const struct margay_use *use)
{
    struct margay_queues *queues = &state->queues;
    margay_u128 t1 =
        (margay_u128)margay_queues_room(queues, set, T1, use->sized)
        << DIGITS(use->sized);
    margay_u128 target = state->targets[set];
    uint32_t once = margay_queues_victim(queues, set, T1, use);
    uint32_t often = margay_queues_victim(queues, set, T2, use);
    bool first =
        once != MARGAY_NO_SLOT && (t1 > target || (from_b2 && t1 == target));
    if (often == MARGAY_NO_SLOT)
        first = true;
    uint32_t slot = first ? once : often;
    margay_queues_enter(queues, set, first ? B1 : B2, slot, use->sized);
    return slot;
}

/* Forget blocks of B1 or B2 as long as it has, with others, more than
   `most`. */
static MARGAY_ALWAYS_INLINE void shorten(struct margay_queues *queues,
                                         uint64_t set, enum queue queue,
                                         uint64_t others, uint64_t most,
                                         bool sized)
{
    uint32_t slot;
    while (margay_queues_room(queues, set, queue, sized) + others > most &&
           (slot = margay_queues_first(queues, set, queue)) != MARGAY_NO_SLOT)
        margay_queues_enter(queues, set, FORGOTTEN, slot, sized);
}

/* Case IV of figure 4: the block is in no list, or has grown in T2. */
static MARGAY_ALWAYS_INLINE uint32_t evict_for_unknown(
    struct state *state, uint64_t set, const struct margay_use *use)
{
    const bool sized = use->sized;
    struct margay_queues *queues = &state->queues;
    uint64_t room = state->room, coming = 1, t1, t2, b1;
    if (sized)
        coming = margay_order_has(&queues->order, set, use->memory)
                     ? 0
                     : margay_amount(queues->sizes, use->memory);
    t1 = margay_queues_room(queues, set, T1, sized) + coming;
    shorten(queues, set, B1, t1, room, sized);
    if (t1 > room) {
        uint32_t slot = margay_queues_first(queues, set, T1);
        margay_queues_enter(queues, set, FORGOTTEN, slot, sized);
        return slot;
    }
    t2 = margay_queues_room(queues, set, T2, sized);
    b1 = margay_queues_room(queues, set, B1, sized);
    shorten(queues, set, B2, t1 + t2 + b1,
            room > UINT64_MAX / 2 ? UINT64_MAX : 2 * room, sized);
    return replace(state, set, false, use);
}

/* The block that misses leaves B1 or B2, if it is there. */
static MARGAY_ALWAYS_INLINE void recall(struct state *state, uint64_t set,
                                        const struct margay_use *use)
{
    struct margay_queues *queues = &state->queues;
    uint32_t slot = use->memory;
    unsigned where = slot == MARGAY_NO_SLOT
                         ? FORGOTTEN
                         : margay_queues_where(queues, set, slot);
    if ((where == B1 || where == B2) &&
        (!use->sized || margay_order_has(&queues->order, set, slot)))
        adapt(state, set, slot, use->sized);
    margay_queues_recall(queues, set, use);
}

static MARGAY_ALWAYS_INLINE uint32_t evict(void *context, uint64_t set,
                                           const struct margay_use *use)
{
    struct state *state = context;
    unsigned where = FORGOTTEN;
    recall(state, set, use);
    if (use->memory != MARGAY_NO_SLOT)
        where = margay_queues_where(&state->queues, set, use->memory);
    return where == B1 || where == B2 ? replace(state, set, where == B2, use)
                                      : evict_for_unknown(state, set, use);
}

static MARGAY_ALWAYS_INLINE void insert(void *context, uint64_t set,
                                        uint32_t slot,
                                        const struct margay_use *use)
{
    struct state *state = context;
    unsigned where = FORGOTTEN;
    if (use->sized)
        recall(state, set, use);
    if (use->memory != MARGAY_NO_SLOT)
        where = margay_queues_where(&state->queues, set, slot);
    margay_queues_enter(&state->queues, set,
                        where == B1 || where == B2 ? T2 : T1, slot, use->sized);
}

MARGAY_OBJECT_POLICY_LOOPS(arc, MARGAY_POLICY_CALLS, MARGAY_QUEUES_MEMORY)

const struct margay_policy margay_policy_arc = {
    .info = {.name = "arc",
             .parameters = "",
             .help = "the least recently used block goes of those used once, "
                     "or of the others, as lately pays more",
             .source = "Megiddo and Modha 2003",
             .abilities =
                 MARGAY_POLICY_FOR_OBJECTS | MARGAY_POLICY_FOR_REQUESTS},
    MARGAY_OBJECT_POLICY_MEMBERS(arc),
    .memory = memory,
    MARGAY_QUEUES_MEMBERS,
};
