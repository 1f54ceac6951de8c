/*
 * uses.h - how often each block is used, over the time of a trace
 *
 * Algorithm: the uses of blocks are counted of all of them while these are few,
 *   and then of a half, a quarter, ... of them, which their hash chooses
 *   (sample.h), so that all uses of a block count or none.  Each has COLUMNS
 *   counts of as many references, which become twice as many where they do not
 *   reach.
 *
 * Source: Waldspurger et al., "Efficient MRC construction with SHARDS", FAST
 *   2015, for the sample.
 *
 * Cost: a look into a hash table for each block reference.
 */
#ifndef MARGAY_SIM_RUN_USES_H
#define MARGAY_SIM_RUN_USES_H

#include "assoc/assoc_internal.h"
#include <margay/analysis.h>

/* An analysis of references as they stand; its question's context says: */
struct margay_uses_asked {
    size_t most, columns; /* blocks that count, at most; 0, 1 or a power of 2 */
};

struct margay_uses {
    margay_analysis analysis;
    margay_numbering *numbering; /* owned, as is what follows */
    /* Of each block that counts, by its number: the block, and its uses in each
       column of 2^step references; with 0 columns, nothing. */
    uint64_t *records;
    size_t most, columns;
    unsigned step, halvings;
    uint64_t refs;                  /* block references, */
    uint64_t of_kind[MARGAY_KINDS]; /* and those of a kind */
    uint64_t lowest, highest;       /* numbers as read; empty: low > high */
};

/* The functions of such an analysis, and of one that begins with it. */
extern const struct margay_analysis_class margay_uses_functions;
enum margay_status margay_uses_begin(margay_analysis *analysis,
                                     const struct margay_share *share,
                                     struct margay_error *error);
enum margay_status margay_uses_feed(margay_analysis *analysis,
                                    const struct margay_span *span,
                                    struct margay_error *error);
void margay_uses_free(margay_analysis *analysis);

/* The blocks that count, each for 2^halvings. */
size_t margay_uses_count(const struct margay_uses *uses);

/* The record of one of them. */
uint64_t *margay_uses_record(const struct margay_uses *uses, size_t number);

#endif
