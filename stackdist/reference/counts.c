/*
 * counts.c - order statistics by counting over a time axis
 *
 * Algorithm: a bit per time, and above the bits k-ary sums.  In one form bits
 *   are set at the times of the nodes, and the set bits behind a node's time
 *   are the newer nodes.  In the other form bits are set at times that no node
 *   has any more, holes, and the times behind that are no holes are newer
 *   nodes.  A renewal changes the sums once with holes, and twice with nodes.
 * Source: Bennett, Kruskal, "LRU stack processing", IBM J. R&D 19(4), 1975;
 *   holes: Almasi, Cascaval, Padua, "Calculating stack distances efficiently",
 *   MSP 2002.
 * Guarantee: exact.
 * Cost: O(k log_k M) additions per operation, most of them in vectors; 8 to
 *   16 bytes per node and 4 for it, k = 2 twice that.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "stackdist/reference/axis.h"
#include "stackdist/reference/order.h"
#include "stackdist/reference/sums.h"
#include "traces/traces_internal.h"

struct counts {
    struct margay_axis axis;
    uint64_t *bits;
    struct margay_sums sums; /* of the bits, a number per 2^shift of them */
    unsigned shift;
    bool holes; /* bits stand for holes, not for nodes */
};

static void counts_destroy(void *order)
{
    struct counts *counts = order;
    margay_axis_destroy(&counts->axis);
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
    enum margay_status status = margay_axis_create(&counts->axis, error);
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

/* Set bits behind `time` in its group of 2^shift. */
static inline uint32_t bits_behind(const uint64_t *bits, uint32_t time,
                                   unsigned shift)
{
    uint64_t behind = bits[time / 64] >> (time % 64) >> 1;
    if (shift < 6) {
        uint32_t group = (UINT32_C(1) << shift) - 1;
        uint32_t left = group - (time & group);
        return count_bits(behind & ((UINT64_C(1) << left) - 1));
    }
    uint32_t sum = count_bits(behind);
    uint32_t end = ((time >> shift) + 1) << (shift - 6);
    for (uint32_t word = time / 64 + 1; word < end; word++)
        sum += count_bits(bits[word]);
    return sum;
}

static inline __attribute__((always_inline)) uint32_t renew(
    struct counts *counts, uint32_t node, unsigned shift, bool holes)
{
    struct margay_axis *axis = &counts->axis;
    uint32_t time = axis->time_of[node], now = axis->next;
    uint32_t group = time >> shift;
    uint32_t behind = bits_behind(counts->bits, time, shift) +
                      margay_sums_behind_index(&counts->sums, group, shift);
    counts->bits[time / 64] ^= UINT64_C(1) << (time % 64);
    margay_sums_add(&counts->sums, group, holes ? 1 : -1, shift);
    if (!holes) {
        counts->bits[now / 64] |= UINT64_C(1) << (now % 64);
        margay_sums_add(&counts->sums, now >> shift, 1, shift);
    }
    margay_axis_place(axis, node);
    return holes ? now - time - 1 - behind : behind;
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
    if (margay_axis_is_full(&counts->axis)) {
        margay_axis_compact(&counts->axis);
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
    struct margay_axis *axis = &counts->axis;
    if (margay_axis_is_crowded(axis)) {
        enum margay_status status = margay_axis_grow(&counts->axis, error);
        if (status == MARGAY_OK)
            status = make_bits(counts, error);
        if (status == MARGAY_OK) {
            margay_axis_compact(&counts->axis);
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
    margay_axis_place(axis, *node);
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

#define COUNTS_CLASS(class, text, shift, holes)                          \
    static enum margay_status class##_create(void *order,                \
                                             struct margay_error *error) \
    {                                                                    \
        return create(order, shift, holes, error);                       \
    }                                                                    \
    const struct margay_order_class margay_order_##class = {             \
        .name = text,                                                    \
        .bytes = sizeof(struct counts),                                  \
        .create = class##_create,                                        \
        .destroy = counts_destroy,                                       \
        .insert = counts_insert,                                         \
        .renew = counts_renew,                                           \
        .oldest = margay_axis_oldest,                                    \
        .prefetch = counts_prefetch,                                     \
    }
COUNTS_CLASS(counts_2, "counts, k = 2", 1, false);
COUNTS_CLASS(counts_16, "counts, k = 16", 4, false);
COUNTS_CLASS(counts_256, "counts, k = 256", 8, false);
COUNTS_CLASS(holes_vector, "holes, vector", 4, true);
