/*
 * part.h - one part of a trace, analysed before its past is known
 *
 * Algorithm: a reference to a block that the part has referenced before is
 * counted in the part.  The parts before it are asked about its first touches,
 * from the nearest part to the farthest, and after those of the parts in
 * between.  With a bound of B blocks only the first B first touches of a part
 * are asked about, and a part answers for B at most: later ones have B other
 * blocks before them at least.
 *
 * Source: Niu et al., "PARDA", IPDPS 2012.  merge=plain is Algorithm 3: a block
 * that is asked about is referenced in this part, too.  merge=space is
 * Algorithm 4: the block leaves this part, so that all parts together have each
 * block once.  The bound is Algorithm 7's, except that the first part, which
 * has the state of everything before, counts its infinite distances at once.
 */
#ifndef MARGAY_STACKDIST_PART_H
#define MARGAY_STACKDIST_PART_H

#include <margay/stackdist.h>

#include "traces/traces_internal.h"

struct margay_part {
    /* One that cannot answer by itself gives its state to the exact engine when
       the part is closed. */
    margay_engine *engine;
    bool own;       /* it answers: it is exact, and the part is not plain */
    bool first;     /* there is nothing before it */
    bool plain;     /* how it answers */
    uint64_t bound; /* UINT64_MAX = none */
    margay_histogram *counts; /* the engine's, once finished; of a plain part
                                 those that are settled, once closed */
    uint64_t *touches;        /* first touches, unless the engine has them */
    size_t touch_count, touch_capacity;
    uint64_t asked;  /* first touches of later parts, up to the bound */
    uint64_t beyond; /* those above the bound, which are infinite */
    bool exceeded;   /* more blocks than the bound have been seen: certain
                        once the part is finished */
};

/* How a part begins. */
struct margay_part_setup {
    const char *spec; /* of its engine */
    const struct margay_engine_options *options;
    bool first, plain;
    uint64_t refs;            /* about how many references will come */
    uint64_t expected_blocks; /* the least number of blocks; 0 = unknown */
    /* The first part goes on from the LRU stack up to there, the oldest block
       first; others have none. */
    const uint64_t *blocks;
    uint64_t block_count;
};

/* The expected number of distinct blocks of `refs` references, from a sample of
   `count` references in runs of `run` from all parts of them, if all blocks
   were equally likely.  Usually they are not, and there are more.  It errs to
   the small side, by about the standard error, which grows as fewer blocks of
   the sample were met again.  0 = unknown. */
uint64_t margay_expect_blocks(const uint64_t *sample, size_t count, size_t run,
                              uint64_t refs);

/* On failure the part can be freed. */
enum margay_status margay_part_begin(struct margay_part *part,
                                     const struct margay_part_setup *setup,
                                     struct margay_error *error);
void margay_part_free(struct margay_part *part);

enum margay_status margay_part_feed(struct margay_part *part,
                                    const uint64_t *blocks, size_t count,
                                    struct margay_error *error);

/* There will be no more references; from now on the part can answer. */
enum margay_status margay_part_close(struct margay_part *part,
                                     struct margay_error *error);

/* A crew and closed parts of the same setup that help a part to answer; zeroed,
   there is no help. */
struct margay_part_help {
    margay_crew *crew;
    struct margay_part *parts;
    unsigned part_count;
    size_t least_share; /* 0 = MARGAY_LEAST_SHARE */
};

/* The first touches, in an array that the part owns. */
uint64_t *margay_part_touches(struct margay_part *part, size_t *count);

/* Answer a list of first touches.  Blocks that the part has are counted, by it
   or by a helper; the others, *count of them, are left in blocks[] for the part
   before. */
enum margay_status margay_part_answer(struct margay_part *part,
                                      uint64_t *blocks, size_t *count,
                                      const struct margay_part_help *help,
                                      struct margay_error *error);

/* Blocks that no later part has asked about. */
uint64_t margay_part_left(const struct margay_part *part);

/* The blocks left in the LRU stack, in a new array, the oldest first.  With
   merge=plain they include blocks that later parts have. */
enum margay_status margay_part_list(struct margay_part *part, uint64_t **blocks,
                                    uint64_t *count,
                                    struct margay_error *error);

/* After all answers and margay_part_list(): compute the counts, which can be
   done for several parts at the same time.  margay_part_end() does it
   otherwise. */
enum margay_status margay_part_finish(struct margay_part *part,
                                      struct margay_error *error);

/* Add the counts of the part to a histogram.  They are correct for all parts
   together only, as helpers count for others. */
enum margay_status margay_part_end(struct margay_part *part,
                                   margay_histogram *histogram,
                                   struct margay_error *error);

#endif
