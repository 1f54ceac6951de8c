/*
 * stochastic.h - traces whose distances have a given distribution
 *
 * Shen and Shaw judge their method on such traces: normal distances, and
 * exponential ones.
 */
#ifndef MARGAY_TESTS_STACKDIST_STOCHASTIC_H
#define MARGAY_TESTS_STACKDIST_STOCHASTIC_H

#include <math.h>
#include <stdlib.h>

#include <margay/stackdist.h>

#define STOCHASTIC_BLOCKS 1000 /* all distances are below */

/* variance 0: exponential, with the same mean.  A share `repeats` of all
   references is to the block of the one before. */
static inline void make_stochastic(double mean, double variance, double repeats,
                                   uint64_t seed, uint64_t *blocks,
                                   size_t count)
{
    static struct margay_bin bins[STOCHASTIC_BLOCKS];
    margay_stack_generator *generator;
    double density[STOCHASTIC_BLOCKS], sum = 0;
    for (size_t i = 0; i < STOCHASTIC_BLOCKS; i++) {
        double d = (double)i - mean;
        density[i] = variance > 0 ? exp(-d * d / (2 * variance))
                                  : exp(-(double)i / mean);
        sum += density[i];
    }
    density[0] += sum * repeats / (1 - repeats);
    for (size_t i = 0; i < STOCHASTIC_BLOCKS; i++)
        bins[i] = (struct margay_bin){i, i + 1, (uint64_t)(1e12 * density[i])};
    if (margay_stack_generator_create(bins, STOCHASTIC_BLOCKS, 0, seed,
                                      &generator, NULL) != MARGAY_OK ||
        margay_stack_generator_next(generator, blocks, count, NULL) !=
            MARGAY_OK)
        abort();
    margay_stack_generator_free(generator);
}

#endif
