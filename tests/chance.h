/* chance.h - the random choices of a test, the same in every run */
#ifndef MARGAY_TESTS_CHANCE_H
#define MARGAY_TESTS_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/base/random.h"

/* A test seeds it first. */
static struct margay_random chance;

static inline uint64_t below(uint64_t bound)
{
    return margay_random_below(&chance, bound);
}

static inline bool one_in(uint64_t count)
{
    return below(count) == 0;
}

#endif
