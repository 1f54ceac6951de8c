/*
 * sequential.c - blocks one after the other
 *
 * loop: 0 .. blocks-1, again and again.  This is the worst case of LRU: every
 *   reuse has distance blocks-1, so a cache smaller than the loop always
 *   misses, and a larger one only in the first turn.
 *
 * scan: 0, 1, 2, ... without end.  No block comes back, so every reference is
 *   cold.  The number of blocks is ignored.
 */
#include <stdlib.h>

#include "traces/base/error.h"
#include "traces/generate/generator.h"

struct sequence {
    uint64_t next;
    uint64_t last; /* 0 follows it */
};

static enum margay_status create(uint64_t last, void **state,
                                 struct margay_error *error)
{
    struct sequence *sequence = malloc(sizeof *sequence);
    if (sequence == NULL)
        return margay_fail_memory(error, "a generator");
    sequence->next = 0;
    sequence->last = last;
    *state = sequence;
    return MARGAY_OK;
}

static enum margay_status loop_create(
    const struct margay_generator_options *options, void **state,
    struct margay_error *error)
{
    return create(options->blocks - 1, state, error);
}

static enum margay_status scan_create(
    const struct margay_generator_options *options, void **state,
    struct margay_error *error)
{
    (void)options;
    return create(UINT64_MAX, state, error);
}

static void sequence_next(void *state, uint64_t *blocks, size_t count)
{
    struct sequence *sequence = state;
    uint64_t next = sequence->next, last = sequence->last;
    for (size_t i = 0; i < count; i++) {
        blocks[i] = next;
        next = next == last ? 0 : next + 1;
    }
    sequence->next = next;
}

const struct margay_generator_class margay_generator_loop = {
    .info = {"loop", "all blocks in order, again and again", false},
    .create = loop_create,
    .next = sequence_next,
    .free_state = free,
};

const struct margay_generator_class margay_generator_scan = {
    .info = {"scan", "new blocks in order without end, none ever reused",
             false},
    .create = scan_create,
    .next = sequence_next,
    .free_state = free,
};
