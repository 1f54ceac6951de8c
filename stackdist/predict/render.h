/* render.h - real shares at real distances as a histogram of counts */
#ifndef MARGAY_STACKDIST_PREDICT_RENDER_H
#define MARGAY_STACKDIST_PREDICT_RENDER_H

#include <stddef.h>

#include <margay/stackdist.h>

/* The most references of a prediction: doubles count them exactly. */
#define MARGAY_MOST_PREDICTED (UINT64_C(1) << 53)

/* The most groups of reference bins. */
#define MARGAY_MOST_GROUPS 65536

/* The number of log2 bins: 0, [1, 2), ... [2^55, 2^56). */
#define MARGAY_LOG2_BINS 57

struct margay_dot {
    uint64_t distance;
    double share;
};

/* Shares at distances; zeroed at the beginning. */
struct margay_plot {
    struct margay_dot *dots; /* owned */
    size_t count, capacity;
};

/*
 * Spread a share evenly over the distances from `least` to `most`, rounded;
 * over some of them where they are many.  Distances below 0 become 0.  Fails
 * with MARGAY_BAD_ARGUMENT for distances of 2^56 and more, or
 * MARGAY_NO_MEMORY.
 */
enum margay_status margay_plot_add(struct margay_plot *plot, double least,
                                   double most, double share,
                                   struct margay_error *error);

/*
 * A new histogram: `references` in all, `cold` of these at infinite distance,
 * the others by their shares, rounded so that any sum of neighbours is off by
 * less than 1.  Fails with MARGAY_NO_MEMORY.
 */
enum margay_status margay_plot_draw(struct margay_plot *plot,
                                    uint64_t references, uint64_t cold,
                                    margay_histogram **histogram,
                                    struct margay_error *error);

void margay_plot_clear(struct margay_plot *plot);

/* The shares of log2 bins of the finite distances, which there are. */
void margay_log2_shares(const margay_histogram *histogram,
                        double shares[MARGAY_LOG2_BINS]);

#endif
