/*
 * histogram.c - exact counts of reuse distances
 *
 * Counters stand in leaves of 2^11, and leaves hang from a radix tree that
 * is as high as the largest distance needs: a leaf is one pointer away for
 * distances below 2^22, two below 2^33, and five at most.  A node is made when
 * a reference is first counted below it, so a lone large distance costs little.
 *
 * A leaf counts in 16 bits and carries into 64 when a counter is full.  Where
 * a long trace spreads over millions of distances, most of them occur a few
 * times each, and the histogram takes 2 bytes per distance instead of 8.
 *
 * Distances in bytes lie far apart: a histogram of these is a list of rows,
 * made at once, instead of the tree.
 */
#include "stackdist/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

#define NODE_BITS 11
#define NODE_SIZE (UINT64_C(1) << NODE_BITS)
#define NODE_MASK (NODE_SIZE - 1)

#define LARGEST_DISTANCE ((UINT64_C(1) << 56) - 1)

/* A count is low[i] + carried[i]; without the array, low[i]. */
struct leaf {
    uint64_t *carried;
    uint16_t low[NODE_SIZE];
};

struct branch {
    void *children[NODE_SIZE]; /* branches, or leaves at height 1 */
};

struct margay_histogram {
    void *root;      /* a leaf at height 0, a branch above; or NULL */
    unsigned height; /* of the root */
    uint64_t references;
    uint64_t infinite;
    uint64_t end; /* the largest finite distance + 1, 0 if there is none */
    struct margay_histogram_row *rows; /* instead of `root`, or NULL */
    size_t row_count;
    uint64_t exceeded_bound;
};

/* Distances from one child of a node to the next: 2^SPAN_BITS(height). */
#define SPAN_BITS(height) ((height)*NODE_BITS)

enum margay_status margay_histogram_create(margay_histogram **histogram,
                                           struct margay_error *error)
{
    *histogram = calloc(1, sizeof **histogram);
    return *histogram ? MARGAY_OK : margay_fail_memory(error, "a histogram");
}

static void free_node(void *node, unsigned height)
{
    if (node == NULL)
        return;
    if (height == 0) {
        free(((struct leaf *)node)->carried);
    } else {
        struct branch *branch = node;
        for (size_t i = 0; i < NODE_SIZE; i++)
            free_node(branch->children[i], height - 1);
    }
    free(node);
}

void margay_histogram_clear(margay_histogram *histogram)
{
    free_node(histogram->root, histogram->height);
    free(histogram->rows);
    *histogram = (struct margay_histogram){0};
}

void margay_histogram_free(margay_histogram *histogram)
{
    if (histogram == NULL)
        return;
    margay_histogram_clear(histogram);
    free(histogram);
}

/* ------------------------------------------------------------------ rows -- */

enum margay_status margay_histogram_of_rows(struct margay_histogram_row *rows,
                                            size_t count, uint64_t infinite,
                                            margay_histogram **histogram,
                                            struct margay_error *error)
{
    enum margay_status status = margay_histogram_create(histogram, error);
    if (status != MARGAY_OK)
        return status;
    **histogram = (struct margay_histogram){
        .references = infinite,
        .infinite = infinite,
        .rows = rows,
        .row_count = count,
        .end = count == 0 ? 0 : rows[count - 1].distance + 1,
    };
    for (size_t i = 0; i < count; i++)
        (*histogram)->references += rows[i].references;
    return MARGAY_OK;
}

/* The first row at `distance` or beyond. */
static size_t find_row(const struct margay_histogram *histogram,
                       uint64_t distance)
{
    return MARGAY_BISECT(row, histogram->row_count,
                         histogram->rows[row].distance < distance);
}

/* ------------------------------------------------------------------ tree -- */

/* The leaf that counts `distance`, made if need be; NULL without memory. */
static struct leaf *find_leaf(struct margay_histogram *histogram,
                              uint64_t distance)
{
    /* Put branches above the root until `distance` lies below it. */
    for (unsigned bits; (bits = SPAN_BITS(histogram->height + 1)) < 64 &&
                        distance >> bits != 0;
         histogram->height++) {
        if (histogram->root == NULL)
            continue;
        struct branch *branch = calloc(1, sizeof *branch);
        if (branch == NULL)
            return NULL;
        branch->children[0] = histogram->root;
        histogram->root = branch;
    }
    void **place = &histogram->root;
    for (unsigned height = histogram->height;; height--) {
        if (*place == NULL)
            *place = calloc(1, height == 0 ? sizeof(struct leaf)
                                           : sizeof(struct branch));
        if (*place == NULL || height == 0)
            return *place;
        struct branch *branch = *place;
        place = &branch->children[distance >> SPAN_BITS(height) & NODE_MASK];
    }
}

static uint64_t leaf_count(const struct leaf *leaf, uint64_t i)
{
    return leaf->low[i] + (leaf->carried == NULL ? 0 : leaf->carried[i]);
}

