/*
 * holes.c - order statistics in a tree of holes
 *
 * Algorithm: a hole is a maximal run of times on the axis that no node has any
 *   more.  Holes are in an AVL tree with their lengths as weights.  The times
 *   behind a node's time that are in no hole are newer nodes.  Renewing a node
 *   makes its time a hole, which joins the holes beside it.
 * Source: Almasi, Cascaval, Padua, "Calculating stack distances efficiently",
 *   MSP 2002.
 * Guarantee: exact.
 * Cost: O(log M) per operation; 12 to 20 bytes per node, 28 per hole, of
 *   which there are no more than nodes.
 */
#include <stdlib.h>

#include "stackdist/reference/axis.h"
#include "stackdist/reference/order.h"
#include "traces/traces_internal.h"

/* ------------------------------------------------------------ the AVL tree --
 */

/*
 * A sequence with weights: a binary tree whose subtrees' heights differ by at
 * most 1 at any node; every node has a weight and the sum of the weights in its
 * subtree.  The caller says where a node is inserted; there are no keys.
 *
 * Source: Adelson-Velsky, Landis, "An algorithm for the organization of
 *   information", Soviet Mathematics Doklady 3, 1962.
 */

/* No node; its fields are all 0. */
#define NIL 0

struct avl_node {
    uint32_t left, right, parent;
    uint32_t weight, sum;
    uint32_t height; /* a leaf has 1 */
};

struct avl {
    struct avl_node *nodes; /* numbered from 1 */
    uint32_t count;         /* nodes ever in use, NIL included */
    uint32_t free;          /* removed nodes, linked by `right` */
    uint32_t root, first, last;
};

/* ------------------------------------------------------------ balancing -- */

static void update(struct avl_node *nodes, uint32_t node)
{
    struct avl_node *n = &nodes[node];
    const struct avl_node *left = &nodes[n->left];
    const struct avl_node *right = &nodes[n->right];
    n->sum = left->sum + n->weight + right->sum;
    n->height =
        1 + (left->height > right->height ? left->height : right->height);
}

/* Put `child` where `node` hangs from its parent. */
static void replace(struct avl *avl, uint32_t node, uint32_t child)
{
    struct avl_node *nodes = avl->nodes;
    uint32_t parent = nodes[node].parent;
    if (parent == NIL)
        avl->root = child;
    else if (nodes[parent].left == node)
        nodes[parent].left = child;
    else
        nodes[parent].right = child;
    if (child != NIL)
        nodes[child].parent = parent;
}

/* Lift `node` above its parent. */
static void rotate(struct avl *avl, uint32_t node)
{
    struct avl_node *nodes = avl->nodes;
    uint32_t parent = nodes[node].parent, moved;
    replace(avl, parent, node);
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
    if (moved != NIL)
        nodes[moved].parent = parent;
    update(nodes, parent);
    update(nodes, node);
}

/* Balance at `node`, whose subtrees are balanced; returns the new top. */
static uint32_t balance(struct avl *avl, uint32_t node)
{
    struct avl_node *nodes = avl->nodes;
    uint32_t left = nodes[node].left, right = nodes[node].right;
    if (nodes[left].height > nodes[right].height + 1) {
        if (nodes[nodes[left].left].height < nodes[nodes[left].right].height) {
            left = nodes[left].right;
            rotate(avl, left);
        }
        rotate(avl, left);
        return left;
    }
    if (nodes[right].height > nodes[left].height + 1) {
        if (nodes[nodes[right].right].height <
            nodes[nodes[right].left].height) {
            right = nodes[right].left;
            rotate(avl, right);
        }
        rotate(avl, right);
        return right;
    }
    return node;
}

/* Update and balance from `node` up to the root. */
static void mend(struct avl *avl, uint32_t node)
{
    while (node != NIL) {
        update(avl->nodes, node);
        node = avl->nodes[balance(avl, node)].parent;
    }
}

/* ----------------------------------------------------------- operations -- */

static uint32_t leftmost(const struct avl_node *nodes, uint32_t node)
{
    while (nodes[node].left != NIL)
        node = nodes[node].left;
    return node;
}

