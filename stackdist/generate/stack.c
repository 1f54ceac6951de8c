/*
 * stack.c - a trace that has the reuse distances of a histogram
 *
 * Algorithm: an LRU stack.  A distance d is drawn from the histogram, and the
 *   block below d others is referenced, which puts it on top.  For an infinite
 *   distance, and where the stack has only d blocks or fewer, a new block is
 *   referenced.  If the stack is too short for a distance, it is postponed.  A
 *   later infinite distance, whose new block came early, is replaced by the
 *   least postponed distance if the stack is deep enough by then.  So long
 *   distances keep their share although the stack is short at the beginning; a
 *   few may never fit.  The stack is a rank bit vector over time: the block
 *   below d others has the d-th set bit from the end.
 * Source: the stochastic process of Shen, Shaw, "Efficient locality
 *   approximation from time", LCPC 2008; the postponing is ours.
 * Guarantee: the trace has the distances drawn, except postponed ones that
 *   never fit; the same histogram and seed give the same trace everywhere.
 * Cost: O(log M) per reference for M blocks, and 20 to 40 bytes per block.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include <margay/stackdist.h>

#include "stackdist/exact/rank.h"
#include "traces/traces_internal.h"

/* Drawn, and moved, together. */
#define DRAWS 64
#define MOVES 64

/* Timestamps of the axis per block, at least: compacting the axis then costs no
   more than moving a block per reference. */
#define TIMESTAMPS_PER_BLOCK 2

#define SMALLEST_AXIS 4096

/* A block moves to the top, from one timestamp to another.  Its id is not
   needed for that, and is read later, when it has been prefetched. */
struct move {
    uint64_t from, to;
};

struct margay_stack_generator {
    struct margay_alias bins;  /* the last is that of infinite distances */
    struct margay_bin *ranges; /* of the others */
    struct margay_random bin_random, distance_random;
    uint64_t drawn[DRAWS]; /* bins; those from `next_drawn` on are left */
    size_t next_drawn;

    struct margay_rank rank;
    uint64_t *blocks; /* by timestamp */
    uint64_t top;     /* the last timestamp */
    uint64_t distinct_blocks;

    uint64_t *postponed; /* a heap, the least distance first */
    size_t postponed_count, postponed_capacity;
};

/* ----------------------------------------------------------- the stack -- */

static size_t axis_bytes(const struct margay_rank *rank)
{
    return (size_t)(rank->leaf_count << MARGAY_LEAF_SHIFT) * sizeof(uint64_t);
}

static enum margay_status create_axis(uint64_t timestamps,
                                      struct margay_rank *rank,
                                      uint64_t **blocks,
                                      struct margay_error *error)
{
    enum margay_status status = margay_rank_create(rank, timestamps, 0, error);
    if (status != MARGAY_OK)
        return status;
    *blocks = margay_map(axis_bytes(rank));
    if (*blocks != NULL)
        return MARGAY_OK;
    margay_rank_destroy(rank);
    return margay_fail_memory(error, "the stack of a generator");
}

static void destroy_axis(struct margay_stack_generator *generator)
{
    if (generator->blocks != NULL)
        margay_unmap(generator->blocks, axis_bytes(&generator->rank));
    margay_rank_destroy(&generator->rank);
}

/* Move the live blocks, which keep their order, to the first timestamps of an
   axis.  It may be their own, as no block moves to a later timestamp. */
static void move_blocks(const struct margay_rank *rank, const uint64_t *from,
                        uint64_t *to)
{
    uint64_t moved = 0;
    for (uint64_t word = 0; word <= rank->next >> 6; word++) {
        if (word % MARGAY_LEAF_WORDS == MARGAY_LEAF_WORDS - 1)
            continue;
        for (uint64_t bits = rank->leaves[word]; bits != 0; bits &= bits - 1)
            to[margay_rank_nth(moved++)] =
                from[64 * word + (unsigned)__builtin_ctzll(bits)];
    }
}

