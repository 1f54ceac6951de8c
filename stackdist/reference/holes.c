/*
 * holes.c - order statistics in a tree of holes
 *
 * Algorithm: a hole is a maximal run of times on the axis that no node has any
 *   more.  Holes are in a splay tree with their lengths as sizes.  The times
 *   after a node's time that are in no hole are newer nodes.  Renewing a node
 *   makes its time a hole, which joins the holes next to it.
 * Source: Almasi, Cascaval, Padua, "Calculating stack distances efficiently",
 *   MSP 2002; with a splay tree as their balanced tree.
 * Guarantee: exact.
 * Cost: O(log M) amortised per operation; 12 to 20 bytes per node, 24 per hole,
 *   of which there are no more than nodes.
 */
#include <stdlib.h>

#include "stackdist/reference/axis.h"
#include "stackdist/reference/order.h"
#include "stackdist/reference/splay.h"
#include "traces/traces_internal.h"

#define NIL MARGAY_SPLAY_NIL

struct holes {
    struct margay_axis axis;
    struct margay_splay tree; /* holes by time; the size is the length */
    uint32_t *begins;         /* node of the tree to where its hole begins */
    size_t begin_capacity;
};

/* Reserve memory for another hole, as renewing must not fail. */
static enum margay_status reserve_hole(struct holes *holes,
                                       struct margay_error *error)
{
    struct margay_splay *tree = &holes->tree;
    enum margay_status status =
        margay_splay_reserve(tree, (size_t)holes->axis.nodes + 2, error);
    if (status != MARGAY_OK || holes->begin_capacity == tree->capacity)
        return status;
    uint32_t *begins = realloc(holes->begins, tree->capacity * sizeof *begins);
    if (begins == NULL)
        return margay_fail_memory(error, "a tree of holes");
    holes->begins = begins;
    holes->begin_capacity = tree->capacity;
    return MARGAY_OK;
}

static enum margay_status holes_create(void *order, struct margay_error *error)
{
    struct holes *holes = order;
    enum margay_status status = margay_axis_create(&holes->axis, error);
    return status == MARGAY_OK ? margay_splay_create(&holes->tree, true, error)
                               : status;
}

static void holes_destroy(void *order)
{
    struct holes *holes = order;
    margay_axis_destroy(&holes->axis);
    margay_splay_destroy(&holes->tree);
    free(holes->begins);
}

static void compact(struct holes *holes)
{
    margay_axis_compact(&holes->axis);
    /* Times 0 .. nodes - 1 are all taken: no hole is left. */
    holes->tree.root = holes->tree.removed = NIL;
    holes->tree.count = 1;
}

/* The holes next to a time that is in none. */
struct neighbours {
    uint32_t before, after; /* NIL = none */
    uint32_t sum;           /* of the lengths of all holes after */
};

/* The last node on the way there becomes the root. */
static struct neighbours find_neighbours(struct holes *holes, uint32_t time)
{
    struct margay_splay *tree = &holes->tree;
    struct neighbours near = {.sum = 0};
    uint32_t last = NIL;
    for (uint32_t node = tree->root; node != NIL;) {
        last = node;
        if (holes->begins[node] < time) {
            near.before = node;
            node = tree->nodes[node].right;
        } else {
            near.after = node;
            node = tree->nodes[node].left;
        }
    }
    if (last == NIL)
        return near;
    margay_splay_lift(tree, last);
    near.sum = tree->nodes[tree->nodes[last].right].weight +
               (last == near.after ? tree->sizes[last] : 0);
    return near;
}

static uint64_t holes_renew(void *order, uint32_t node)
{
    struct holes *holes = order;
    struct margay_axis *axis = &holes->axis;
    struct margay_splay *tree = &holes->tree;
    if (margay_axis_is_full(axis))
        compact(holes);
    uint32_t time = axis->time_of[node], now = axis->next;
    const struct neighbours near = find_neighbours(holes, time);
    uint32_t before = near.before, after = near.after, hole;
    uint32_t *begins = holes->begins;
    /* Make the time a hole.  A changed length counts where its hole is lifted.
     */
    bool touches_before =
        before != NIL && begins[before] + tree->sizes[before] == time;
    bool touches_after = after != NIL && begins[after] == time + 1;
    if (touches_before) {
        tree->sizes[before]++;
        if (touches_after) {
            tree->sizes[before] += tree->sizes[after];
            margay_splay_remove(tree, after);
        }
        margay_splay_lift(tree, before);
    } else if (touches_after) {
        tree->sizes[after]++;
        begins[after] = time;
        margay_splay_lift(tree, after);
    } else {
        margay_splay_insert_before(tree, after, &hole, NULL);
        begins[hole] = time;
    }
    margay_axis_place(axis, node);
    return now - time - 1 - near.sum;
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
