/* chance.h - the random choices of a test, the same in every run */
#ifndef MARGAY_TESTS_CHANCE_H
#define MARGAY_TESTS_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/base/random.h"

static struct margay_random chance;

/* Before the first choice. */
static inline void seed_chance(uint64_t seed)
{
    margay_random_seed(&chance, seed);
}

static inline uint64_t any_u64(void)
{
    return margay_random_u64(&chance);
}

static inline uint64_t below(uint64_t bound)
{
    return margay_random_below(&chance, bound);
}

static inline bool one_in(uint64_t count)
{
    return below(count) == 0;
}

#endif
