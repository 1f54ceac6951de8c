/*
 * writebacks.c - the write-backs of all fully associative LRU caches
 *
 * Algorithm: a write makes its block dirty in every cache.  The dirty level of
 *   a block is the largest reuse distance m since its last write: the block is
 *   dirty in exactly the caches of more than m blocks, as those have not
 *   evicted it.  A reference at distance d finds the block evicted from caches
 *   of up to d blocks, so those of m + 1 .. d blocks have written it back.
 *   Such ranges are counted by their ends, in two histograms.  A block that is
 *   not referenced again has been written back by all caches that are no larger
 *   than its depth in the stack, which is its dirty level from then on.
 * Source: Thompson and Smith, "Efficient (stack) algorithms for analysis of
 *   write-back and sector memories", ACM TOCS 7(1), 1989.
 * Guarantee: exact, for write-back caches that allocate on a write.
 * Cost: O(1) expected per reference and 40 to 60 bytes per distinct block; at
 *   the end of the warm-up and whenever counts are wanted, sorting the distinct
 *   blocks.
 */
#include <stdlib.h>

#include "stackdist/exact/hash.h"
#include <margay/stackdist.h>

#define CLEAN       UINT64_MAX
#define FETCH_AHEAD 16

struct block {
    uint64_t dirty_level; /* CLEAN: dirty nowhere */
    uint64_t last;        /* when it was referenced last */
};

struct margay_writebacks {
    struct margay_hash hash; /* id -> number of the block, from 1 */
    struct block *blocks;
    size_t block_count, block_room;
    uint64_t now;
    margay_histogram *begins, *ends; /* of ranges, by m and by d */
};

enum margay_status margay_writebacks_create(margay_writebacks **result,
                                            struct margay_error *error)
{
    *result = NULL;
    margay_writebacks *w = calloc(1, sizeof *w);
    if (w == NULL)
        return margay_fail_memory(error, "the write-backs");
    enum margay_status status = margay_hash_create(&w->hash, 0, error);
    if (status == MARGAY_OK)
        status = margay_histogram_create(&w->begins, error);
    if (status == MARGAY_OK)
        status = margay_histogram_create(&w->ends, error);
    if (status == MARGAY_OK)
        *result = w;
    else
        margay_writebacks_free(w);
    return status;
}

void margay_writebacks_free(margay_writebacks *w)
{
    if (w == NULL)
        return;
    margay_hash_destroy(&w->hash);
    margay_histogram_free(w->begins);
    margay_histogram_free(w->ends);
    free(w->blocks);
    free(w);
}

/* -------------------------------------------------------------- feeding -- */

/* Caches of level + 1 .. distance blocks write a block back. */
static enum margay_status count_range(margay_writebacks *w, uint64_t level,
                                      uint64_t distance,
                                      struct margay_error *error)
{
    if (level == CLEAN || distance <= level)
        return MARGAY_OK;
    enum margay_status status =
        margay_histogram_add(w->begins, level, 1, error);
    if (status == MARGAY_OK)
        status = margay_histogram_add(w->ends, distance, 1, error);
    return status;
}

enum margay_status margay_writebacks_feed(
    margay_writebacks *w, const uint64_t *blocks, const uint8_t *kinds,
    const uint64_t *distances, size_t count, struct margay_error *error)
{
    for (size_t i = 0; i < count; i++) {
        /* A value of the table has 38 bits. */
        if (w->block_count >> 38 != 0 ||
            !MARGAY_MAKE_ROOM(w->blocks, w->block_count, 1, w->block_room))
            return margay_fail_memory(error, "the write-backs");
        enum margay_status status = margay_hash_reserve(&w->hash, 1, error);
        if (status != MARGAY_OK)
            return status;
        if (count - i > FETCH_AHEAD)
            margay_hash_prefetch(&w->hash, blocks[i + FETCH_AHEAD]);
        unsigned slot;
        struct margay_bucket *bucket =
            margay_hash_slot(&w->hash, blocks[i], &slot);
        uint64_t number = margay_bucket_value(bucket, slot);
        if (number == 0) {
            w->blocks[w->block_count++].dirty_level = CLEAN;
            number = w->block_count;
            bucket->keys[slot] = blocks[i];
            margay_bucket_set_value(bucket, slot, number);
            w->hash.entries++;
        }
        struct block *block = &w->blocks[number - 1];
        status = count_range(w, block->dirty_level, distances[i], error);
        if (status != MARGAY_OK)
            return status;
        block->last = w->now++;
        if (kinds != NULL && kinds[i] == MARGAY_WRITE)
            block->dirty_level = 0;
        else if (block->dirty_level != CLEAN &&
                 distances[i] > block->dirty_level)
            block->dirty_level = distances[i];
    }
    return MARGAY_OK;
}

/* ---------------------------------------------------------- depths so far */

static int compare_last(const void *left, const void *right)
{
    const struct block *a = *(struct block *const *)left;
    const struct block *b = *(struct block *const *)right;
    return (a->last < b->last) - (a->last > b->last);
}

/* The block is clean in caches that have written it back. */
enum margay_status margay_writebacks_settle(margay_writebacks *w,
                                            struct margay_error *error)
{
    /* The most recent first: the place of each is its depth. */
    struct block **sorted = calloc(w->block_count + 1, sizeof *sorted);
    enum margay_status status = MARGAY_OK;
    if (sorted == NULL)
        return margay_fail_memory(error, "the write-backs");
    for (uint64_t i = 0; i < w->block_count; i++)
        sorted[i] = &w->blocks[i];
    qsort(sorted, w->block_count, sizeof *sorted, compare_last);
    for (uint64_t depth = 0; depth < w->block_count && status == MARGAY_OK;
         depth++) {
        struct block *block = sorted[depth];
        status = count_range(w, block->dirty_level, depth, error);
        if (block->dirty_level != CLEAN && block->dirty_level < depth)
            block->dirty_level = depth;
    }
    free(sorted);
    return status;
}

enum margay_status margay_writebacks_reset_counts(margay_writebacks *w,
                                                  struct margay_error *error)
{
    enum margay_status status = margay_writebacks_settle(w, error);
    margay_histogram_clear(w->begins);
    margay_histogram_clear(w->ends);
    return status;
}

/* How many of a histogram's counts are below `size`; *from goes up to it. */
static uint64_t count_below(const margay_histogram *histogram, uint64_t size,
                            uint64_t *from)
{
    uint64_t below = 0, distance, count;
    while (margay_histogram_next(histogram, *from, &distance, &count) &&
           distance < size) {
        below += count;
        *from = distance + 1;
    }
    return below;
}

void margay_writebacks_curve(const margay_writebacks *writebacks,
                             const uint64_t *cache_blocks, size_t count,
                             uint64_t *counts)
{
    uint64_t begun = 0, ended = 0, begins_from = 0, ends_from = 0;
    for (size_t i = 0; i < count; i++) {
        begun += count_below(writebacks->begins, cache_blocks[i], &begins_from);
        ended += count_below(writebacks->ends, cache_blocks[i], &ends_from);
        counts[i] = begun - ended;
    }
}
