/*
 * classes_loops.h - which small caches hit; see classes.h
 *
 * What is done for each request, compiled into objects_kernel.c alone.
 */
#ifndef MARGAY_STACKDIST_OBJECTS_CLASSES_LOOPS_H
#define MARGAY_STACKDIST_OBJECTS_CLASSES_LOOPS_H

#include <string.h>

#include "stackdist/objects/classes.h"

/* ------------------------------------------------------------ candidates -- */

/* An object of this size, not 0, is used at `moment`, and was at `before`, 0
   for never. */
static inline enum margay_status margay_classes_arrive(
    struct margay_classes *classes, unsigned class, uint64_t size,
    uint64_t before, uint64_t moment, struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (classes->arrived[class] == MARGAY_CLASSES_ARRIVALS)
        status = margay_classes_settle(classes, class, error);
    classes->arrivals[MARGAY_CLASSES_ARRIVALS * class +
                      classes->arrived[class]++] =
        (struct margay_arrival){size, before, moment};
    classes->latest[class] = moment;
    return status;
}

/* The sizes of the two smallest that came after `moment`, and have not come
   with another size since. */
static inline void margay_classes_find_smallest(
    const struct margay_candidates *of, const struct margay_weights *weights,
    uint64_t moment, uint64_t smallest[2])
{
    unsigned found = 0;
    smallest[0] = smallest[1] = UINT64_MAX;
    for (size_t i = 0; i < of->count && found < 2; i++) {
        const struct margay_candidate *candidate = &of->list[i];
        if (candidate->moment > moment &&
            margay_weights_size(weights, candidate->moment) == candidate->size)
            smallest[found++] = candidate->size;
    }
}

/* ------------------------------------------------------------------ sums -- */

static inline void margay_classes_add_row(const struct margay_classes *classes,
                                          unsigned level, uint64_t row,
                                          uint64_t *sums)
{
    const uint64_t *from = classes->rows[level] + row * classes->classes;
    for (unsigned i = 0; i < classes->classes; i += 8) {
        for (unsigned k = 0; k < 8; k++)
            sums[i + k] += from[i + k];
    }
}

/* The bytes of each class that came after `moment`. */
static inline void margay_classes_sum_since(
    const struct margay_classes *classes, const struct margay_weights *weights,
    uint64_t moment, uint64_t sums[MARGAY_CLASSES_MOST])
{
    const unsigned fan = 1u << MARGAY_CLASSES_FAN;
    unsigned shift = MARGAY_CLASSES_SHIFT;
    uint64_t end = ((moment >> shift) + 1) << shift;
    memset(sums, 0, MARGAY_CLASSES_MOST * sizeof *sums);
    for (uint64_t i = moment + 1; i < end && i < weights->next; i++) {
        uint64_t size = margay_weights_size(weights, i);
        sums[margay_class_of(size)] += size;
    }
    for (unsigned level = 0; level < classes->levels; level++) {
        uint64_t row = (moment >> shift) + 1;
        uint64_t last = (weights->next - 1) >> shift;
        uint64_t stop = (row + fan - 1) & ~(uint64_t)(fan - 1);
        if (level + 1 == classes->levels || stop > last + 1)
            stop = last + 1;
        for (; row < stop; row++)
            margay_classes_add_row(classes, level, row, sums);
        shift += MARGAY_CLASSES_FAN;
    }
}

/* ----------------------------------------------------------------- marks -- */

/* How many rows of the lowest level the last rows are. */
#define LAST_ROWS 8

/*
 * The classes of caches that nothing before `moment` can be in: since then,
 * 2^(j+1) bytes or more of the classes below j have come.
 */
static inline void margay_classes_mark_since(
    const struct margay_classes *classes, const uint64_t *sums, uint64_t moment,
    uint64_t beyond[MARGAY_CLASSES_MOST])
{
    uint64_t below = 0;
    for (unsigned j = 0; j <= classes->largest; j++) {
        if (beyond[j] == 0 && below >> 1 >> j != 0)
            beyond[j] = moment;
        below += sums[j];
    }
}

/* Find the marks anew, at the present moment: of those that are not in the last
   rows, the old ones stay unless `all` are asked for. */
