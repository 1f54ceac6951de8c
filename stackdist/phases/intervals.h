/*
 * intervals.h - what is known of each interval of a trace: its reuse distances,
 * and in which interval its blocks were last used
 *
 * Intervals are as long as a power of two of references.  Where there would be
 * too many, each two become one.
 */
#ifndef MARGAY_STACKDIST_PHASES_INTERVALS_H
#define MARGAY_STACKDIST_PHASES_INTERVALS_H

#include <margay/phases.h>

#define MOST MARGAY_MOST_INTERVALS

/* Distances below 8 have a bin each, and each octave from there on has 8. */
#define BINS_PER_OCTAVE 8
#define BINS            432 /* all distances below 2^56 */

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

/* MARGAY_NO_MEMORY; to be cleared in any case. */
enum margay_status margay_intervals_make(struct intervals *intervals,
                                         struct margay_error *error);
void margay_intervals_clear(struct intervals *intervals);

/* Count the next reference, whose block was last used `time` references ago; 0
   and an infinite distance if it was never. */
void margay_intervals_count(struct intervals *intervals, uint64_t distance,
                            uint64_t time);

void margay_intervals_end(struct intervals *intervals);

/* ---- After that, of intervals [from, to) ---- */

/* The number of bins at whose lower ends the caches are that curves are known
   of: 1 to this one, without it; beyond, only first references miss. */
size_t margay_intervals_bins(const struct intervals *intervals);

/* The smallest distance of a bin. */
uint64_t margay_bin_from(size_t bin);

uint64_t margay_intervals_refs(const struct intervals *intervals, size_t from,
                               size_t to);

/* The distinct blocks in use, */
uint64_t margay_intervals_blocks(const struct intervals *intervals, size_t from,
                                 size_t to);

/* and those both in [from, between) and in [between, to). */
uint64_t margay_intervals_shared(const struct intervals *intervals, size_t from,
                                 size_t between, size_t to);

/* misses[bin] becomes the misses in a cache of margay_bin_from(bin) blocks. */
void margay_intervals_misses(const struct intervals *intervals, size_t from,
                             size_t to, uint64_t misses[BINS]);

#endif
