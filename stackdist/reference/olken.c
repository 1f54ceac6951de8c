/*
 * olken.c - a hash table and order statistics
 *
 * Algorithm: the hash table gives a block's node in a structure that keeps the
 *   nodes in the order of last use and counts those newer than a given one;
 *   that count is the distance.  With a bound of B blocks the structure keeps
 *   the newest B: a block that is not found evicts the oldest.  The structure
 *   is a balanced tree that knows the weight of every subtree (olken, bounded),
 *   a bit vector over time with k-ary counts above it (bennett-kruskal), or the
 *   holes between the times of last use (holes).
 * Source: Olken, "Efficient methods for calculating the success function of
 *   fixed space replacement policies", LBL-12370, 1981.  Bennett, Kruskal,
 *   "LRU stack processing", IBM J. R&D 19(4), 1975.  Almasi, Cascaval, Padua,
 *   "Calculating stack distances efficiently", MSP 2002.  Bounded: Fu, Zhang,
 *   Chen, "Reuse distance based cache miss rate analysis", 2006.
 * Guarantee: exact; with an exceeded bound exact for every cache up to it.
 * Cost: O(N log M) time, O(M) space; with a bound O(N log B) and O(B).
 */
#include <stdlib.h>

#include "stackdist/engine.h"
#include "stackdist/exact/hash.h"
#include "stackdist/reference/order.h"
#include "stackdist/reference/tally.h"

/* References looked up together, so that their cache misses overlap. */
#define BATCH_REFS 32

struct olken {
    struct margay_tally tally;
    const struct margay_order_class *class;
    void *order;
    struct margay_hash nodes; /* block to node */
    uint64_t *blocks;         /* node to block; only with a bound */
    size_t block_capacity;
};

static void destroy(void *state)
{
    struct olken *olken = state;
    margay_tally_destroy(&olken->tally);
    margay_hash_destroy(&olken->nodes);
    margay_order_destroy(olken->class, olken->order);
    free(olken->blocks);
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 const struct margay_order_class *class,
                                 struct olken *olken,
                                 struct margay_error *error)
{
    olken->class = class;
    enum margay_status status = margay_order_make(class, &olken->order, error);
    if (status == MARGAY_OK)
        status = margay_hash_create(&olken->nodes, 0, error);
    if (status == MARGAY_OK)
        status = margay_tally_create(&olken->tally, setup->options.bound_blocks,
                                     error);
    olken->tally.has_nodes = true;
    return status;
}

/* Enter a block that is not in the stack. */
static enum margay_status enter(struct olken *olken, uint64_t block,
                                struct margay_error *error)
{
    uint32_t node;
    enum margay_status status = MARGAY_OK;
    if (olken->nodes.entries < olken->tally.bound) {
        status = olken->class->insert(olken->order, &node, error);
        if (status == MARGAY_OK)
            status = margay_hash_reserve(&olken->nodes, 1, error);
    } else {
        node = olken->class->oldest(olken->order);
        olken->class->renew(olken->order, node);
        margay_hash_erase(&olken->nodes, olken->blocks[node]);
        olken->tally.exceeded = true;
    }
    if (status != MARGAY_OK)
        return status;
    /* With a bound, note which block a node stands for, as it may be
       evicted. */
    if (olken->tally.bound != UINT64_MAX) {
        if (!MARGAY_MAKE_ROOM(olken->blocks, node, 1, olken->block_capacity))
            return margay_fail_memory(error, "the blocks of a bounded stack");
        olken->blocks[node] = block;
    }
    *margay_hash_insert(&olken->nodes, block) = node;
    return MARGAY_OK;
}

/* The nodes of the blocks of a batch; 0 for blocks that have none. */
static void look_up(const struct olken *olken, const uint64_t *blocks,
                    size_t count, uint32_t *nodes)
{
    const struct margay_order_class *class = olken->class;
    for (size_t i = 0; i < count; i++)
        margay_hash_prefetch(&olken->nodes, blocks[i]);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *node = margay_hash_find(&olken->nodes, blocks[i]);
        nodes[i] = node == NULL ? 0 : *node;
        if (class->prefetch != NULL && node != NULL)
            class->prefetch(olken->order, *node, 0);
    }
    for (size_t i = 0; class->prefetch != NULL && i < count; i++) {
        if (nodes[i] != 0)
            class->prefetch(olken->order, nodes[i], 1);
    }
}

