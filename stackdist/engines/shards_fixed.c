/*
 * shards_fixed.c - shards in a fixed size
 *
 * Algorithm: of the blocks so far, the K with the smallest hashes are the
 * sample. When one more comes, the block with the greatest hash leaves the
 * sample for good, and the share R that is sampled becomes that of the hashes
 * below it. Counts are in bars of scaled distances, each with the R that its
 * counts stand for; they are rescaled when the bar is next counted in.  As long
 * as the sample has every block, a histogram counts distances, which are exact.
 * Source, guarantee: see shards.c.
 * Cost: O(N) to choose, O(log K) per sampled reference; O(K) space.
 */
#include <stdlib.h>

#include "stackdist/engines/bars.h"
#include "stackdist/engines/estimate.h"
#include "stackdist/engines/shards.h"
#include "stackdist/exact/hash.h"
#include "stackdist/reference/order.h"
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
    double scale; /* the 1 / R that the mass stands for */
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
    margay_histogram *whole; /* counts until a block leaves the sample; then
                                NULL, and these count: */
    struct bar bars[BARS];
    struct bar cold;
};

/* The fastest order. */
#define CLASS (&margay_order_counts_16)

void margay_fixed_size_free(struct margay_fixed_size *fixed)
{
    if (fixed == NULL)
        return;
    margay_order_destroy(CLASS, fixed->order);
    margay_hash_destroy(&fixed->nodes);
    margay_histogram_free(fixed->whole);
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
    enum margay_status status = margay_order_make(CLASS, &made->order, error);
    if (status == MARGAY_OK)
        status = margay_hash_create(&made->nodes, 0, error);
    if (status == MARGAY_OK)
        status = margay_histogram_create(&made->whole, error);
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

/* Rescale a mass to the share of now, and add `more` to it. */
static void touch(struct margay_fixed_size *fixed, struct bar *bar, double more)
{
    double scale = margay_sample_scale(&fixed->sample);
    if (bar->mass > 0)
        bar->mass *= bar->scale / scale;
    bar->mass += more;
    bar->scale = scale;
}

static void count_in_bar(struct margay_fixed_size *fixed, double distance,
                         double count)
{
    size_t bar = margay_bar_of((uint64_t)(distance + 0.5), BAR_BITS);
    touch(fixed, &fixed->bars[bar], count);
}

/* A block is about to leave the sample: move all counts to bars. */
static void leave_whole(struct margay_fixed_size *fixed)
{
    uint64_t distance, count;
    for (uint64_t from = 0;
         fixed->whole != NULL &&
         margay_histogram_next(fixed->whole, from, &distance, &count);
         from = distance + 1)
        count_in_bar(fixed, (double)distance, (double)count);
    if (fixed->whole != NULL)
        touch(fixed, &fixed->cold,
              (double)margay_histogram_infinite(fixed->whole));
    margay_histogram_free(fixed->whole);
    fixed->whole = NULL;
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
        leave_whole(fixed);
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
    if (fixed->whole != NULL)
        return margay_histogram_add(fixed->whole, MARGAY_INFINITE, 1, error);
    touch(fixed, &fixed->cold, 1);
    return MARGAY_OK;
}

static enum margay_status refer(struct margay_fixed_size *fixed, uint64_t block,
                                struct margay_error *error)
{
    struct entry entry = {margay_sample_hash(block, fixed->sample.key), block,
                          0};
    if (entry.hash > fixed->sample.limit)
        return MARGAY_OK; /* the limit has fallen since the block was picked */
    const uint32_t *node = margay_hash_find(&fixed->nodes, block);
    if (node == NULL)
        return enter(fixed, entry, error);
    uint64_t distance = CLASS->renew(fixed->order, *node);
    if (fixed->whole != NULL)
        return margay_histogram_add(fixed->whole, distance, 1, error);
    count_in_bar(fixed, (double)distance * margay_sample_scale(&fixed->sample),
                 1);
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
    if (fixed->whole != NULL)
        margay_histogram_clear(fixed->whole);
    fixed->cold = (struct bar){0, 0};
    for (size_t i = 0; i < BARS; i++)
        fixed->bars[i] = (struct bar){0, 0};
}

/* Rescale all masses to the share of now; returns their sum. */
static double touch_all(struct margay_fixed_size *fixed)
{
    double total = 0;
    touch(fixed, &fixed->cold, 0);
    total += fixed->cold.mass;
    for (size_t i = 0; i < BARS; i++) {
        touch(fixed, &fixed->bars[i], 0);
        total += fixed->bars[i].mass;
    }
    return total;
}

static enum margay_status add_masses(struct margay_fixed_size *fixed,
                                     struct margay_rounder *rounder,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < BARS && status == MARGAY_OK; i++) {
        if (fixed->bars[i].mass > 0)
            status = margay_rounder_add(rounder, margay_bar_low(i, BAR_BITS),
                                        fixed->bars[i].mass, error);
    }
    return status;
}

static enum margay_status estimate(struct margay_fixed_size *fixed,
                                   struct margay_result *result,
                                   struct margay_error *error)
{
    double total = touch_all(fixed);
    double expected =
        (double)fixed->references / margay_sample_scale(&fixed->sample);
    struct margay_rounder rounder;
    enum margay_status status = margay_rounder_begin(
        &rounder, fixed->references, fixed->adjust ? expected : total, error);
    if (status != MARGAY_OK)
        return status;
    if (fixed->adjust)
        status = margay_rounder_add(&rounder, 0, expected - total, error);
    if (status == MARGAY_OK)
        status = add_masses(fixed, &rounder, error);
    return margay_rounder_end(&rounder, status, &result->histogram, error);
}

enum margay_status margay_fixed_size_finish(struct margay_fixed_size *fixed,
                                            struct margay_result *result,
                                            struct margay_error *error)
{
    result->nodes = fixed->heap_count;
    result->distinct_blocks =
        (uint64_t)((double)fixed->heap_count *
                       margay_sample_scale(&fixed->sample) +
                   0.5);
    if (fixed->whole == NULL)
        return estimate(fixed, result, error);
    result->histogram = fixed->whole;
    fixed->whole = NULL;
    return MARGAY_OK;
}
