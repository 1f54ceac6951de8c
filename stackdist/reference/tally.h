/*
 * tally.h - the counts of engines that keep the whole stack
 *
 * A histogram, how many blocks the stack has, and whether blocks have fallen
 * off it at its bound.  An engine's state that begins with a tally can have
 * these functions as those of its class; the engine keeps `blocks` true.
 */
#ifndef MARGAY_STACKDIST_TALLY_H
#define MARGAY_STACKDIST_TALLY_H

#include <margay/stackdist.h>

struct margay_tally {
    margay_histogram *histogram;
    uint64_t blocks; /* in the stack */
    uint64_t bound;  /* UINT64_MAX if there is none */
    bool exceeded;   /* a block was forgotten */
    bool has_nodes;  /* the stack is an ordered structure, a node per block */
};

/* Begin with no counts; a bound of 0 is none.  MARGAY_NO_MEMORY on failure,
   when there is nothing to release. */
enum margay_status margay_tally_create(struct margay_tally *tally,
                                       uint64_t bound,
                                       struct margay_error *error);
void margay_tally_destroy(struct margay_tally *tally);

/* Members of struct margay_engine_class; peek() is finish(), too. */
void margay_tally_reset_counts(void *state);
enum margay_status margay_tally_peek(void *state, struct margay_result *result,
                                     struct margay_error *error);
enum margay_status margay_tally_adopt(void *state,
                                      const margay_histogram *counts,
                                      struct margay_error *error);

#endif
