/*
 * zipf.c - the r-th most popular block drawn in proportion to r^-exponent
 *
 * Algorithm: an alias table (traces/base/alias.h) of integer weights.  A seeded
 *   shuffle deals ranks to ids, because popular blocks are neighbours in no
 *   real trace.
 * Cost: one look-up for each reference, for any number of blocks and any
 *   exponent; 8 bytes for each block, 16 while the table is made.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "traces/base/alias.h"
#include "traces/base/error.h"
#include "traces/base/memory.h"
#include "traces/generate/generator.h"
#include "traces/generate/power.h"

struct zipf {
    struct margay_alias blocks;
    struct margay_random random;
};

/* The smallest of 2, 3, 5 and 7 that divides `rank` properly, or 1. */
static uint64_t small_factor(uint64_t rank)
{
    static const uint64_t primes[] = {2, 3, 5, 7};
    for (size_t i = 0; i < sizeof primes / sizeof primes[0]; i++) {
        uint64_t quotient = rank / primes[i];
        if (quotient > 1 && quotient * primes[i] == rank)
            return primes[i];
    }
    return 1;
}

/* Unscaled weights by rank; returns their sum.  Because (a b)^-s = a^-s b^-s,
   three ranks in four need only a product, which costs far less than a power.
 */
static margay_u128 weigh(uint64_t *weights, uint64_t blocks, double exponent)
{
    struct margay_power power;
    margay_power_prepare(&power, exponent);
    margay_u128 sum = 0;
    for (uint64_t rank = 1; rank <= blocks; rank++) {
        uint64_t factor = small_factor(rank);
        uint64_t weight =
            factor == 1 ? margay_power_of(&power, rank)
                        : margay_power_multiply(weights[factor - 1],
                                                weights[rank / factor - 1]);
        weights[rank - 1] = weight;
        sum += weight;
    }
    return sum;
}

static void shuffle(uint64_t *weights, uint64_t blocks,
                    struct margay_random *random)
{
    for (uint64_t i = blocks - 1; i > 0; i--) {
        uint64_t j = margay_random_below(random, i + 1);
        uint64_t swapped = weights[i];
        weights[i] = weights[j];
        weights[j] = swapped;
    }
}

static void zipf_free(void *state)
{
    struct zipf *zipf = state;
    margay_alias_destroy(&zipf->blocks);
    free(zipf);
}

static enum margay_status make_table(
    struct zipf *zipf, const struct margay_generator_options *options,
    struct margay_error *error)
{
    uint64_t blocks = options->blocks;
    size_t bytes = (size_t)blocks * sizeof(uint64_t);
    uint64_t *weights = margay_map(bytes);
    if (weights == NULL)
        return margay_fail_memory(error, "the table of a zipf generator");
    margay_random_seed(&zipf->random, options->seed);
    margay_alias_scale(weights, blocks,
                       weigh(weights, blocks, options->exponent));
    shuffle(weights, blocks, &zipf->random);
    enum margay_status status =
        margay_alias_create(&zipf->blocks, weights, blocks, error);
    margay_unmap(weights, bytes);
    return status;
}

static enum margay_status zipf_create(
    const struct margay_generator_options *options, void **state,
    struct margay_error *error)
{
    if (options->blocks > MARGAY_ALIAS_ENTRIES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "zipf: %" PRIu64
                           " blocks, expected at most %" PRIu32,
                           options->blocks, MARGAY_ALIAS_ENTRIES);
    struct zipf *zipf = malloc(sizeof *zipf);
    if (zipf == NULL)
        return margay_fail_memory(error, "a zipf generator");
    enum margay_status status = make_table(zipf, options, error);
    if (status == MARGAY_OK)
        *state = zipf;
    else
        free(zipf);
    return status;
}

static void zipf_next(void *state, uint64_t *blocks, size_t count)
{
    struct zipf *zipf = state;
    margay_alias_draw(&zipf->blocks, &zipf->random, blocks, count);
}

const struct margay_generator_class margay_generator_zipf = {
    .info = {"zipf", "the r-th most popular block in proportion to r^-S",
             false},
    .create = zipf_create,
    .next = zipf_next,
    .free_state = zipf_free,
};
