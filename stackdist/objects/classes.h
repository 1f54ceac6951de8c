/*
 * classes.h - caches smaller than the largest object
 *
 * Algorithm: a cache of C bytes is bypassed by objects larger than C, so it
 *   hits a reference to y iff C >= size(y) and the bytes f(C) of the objects of
 *   size <= C that were used since y, y included, are at most C.  Where no
 *   larger object came in between f(C) is the byte distance D, and C >= D hits
 *   always.  Below D: let class j hold the sizes in [2^j, 2^(j+1)), C be in
 *   that range, and B the bytes of the classes below j.  Two objects of class j
 *   do not fit into C.  So with a <= b, the two smallest of class j that came
 *   since y, C hits iff B <= C < a, or a + B <= C < b, y counting in B; and
 *   where y is of class j itself, iff B + size(y) <= C < a.  The sizes that hit
 *   are a few intervals, two for each class at most, found exactly for every
 *   grid.
 *
 *   B is a sum, over the moments since y, of rows that hold the bytes of each
 *   class: of 128 moments, of 32 times as many, and so on.  The two smallest of
 *   a class are found among those that have less than two of the same class
 *   that are both no larger and later, as these are the only ones that can be.
 *   Nothing that was last used before a mark of class j is in a cache of that
 *   class: since then, 2^(j+1) bytes of the classes below j have come.  Marks
 *   may be old, because a moment beyond one stays beyond it.  D also decides
 *   for a cache of class j if no object of class j or more came since y.  Most
 *   references have no class left to check; and a row need not be right beyond
 *   the marks of all higher classes.  Objects wait to become candidates until
 *   their class is checked, or has many of them: most are beyond its mark by
 *   then, and are dropped.
 *
 *   An object whose size changes makes f(C) fall, where it becomes smaller or
 *   larger than C, although y may be gone.  So where an object that was used
 *   since y, at a size of class j or a smaller one, has changed since, these
 *   sizes are an upper limit of the hits, and are in doubt.  If it had beaten
 *   an object off the list, they only become wider.
 * Source: our own.
 * Guarantee: the hits of a plain LRU cache of each size, except where in doubt.
 * Cost: a row to change at each level per reference, and a walk over some rows
 *   for those that a small cache may hit; 2 bytes per moment with 32 classes.
 *   The candidates of a class are few, but for sizes that grow with time.
 */
#ifndef MARGAY_STACKDIST_OBJECTS_CLASSES_H
#define MARGAY_STACKDIST_OBJECTS_CLASSES_H

#include <string.h>

#include "stackdist/objects/weights.h"
#include "traces/traces_internal.h"

#define MARGAY_CLASSES_MOST   64
#define MARGAY_CLASSES_LEVELS 8
/* How many objects of a class arrive before they are made candidates. */
#define MARGAY_CLASSES_ARRIVALS 256

/* Moments of a row of the lowest level, and rows of a row above: shifts. */
#define MARGAY_CLASSES_SHIFT 7
#define MARGAY_CLASSES_FAN   5

/* One of the objects of a class that may be among its two smallest. */
struct margay_candidate {
    uint64_t size, moment;
    bool beaten; /* one that is no larger came later */
};

struct margay_candidates {
    struct margay_candidate *list; /* sizes ascending */
    size_t count, capacity;
};

/* An object that came at `moment`, and before that at `before`, 0 for never:
   not yet a candidate. */
struct margay_arrival {
    uint64_t size, before, moment;
};

struct margay_classes {
    unsigned classes; /* of a row: a multiple of 8 */
    unsigned largest; /* the largest class that has come */
    unsigned levels;
    uint64_t capacity; /* moments */
    uint64_t *rows[MARGAY_CLASSES_LEVELS];
    /* Caches of class j hold nothing last used before beyond[j], and caches of
       class j or larger ones nothing from before marks[j]; there are none above
       the largest class. */
    uint64_t beyond[MARGAY_CLASSES_MOST], marks[MARGAY_CLASSES_MOST + 1];
    struct margay_candidates candidates[MARGAY_CLASSES_MOST];
    /* Of each class MARGAY_CLASSES_ARRIVALS, and how many there are. */
    struct margay_arrival *arrivals;
    unsigned arrived[MARGAY_CLASSES_MOST];
    uint64_t latest[MARGAY_CLASSES_MOST]; /* when one came of each class */
    /* The latest moment of each class whose object came back with another
       size. */
    uint64_t changed[MARGAY_CLASSES_MOST];
    bool changes;          /* there is one */
    uint64_t largest_size; /* that has come */
};

