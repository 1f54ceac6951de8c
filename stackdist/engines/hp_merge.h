/*
 * hp_merge.h - hp-rda from thread block to thread block
 *
 * A thread block comes with what its chunks have found out: distances within
 * chunks, which are final; distances across chunks, which are sums of what the
 * chunks between have distinct, too many where these overlap; and where each
 * block was met first and last.
 *
 * adjust=times: the distinct references of all chunks are a trace, too, in
 * which such a sum is a reuse time, but for 1.  What is expected to be
 * distinct in that time follows from the times of the thread block: the sum
 * over all shorter ones of the share of references that are not reused until
 * then (as in statstack).  From thread block to thread block distances are
 * exact: the exact engine is told of the blocks in the order in which they were
 * met first, which gives the distances, and then in that in which they were met
 * last, which gives its stack the right order.
 *
 * adjust=on: the paper's rule.  What is over the M distinct of the thread block
 * is multiplied by M / the sum of the chunks' distinct; and the same again from
 * thread block to thread block.  adjust=off: without that factor.
 */
#ifndef MARGAY_STACKDIST_ENGINES_HP_MERGE_H
#define MARGAY_STACKDIST_ENGINES_HP_MERGE_H

#include <margay/stackdist.h>

/* In the order of the engine's parameter. */
enum margay_hp_adjust { MARGAY_HP_TIMES, MARGAY_HP_ON, MARGAY_HP_OFF };
#define MARGAY_HP_ADJUST "times|on|off"

/* What is known of a block within a thread block. */
struct margay_hp_place {
    uint64_t block;
    uint64_t first; /* distinct ones before its first reference here */
    uint64_t key;   /* sum of counts through its last chunk, less those after
                       its last reference there */
    uint32_t last;  /* position of its last reference; for who finds out */
};

struct margay_hp_block {
    const struct margay_hp_place *places; /* numbered from 1 */
    uint32_t place_count;
    uint64_t sum_counts; /* distinct blocks of the chunks, added up */
    uint64_t *local;     /* counts of exact distances, below the references of
                            a chunk */
    uint64_t *across;    /* counts of distances across chunks, up to
                            sum_counts */
};

struct margay_hp_merge;

/* For thread blocks of so many references at most.  The caller owns *merge;
   MARGAY_NO_MEMORY on failure. */
enum margay_status margay_hp_merge_create(enum margay_hp_adjust adjust,
                                          size_t chunk_refs, size_t block_refs,
                                          struct margay_hp_merge **merge,
                                          struct margay_error *error);
void margay_hp_merge_free(struct margay_hp_merge *merge);

/*
 * The next thread block; its counts are set to 0.  MARGAY_NO_MEMORY, or
 * MARGAY_BAD_ARGUMENT where the paper's rule has no more numbers.
 */
enum margay_status margay_hp_merge_add(struct margay_hp_merge *merge,
                                       const struct margay_hp_block *block,
                                       struct margay_error *error);

void margay_hp_merge_reset_counts(struct margay_hp_merge *merge);

/* Once, at the end: all that was counted, and so many immediate repeats. */
enum margay_status margay_hp_merge_finish(struct margay_hp_merge *merge,
                                          uint64_t repeats,
                                          struct margay_result *result,
                                          struct margay_error *error);

#endif
