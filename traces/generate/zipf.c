/*
 * zipf.c - the r-th most popular block drawn in proportion to r^-exponent
 *
 * Method: an alias table (Walker 1977).  Each block has a column of height
 * 2^32, filled up to `threshold` by the block itself and above it by one
 * other block, its `alias`; a draw picks a column and a height in it, both
 * from one 64-bit random number, so that it costs one look-up whatever the
 * number of blocks and the exponent.
 *
 * The weights are integers that sum to exactly the area of all columns, so
 * that filling them (in the sweeping order of Huebschle-Schneider and
 * Sanders 2022) leaves no remainder to be swept under a rounding error.  A
 * drawn frequency differs from the ideal one by less than 2^-32 of a column,
 * plus the blocks * 2^-64 that a column's choice is biased by.
 *
 * Ranks are dealt to ids by a seeded shuffle: popular blocks are not
 * neighbours, as they would be in no real trace.
 *
 * Memory: 8 bytes per block, 16 while the table is made.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "traces/base/error.h"
#include "traces/base/memory.h"
#include "traces/base/random.h"
#include "traces/generate/generator.h"
#include "traces/generate/power.h"

__extension__ typedef unsigned __int128 u128;

#define GREATEST_BLOCKS UINT32_MAX
#define COLUMN_BITS     32
#define COLUMN          (UINT64_C(1) << COLUMN_BITS)

/* Draws that are in flight together, so that their misses overlap. */
#define DRAWS_AT_ONCE 32

struct column {
    uint32_t threshold;
    uint32_t alias; /* the block itself if it fills its column */
};

struct zipf {
    uint64_t blocks;
    struct column *columns;
    struct margay_random random;
};

static size_t columns_bytes(uint64_t blocks)
{
    return (size_t)blocks * sizeof(struct column);
}

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

/* Unscaled weights by rank; returns their sum.  As (a b)^-s = a^-s b^-s, a
   product does for three ranks in four, and costs far less than a power. */
static u128 weigh(uint64_t *weights, uint64_t blocks, double exponent)
{
    struct margay_power power;
    margay_power_prepare(&power, exponent);
    u128 sum = 0;
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

/* Scale the weights so that they sum to blocks * COLUMN. */
static void scale(uint64_t *weights, uint64_t blocks, u128 sum)
{
    uint64_t left = blocks << COLUMN_BITS;
    u128 area = left;
    for (uint64_t i = 0; i < blocks; i++) {
        weights[i] = (uint64_t)(weights[i] * area / sum);
        left -= weights[i];
    }
    /* What rounding down left over, less than 1 each: to the heaviest. */
    for (uint64_t i = 0; i < left; i++)
        weights[i]++;
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

/* The first block from `block` on that is, or is not, heavier than a column;
   `blocks` if there is none. */
static uint64_t find(const uint64_t *weights, uint64_t blocks, uint64_t block,
                     bool heavy)
{
    while (block < blocks && (weights[block] > COLUMN) != heavy)
        block++;
    return block;
}

/* `own` of the column of `block` is its own, the rest is `other`'s. */
static void fill_column(struct zipf *zipf, uint64_t block, uint64_t own,
                        uint64_t other)
{
    bool full = own == COLUMN;
    zipf->columns[block].threshold = full ? 0 : (uint32_t)own;
    zipf->columns[block].alias = (uint32_t)(full ? block : other);
}

/*
 * The columns of light blocks are filled up by the current heavy one, until
 * that is light itself and its own column is filled up by the next.  As the
 * weights sum to the area of the columns, the last heavy block and the light
 * ones behind it come out full.
 */
static void fill(struct zipf *zipf, const uint64_t *weights)
{
    uint64_t blocks = zipf->blocks;
    uint64_t light = find(weights, blocks, 0, false);
    uint64_t heavy = find(weights, blocks, 0, true);
    uint64_t left = heavy < blocks ? weights[heavy] : 0;
    while (heavy < blocks) {
        if (left > COLUMN) {
            fill_column(zipf, light, weights[light], heavy);
            left -= COLUMN - weights[light];
            light = find(weights, blocks, light + 1, false);
        } else {
            uint64_t next = find(weights, blocks, heavy + 1, true);
            fill_column(zipf, heavy, left, next);
            if (next < blocks)
                left = weights[next] - (COLUMN - left);
            heavy = next;
        }
    }
    for (; light < blocks; light = find(weights, blocks, light + 1, false))
        fill_column(zipf, light, COLUMN, light);
}

static void zipf_free(void *state)
{
    struct zipf *zipf = state;
    margay_unmap(zipf->columns, columns_bytes(zipf->blocks));
    free(zipf);
}

static enum margay_status zipf_create(
    const struct margay_generator_options *options, void **state,
    struct margay_error *error)
{
    uint64_t blocks = options->blocks;
    if (blocks > GREATEST_BLOCKS)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "zipf: %" PRIu64
                           " blocks, expected at most %" PRIu32,
                           blocks, GREATEST_BLOCKS);
    struct zipf *zipf = malloc(sizeof *zipf);
    size_t weights_bytes = (size_t)blocks * sizeof(uint64_t);
    uint64_t *weights = margay_map(weights_bytes);
    struct column *columns = margay_map(columns_bytes(blocks));
    if (zipf == NULL || weights == NULL || columns == NULL) {
        margay_unmap(columns, columns_bytes(blocks));
        margay_unmap(weights, weights_bytes);
        free(zipf);
        return margay_fail_memory(error, "the table of a zipf generator");
    }
    zipf->blocks = blocks;
    zipf->columns = columns;
    margay_random_seed(&zipf->random, options->seed);
    scale(weights, blocks, weigh(weights, blocks, options->exponent));
    shuffle(weights, blocks, &zipf->random);
    fill(zipf, weights);
    margay_unmap(weights, weights_bytes);
    *state = zipf;
    return MARGAY_OK;
}

/* The high half of draw * blocks is the column, the low half the height. */
static void draw(struct zipf *zipf, uint64_t *blocks, size_t count)
{
    uint64_t chosen[DRAWS_AT_ONCE];
    uint32_t heights[DRAWS_AT_ONCE];
    for (size_t i = 0; i < count; i++) {
        u128 product = (u128)margay_random_u64(&zipf->random) * zipf->blocks;
        chosen[i] = (uint64_t)(product >> 64);
        heights[i] = (uint32_t)((uint64_t)product >> (64 - COLUMN_BITS));
        __builtin_prefetch(&zipf->columns[chosen[i]]);
    }
    for (size_t i = 0; i < count; i++) {
        struct column column = zipf->columns[chosen[i]];
        blocks[i] = heights[i] < column.threshold ? chosen[i] : column.alias;
    }
}

static void zipf_next(void *state, uint64_t *blocks, size_t count)
{
    while (count > 0) {
        size_t drawn = count < DRAWS_AT_ONCE ? count : DRAWS_AT_ONCE;
        draw(state, blocks, drawn);
        blocks += drawn;
        count -= drawn;
    }
}

const struct margay_generator_class margay_generator_zipf = {
    .info = {"zipf", "the r-th most popular block in proportion to r^-S",
             false},
    .create = zipf_create,
    .next = zipf_next,
    .free_state = zipf_free,
};
