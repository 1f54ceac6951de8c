/*
 * markers.c - misses at a few sizes
 *
 * Algorithm: the LRU stack as a linked list, with a marker at the last block
 *   within each size.  A block has an interval, the number of sizes that are
 *   too small to hold it, and a reference is counted in the interval of its
 *   block.  When a block moves to the top, each marker above it steps one block
 *   up, and the block that the marker leaves falls into the next interval.  A
 *   marker on the moved block steps up without that; and a new block moves all
 *   markers.
 * Source: Kim, Hill, Wood, "Implementing stack simulation for highly-
 *   associative memories", SIGMETRICS 1991; the last two rules are not in its
 *   description.
 * Guarantee: exact at the marked sizes; other sizes are unknown.
 * Cost: O(N s) time for s sizes, mostly less; O(M) space.
 */
#include <stdlib.h>

#include "stackdist/engine.h"
#include "stackdist/exact/hash.h"

#define PREFETCH_REFS 16
#define NIL           0

struct node {
    uint32_t newer, older;
    uint32_t interval;
};

struct markers {
    struct node *nodes; /* numbered from 1; nodes[NIL] is no block */
    uint32_t count;
    size_t capacity;
    uint32_t head, tail;
    struct margay_hash hash; /* block to node */
    size_t size_count;
    uint64_t sizes[MARGAY_SPEC_SIZES];
    uint32_t at[MARGAY_SPEC_SIZES];       /* the marked node; NIL: too few */
    uint64_t hits[MARGAY_SPEC_SIZES + 1]; /* by interval */
    uint64_t cold;
};

static void destroy(void *state)
{
    struct markers *markers = state;
    margay_hash_destroy(&markers->hash);
    free(markers->nodes);
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    struct markers *markers = state;
    markers->size_count = setup->settings.size_count;
    memcpy(markers->sizes, setup->settings.sizes, sizeof markers->sizes);
    return margay_hash_create(&markers->hash, 0, error);
}

/* Make `node` the newest. */
static void push(struct markers *markers, uint32_t node)
{
    struct node *nodes = markers->nodes;
    nodes[node] = (struct node){.older = markers->head};
    nodes[markers->head].newer = node;
    if (markers->head == NIL)
        markers->tail = node;
    markers->head = node;
}

/* The marker of size i steps up, over a block that falls after it. */
static void step_up(struct markers *markers, size_t i)
{
    struct node *marked = &markers->nodes[markers->at[i]];
    marked->interval++;
    markers->at[i] = marked->newer;
}

static void hit(struct markers *markers, uint32_t node)
{
    uint32_t interval = markers->nodes[node].interval;
    uint32_t newer = markers->nodes[node].newer;
    markers->hits[interval]++;
    if (node == markers->head)
        return;
    uint32_t older = markers->nodes[node].older;
    markers->nodes[newer].older = older;
    markers->nodes[older].newer = newer; /* of NIL it does not matter */
    if (markers->tail == node)
        markers->tail = newer;
    push(markers, node);
    for (size_t i = 0; i < interval; i++)
        step_up(markers, i);
    if (interval < markers->size_count && markers->at[interval] == node)
        markers->at[interval] = newer;
}

static enum margay_status feed(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error)
{
    (void)distances;
    struct markers *markers = state;
    for (size_t i = 0; i < count; i++) {
        if (count - i > PREFETCH_REFS)
            margay_hash_prefetch(&markers->hash, blocks[i + PREFETCH_REFS]);
        if (markers->count >> 31 != 0)
            return margay_fail(error, MARGAY_NO_MEMORY,
                               "more than 2^31 blocks in a list");
        if (!MARGAY_MAKE_ROOM(markers->nodes, (size_t)markers->count + 1, 1,
                              markers->capacity))
            return margay_fail_memory(error, "the LRU list");
        markers->nodes[NIL] = (struct node){0};
        enum margay_status status =
            margay_hash_reserve(&markers->hash, 1, error);
        if (status != MARGAY_OK)
            return status;
        uint32_t *node = margay_hash_insert(&markers->hash, blocks[i]);
        if (*node != 0) {
            hit(markers, *node);
        } else {
            *node = ++markers->count;
            push(markers, *node);
            for (size_t k = 0; k < markers->size_count; k++) {
                if (markers->at[k] != NIL)
                    step_up(markers, k);
                else if (markers->sizes[k] == markers->count)
                    markers->at[k] = markers->tail;
            }
            markers->cold++;
        }
    }
    return MARGAY_OK;
}

static void reset_counts(void *state)
{
    struct markers *markers = state;
    markers->cold = 0;
    for (size_t i = 0; i <= markers->size_count; i++)
        markers->hits[i] = 0;
}

static enum margay_status finish(void *state, struct margay_result *result,
                                 struct margay_error *error)
{
    struct markers *markers = state;
    uint64_t misses = markers->cold;
    for (size_t i = 0; i <= markers->size_count; i++)
        misses += markers->hits[i];
    struct margay_point *points = calloc(markers->size_count, sizeof *points);
    if (points == NULL)
        return margay_fail_memory(error, "the points of a miss curve");
    result->references = misses;
    for (size_t i = 0; i < markers->size_count; i++) {
        misses -= markers->hits[i];
        points[i] = (struct margay_point){markers->sizes[i], misses};
    }
    result->points = points;
    result->point_count = markers->size_count;
    result->only_points = true;
    result->infinite = markers->cold;
    result->distinct_blocks = result->nodes = markers->count;
    return MARGAY_OK;
}

const struct margay_engine_class margay_engine_markers = {
    .info = {.name = "markers",
             .guarantee = "exact misses at the marked sizes",
             .parameters = "at=32+16384|SIZE+SIZE+...",
             .time = "O(N s) for s sizes",
             .space = "O(M)",
             .source = "Kim, Hill, Wood 1991"},
    MARGAY_ENGINE_FUNCTIONS(struct markers),
};
