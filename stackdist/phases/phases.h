/*
 * phases.h - the intervals of a trace, and its pieces
 *
 * For each interval, the reuse distances are known, and the intervals in which
 * its blocks were last used.  Intervals are as long as a power of two of
 * references.  Where there would be too many, each two become one.
 */
#ifndef MARGAY_STACKDIST_PHASES_PHASES_H
#define MARGAY_STACKDIST_PHASES_PHASES_H

#include "stackdist/engines/clock.h"
#include "stackdist/engines/estimate.h"
#include <margay/phases.h>

#define MOST MARGAY_MOST_INTERVALS

/* Bins of distances are bars (estimate.h), 8 an octave. */
#define BIN_BITS 3
#define BINS     432 /* all distances below 2^56 */

struct intervals {
    unsigned shift; /* 2^shift references each */
    size_t count;
    uint64_t references;
    uint64_t largest; /* the largest finite distance */
    /* misses[i][b]: the references of interval i with a distance in bin b; once
       ended, those with a distance from this bin on, infinite ones included. */
    uint64_t (*misses)[BINS];
    /* reuses[i][j]: the references of interval i whose block was last used in
       interval j; once ended, last used before interval j, or never. */
    uint64_t (*reuses)[MOST + 1];
    uint64_t *firsts; /* first references */
};

/* The fewest intervals of a piece, of a trace that has as many. */
#define LEAST_INTERVALS 4

/* Intervals that are so near show the noise. */
#define NEAR 4

/* Intervals in a row. */
struct piece {
    size_t from, to;
    size_t repeats; /* the first piece of the same miss curve, or itself */
};

struct pieces {
    size_t count;
    struct piece list[MOST];
};

struct margay_phases {
    margay_engine *engine;
    struct margay_clock clock;
    struct intervals intervals;
    struct pieces pieces;
    uint64_t *distances; /* of the references of a call, up to AT_ONCE */
};

/* ---- Once all have ended, of intervals [from, to) ---- */

/* Curves are known for caches of the sizes at which bins 1 to this one,
   exclusive, begin; beyond, only first references miss. */
size_t margay_intervals_bins(const struct intervals *intervals);

uint64_t margay_intervals_refs(const struct intervals *intervals, size_t from,
                               size_t to);

/* The distinct blocks in use, */
uint64_t margay_intervals_blocks(const struct intervals *intervals, size_t from,
                                 size_t to);

/* and those both in [from, between) and in [between, to). */
uint64_t margay_intervals_shared(const struct intervals *intervals, size_t from,
                                 size_t between, size_t to);

/* misses[bin] becomes the misses in a cache of the size at which the bin
   begins. */
void margay_intervals_misses(const struct intervals *intervals, size_t from,
                             size_t to, uint64_t misses[BINS]);

/* Cut the trace where its locality changes: where the miss curve does first,
   but neighbours that are one phase stay together; then where the blocks in use
   change.  Find the pieces that repeat others.  MARGAY_NO_MEMORY. */
enum margay_status margay_cut(const struct intervals *intervals,
                              struct pieces *pieces,
                              struct margay_error *error);

#endif
