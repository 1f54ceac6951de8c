/*
 * slice.h - what one thread of a team does with a batch
 *
 * The blocks are divided among the threads by a hash of their ids, and a batch
 * is divided into slices of consecutive references, one per thread.  A thread
 * looks up the references to its own blocks in its own hash table and publishes
 * their previous timestamps (look_up).  When all threads have done so, it ranks
 * the references of its own slice in its own bit vector; the other slices are
 * applied to the bits only (rank).
 */
#ifndef MARGAY_STACKDIST_SLICE_H
#define MARGAY_STACKDIST_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stackdist/exact/exact_state.h"

/* Threads of a team, at most. */
#define MARGAY_SLICE_MAX_THREADS 64

/* References of a batch at most: a whole number of leaves. */
#define MARGAY_SLICE_MAX_REFS ((size_t)MARGAY_LEAF_BITS * 512)
#define MARGAY_SLICE_MIN_REFS ((size_t)MARGAY_LEAF_BITS * 64)

/* The published timestamps of a batch, and as many as are prefetched behind. */
#define MARGAY_SLICE_PAST_BYTES ((MARGAY_SLICE_MAX_REFS + 64) * 8)

/* A reference may be to two own blocks: one wanted, one demoted. */
#define MARGAY_SLICE_LIST_BYTES ((2 * MARGAY_SLICE_MAX_REFS + 64) * 8)

/*
 * What threads publish for one batch: the previous timestamps of the blocks
 * wanted that are theirs, in order, and how many lie before each slice.
 */
struct margay_slice_past {
    uint64_t *timestamps;
    size_t before_slice[MARGAY_SLICE_MAX_THREADS + 1];
};

/* References that enter the team together. */
struct margay_slice_batch {
    size_t count;
    unsigned base;
    bool pulls;  /* there are blocks wanted */
    bool pushes; /* there are blocks demoted */
    bool same;   /* they are the same */
    bool wants_indices;
    uint64_t *wanted, *demoted, *indices; /* MARGAY_SLICE_MAX_REFS each */
    uint8_t *wanted_owners, *demoted_owners;
    struct margay_slice_past *past; /* one per thread */
};

/* One thread's part of the deep stack. */
struct margay_slice {
    struct margay_exact e; /* own blocks, all timestamps, own counts */
    unsigned index, threads;
    /* The time, in usable timestamps (margay_rank_nth()), after the batches
       looked up, and after the batches ranked, of which there is one fewer. */
    uint64_t now;
    uint64_t ranked;
    /* Own references of a batch, in order; the look-ups' work list. */
    uint64_t *blocks;
    uint64_t *values; /* the values of these in the hash table afterwards */
};

/* Time has begun anew: batches start on whole words. */
static inline void margay_slice_begin_time(struct margay_slice *slice)
{
    slice->now = (slice->e.rank.live + 63) / 64 * 64;
    slice->ranked = slice->now;
}

/* The loops, for one processor level. */
struct margay_slice_kernel {
    /* owners[i] = the thread that blocks[i] belongs to. */
    void (*assign)(const uint64_t *blocks, size_t count, unsigned threads,
                   uint8_t *owners);
    /* MARGAY_NO_MEMORY when the hash table cannot grow. */
    enum margay_status (*look_up)(struct margay_slice *slice,
                                  const struct margay_slice_batch *batch);
    /* MARGAY_NO_MEMORY when there are no more counters. */
    enum margay_status (*rank)(struct margay_slice *slice,
                               const struct margay_slice_batch *batch);
    /* Compute the prefix sums of the bit vector, which rank() leaves wrong. */
    void (*refresh)(struct margay_slice *slice);
};

extern const struct margay_slice_kernel margay_slice_kernel_portable;
extern const struct margay_slice_kernel margay_slice_kernel_v3;
extern const struct margay_slice_kernel margay_slice_kernel_v4;

#endif