/* Cache sizes [from, to) hit. */
struct margay_interval {
    uint64_t from, to;
};

/* Rows for the moments of `weights`, which is empty.  MARGAY_NO_MEMORY. */
enum margay_status margay_classes_create(struct margay_classes *classes,
                                         const struct margay_weights *weights,
                                         struct margay_error *error);

/* No rows are needed until they are fitted again. */
void margay_classes_free_rows(struct margay_classes *classes);

/* Rows for all moments of `weights`, filled with its objects; the candidates
   stay.  MARGAY_NO_MEMORY leaves the rows as they were. */
enum margay_status margay_classes_fit(struct margay_classes *classes,
                                      const struct margay_weights *weights,
                                      unsigned class,
                                      struct margay_error *error);

/* A zeroed struct is fine. */
void margay_classes_destroy(struct margay_classes *classes);

/* Make candidates of the arrived objects of a class.  MARGAY_NO_MEMORY. */
enum margay_status margay_classes_settle(struct margay_classes *classes,
                                         unsigned class,
                                         struct margay_error *error);

/* The class of a size; those of size 0 are put to the smallest. */
static inline unsigned margay_class_of(uint64_t size)
{
    return 63u - (unsigned)__builtin_clzll(size | 1);
}

/* May rows still be asked about an object of this class, used at `moment`? */
static inline bool margay_classes_asks(const struct margay_classes *classes,
                                       uint64_t moment, unsigned class)
{
    return moment >= classes->marks[class + 1];
}

/* Add `size`, or its negative, to the rows of `moment`. */
static inline void margay_classes_add(struct margay_classes *classes,
                                      uint64_t moment, unsigned class,
                                      uint64_t size)
{
    unsigned shift = MARGAY_CLASSES_SHIFT;
    for (unsigned level = 0; level < classes->levels; level++) {
        classes->rows[level][(moment >> shift) * classes->classes + class] +=
            size;
        shift += MARGAY_CLASSES_FAN;
    }
}

/* -------------------------------------------------- what a kernel asks -- */

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

/* Find the marks anew, at the present moment: those before the last rows keep
   their old marks unless `all`. */
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
            /* Nothing before this moment can be in caches of class j: since
               then, 2^(j+1) bytes or more of the classes below have come. */
            uint64_t moment = row << shift;
            uint64_t below = 0;
            for (unsigned j = 0; j <= classes->largest; j++) {
                if (beyond[j] == 0 && below >> 1 >> j != 0)
                    beyond[j] = moment;
                below += sums[j];
            }
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

/* The sizes in [from, to), after those that are in the list already. */
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

/* The classes, as bits, of the caches that may hit an object of class `own`
   whose last use was at `moment` at a size below its distance: not beyond it,
   and an object of this class or a larger one has come since. */
static inline uint64_t margay_classes_asked(
    const struct margay_classes *classes, uint64_t moment, unsigned own)
{
    uint64_t asked = 0, latest = 0;
    for (unsigned j = classes->largest + 1; j-- > own;) {
        latest = margay_maximum(latest, classes->latest[j]);
        asked |= (uint64_t)(moment < latest && moment >= classes->beyond[j])
                 << j;
    }
    return asked;
}

/* The sizes of caches below `distance` of the classes `asked` that hit an
   object of this size whose last use was at `moment`, which still counts as
   such: writes *count intervals, ascending, to `intervals`, which has room for
   2 * MARGAY_CLASSES_MOST. */
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
            end = margay_minimum(distance, first << 1);
        bool among = j == own && size > 0;
        uint64_t held = among ? below + size : below;
        if (held < end && (asked >> j & 1) != 0) {
            uint64_t smallest[2];
            status = margay_classes_settle(classes, j, error);
            if (status != MARGAY_OK)
                return status;
            margay_classes_find_smallest(&classes->candidates[j], weights,
                                         moment, smallest);
            *count = margay_classes_append(intervals, *count,
                                           margay_maximum(first, held),
                                           margay_minimum(end, smallest[0]));
            if (!among && smallest[0] < end)
                *count = margay_classes_append(
                    intervals, *count, smallest[0] + below,
                    margay_minimum(end, smallest[1]));
        }
        below = held + sums[j];
        if (j == 63)
            break;
    }
    return status;
}

#endif
