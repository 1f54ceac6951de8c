/* weights.c - the memory of the sums of sizes over time */
#include "stackdist/objects/weights.h"

#include <string.h>

#include "traces/traces_internal.h"

/* Nodes are whole, and the bits of objects of size 0 whole words. */
#define CAPACITY_STEP (MARGAY_WEIGHTS_LEAF * MARGAY_WEIGHTS_NODE)

#define FOUR(...)  __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define SIXTEEN(x) FOUR(x, x, x, x)

const uint32_t margay_weights_first[128] = {FOUR(SIXTEEN(UINT32_MAX)),
                                            FOUR(SIXTEEN(0))};

static uint64_t entries_of(const struct margay_weights *weights, unsigned level)
{
    /* Each is the sum of 32 * 16^level moments. */
    uint64_t entries = (weights->capacity >> (5 + 4 * level)) + 1;
    return (entries + MARGAY_WEIGHTS_NODE - 1) / MARGAY_WEIGHTS_NODE *
           MARGAY_WEIGHTS_NODE;
}

static void *map_of(uint64_t count, size_t bytes_each)
{
    size_t bytes;
    return margay_multiply_size(count, bytes_each, &bytes) ? margay_map(bytes)
                                                           : NULL;
}

static enum margay_status fail_moments(const struct margay_weights *weights,
                                       struct margay_error *error)
{
    return margay_fail(error, MARGAY_NO_MEMORY,
                       "out of memory: no room for the last uses of %llu "
                       "objects",
                       (unsigned long long)weights->capacity);
}

enum margay_status margay_weights_create(struct margay_weights *weights,
                                         uint64_t capacity,
                                         struct margay_error *error)
{
    capacity = (capacity + CAPACITY_STEP - 1) / CAPACITY_STEP * CAPACITY_STEP;
    *weights = (struct margay_weights){.capacity = capacity, .next = 1};
    weights->low = map_of(capacity, sizeof *weights->low);
    weights->empty = map_of(capacity / 64, sizeof *weights->empty);
    bool made = weights->low != NULL && weights->empty != NULL;
    do {
        uint64_t *sums = map_of(entries_of(weights, weights->levels), 8);
        weights->sums[weights->levels++] = sums;
        made = made && sums != NULL;
    } while (entries_of(weights, weights->levels - 1) > MARGAY_WEIGHTS_NODE);
    if (made)
        return MARGAY_OK;
    margay_weights_destroy(weights);
    return fail_moments(&(struct margay_weights){.capacity = capacity}, error);
}

void margay_weights_destroy(struct margay_weights *weights)
{
    margay_unmap(weights->low, weights->capacity * sizeof *weights->low);
    margay_unmap(weights->high, weights->capacity * sizeof *weights->high);
    margay_unmap(weights->empty,
                 weights->capacity / 64 * sizeof *weights->empty);
    for (unsigned level = 0; level < weights->levels; level++)
        margay_unmap(weights->sums[level], entries_of(weights, level) * 8);
    *weights = (struct margay_weights){.capacity = 0};
}

enum margay_status margay_weights_widen(struct margay_weights *weights,
                                        struct margay_error *error)
{
    weights->high = map_of(weights->capacity, sizeof *weights->high);
    return weights->high == NULL ? fail_moments(weights, error) : MARGAY_OK;
}

enum margay_status margay_fail_total(const char *what, uint64_t reference,
                                     struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "reference %llu of those analysed: all %s together "
                       "have 2^64 - 1 bytes or more",
                       (unsigned long long)reference, what);
}

void margay_weights_restart(struct margay_weights *weights)
{
    memset(weights->empty, 0, weights->capacity / 64 * sizeof *weights->empty);
    weights->next = 1;
    weights->total = weights->objects = weights->fresh = 0;
    for (unsigned level = 0; level < weights->levels; level++)
        weights->sums[level][0] = 0;
}

void margay_weights_clear_rest(struct margay_weights *weights)
{
    uint64_t rest = weights->capacity - weights->next;
    memset(weights->low + weights->next, 0, rest * sizeof *weights->low);
    if (weights->high != NULL)
        memset(weights->high + weights->next, 0, rest * sizeof *weights->high);
}
