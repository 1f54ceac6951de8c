/* series.h - how analyses make their series, and put work together */
#ifndef MARGAY_SIM_RUN_SERIES_H
#define MARGAY_SIM_RUN_SERIES_H

#include <margay/analysis.h>
#include <margay/objects.h>

/* Room for `count` points, all 0; NULL: no memory.  The caller frees it. */
struct margay_series_point *margay_series_room(size_t count,
                                               struct margay_error *error);

/* The sizes of the points of a series; NULL: no memory.  The caller frees
   it. */
uint64_t *margay_series_sizes(const struct margay_series *series,
                              struct margay_error *error);

/* The misses of caches that grow, from a histogram. */
struct margay_misses {
    const margay_histogram *histogram;
    uint64_t next, left; /* `left` references are at distances from `next` on */
};
struct margay_misses margay_misses_of(const margay_histogram *histogram);
uint64_t margay_misses_at(struct margay_misses *misses, uint64_t cache_blocks);

/* What has been counted of objects, as a series without points; NULL =
   nothing. */
void margay_objects_describe(const margay_objects *engine,
                             struct margay_series *series);

/* The first of the failures of some tasks, if there is one. */
enum margay_status margay_first_failure(const struct margay_error *failures,
                                        size_t count,
                                        struct margay_error *error);

#endif
