/*
 * uniform.c - every block equally likely, references independent
 *
 * Reuse distances are spread geometrically about the number of blocks, so the
 * miss curve falls in a straight line to 0 at that size.
 */
#include <stdlib.h>

#include "traces/base/error.h"
#include "traces/base/random.h"
#include "traces/generate/generator.h"

struct uniform {
    uint64_t blocks;
    struct margay_random random;
};

static enum margay_status uniform_create(
    const struct margay_generator_options *options, void **state,
    struct margay_error *error)
{
    struct uniform *uniform = malloc(sizeof *uniform);
    if (uniform == NULL)
        return margay_fail_memory(error, "a generator");
    uniform->blocks = options->blocks;
    margay_random_seed(&uniform->random, options->seed);
    *state = uniform;
    return MARGAY_OK;
}

static void uniform_next(void *state, uint64_t *blocks, size_t count)
{
    struct uniform *uniform = state;
    struct margay_random random = uniform->random;
    for (size_t i = 0; i < count; i++)
        blocks[i] = margay_random_below(&random, uniform->blocks);
    uniform->random = random;
}

const struct margay_generator_class margay_generator_uniform = {
    .info = {"uniform", "every block equally likely", false},
    .create = uniform_create,
    .next = uniform_next,
    .free_state = free,
};
