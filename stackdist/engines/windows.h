/*
 * windows.h - how reuse times are distributed, as time goes by
 *
 * The trace is cut into windows of the same length, each with a distribution of
 * the reuse times (bars.h) of the reuses that end in it.  When there are as
 * many windows as may be, every two neighbours become one, so that their number
 * stays between half of that limit and the limit.
 */
#ifndef MARGAY_STACKDIST_WINDOWS_H
#define MARGAY_STACKDIST_WINDOWS_H

#include "stackdist/engines/bars.h"
#include "stackdist/engines/clock.h"

#define MARGAY_WINDOWS_BITS 5 /* of the bars */

struct margay_window {
    uint64_t references; /* in the window, first references included */
    uint64_t endless;    /* first references */
    size_t bars;         /* those that times so far can be in, and one more */
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

/* `most` windows at most: 1 or an even number. */
enum margay_status margay_windows_create(struct margay_windows *windows,
                                         size_t most,
                                         struct margay_error *error);
void margay_windows_destroy(struct margay_windows *windows);

enum margay_status margay_windows_feed(struct margay_windows *windows,
                                       const uint64_t *blocks, size_t count,
                                       struct margay_error *error);
/* Begin with empty windows; the times of last references stay. */
enum margay_status margay_windows_reset_counts(struct margay_windows *windows,
                                               struct margay_error *error);

uint64_t margay_windows_references(const struct margay_windows *windows);

/* Make one window of every two neighbours; an odd last one stays as it is. */
void margay_windows_join(struct margay_windows *windows);

/*
 * reach[i] of a window is the sum of P(T > j) over 0 <= j < the low end of bar
 * i, where T is the time of a reference of the window, infinite for first
 * references.  To be called at the end, and again after windows were joined.
 */
enum margay_status margay_windows_find_reach(struct margay_windows *windows,
                                             struct margay_error *error);

/*
 * After that: the expected distance of a reuse with this reuse time that ends
 * in window `index`, `position` references after its beginning.  It is the
 * number of the `time` - 1 references before the reuse that are the first to
 * their blocks among these.  References before the first window are taken to be
 * like those of the first window.
 */
double margay_windows_distance(const struct margay_windows *windows,
                               size_t index, double position, double time);

#endif