/* No counter overflows, as none exceeds the total, which was checked. */
static bool leaf_add(struct leaf *leaf, uint64_t distance, uint64_t count)
{
    uint64_t i = distance & NODE_MASK;
    if (count <= (uint64_t)UINT16_MAX - leaf->low[i]) {
        leaf->low[i] = (uint16_t)(leaf->low[i] + count);
        return true;
    }
    if (leaf->carried == NULL)
        leaf->carried = calloc(NODE_SIZE, sizeof *leaf->carried);
    if (leaf->carried == NULL)
        return false;
    leaf->carried[i] += leaf->low[i] + count;
    leaf->low[i] = 0;
    return true;
}

/* Add to consecutive counters: all at once unless one of them overflows, which
   is rare. */
static bool leaf_add_run(struct leaf *leaf, uint64_t first_distance,
                         const uint8_t *counts, size_t n)
{
    uint16_t *low = leaf->low + (first_distance & NODE_MASK);
    uint32_t sums = 0;
    for (size_t i = 0; i < n; i++)
        sums |= (uint32_t)low[i] + counts[i];
    for (size_t i = 0; i < n && sums <= UINT16_MAX; i++)
        low[i] = (uint16_t)(low[i] + counts[i]);
    for (size_t i = 0; i < n && sums > UINT16_MAX; i++) {
        if (!leaf_add(leaf, first_distance + i, counts[i]))
            return false;
    }
    return true;
}

static enum margay_status check_add(const struct margay_histogram *histogram,
                                    uint64_t distance, uint64_t count,
                                    struct margay_error *error)
{
    uint64_t total;
    if (distance > LARGEST_DISTANCE && distance != MARGAY_INFINITE)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a reuse distance of %llu blocks is 2^56 or more",
                           (unsigned long long)distance);
    if (!margay_add_u64(histogram->references, count, &total))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "more than 2^64 - 1 references in a histogram");
    return MARGAY_OK;
}

enum margay_status margay_histogram_add(margay_histogram *histogram,
                                        uint64_t distance, uint64_t count,
                                        struct margay_error *error)
{
    enum margay_status status = check_add(histogram, distance, count, error);
    if (status != MARGAY_OK || count == 0)
        return status;
    if (distance == MARGAY_INFINITE) {
        histogram->infinite += count;
    } else {
        struct leaf *leaf = find_leaf(histogram, distance);
        if (leaf == NULL || !leaf_add(leaf, distance, count))
            return margay_fail_memory(error, "counts of reuse distances");
        if (distance >= histogram->end)
            histogram->end = distance + 1;
    }
    histogram->references += count;
    return MARGAY_OK;
}

enum margay_status margay_histogram_add_counts(margay_histogram *histogram,
                                               uint64_t first_distance,
                                               const uint8_t *counts, size_t n,
                                               struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t done = 0, run; done < n && status == MARGAY_OK; done += run) {
        uint64_t distance = first_distance + done;
        run = margay_minimum(NODE_SIZE - (distance & NODE_MASK), n - done);
        /* Distances of one leaf, without the 8-byte words of zeros at the
           end. */
        const uint8_t *some = counts + done;
        size_t left = run;
        for (uint64_t word; left >= sizeof word; left -= sizeof word) {
            memcpy(&word, some + left - sizeof word, sizeof word);
            if (word != 0)
                break;
        }
        uint64_t sum = 0, end = distance;
        for (size_t i = 0; i < left; i++) {
            sum += some[i];
            if (some[i] != 0)
                end = distance + i + 1;
        }
        if (sum == 0)
            continue;
        status = check_add(histogram, end - 1, sum, error);
        if (status != MARGAY_OK)
            break;
        struct leaf *leaf = find_leaf(histogram, distance);
        if (leaf == NULL || !leaf_add_run(leaf, distance, some, end - distance))
            return margay_fail_memory(error, "counts of reuse distances");
        histogram->end = margay_maximum(histogram->end, end);
        histogram->references += sum;
    }
    return status;
}

uint64_t margay_histogram_references(const margay_histogram *histogram)
{
    return histogram->references;
}

uint64_t margay_histogram_infinite(const margay_histogram *histogram)
{
    return histogram->infinite;
}

uint64_t margay_histogram_exceeded_bound(const margay_histogram *histogram)
{
    return histogram->exceeded_bound;
}

void margay_histogram_set_exceeded_bound(margay_histogram *histogram,
                                         uint64_t bound_blocks)
{
    histogram->exceeded_bound = bound_blocks;
}

/* As margay_histogram_next(), with distances relative to the node's first. */
static bool node_next(const void *node, unsigned height, uint64_t from,
                      uint64_t *distance, uint64_t *count)
{
    if (node == NULL)
        return false;
    for (uint64_t i = from; height == 0 && i < NODE_SIZE; i++) {
        uint64_t sum = leaf_count(node, i);
        if (sum != 0) {
            *distance = i;
            *count = sum;
            return true;
        }
    }
    if (height == 0)
        return false;
    const struct branch *branch = node;
    unsigned bits = SPAN_BITS(height);
    uint64_t from_in_child = from & ((UINT64_C(1) << bits) - 1);
    for (uint64_t i = from >> bits; i < NODE_SIZE; i++) {
        if (node_next(branch->children[i], height - 1, from_in_child, distance,
                      count)) {
            *distance += i << bits;
            return true;
        }
        from_in_child = 0;
    }
    return false;
}

