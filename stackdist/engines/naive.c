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
#include "stackdist/tally.h"
#include "traces/traces_internal.h"

struct naive {
    uint64_t *stack; /* newest first */
    size_t depth;    /* blocks in the stack */
    size_t capacity; /* blocks there is room for */
    struct margay_tally tally;
};

static void free_state(void *state)
{
    struct naive *naive = state;
    margay_tally_destroy(&naive->tally);
    free(naive->stack);
    free(naive);
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void **state, struct margay_error *error)
{
    struct naive *naive = calloc(1, sizeof *naive);
    if (naive == NULL)
        return margay_fail_memory(error, "the naive engine");
    *state = naive;
    enum margay_status status =
        margay_tally_create(&naive->tally, setup->options.bound_blocks, error);
    if (status != MARGAY_OK)
        free_state(naive);
    return status;
}

static enum margay_status make_room(struct naive *naive,
                                    struct margay_error *error)
{
    if (naive->depth < naive->capacity)
        return MARGAY_OK;
    size_t capacity = naive->capacity == 0 ? 64 : naive->capacity, bytes;
    uint64_t *stack = NULL;
    if (margay_multiply_size(capacity, 2 * sizeof *stack, &bytes))
        stack = realloc(naive->stack, bytes);
    if (stack == NULL)
        return margay_fail_memory(error, "the stack");
    naive->stack = stack;
    naive->capacity = 2 * capacity;
    return MARGAY_OK;
}

static enum margay_status refer(struct naive *naive, uint64_t block,
                                uint64_t *distance, struct margay_error *error)
{
    enum margay_status status = make_room(naive, error);
    if (status != MARGAY_OK)
        return status;

    size_t depth = 0;
    while (depth < naive->depth && naive->stack[depth] != block)
        depth++;
    bool found = depth < naive->depth;
    *distance = found ? depth : MARGAY_INFINITE;

    memmove(naive->stack + 1, naive->stack, depth * sizeof *naive->stack);
    naive->stack[0] = block;
    if (!found && naive->depth < naive->tally.bound)
        naive->depth++;
    else if (!found)
        naive->tally.exceeded = true; /* the oldest is below the bound now */
    return margay_histogram_add(naive->tally.histogram, *distance, 1, error);
}

static enum margay_status feed(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error)
{
    struct naive *naive = state;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        uint64_t distance;
        status = refer(naive, blocks[i], &distance, error);
        if (distances != NULL && status == MARGAY_OK)
            distances[i] = distance;
    }
    return status;
}

static void reset_counts(void *state)
{
    struct naive *naive = state;
    margay_histogram_clear(naive->tally.histogram);
}

static enum margay_status finish(void *state, struct margay_result *result,
                                 struct margay_error *error)
{
    (void)error;
    struct naive *naive = state;
    margay_tally_finish(&naive->tally, naive->depth, result);
    return MARGAY_OK;
}

static enum margay_status peek(void *state, struct margay_result *result,
                               struct margay_error *error)
{
    struct naive *naive = state;
    return margay_tally_peek(&naive->tally, naive->depth, result, error);
}

static enum margay_status list_stack(void *state, uint64_t **blocks,
                                     uint64_t *count,
                                     struct margay_error *error)
{
    struct naive *naive = state;
    *count = naive->depth;
    *blocks = malloc((naive->depth + 1) * sizeof **blocks);
    if (*blocks == NULL)
        return margay_fail_memory(error, "the state of the naive engine");
    for (size_t i = 0; i < naive->depth; i++)
        (*blocks)[i] = naive->stack[naive->depth - 1 - i];
    return MARGAY_OK;
}

static enum margay_status adopt(void *state, const margay_histogram *counts,
                                struct margay_error *error)
{
    struct naive *naive = state;
    return margay_tally_adopt(&naive->tally, counts, error);
}

const struct margay_engine_class margay_engine_naive = {
    .info =
        {
            .name = "naive",
            .exact = true,
            .guarantee = "exact; the oracle of the tests",
            .parameters = "",
            .time = "O(N M)",
            .space = "O(M)",
            .source = "Mattson et al. 1970",
        },
    .create = create,
    .takes_repeats = true,
    .feed = feed,
    .reset_counts = reset_counts,
    .finish = finish,
    .free_state = free_state,
    .peek = peek,
    .list_stack = list_stack,
    .adopt = adopt,
};
