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

struct margay_part {
    margay_engine *engine;    /* NULL once merged in little space */
    bool first;               /* there is nothing before it */
    bool plain;               /* how it answers */
    uint64_t bound;           /* UINT64_MAX = none */
    margay_histogram *counts; /* of references that are settled */
    uint64_t *touches;        /* first touches, in order */
    size_t touch_count, touch_capacity;
    bool has_past;
    struct margay_past past;
    uint64_t asked; /* first touches of later parts */
    bool exceeded;  /* more blocks than the bound have been seen */
};

/*
 * Begin a part with an engine of this spec.  The first part goes on from
 * `blocks`, the LRU stack up to there, the oldest block first; others have
 * none.  On failure the part can be freed.
 */
enum margay_status margay_part_begin(
    struct margay_part *part, const char *spec,
    const struct margay_engine_options *options, bool first, bool plain,
    const uint64_t *blocks, uint64_t count, struct margay_error *error);
void margay_part_free(struct margay_part *part);

enum margay_status margay_part_feed(struct margay_part *part,
                                    const uint64_t *blocks, size_t count,
                                    struct margay_error *error);

/* There will be no more references; from now on the part can answer. */
enum margay_status margay_part_close(struct margay_part *part,
                                     struct margay_error *error);

/*
 * Answer a list of first touches.  What is settled is counted here; what is
 * not is left in `blocks`, *count of them, for the part before.
 */
enum margay_status margay_part_answer(struct margay_part *part,
                                      uint64_t *blocks, size_t *count,
                                      struct margay_error *error);

/*
 * What is left of the LRU stack, in a new array, the oldest block first.
 * With merge=plain, blocks that later parts know are among it.
 */
enum margay_status margay_part_list(struct margay_part *part, uint64_t **blocks,
                                    uint64_t *count,
                                    struct margay_error *error);

#endif
