/*
 * estimate.h - from real-valued estimates to results
 *
 * An engine that estimates computes fractions of references.  Its result counts
 * whole references, which sum to all that it was fed.
 */
#ifndef MARGAY_STACKDIST_ESTIMATE_H
#define MARGAY_STACKDIST_ESTIMATE_H

#include <margay/stackdist.h>

/*
 * Rounds masses at ascending distances to counts.  A count is the rounded sum
 * of the masses so far less the counts so far, so that every sum of
 * neighbouring counts is off by less than 1.
 */
struct margay_rounder {
    margay_histogram *histogram;
    uint64_t references; /* the sum of all counts */
    double total;        /* the sum of all masses, the infinite ones included */
    double mass;         /* the sum of the masses so far */
    uint64_t counted;    /* the sum of the counts so far */
};

/* A new histogram for `references`; *rounder needs no release. */
enum margay_status margay_rounder_begin(struct margay_rounder *rounder,
                                        uint64_t references, double total,
                                        struct margay_error *error);

/* Add a mass, which may be negative as long as sums are not. */
enum margay_status margay_rounder_add(struct margay_rounder *rounder,
                                      uint64_t distance, double mass,
                                      struct margay_error *error);

/*
 * Count the references that are left as infinite and hand the histogram over;
 * if `status` is a failure, free it instead and return `status`.
 */
enum margay_status margay_rounder_end(struct margay_rounder *rounder,
                                      enum margay_status status,
                                      margay_histogram **histogram,
                                      struct margay_error *error);

/* A point of a curve before it is rounded. */
struct margay_real_point {
    double cache_blocks, misses;
};

/*
 * Fill in the curve of *result, whose references and infinite are known, from
 * `count` points with sizes ascending and misses descending.  Sizes up to 1024
 * get a point each, then 512 per octave.  MARGAY_NO_MEMORY on failure.
 */
enum margay_status margay_estimate_curve(const struct margay_real_point *real,
                                         size_t count,
                                         struct margay_result *result,
                                         struct margay_error *error);

#endif