static enum margay_status compact(struct margay_stack_generator *generator,
                                  struct margay_error *error)
{
    struct margay_rank *rank = &generator->rank;
    uint64_t timestamps = rank->leaf_count * MARGAY_LEAF_BITS;
    if (rank->live > timestamps / TIMESTAMPS_PER_BLOCK - MARGAY_LEAF_BITS) {
        struct margay_rank grown;
        uint64_t *blocks;
        enum margay_status status =
            create_axis(rank->leaf_count << (MARGAY_LEAF_SHIFT + 1), &grown,
                        &blocks, error);
        if (status != MARGAY_OK)
            return status;
        move_blocks(rank, generator->blocks, blocks);
        margay_rank_fill(&grown, rank->live);
        destroy_axis(generator);
        *rank = grown;
        generator->blocks = blocks;
    } else {
        move_blocks(rank, generator->blocks, generator->blocks);
        margay_rank_fill(rank, rank->live);
    }
    generator->top = margay_rank_nth(rank->live - 1);
    return MARGAY_OK;
}

/* Make the next timestamp the top of the stack. */
static uint64_t push(struct margay_stack_generator *generator)
{
    struct margay_rank *rank = &generator->rank;
    generator->top = rank->next;
    margay_rank_append(rank, 1);
    rank->live++;
    if (rank->next % 64 == 0 && !margay_rank_full(rank))
        margay_rank_enter(rank);
    return generator->top;
}

/* Take the block below `depth` others out; returns its timestamp. */
static uint64_t take(struct margay_stack_generator *generator, uint64_t depth)
{
    struct margay_rank *rank = &generator->rank;
    uint64_t timestamp = margay_rank_select(rank, rank->live - 1 - depth);
    __builtin_prefetch(&generator->blocks[timestamp]);
    margay_rank_clear(rank, timestamp, margay_rank_top_vectors(rank),
                      rank->tall);
    rank->live--;
    return timestamp;
}

/* ----------------------------------------------------------- postponed -- */

static enum margay_status postpone(struct margay_stack_generator *generator,
                                   uint64_t distance,
                                   struct margay_error *error)
{
    if (!MARGAY_MAKE_ROOM(generator->postponed, generator->postponed_count, 1,
                          generator->postponed_capacity))
        return margay_fail_memory(error, "distances of a generator");
    uint64_t *heap = generator->postponed;
    size_t place = generator->postponed_count++;
    for (; place > 0 && heap[(place - 1) / 2] > distance;
         place = (place - 1) / 2)
        heap[place] = heap[(place - 1) / 2];
    heap[place] = distance;
    return MARGAY_OK;
}

/* The least postponed distance, if the stack is deep enough for it. */
static bool resume(struct margay_stack_generator *generator, uint64_t *distance)
{
    uint64_t *heap = generator->postponed;
    if (generator->postponed_count == 0 || heap[0] >= generator->rank.live)
        return false;
    *distance = heap[0];
    size_t count = --generator->postponed_count, place = 0;
    uint64_t last = heap[count];
    for (size_t child; (child = 2 * place + 1) < count; place = child) {
        child += child + 1 < count && heap[child + 1] < heap[child];
        if (heap[child] >= last)
            break;
        heap[place] = heap[child];
    }
    heap[place] = last;
    return true;
}

/* ------------------------------------------------------------- drawing -- */

/* Distances within a bin are equally likely. */
static uint64_t draw_distance(struct margay_stack_generator *generator)
{
    if (generator->next_drawn == DRAWS) {
        margay_alias_draw(&generator->bins, &generator->bin_random,
                          generator->drawn, DRAWS);
        generator->next_drawn = 0;
    }
    uint64_t bin = generator->drawn[generator->next_drawn++];
    if (bin == generator->bins.entries - 1)
        return MARGAY_INFINITE;
    const struct margay_bin *range = &generator->ranges[bin];
    uint64_t width = range->to - range->from;
    return range->from +
           (width == 1
                ? 0
                : margay_random_below(&generator->distance_random, width));
}

