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
 *   may be old, because a moment beyond one stays beyond it; a check that finds
 *   its y there moves the mark to y.  D also decides for a cache of class j if
 *   no object of class j or more came since y.  Most references have no class
 *   left to check; and a row need not be right beyond the marks of all higher
 *   classes.  Objects wait to become candidates until their class has some of
 *   them: most are beyond its mark by then, or beaten by two, and are dropped.
 *
 *   An object whose size changes makes f(C) fall, where it becomes smaller or
 *   larger than C, although y may be gone.  So where an object that was used
 *   since y, at a size of class j or a smaller one, has changed since, these
 *   sizes are an upper limit of the hits, and are in doubt.  If it had beaten
 *   an object off the list, they only become wider.
 * Source: our own.
 * Guarantee: the hits of a plain LRU cache of each size, except where in doubt.
 * Cost: for a reference that a small cache may hit, a row to change at each
 *   level and a walk over some; 2 bytes per moment with 32 classes.
 *   The candidates of a class are few, but for sizes that grow with time.
 */
#ifndef MARGAY_STACKDIST_OBJECTS_CLASSES_H
#define MARGAY_STACKDIST_OBJECTS_CLASSES_H

#include "stackdist/objects/weights.h"
#include "traces/traces_internal.h"

#define MARGAY_CLASSES_MOST   64
#define MARGAY_CLASSES_LEVELS 8
/* How many objects of a class arrive before they are made candidates. */
#define MARGAY_CLASSES_ARRIVALS 64

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
    /* The last row of the lowest level, and its bytes: in no row yet. */
    uint64_t row, last[MARGAY_CLASSES_MOST];
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
                                         const struct margay_weights *weights,
                                         unsigned class,
                                         struct margay_error *error);

/* Add the last row to the rows, and begin another. */
void margay_classes_begin_row(struct margay_classes *classes, uint64_t row);

/* Is this among the two smallest so far?  Not if it has come again since then,
   or with another size. */
static inline bool margay_classes_pass(const struct margay_weights *weights,
                                       uint64_t moment, uint64_t size,
                                       uint64_t smallest[2])
{
    if (size >= smallest[1] || margay_weights_size(weights, moment) != size)
        return false;
    smallest[1] = margay_maximum(smallest[0], size);
    smallest[0] = margay_minimum(smallest[0], size);
    return true;
}

/* The class of a size; those of size 0 are put to the smallest. */
static inline unsigned margay_class_of(uint64_t size)
{
    return 63u ^ (unsigned)__builtin_clzll(size | 1);
}

/* May rows still be asked about an object of this class, used at `moment`? */
static inline bool margay_classes_asks(const struct margay_classes *classes,
                                       uint64_t moment, unsigned class)
{
    return moment >= classes->marks[class + 1];
}

/* An object's last use is now, at `moment`. */
static inline void margay_classes_put(struct margay_classes *classes,
                                      uint64_t moment, unsigned class,
                                      uint64_t size)
{
    if (moment >> MARGAY_CLASSES_SHIFT != classes->row)
        margay_classes_begin_row(classes, moment >> MARGAY_CLASSES_SHIFT);
    classes->last[class] += size;
}

/* Take the object away that stands at `moment`. */
static inline void margay_classes_take(struct margay_classes *classes,
                                       uint64_t moment, unsigned class,
                                       uint64_t size)
{
    uint64_t row = moment >> MARGAY_CLASSES_SHIFT;
    if (row == classes->row) {
        classes->last[class] -= size;
        return;
    }
    for (unsigned level = 0; level < classes->levels; level++) {
        classes->rows[level][row * classes->classes + class] -= size;
        row >>= MARGAY_CLASSES_FAN;
    }
}

/* Nothing that caches of class j or larger ones hold was last used before the
   mark of j. */
static inline void margay_classes_set_marks(struct margay_classes *classes)
{
    uint64_t least = UINT64_MAX;
    for (unsigned j = MARGAY_CLASSES_MOST + 1; j-- > 0;) {
        if (j <= classes->largest)
            least = margay_minimum(least, classes->beyond[j]);
        classes->marks[j] = least >> MARGAY_CLASSES_SHIFT
                                         << MARGAY_CLASSES_SHIFT;
    }
}

/* ------------------------------------------------- classes_kernel.c -- */

#ifdef MARGAY_TARGET_SUFFIX
#define margay_classes_hits MARGAY_TARGET_NAME(margay_classes_hits)
#define margay_classes_mark MARGAY_TARGET_NAME(margay_classes_mark)

/* The sizes of caches below `distance` that hit an object of this size whose
   last use was at `moment`, which still counts as such: writes intervals,
   ascending, to `intervals`, which has room for 2 * MARGAY_CLASSES_MOST, and
   returns how many. */
size_t margay_classes_hits(struct margay_classes *classes,
                           const struct margay_weights *weights,
                           uint64_t moment, uint64_t size, uint64_t distance,
                           struct margay_interval *intervals);

/* Find the marks anew that are up to `reach` moments ago. */
void margay_classes_mark(struct margay_classes *classes,
                         const struct margay_weights *weights, uint64_t reach);
#endif

#endif
