/*
 * order.h - order statistics: how many blocks are newer than this one?
 *
 * An order holds nodes from the oldest to the newest.  Nodes are numbers from 1
 * up that stay valid as long as the order; a block that enters instead of
 * an evicted one takes over its node.  There are 2^32 - 1 nodes at most.
 *
 * splay.c and axis.c implement them.
 */
#ifndef MARGAY_STACKDIST_ORDER_H
#define MARGAY_STACKDIST_ORDER_H

#include <stdlib.h>

#include "traces/traces_internal.h"

struct margay_order_class {
    /* Fill in an order of `bytes` zero bytes; MARGAY_NO_MEMORY on failure.
       destroy() releases what an order owns, but not its memory, and is called
       after a failure, too. */
    size_t bytes;
    enum margay_status (*create)(void *order, struct margay_error *error);
    void (*destroy)(void *order);

    /* Add one node, the newest.  Nodes are numbered 1, 2, 3, ... as they are
       added.  MARGAY_NO_MEMORY leaves the order as it was. */
    enum margay_status (*insert)(void *order, uint32_t *node,
                                 struct margay_error *error);

    /* Make `node` the newest; returns how many were newer. */
    uint64_t (*renew)(void *order, uint32_t node);

    /* The oldest node; there must be one. */
    uint32_t (*oldest)(void *order);

    /* Prefetch the memory of renew(): called for step 0 and, when that has
       arrived, for step 1.  NULL where prefetching does not pay. */
    void (*prefetch)(const void *order, uint32_t node, unsigned step);
};

extern const struct margay_order_class margay_order_splay;
extern const struct margay_order_class margay_order_counts_2;
extern const struct margay_order_class margay_order_counts_16;
extern const struct margay_order_class margay_order_counts_256;
extern const struct margay_order_class margay_order_holes_tree;
extern const struct margay_order_class margay_order_holes_vector;

/* Release an order; NULL is fine. */
static inline void margay_order_destroy(const struct margay_order_class *class,
                                        void *order)
{
    if (order != NULL)
        class->destroy(order);
    free(order);
}

/* An empty order, which the caller owns; NULL after MARGAY_NO_MEMORY. */
static inline enum margay_status margay_order_make(
    const struct margay_order_class *class, void **order,
    struct margay_error *error)
{
    *order = calloc(1, class->bytes);
    if (*order == NULL)
        return margay_fail_memory(error, "an order of blocks");
    enum margay_status status = class->create(*order, error);
    if (status != MARGAY_OK) {
        margay_order_destroy(class, *order);
        *order = NULL;
    }
    return status;
}

#endif
