/*
 * avl.h - a sequence with weights, in an AVL tree
 *
 * Algorithm: a binary tree whose subtrees' heights differ by at most 1 at any
 *   node; every node has a weight and the sum of the weights in its subtree.
 *   The caller says where a node is inserted; there are no keys.
 * Source: Adelson-Velsky, Landis, "An algorithm for the organization of
 *   information", Soviet Mathematics Doklady 3, 1962.
 * Cost: O(log n) per operation; 24 bytes per node.
 */
#ifndef MARGAY_STACKDIST_ORDER_AVL_H
#define MARGAY_STACKDIST_ORDER_AVL_H

#include <stdint.h>

#include <margay/status.h>

/* No node; its fields are all 0. */
#define MARGAY_AVL_NIL 0

struct margay_avl_node {
    uint32_t left, right, parent;
    uint32_t weight, sum;
    uint32_t height; /* a leaf has 1 */
};

struct margay_avl {
    struct margay_avl_node *nodes; /* numbered from 1 */
    uint32_t count;                /* nodes ever in use, NIL included */
    uint32_t capacity;
    uint32_t free; /* removed nodes, linked by `right` */
    uint32_t root, first, last;
};

enum margay_status margay_avl_create(struct margay_avl *avl,
                                     struct margay_error *error);
void margay_avl_destroy(struct margay_avl *avl);

/* Allocate nodes with numbers up to `most`. */
enum margay_status margay_avl_reserve(struct margay_avl *avl, uint32_t most,
                                      struct margay_error *error);

/* Insert a node, which must have been reserved, behind `before`; as the first
   if that is NIL.  The node removed last is used again. */
uint32_t margay_avl_insert(struct margay_avl *avl, uint32_t before,
                           uint32_t weight);

void margay_avl_remove(struct margay_avl *avl, uint32_t node);

/* Change a node's weight. */
void margay_avl_add(struct margay_avl *avl, uint32_t node, uint32_t more);

/* The node behind this one, NIL if it is the last. */
uint32_t margay_avl_next(const struct margay_avl *avl, uint32_t node);

#endif
