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

#include "stackdist/reference/avl.h"
#include "stackdist/reference/axis.h"
#include "stackdist/reference/order.h"
#include "traces/traces_internal.h"

#define NIL MARGAY_AVL_NIL

struct holes {
    struct margay_axis axis;
    struct margay_avl tree; /* holes by time; the weight is the length */
    uint32_t *begins;       /* node of the tree to where its hole begins */
    uint32_t begin_capacity;
};

static enum margay_status holes_create(void *order, struct margay_error *error)
{
    struct holes *holes = order;
    enum margay_status status = margay_axis_create(&holes->axis, error);
    if (status == MARGAY_OK)
        status = margay_avl_create(&holes->tree, error);
    return status;
}

static void holes_destroy(void *order)
{
    struct holes *holes = order;
    margay_axis_destroy(&holes->axis);
    margay_avl_destroy(&holes->tree);
    free(holes->begins);
}

/* Reserve memory for another hole, as renewing must not fail; there are no more
   holes than nodes. */
static enum margay_status reserve_hole(struct holes *holes,
                                       struct margay_error *error)
{
    struct margay_avl *tree = &holes->tree;
    enum margay_status status =
        margay_avl_reserve(tree, holes->axis.nodes + 2, error);
    if (status != MARGAY_OK)
        return status;
    if (holes->begin_capacity >= tree->capacity)
        return MARGAY_OK;
    uint32_t *begins = realloc(holes->begins, tree->capacity * sizeof *begins);
    if (begins == NULL)
        return margay_fail_memory(error, "a tree of holes");
    holes->begins = begins;
    holes->begin_capacity = tree->capacity;
    return MARGAY_OK;
}

/* The last hole that begins before `time`, or NIL; *behind becomes the sum of
   the lengths of all holes behind it. */
static uint32_t find_before(const struct holes *holes, uint32_t time,
                            uint32_t *behind)
{
    const struct margay_avl_node *nodes = holes->tree.nodes;
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

/* Make `time` a hole, behind the hole `before` and not in it. */
static void dig(struct holes *holes, uint32_t time, uint32_t before)
{
    struct margay_avl *tree = &holes->tree;
    uint32_t behind =
        before == NIL ? tree->first : margay_avl_next(tree, before);
    bool touches_before =
        before != NIL &&
        holes->begins[before] + tree->nodes[before].weight == time;
    bool touches_behind = behind != NIL && holes->begins[behind] == time + 1;
    if (touches_before && touches_behind) {
        uint32_t joined = tree->nodes[behind].weight;
        margay_avl_remove(tree, behind);
        margay_avl_add(tree, before, 1 + joined);
    } else if (touches_before) {
        margay_avl_add(tree, before, 1);
    } else if (touches_behind) {
        margay_avl_add(tree, behind, 1);
        holes->begins[behind] = time;
    } else {
        holes->begins[margay_avl_insert(tree, before, 1)] = time;
    }
}

static void compact(struct holes *holes)
{
    margay_axis_compact(&holes->axis);
    /* Times 0 .. nodes - 1 are all taken: no hole is left. */
    struct margay_avl *tree = &holes->tree;
    tree->root = tree->first = tree->last = tree->free = NIL;
    tree->count = 1;
}

static uint64_t holes_renew(void *order, uint32_t node)
{
    struct holes *holes = order;
    struct margay_axis *axis = &holes->axis;
    if (margay_axis_is_full(axis))
        compact(holes);
    uint32_t time = axis->time_of[node], now = axis->next, behind;
    uint32_t before = find_before(holes, time, &behind);
    dig(holes, time, before);
    margay_axis_place(axis, node);
    return now - time - 1 - behind;
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

static uint32_t holes_oldest(void *order)
{
    struct holes *holes = order;
    return margay_axis_oldest(&holes->axis);
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
    .oldest = holes_oldest,
    .prefetch = holes_prefetch,
};
