/*
 * phases.c - loops over working sets that come and go
 *
 * Algorithm: a phase picks a working set, 1 to `blocks` consecutive blocks, and
 *   traverses it 4 to 19 times; in half of the phases every second traversal
 *   goes backwards.  The length of the working set lies between 2^k and 2^(k+1)
 *   with equal probability for every k.
 *
 * Programs behave like this, so a measurement that only samples averages of a
 * trace gets it wrong.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "traces/base/checked.h"
#include "traces/base/error.h"
#include "traces/base/random.h"
#include "traces/generate/generator.h"

struct phases {
    uint64_t blocks;
    struct margay_random random;
    uint64_t first, length; /* the working set */
    uint64_t at;            /* within it */
    uint64_t traversals;    /* left, with the current one */
    bool turns;             /* every second traversal goes backwards */
    bool backwards;
};

static void begin_phase(struct phases *phases)
{
    struct margay_random *random = &phases->random;
    uint64_t octaves = margay_log2_floor(phases->blocks) + 1;
    uint64_t least = UINT64_C(1) << margay_random_below(random, octaves);
    uint64_t length = least + margay_random_below(random, least);
    phases->length = length < phases->blocks ? length : phases->blocks;
    phases->first =
        margay_random_below(random, phases->blocks - phases->length + 1);
    phases->traversals = 4 + margay_random_below(random, 16);
    phases->turns = margay_random_below(random, 2) == 1;
    phases->backwards = false;
    phases->at = 0;
}

static enum margay_status phases_create(
    const struct margay_generator_options *options, void **state,
    struct margay_error *error)
{
    struct phases *phases = calloc(1, sizeof *phases);
    if (phases == NULL)
        return margay_fail_memory(error, "a generator");
    if (options->blocks >> 62 != 0) {
        free(phases);
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "phases: expected fewer than 2^62 blocks");
    }
    phases->blocks = options->blocks;
    margay_random_seed(&phases->random, options->seed);
    begin_phase(phases);
    *state = phases;
    return MARGAY_OK;
}

static void phases_next(void *state, uint64_t *blocks, size_t count)
{
    struct phases *phases = state;
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
            begin_phase(phases);
    }
}

const struct margay_generator_class margay_generator_phases = {
    .info = {.name = "phases",
             .description = "loops over working sets that come and go"},
    .create = phases_create,
    .next = phases_next,
    .free_state = free,
};
