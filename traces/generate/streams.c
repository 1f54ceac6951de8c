/* streams.c - generators of block ids: loop, scan, uniform, zipf, phases */
#include <inttypes.h>

#include "traces/base/alias.h"
#include "traces/base/error.h"
#include "traces/base/memory.h"
#include "traces/generate/generator.h"
#include "traces/generate/power.h"

/* --------------------------------------------------------- loop and scan -- */

/*
 * loop: 0 .. blocks-1, again and again.  This is the worst case of LRU: every
 *   reuse has distance blocks-1, so a cache smaller than the loop always
 *   misses, and a larger one only in the first turn.
 *
 * scan: 0, 1, 2, ... without end.  No block comes back, so every reference is
 *   cold.  The number of blocks is ignored.
 */
static void sequence_next(struct margay_generator *generator, uint64_t *blocks,
                          size_t count)
{
    uint64_t next = *generator->state;
    uint64_t last = generator->class == &margay_generator_scan
                        ? UINT64_MAX
                        : generator->options.blocks - 1;
    for (size_t i = 0; i < count; i++) {
        blocks[i] = next;
        next = next == last ? 0 : next + 1;
    }
    *generator->state = next;
}

const struct margay_generator_class margay_generator_loop = {
    .info = {"loop", "all blocks in order, again and again", false},
    .state_bytes = sizeof(uint64_t),
    .next = sequence_next,
};

const struct margay_generator_class margay_generator_scan = {
    .info = {"scan", "new blocks in order without end, none ever reused",
             false},
    .state_bytes = sizeof(uint64_t),
    .next = sequence_next,
};

/* --------------------------------------------------------------- uniform -- */

/*
 * Every block equally likely, references independent
 *
 * Reuse distances are spread geometrically about the number of blocks, so the
 * miss curve falls in a straight line to 0 at that size.
 */
static void uniform_next(struct margay_generator *generator, uint64_t *blocks,
                         size_t count)
{
    struct margay_random random = generator->random;
    for (size_t i = 0; i < count; i++)
        blocks[i] = margay_random_below(&random, generator->options.blocks);
    generator->random = random;
}

const struct margay_generator_class margay_generator_uniform = {
    .info = {"uniform", "every block equally likely", false},
    .next = uniform_next,
};

/* ------------------------------------------------------------------ zipf -- */

/*
 * The r-th most popular block drawn in proportion to r^-exponent
 *
 * Algorithm: an alias table (traces/base/alias.h) of integer weights.  A seeded
 *   shuffle deals ranks to ids, because popular blocks are neighbours in no
 *   real trace.
 * Cost: one look-up for each reference, for any number of blocks and any
 *   exponent; 8 bytes for each block, 16 while the table is made.
 */
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
   three ranks in four need only a product, which costs far less than a
   power. */
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

static enum margay_status zipf_begin(struct margay_generator *generator,
                                     struct margay_error *error)
{
    uint64_t blocks = generator->options.blocks;
    size_t bytes = (size_t)blocks * sizeof(uint64_t);
    if (blocks > MARGAY_ALIAS_ENTRIES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "zipf: %" PRIu64
                           " blocks, expected at most %" PRIu32,
                           blocks, MARGAY_ALIAS_ENTRIES);
    uint64_t *weights = margay_map(bytes);
    if (weights == NULL)
        return margay_fail_memory(error, "the table of a zipf generator");
    margay_alias_scale(weights, blocks,
                       weigh(weights, blocks, generator->options.exponent));
    shuffle(weights, blocks, &generator->random);
    enum margay_status status = margay_alias_create(
        (struct margay_alias *)generator->state, weights, blocks, error);
    margay_unmap(weights, bytes);
    return status;
}

static void zipf_next(struct margay_generator *generator, uint64_t *blocks,
                      size_t count)
{
    margay_alias_draw((struct margay_alias *)generator->state,
                      &generator->random, blocks, count);
}

static void zipf_clear(struct margay_generator *generator)
{
    margay_alias_destroy((struct margay_alias *)generator->state);
}

const struct margay_generator_class margay_generator_zipf = {
    .info = {"zipf", "the r-th most popular block in proportion to r^-S",
             false},
    .state_bytes = sizeof(struct margay_alias),
    .begin = zipf_begin,
    .next = zipf_next,
    .clear = zipf_clear,
};

/* ---------------------------------------------------------------- phases -- */

/*
 * Loops over working sets that come and go
 *
 * Algorithm: a phase picks a working set, 1 to `blocks` consecutive blocks, and
 *   traverses it 4 to 19 times; in half of the phases every second traversal
 *   goes backwards.  The length of the working set lies between 2^k and 2^(k+1)
 *   with equal probability for every k.
 *
 * Programs behave like this, so a measurement that only samples averages of a
 * trace gets it wrong.
 */
struct phases {
    uint64_t first, length; /* the working set */
    uint64_t at;            /* within it */
    uint64_t traversals;    /* left, with the current one */
    bool turns;             /* every second traversal goes backwards */
    bool backwards;
};

static void begin_phase(struct margay_generator *generator)
{
    struct phases *phases = (struct phases *)generator->state;
    struct margay_random *random = &generator->random;
    uint64_t blocks = generator->options.blocks;
    uint64_t octaves = margay_log2_floor(blocks) + 1;
    uint64_t least = UINT64_C(1) << margay_random_below(random, octaves);
    uint64_t length = least + margay_random_below(random, least);
    phases->length = length < blocks ? length : blocks;
    phases->first = margay_random_below(random, blocks - phases->length + 1);
    phases->traversals = 4 + margay_random_below(random, 16);
    phases->turns = margay_random_below(random, 2) == 1;
    phases->backwards = false;
    phases->at = 0;
}

static enum margay_status phases_begin(struct margay_generator *generator,
                                       struct margay_error *error)
{
    if (generator->options.blocks >> 62 != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "phases: expected fewer than 2^62 blocks");
    begin_phase(generator);
    return MARGAY_OK;
}

static void phases_next(struct margay_generator *generator, uint64_t *blocks,
                        size_t count)
{
    struct phases *phases = (struct phases *)generator->state;
    for (size_t i = 0; i < count; i++) {
        uint64_t at = phases->at;
        if (phases->backwards)
            at = phases->length - 1 - at;
        blocks[i] = phases->first + at;
        if (++phases->at < phases->length)
            continue;
        phases->at = 0;
        phases->backwards ^= phases->turns;
        if (--phases->traversals == 0)
            begin_phase(generator);
    }
}

const struct margay_generator_class margay_generator_phases = {
    .info = {.name = "phases",
             .description = "loops over working sets that come and go"},
    .state_bytes = sizeof(struct phases),
    .begin = phases_begin,
    .next = phases_next,
};
