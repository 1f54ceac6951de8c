/*
 * alias.h - random choice from a list of weights
 *
 * Algorithm: an alias table.  Each entry has a column of height 2^32, filled
 *   up to `threshold` by the entry itself and above it by one other entry, its
 *   `alias`.  A draw picks a column and a height in it, both from one 64-bit
 *   random number.
 * Source: Walker 1977; filled in the sweeping order of Huebschle-Schneider and
 *   Sanders 2022.
 * Guarantee: the weights are integers that sum to exactly the area of all
 *   columns, so no rounding error is left over.  A drawn frequency differs
 *   from the ideal one by less than 2^-32 of a column, plus the entries * 2^-64
 *   by which the choice of a column is biased.
 * Cost: one look-up for each draw, for any weights; 8 bytes per entry.
 */
#ifndef MARGAY_TRACES_BASE_ALIAS_H
#define MARGAY_TRACES_BASE_ALIAS_H

#include <margay/status.h>

#include "traces/base/random.h"

/* The most entries of a table. */
#define MARGAY_ALIAS_ENTRIES UINT32_MAX

struct margay_alias_column;

struct margay_alias {
    uint64_t entries;
    struct margay_alias_column *columns;
};

/* Scale weights, whose sum is `sum`, so that they sum to the area of the
   columns.  The first weights get the remainder of rounding; the error is
   smallest if these are the heaviest. */
void margay_alias_scale(uint64_t *weights, uint64_t entries, margay_u128 sum);

/* Make a table from scaled weights, in any order.  Fails with
   MARGAY_NO_MEMORY. */
enum margay_status margay_alias_create(struct margay_alias *alias,
                                       const uint64_t *weights,
                                       uint64_t entries,
                                       struct margay_error *error);

/* A zeroed table is fine. */
void margay_alias_destroy(struct margay_alias *alias);

/* Draw `count` entries, each by one random number, in order. */
void margay_alias_draw(const struct margay_alias *alias,
                       struct margay_random *random, uint64_t *drawn,
                       size_t count);

#endif
