/*
 * stochastic.h - traces whose distances have a given distribution
 *
 * Shen and Shaw judge their method on such traces: normal distances, and
 * exponential ones.
 */
#ifndef MARGAY_TESTS_STACKDIST_STOCHASTIC_H
#define MARGAY_TESTS_STACKDIST_STOCHASTIC_H

#include <math.h>
#include <string.h>

#include "traces/traces_internal.h"

#define STOCHASTIC_BLOCKS 1000

/* A normal deviate: the sum of twelve uniform ones. */
static inline double normal_deviate(struct margay_random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += ldexp((double)(margay_random_u64(random) >> 11), -53);
    return sum;
}

/* variance 0: exponential, with the same mean. */
static inline uint64_t draw_distance(double mean, double variance,
                                     struct margay_random *random)
{
    double uniform =
        ldexp((double)(margay_random_u64(random) >> 11) + 0.5, -53);
    double distance = variance > 0
                          ? mean + sqrt(variance) * normal_deviate(random)
                          : -mean * log(uniform);
    if (!(distance > 0))
        return 0;
    return distance < STOCHASTIC_BLOCKS - 1 ? (uint64_t)(distance + 0.5)
                                            : STOCHASTIC_BLOCKS - 1;
}

/* Draw depths of an LRU stack that is full at the beginning. */
static inline void make_stochastic(double mean, double variance,
                                   uint64_t *blocks, size_t count,
                                   struct margay_random *random)
{
    static uint64_t stack[STOCHASTIC_BLOCKS];
    for (size_t i = 0; i < STOCHASTIC_BLOCKS; i++)
        blocks[i] = stack[STOCHASTIC_BLOCKS - 1 - i] = i;
    for (size_t i = STOCHASTIC_BLOCKS; i < count; i++) {
        uint64_t depth = draw_distance(mean, variance, random);
        uint64_t block = stack[depth];
        memmove(stack + 1, stack, depth * sizeof *stack);
        stack[0] = blocks[i] = block;
    }
}

#endif
