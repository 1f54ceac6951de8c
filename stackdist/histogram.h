/* histogram.h - adding many counts at once, for the engines */
#ifndef MARGAY_STACKDIST_HISTOGRAM_H
#define MARGAY_STACKDIST_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include <margay/stackdist.h>

/*
 * Count counts[i] more references at distance `first_distance` + i, for all
 * i < n.  Zeros cost next to nothing.  Fails as margay_histogram_add() does;
 * then part of the counts may have been added.
 */
enum margay_status margay_histogram_add_counts(margay_histogram *histogram,
                                               uint64_t first_distance,
                                               const uint8_t *counts, size_t n,
                                               struct margay_error *error);

/* The references at distances from `from` to below `to`. */
uint64_t margay_histogram_between(const margay_histogram *histogram,
                                  uint64_t from, uint64_t to);

/* The same as the next, but `counts` need not have them any longer. */
enum margay_status margay_histogram_take_all(margay_histogram *histogram,
                                             margay_histogram *counts,
                                             struct margay_error *error);

/*
 * Add all counts of another histogram; bounds are not looked at.  Fails as
 * margay_histogram_add() does; then part of them may have been added.
 */
enum margay_status margay_histogram_add_all(margay_histogram *histogram,
                                            const margay_histogram *counts,
                                            struct margay_error *error);

/* `count` of the references at infinite distance, of which there are so many,
   are not counted after all. */
void margay_histogram_uncount_infinite(margay_histogram *histogram,
                                       uint64_t count);

/* A copy, bound and all, in *copy.  MARGAY_NO_MEMORY leaves *copy NULL. */
enum margay_status margay_histogram_copy(const margay_histogram *histogram,
                                         margay_histogram **copy,
                                         struct margay_error *error);

#endif
