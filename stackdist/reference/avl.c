/* avl.c - a sequence with weights, in an AVL tree */
#include "stackdist/reference/avl.h"

#include <stdlib.h>

#include "traces/traces_internal.h"

#define NIL            MARGAY_AVL_NIL
#define FIRST_CAPACITY 256

enum margay_status margay_avl_create(struct margay_avl *avl,
                                     struct margay_error *error)
{
    *avl = (struct margay_avl){.count = 1, .capacity = FIRST_CAPACITY};
    avl->nodes = calloc(FIRST_CAPACITY, sizeof *avl->nodes);
    return avl->nodes != NULL ? MARGAY_OK
                              : margay_fail_memory(error, "an AVL tree");
}

void margay_avl_destroy(struct margay_avl *avl)
{
    free(avl->nodes);
    *avl = (struct margay_avl){0};
}

enum margay_status margay_avl_reserve(struct margay_avl *avl, uint32_t most,
                                      struct margay_error *error)
{
    if (most < avl->capacity)
        return MARGAY_OK;
    if (most == UINT32_MAX)
        return margay_fail(error, MARGAY_NO_MEMORY,
                           "more than 2^32 - 2 blocks in an AVL tree");
    uint64_t capacity = 2 * (uint64_t)most;
    if (capacity > UINT32_MAX)
        capacity = UINT32_MAX;
    struct margay_avl_node *nodes =
        realloc(avl->nodes, (size_t)capacity * sizeof *nodes);
    if (nodes == NULL)
        return margay_fail_memory(error, "the nodes of an AVL tree");
    avl->nodes = nodes;
    avl->capacity = (uint32_t)capacity;
    return MARGAY_OK;
}

/* ------------------------------------------------------------ balancing -- */

static void update(struct margay_avl_node *nodes, uint32_t node)
{
    struct margay_avl_node *n = &nodes[node];
    const struct margay_avl_node *left = &nodes[n->left];
    const struct margay_avl_node *right = &nodes[n->right];
    n->sum = left->sum + n->weight + right->sum;
    n->height =
        1 + (left->height > right->height ? left->height : right->height);
}

/* Put `child` where `node` hangs from its parent. */
static void replace(struct margay_avl *avl, uint32_t node, uint32_t child)
{
    struct margay_avl_node *nodes = avl->nodes;
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
static void rotate(struct margay_avl *avl, uint32_t node)
{
    struct margay_avl_node *nodes = avl->nodes;
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
static uint32_t balance(struct margay_avl *avl, uint32_t node)
{
    struct margay_avl_node *nodes = avl->nodes;
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
static void mend(struct margay_avl *avl, uint32_t node)
{
    while (node != NIL) {
        update(avl->nodes, node);
        node = avl->nodes[balance(avl, node)].parent;
    }
}

/* ----------------------------------------------------------- operations -- */

static uint32_t leftmost(const struct margay_avl_node *nodes, uint32_t node)
{
    while (nodes[node].left != NIL)
        node = nodes[node].left;
    return node;
}

static uint32_t rightmost(const struct margay_avl_node *nodes, uint32_t node)
{
    while (nodes[node].right != NIL)
        node = nodes[node].right;
    return node;
}

static uint32_t take_node(struct margay_avl *avl)
{
    uint32_t node = avl->free;
    if (node == NIL)
        return avl->count++;
    avl->free = avl->nodes[node].right;
    return node;
}

uint32_t margay_avl_insert(struct margay_avl *avl, uint32_t before,
                           uint32_t weight)
{
    uint32_t node = take_node(avl);
    struct margay_avl_node *nodes = avl->nodes;
    nodes[node] = (struct margay_avl_node){.weight = weight};
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
static uint32_t unlink_node(struct margay_avl *avl, uint32_t node)
{
    struct margay_avl_node *n = &avl->nodes[node];
    replace(avl, node, n->left != NIL ? n->left : n->right);
    return n->parent;
}

void margay_avl_remove(struct margay_avl *avl, uint32_t node)
{
    struct margay_avl_node *nodes = avl->nodes, *n = &nodes[node];
    if (node == avl->last)
        avl->last = n->left != NIL ? rightmost(nodes, n->left) : n->parent;
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

void margay_avl_add(struct margay_avl *avl, uint32_t node, uint32_t more)
{
    struct margay_avl_node *nodes = avl->nodes;
    nodes[node].weight += more;
    for (; node != NIL; node = nodes[node].parent)
        nodes[node].sum += more;
}

uint32_t margay_avl_next(const struct margay_avl *avl, uint32_t node)
{
    const struct margay_avl_node *nodes = avl->nodes;
    if (nodes[node].right != NIL)
        return leftmost(nodes, nodes[node].right);
    while (nodes[nodes[node].parent].right == node && nodes[node].parent != NIL)
        node = nodes[node].parent;
    return nodes[node].parent;
}
