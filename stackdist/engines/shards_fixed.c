/*
 * shards_fixed.c - shards in a fixed size
 *
 * Algorithm: of the blocks met so far, the K with the smallest hashes are the
 *   sample.  When another one comes, the block with the greatest hash leaves
 *   it for good, and the share R that is sampled is what lies below that
 *   hash.  Counts are kept in bars of scaled distances with the share that
 *   held when they were last touched, and brought up to date when they are
 *   touched again.
 * Source, guarantee: see shards.c.
 * Cost: O(N) to choose, O(log K) per sampled reference; O(K) space.
 */
#include <stdlib.h>

#include "stackdist/bars.h"
#include "stackdist/engines/sample.h"
#include "stackdist/engines/shards.h"
#include "stackdist/estimate.h"
#include "stackdist/hash/hash.h"
#include "stackdist/order/order.h"
#include "traces/traces_internal.h"

#define BAR_BITS   8
#define BARS       MARGAY_BARS(BAR_BITS)
#define PIECE_REFS 4096

struct entry {
    uint64_t hash;
    uint64_t block;
    uint32_t node;
};

struct bar {
    double mass;
    double scale; /* 1 / R when the mass was right */
};

struct margay_fixed_size {
    struct margay_sample sample;
    uint64_t most_blocks;
    bool adjust;
    void *order;              /* of class CLASS */
    struct margay_hash nodes; /* block to node */
    struct entry *heap;       /* the greatest hash first */
    uint64_t heap_count, heap_capacity;
    uint64_t references;
    struct bar bars[BARS];
    struct bar cold;
};

/* Any order would do; this one is fast. */
#define CLASS (&margay_order_counts_16)

void margay_fixed_size_free(struct margay_fixed_size *fixed)
{
    if (fixed == NULL)
        return;
    if (fixed->order != NULL)
        CLASS->free_order(fixed->order);
    margay_hash_destroy(&fixed->nodes);
    free(fixed->heap);
    free(fixed);
}

enum margay_status margay_fixed_size_create(uint64_t blocks, bool adjust,
                                            uint64_t seed,
                                            struct margay_fixed_size **fixed,
                                            struct margay_error *error)
{
    struct margay_fixed_size *made = calloc(1, sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "the shards engine");
    made->sample = margay_sample_of(1, seed);
    made->most_blocks = blocks;
    made->adjust = adjust;
    enum margay_status status = CLASS->create(&made->order, error);
    if (status == MARGAY_OK)
        status = margay_hash_create(&made->nodes, 0, error);
    if (status == MARGAY_OK)
        *fixed = made;
    else
        margay_fixed_size_free(made);
    return status;
}

/* ------------------------------------------------------------- the heap -- */

static void swap_entries(struct entry *a, struct entry *b)
{
    struct entry swapped = *a;
    *a = *b;
    *b = swapped;
}

static void sift_down(struct margay_fixed_size *fixed)
{
    struct entry *heap = fixed->heap;
    for (uint64_t i = 0, child; (child = 2 * i + 1) < fixed->heap_count;
         i = child) {
        if (child + 1 < fixed->heap_count &&
            heap[child + 1].hash > heap[child].hash)
            child++;
        if (heap[child].hash <= heap[i].hash)
            return;
        swap_entries(&heap[child], &heap[i]);
    }
}

static enum margay_status push(struct margay_fixed_size *fixed,
                               struct entry entry, struct margay_error *error)
{
    if (fixed->heap_count == fixed->heap_capacity) {
        uint64_t capacity = 2 * fixed->heap_capacity + 64;
        struct entry *heap =
            realloc(fixed->heap, (size_t)capacity * sizeof *heap);
        if (heap == NULL)
            return margay_fail_memory(error, "the blocks of a sample");
        fixed->heap = heap;
        fixed->heap_capacity = capacity;
    }
    uint64_t i = fixed->heap_count++;
    fixed->heap[i] = entry;
    for (; i > 0 && fixed->heap[(i - 1) / 2].hash < fixed->heap[i].hash;
         i = (i - 1) / 2)
        swap_entries(&fixed->heap[(i - 1) / 2], &fixed->heap[i]);
    return MARGAY_OK;
}

/* ------------------------------------------------------------ references -- */

/* Bring a mass up to date and add `more` to it. */
static void touch(struct margay_fixed_size *fixed, struct bar *bar, double more)
{
    double scale = margay_sample_scale(&fixed->sample);
    if (bar->mass > 0)
        bar->mass *= bar->scale / scale;
    bar->mass += more;
    bar->scale = scale;
}

