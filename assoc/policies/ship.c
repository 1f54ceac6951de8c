/*
 * ship.c - SHiP: as srrip, but sites whose blocks are not used again bring in
 *   blocks that leave soon
 *
 * A table counts for each code site whether the blocks that it brought in were
 * used again: a hit raises the counter of the site that brought the block in,
 * and an eviction without a hit lowers it.  A new block is predicted to be used
 * in the distant future if its site's counter is 0, and after a long time
 * otherwise (rrip.h).
 *
 * Source: Wu, Jaleel, Hasenplaugh, Martonosi, Steely and Emer, "SHiP:
 *   signature-based hit predictor for high performance caching", MICRO 2011,
 *   SHiP-PC.  What is chosen here:
 *   - The table has 2^14 counters from 0 to 7; the site's hashed address
 *     chooses one, so that sites may share it.  All sets share the table.
 *   - Counters are 1 at first.
 *
 * Cost: as srrip; 4 bytes for each way and 16 KiB.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/rrip.h"

#define TABLE_BITS  14
#define MOST_COUNT  7
#define FIRST_COUNT 1

/* What brought a block in, and whether it was hit since. */
struct origin {
    uint16_t entry;
    bool was_hit;
};

struct state {
    struct margay_rrip rrip;
    struct origin *origins; /* [set][way] */
    int8_t *counters;       /* less FIRST_COUNT, as they are zeroed */
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    margay_rrip_set_up(&state->rrip, setup, layout);
    state->origins = margay_lay_out(layout, setup->sets * setup->ways *
                                                sizeof *state->origins);
    state->counters = margay_lay_out(layout, UINT64_C(1) << TABLE_BITS);
}

static inline struct origin *origin_of(const struct state *state, uint64_t set,
                                       uint32_t slot)
{
    return state->origins + set * state->rrip.ways + slot;
}

static inline void hit(void *context, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    struct state *state = context;
    struct origin *origin = origin_of(state, set, slot);
    int8_t *counter = state->counters + origin->entry;
    (void)use;
    *counter = (int8_t)(*counter + (*counter < MOST_COUNT - FIRST_COUNT));
    origin->was_hit = true;
    margay_rrip_predict(&state->rrip, set, slot, MARGAY_RRIP_SOON);
}

static inline uint32_t evict(void *context, uint64_t set,
                             const struct margay_use *use)
{
    struct state *state = context;
    uint32_t slot = margay_rrip_victim(&state->rrip, set);
    const struct origin *origin = origin_of(state, set, slot);
    int8_t *counter = state->counters + origin->entry;
    (void)use;
    if (!origin->was_hit)
        *counter = (int8_t)(*counter - (*counter > -FIRST_COUNT));
    return slot;
}

static inline void insert(void *context, uint64_t set, uint32_t slot,
                          const struct margay_use *use)
{
    struct state *state = context;
    struct origin *origin = origin_of(state, set, slot);
    origin->entry =
        (uint16_t)(margay_finder_hash(use->site) >> (64 - TABLE_BITS));
    origin->was_hit = false;
    margay_rrip_predict(&state->rrip, set, slot,
                        state->counters[origin->entry] == -FIRST_COUNT
                            ? MARGAY_RRIP_DISTANT
                            : MARGAY_RRIP_LONG);
}

MARGAY_POLICY_LOOPS(.hit = hit, .evict = evict, .insert = insert)

const struct margay_policy margay_policy_ship = {
    .info = {.name = "ship",
             .parameters = "",
             .help = "as srrip, but blocks of sites go soon whose blocks were "
                     "not used again",
             .source = "Wu et al. 2011",
             .abilities = MARGAY_POLICY_FOR_SETS | MARGAY_POLICY_NEEDS_SITES},
    .state_bytes = sizeof(struct state),
    .set_up = set_up,
    .loops = MARGAY_POLICY_LOOPS_OF_FORMS,
};
