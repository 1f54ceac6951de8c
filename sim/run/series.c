/* series.c - how analyses make their series */
#include "sim/run/series.h"

#include <stdlib.h>

#include "traces/traces_internal.h"

const struct margay_sizes *margay_series_sizes(const struct margay_sizes *sizes)
{
    static const struct margay_sizes every = {.kind = MARGAY_SIZES_ALL};
    return sizes == NULL ? &every : sizes;
}

struct margay_series_point *margay_series_room(size_t count,
                                               struct margay_error *error)
{
    struct margay_series_point *points = calloc(count + 1, sizeof *points);
    if (points == NULL)
        margay_fail_memory(error, "the points of a curve");
    return points;
}

enum margay_status margay_series_give(struct margay_series *series,
                                      const struct margay_series_point *points,
                                      size_t count, margay_series_take *take,
                                      void *context, struct margay_error *error)
{
    struct margay_series_point *known = margay_series_room(count, error);
    if (known == NULL)
        return MARGAY_NO_MEMORY;
    series->points = known;
    series->count = 0;
    for (size_t i = 0; points != NULL && i < count; i++) {
        if (points[i].size != 0)
            known[series->count++] = points[i];
    }
    enum margay_status status = take(context, series, error);
    free(known);
    return status;
}

struct margay_series margay_result_describe(const struct margay_result *result)
{
    return (struct margay_series){
        .references = result->references,
        .distinct = result->distinct_blocks,
        .infinite = result->infinite,
        .bound = result->histogram == NULL
                     ? 0
                     : margay_histogram_exceeded_bound(result->histogram),
        .fraction_bits = result->fraction_bits,
        .histogram = result->histogram,
    };
}

enum margay_status margay_result_series(const struct margay_result *result,
                                        const struct margay_sizes *sizes,
                                        struct margay_series *series,
                                        struct margay_series_point **points,
                                        struct margay_error *error)
{
    struct margay_point *curve = NULL;
    size_t count = 0;
    *points = NULL;
    enum margay_status status = margay_result_curve(
        result, margay_series_sizes(sizes), &curve, &count, error);
    if (status == MARGAY_OK &&
        (*points = margay_series_room(count, error)) == NULL)
        status = MARGAY_NO_MEMORY;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        (*points)[i] = (struct margay_series_point){
            .size = curve[i].cache_blocks, .misses = curve[i].misses};
    free(curve);
    *series = margay_result_describe(result);
    series->points = *points;
    series->count = count;
    return status;
}

struct margay_misses margay_misses_of(const margay_histogram *histogram)
{
    return (struct margay_misses){histogram, 0,
                                  margay_histogram_references(histogram)};
}

uint64_t margay_misses_at(struct margay_misses *misses, uint64_t cache_blocks)
{
    uint64_t distance, references;
    while (margay_histogram_next(misses->histogram, misses->next, &distance,
                                 &references) &&
           distance < cache_blocks) {
        misses->left -= references;
        misses->next = distance + 1;
    }
    return misses->left;
}
