/*
 * part.h - one part of a trace, analysed before its past is known
 *
 * A reference whose block was used before within the part is settled there.
 * The first touches of a part are asked about in the parts before it, from
 * the nearest to the farthest, each list of them after those of the parts in
 * between.  With a bound of B blocks, no more than the first B first touches
 * of a part need to be asked about, nor need a part answer more than B: what
 * comes later has at least B other blocks behind it.
 *
 * Source: Niu et al., "PARDA", IPDPS 2012.  merge=plain is Algorithm 3: what
 * is asked about is referenced in this part, too.  merge=space is Algorithm 4:
 * it leaves this part, so that all parts together hold each block once.  The
 * bound is Algorithm 7's, with the part that has the state of everything
 * before counting its infinite distances at once.
 */
#ifndef MARGAY_STACKDIST_PART_H
#define MARGAY_STACKDIST_PART_H

#include <margay/stackdist.h>

#include "stackdist/parallel/past.h"
#include "traces/traces_internal.h"

struct margay_engine_part;

struct margay_part {
    margay_engine *engine;                /* NULL once merged in little space */
    const struct margay_engine_part *own; /* NULL: it cannot answer itself */
    void *state;                          /* of the engine, for that */
    bool first;                           /* there is nothing before it */
    bool plain;                           /* how it answers */
    uint64_t bound;                       /* UINT64_MAX = none */
    margay_histogram *counts;             /* of references that are settled */
    uint64_t *touches;                    /* first touches, in order */
    size_t touch_count, touch_capacity;
    bool has_past;
    struct margay_past past;
    uint64_t asked;  /* first touches of later parts, up to the bound */
    uint64_t beyond; /* and beyond, which are infinite */
    bool exceeded;   /* more blocks than the bound have been seen */
};

/* How a part begins. */
struct margay_part_setup {
    const char *spec; /* of its engine */
    const struct margay_engine_options *options;
    bool first, plain;
    uint64_t refs;            /* about so many will come */
    uint64_t expected_blocks; /* and so many blocks, or more */
    /* The first part goes on from the LRU stack up to there, the oldest block
       first; others have none. */
    const uint64_t *blocks;
    uint64_t block_count;
};

/* On failure the part can be freed. */
enum margay_status margay_part_begin(struct margay_part *part,
                                     const struct margay_part_setup *setup,
                                     struct margay_error *error);
void margay_part_free(struct margay_part *part);

enum margay_status margay_part_feed(struct margay_part *part,
                                    const uint64_t *blocks, size_t count,
                                    struct margay_error *error);

/* So many immediate repeats that are not fed; only if the engine takes them. */
void margay_part_add_repeats(struct margay_part *part, uint64_t count);

/* There will be no more references; from now on the part can answer. */
enum margay_status margay_part_close(struct margay_part *part,
                                     struct margay_error *error);

/* Who can help a part to answer: a crew, and parts that have been closed, of
   the same setup.  Zeroed: nobody. */
struct margay_part_help {
    margay_crew *crew;
    struct margay_part *parts;
    unsigned part_count;
    size_t least_share; /* of a list that is worth help; 0 = as usual */
};

/* First touches for others to answer.  The array is the part's. */
uint64_t *margay_part_touches(struct margay_part *part, size_t *count);

/*
 * Answer a list of first touches.  What is settled is counted, here or by a
 * helper; what is not is left in `blocks`, *count of them, for the part
 * before.
 */
enum margay_status margay_part_answer(struct margay_part *part,
                                      uint64_t *blocks, size_t *count,
                                      const struct margay_part_help *help,
                                      struct margay_error *error);

/* Blocks that no later part has asked about. */
uint64_t margay_part_left(const struct margay_part *part);

/*
 * What is left of the LRU stack, in a new array, the oldest block first.
 * With merge=plain, blocks that later parts know are among it.
 */
enum margay_status margay_part_list(struct margay_part *part, uint64_t **blocks,
                                    uint64_t *count,
                                    struct margay_error *error);

/* When all has been answered and nothing else is wanted: what comes next, and
   can be done for several parts at the same time. */
enum margay_status margay_part_finish(struct margay_part *part,
                                      struct margay_error *error);

/*
 * After that, or instead of it: add what the part,
 * or others for it, counted.  Sums of all parts are true, not those of one.
 */
enum margay_status margay_part_end(struct margay_part *part,
                                   margay_histogram *histogram,
                                   struct margay_error *error);

#endif
