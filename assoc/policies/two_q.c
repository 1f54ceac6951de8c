/*
 * two_q.c - 2Q: evicts by two queues, so that blocks used once leave soon
 *
 * A new block enters the queue A1in, where hits change nothing, or the LRU line
 * Am if the queue A1out remembers it.  If A1in is longer than its share, its
 * oldest block is evicted and remembered in A1out; otherwise the least recently
 * used block of Am is evicted.
 *
 * Source: Johnson and Shasha, "2Q: a low overhead high performance buffer
 *   management replacement algorithm", VLDB 1994, the full version.  What is
 *   chosen here:
 *   - Kin and Kout are `in` and `out` of the cache's blocks, rounded down, and
 *     1 at least.
 *   - A block that returns leaves A1out before another one enters it.
 *   - If Am is empty, the oldest block of A1in is evicted and remembered.
 *   - Of objects with sizes, all of these are shares of the bytes.  An object
 *     that has grown is passed over.
 *
 * Cost: constant; 9 bytes for each way and remembered block.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/order.h"

enum queue { IN, MAIN, OUT, FORGOTTEN, QUEUES };

struct state {
    struct margay_queues queues;
    uint64_t in, out; /* Kin and Kout */
};

static uint64_t memory(const struct margay_policy_setup *setup)
{
    return margay_share_of(setup->ways, setup->settings.fractions[1]);
}

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    state->in = margay_share_of(setup->room, setup->settings.fractions[0]);
    state->out = margay_share_of(setup->room, setup->settings.fractions[1]);
    margay_queues_set_up(&state->queues, setup, QUEUES, layout);
}

static inline void hit(void *context, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    struct state *state = context;
    (void)use;
    if (margay_queues_where(&state->queues, set, slot) == MAIN)
        margay_queues_renew(&state->queues, set, slot);
}

static MARGAY_ALWAYS_INLINE uint32_t evict(void *context, uint64_t set,
                                           const struct margay_use *use)
{
    struct state *state = context;
    struct margay_queues *queues = &state->queues;
    const bool sized = use->sized;
    margay_queues_recall(queues, set, use);
    uint32_t slot = margay_queues_victim(queues, set, MAIN, use);
    uint32_t oldest = margay_queues_victim(queues, set, IN, use);
    if (slot != MARGAY_NO_SLOT &&
        (margay_queues_room(queues, set, IN, sized) <= state->in ||
         oldest == MARGAY_NO_SLOT)) {
        margay_queues_enter(queues, set, FORGOTTEN, slot, sized);
        return slot;
    }
    margay_queues_enter(queues, set, OUT, oldest, sized);
    margay_queues_limit(queues, set, OUT, state->out, FORGOTTEN, sized);
    return oldest;
}

static MARGAY_ALWAYS_INLINE void insert(void *context, uint64_t set,
                                        uint32_t slot,
                                        const struct margay_use *use)
{
    struct state *state = context;
    bool known = use->memory != MARGAY_NO_SLOT &&
                 margay_queues_where(&state->queues, set, slot) == OUT;
    margay_queues_enter(&state->queues, set, known ? MAIN : IN, slot,
                        use->sized);
}

MARGAY_OBJECT_POLICY_LOOPS(two_q, MARGAY_POLICY_CALLS, MARGAY_QUEUES_MEMORY)

const struct margay_policy margay_policy_2q = {
    .info = {.name = "2q",
             .parameters = "in=0.25|0..1,out=0.5|0..8",
             .help = "the block goes that came first, or of those that came "
                     "again the least recently used",
             .source = "Johnson and Shasha 1994",
             .abilities = MARGAY_POLICY_FOR_OBJECTS},
    MARGAY_OBJECT_POLICY_MEMBERS(two_q),
    .memory = memory,
    MARGAY_QUEUES_MEMBERS,
};