static inline void margay_classes_mark(struct margay_classes *classes,
                                       const struct margay_weights *weights,
                                       bool all)
{
    uint64_t sums[MARGAY_CLASSES_MOST] = {0}, beyond[MARGAY_CLASSES_MOST] = {0};
    unsigned shift = MARGAY_CLASSES_SHIFT;
    unsigned levels = all ? classes->levels : 1;
    const unsigned fan_mask = (1u << MARGAY_CLASSES_FAN) - 1;
    uint64_t row = (weights->next >> shift) + 1; /* the row after the last */
    uint64_t stop = all || row < LAST_ROWS ? 0 : row - LAST_ROWS;
    for (unsigned level = 0; level < levels; level++) {
        bool to_stop = level + 1 == levels;
        while (row > stop && (to_stop || (row & fan_mask) != 0)) {
            margay_classes_add_row(classes, level, --row, sums);
            margay_classes_mark_since(classes, sums, row << shift, beyond);
        }
        row >>= MARGAY_CLASSES_FAN;
        shift += MARGAY_CLASSES_FAN;
    }
    uint64_t least = UINT64_MAX;
    for (unsigned j = classes->largest + 1; j-- > 0;) {
        if (beyond[j] > classes->beyond[j])
            classes->beyond[j] = beyond[j];
        least = classes->beyond[j] < least ? classes->beyond[j] : least;
        classes->marks[j] = least;
    }
}

/* ------------------------------------------------------------------ hits -- */

/* The sizes in [from, to), behind those that are in the list already. */
static inline size_t margay_classes_append(struct margay_interval *intervals,
                                           size_t count, uint64_t from,
                                           uint64_t to)
{
    if (from >= to)
        return count;
    if (count > 0 && intervals[count - 1].to == from) {
        intervals[count - 1].to = to;
        return count;
    }
    intervals[count] = (struct margay_interval){from, to};
    return count + 1;
}

static inline uint64_t margay_classes_maximum(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t margay_classes_minimum(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/*
 * The classes, as bits, of the caches that may hit an object of class `own`
 * whose last use was at `moment` at a size below its distance: not beyond it,
 * and an object of this class or a larger one has come since.
 */
static inline uint64_t margay_classes_asked(
    const struct margay_classes *classes, uint64_t moment, unsigned own)
{
    uint64_t asked = 0, latest = 0;
    for (unsigned j = classes->largest + 1; j-- > own;) {
        latest = margay_classes_maximum(latest, classes->latest[j]);
        asked |= (uint64_t)(moment < latest && moment >= classes->beyond[j])
                 << j;
    }
    return asked;
}

/* Are hits below `end` of what was last used at `moment` in doubt? */
static inline bool margay_classes_doubts(const struct margay_classes *classes,
                                         uint64_t moment, uint64_t end)
{
    unsigned last = margay_class_of(end - 1);
    for (unsigned j = 0; j <= last; j++) {
        if (classes->changed[j] > moment)
            return true;
    }
    return false;
}

/*
 * The sizes of caches below `distance` of the classes `asked` that hit an
 * object of this size whose last use was at `moment`, which still counts as
 * such: writes *count intervals, ascending, to `intervals`, which has room for
 * 2 * MARGAY_CLASSES_MOST.
 */
static inline enum margay_status margay_classes_hits(
    struct margay_classes *classes, const struct margay_weights *weights,
    uint64_t moment, uint64_t size, uint64_t distance, uint64_t asked,
    struct margay_interval *intervals, size_t *count,
    struct margay_error *error)
{
    uint64_t sums[MARGAY_CLASSES_MOST];
    unsigned own = margay_class_of(size);
    uint64_t below = 0;
    enum margay_status status = MARGAY_OK;
    *count = 0;
    margay_classes_sum_since(classes, weights, moment, sums);
    for (unsigned j = 0; j < own; j++)
        below += sums[j];
    /* The sizes of class j end before `distance`, which is below 2^64. */
    for (unsigned j = own; asked >> j != 0 && distance >> j != 0; j++) {
        uint64_t first = UINT64_C(1) << j, end = distance;
        if (j < 63)
            end = margay_classes_minimum(distance, first << 1);
        bool among = j == own && size > 0;
        uint64_t held = among ? below + size : below;
        if (held < end && (asked >> j & 1) != 0) {
            uint64_t smallest[2];
            status = margay_classes_settle(classes, j, error);
            if (status != MARGAY_OK)
                return status;
            margay_classes_find_smallest(&classes->candidates[j], weights,
                                         moment, smallest);
            *count = margay_classes_append(
                intervals, *count, margay_classes_maximum(first, held),
                margay_classes_minimum(end, smallest[0]));
            if (!among && smallest[0] < end)
                *count = margay_classes_append(
                    intervals, *count, smallest[0] + below,
                    margay_classes_minimum(end, smallest[1]));
        }
        below = held + sums[j];
        if (j == 63)
            break;
    }
    return status;
}

#endif
