/*
 * nru.c - evicts the first block that was not used recently
 *
 * Each slot has a bit, which every use of its block sets, the miss that brings
 * the block in included.  The victim is the lowest slot whose bit is 0.  If all
 * bits of the set are 1, they are cleared first, and the victim is the lowest
 * slot.  With clear=use the use that sets the last bit clears all others, also
 * called MRU and bit-PLRU; with clear=full likewise, but uses set bits only if
 * the set was full before them.
 * Source: as Jaleel, Theobald, Steely and Emer, "High performance cache
 *   replacement using re-reference interval prediction (RRIP)", ISCA 2010,
 *   describe it for processors of the time; of clear=use and clear=full, Abel
 *   and Reineke, "nanoBench", ISPASS 2020: MRU and MRU_N, in the last levels of
 *   Nehalem and Sandy Bridge.
 * Cost: constant on average: between two clearings the lowest slot without a
 *   bit only moves up; one bit for each way, 20 bytes for a set at least.
 */
#include <string.h>

#include "assoc/policies/bits.h"
#include "assoc/policies/cache.h"

/* Of a set. */
struct progress {
    uint32_t count;  /* bits that are set */
    uint32_t word;   /* no word below it has a bit that is 0 */
    uint32_t blocks; /* in the set */
};

enum clear { AT_MISS, AT_USE, AT_USE_OF_FULL };

struct state {
    uint32_t ways;
    enum clear clear;
    struct progress *progress; /* [set] */
    struct margay_bits used;
    bool evicting; /* until the block comes in that another one left for */
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    state->ways = setup->ways;
    state->clear = (enum clear)setup->settings.choices[0];
    state->progress =
        margay_lay_out(layout, setup->sets * sizeof(struct progress));
    margay_bits_set_up(&state->used, setup->sets, setup->ways, layout);
}

static inline void clear_all(struct state *state, uint64_t set)
{
    memset(margay_bits_of(&state->used, set), 0,
           state->used.words * sizeof(uint64_t));
    state->progress[set].count = state->progress[set].word = 0;
}

static inline void hit(void *context, uint64_t set, uint32_t slot,
                       const struct margay_use *use)
{
    struct state *state = context;
    struct progress *progress = state->progress + set;
    (void)use;
    if (state->clear == AT_USE_OF_FULL && progress->blocks < state->ways)
        return;
    progress->count += !margay_bits_set(&state->used, set, slot);
    if (state->clear == AT_MISS || progress->count < state->ways)
        return;
    clear_all(state, set);
    progress->count = !margay_bits_set(&state->used, set, slot);
}

static inline void insert(void *context, uint64_t set, uint32_t slot,
                          const struct margay_use *use)
{
    struct state *state = context;
    if (state->evicting || state->clear != AT_USE_OF_FULL)
        hit(state, set, slot, use);
    state->progress[set].blocks += !state->evicting;
    state->evicting = false;
}

static void remove_slot(void *context, uint64_t set, uint32_t slot)
{
    const struct state *state = context;
    (void)slot;
    state->progress[set].blocks--;
}

static inline uint32_t evict(void *context, uint64_t set,
                             const struct margay_use *use)
{
    struct state *state = context;
    struct progress *progress = state->progress + set;
    uint64_t *words = margay_bits_of(&state->used, set);
    (void)use;
    state->evicting = true;
    if (progress->count == state->ways)
        clear_all(state, set);
    while (words[progress->word] == UINT64_MAX)
        progress->word++;
    return progress->word * 64 +
           (uint32_t)__builtin_ctzll(~words[progress->word]);
}

MARGAY_POLICY_LOOPS(nru, MARGAY_POLICY_CALLS)

const struct margay_policy margay_policy_nru = {
    .info = {.name = "nru",
             .parameters = "clear=miss|use|full",
             .help = "the first block goes that was not used recently",
             .source = "Jaleel et al. 2010",
             .abilities = MARGAY_POLICY_FOR_SETS},
    MARGAY_POLICY_MEMBERS(nru),
    .remove = remove_slot,
};
