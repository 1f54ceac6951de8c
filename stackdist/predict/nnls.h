/* nnls.h - least squares whose unknowns are not negative */
#ifndef MARGAY_STACKDIST_PREDICT_NNLS_H
#define MARGAY_STACKDIST_PREDICT_NNLS_H

#include <stddef.h>

#include <margay/status.h>

/*
 * Find x >= 0 with the least |A x - b|, for a matrix of `rows` rows and
 * `columns` columns, row after row in `matrix`; all numbers are finite.  x has
 * room for `columns` numbers.
 *
 * Where many x do equally well (columns that depend on each other), the one
 * found depends on nothing but the numbers given.  MARGAY_NO_MEMORY on
 * failure.
 */
enum margay_status margay_nnls(const double *matrix, const double *b,
                               size_t rows, size_t columns, double *x,
                               struct margay_error *error);

#endif
