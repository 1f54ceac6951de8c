/*
 * axis.c - order statistics over a time axis: counts, and a tree of holes
 *
 * Algorithm: on a time axis of finite length, renewing a node moves it to the
 *   next time.  When the axis is used up, the nodes get the first times in
 *   their order, and time goes on after them; counts or tree are then made
 *   anew.  With *counts* there is a bit per time, and above the bits k-ary
 *   sums.  In one form bits are set at the times of the nodes, and the set bits
 *   after a node's time are the newer nodes.  In the other form bits are set at
 *   times that no node has any more, holes, and the times after that are no
 *   holes are newer nodes.  A renewal changes the sums once with holes, and
 *   twice with nodes.  With a *tree*, a hole is a maximal run of such times.
 *   Holes are in a splay tree with their lengths as sizes.  The times after a
 *   node's time that are in no hole are newer nodes.  Renewing a node makes its
 *   time a hole, which joins the holes next to it.
 * Source: Bennett, Kruskal, "LRU stack processing", IBM J. R&D 19(4), 1975;
 *   holes: Almasi, Cascaval, Padua, "Calculating stack distances efficiently",
 *   MSP 2002; with a splay tree as their balanced tree.
 * Guarantee: exact.
 * Cost: of counts O(k log_k M) additions per operation, most of them in
 *   vectors; 8 to 16 bytes per node and 4 for it, k = 2 twice that.  Of the
 *   tree O(log M) amortised per operation; 12 to 20 bytes per node, 24 per
 *   hole, of which there are no more than nodes.  The axis takes O(1) per
 *   renewal, amortised, as there are at least twice as many times as nodes.
 */
#include <stdlib.h>
#include <string.h>

#include "stackdist/reference/order.h"
#include "stackdist/reference/splay.h"
#include "stackdist/reference/sums.h"

/* ------------------------------------------------------------- the axis -- */

#define FIRST_CAPACITY 1024
#define LAST_CAPACITY  (UINT32_C(1) << 31)

struct axis {
    uint32_t *time_of; /* node to time; nodes are numbered from 1 */
    uint32_t *node_at; /* time to the node that was renewed then */
    uint32_t capacity; /* the number of times, a power of two */
    uint32_t nodes;
    uint32_t next;   /* the time to be given next */
    uint32_t oldest; /* no node is older than this time */
};

static enum margay_status axis_create(struct axis *axis,
                                      struct margay_error *error)
{
    axis->time_of = calloc(FIRST_CAPACITY / 2, sizeof *axis->time_of);
    axis->node_at = calloc(FIRST_CAPACITY, sizeof *axis->node_at);
    axis->capacity = FIRST_CAPACITY;
    return axis->time_of == NULL || axis->node_at == NULL
               ? margay_fail_memory(error, "a time axis")
               : MARGAY_OK;
}

/* Double the axis.  MARGAY_NO_MEMORY leaves it as it was. */
static enum margay_status axis_grow(struct axis *axis,
                                    struct margay_error *error)
{
    if (axis->capacity == LAST_CAPACITY)
        return margay_fail(error, MARGAY_NO_MEMORY,
                           "more than 2^30 blocks on a time axis");
    size_t capacity = 2 * (size_t)axis->capacity;
    uint32_t *time_of = realloc(axis->time_of, capacity / 2 * sizeof *time_of);
    if (time_of != NULL)
        axis->time_of = time_of;
    uint32_t *node_at = realloc(axis->node_at, capacity * sizeof *node_at);
    if (node_at != NULL)
        axis->node_at = node_at;
    if (time_of == NULL || node_at == NULL)
        return margay_fail_memory(error, "a time axis");
    axis->capacity = (uint32_t)capacity;
    return MARGAY_OK;
}

static bool is_latest(const struct axis *axis, uint32_t time)
{
    return axis->time_of[axis->node_at[time]] == time;
}

/* Number all nodes anew: they now have the times 0 .. nodes - 1. */
static void axis_compact(struct axis *axis)
{
    uint32_t live = 0;
    for (uint32_t time = 0; time < axis->next; time++) {
        if (is_latest(axis, time)) {
            uint32_t node = axis->node_at[time];
            axis->time_of[node] = live;
            axis->node_at[live++] = node;
        }
    }
    axis->next = live;
    axis->oldest = 0;
}

/* The call oldest() of orders that begin with their axis. */
static uint32_t axis_oldest(void *order)
{
    struct axis *axis = order;
    while (!is_latest(axis, axis->oldest))
        axis->oldest++;
    return axis->node_at[axis->oldest];
}

/* Give `node` the next time, of which there must be one. */
static inline void axis_place(struct axis *axis, uint32_t node)
{
    axis->time_of[node] = axis->next;
    axis->node_at[axis->next++] = node;
}

