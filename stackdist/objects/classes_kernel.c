/*
 * classes_kernel.c - the bytes of classes since a moment, and which small
 * caches hit
 *
 * Compiled once per processor level, as objects_kernel.c is.
 */
#include "stackdist/objects/classes.h"

#include <string.h>

/* ------------------------------------------------------------------ sums -- */

/* Add `count` rows, of which this is the first. */
static void add_rows(const struct margay_classes *classes, const uint64_t *rows,
                     uint64_t count, uint64_t *sums)
{
    for (unsigned i = 0; i < classes->classes; i += MARGAY_LANES) {
        margay_lanes sum = *(margay_lanes *)(sums + i);
        for (uint64_t k = 0; k < count; k++)
            sum += *(const margay_lanes *)(rows + k * classes->classes + i);
        *(margay_lanes *)(sums + i) = sum;
    }
}

/* The bytes of each class that came after `moment`: of its own row, what came
   up to then is taken off where that is less. */
static void sum_since(const struct margay_classes *classes,
                      const struct margay_weights *weights, uint64_t moment,
                      uint64_t sums[MARGAY_CLASSES_MOST])
{
    const unsigned fan = 1u << MARGAY_CLASSES_FAN;
    unsigned shift = MARGAY_CLASSES_SHIFT;
    uint64_t own = moment >> shift, from = moment + 1, sign = 0;
    uint64_t to = margay_minimum((own + 1) << shift, weights->next);
    memset(sums, 0, MARGAY_CLASSES_MOST * sizeof *sums);
    if (from - (own << shift) < to - from) {
        add_rows(classes, classes->rows[0] + own * classes->classes, 1, sums);
        to = from;
        from = own << shift;
        sign = UINT64_MAX;
    }
    /* Where objects of size 0 alone came in the last rows, that one is before
       these, and maybe before `moment`. */
    if (own + (sign == 0) <= classes->row)
        add_rows(classes, classes->last, 1, sums);
    for (; from < to; from++) {
        uint64_t size = margay_weights_size(weights, from);
        sums[margay_class_of(size)] += (size ^ sign) - sign;
    }
    for (unsigned level = 0; level < classes->levels; level++) {
        uint64_t row = (moment >> shift) + 1;
        uint64_t last = (weights->next - 1) >> shift;
        uint64_t stop = (row + fan - 1) & ~(uint64_t)(fan - 1);
        if (level + 1 == classes->levels || stop > last + 1)
            stop = last + 1;
        if (row < stop)
            add_rows(classes, classes->rows[level] + row * classes->classes,
                     stop - row, sums);
        shift += MARGAY_CLASSES_FAN;
    }
}

/* ----------------------------------------------------------------- marks -- */

void margay_classes_mark(struct margay_classes *classes,
                         const struct margay_weights *weights, uint64_t reach)
{
    uint64_t sums[MARGAY_CLASSES_MOST], least = 1u << MARGAY_CLASSES_SHIFT;
    for (uint64_t back = least; back <= reach && back < weights->next;
         back *= 2) {
        uint64_t row_end = (weights->next - back) | (least - 1), below = 0;
        sum_since(classes, weights, row_end, sums);
        for (unsigned j = 0; j <= classes->largest; j++) {
            if (below >> 1 >> j != 0 && classes->beyond[j] <= row_end)
                classes->beyond[j] = row_end + 1;
            below += sums[j];
        }
    }
    margay_classes_set_marks(classes);
}

/* ------------------------------------------------------------------ hits -- */

/* The sizes in [from, to), after those that are in the list already. */
static size_t append(struct margay_interval *intervals, size_t count,
                     uint64_t from, uint64_t to)
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

/* The sizes of the two smallest of a class that came after `moment`, and have
   not come with another size since. */
static void find_smallest(const struct margay_classes *classes,
                          const struct margay_weights *weights, unsigned class,
                          uint64_t moment, uint64_t smallest[2])
{
    const struct margay_candidates *of = &classes->candidates[class];
    const struct margay_arrival *arrivals =
        classes->arrivals + MARGAY_CLASSES_ARRIVALS * class;
    unsigned arrived = classes->arrived[class];
    smallest[0] = smallest[1] = UINT64_MAX;
    while (arrived-- > 0 && arrivals[arrived].moment > moment)
        margay_classes_pass(weights, arrivals[arrived].moment,
                            arrivals[arrived].size, smallest);
    for (size_t i = 0; i < of->count && of->list[i].size < smallest[1]; i++) {
        if (of->list[i].moment > moment)
            margay_classes_pass(weights, of->list[i].moment, of->list[i].size,
                                smallest);
    }
}

size_t margay_classes_hits(struct margay_classes *classes,
                           const struct margay_weights *weights,
                           uint64_t moment, uint64_t size, uint64_t distance,
                           struct margay_interval *intervals)
{
    uint64_t sums[MARGAY_CLASSES_MOST], below = 0;
    unsigned own = margay_class_of(size), end = classes->largest + 1;
    size_t count = 0;
    /* Has an object of this class or a larger one come since, and is a smaller
       one's cache not beyond it? */
    while (end > own && classes->latest[end - 1] <= moment)
        end--;
    while (end > own && classes->beyond[end - 1] > moment)
        end--;
    if (end <= own)
        return 0;
    sum_since(classes, weights, moment, sums);
    for (unsigned j = 0; j < own; j++)
        below += sums[j];
    /* The sizes of class j end before `distance`, which is below 2^64. */
    for (unsigned j = own; j < end && distance >> j != 0; j++) {
        uint64_t first = UINT64_C(1) << j;
        uint64_t to = j < 63 ? margay_minimum(distance, first << 1) : distance;
        bool among = j == own && size > 0;
        uint64_t held = among ? below + size : below;
        if (held < to && classes->beyond[j] <= moment) {
            uint64_t smallest[2];
            find_smallest(classes, weights, j, moment, smallest);
            count = append(intervals, count, margay_maximum(first, held),
                           margay_minimum(to, smallest[0]));
            if (!among && smallest[0] < to)
                count = append(intervals, count, smallest[0] + below,
                               margay_minimum(to, smallest[1]));
        }
        if (below >> 1 >> j != 0 && classes->beyond[j] <= moment)
            classes->beyond[j] = moment;
        below = held + sums[j];
    }
    return count;
}
