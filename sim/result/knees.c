/*
 * knees.c - the sizes at which a miss curve stops falling
 *
 * Algorithm: the bend at a size is the relative fall of the misses, a
 *   difference of logarithms, from a size before to it, less three times that
 *   from it to a size after: a curve that goes on to fall is at no knee.  The
 *   largest of three counts: from 5/6 to 6/5 of the size, from 2/3 to 3/2, and
 *   from 1/2 to 2, each at least one block away.  A cache of 0 misses always.
 *   There is a knee for each of the largest bends of more than 5%, which is
 *   noise in most traces, of equal ones that of the smallest size, that have no
 *   size between their half and themselves in common.  Once a fall is over, the
 *   bends beyond are nearly as large: the knee is the smallest size above half
 *   of the bend's with four fifths of it.
 * Guarantee: of a curve that is not whole, none is found at a size whose larger
 *   neighbours are unknown.
 * Cost: O(points), and as much for each knee.
 */
#include "sim/result/knees.h"

#include <math.h>
#include <stdlib.h>

#include "traces/traces_internal.h"

#define LEAST_BEND 0.05
#define AFTER      3
#define NEARLY     0.8

/* Half a miss stands for none. */
static double log_misses(uint64_t misses)
{
    return log(misses == 0 ? 0.5 : (double)misses);
}

/* The bends by one width: from (1 - 1/before) of a size to (1 + 1/after). */
static void find_bends(const struct knee_curve *curve, uint64_t before,
                       uint64_t after, double *bends)
{
    const struct knee_point *points = curve->points;
    size_t low = 0, high = 0; /* points up to the sizes before and after */
    for (size_t i = 0; i < curve->count; i++) {
        uint64_t size = points[i].size;
        uint64_t part = size / before, more = size / after;
        uint64_t from = size - (part == 0 ? 1 : part);
        uint64_t to = size + (more == 0 ? 1 : more);
        while (points[low].size <= from)
            low++;
        while (high < curve->count && points[high].size <= to)
            high++;
        if (!curve->is_whole && to > points[curve->count - 1].size)
            return;
        double own = log_misses(points[i].misses);
        double bend =
            log_misses(low == 0 ? curve->references : points[low - 1].misses) -
            own - AFTER * (own - log_misses(points[high - 1].misses));
        bends[i] = fmax(bend, bends[i]);
    }
}

static void choose(const struct knee_curve *curve, const double *bends,
                   uint64_t most, struct knees *knees)
{
    uint64_t taken[KNEES_MOST];
    while (knees->count < most && knees->count < KNEES_MOST) {
        size_t largest = curve->count;
        for (size_t i = 0; i < curve->count; i++) {
            size_t k = 0;
            if (bends[i] <=
                (largest == curve->count ? LEAST_BEND : bends[largest]))
                continue;
            /* Has the size no octave in common with one taken? */
            while (k < knees->count && (curve->points[i].size / 2 >= taken[k] ||
                                        taken[k] / 2 >= curve->points[i].size))
                k++;
            if (k == knees->count)
                largest = i;
        }
        if (largest == curve->count)
            return;
        uint64_t size = curve->points[largest].size;
        size_t first = largest;
        for (size_t i = largest; i > 0 && curve->points[i].size > size / 2;
             i--) {
            if (bends[i] >= NEARLY * bends[largest])
                first = i;
        }
        taken[knees->count] = size;
        knees->list[knees->count++] = first;
    }
}

enum margay_status knees_find(const struct knee_curve *curve, uint64_t most,
                              struct knees *knees, struct margay_error *error)
{
    double *bends = calloc(curve->count + 1, sizeof *bends);
    knees->count = 0;
    if (bends == NULL)
        return margay_fail_memory(error, "knees");
    find_bends(curve, 6, 5, bends);
    find_bends(curve, 3, 2, bends);
    find_bends(curve, 2, 1, bends);
    choose(curve, bends, most, knees);
    free(bends);
    return MARGAY_OK;
}

bool knees_are_for(const struct cells *table)
{
    return cells_column(table, "cache_blocks") != SIZE_MAX &&
           cells_column(table, "miss_ratio") != SIZE_MAX &&
           cells_column(table, "sets") == SIZE_MAX &&
           cells_column(table, "policy") == SIZE_MAX &&
           cells_column(table, "window") == SIZE_MAX;
}

/* False: the field is no number. */
static bool read_field(const struct cells *table, size_t row, const char *name,
                       uint64_t *number)
{
    return margay_parse_u64(cells_at(table, row, cells_column(table, name)),
                            number);
}

enum margay_status knees_of_rows(const struct cells *table, size_t first,
                                 size_t end, bool is_whole, struct knees *knees,
                                 struct margay_error *error)
{
    struct knee_point *points = calloc(end - first + 1, sizeof *points);
    struct knee_curve curve = {.points = points, .is_whole = is_whole};
    bool is_curve = read_field(table, first, "references", &curve.references);
    enum margay_status status = MARGAY_OK;
    knees->count = 0;
    if (points == NULL)
        return margay_fail_memory(error, "knees");
    for (size_t row = first; row < end && is_curve; row++) {
        struct knee_point *point = &points[curve.count++];
        is_curve = (read_field(table, row, "cache_blocks", &point->size) ||
                    read_field(table, row, "cache_bytes", &point->size)) &&
                   read_field(table, row, "misses", &point->misses) &&
                   point->size > (row == first ? 0 : point[-1].size);
    }
    /* Where a sample is no guide, nothing is known of how the curve falls. */
    if (first > 0 &&
        *cells_at(table, first - 1, cells_column(table, "no_guide")) == '1')
        curve.references = points[0].misses;
    if (is_curve)
        status = knees_find(&curve, KNEES_USUAL, knees, error);
    for (size_t i = 0; i < knees->count; i++)
        knees->list[i] += first;
    margay_sort_unique(knees->list, knees->count);
    free(points);
    return status;
}
