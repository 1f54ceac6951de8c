/*
 * laws.h - how the distance of one group of references grows with the size
 *
 * The references of each run, in the order of their distances, are cut into P
 * groups of equal mass.  Group g of one run is taken to be group g of every
 * other, so its mean distance is a function of the size, of which each run
 * gives a point.
 *
 * Source: Zhong, Shen, Ding, ACM TOPLAS 31(6), 2009, sections 3.2, 3.3.
 */
#ifndef MARGAY_STACKDIST_PREDICT_LAWS_H
#define MARGAY_STACKDIST_PREDICT_LAWS_H

#include <stddef.h>

#include "stackdist/predict/forms.h"
#include "stackdist/predict/model.h"

/* A distance as a function of the size: base + slope f(s). */
struct margay_law {
    enum margay_growth growth;
    double base, slope;
    double error; /* by which it was chosen */
};

/* The means of one group in all runs, in the order of their sizes. */
struct margay_points {
    const double *sizes;
    const double *distances;
    size_t count;
};

/* The reference histograms of all runs, and room for a group's points. */
struct margay_groups {
    struct margay_form *forms;
    size_t run_count, count;
    double *sizes, *distances;
};

/* Cut the runs into `most` groups, or fewer where a run has fewer references.
   MARGAY_NO_MEMORY on failure, with nothing to release. */
enum margay_status margay_groups_make(struct margay_groups *groups,
                                      const struct margay_run *runs,
                                      size_t count, uint64_t most,
                                      struct margay_error *error);
void margay_groups_clear(struct margay_groups *groups);

/* The points of one group, until those of another are asked for. */
struct margay_points margay_points_of(const struct margay_groups *groups,
                                      size_t group);

/*
 * Choose the law of a group.  *fit_error, unless NULL, receives the error of
 * the pattern that fits best, even if it is not taken because none fits well.
 * `plain`: as published.
 */
struct margay_law margay_law_choose(const struct margay_points *points,
                                    const struct margay_patterns *patterns,
                                    bool plain, double *fit_error);

#endif