static enum margay_status enter(struct margay_fixed_size *fixed,
                                struct entry entry, struct margay_error *error)
{
    enum margay_status status = margay_hash_reserve(&fixed->nodes, 1, error);
    if (status != MARGAY_OK)
        return status;
    if (fixed->heap_count < fixed->most_blocks) {
        status = CLASS->insert(fixed->order, &entry.node, error);
        if (status == MARGAY_OK)
            status = push(fixed, entry, error);
    } else {
        struct entry *greatest = &fixed->heap[0];
        fixed->sample.limit =
            (entry.hash > greatest->hash ? entry.hash : greatest->hash) - 1;
        if (entry.hash > greatest->hash)
            return MARGAY_OK; /* this one is not in the sample any more */
        margay_hash_erase(&fixed->nodes, greatest->block);
        entry.node = greatest->node;
        CLASS->renew(fixed->order, entry.node);
        *greatest = entry;
        sift_down(fixed);
    }
    if (status != MARGAY_OK)
        return status;
    *margay_hash_insert(&fixed->nodes, entry.block) = entry.node;
    touch(fixed, &fixed->cold, 1);
    return MARGAY_OK;
}

static enum margay_status refer(struct margay_fixed_size *fixed, uint64_t block,
                                struct margay_error *error)
{
    struct entry entry = {margay_sample_hash(block, fixed->sample.key), block,
                          0};
    if (entry.hash > fixed->sample.limit)
        return MARGAY_OK; /* the limit has been lowered since it was picked */
    const uint32_t *node = margay_hash_find(&fixed->nodes, block);
    if (node == NULL)
        return enter(fixed, entry, error);
    double distance = (double)CLASS->renew(fixed->order, *node) *
                      margay_sample_scale(&fixed->sample);
    size_t bar = margay_bar_of((uint64_t)(distance + 0.5), BAR_BITS);
    touch(fixed, &fixed->bars[bar], 1);
    return MARGAY_OK;
}

enum margay_status margay_fixed_size_feed(struct margay_fixed_size *fixed,
                                          const uint64_t *blocks, size_t count,
                                          struct margay_error *error)
{
    for (size_t done = 0, piece; done < count; done += piece) {
        uint64_t sampled[PIECE_REFS + 1];
        piece = count - done < PIECE_REFS ? count - done : PIECE_REFS;
        size_t picked =
            margay_sample_pick(&fixed->sample, blocks + done, piece, sampled);
        for (size_t i = 0; i < picked; i++) {
            enum margay_status status = refer(fixed, sampled[i], error);
            if (status != MARGAY_OK)
                return status;
        }
    }
    fixed->references += count;
    return MARGAY_OK;
}

void margay_fixed_size_reset_counts(struct margay_fixed_size *fixed)
{
    fixed->references = 0;
    fixed->cold = (struct bar){0, 0};
    for (size_t i = 0; i < BARS; i++)
        fixed->bars[i] = (struct bar){0, 0};
}

enum margay_status margay_fixed_size_finish(struct margay_fixed_size *fixed,
                                            struct margay_result *result,
                                            struct margay_error *error)
{
    double total = 0;
    touch(fixed, &fixed->cold, 0);
    total += fixed->cold.mass;
    for (size_t i = 0; i < BARS; i++) {
        touch(fixed, &fixed->bars[i], 0);
        total += fixed->bars[i].mass;
    }
    double expected =
        (double)fixed->references / margay_sample_scale(&fixed->sample);
    struct margay_rounder rounder;
    enum margay_status status = margay_rounder_begin(
        &rounder, fixed->references, fixed->adjust ? expected : total, error);
    if (status != MARGAY_OK)
        return status;
    if (fixed->adjust)
        status = margay_rounder_add(&rounder, 0, expected - total, error);
    for (size_t i = 0; i < BARS && status == MARGAY_OK; i++) {
        if (fixed->bars[i].mass > 0)
            status = margay_rounder_add(&rounder, margay_bar_low(i, BAR_BITS),
                                        fixed->bars[i].mass, error);
    }
    result->nodes = fixed->heap_count;
    result->distinct_blocks =
        (uint64_t)((double)fixed->heap_count *
                       margay_sample_scale(&fixed->sample) +
                   0.5);
    return margay_rounder_end(&rounder, status, &result->histogram, error);
}
