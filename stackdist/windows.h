/*
 * windows.h - how reuse times are distributed, as time goes by
 *
 * The references of a trace fall into windows of the same length, one after
 * the other, with a distribution of reuse times each (bars.h): those of the
 * reuses that end there.  When there are as many windows as there may be,
 * neighbours are joined, so their number stays between half of that and all.
 */
#ifndef MARGAY_STACKDIST_WINDOWS_H
#define MARGAY_STACKDIST_WINDOWS_H

#include "stackdist/bars.h"
#include "stackdist/clock.h"

#define MARGAY_WINDOWS_BITS 5 /* of the bars */

struct margay_window {
    uint64_t references; /* in it, first ones and all */
    uint64_t endless;    /* first references */
    size_t bars;         /* that times so far can be in, and one more */
    uint64_t *counts;    /* reuses, by bar of their time */
    double *times;       /* the sums of their times */
    double *reach;       /* margay_windows_find_reach() */
};

struct margay_windows {
    struct margay_clock clock;
    struct margay_window *list; /* the last one is not yet full */
    size_t count, most;
    uint64_t length; /* references of a full window */
};

/* At most so many windows, 1 or an even number. */
enum margay_status margay_windows_create(struct margay_windows *windows,
                                         size_t most,
                                         struct margay_error *error);
void margay_windows_destroy(struct margay_windows *windows);

enum margay_status margay_windows_feed(struct margay_windows *windows,
                                       const uint64_t *blocks, size_t count,
                                       struct margay_error *error);
/* Begin with windows anew; times go on. */
enum margay_status margay_windows_reset_counts(struct margay_windows *windows,
                                               struct margay_error *error);

uint64_t margay_windows_references(const struct margay_windows *windows);

/* Make one window of every two; an odd last one stays as it is. */
void margay_windows_join(struct margay_windows *windows);

/*
 * reach[i] of a window is the sum of P(T > j) over 0 <= j < the low end of bar
 * i, T being the times of its references, first ones never ending.  To be
 * found when all has been fed, and again after windows were joined.
 */
enum margay_status margay_windows_find_reach(struct margay_windows *windows,
                                             struct margay_error *error);

/*
 * After that: of `time` - 1 references before a reuse that ends at a place
 * within window `index`, `place` references after its beginning, how many are
 * the first to their blocks among those?  That is the expected distance.
 * References before the first window are taken to be like its own.
 */
double margay_windows_distance(const struct margay_windows *windows,
                               size_t index, double place, double time);

#endif
