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

static uint64_t bytes(uint64_t sets, uint32_t ways)
{
    return margay_bits_bytes(sets, ways) + sets * sizeof(struct progress);
}

static enum margay_status create(const struct margay_policy_setup *setup,
                                 void **used, struct margay_error *error)
{
    return margay_bits_create(setup, sizeof(struct progress), used, error);
}

static inline void note(void *context, uint64_t set, uint32_t slot,
                        const struct margay_use *use)
{
    struct margay_bits *used = context;
    struct progress *progress = used->of_sets;
    (void)use;
    progress[set].count += !margay_bits_set(used, set, slot);
}

static inline uint32_t evict(void *context, uint64_t set,
                             const struct margay_use *use)
{
    struct margay_bits *used = context;
    struct progress *progress = (struct progress *)used->of_sets + set;
    uint64_t *words = margay_bits_of(used, set);
    (void)use;
    if (progress->count == used->slots) {
        memset(words, 0, used->words * sizeof *words);
        *progress = (struct progress){0, 0};
    }
    while (words[progress->word] == UINT64_MAX)
        progress->word++;
    return progress->word * 64 +
           (uint32_t)__builtin_ctzll(~words[progress->word]);
}

MARGAY_POLICY_LOOPS(note, evict, note)

const struct margay_policy margay_policy_nru = {
    .info = {.name = "nru",
             .parameters = "",
             .help = "the first block goes that was not used recently",
             .source = "Jaleel et al. 2010"},
    .bytes = bytes,
    .create = create,
    .free_state = margay_bits_free,
    .feed = MARGAY_POLICY_FEEDS,
};
