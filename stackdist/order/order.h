/*
 * order.h - order statistics: how many blocks are newer than this one?
 *
 * An order holds nodes from the oldest to the newest.  Nodes are small
 * numbers from 1 up that stay valid as long as the order: a block that is
 * evicted hands its node on to the block that takes its place.
 *
 * Each implementation is one row here and one file beside this one.  Not more
 * than 2^32 - 1 nodes.
 */
#ifndef MARGAY_STACKDIST_ORDER_H
#define MARGAY_STACKDIST_ORDER_H

#include <stdint.h>

#include <margay/status.h>

struct margay_order_class {
    const char *name;

    /* *order is owned by the caller; MARGAY_NO_MEMORY on failure. */
    enum margay_status (*create)(void **order, struct margay_error *error);
    void (*free_order)(void *order);

    /* Add one node, the newest.  Nodes are numbered 1, 2, 3, ... as they are
       added.  MARGAY_NO_MEMORY leaves the order as it was. */
    enum margay_status (*insert)(void *order, uint32_t *node,
                                 struct margay_error *error);

    /* Make `node` the newest; returns how many were newer. */
    uint64_t (*renew)(void *order, uint32_t node);

    /* The oldest node; there must be one. */
    uint32_t (*oldest)(void *order);

    /* Fetch what renewing `node` will touch: to be called for step 0 and, when
       that has arrived, for step 1.  NULL where it does not pay. */
    void (*prefetch)(const void *order, uint32_t node, unsigned step);
};

extern const struct margay_order_class margay_order_splay;
extern const struct margay_order_class margay_order_avl;
extern const struct margay_order_class margay_order_counts_2;
extern const struct margay_order_class margay_order_counts_16;
extern const struct margay_order_class margay_order_counts_256;
extern const struct margay_order_class margay_order_holes_tree;
extern const struct margay_order_class margay_order_holes_vector;

#endif
