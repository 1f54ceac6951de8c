/* histogram.h - counts of many references at once, for the engines */
#ifndef MARGAY_STACKDIST_HISTOGRAM_H
#define MARGAY_STACKDIST_HISTOGRAM_H

#include <margay/stackdist.h>

/* A loop over the finite distances of a histogram, ascending, each with its
   count of references. */
#define MARGAY_EACH_COUNT(histogram, distance, count)                   \
    for (uint64_t distance = 0, count;                                  \
         margay_histogram_next(histogram, distance, &distance, &count); \
         distance++)

/* Count counts[i] more references at distance `first_distance` + i, for all i <
   n; zeros are cheap.  Fails as margay_histogram_add() does; then part of the
   counts may have been added. */
enum margay_status margay_histogram_add_counts(margay_histogram *histogram,
                                               uint64_t first_distance,
                                               const uint8_t *counts, size_t n,
                                               struct margay_error *error);

/* References at a distance. */
struct margay_histogram_row {
    uint64_t distance, references;
};

/* Make a histogram of these rows, ascending and distinct, for distances that
   lie far apart.  It takes over the array, made by malloc(), and nothing can be
   added to it.  After MARGAY_NO_MEMORY the caller still owns the array. */
enum margay_status margay_histogram_of_rows(struct margay_histogram_row *rows,
                                            size_t count, uint64_t infinite,
                                            margay_histogram **histogram,
                                            struct margay_error *error);

/* The number of references at distances in [from, to). */
uint64_t margay_histogram_between(const margay_histogram *histogram,
                                  uint64_t from, uint64_t to);

/* As margay_histogram_add_all(), but `counts` may lose its counts, which is
   faster where `histogram` is empty. */
enum margay_status margay_histogram_take_all(margay_histogram *histogram,
                                             margay_histogram *counts,
                                             struct margay_error *error);

/* Add all counts of another histogram; the bounds may differ.  Fails as
   margay_histogram_add() does; then part of them may have been added. */
enum margay_status margay_histogram_add_all(margay_histogram *histogram,
                                            const margay_histogram *counts,
                                            struct margay_error *error);

/* Subtract `count` from the references at infinite distance, of which there are
   at least as many. */
void margay_histogram_uncount_infinite(margay_histogram *histogram,
                                       uint64_t count);

/* Copy all counts and the bound to a new histogram.  MARGAY_NO_MEMORY leaves
 *copy NULL. */
enum margay_status margay_histogram_copy(const margay_histogram *histogram,
                                         margay_histogram **copy,
                                         struct margay_error *error);

#endif
