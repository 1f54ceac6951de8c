/*
 * hp_merge.h - hp-rda from thread block to thread block
 *
 * The chunks of a thread block give distances within chunks, which are final;
 * distances across chunks, which are sums of the distinct blocks of the chunks
 * between and too large where chunks share blocks; and the first and the last
 * reference to each block.
 *
 * adjust=times: the distinct references of all chunks are a trace themselves,
 * in which such a sum is a reuse time less 1.  The expected number of distinct
 * blocks in that time follows from the times of the thread block: it is the
 * sum, over all shorter times, of the share of references that are not reused
 * until then (as in statstack).  From thread block to thread block distances
 * are exact: the exact engine is fed the blocks in the order of their first
 * references, which gives the distances, and then in the order of their last
 * ones, which gives its stack the right order.
 *
 * adjust=on: the paper's rule.  A distance above the M distinct blocks of the
 * thread block is multiplied by M / the sum of the chunks' distinct blocks; and
 * so again from thread block to thread block.  adjust=off: without that factor.
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
    uint64_t key;   /* distinct blocks of the chunks up to its last one, summed,
                       less those behind its last reference there */
    uint32_t last;  /* position of its last reference; for the analysis alone */
};

struct margay_hp_block {
    uint32_t place_count;
    uint64_t sum_counts; /* distinct blocks of the chunks, added up */
    uint32_t *across;    /* counts of distances across chunks, up to
                            sum_counts */
    uint64_t base;       /* for the paper's rule: see margay_hp_merge_begin() */
};

struct margay_hp_merge;

/* For thread blocks of up to `block_refs` references.  The caller owns *merge;
   MARGAY_NO_MEMORY on failure. */
enum margay_status margay_hp_merge_create(enum margay_hp_adjust adjust,
                                          size_t chunk_refs, size_t block_refs,
                                          struct margay_hp_merge **merge,
                                          struct margay_error *error);
void margay_hp_merge_free(struct margay_hp_merge *merge);

/*
 * The functions below fail with MARGAY_NO_MEMORY, and set counts that they add
 * to 0.  First the distances in chunks, and others that are final:
 */
enum margay_status margay_hp_merge_counts(struct margay_hp_merge *merge,
                                          uint32_t *counts, size_t count,
                                          struct margay_error *error);

/* From chunk to chunk of the next thread block, whose base is set.  Fails with
   MARGAY_BAD_ARGUMENT where the paper's rule runs out of numbers, after nearly
   2^38 distinct references of thread blocks. */
enum margay_status margay_hp_merge_begin(struct margay_hp_merge *merge,
                                         struct margay_hp_block *block,
                                         struct margay_error *error);

/* From there to the places of a thread block, which are numbered from 1. */
enum margay_status margay_hp_merge_places(struct margay_hp_merge *merge,
                                          const struct margay_hp_block *block,
                                          const struct margay_hp_place *places,
                                          struct margay_error *error);

/* By the paper's rule, one place of a thread block.  Those of an id have to
   come in the order of thread blocks. */
enum margay_status margay_hp_merge_place(struct margay_hp_merge *merge,
                                         const struct margay_hp_block *block,
                                         const struct margay_hp_place *place,
                                         struct margay_error *error);

/* By times, ids in the order of their first references, `counting`, or of their
   last ones. */
enum margay_status margay_hp_merge_ids(struct margay_hp_merge *merge,
                                       const uint64_t *ids, size_t count,
                                       bool counting,
                                       struct margay_error *error);

void margay_hp_merge_reset_counts(struct margay_hp_merge *merge);

/* Once, at the end: all counts, with `repeats` more at distance 0. */
enum margay_status margay_hp_merge_finish(struct margay_hp_merge *merge,
                                          uint64_t repeats,
                                          struct margay_result *result,
                                          struct margay_error *error);

#endif
