/*
 * nru.c - evicts the first block that was not used recently
 *
 * Each slot has a bit, which every use of its block sets, the miss that brings
 * the block in included.  The victim is the lowest slot whose bit is 0.  If all
 * bits of the set are 1, they are cleared first, and the victim is the lowest
 * slot.
 * Source: as Jaleel, Theobald, Steely and Emer, "High performance cache
 *   replacement using re-reference interval prediction (RRIP)", ISCA 2010,
 *   describe it for processors of the time.
 * Cost: constant on average: between two clearings the lowest slot without a
 *   bit only moves up; one bit for each way, 16 bytes for a set at least.
 */
#include <string.h>

#include "assoc/policies/bits.h"
#include "assoc/policies/cache.h"

/* Of a set. */
struct progress {
    uint32_t count; /* bits that are set */
    uint32_t word;  /* no word below it has a bit that is 0 */
};

struct state {
    uint32_t ways;
    struct progress *progress; /* [set] */
    struct margay_bits used;
};

static void set_up(void *context, const struct margay_policy_setup *setup,
                   struct margay_layout *layout)
{
    struct state *state = context;
    state->ways = setup->ways;
    state->progress =
        margay_lay_out(layout, setup->sets * sizeof(struct progress));
    margay_bits_set_up(&state->used, setup->sets, setup->ways, layout);
}

static inline void note(void *context, uint64_t set, uint32_t slot,
                        const struct margay_use *use)
{
    struct state *state = context;
    (void)use;
    state->progress[set].count += !margay_bits_set(&state->used, set, slot);
}

static inline uint32_t evict(void *context, uint64_t set,
                             const struct margay_use *use)
{
    struct state *state = context;
    struct progress *progress = state->progress + set;
    uint64_t *words = margay_bits_of(&state->used, set);
    (void)use;
    if (progress->count == state->ways) {
        memset(words, 0, state->used.words * sizeof *words);
        *progress = (struct progress){0, 0};
    }
    while (words[progress->word] == UINT64_MAX)
        progress->word++;
    return progress->word * 64 +
           (uint32_t)__builtin_ctzll(~words[progress->word]);
}

MARGAY_POLICY_LOOPS(nru, .hit = note, .evict = evict, .insert = note)

const struct margay_policy margay_policy_nru = {
    .info = {.name = "nru",
             .parameters = "",
             .help = "the first block goes that was not used recently",
             .source = "Jaleel et al. 2010",
             .abilities = MARGAY_POLICY_FOR_SETS},
    .state_bytes = sizeof(struct state),
    .set_up = set_up,
    .loops = nru_loops,
};
