/*
 * past.h - what a part of a trace left behind: its LRU stack
 *
 * It answers the first touches of later parts: a block that is found has been
 * used once more, so the distance of that reference is how many blocks the
 * past has above it, and how many it was asked about before.  Having been
 * asked about, a block belongs to a later part and is taken out.
 *
 * Source: Niu et al., "PARDA", IPDPS 2012, Algorithm 4, with a bit vector
 * over the stack in the place of a tree.
 */
#ifndef MARGAY_STACKDIST_PAST_H
#define MARGAY_STACKDIST_PAST_H

#include "stackdist/engines/rank.h"
#include "stackdist/hash/hash.h"

struct margay_past {
    struct margay_hash places; /* block to its bit below */
    struct margay_rank stack;  /* bits of the blocks that are left, in order */
    uint64_t asked;            /* blocks asked about */
};

/* Begin with `count` blocks, oldest first.  MARGAY_NO_MEMORY on failure, when
   there is nothing to destroy. */
enum margay_status margay_past_create(struct margay_past *past,
                                      const uint64_t *blocks, uint64_t count,
                                      struct margay_error *error);
void margay_past_destroy(struct margay_past *past);

/*
 * Ask about the next first touches, in their order.  Each gets its distance,
 * or MARGAY_INFINITE if it is not here: then it is still to be asked about
 * in the past of this past.
 */
void margay_past_ask(struct margay_past *past, const uint64_t *blocks,
                     size_t count, uint64_t *distances);

/* The past.stack.live blocks that are left, oldest first. */
void margay_past_list(const struct margay_past *past, uint64_t *blocks);

#endif
