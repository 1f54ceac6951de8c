/*
 * splay.h - a sequence with sizes, in a splay tree
 *
 * Every access lifts its node to the root.  The tree stores no keys: a node is
 * found by its number, or by a search that the caller makes.
 */
#ifndef MARGAY_STACKDIST_ORDER_SPLAY_H
#define MARGAY_STACKDIST_ORDER_SPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

/* No node; it weighs nothing. */
#define MARGAY_SPLAY_NIL 0

struct margay_splay_node {
    uint32_t left, right; /* older, newer */
    uint32_t parent;
    uint32_t weight; /* sizes in the subtree, this node's included */
};

struct margay_splay {
    struct margay_splay_node *nodes;
    uint32_t *sizes; /* of each node; NULL: all are 1 */
    uint32_t count;  /* nodes ever in use, NIL included */
    size_t capacity;
    uint32_t root;
    uint32_t removed; /* removed nodes, linked by `right` */
};

enum margay_status margay_splay_create(struct margay_splay *splay, bool sized,
                                       struct margay_error *error);
void margay_splay_destroy(void *splay);

/* Insert a node of size 1 as the newest; MARGAY_NO_MEMORY changes nothing.
   This and the last are of a struct margay_order_class, too. */
enum margay_status margay_splay_insert(void *splay, uint32_t *node,
                                       struct margay_error *error);

/* The same right before another one, NIL being after the newest. */
enum margay_status margay_splay_insert_before(struct margay_splay *splay,
                                              uint32_t newer, uint32_t *node,
                                              struct margay_error *error);

/* Have room for `most` nodes, NIL included, of which one at most is lacking.
   MARGAY_NO_MEMORY changes nothing. */
enum margay_status margay_splay_reserve(struct margay_splay *splay, size_t most,
                                        struct margay_error *error);

/* Make `node` the root: its right subtree has then the newer nodes. */
void margay_splay_lift(struct margay_splay *splay, uint32_t node);

/* Take `node` out; its number may be used again. */
void margay_splay_remove(struct margay_splay *splay, uint32_t node);

#endif
