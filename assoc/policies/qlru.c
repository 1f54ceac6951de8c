/*
 * qlru.c - quad-age LRU: two bits of age a block, as in Intel's processors
 *
 * Algorithm: a block that is hit gets a younger age, one that comes in the age
 *   `miss`, and the victim is the first block of age 3.  The variants:
 *   - hit=Hxy: age 3 becomes x, age 2 becomes y, 1 and 0 become 0.
 *   - miss=Mx: the age x; MRxy: x, and y for one block in 16, by chance.
 *   - replace=R0: the leftmost way of age 3.  R1: the same.  R2: the same, but
 *     free ways are filled from the right.
 *   - update: after each use, when no block has age 3, U0 and U1 raise ages so
 *     that the oldest has 3, and U2 and U3 raise them by 1.  U1 does not look
 *     at, and U1 and U3 do not raise, the block that was used.
 *   - umo=on: ages are raised before a block is chosen, on misses alone, and
 *     those of all blocks.
 *
 * Source: Abel and Reineke, "nanoBench: a low-overhead tool for running
 *   microbenchmarks on x86 systems", ISPASS 2020, and the simulator of its
 *   cache analyser; Jaleel et al. 2010 (srrip is H00, M2, R0, U0 with umo).
 *   What is chosen here: where no block has age 3, as U2 and U3 may have it,
 *   the leftmost goes with R0 and R2, too, which nanoBench leaves open.
 * Guarantee: free ways have age 3, as after a flush of the cache, and a block
 *   that is taken out leaves its age to its way, as there.
 * Cost: a pass over the ways of the set for each use; a byte for each way.
 */
#include <string.h>

#include "assoc/policies/cache.h"

#define OLDEST 3

struct state {
    uint64_t ways;
    /* 3 less the age of a block, [set][way], so that zeroed ways are old. */
    uint8_t *youth;
    uint8_t of_hit[OLDEST + 1];      /* [youth] */
    uint8_t of_miss, of_lucky_miss;  /* one in 16 */
    bool from_right, by_one, spares; /* R2; U2 and U3; U1 and U3 */
    bool on_misses;                  /* umo */
    bool evicting; /* until the block comes in that another one left for */
    struct margay_random random;
};

/* The values of the parameters, in their order below. */
static const char hits[][2] = {{1, 1}, {0, 0}, {1, 0}, {2, 0}, {2, 1}};
static const char misses[][2] = {{1, 1}, {0, 0}, {2, 2}, {3, 3}, {1, 0},
                                 {2, 0}, {2, 1}, {3, 0}, {3, 1}, {3, 2}};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    const unsigned *choices = setup->settings.choices;
    *state = (struct state){
        .ways = setup->ways,
        .youth = margay_lay_out(layout, setup->sets * setup->ways),
        .of_hit = {(uint8_t)(OLDEST - hits[choices[0]][0]),
                   (uint8_t)(OLDEST - hits[choices[0]][1]), OLDEST, OLDEST},
        .of_miss = (uint8_t)(OLDEST - misses[choices[1]][0]),
        .of_lucky_miss = (uint8_t)(OLDEST - misses[choices[1]][1]),
        .from_right = choices[2] == 2,
        .by_one = choices[3] >= 2,
        .spares = choices[3] % 2 == 1,
        .on_misses = choices[4] == 1,
    };
    margay_random_seed(&state->random, setup->seed);
}

/* Raise ages; `used` is the way that may be spared, `ways` for none. */
static inline void age(const struct state *state, uint8_t *of_set,
                       uint64_t used)
{
    uint64_t spared = state->spares ? used : state->ways;
    uint8_t least = OLDEST;
    for (uint64_t i = 0; i < state->ways; i++) {
        if ((i != spared || state->by_one) && of_set[i] < least)
            least = of_set[i];
    }
    if (state->by_one && least > 1)
        least = 1;
    for (uint64_t i = 0; i < state->ways && least > 0; i++)
        of_set[i] = (uint8_t)(of_set[i] - (i == spared ? 0 : least));
}

static inline void hit(void *context, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    const struct state *state = context;
    uint8_t *of_set = state->youth + set * state->ways;
    (void)use;
    of_set[slot] = state->of_hit[of_set[slot]];
    if (!state->on_misses)
        age(state, of_set, slot);
}

static inline uint32_t evict(void *context, uint64_t set,
                             const struct margay_use *use)
{
    struct state *state = context;
    uint8_t *of_set = state->youth + set * state->ways;
    (void)use;
    state->evicting = true;
    if (state->on_misses)
        age(state, of_set, state->ways);
    /* Free ways are filled from way 0, so that way 0 is the rightmost one. */
    if (state->from_right) {
        uint64_t i = state->ways;
        while (i > 0 && of_set[i - 1] != 0)
            i--;
        return (uint32_t)(i == 0 ? state->ways - 1 : i - 1);
    }
    const uint8_t *found = memchr(of_set, 0, state->ways);
    return found == NULL ? 0 : (uint32_t)(found - of_set);
}

static inline void insert(void *context, uint64_t set, uint32_t slot,
                          const struct margay_use *use)
{
    struct state *state = context;
    uint8_t *of_set = state->youth + set * state->ways;
    bool lucky = state->of_miss != state->of_lucky_miss &&
                 margay_random_below(&state->random, 16) == 0;
    (void)use;
    if (state->on_misses && !state->evicting)
        age(state, of_set, state->ways);
    state->evicting = false;
    of_set[slot] = lucky ? state->of_lucky_miss : state->of_miss;
    if (!state->on_misses)
        age(state, of_set, slot);
}

MARGAY_POLICY_LOOPS(qlru, MARGAY_POLICY_CALLS)

const struct margay_policy margay_policy_qlru = {
    .info = {.name = "qlru",
             .parameters = "hit=H11|H00|H10|H20|H21,miss=M1|M0|M2|M3|MR10|"
                           "MR20|MR21|MR30|MR31|MR32,replace=R0|R1|R2,"
                           "update=U0|U1|U2|U3,umo=off|on",
             .help = "the first block of the oldest of four ages goes",
             .source = "Abel and Reineke 2020",
             .abilities = MARGAY_POLICY_FOR_SETS},
    MARGAY_POLICY_MEMBERS(qlru),
};
