/* select.h - where in a rank bit vector the n-th set bit is */
#ifndef MARGAY_STACKDIST_GENERATE_SELECT_H
#define MARGAY_STACKDIST_GENERATE_SELECT_H

#include "stackdist/engines/rank.h"

/* The timestamp of the set bit before which `n` are set; n < rank->live. */
uint64_t margay_rank_select(const struct margay_rank *rank, uint64_t n);

#endif
