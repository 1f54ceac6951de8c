/*
 * front.h - which references are to the top of the LRU stack
 *
 * The front is the newest `blocks` blocks: near.h keeps up to 1536, and the
 * exact engine with a bound keeps more.  References that leave the stack as it
 * was are counted without feeding them.
 */
#ifndef MARGAY_STACKDIST_EXACT_FRONT_H
#define MARGAY_STACKDIST_EXACT_FRONT_H

#include "stackdist/exact/near.h"

#include <margay/stackdist.h>

/* References per call, at most. */
#define MARGAY_FRONT_REFS 4096

struct margay_front {
    struct margay_near *near; /* NULL where `engine` is used */
    margay_engine *engine;
    const struct margay_near_kernel *kernel;
    uint64_t blocks;  /* the most blocks of the front */
    uint64_t hits[2]; /* references that were not fed, by distance */
    uint64_t top[2];  /* the two top blocks of the stack, the latest first */
    unsigned tops;    /* how many of these there are */
};

enum margay_status margay_front_create(uint64_t blocks,
                                       struct margay_front *front,
                                       struct margay_error *error);
void margay_front_destroy(struct margay_front *front);
void margay_front_reset_counts(struct margay_front *front);

/* Copy all references but those that leave the stack as it was, which are
   counted, to kept[], an array of count + MARGAY_NEAR_SPARE; returns how many.
 */
size_t margay_front_condense(struct margay_front *front, const uint64_t *blocks,
                             size_t count, uint64_t *kept);

/* Refer to `count` <= MARGAY_FRONT_REFS blocks, none like the one before.
   beyond[] receives the indices of those that are not in the front, *found of
   them. */
enum margay_status margay_front_refer(struct margay_front *front,
                                      const uint64_t *blocks, size_t count,
                                      uint16_t *beyond, size_t *found,
                                      struct margay_error *error);

/*
 * Once, at the end: a new histogram of all references, where those beyond the
 * front are infinite; and the number of distinct blocks, or `blocks` + 1 if
 * there were more than `blocks`.
 */
enum margay_status margay_front_finish(struct margay_front *front,
                                       margay_histogram **histogram,
                                       uint64_t *distinct,
                                       struct margay_error *error);

#endif
