/* cut.h - a trace, cut where its locality changes */
#ifndef MARGAY_STACKDIST_PHASES_CUT_H
#define MARGAY_STACKDIST_PHASES_CUT_H

#include "stackdist/phases/intervals.h"

/* The fewest intervals of a piece, of a trace that has as many. */
#define LEAST_INTERVALS 4

/* Intervals that are so near show what noise is. */
#define NEAR 4

/* Miss ratios that differ by less than this, at all sizes, are the same. */
#define SAME_RATIO 0.1

/* Intervals in a row. */
struct piece {
    size_t from, to;
    size_t repeats; /* the first piece of the same miss curve, or itself */
};

struct pieces {
    size_t count;
    struct piece list[MOST];
};

/* Of intervals that have ended.  MARGAY_NO_MEMORY. */
enum margay_status margay_cut(const struct intervals *intervals,
                              struct pieces *pieces,
                              struct margay_error *error);

/* Join neighbours that are one phase, */
void margay_join(const struct intervals *intervals, struct pieces *pieces);

/* cut what is left where the blocks in use change, */
void margay_split(const struct intervals *intervals, struct pieces *pieces);

/* and find the pieces that repeat others. */
void margay_find_repeats(const struct intervals *intervals,
                         struct pieces *pieces);

#endif
