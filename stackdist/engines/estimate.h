/*
 * estimate.h - from real-valued estimates to results
 *
 * An engine that estimates computes fractions of references.  Its result counts
 * whole references, which sum to all that it was fed.
 */
#ifndef MARGAY_STACKDIST_ESTIMATE_H
#define MARGAY_STACKDIST_ESTIMATE_H

#include <margay/stackdist.h>

#include "traces/traces_internal.h"

/* Bars of a histogram that keep their relative width: values below 2^(bits + 1)
   have a bar each; from there on every octave has 2^bits bars.  A bar so gives
   its values to 1 part in 2^bits, and the number of bars does not depend on the
   values. */

/* An upper limit on the number of bars. */
#define MARGAY_BARS(bits) ((size_t)(66 - (bits)) << (bits))

static inline size_t margay_bar_of(uint64_t value, unsigned bits)
{
    if (value >> (bits + 1) == 0)
        return (size_t)value;
    unsigned shift = margay_log2_floor(value) - bits;
    return ((size_t)shift << bits) + (size_t)(value >> shift);
}

/* The least value of a bar; its end is the least value of the next. */
static inline uint64_t margay_bar_low(size_t bar, unsigned bits)
{
    size_t octave = bar >> bits;
    if (octave <= 1)
        return bar;
    uint64_t mantissa =
        (bar & (((size_t)1 << bits) - 1)) + (UINT64_C(1) << bits);
    return octave - 1 + bits >= 64 ? UINT64_MAX : mantissa << (octave - 1);
}

/* Rounds masses at ascending distances to counts.  A count is the rounded sum
   of the masses so far less the counts so far, so that every sum of
   neighbouring counts is off by less than 1. */
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

/* Count the references that are left as infinite and hand the histogram over;
   if `status` is a failure, free it instead and return `status`. */
enum margay_status margay_rounder_end(struct margay_rounder *rounder,
                                      enum margay_status status,
                                      margay_histogram **histogram,
                                      struct margay_error *error);

/* A point of a curve before it is rounded. */
struct margay_real_point {
    double cache_blocks, misses;
};

/* Fill in the curve of *result, whose references and infinite are known, from
   `count` points with sizes ascending and misses descending.  Sizes up to 1024
   get a point each, then 512 per octave.  MARGAY_NO_MEMORY on failure. */
enum margay_status margay_estimate_curve(const struct margay_real_point *real,
                                         size_t count,
                                         struct margay_result *result,
                                         struct margay_error *error);

#endif
