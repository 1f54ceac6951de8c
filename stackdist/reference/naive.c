/*
 * naive.c - the oracle
 *
 * Algorithm: the LRU stack as an array, the newest block first.  Search it
 *   from the top; the depth at which the block is found is its distance; move
 *   the block to the top.  With a bound of B blocks the stack keeps its top B
 *   only.
 * Source: Mattson, Gecsei, Slutz, Traiger, "Evaluation techniques for storage
 *   hierarchies", IBM Systems Journal 9(2), 1970.  Bounded: Fu, Zhang, Chen,
 *   "Reuse distance based cache miss rate analysis", 2006.
 * Guarantee: exact.  Every other exact engine is tested against this one, so
 *   it is written to be read, not to be fast.
 * Cost: O(N M) time, O(M) space; with a bound O(N B) and O(B).
 */
#include <stdlib.h>
#include <string.h>

#include "stackdist/engine.h"
#include "stackdist/reference/tally.h"

struct naive {
    struct margay_tally tally;
    uint64_t *stack; /* newest first */
    size_t capacity; /* blocks that fit the array */
};

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    struct naive *naive = state;
    return margay_tally_create(&naive->tally, setup->options.bound_blocks,
                               error);
}

static void destroy(void *state)
{
    struct naive *naive = state;
    margay_tally_destroy(&naive->tally);
    free(naive->stack);
}

static enum margay_status feed(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error)
{
    struct naive *naive = state;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (!MARGAY_MAKE_ROOM(naive->stack, naive->tally.blocks, 1,
                              naive->capacity))
            return margay_fail_memory(error, "the stack");
        uint64_t *stack = naive->stack;

        size_t depth = 0;
        while (depth < naive->tally.blocks && stack[depth] != blocks[i])
            depth++;
        bool found = depth < naive->tally.blocks;
        uint64_t distance = found ? depth : MARGAY_INFINITE;

        memmove(stack + 1, stack, depth * sizeof *stack);
        stack[0] = blocks[i];
        if (!found && naive->tally.blocks < naive->tally.bound)
            naive->tally.blocks++;
        else if (!found) /* the oldest block has left the stack */
            naive->tally.exceeded = true;
        status =
            margay_histogram_add(naive->tally.histogram, distance, 1, error);
        if (distances != NULL && status == MARGAY_OK)
            distances[i] = distance;
    }
    return status;
}

static enum margay_status list_stack(void *state, uint64_t **blocks,
                                     uint64_t *count,
                                     struct margay_error *error)
{
    struct naive *naive = state;
    *count = naive->tally.blocks;
    *blocks = malloc((naive->tally.blocks + 1) * sizeof **blocks);
    if (*blocks == NULL)
        return margay_fail_memory(error, "the state of the naive engine");
    for (size_t i = 0; i < naive->tally.blocks; i++)
        (*blocks)[i] = naive->stack[naive->tally.blocks - 1 - i];
    return MARGAY_OK;
}

const struct margay_engine_class margay_engine_naive = {
    .info = {.name = "naive",
             .exact = true,
             .guarantee = "exact; the oracle of the tests",
             .parameters = "",
             .time = "O(N M)",
             .space = "O(M)",
             .source = "Mattson et al. 1970"},
    .can = MARGAY_GIVES_DISTANCES | MARGAY_CAN_TAKE_BOUND,
    .state_bytes = sizeof(struct naive),
    .create = create,
    .destroy = destroy,
    .feed = feed,
    .reset_counts = margay_tally_reset_counts,
    .finish = margay_tally_peek,
    .peek = margay_tally_peek,
    .list_stack = list_stack,
    .adopt = margay_tally_adopt,
};
