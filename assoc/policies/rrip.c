/*
 * rrip.c - srrip, brrip, drrip and ship: predicting the next use of blocks
 *
 * Algorithm: each way has a prediction in 2 bits, from 0, soon, to 3, in the
 *   distant future.  The victim is the lowest way with a 3; if there is none,
 *   all predictions of the set are raised until there is one.  A hit predicts
 *   0.  The policies differ in their predictions for new blocks:
 *   - srrip, static RRIP: a long time, 2.
 *   - brrip, bimodal RRIP: the distant future, and a long time for every 32nd.
 *   - drrip, dynamic RRIP: as srrip or brrip does, whichever misses less in
 *     some sets that lead.  Half of these always insert as srrip does and half
 *     as brrip does.  A counter of 10 bits is raised by a miss of the former
 *     and lowered by a miss of the latter; all other sets insert as brrip does
 *     while it is above its middle, and as srrip does otherwise.
 *   - ship, SHiP: the distant future for blocks of code sites whose blocks are
 *     not used again, and a long time for others.  A table counts for each site
 *     whether the blocks that it brought in were used again: a hit raises the
 *     counter of the site that brought the block in, and an eviction without a
 *     hit lowers it; a counter of 0 predicts the distant future.
 *
 * Source: Jaleel, Theobald, Steely and Emer, "High performance cache
 *   replacement using re-reference interval prediction (RRIP)", ISCA 2010, with
 *   hit priority, 2 bits and a probability of 1/32; set duelling as Qureshi,
 *   Jaleel, Patt, Steely and Emer, "Adaptive insertion policies for high
 *   performance caching", ISCA 2007; Wu, Jaleel, Hasenplaugh, Martonosi, Steely
 *   and Emer, "SHiP: signature-based hit predictor for high performance
 *   caching", MICRO 2011, SHiP-PC.  What is chosen here:
 *   - brrip counts the blocks that come into any set of the cache, where the
 *     paper has chance, so that a run can be repeated.  The sets of drrip that
 *     insert as brrip does count their new blocks together.
 *   - Of drrip, 32 sets lead for each of the two, but at most an eighth of the
 *     sets, so that three quarters or more follow.  Of fewer than 8 sets none
 *     leads: the counter stays in the middle, and all insert as srrip does.
 *     The sets stand in as many groups of the same number of sets; the first
 *     set of a group leads for srrip and the last for brrip.
 *   - The counter starts in the middle, and counts misses that bring a block
 *     in.
 *   - The table of ship has 2^14 counters from 0 to 7, which are 1 at first;
 *     the site's hashed address chooses one, so that sites may share it.  All
 *     sets share the table.
 *
 * Cost: up to four passes over the set's ways per eviction; a byte for each
 *   way.  ship takes 4 bytes more for each way, and 16 KiB.
 */
#include <string.h>

#include "assoc/policies/cache.h"

/* Predictions. */
#define SOON    0
#define LONG    2
#define DISTANT 3

/* Of this many blocks that brrip brings in, one is predicted to be used after a
   long time. */
#define RARELY 32

/* The sets of drrip that lead for each policy, and half of the counter's
   range. */
#define LEADERS 32
#define HALF    512

/* The table of ship. */
#define TABLE_BITS  14
#define MOST_COUNT  7
#define FIRST_COUNT 1

/* Of ship: the site that brought a block in, and whether it was hit since. */
struct origin {
    uint16_t entry;
    bool was_hit;
};

/* The state of all four; each uses its part. */
struct state {
    uint64_t ways;
    uint8_t *predictions;    /* [set][way] */
    uint32_t count;          /* of blocks that came in, modulo RARELY */
    uint64_t leaders, group; /* groups, and the sets of each */
    int counter;             /* from -HALF to HALF - 1 */
    struct origin *origins;  /* [set][way] */
    int8_t *counters;        /* less FIRST_COUNT, as they are zeroed */
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    state->ways = setup->ways;
    state->predictions = margay_lay_out(layout, setup->sets * setup->ways);
    state->leaders = setup->sets < 8 * LEADERS ? setup->sets / 8 : LEADERS;
    state->group = state->leaders == 0 ? 1 : setup->sets / state->leaders;
}

static inline void predict(struct state *state, uint64_t set, uint32_t slot,
                           uint8_t prediction)
{
    state->predictions[set * state->ways + slot] = prediction;
}

static inline void hit(void *state, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    (void)use;
    predict(state, set, slot, SOON);
}

static inline uint32_t evict(void *context, uint64_t set,
                             const struct margay_use *use)
{
    const struct state *state = context;
    uint8_t *of_set = state->predictions + set * state->ways, *found;
    (void)use;
    while ((found = memchr(of_set, DISTANT, state->ways)) == NULL) {
        for (uint64_t i = 0; i < state->ways; i++)
            of_set[i]++;
    }
    return (uint32_t)(found - of_set);
}

