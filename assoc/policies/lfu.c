/*
 * lfu.c - evicts the block with the fewest uses since it came in
 *
 * The blocks of a set stand in a line, those with fewer uses first, and of the
 * same number of uses the least recently used first.  A use moves a block
 * after all blocks that have as many uses as it has now.  Blocks of the same
 * number of uses are a run, which knows its last block, so that no block is
 * passed one by one.
 *
 * Source: Aho, Denning and Ullman, "Principles of optimal page replacement",
 *   Journal of the ACM 18(1), 1971; the line as Ketan Shah, Mitra and Matani,
 *   "An O(1) algorithm for implementing the LFU cache eviction scheme", 2010.
 *   The use that brings a block in counts, and a block that was evicted starts
 *   anew.
 *
 * Cost: constant; 24 bytes for each way.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/order.h"

/* Blocks of the same number of uses. */
struct __attribute__((packed, aligned(4))) run {
    uint64_t uses;
    uint32_t last; /* of its slots; of a run that is free: the next free run */
};

struct state {
    struct margay_order order;
    uint64_t slots;
    struct run *runs;    /* [set][run], one more than there are slots */
    uint32_t *run_of;    /* [set][slot] */
    uint32_t *free_runs; /* [set]: one plus 1; 0 = those never used are */
    uint32_t *used_runs; /* [set]: the runs that have ever been used */
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    uint64_t sets = setup->sets;
    state->slots = setup->slots;
    margay_order_set_up(&state->order, sets, setup->slots, 1, layout);
    state->runs =
        margay_lay_out(layout, sets * (state->slots + 1) * sizeof *state->runs);
    state->run_of =
        margay_lay_out(layout, sets * state->slots * sizeof(uint32_t));
    state->free_runs = margay_lay_out(layout, sets * sizeof(uint32_t));
    state->used_runs = margay_lay_out(layout, sets * sizeof(uint32_t));
}

static inline struct run *runs_of(const struct state *state, uint64_t set)
{
    return state->runs + set * (state->slots + 1);
}

static inline uint32_t *run_of(const struct state *state, uint64_t set,
                               uint32_t slot)
{
    return state->run_of + set * state->slots + slot;
}

static inline uint32_t new_run(struct state *state, uint64_t set, uint64_t uses)
{
    uint32_t run = state->free_runs[set];
    if (run == 0)
        run = ++state->used_runs[set];
    else
        state->free_runs[set] = runs_of(state, set)[run - 1].last;
    runs_of(state, set)[run - 1].uses = uses;
    return run - 1;
}

/* Take a slot out of the line and of its run. */
static inline void leave(void *context, uint64_t set, uint32_t slot)
{
    struct state *state = context;
    struct margay_order *order = &state->order;
    uint32_t number = *run_of(state, set, slot);
    struct run *run = runs_of(state, set) + number;
    uint32_t before = margay_order_link(order, set, slot)->previous;
    if (run->last == slot && before != slot &&
        *run_of(state, set, before) == number &&
        margay_order_first(order, set, 0) != slot) {
        run->last = before;
    } else if (run->last == slot) {
        run->last = state->free_runs[set];
        state->free_runs[set] = number + 1;
    }
    margay_order_remove(order, set, 0, slot);
}

static inline void hit(void *context, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    struct state *state = context;
    struct margay_order *order = &state->order;
    struct run *runs = runs_of(state, set);
    struct run *run = runs + *run_of(state, set, slot);
    uint32_t last = run->last, next = margay_order_next(order, set, last);
    uint64_t uses = run->uses + 1;
    (void)use;
    bool joins = next != margay_order_first(order, set, 0) &&
                 runs[*run_of(state, set, next)].uses == uses;
    if (!joins && last == slot &&
        (margay_order_first(order, set, 0) == slot ||
         *run_of(state, set, margay_order_link(order, set, slot)->previous) !=
             *run_of(state, set, slot))) {
        /* It is alone in its run, and stays so. */
        run->uses = uses;
        return;
    }
    uint32_t to = joins ? *run_of(state, set, next) : new_run(state, set, uses);
    uint32_t after = joins ? runs[to].last : last;
    if (after != slot) {
        leave(state, set, slot);
        margay_order_put_after(order, set, after, slot);
    } else {
        /* The last of its run, and others of it stand before. */
        run->last = margay_order_link(order, set, slot)->previous;
    }
    runs[to].last = slot;
    *run_of(state, set, slot) = to;
}

static MARGAY_ALWAYS_INLINE uint32_t evict(void *context, uint64_t set,
                                           const struct margay_use *use)
{
    struct state *state = context;
    uint32_t slot = margay_order_first(&state->order, set, 0);
    if (use->sized && slot == use->memory)
        slot = margay_order_next(&state->order, set, slot);
    leave(state, set, slot);
    return slot;
}

/* After the blocks of one use, which are the first. */
static inline void insert(void *context, uint64_t set, uint32_t slot,
                          const struct margay_use *use)
{
    struct state *state = context;
    struct margay_order *order = &state->order;
    struct run *runs = runs_of(state, set);
    uint32_t first = margay_order_first(order, set, 0), run;
    (void)use;
    if (first != MARGAY_NO_SLOT && runs[*run_of(state, set, first)].uses == 1) {
        run = *run_of(state, set, first);
        margay_order_put_after(order, set, runs[run].last, slot);
    } else {
        run = new_run(state, set, 1);
        margay_order_append(order, set, 0, slot);
        *margay_order_head(order, set, 0) = slot + 1;
    }
    runs[run].last = slot;
    *run_of(state, set, slot) = run;
}

MARGAY_OBJECT_POLICY_LOOPS(lfu, MARGAY_POLICY_CALLS)

const struct margay_policy margay_policy_lfu = {
    .info = {.name = "lfu",
             .parameters = "",
             .help = "the block goes that was used least often since it came",
             .source = "Aho et al. 1971",
             .abilities =
                 MARGAY_POLICY_FOR_OBJECTS | MARGAY_POLICY_FOR_REQUESTS},
    MARGAY_OBJECT_POLICY_MEMBERS(lfu),
    .remove = leave,
    .victim = margay_order_victim,
};
