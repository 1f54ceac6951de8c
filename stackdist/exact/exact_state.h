/*
 * exact_state.h - the state of the exact engine, shared by its files
 *
 * exact.c is the engine's class, its memory and counts, feed.c chooses the path
 * of each reference, and exact_kernel.c, compiled once per processor level, has
 * the loops over references.
 */
#ifndef MARGAY_STACKDIST_EXACT_STATE_H
#define MARGAY_STACKDIST_EXACT_STATE_H

#include "stackdist/engine.h"
#include "stackdist/exact/hash.h"
#include "stackdist/exact/near.h"
#include "stackdist/exact/rank.h"

/* References looked up, ranked and counted together. */
#define MARGAY_EXACT_BATCH 64

/* References that go through the filter, or around it, at a time. */
#define MARGAY_EXACT_SEGMENT 4096

/* The value in the hash table of a block that is in the filter, wide or not. It
   is not the low half of a timestamp, as bits 448 to 511 of a leaf are none. */
#define MARGAY_IN_FILTER UINT32_MAX

struct margay_exact {
    struct margay_hash hash; /* block -> timestamp, or MARGAY_IN_FILTER */
    struct margay_rank rank; /* which timestamps are a block's latest */
    const struct margay_exact_kernel *kernel;
    bool wide;      /* timestamps may need more than 32 bits */
    uint64_t bound; /* UINT64_MAX = none */
    bool forgot;    /* blocks beyond the bound have been dropped */

    /* counters[d + 1] counts distance d, counters[0] the infinite ones.  Bytes
       keep them in the cache; a counter that overflows adds 256 to the
       histogram. */
    uint8_t *counters;
    uint64_t counter_count;
    margay_histogram *histogram;
    enum margay_status spill_status;

    /* d + 1 of the batch before, whose counters are being fetched. */
    uint64_t pending[MARGAY_EXACT_BATCH];
    unsigned pending_count;

    /* The filter: the top of the stack, and its counts. */
    struct margay_near *near;

    /* When to filter: feed.c. */
    enum margay_exact_filter {
        MARGAY_FILTER_AUTO,
        MARGAY_FILTER_ON,
        MARGAY_FILTER_OFF,
    } filter;
    bool filtering;
    uint64_t filtered_refs, passed_refs; /* since the last look */
    uint64_t refs_to_look;               /* until the next */
    uint64_t look_interval;              /* in segments */
    bool trying; /* filters only to measure the filter's share */

    /* References that go through the filter, and its output: the blocks that it
       does not have, and those that they evict from it. */
    uint64_t kept[MARGAY_EXACT_SEGMENT + MARGAY_NEAR_SPARE];
    uint64_t wanted[MARGAY_EXACT_SEGMENT];
    uint64_t demoted[MARGAY_EXACT_SEGMENT];
    uint16_t origins[MARGAY_EXACT_SEGMENT]; /* index of each in the segment */
    uint64_t indices[MARGAY_EXACT_SEGMENT]; /* d + 1 of each */

    /* The first touches of a part, in order, up to the limit. */
    uint64_t *touches;
    uint64_t touch_count, touch_limit, touch_capacity;

    uint64_t fed_refs;
    uint64_t expected_refs;             /* in all; 0 = unknown */
    uint64_t grown_refs, grown_entries; /* when the table grew last */
};

/* The loops over references, for one processor level. */
struct margay_exact_kernel {
    /* References to the deep stack: wanted[i] leaves it and demoted[i] enters
       it at the top; `base` blocks are above it.  If `wanted` is NULL, no block
       leaves; if `demoted` is NULL, no block enters, and those that leave are
       above it from then on.  Unless it is NULL, indices[] receives d + 1, or 0
       for infinite, of each that is wanted. */
    enum margay_status (*deep)(struct margay_exact *e, const uint64_t *wanted,
                               const uint64_t *demoted, size_t count,
                               unsigned base, uint64_t *indices,
                               struct margay_error *error);
    /* The ranks alone: past[i] is the previous timestamp of the block wanted,
       or 0.  The bits of the batch are set already.  Pending distances are
       counted. */
    void (*rank)(struct margay_exact *e, const uint64_t *past, size_t count,
                 unsigned base);
    /* Count what is pending. */
    void (*count_pending)(struct margay_exact *e);
    /* Replace every timestamp in the hash table by the one that
       margay_rank_fill() gives to its rank, less `dropped`; the `dropped`
       oldest become 0. */
    void (*renumber)(struct margay_exact *e, uint64_t dropped);
    /* The timestamps of blocks, 0 for those that have none.  Both arrays may
       be the same. */
    void (*find)(const struct margay_exact *e, const uint64_t *blocks,
                 size_t count, uint64_t *timestamps);
    /* The distances of up to MARGAY_EXACT_BATCH blocks that stand at these
       timestamps, or above everything where they are 0: of the former, d + 1
       goes to e->pending; returns how many were 0. */
    uint64_t (*rank_found)(struct margay_exact *e, const uint64_t *timestamps,
                           size_t count);
    /* Clear bits and leave the sums wrong; refresh() computes these anew, up to
       the leaf of timestamp `end`.  Timestamps of 0 stand for no block; returns
       how many were 0. */
    uint64_t (*clear)(struct margay_rank *rank, const uint64_t *past,
                      size_t count);
    void (*refresh)(struct margay_rank *rank, uint64_t end);
};

MARGAY_DECLARE_FOR_TARGETS(const struct margay_exact_kernel,
                           margay_exact_kernel)

/* ------------------------------------------------------ exact.c -- */

/* Reserve memory for this many blocks, before any reference. */
enum margay_status margay_exact_expect(struct margay_exact *e, uint64_t blocks,
                                       struct margay_error *error);

/* Once there are as many blocks, those that the bound allows to forget are
   forgotten when the table would grow. */
uint64_t margay_exact_most_live(const struct margay_exact *e);

/* Reserve entries, counters and timestamps for a batch. */
enum margay_status margay_exact_prepare(struct margay_exact *e,
                                        struct margay_error *error);

/* Reserve counters for distances below `live` and for a batch more. */
enum margay_status margay_exact_reserve_counters(struct margay_exact *e,
                                                 uint64_t live,
                                                 struct margay_error *error);

/* The distance, or MARGAY_INFINITE, that is counted at `index`. */
static inline uint64_t margay_exact_distance(const struct margay_exact *e,
                                             uint64_t index)
{
    /* An index of 0, infinite, wraps to the largest number of all. */
    uint64_t distance = index - 1;
    return distance >= e->bound ? MARGAY_INFINITE : distance;
}

/* A counter has passed 255: 256 more at d + 1 = `index`. */
void margay_exact_spill(struct margay_exact *e, uint64_t index);

/* ----------------------------------------------------- answer.c -- */

/* Reserve memory for the first touches of a batch. */
enum margay_status margay_exact_reserve_touches(struct margay_exact *e,
                                                struct margay_error *error);

/* ------------------------------------------------------- feed.c -- */

/* Demote all blocks of the filter, the oldest first. */
enum margay_status margay_exact_empty_filter(struct margay_exact *e,
                                             struct margay_error *error);

/* The engine's feed(). */
enum margay_status margay_exact_feed(void *state, const uint64_t *blocks,
                                     size_t count, uint64_t *distances,
                                     struct margay_error *error);

/* Tests: as the engine's create(), with time beginning at `first`. */
enum margay_status margay_exact_create_at(
    const struct margay_engine_setup *setup, uint64_t first, void *state,
    struct margay_error *error);

#endif
