/*
 * forms.h - a histogram of finite distances as bars that are learnt from
 *
 * A distance histogram has a bar for each bin of distances, in which the share
 * of references varies from run to run; a reference histogram has a bar for
 * each of P groups of equal mass, in which the distance does.
 *
 * Source: Zhong, Shen, Ding, "Program locality analysis using reuse distance",
 * ACM TOPLAS 31(6), 2009, section 3.1.
 */
#ifndef MARGAY_STACKDIST_PREDICT_FORMS_H
#define MARGAY_STACKDIST_PREDICT_FORMS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <margay/stackdist.h>

/* The most grains of a bar. */
#define MARGAY_MOST_GRAINS 32

/* References at neighbouring distances. */
struct margay_grain {
    double share; /* of all references at finite distances */
    double least, most;
};

struct margay_bar {
    uint64_t from, to;        /* the bin: distances in [from, to) */
    double share;             /* of the references at finite distances */
    double mean, least, most; /* of the distances that occur */
    size_t first_grain, grain_count;
};

struct margay_form {
    struct margay_bar *bars; /* owned; empty bins have none */
    size_t count;
    struct margay_grain *grains; /* owned; those of a bar in a row */
    size_t grain_count;
};

/* The number of references at finite distances. */
uint64_t margay_finite_references(const margay_histogram *histogram);

/*
 * The bars of a histogram that has finite distances, neighbours joined two by
 * two until there are at most `most_bars`, unless that is 0.  The grains of a
 * bar are its distances, or groups of equal mass where these are too many.
 * MARGAY_NO_MEMORY on failure, with nothing to release.
 */
enum margay_status margay_form_make(const margay_histogram *histogram,
                                    const struct margay_bins *bins,
                                    size_t most_bars, struct margay_form *form,
                                    struct margay_error *error);

/* Release what a form owns; a zeroed or cleared form owns nothing. */
void margay_form_clear(struct margay_form *form);

/* --------------------------------------------------- bins whose contents move
 * -- */

/* Real distances in [from, to). */
struct margay_interval {
    double from, to;
};

/* The share of `moved`, evenly spread, that is in `bin`. */
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
