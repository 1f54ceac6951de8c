/*
 * past.h - what a part of a trace left behind: its LRU stack
 *
 * It answers the first touches of later parts.  The distance of a first touch
 * is the number of blocks above its block here, and of those asked about
 * before.  A block that was asked about belongs to a later part and is taken
 * out.
 *
 * Source: Niu et al., "PARDA", IPDPS 2012, Algorithm 4, with a bit vector
 * over the stack in the place of a tree.
 */
#ifndef MARGAY_STACKDIST_PAST_H
#define MARGAY_STACKDIST_PAST_H

#include "stackdist/exact/hash.h"
#include "stackdist/exact/rank.h"

struct margay_past {
    struct margay_hash bits;  /* block to its timestamp in the stack */
    struct margay_rank stack; /* the blocks that are left, in order */
    uint64_t asked;           /* blocks asked about */
};

/* Begin with `count` blocks, oldest first.  MARGAY_NO_MEMORY on failure, when
   there is nothing to destroy. */
enum margay_status margay_past_create(struct margay_past *past,
                                      const uint64_t *blocks, uint64_t count,
                                      struct margay_error *error);
void margay_past_destroy(struct margay_past *past);

/*
 * Ask about the next first touches, in their order.  Each gets its distance, or
 * MARGAY_INFINITE if its block is not here: an earlier part may have it.
 */
void margay_past_ask(struct margay_past *past, const uint64_t *blocks,
                     size_t count, uint64_t *distances);

/* The past.stack.live blocks that are left, oldest first. */
void margay_past_list(const struct margay_past *past, uint64_t *blocks);

#endif