/* Insert a node of weight 1, which must have been reserved, after `before`; as
   the first if that is NIL.  The node removed last is used again. */
static uint32_t insert_node(struct avl *avl, uint32_t before)
{
    struct avl_node *nodes = avl->nodes;
    uint32_t node = avl->free;
    if (node == NIL)
        node = avl->count++;
    else
        avl->free = nodes[node].right;
    nodes[node] = (struct avl_node){.weight = 1};
    if (avl->root == NIL) {
        avl->root = node;
    } else if (before == NIL) {
        nodes[node].parent = avl->first;
        nodes[avl->first].left = node;
    } else if (nodes[before].right == NIL) {
        nodes[node].parent = before;
        nodes[before].right = node;
    } else {
        uint32_t behind = leftmost(nodes, nodes[before].right);
        nodes[node].parent = behind;
        nodes[behind].left = node;
    }
    if (before == NIL)
        avl->first = node;
    if (before == avl->last)
        avl->last = node;
    mend(avl, node);
    return node;
}

/* Take a node with at most one child out; returns where the tree changed. */
static uint32_t unlink_node(struct avl *avl, uint32_t node)
{
    struct avl_node *n = &avl->nodes[node];
    replace(avl, node, n->left != NIL ? n->left : n->right);
    return n->parent;
}

static void remove_node(struct avl *avl, uint32_t node)
{
    struct avl_node *nodes = avl->nodes, *n = &nodes[node];
    if (node == avl->last) {
        avl->last = n->left != NIL ? n->left : n->parent;
        while (n->left != NIL && nodes[avl->last].right != NIL)
            avl->last = nodes[avl->last].right;
    }
    if (node == avl->first)
        avl->first = n->right != NIL ? leftmost(nodes, n->right) : n->parent;
    uint32_t changed;
    if (n->left == NIL || n->right == NIL) {
        changed = unlink_node(avl, node);
    } else {
        /* The next node takes this one's place. */
        uint32_t next = leftmost(nodes, n->right);
        changed = unlink_node(avl, next);
        if (changed == node)
            changed = next;
        nodes[next].left = n->left;
        nodes[next].right = n->right;
        nodes[n->left].parent = next;
        if (n->right != NIL)
            nodes[n->right].parent = next;
        replace(avl, node, next);
    }
    mend(avl, changed);
    n->right = avl->free;
    avl->free = node;
}

/* Change a node's weight. */
static void add_weight(struct avl *avl, uint32_t node, uint32_t more)
{
    struct avl_node *nodes = avl->nodes;
    nodes[node].weight += more;
    for (; node != NIL; node = nodes[node].parent)
        nodes[node].sum += more;
}

/* The node after this one, NIL if it is the last. */
static uint32_t next_node(const struct avl *avl, uint32_t node)
{
    const struct avl_node *nodes = avl->nodes;
    if (nodes[node].right != NIL)
        return leftmost(nodes, nodes[node].right);
    while (nodes[nodes[node].parent].right == node && nodes[node].parent != NIL)
        node = nodes[node].parent;
    return nodes[node].parent;
}

/* ---------------------------------------------------------------- holes -- */

struct holes {
    struct margay_axis axis;
    struct avl tree;      /* holes by time; the weight is the length */
    uint32_t *begins;     /* node of the tree to where its hole begins */
    size_t node_capacity; /* of both */
};

/* Reserve memory for another hole, as renewing must not fail; there are no more
   holes than nodes, and these are below 2^30. */
static enum margay_status reserve_hole(struct holes *holes,
                                       struct margay_error *error)
{
    struct avl *tree = &holes->tree;
    size_t most = holes->axis.nodes + 3, capacity = holes->node_capacity;
    if (most < capacity)
        return MARGAY_OK;
    struct avl_node *nodes =
        margay_grow(tree->nodes, most, &capacity, sizeof *nodes);
    if (nodes == NULL)
        return margay_fail_memory(error, "the nodes of an AVL tree");
    tree->nodes = nodes;
    uint32_t *begins = realloc(holes->begins, capacity * sizeof *begins);
    if (begins == NULL)
        return margay_fail_memory(error, "a tree of holes");
    if (tree->count == 0) /* NIL */
        nodes[tree->count++] = (struct avl_node){0};
    holes->begins = begins;
    holes->node_capacity = capacity;
    return MARGAY_OK;
}