/* -------------------------------------------------- srrip, brrip, drrip -- */

static inline void insert_static(void *state, uint64_t set, uint32_t slot,
                                 const struct margay_use *use)
{
    (void)use;
    predict(state, set, slot, LONG);
}

static inline void insert_bimodal(void *context, uint64_t set, uint32_t slot,
                                  const struct margay_use *use)
{
    struct state *state = context;
    (void)use;
    state->count = (state->count + 1) % RARELY;
    predict(state, set, slot, state->count == 0 ? LONG : DISTANT);
}

static inline void insert_dynamic(void *context, uint64_t set, uint32_t slot,
                                  const struct margay_use *use)
{
    struct state *state = context;
    uint64_t place = set % state->group;
    bool leads = set / state->group < state->leaders;
    bool bimodal = state->counter > 0;
    if (leads && place == 0) {
        state->counter += state->counter < HALF - 1;
        bimodal = false;
    } else if (leads && place == state->group - 1) {
        state->counter -= state->counter > -HALF;
        bimodal = true;
    }
    if (bimodal)
        insert_bimodal(state, set, slot, use);
    else
        insert_static(state, set, slot, use);
}

MARGAY_POLICY_LOOPS(srrip, .hit = hit, .evict = evict, .insert = insert_static)
MARGAY_POLICY_LOOPS(brrip, .hit = hit, .evict = evict, .insert = insert_bimodal)
MARGAY_POLICY_LOOPS(drrip, .hit = hit, .evict = evict, .insert = insert_dynamic)

#define RRIP(policy, text)                             \
    {                                                  \
        .info = {.name = #policy,                      \
                 .parameters = "",                     \
                 .help = text,                         \
                 .source = "Jaleel et al. 2010",       \
                 .abilities = MARGAY_POLICY_FOR_SETS}, \
        MARGAY_POLICY_MEMBERS(policy),                 \
    }
const struct margay_policy margay_policy_srrip =
    RRIP(srrip, "a block goes that is predicted to be used far from now");
const struct margay_policy margay_policy_brrip =
    RRIP(brrip, "as srrip, but most new blocks are not expected to stay");
const struct margay_policy margay_policy_drrip =
    RRIP(drrip, "as srrip or as brrip, whichever misses less in some sets");

/* ------------------------------------------------------------------ ship -- */

static void set_up_ship(void *context, const struct margay_policy_setup *setup,
                        struct margay_layout *layout)
{
    struct state *state = context;
    set_up(state, setup, layout);
    state->origins = margay_lay_out(layout, setup->sets * setup->ways *
                                                sizeof *state->origins);
    state->counters = margay_lay_out(layout, UINT64_C(1) << TABLE_BITS);
}

static inline struct origin *origin_of(const struct state *state, uint64_t set,
                                       uint32_t slot)
{
    return state->origins + set * state->ways + slot;
}

static inline void hit_ship(void *context, uint64_t set, uint32_t slot,
                            const struct margay_use *use)
{
    struct state *state = context;
    struct origin *origin = origin_of(state, set, slot);
    int8_t *counter = state->counters + origin->entry;
    *counter = (int8_t)(*counter + (*counter < MOST_COUNT - FIRST_COUNT));
    origin->was_hit = true;
    hit(state, set, slot, use);
}

static inline uint32_t evict_ship(void *context, uint64_t set,
                                  const struct margay_use *use)
{
    struct state *state = context;
    uint32_t slot = evict(state, set, use);
    const struct origin *origin = origin_of(state, set, slot);
    int8_t *counter = state->counters + origin->entry;
    if (!origin->was_hit)
        *counter = (int8_t)(*counter - (*counter > -FIRST_COUNT));
    return slot;
}

static inline void insert_ship(void *context, uint64_t set, uint32_t slot,
                               const struct margay_use *use)
{
    struct state *state = context;
    struct origin *origin = origin_of(state, set, slot);
    origin->entry =
        (uint16_t)(margay_finder_hash(use->site) >> (64 - TABLE_BITS));
    origin->was_hit = false;
    predict(state, set, slot,
            state->counters[origin->entry] == -FIRST_COUNT ? DISTANT : LONG);
}

MARGAY_POLICY_LOOPS(ship, .hit = hit_ship, .evict = evict_ship,
                    .insert = insert_ship)

const struct margay_policy margay_policy_ship = {
    .info = {.name = "ship",
             .parameters = "",
             .help = "as srrip, but blocks of sites go soon whose blocks were "
                     "not used again",
             .source = "Wu et al. 2011",
             .abilities = MARGAY_POLICY_FOR_SETS | MARGAY_POLICY_NEEDS_SITES},
    MARGAY_POLICY_MEMBERS_OF(ship, set_up_ship, struct state),
};
