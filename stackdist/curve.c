/* curve.c - from a result to the misses of every cache size */
#include <stdlib.h>

#include "stackdist/histogram.h"
#include "traces/traces_internal.h"

#define USUAL_PER_OCTAVE 16

/* A grid of cache sizes over a result: a histogram, or a curve's points. */
struct grid {
    const struct margay_result *result;
    struct margay_sizes sizes;
    uint64_t last;     /* the last size of the grid, unless it is a list */
    bool is_bounded;   /* a bound was exceeded: sizes beyond are unknown */
    size_t list_index; /* the list's next size */
};

static void grid_begin(struct grid *grid, const struct margay_result *result,
                       const struct margay_sizes *sizes)
{
    uint64_t largest = 0, bound = 0;
    *grid = (struct grid){.result = result, .sizes = *sizes};
    if (result->histogram == NULL) {
        grid->last = result->points[result->point_count - 1].cache_blocks;
    } else {
        bound = margay_histogram_exceeded_bound(result->histogram);
        margay_histogram_largest(result->histogram, &largest);
        grid->last = bound != 0 ? bound : largest + 1;
    }
    grid->is_bounded = bound != 0;
    if (sizes->kind == MARGAY_SIZES_USUAL) {
        grid->sizes.kind =
            result->only_points ? MARGAY_SIZES_ALL : MARGAY_SIZES_OCTAVE;
        grid->sizes.per_octave = USUAL_PER_OCTAVE;
    }
    if (sizes->kind != MARGAY_SIZES_POW2)
        return;
    uint64_t floor = UINT64_C(1) << margay_log2_floor(grid->last);
    if (floor < grid->last && !grid->is_bounded)
        floor *= 2; /* distances are below 2^56 */
    grid->last = floor;
}

/* The first of 2^k + floor(i 2^k / N), 0 <= i < N, after `previous` >= 1:
   floor(i 2^k / N) >= m if and only if i >= m N / 2^k. */
static uint64_t next_octave_size(uint64_t per_octave, uint64_t previous)
{
    unsigned k = margay_log2_floor(previous);
    margay_u128 octave = (margay_u128)1 << k;
    margay_u128 beyond = previous + 1 - octave;
    margay_u128 i = (beyond * per_octave + octave - 1) >> k;
    margay_u128 next =
        i < per_octave ? octave + (i << k) / per_octave : 2 * octave;
    return next <= UINT64_MAX ? (uint64_t)next : UINT64_MAX;
}

/* The index of the first point at `size` or more; point_count if none is. */
static size_t find_point(const struct margay_result *result, uint64_t size)
{
    return MARGAY_BISECT(i, result->point_count,
                         result->points[i].cache_blocks < size);
}

/* The grid's first size after `previous`, which is 0 at the beginning; false at
   the end of the grid. */
static bool grid_next(struct grid *grid, uint64_t previous, uint64_t *size)
{
    const struct margay_sizes *sizes = &grid->sizes;
    if (sizes->kind == MARGAY_SIZES_LIST) {
        if (grid->list_index == sizes->list_count)
            return false;
        *size = sizes->list_blocks[grid->list_index++];
        return true;
    }
    if (previous == grid->last)
        return false;
    bool all = sizes->kind == MARGAY_SIZES_ALL;
    const struct margay_result *result = grid->result;
    uint64_t distance, count;
    *size = UINT64_MAX;
    if (previous == 0 && !(all && result->only_points)) {
        *size = 1;
    } else if (!all) {
        *size = next_octave_size(
            sizes->kind == MARGAY_SIZES_POW2 ? 1 : sizes->per_octave, previous);
    } else if (result->histogram == NULL) {
        /* The first size at which the curve steps. */
        size_t i = find_point(result, previous + 1);
        if (i < result->point_count)
            *size = result->points[i].cache_blocks;
    } else if (margay_histogram_next(result->histogram, previous, &distance,
                                     &count)) {
        *size = distance + 1;
    }
    *size = margay_minimum(*size, grid->last);
    return true;
}

/* Count the points; fails at unknown sizes. */
static enum margay_status grid_count(struct grid grid, size_t *count,
                                     struct margay_error *error)
{
    uint64_t size = 0;
    *count = 0;
    while (grid_next(&grid, size, &size)) {
        if (grid.is_bounded && size > grid.last)
            return margay_fail(
                error, MARGAY_BAD_ARGUMENT,
                "a cache of %llu blocks is above the bound of %llu, "
                "which the trace exceeded",
                (unsigned long long)size, (unsigned long long)grid.last);
        const struct margay_result *result = grid.result;
        size_t i = result->only_points ? find_point(result, size) : 0;
        if (result->only_points && (i == result->point_count ||
                                    result->points[i].cache_blocks != size))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "nothing is known of a cache of %llu block%s",
                               (unsigned long long)size,
                               margay_plural(size, "s"));
        ++*count;
    }
    return MARGAY_OK;
}

/* On the line between two neighbours; the curve begins at (0, all misses). */
static uint64_t misses_between(const struct margay_result *result,
                               uint64_t size)
{
    struct margay_point low = {0, result->references};
    size_t i = find_point(result, size);
    if (i == result->point_count)
        return result->points[i - 1].misses;
    if (i > 0)
        low = result->points[i - 1];
    struct margay_point high = result->points[i];
    margay_u128 fall =
        (margay_u128)(low.misses - high.misses) * (size - low.cache_blocks);
    return low.misses -
           (uint64_t)(fall / (high.cache_blocks - low.cache_blocks));
}

enum margay_status margay_result_curve(const struct margay_result *result,
                                       const struct margay_sizes *sizes,
                                       struct margay_point **points,
                                       size_t *count,
                                       struct margay_error *error)
{
    *points = NULL;
    *count = 0;
    if (result->references == 0)
        return MARGAY_OK;
    struct grid grid;
    grid_begin(&grid, result, sizes);
    enum margay_status status = grid_count(grid, count, error);
    if (status != MARGAY_OK || *count == 0)
        return status;
    *points = calloc(*count, sizeof **points);
    if (*points == NULL) {
        *count = 0;
        return margay_fail_memory(error, "the points of a miss curve");
    }
    /* misses(C) = references at distances of C blocks and more. */
    uint64_t size = 0, misses = 0;
    if (result->histogram != NULL)
        misses = margay_histogram_references(result->histogram);
    for (size_t i = 0; i < *count; i++) {
        uint64_t previous = size;
        grid_next(&grid, previous, &size);
        if (result->histogram != NULL)
            misses -=
                margay_histogram_between(result->histogram, previous, size);
        else
            misses = misses_between(result, size);
        (*points)[i] = (struct margay_point){size, misses};
    }
    return MARGAY_OK;
}

enum margay_status margay_histogram_curve(const margay_histogram *histogram,
                                          const struct margay_sizes *sizes,
                                          struct margay_point **points,
                                          size_t *count,
                                          struct margay_error *error)
{
    const struct margay_result result = {
        .histogram = (margay_histogram *)histogram, /* only read */
        .references = margay_histogram_references(histogram),
    };
    return margay_result_curve(&result, sizes, points, count, error);
}