enum margay_status margay_stack_generator_next(
    margay_stack_generator *generator, uint64_t *blocks, size_t count,
    struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    struct move moves[MOVES];
    for (size_t done = 0; done < count && status == MARGAY_OK;) {
        size_t made = 0, wanted = count - done < MOVES ? count - done : MOVES;
        while (made < wanted && status == MARGAY_OK &&
               !margay_rank_full(&generator->rank)) {
            uint64_t from, distance = draw_distance(generator);
            status = MARGAY_OK;
            if (distance == MARGAY_INFINITE) {
                resume(generator, &distance);
            } else if (distance >= generator->rank.live) {
                status = postpone(generator, distance, error);
                distance = MARGAY_INFINITE;
            }
            if (distance == MARGAY_INFINITE) {
                from = push(generator);
                generator->blocks[from] = generator->distinct_blocks++;
            } else {
                from =
                    distance == 0 ? generator->top : take(generator, distance);
                if (distance > 0)
                    push(generator);
            }
            moves[made++] = (struct move){from, generator->top};
        }
        /* In order, as a block may be moved again. */
        for (const struct move *move = moves; move < moves + made; move++) {
            blocks[done] = generator->blocks[move->from];
            generator->blocks[move->to] = blocks[done++];
        }
        if (status == MARGAY_OK && margay_rank_full(&generator->rank))
            status = compact(generator, error);
    }
    return status;
}

/* ------------------------------------------------------------ creation -- */

/* Keep the bins with references, and weigh them. */
static enum margay_status take_bins(struct margay_stack_generator *generator,
                                    const struct margay_bin *bins, size_t count,
                                    uint64_t infinite, uint64_t *weights,
                                    struct margay_error *error)
{
    margay_u128 sum = infinite;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (bins[i].references == 0)
            continue;
        if (bins[i].to <= bins[i].from)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "a bin from %llu to %llu holds no distance",
                               (unsigned long long)bins[i].from,
                               (unsigned long long)bins[i].to);
        generator->ranges[kept] = bins[i];
        weights[kept++] = bins[i].references;
        sum += bins[i].references;
    }
    weights[kept++] = infinite;
    if (sum == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a histogram without references has no distances to "
                           "draw");
    if (kept > MARGAY_ALIAS_ENTRIES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a histogram of more than 2^32 bins");
    margay_alias_scale(weights, kept, sum);
    return margay_alias_create(&generator->bins, weights, kept, error);
}

enum margay_status margay_stack_generator_create(
    const struct margay_bin *bins, size_t count, uint64_t infinite,
    uint64_t seed, margay_stack_generator **generator,
    struct margay_error *error)
{
    *generator = NULL;
    margay_stack_generator *made = calloc(1, sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "a generator");
    margay_random_seed(&made->bin_random, seed);
    margay_random_seed(&made->distance_random,
                       margay_random_u64(&made->bin_random));
    made->next_drawn = DRAWS;
    uint64_t *weights = calloc(count + 1, sizeof *weights);
    made->ranges = calloc(count + 1, sizeof *made->ranges);
    enum margay_status status =
        weights == NULL || made->ranges == NULL
            ? margay_fail_memory(error, "the bins of a generator")
            : create_axis(SMALLEST_AXIS, &made->rank, &made->blocks, error);
    if (status == MARGAY_OK)
        status = take_bins(made, bins, count, infinite, weights, error);
    free(weights);
    if (status == MARGAY_OK)
        *generator = made;
    else
        margay_stack_generator_free(made);
    return status;
}

void margay_stack_generator_free(margay_stack_generator *generator)
{
    if (generator == NULL)
        return;
    margay_alias_destroy(&generator->bins);
    destroy_axis(generator);
    free(generator->ranges);
    free(generator->postponed);
    free(generator);
}