static enum margay_status holes_create(void *order, struct margay_error *error)
{
    struct holes *holes = order;
    enum margay_status status = margay_axis_create(&holes->axis, error);
    return status == MARGAY_OK ? reserve_hole(holes, error) : status;
}

static void holes_destroy(void *order)
{
    struct holes *holes = order;
    margay_axis_destroy(&holes->axis);
    free(holes->tree.nodes);
    free(holes->begins);
}

/* The last hole that begins before `time`, or NIL; *behind becomes the sum of
   the lengths of all holes behind it. */
static uint32_t find_before(const struct holes *holes, uint32_t time,
                            uint32_t *behind)
{
    const struct avl_node *nodes = holes->tree.nodes;
    uint32_t found = NIL, node = holes->tree.root, sum = 0;
    while (node != NIL) {
        if (holes->begins[node] < time) {
            found = node;
            node = nodes[node].right;
        } else {
            sum += nodes[node].weight + nodes[nodes[node].right].sum;
            node = nodes[node].left;
        }
    }
    *behind = sum;
    return found;
}

static void compact(struct holes *holes)
{
    margay_axis_compact(&holes->axis);
    /* Times 0 .. nodes - 1 are all taken: no hole is left. */
    struct avl *tree = &holes->tree;
    tree->root = tree->first = tree->last = tree->free = NIL;
    tree->count = 1;
}

static uint64_t holes_renew(void *order, uint32_t node)
{
    struct holes *holes = order;
    struct margay_axis *axis = &holes->axis;
    if (margay_axis_is_full(axis))
        compact(holes);
    uint32_t time = axis->time_of[node], now = axis->next, holes_behind;
    uint32_t before = find_before(holes, time, &holes_behind);
    /* Make the time a hole. */
    struct avl *tree = &holes->tree;
    uint32_t behind = before == NIL ? tree->first : next_node(tree, before);
    bool touches_before =
        before != NIL &&
        holes->begins[before] + tree->nodes[before].weight == time;
    bool touches_behind = behind != NIL && holes->begins[behind] == time + 1;
    if (touches_before && touches_behind) {
        uint32_t joined = tree->nodes[behind].weight;
        remove_node(tree, behind);
        add_weight(tree, before, 1 + joined);
    } else if (touches_before) {
        add_weight(tree, before, 1);
    } else if (touches_behind) {
        add_weight(tree, behind, 1);
        holes->begins[behind] = time;
    } else {
        holes->begins[insert_node(tree, before)] = time;
    }
    margay_axis_place(axis, node);
    return now - time - 1 - holes_behind;
}

static enum margay_status holes_insert(void *order, uint32_t *node,
                                       struct margay_error *error)
{
    struct holes *holes = order;
    struct margay_axis *axis = &holes->axis;
    enum margay_status status = MARGAY_OK;
    if (margay_axis_is_crowded(axis))
        status = margay_axis_grow(axis, error);
    if (status == MARGAY_OK)
        status = reserve_hole(holes, error);
    if (status != MARGAY_OK)
        return status;
    if (margay_axis_is_full(axis))
        compact(holes);
    *node = ++axis->nodes;
    margay_axis_place(axis, *node);
    return MARGAY_OK;
}

static void holes_prefetch(const void *order, uint32_t node, unsigned step)
{
    const struct holes *holes = order;
    if (step == 0)
        __builtin_prefetch(&holes->axis.time_of[node], 1);
}

const struct margay_order_class margay_order_holes_tree = {
    .name = "holes, tree",
    .bytes = sizeof(struct holes),
    .create = holes_create,
    .destroy = holes_destroy,
    .insert = holes_insert,
    .renew = holes_renew,
    .oldest = margay_axis_oldest,
    .prefetch = holes_prefetch,
};
