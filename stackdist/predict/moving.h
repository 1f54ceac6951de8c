/* moving.h - bins whose contents move */
#ifndef MARGAY_STACKDIST_PREDICT_MOVING_H
#define MARGAY_STACKDIST_PREDICT_MOVING_H

#include <stddef.h>

#include "stackdist/predict/forms.h"

/* Real distances in [from, to). */
struct margay_interval {
    double from, to;
};

/* The part of what is spread evenly over `moved` that lies in `bin`. */
double margay_overlap(struct margay_interval moved, struct margay_interval bin);

/* Neighbouring bins from 0 on: bin i is [edges[i], edges[i + 1]). */
struct margay_edges {
    double *edges; /* owned; count + 1 of them */
    size_t count;
};

/*
 * Bins of the kind given through `farthest`; without a kind (NULL), half
 * octaves.  Reference bins begin where the bars of `form` do, and are half
 * octaves beyond them.  MARGAY_NO_MEMORY on failure.
 */
enum margay_status margay_edges_make(const struct margay_bins *kind,
                                     const struct margay_form *form,
                                     uint64_t farthest,
                                     struct margay_edges *edges,
                                     struct margay_error *error);
void margay_edges_clear(struct margay_edges *edges);

/* Add `share`, spread evenly over the interval, to bins at a stride. */
void margay_edges_add(const struct margay_edges *edges,
                      struct margay_interval moved, double share, double *bins,
                      size_t stride);

/* The shares of a histogram's finite references, which there are. */
void margay_edges_count(const struct margay_edges *edges,
                        const margay_histogram *histogram, double *bins);

#endif
