/*
 * alias.h - drawing from a list of weights, in constant time
 *
 * An alias table (Walker 1977).  Each entry has a column of height 2^32,
 * filled up to `threshold` by the entry itself and above it by one other, its
 * `alias`; a draw picks a column and a height in it, both from one 64-bit
 * random number, so that it costs one look-up whatever the number of entries
 * and their weights.
 *
 * The weights are integers that sum to exactly the area of all columns, so
 * that filling them (in the sweeping order of Huebschle-Schneider and Sanders
 * 2022) leaves no remainder to be swept under a rounding error.  A drawn
 * frequency differs from the ideal one by less than 2^-32 of a column, plus
 * the entries * 2^-64 that a column's choice is biased by.
 */
#ifndef MARGAY_TRACES_BASE_ALIAS_H
#define MARGAY_TRACES_BASE_ALIAS_H

#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

#include "traces/base/random.h"

__extension__ typedef unsigned __int128 margay_u128;

#define MARGAY_ALIAS_ENTRIES UINT32_MAX /* at most */

struct margay_alias_column;

struct margay_alias {
    uint64_t entries;
    struct margay_alias_column *columns;
};

/* Scale weights so that `sum`, which is theirs, becomes the area of the
   columns.  What rounding leaves over goes to the first of them, so these had
   best be the heaviest. */
void margay_alias_scale(uint64_t *weights, uint64_t entries, margay_u128 sum);

/* Make a table from weights scaled so, in whatever order.  MARGAY_NO_MEMORY. */
enum margay_status margay_alias_create(struct margay_alias *alias,
                                       const uint64_t *weights,
                                       uint64_t entries,
                                       struct margay_error *error);

/* A zeroed one is fine. */
void margay_alias_destroy(struct margay_alias *alias);

/* Draw `count` entries; one random number each, in order. */
void margay_alias_draw(const struct margay_alias *alias,
                       struct margay_random *random, uint64_t *drawn,
                       size_t count);

#endif
