/*
 * splay.c - order statistics in a splay tree
 *
 * Algorithm: a binary tree in the order of last use with the weight of every
 *   subtree.  A node is splayed to the root bottom-up, by parent links; its
 *   right subtree has then the newer nodes.
 * Source: Sleator, Tarjan, "Self-adjusting binary search trees", JACM 32(3),
 *   1985; for reuse distances Sugumar, Abraham, "Efficient simulation of
 *   caches under optimal replacement with applications to miss
 *   characterization", SIGMETRICS 1993.
 * Guarantee: exact.
 * Cost: O(log M) amortised per operation, 16 bytes per node; repeats near the
 *   top of the stack cost less.
 */
#include "stackdist/reference/splay.h"

#include <stdlib.h>

#include "stackdist/reference/order.h"

#define NIL            MARGAY_SPLAY_NIL
#define FIRST_CAPACITY 256

/* --------------------------------------------------------------- memory -- */

enum margay_status margay_splay_create(struct margay_splay *splay, bool sized,
                                       struct margay_error *error)
{
    *splay = (struct margay_splay){.count = 1, .capacity = FIRST_CAPACITY};
    splay->nodes = calloc(FIRST_CAPACITY, sizeof *splay->nodes);
    if (sized)
        splay->sizes = calloc(FIRST_CAPACITY, sizeof *splay->sizes);
    if (splay->nodes != NULL && (!sized || splay->sizes != NULL))
        return MARGAY_OK;
    margay_splay_destroy(splay);
    return margay_fail_memory(error, "a splay tree");
}

void margay_splay_destroy(void *order)
{
    struct margay_splay *splay = order;
    free(splay->nodes);
    free(splay->sizes);
    *splay = (struct margay_splay){0};
}

/* ------------------------------------------------------------- splaying -- */

static void weigh(struct margay_splay *splay, uint32_t node)
{
    struct margay_splay_node *nodes = splay->nodes, *n = &nodes[node];
    uint32_t size = splay->sizes == NULL ? 1 : splay->sizes[node];
    n->weight = nodes[n->left].weight + nodes[n->right].weight + size;
}

/* Lift `node` above its parent. */
static void rotate(struct margay_splay *splay, uint32_t node)
{
    struct margay_splay_node *nodes = splay->nodes;
    uint32_t parent = nodes[node].parent, above = nodes[parent].parent, moved;
    nodes[node].parent = above;
    if (nodes[above].left == parent)
        nodes[above].left = node;
    else
        nodes[above].right = node;
    if (nodes[parent].left == node) {
        moved = nodes[node].right;
        nodes[node].right = parent;
        nodes[parent].left = moved;
    } else {
        moved = nodes[node].left;
        nodes[node].left = parent;
        nodes[parent].right = moved;
    }
    nodes[parent].parent = node;
    nodes[moved].parent = parent;
    weigh(splay, parent);
}

/* Lift `node` until it hangs from `above`; NIL makes it the root. */
static void lift(struct margay_splay *splay, uint32_t node, uint32_t above)
{
    struct margay_splay_node *nodes = splay->nodes;
    uint32_t parent;
    while ((parent = nodes[node].parent) != above) {
        uint32_t grandparent = nodes[parent].parent;
        if (grandparent != above) {
            bool straight = (nodes[parent].left == node) ==
                            (nodes[grandparent].left == parent);
            rotate(splay, straight ? parent : node);
        }
        rotate(splay, node);
    }
    weigh(splay, node);
}

static uint32_t leftmost(const struct margay_splay_node *nodes, uint32_t node)
{
    while (nodes[node].left != NIL)
        node = nodes[node].left;
    return node;
}

/* ----------------------------------------------------------- operations -- */

enum margay_status margay_splay_reserve(struct margay_splay *splay, size_t most,
                                        struct margay_error *error)
{
    size_t capacity = splay->capacity;
    if (most > UINT32_MAX)
        return margay_fail(error, MARGAY_NO_MEMORY,
                           "more than 2^32 - 2 blocks in a splay tree");
    if (most <= capacity)
        return MARGAY_OK;
    size_t of_sizes = capacity;
    if (!MARGAY_MAKE_ROOM(splay->nodes, capacity, 1, capacity) ||
        (splay->sizes != NULL &&
         !MARGAY_MAKE_ROOM(splay->sizes, of_sizes, 1, of_sizes)))
        return margay_fail_memory(error, "the nodes of a splay tree");
    splay->capacity = capacity;
    return MARGAY_OK;
}

void margay_splay_lift(struct margay_splay *splay, uint32_t node)
{
    lift(splay, node, NIL);
    splay->root = node;
}

enum margay_status margay_splay_insert_before(struct margay_splay *splay,
                                              uint32_t newer, uint32_t *node,
                                              struct margay_error *error)
{
    uint32_t older = splay->root;
    *node = splay->removed;
    if (*node == NIL) {
        enum margay_status status =
            margay_splay_reserve(splay, (size_t)splay->count + 1, error);
        if (status != MARGAY_OK)
            return status;
        *node = splay->count++;
    } else {
        splay->removed = splay->nodes[*node].right;
    }
    struct margay_splay_node *nodes = splay->nodes;
    if (newer != NIL) {
        margay_splay_lift(splay, newer);
        older = nodes[newer].left;
        nodes[newer].left = NIL;
        nodes[newer].parent = *node;
        weigh(splay, newer);
    }
    nodes[*node] = (struct margay_splay_node){.left = older, .right = newer};
    if (splay->sizes != NULL)
        splay->sizes[*node] = 1;
    nodes[older].parent = *node;
    weigh(splay, *node);
    splay->root = *node;
    return MARGAY_OK;
}

enum margay_status margay_splay_insert(void *order, uint32_t *node,
                                       struct margay_error *error)
{
    return margay_splay_insert_before(order, NIL, node, error);
}

/* Join the older and newer nodes than the root, below it on the left. */
static void join_below(struct margay_splay *splay)
{
    struct margay_splay_node *nodes = splay->nodes, *root;
    root = &nodes[splay->root];
    if (root->right == NIL)
        return;
    uint32_t successor = leftmost(nodes, root->right);
    lift(splay, successor, splay->root);
    nodes[successor].left = root->left;
    nodes[root->left].parent = successor;
    weigh(splay, successor);
    root->left = successor;
    root->right = NIL;
}

void margay_splay_remove(struct margay_splay *splay, uint32_t node)
{
    struct margay_splay_node *nodes = splay->nodes;
    margay_splay_lift(splay, node);
    join_below(splay);
    splay->root = nodes[node].left;
    nodes[splay->root].parent = NIL;
    nodes[node].right = splay->removed;
    splay->removed = node;
}

/* ----------------------------------------------------- order statistics -- */

static enum margay_status splay_create(void *order, struct margay_error *error)
{
    return margay_splay_create(order, false, error);
}

static uint64_t splay_renew(void *order, uint32_t node)
{
    struct margay_splay *splay = order;
    margay_splay_lift(splay, node);
    uint64_t newer = splay->nodes[splay->nodes[node].right].weight;
    join_below(splay);
    return newer;
}

static uint32_t splay_oldest(void *order)
{
    struct margay_splay *splay = order;
    uint32_t node = leftmost(splay->nodes, splay->root);
    margay_splay_lift(splay, node);
    return node;
}

const struct margay_order_class margay_order_splay = {
    .bytes = sizeof(struct margay_splay),
    .create = splay_create,
    .destroy = margay_splay_destroy,
    .insert = margay_splay_insert,
    .renew = splay_renew,
    .oldest = splay_oldest,
};
