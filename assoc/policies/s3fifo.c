/*
 * s3fifo.c - evicts by three queues, so that blocks used once leave soon
 *
 * A new block enters the small queue, or the main queue if the ghost queue
 * remembers it.  A hit counts at its block, up to 3.  If the small queue is
 * longer than or as long as its share, its oldest blocks leave it one by one:
 * those with more than one hit move to the main queue, and the first other one
 * is evicted and remembered in the ghost queue.  Otherwise, and if the small
 * queue had no block to evict, the oldest block of the main queue goes that has
 * no hit left: those before it lose one and return to the queue's end.
 *
 * Source: Yang, Zhang, Qiu, Yue and Rashmi, "FIFO queues are all you need for
 *   cache eviction", SOSP 2023, algorithm 1 and its text.  What is chosen here:
 *   - The small queue's share is rounded down, and is 1 block at least; the
 *     ghost queue remembers as many blocks as the main queue has for its share.
 *   - A block's hits are cleared when it moves to the main queue, as the text
 *     has it, and start at 0 for a block that the ghost queue remembered.
 *   - The ghost queue is asked before anything is evicted, and a block that
 *     returns leaves it.
 *   - A miss evicts one block.  Algorithm 1 evicts from the main queue, too,
 *     when a block moves to it and it is full; here it may be longer until the
 *     next misses, which find the small queue short and evict from the main
 *     one.
 *   - Until the cache is full, blocks enter the small queue.
 *   - Of objects with sizes, the small queue has a share of the bytes, and the
 *     ghost queue remembers objects of as many bytes as main's share has.  If
 *     the main queue is empty, the small one evicts however short it is.
 *     An object that has grown and would go for that is treated as if it had
 *     been hit once more.
 *
 * Cost: constant on average; 10 bytes for each way and remembered block.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/order.h"

#define MOST_HITS 3

enum queue { SMALL, MAIN, GHOST, FORGOTTEN, QUEUES };

struct state {
    struct margay_queues queues;
    uint64_t small, ghosts; /* the share of one, the most of the other */
    uint8_t *hits;          /* [set][slot] */
};

static uint64_t memory(const struct margay_policy_setup *setup)
{
    return setup->ways -
           margay_share_of(setup->ways, setup->settings.fractions[0]);
}

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    state->small = margay_share_of(setup->room, setup->settings.fractions[0]);
    state->ghosts = setup->room - state->small;
    margay_queues_set_up(&state->queues, setup, QUEUES, layout);
    state->hits = margay_lay_out(layout, setup->sets * setup->slots);
}

static inline uint8_t *hits_of(const struct state *state, uint64_t set,
                               uint32_t slot)
{
    return state->hits + set * state->queues.order.slots + slot;
}

static inline void hit(void *context, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    uint8_t *hits = hits_of(context, set, slot);
    (void)use;
    *hits = (uint8_t)(*hits + (*hits < MOST_HITS));
}

/* MARGAY_NO_SLOT if the small queue is empty in the end. */
static MARGAY_ALWAYS_INLINE uint32_t evict_small(struct state *state,
                                                 uint64_t set, uint32_t grown,
                                                 bool sized)
{
    struct margay_queues *queues = &state->queues;
    uint32_t slot;
    while ((slot = margay_queues_first(queues, set, SMALL)) != MARGAY_NO_SLOT) {
        if (*hits_of(state, set, slot) <= 1 && slot != grown) {
            margay_queues_enter(queues, set, GHOST, slot, sized);
            margay_queues_limit(queues, set, GHOST, state->ghosts, FORGOTTEN,
                                sized);
            return slot;
        }
        *hits_of(state, set, slot) = 0;
        margay_queues_enter(queues, set, MAIN, slot, sized);
    }
    return MARGAY_NO_SLOT;
}

static MARGAY_ALWAYS_INLINE uint32_t evict_main(struct state *state,
                                                uint64_t set, uint32_t grown,
                                                bool sized)
{
    struct margay_queues *queues = &state->queues;
    uint32_t slot;
    while (slot = margay_queues_first(queues, set, MAIN),
           *hits_of(state, set, slot) > 0 || slot == grown) {
        uint8_t *hits = hits_of(state, set, slot);
        *hits = (uint8_t)(*hits - (*hits > 0));
        margay_queues_renew(queues, set, slot);
    }
    margay_queues_enter(queues, set, FORGOTTEN, slot, sized);
    return slot;
}

static MARGAY_ALWAYS_INLINE uint32_t evict(void *context, uint64_t set,
                                           const struct margay_use *use)
{
    struct state *state = context;
    const bool sized = use->sized;
    struct margay_queues *queues = &state->queues;
    uint32_t slot = MARGAY_NO_SLOT, grown = margay_use_grown(use);
    margay_queues_recall(queues, set, use);
    if (margay_queues_room(queues, set, SMALL, sized) >= state->small ||
        (sized &&
         margay_queues_victim(queues, set, MAIN, use) == MARGAY_NO_SLOT))
        slot = evict_small(state, set, grown, sized);
    return slot == MARGAY_NO_SLOT ? evict_main(state, set, grown, sized) : slot;
}

static MARGAY_ALWAYS_INLINE void insert(void *context, uint64_t set,
                                        uint32_t slot,
                                        const struct margay_use *use)
{
    struct state *state = context;
    bool known = use->memory != MARGAY_NO_SLOT &&
                 margay_queues_where(&state->queues, set, slot) == GHOST;
    *hits_of(state, set, slot) = 0;
    margay_queues_enter(&state->queues, set, known ? MAIN : SMALL, slot,
                        use->sized);
}

MARGAY_OBJECT_POLICY_LOOPS(s3fifo, MARGAY_POLICY_CALLS, MARGAY_QUEUES_MEMORY)

const struct margay_policy margay_policy_s3fifo = {
    .info = {.name = "s3fifo",
             .parameters = "small=0.1|0..1",
             .help = "the block goes that came first, if used once or not at "
                     "all since",
             .source = "Yang et al. 2023",
             .abilities = MARGAY_POLICY_FOR_OBJECTS},
    MARGAY_OBJECT_POLICY_MEMBERS(s3fifo),
    .memory = memory,
    MARGAY_QUEUES_MEMBERS,
};
