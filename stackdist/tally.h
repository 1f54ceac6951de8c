/*
 * tally.h - what an engine that keeps the whole stack has counted
 *
 * A histogram, and whether blocks have fallen off the stack at its bound:
 * what finish(), peek() and adopt() of such an engine have in common.
 */
#ifndef MARGAY_STACKDIST_TALLY_H
#define MARGAY_STACKDIST_TALLY_H

#include <margay/stackdist.h>

struct margay_tally {
    margay_histogram *histogram;
    uint64_t bound; /* UINT64_MAX if there is none */
    bool exceeded;  /* a block was forgotten */
};

/* Nothing counted yet; a bound of 0 is none.  MARGAY_NO_MEMORY on failure,
   when there is nothing to be released. */
enum margay_status margay_tally_create(struct margay_tally *tally,
                                       uint64_t bound,
                                       struct margay_error *error);
void margay_tally_destroy(struct margay_tally *tally);

/* Fill in all but `nodes` of a result, with `blocks` in the stack: hand the
   histogram over, or copy it. */
void margay_tally_finish(struct margay_tally *tally, uint64_t blocks,
                         struct margay_result *result);
enum margay_status margay_tally_peek(const struct margay_tally *tally,
                                     uint64_t blocks,
                                     struct margay_result *result,
                                     struct margay_error *error);

/* Count what another engine of the same bound has. */
enum margay_status margay_tally_adopt(struct margay_tally *tally,
                                      const margay_histogram *counts,
                                      struct margay_error *error);

#endif
