/*
 * front.h - which references are to the top of the LRU stack
 *
 * Whatever is fast for the depth: near.h, or for a deep front the exact engine
 * with a bound.  References that leave the stack as it was are not fed, but
 * counted.
 */
#ifndef MARGAY_STACKDIST_ENGINES_FRONT_H
#define MARGAY_STACKDIST_ENGINES_FRONT_H

#include "stackdist/engines/near.h"

#include <margay/stackdist.h>

/* References per call, at most. */
#define MARGAY_FRONT_REFS 4096

struct margay_front {
    struct margay_near *near; /* or NULL, and: */
    margay_engine *engine;
    const struct margay_near_kernel *kernel;
    uint64_t blocks;  /* its depth */
    uint64_t hits[2]; /* that are not fed, by distance */
    uint64_t top[2];  /* of the stack, the latest block first, */
    unsigned tops;    /* as far as there are any */
};

enum margay_status margay_front_create(uint64_t blocks,
                                       struct margay_front *front,
                                       struct margay_error *error);
void margay_front_destroy(struct margay_front *front);
void margay_front_reset_counts(struct margay_front *front);

/* Copy to kept[], which has room for MARGAY_NEAR_SPARE more than `count`, all
   but those that are counted at once; returns how many. */
size_t margay_front_condense(struct margay_front *front, const uint64_t *blocks,
                             size_t count, uint64_t *kept);

/* Refer to `count` <= MARGAY_FRONT_REFS blocks, none like the one before.
   beyond[] receives the places of those that are further down than the front,
   *found of them. */
enum margay_status margay_front_refer(struct margay_front *front,
                                      const uint64_t *blocks, size_t count,
                                      uint16_t *beyond, size_t *found,
                                      struct margay_error *error);

/*
 * Once, at the end: a new histogram of all that was counted, what is beyond
 * being infinite; and how many blocks there were, if not more than `blocks`,
 * else that and one.
 */
enum margay_status margay_front_finish(struct margay_front *front,
                                       margay_histogram **histogram,
                                       uint64_t *distinct,
                                       struct margay_error *error);

#endif