static enum margay_status feed(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error)
{
    struct olken *olken = state;
    enum margay_status status = MARGAY_OK;
    /* Evictions give nodes to other blocks, so earlier look-ups are stale. */
    size_t most = olken->tally.bound == UINT64_MAX ? BATCH_REFS : 1;
    for (size_t done = 0, batch; done < count; done += batch) {
        uint32_t nodes[BATCH_REFS];
        batch = count - done < most ? count - done : most;
        look_up(olken, blocks + done, batch, nodes);
        for (size_t i = done; i < done + batch && status == MARGAY_OK; i++) {
            uint64_t distance = MARGAY_INFINITE;
            uint32_t node = nodes[i - done];
            if (node == 0) {
                /* The batch itself may have entered it. */
                const uint32_t *entered =
                    margay_hash_find(&olken->nodes, blocks[i]);
                node = entered == NULL ? 0 : *entered;
            }
            if (node == 0)
                status = enter(olken, blocks[i], error);
            else
                distance = olken->class->renew(olken->order, node);
            if (status == MARGAY_OK)
                status = margay_histogram_add(olken->tally.histogram, distance,
                                              1, error);
            if (distances != NULL)
                distances[i] = distance;
        }
        if (status != MARGAY_OK)
            break;
    }
    olken->tally.blocks = olken->nodes.entries;
    return status;
}

static enum margay_status list_stack(void *state, uint64_t **blocks,
                                     uint64_t *count,
                                     struct margay_error *error)
{
    struct olken *olken = state;
    size_t n = (size_t)olken->nodes.entries;
    uint64_t *by_node = malloc((n + 1) * sizeof *by_node);
    *count = n;
    *blocks = malloc((n + 1) * sizeof **blocks);
    if (*blocks == NULL || by_node == NULL) {
        free(*blocks);
        *blocks = NULL;
        free(by_node);
        return margay_fail_memory(error, "the state of a tree");
    }
    /* Nodes are numbered from 1 to the number of blocks. */
    for (uint64_t i = 0; i < olken->nodes.bucket_count; i++) {
        const struct margay_bucket *bucket = &olken->nodes.buckets[i];
        for (unsigned slot = 0; slot < MARGAY_BUCKET_SLOTS; slot++) {
            if (bucket->values[slot] != 0)
                by_node[bucket->values[slot] - 1] = bucket->keys[slot];
        }
    }
    /* After the oldest has become the newest n times, the order is as
       before. */
    for (size_t i = 0; i < n; i++) {
        uint32_t node = olken->class->oldest(olken->order);
        olken->class->renew(olken->order, node);
        (*blocks)[i] = by_node[node - 1];
    }
    free(by_node);
    return MARGAY_OK;
}

/* The structures, in the order of the values of the first parameter. */
#define CREATE(name, ...)                                                      \
    static enum margay_status name(const struct margay_engine_setup *setup,    \
                                   void *state, struct margay_error *error)    \
    {                                                                          \
        static const struct margay_order_class *const forms[] = {__VA_ARGS__}; \
        return create(setup, forms[setup->settings.choices[0]], state, error); \
    }
CREATE(create_olken, &margay_order_splay)
CREATE(create_bennett_kruskal, &margay_order_counts_16, &margay_order_counts_2,
       &margay_order_counts_256)
CREATE(create_holes, &margay_order_holes_tree, &margay_order_holes_vector)

#define ROW(NAME, GUARANTEE, PARAMETERS, SIZE, SOURCE)                      \
    .info = {.name = NAME,                                                  \
             .exact = true,                                                 \
             .guarantee = GUARANTEE,                                        \
             .parameters = PARAMETERS,                                      \
             .time = "O(N log " SIZE ")",                                   \
             .space = "O(" SIZE ")",                                        \
             .source = SOURCE},                                             \
    .can = MARGAY_GIVES_DISTANCES | MARGAY_CAN_TAKE_BOUND,                  \
    .state_bytes = sizeof(struct olken), .destroy = destroy, .feed = feed,  \
    .reset_counts = margay_tally_reset_counts, .finish = margay_tally_peek, \
    .peek = margay_tally_peek, .list_stack = list_stack,                    \
    .adopt = margay_tally_adopt

const struct margay_engine_class margay_engine_olken = {
    ROW("olken", "exact", "", "M", "Olken 1981"),
    .create = create_olken,
};

const struct margay_engine_class margay_engine_bounded = {
    ROW("bounded", "exact for caches up to the bound", "", "B",
        "Fu, Zhang, Chen 2006"),
    .needs_bound = true,
    .create = create_olken,
};

const struct margay_engine_class margay_engine_bennett_kruskal = {
    ROW("bennett-kruskal", "exact", "k=16|2|256", "M",
        "Bennett and Kruskal 1975"),
    .create = create_bennett_kruskal,
};

const struct margay_engine_class margay_engine_holes = {
    ROW("holes", "exact", "form=tree|vector", "M",
        "Almasi, Cascaval, Padua 2002"),
    .create = create_holes,
};