/* --------------------------------------------------------------- counts -- */

struct counts {
    struct axis axis;
    uint64_t *bits;
    struct margay_sums sums; /* of the bits, a number per 2^shift of them */
    unsigned shift;
    bool holes; /* bits stand for holes, not for nodes */
};

static void counts_destroy(void *order)
{
    struct counts *counts = order;
    free(counts->axis.time_of);
    free(counts->axis.node_at);
    margay_sums_destroy(&counts->sums);
    free(counts->bits);
}

/* New bits and sums, all zero, for the axis as long as it is. */
static enum margay_status make_bits(struct counts *counts,
                                    struct margay_error *error)
{
    uint32_t capacity = counts->axis.capacity;
    struct margay_sums sums;
    uint64_t *bits = calloc(capacity / 64, sizeof *bits);
    if (bits == NULL)
        return margay_fail_memory(error, "the bits of a time axis");
    enum margay_status status = margay_sums_create(
        &sums, capacity >> counts->shift, counts->shift, error);
    if (status != MARGAY_OK) {
        free(bits);
        return status;
    }
    free(counts->bits);
    margay_sums_destroy(&counts->sums);
    counts->bits = bits;
    counts->sums = sums;
    return MARGAY_OK;
}

static enum margay_status create(struct counts *counts, unsigned shift,
                                 bool holes, struct margay_error *error)
{
    counts->shift = shift;
    counts->holes = holes;
    enum margay_status status = axis_create(&counts->axis, error);
    return status == MARGAY_OK ? make_bits(counts, error) : status;
}

/* Without the instruction, which not every processor has. */
static inline uint32_t count_bits(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) +
           (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* Set bits after `time` in its group of 2^shift. */
static inline uint32_t bits_after(const uint64_t *bits, uint32_t time,
                                  unsigned shift)
{
    uint64_t after = bits[time / 64] >> (time % 64) >> 1;
    if (shift < 6) {
        uint32_t group = (UINT32_C(1) << shift) - 1;
        uint32_t left = group - (time & group);
        return count_bits(after & ((UINT64_C(1) << left) - 1));
    }
    uint32_t sum = count_bits(after);
    uint32_t end = ((time >> shift) + 1) << (shift - 6);
    for (uint32_t word = time / 64 + 1; word < end; word++)
        sum += count_bits(bits[word]);
    return sum;
}

static inline __attribute__((always_inline)) uint32_t renew(
    struct counts *counts, uint32_t node, unsigned shift, bool holes)
{
    struct axis *axis = &counts->axis;
    uint32_t time = axis->time_of[node], now = axis->next;
    uint32_t group = time >> shift;
    uint32_t after = bits_after(counts->bits, time, shift) +
                     margay_sums_behind_index(&counts->sums, group, shift);
    counts->bits[time / 64] ^= UINT64_C(1) << (time % 64);
    margay_sums_add(&counts->sums, group, holes ? 1 : -1, shift);
    if (!holes) {
        counts->bits[now / 64] |= UINT64_C(1) << (now % 64);
        margay_sums_add(&counts->sums, now >> shift, 1, shift);
    }
    axis_place(axis, node);
    return holes ? now - time - 1 - after : after;
}

/* Set bits and sums for an axis that has just been compacted. */
static void restart(struct counts *counts)
{
    uint32_t capacity = counts->axis.capacity;
    uint32_t live = counts->holes ? 0 : counts->axis.next;
    uint32_t group = UINT32_C(1) << counts->shift;
    memset(counts->bits, 0, capacity / 8);
    memset(counts->bits, 0xff, live / 64 * 8);
    if (live % 64 != 0)
        counts->bits[live / 64] = (UINT64_C(1) << (live % 64)) - 1;
    uint32_t *row = counts->sums.levels[0];
    for (uint32_t i = 0; i < capacity >> counts->shift; i++) {
        uint32_t begin = i << counts->shift;
        uint32_t left = live > begin ? live - begin : 0;
        row[i] = left < group ? left : group;
    }
    margay_sums_rebuild(&counts->sums, counts->shift);
}

static void make_time(struct counts *counts)
{
    if (counts->axis.next == counts->axis.capacity) {
        axis_compact(&counts->axis);
        restart(counts);
    }
}

static uint64_t counts_renew(void *order, uint32_t node)
{
    struct counts *counts = order;
    make_time(counts);
    if (counts->holes)
        return renew(counts, node, 4, true);
    if (counts->shift == 1)
        return renew(counts, node, 1, false);
    if (counts->shift == 4)
        return renew(counts, node, 4, false);
    return renew(counts, node, 8, false);
}

static enum margay_status counts_insert(void *order, uint32_t *node,
                                        struct margay_error *error)
{
    struct counts *counts = order;
    struct axis *axis = &counts->axis;
    if (axis->nodes >= axis->capacity / 2 - 1) {
        enum margay_status status = axis_grow(&counts->axis, error);
        if (status == MARGAY_OK)
            status = make_bits(counts, error);
        if (status == MARGAY_OK) {
            axis_compact(&counts->axis);
            restart(counts);
        }
        if (status != MARGAY_OK)
            return status;
    }
    make_time(counts);
    *node = ++axis->nodes;
    if (!counts->holes) {
        counts->bits[axis->next / 64] |= UINT64_C(1) << (axis->next % 64);
        margay_sums_add(&counts->sums, axis->next >> counts->shift, 1,
                        counts->shift);
    }
    axis_place(axis, *node);
    return MARGAY_OK;
}

static void counts_prefetch(const void *order, uint32_t node, unsigned step)
{
    const struct counts *counts = order;
    if (step == 0) {
        __builtin_prefetch(&counts->axis.time_of[node], 1);
        return;
    }
    uint32_t time = counts->axis.time_of[node];
    uint32_t index = time >> counts->shift;
    __builtin_prefetch(&counts->bits[time / 64], 1);
    __builtin_prefetch(&counts->sums.levels[0][index], 1);
    if (counts->sums.level_count > 1)
        __builtin_prefetch(&counts->sums.levels[1][index >> counts->shift], 1);
}

#define COUNTS_CLASS(class, shift, holes)                                \
    static enum margay_status class##_create(void *order,                \
                                             struct margay_error *error) \
    {                                                                    \
        return create(order, shift, holes, error);                       \
    }                                                                    \
    const struct margay_order_class margay_order_##class = {             \
        .bytes = sizeof(struct counts),                                  \
        .create = class##_create,                                        \
        .destroy = counts_destroy,                                       \
        .insert = counts_insert,                                         \
        .renew = counts_renew,                                           \
        .oldest = axis_oldest,                                           \
        .prefetch = counts_prefetch,                                     \
    }
