/*
 * arc.c - ARC: evicts by recency or by frequency, whichever lately pays more
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
 *     2^-57.  What then is within 2^-56 of a whole number is taken for it.  So
 *     each comparison is that of the real p, unless that is no whole number but
 *     within 2^-55 of one: the lengths that were divided by since p was whole
 *     then have a least common multiple above 2^55.
 *   - REPLACE evicts from the other list if the one that it names is empty.
 *
 * Cost: constant; 18 bytes for each way, and 16 for a set.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/order.h"

#define DIGITS 96
#define ONE    ((margay_u128)1 << DIGITS)
#define NEAR   (ONE >> 56)

enum queue { T1, T2, B1, B2, FORGOTTEN, QUEUES };

struct state {
    struct margay_queues queues;
    uint32_t ways;
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
    state->ways = setup->ways;
    margay_queues_set_up(&state->queues, setup, QUEUES, layout);
    state->targets =
        margay_lay_out(layout, setup->sets * sizeof *state->targets);
}

static inline void hit(void *context, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    struct state *state = context;
    (void)use;
    if (margay_queues_where(&state->queues, set, slot) == T2)
        margay_queues_renew(&state->queues, set, slot);
    else
        margay_queues_enter(&state->queues, set, T2, slot);
}

/* By how much the target moves for a block that a list of `length` remembers,
   the other such list being of length `other`. */
static inline margay_u128 step_of(uint32_t length, uint32_t other)
{
    return other > length ? ((margay_u128)other << DIGITS) / length : ONE;
}

/* Move the target for a block that B1 or B2 remembers. */
static inline void adapt(struct state *state, uint64_t set, unsigned where)
{
    margay_u128 most = state->ways * ONE, target = state->targets[set];
    uint32_t b1 = margay_queues_length(&state->queues, set, B1);
    uint32_t b2 = margay_queues_length(&state->queues, set, B2);
    margay_u128 step = where == B1 ? step_of(b1, b2) : step_of(b2, b1);
    if (where == B1)
        target = step < most - target ? target + step : most;
    else
        target = step < target ? target - step : 0;
    margay_u128 whole = (target + ONE / 2) >> DIGITS << DIGITS;
    bool is_whole = target - whole < NEAR || whole - target < NEAR;
    state->targets[set] = is_whole ? whole : target;
}

/* REPLACE of figure 4. */
static inline uint32_t replace(struct state *state, uint64_t set, bool from_b2)
{
    struct margay_queues *queues = &state->queues;
    margay_u128 t1 = margay_queues_length(queues, set, T1) * ONE;
    margay_u128 target = state->targets[set];
    bool first = t1 > 0 && (t1 > target || (from_b2 && t1 == target));
    if (margay_queues_length(queues, set, T2) == 0)
        first = true;
    uint32_t slot = margay_queues_first(queues, set, first ? T1 : T2);
    margay_queues_enter(queues, set, first ? B1 : B2, slot);
    return slot;
}

/* Case IV of figure 4: the block is in no list. */
static inline uint32_t evict_for_unknown(struct state *state, uint64_t set)
{
    struct margay_queues *queues = &state->queues;
    uint64_t lengths[4], all = 0;
    for (unsigned i = T1; i <= B2; i++)
        all += lengths[i] = margay_queues_length(queues, set, i);
    if (lengths[T1] == state->ways) {
        uint32_t slot = margay_queues_first(queues, set, T1);
        margay_queues_enter(queues, set, FORGOTTEN, slot);
        return slot;
    }
    unsigned drop = lengths[T1] + lengths[B1] == state->ways ? B1 : B2;
    if (drop == B1 || all == 2 * (uint64_t)state->ways)
        margay_queues_enter(queues, set, FORGOTTEN,
                            margay_queues_first(queues, set, drop));
    return replace(state, set, false);
}

static inline uint32_t evict(void *context, uint64_t set,
                             const struct margay_use *use)
{
    struct state *state = context;
    struct margay_queues *queues = &state->queues;
    unsigned where = use->memory == MARGAY_NO_SLOT
                         ? FORGOTTEN
                         : margay_queues_where(queues, set, use->memory);
    if (use->memory != MARGAY_NO_SLOT && where != FORGOTTEN)
        adapt(state, set, where);
    if (use->memory != MARGAY_NO_SLOT)
        margay_queues_leave(queues, set, use->memory);
    return where == FORGOTTEN ? evict_for_unknown(state, set)
                              : replace(state, set, where == B2);
}

static inline void insert(void *context, uint64_t set, uint32_t slot,
                          const struct margay_use *use)
{
    struct state *state = context;
    bool known = use->memory != MARGAY_NO_SLOT &&
                 margay_queues_where(&state->queues, set, slot) != FORGOTTEN;
    margay_queues_enter(&state->queues, set, known ? T2 : T1, slot);
}

MARGAY_POLICY_LOOPS(arc, .hit = hit, .evict = evict, .insert = insert,
                    .holds = margay_queues_hold, .reuse = margay_queues_reuse)

const struct margay_policy margay_policy_arc = {
    .info = {.name = "arc",
             .parameters = "",
             .help = "the least recently used block goes of those used once, "
                     "or of the others, as lately pays more",
             .source = "Megiddo and Modha 2003"},
    .state_bytes = sizeof(struct state),
    .memory = memory,
    .set_up = set_up,
    .loops = arc_loops,
};
