/* classes.c - the memory of classes; see classes.h */
#include "stackdist/objects/classes.h"

#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

/* ---------------------------------------------------------------- memory -- */

static uint64_t row_count(uint64_t capacity, unsigned level)
{
    return (capacity >> (MARGAY_CLASSES_SHIFT + MARGAY_CLASSES_FAN * level)) +
           1;
}

static size_t level_bytes(const struct margay_classes *classes, unsigned level)
{
    return row_count(classes->capacity, level) * classes->classes *
           sizeof(uint64_t);
}

void margay_classes_free_rows(struct margay_classes *classes)
{
    for (unsigned level = 0; level < classes->levels; level++)
        margay_unmap(classes->rows[level], level_bytes(classes, level));
    classes->levels = 0;
}

static bool make_rows(struct margay_classes *classes)
{
    bool made = true;
    do {
        unsigned level = classes->levels++;
        classes->rows[level] = margay_map(level_bytes(classes, level));
        made = made && classes->rows[level] != NULL;
    } while (row_count(classes->capacity, classes->levels - 1) >
                 1u << MARGAY_CLASSES_FAN &&
             classes->levels < MARGAY_CLASSES_LEVELS);
    return made;
}

enum margay_status margay_classes_fit(struct margay_classes *classes,
                                      const struct margay_weights *weights,
                                      unsigned class,
                                      struct margay_error *error)
{
    struct margay_classes fitted = *classes;
    fitted.largest = (unsigned)margay_maximum(class, fitted.largest);
    fitted.classes = (fitted.largest / 8 + 1) * 8;
    fitted.capacity = weights->capacity;
    fitted.levels = 0;
    fitted.row = 0;
    memset(fitted.last, 0, sizeof fitted.last);
    margay_classes_set_marks(&fitted);
    if (fitted.classes == classes->classes &&
        fitted.capacity == classes->capacity && classes->levels > 0) {
        fitted.levels = classes->levels;
        for (unsigned level = 0; level < fitted.levels; level++)
            memset(fitted.rows[level], 0, level_bytes(&fitted, level));
    } else if (make_rows(&fitted)) {
        margay_classes_free_rows(classes);
    } else {
        margay_classes_free_rows(&fitted);
        return margay_fail_memory(error, "the classes of object sizes");
    }
    /* Add the objects of `weights` that may be asked about. */
    for (uint64_t moment = 1; moment < weights->next; moment++) {
        uint64_t size = margay_weights_size(weights, moment);
        unsigned of = margay_class_of(size);
        if (size != 0 && margay_classes_asks(&fitted, moment, of))
            margay_classes_put(&fitted, moment, of, size);
    }
    *classes = fitted;
    return MARGAY_OK;
}

void margay_classes_begin_row(struct margay_classes *classes, uint64_t row)
{
    for (unsigned level = 0; level < classes->levels; level++) {
        uint64_t to = classes->row >> MARGAY_CLASSES_FAN * level;
        for (unsigned i = 0; i < classes->classes; i++)
            classes->rows[level][to * classes->classes + i] += classes->last[i];
    }
    memset(classes->last, 0, sizeof classes->last);
    classes->row = row;
}

#define ARRIVALS ((size_t)MARGAY_CLASSES_MOST * MARGAY_CLASSES_ARRIVALS)

enum margay_status margay_classes_create(struct margay_classes *classes,
                                         const struct margay_weights *weights,
                                         struct margay_error *error)
{
    *classes = (struct margay_classes){.levels = 0};
    classes->arrivals = margay_map(ARRIVALS * sizeof *classes->arrivals);
    return classes->arrivals == NULL
               ? margay_fail_memory(error, "the objects that came last")
               : margay_classes_fit(classes, weights, 0, error);
}

void margay_classes_destroy(struct margay_classes *classes)
{
    margay_classes_free_rows(classes);
    margay_unmap(classes->arrivals, ARRIVALS * sizeof *classes->arrivals);
    for (unsigned i = 0; i < MARGAY_CLASSES_MOST; i++)
        free(classes->candidates[i].list);
    *classes = (struct margay_classes){.levels = 0};
}

/* ------------------------------------------------------------ candidates -- */

/* An arriving object is the latest, so it beats all that are no smaller; among
   those later than its last use this is new.  Those before the mark of their
   class are no longer needed.  Only sizes from this on are visited. */
static void refer(struct margay_candidates *of,
                  const struct margay_arrival *arrival, uint64_t beyond)
{
    struct margay_candidate *list = of->list;
    size_t from = of->count;
    while (from > 0 && list[from - 1].size >= arrival->size)
        from--;
    size_t to = from, count = of->count;
    struct margay_candidate kept = {arrival->size, arrival->moment, false};
    for (size_t i = from; i < count; i++) {
        struct margay_candidate candidate = list[i];
        bool beats = candidate.moment > arrival->before;
        if (candidate.moment == arrival->before ||
            (beats && candidate.beaten) || candidate.moment < beyond)
            continue;
        candidate.beaten = true;
        list[to++] = kept;
        kept = candidate;
    }
    list[to++] = kept;
    of->count = to;
}

enum margay_status margay_classes_settle(struct margay_classes *classes,
                                         const struct margay_weights *weights,
                                         unsigned class,
                                         struct margay_error *error)
{
    struct margay_arrival *arrivals =
        classes->arrivals + MARGAY_CLASSES_ARRIVALS * class;
    struct margay_candidates *of = &classes->candidates[class];
    unsigned count = classes->arrived[class], from = count;
    uint64_t beyond = classes->beyond[class], smallest[2] = {-1, -1};
    /* The latest first: most are beaten by two of these. */
    for (unsigned i = count; i-- > 0 && arrivals[i].moment >= beyond;) {
        if (margay_classes_pass(weights, arrivals[i].moment, arrivals[i].size,
                                smallest))
            arrivals[--from] = arrivals[i];
    }
    if (!MARGAY_MAKE_ROOM(of->list, of->count, count - from, of->capacity))
        return margay_fail_memory(error, "the objects of a class of sizes");
    for (unsigned i = from; i < count; i++)
        refer(of, &arrivals[i], beyond);
    classes->arrived[class] = 0;
    return MARGAY_OK;
}