COUNTS_CLASS(counts_2, 1, false);
COUNTS_CLASS(counts_16, 4, false);
COUNTS_CLASS(counts_256, 8, false);
COUNTS_CLASS(holes_vector, 4, true);

/* --------------------------------------------------- a tree of holes -- */

#define NIL MARGAY_SPLAY_NIL

struct holes {
    struct axis axis;
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
    enum margay_status status = axis_create(&holes->axis, error);
    return status == MARGAY_OK ? margay_splay_create(&holes->tree, true, error)
                               : status;
}

static void holes_destroy(void *order)
{
    struct holes *holes = order;
    free(holes->axis.time_of);
    free(holes->axis.node_at);
    margay_splay_destroy(&holes->tree);
    free(holes->begins);
}

static void compact_holes(struct holes *holes)
{
    axis_compact(&holes->axis);
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
    struct axis *axis = &holes->axis;
    struct margay_splay *tree = &holes->tree;
    if (axis->next == axis->capacity)
        compact_holes(holes);
    uint32_t time = axis->time_of[node], now = axis->next;
    const struct neighbours near = find_neighbours(holes, time);
    uint32_t before = near.before, after = near.after, hole;
    uint32_t *begins = holes->begins;
    /* Make the time a hole.  A changed length counts where its hole is
       lifted. */
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
    axis_place(axis, node);
    return now - time - 1 - near.sum;
}

static enum margay_status holes_insert(void *order, uint32_t *node,
                                       struct margay_error *error)
{
    struct holes *holes = order;
    struct axis *axis = &holes->axis;
    enum margay_status status = MARGAY_OK;
    if (axis->nodes >= axis->capacity / 2 - 1)
        status = axis_grow(axis, error);
    if (status == MARGAY_OK)
        status = reserve_hole(holes, error);
    if (status != MARGAY_OK)
        return status;
    if (axis->next == axis->capacity)
        compact_holes(holes);
    *node = ++axis->nodes;
    axis_place(axis, *node);
    return MARGAY_OK;
}

static void holes_prefetch(const void *order, uint32_t node, unsigned step)
{
    const struct holes *holes = order;
    if (step == 0)
        __builtin_prefetch(&holes->axis.time_of[node], 1);
}

const struct margay_order_class margay_order_holes_tree = {
    .bytes = sizeof(struct holes),
    .create = holes_create,
    .destroy = holes_destroy,
    .insert = holes_insert,
    .renew = holes_renew,
    .oldest = axis_oldest,
    .prefetch = holes_prefetch,
};
