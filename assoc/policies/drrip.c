/*
 * drrip.c - dynamic RRIP: srrip or brrip, whichever misses less in some sets
 *
 * Some sets lead: half of these always insert as srrip does and half as brrip
 * does.  A counter of 10 bits is raised by a miss of the former and lowered by
 * a miss of the latter; all other sets insert as brrip does while it is above
 * its middle, and as srrip does otherwise.
 *
 * Source: Jaleel et al. 2010; set duelling as Qureshi, Jaleel, Patt, Steely and
 *   Emer, "Adaptive insertion policies for high performance caching", ISCA
 *   2007.  What is chosen here:
 *   - 32 sets lead for each of the two, but at most an eighth of the sets, so
 *     that three quarters or more follow.  Of fewer than 8 sets none leads: the
 *     counter stays in the middle, and all insert as srrip does.
 *   - The sets stand in as many groups of the same number of sets; the first
 *     set of a group leads for srrip and the last for brrip.
 *   - The counter starts in the middle, and counts misses that bring a block
 *     in.
 *   - The sets that insert as brrip does count their new blocks together.
 */
#include "assoc/policies/cache.h"
#include "assoc/policies/rrip.h"

#define LEADERS 32
#define HALF    512 /* of the counter's range */

struct state {
    struct margay_rrip rrip;
    uint64_t leaders, group; /* groups, and the sets of each */
    int counter;             /* from -HALF to HALF - 1 */
    uint32_t count;
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    margay_rrip_set_up(&state->rrip, setup, layout);
    state->leaders = setup->sets < 8 * LEADERS ? setup->sets / 8 : LEADERS;
    state->group = state->leaders == 0 ? 1 : setup->sets / state->leaders;
}

/* Does the set insert as brrip does?  If it leads, count its miss. */
static inline bool is_bimodal(struct state *state, uint64_t set)
{
    uint64_t place = set % state->group;
    if (set / state->group < state->leaders && place == 0) {
        state->counter += state->counter < HALF - 1;
        return false;
    }
    if (set / state->group < state->leaders && place == state->group - 1) {
        state->counter -= state->counter > -HALF;
        return true;
    }
    return state->counter > 0;
}

static inline void insert(void *context, uint64_t set, uint32_t slot,
                          const struct margay_use *use)
{
    struct state *state = context;
    (void)use;
    margay_rrip_predict(&state->rrip, set, slot,
                        is_bimodal(state, set)
                            ? margay_rrip_bimodal(&state->count)
                            : MARGAY_RRIP_LONG);
}

MARGAY_POLICY_LOOPS(.hit = margay_rrip_hit, .evict = margay_rrip_evict,
                    .insert = insert)

const struct margay_policy margay_policy_drrip = {
    .info = {.name = "drrip",
             .parameters = "",
             .help = "as srrip or as brrip, whichever misses less in some sets",
             .source = "Jaleel et al. 2010",
             .abilities = MARGAY_POLICY_FOR_SETS},
    .state_bytes = sizeof(struct state),
    .set_up = set_up,
    .loops = MARGAY_POLICY_LOOPS_OF_FORMS,
};