bool margay_histogram_next(const margay_histogram *histogram, uint64_t from,
                           uint64_t *distance, uint64_t *count)
{
    if (from >= histogram->end)
        return false;
    if (histogram->rows != NULL) {
        const struct margay_histogram_row *row =
            &histogram->rows[find_row(histogram, from)];
        *distance = row->distance;
        *count = row->references;
        return true;
    }
    return node_next(histogram->root, histogram->height, from, distance, count);
}

bool margay_histogram_largest(const margay_histogram *histogram,
                              uint64_t *distance)
{
    if (histogram->end == 0)
        return false;
    *distance = histogram->end - 1;
    return true;
}

/* As margay_histogram_between(), with distances relative to the node's
   first. */
static uint64_t node_between(const void *node, unsigned height, uint64_t from,
                             uint64_t to)
{
    const struct branch *branch = node;
    uint64_t sum = 0;
    if (node == NULL || from >= to)
        return 0;
    if (height == 0) {
        const struct leaf *leaf = node;
        for (uint64_t i = from; i < to; i++)
            sum += leaf->low[i];
        for (uint64_t i = from; leaf->carried != NULL && i < to; i++)
            sum += leaf->carried[i];
        return sum;
    }
    uint64_t span = UINT64_C(1) << SPAN_BITS(height);
    for (uint64_t i = from / span; i <= (to - 1) / span; i++) {
        uint64_t first = i * span;
        sum += node_between(branch->children[i], height - 1,
                            from > first ? from - first : 0,
                            to - first < span ? to - first : span);
    }
    return sum;
}

uint64_t margay_histogram_between(const margay_histogram *histogram,
                                  uint64_t from, uint64_t to)
{
    if (histogram->rows != NULL) {
        uint64_t sum = 0;
        for (size_t i = find_row(histogram, from);
             i < histogram->row_count && histogram->rows[i].distance < to; i++)
            sum += histogram->rows[i].references;
        return sum;
    }
    return node_between(histogram->root, histogram->height, from,
                        to < histogram->end ? to : histogram->end);
}

/* Add the counts below a node that begins at distance `first`. */
static bool add_node(struct margay_histogram *histogram, const void *node,
                     unsigned height, uint64_t first)
{
    const struct branch *branch = node;
    if (node == NULL)
        return true;
    if (height == 0) {
        struct leaf *leaf = find_leaf(histogram, first);
        const struct leaf *counts = node;
        uint32_t sums = counts->carried == NULL ? 0 : UINT32_MAX;
        if (leaf == NULL)
            return false;
        for (size_t i = 0; i < NODE_SIZE; i++)
            sums |= (uint32_t)leaf->low[i] + counts->low[i];
        for (size_t i = 0; i < NODE_SIZE && sums <= UINT16_MAX; i++)
            leaf->low[i] = (uint16_t)(leaf->low[i] + counts->low[i]);
        for (size_t i = 0; i < NODE_SIZE && sums > UINT16_MAX; i++) {
            if (!leaf_add(leaf, i, leaf_count(counts, i)))
                return false;
        }
        return true;
    }
    for (uint64_t i = 0; i < NODE_SIZE; i++) {
        if (!add_node(histogram, branch->children[i], height - 1,
                      first + (i << SPAN_BITS(height))))
            return false;
    }
    return true;
}

enum margay_status margay_histogram_add_all(margay_histogram *histogram,
                                            const margay_histogram *counts,
                                            struct margay_error *error)
{
    enum margay_status status =
        check_add(histogram, 0, counts->references, error);
    if (status != MARGAY_OK)
        return status;
    if (!add_node(histogram, counts->root, counts->height, 0))
        return margay_fail_memory(error, "counts of reuse distances");
    histogram->end = margay_maximum(histogram->end, counts->end);
    histogram->infinite += counts->infinite;
    histogram->references += counts->references;
    return MARGAY_OK;
}

enum margay_status margay_histogram_take_all(margay_histogram *histogram,
                                             margay_histogram *counts,
                                             struct margay_error *error)
{
    if (histogram->root != NULL || histogram->references > 0)
        return margay_histogram_add_all(histogram, counts, error);
    uint64_t bound = counts->exceeded_bound;
    *histogram = *counts;
    histogram->exceeded_bound = 0;
    *counts = (struct margay_histogram){.exceeded_bound = bound};
    return MARGAY_OK;
}

void margay_histogram_uncount_infinite(margay_histogram *histogram,
                                       uint64_t count)
{
    histogram->infinite -= count;
    histogram->references -= count;
}

enum margay_status margay_histogram_copy(const margay_histogram *histogram,
                                         margay_histogram **copy,
                                         struct margay_error *error)
{
    enum margay_status status = margay_histogram_create(copy, error);
    if (status == MARGAY_OK)
        status = margay_histogram_add_all(*copy, histogram, error);
    if (status == MARGAY_OK) {
        (*copy)->exceeded_bound = histogram->exceeded_bound;
    } else {
        margay_histogram_free(*copy);
        *copy = NULL;
    }
    return status;
}
