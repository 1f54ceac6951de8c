/*
 * clock.c - fifo and clock: a hand goes round the blocks as they came
 *
 * Algorithm: the blocks of a set stand in a circle, in the order in which they
 *   came, and a hand points at the oldest one.  fifo evicts that.  With clock,
 *   a hit gives a block a second chance.  The hand takes that chance from each
 *   block it passes and stops at the first that has none; a new block takes the
 *   place of that one, after the hand, without a second chance.  With more
 *   than one chance (max) each hit gives one, and each pass takes one; a new
 *   block may come with some (new).
 *   As long as every block that leaves makes way for one that comes, the slots
 *   themselves are the circle: a new block takes the slot that the hand has
 *   just passed, and is the newest.  Objects of different sizes leave several
 *   at a time, so a cache of objects keeps a line.
 *
 * Source: Belady 1966 (fifo); Corbato, "A paging experiment with the Multics
 *   system", MIT Project MAC Report MAC-M-384, 1968 (clock).  Others give a new
 *   block its chance at once; PostgreSQL 15 is clock:max=5,new=1
 *   (src/backend/storage/buffer/freelist.c).
 *
 * Cost: constant, of clock on average, as the hand takes no more chances than
 *   hits gave and blocks came with; 4 bytes for each set, and 8 for each
 *   object.  The chances take one byte for each way.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/order.h"

struct state {
    struct margay_order line; /* of objects; the oldest first */
    uint64_t slots;
    uint32_t *hands;  /* [set]: the oldest; NULL = of objects */
    uint8_t *chances; /* [set][slot], of clock */
    uint8_t most, of_new;
};

static void set_up_fifo(void *context, const struct margay_policy_setup *setup,
                        struct margay_layout *layout)
{
    struct state *state = context;
    state->slots = setup->slots;
    if (setup->sizes == NULL)
        state->hands = margay_lay_out(layout, setup->sets * sizeof(uint32_t));
    else
        margay_order_set_up(&state->line, setup->sets, setup->slots, 1, layout);
}

static enum margay_status check_clock(const struct margay_settings *settings,
                                      struct margay_error *error)
{
    unsigned long long most = settings->counts[0], of_new = settings->counts[1];
    const char *parameters = margay_policy_clock.info.parameters;
    return of_new <= most
               ? MARGAY_OK
               : margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "policy clock: new=%llu is more than max=%llu; it "
                             "takes %s",
                             of_new, most, margay_spec_brief(parameters).line);
}

static void set_up_clock(void *context, const struct margay_policy_setup *setup,
                         struct margay_layout *layout)
{
    struct state *state = context;
    set_up_fifo(state, setup, layout);
    state->chances = margay_lay_out(layout, setup->sets * setup->slots);
    state->most = (uint8_t)setup->settings.counts[0];
    state->of_new = (uint8_t)setup->settings.counts[1];
}

static inline uint8_t *chances_of(const struct state *state, uint64_t set,
                                  uint32_t slot)
{
    return &state->chances[set * state->slots + slot];
}

static inline void hit_clock(void *context, uint64_t set, uint32_t slot,
                             const struct margay_use *use)
{
    struct state *state = context;
    uint8_t *chances = chances_of(state, set, slot);
    (void)use;
    *chances = (uint8_t)(*chances + (*chances < state->most));
}

static MARGAY_ALWAYS_INLINE uint32_t oldest_of(const struct state *state,
                                               uint64_t set, bool sized)
{
    return sized ? margay_order_first(&state->line, set, 0) : state->hands[set];
}

/* The hand goes on: the oldest becomes the newest. */
static MARGAY_ALWAYS_INLINE void pass(struct state *state, uint64_t set,
                                      bool sized)
{
    uint32_t oldest = oldest_of(state, set, sized);
    if (sized)
        margay_order_renew(&state->line, set, 0, oldest);
    else
        state->hands[set] = oldest + 1 == state->slots ? 0 : oldest + 1;
}

/* Take the oldest out. */
static MARGAY_ALWAYS_INLINE uint32_t take(struct state *state, uint64_t set,
                                          bool sized)
{
    uint32_t oldest = oldest_of(state, set, sized);
    if (sized)
        margay_order_remove(&state->line, set, 0, oldest);
    else
        pass(state, set, sized);
    return oldest;
}

/* An object that has grown keeps its place, and the next one goes. */
static MARGAY_ALWAYS_INLINE uint32_t evict_fifo(void *context, uint64_t set,
                                                const struct margay_use *use)
{
    struct state *state = context;
    uint32_t slot = oldest_of(state, set, use->sized);
    if (!use->sized || slot != use->memory)
        return take(state, set, use->sized);
    slot = margay_order_next(&state->line, set, slot);
    margay_order_remove(&state->line, set, 0, slot);
    return slot;
}

static MARGAY_ALWAYS_INLINE uint32_t evict_clock(void *context, uint64_t set,
                                                 const struct margay_use *use)
{
    struct state *state = context;
    for (;; pass(state, set, use->sized)) {
        uint32_t slot = oldest_of(state, set, use->sized);
        uint8_t *chances = chances_of(state, set, slot);
        if (*chances != 0)
            --*chances;
        else if (!use->sized || slot != use->memory)
            return take(state, set, use->sized);
    }
}

/* A block comes into the slot taken last, or the lowest that is free where the
   set has never been full, and is the newest there. */
static MARGAY_ALWAYS_INLINE void insert(void *context, uint64_t set,
                                        uint32_t slot,
                                        const struct margay_use *use)
{
    struct state *state = context;
    if (use->sized)
        margay_order_append(&state->line, set, 0, slot);
}

static MARGAY_ALWAYS_INLINE void insert_clock(void *context, uint64_t set,
                                              uint32_t slot,
                                              const struct margay_use *use)
{
    const struct state *state = context;
    *chances_of(state, set, slot) = state->of_new;
    insert(context, set, slot, use);
}

/* The next block takes the turn of the one that was in its slot. */
static void remove_fifo(void *context, uint64_t set, uint32_t slot)
{
    struct state *state = context;
    if (state->hands == NULL)
        margay_order_remove(&state->line, set, 0, slot);
}

static void remove_clock(void *context, uint64_t set, uint32_t slot)
{
    struct state *state = context;
    *chances_of(state, set, slot) = 0;
    remove_fifo(state, set, slot);
}

MARGAY_OBJECT_POLICY_LOOPS(fifo, .hit = margay_no_hit, .evict = evict_fifo,
                           .insert = insert)
MARGAY_OBJECT_POLICY_LOOPS(clock, .hit = hit_clock, .evict = evict_clock,
                           .insert = insert_clock)

const struct margay_policy margay_policy_fifo = {
    .info = {.name = "fifo",
             .parameters = "",
             .help = "the block that came first goes",
             .source = "Belady 1966",
             .abilities = MARGAY_POLICY_FOR_OBJECTS},
    MARGAY_OBJECT_POLICY_MEMBERS_OF(fifo, set_up_fifo, struct state),
    .idle_repeats = true,
    .remove = remove_fifo,
    .victim = margay_order_victim,
};

const struct margay_policy margay_policy_clock = {
    .info = {.name = "clock",
             .parameters = "max=1|1..255,new=0|0..255",
             .help =
                 "the block goes that came first of those without a chance: "
                 "new in the beginning, and one more for each hit, up to "
                 "max",
             .source = "Corbato 1968",
             .abilities = MARGAY_POLICY_FOR_OBJECTS},
    .check = check_clock,
    MARGAY_OBJECT_POLICY_MEMBERS_OF(clock, set_up_clock, struct state),
    .remove = remove_clock,
};
