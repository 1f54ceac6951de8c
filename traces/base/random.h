/*
 * random.h - reproducible random numbers
 *
 * Algorithm: xoshiro256**, seeded by SplitMix64 as its authors advise.
 * Source: Blackman and Vigna 2021.
 * Guarantee: integer arithmetic only, so the same seed gives the same sequence
 *   on every machine and compiler.  Not for secrets.
 */
#ifndef MARGAY_TRACES_BASE_RANDOM_H
#define MARGAY_TRACES_BASE_RANDOM_H

#include "traces/base/checked.h"

struct margay_random {
    uint64_t state[4];
};

static inline uint64_t margay_splitmix64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline void margay_random_seed(struct margay_random *random,
                                      uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        random->state[i] = margay_splitmix64(&seed);
}

static inline uint64_t margay_rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

/* Uniform on [0, 2^64). */
static inline uint64_t margay_random_u64(struct margay_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = margay_rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = margay_rotate_left(s[3], 45);
    return result;
}

/* Exactly uniform on [0, bound) for 1 <= bound <= 2^64 - 1: a product that
   would favour some values is drawn again (Lemire 2019). */
static inline uint64_t margay_random_below(struct margay_random *random,
                                           uint64_t bound)
{
    margay_u128 product = (margay_u128)margay_random_u64(random) * bound;
    if ((uint64_t)product < bound) {
        uint64_t threshold = -bound % bound;
        while ((uint64_t)product < threshold)
            product = (margay_u128)margay_random_u64(random) * bound;
    }
    return (uint64_t)(product >> 64);
}

#endif
