/* estimates.h - how far off engines are that estimate */
#ifndef MARGAY_TESTS_STACKDIST_ESTIMATES_H
#define MARGAY_TESTS_STACKDIST_ESTIMATES_H

#include <math.h>

#include "tests/stackdist/results.h"

static inline uint64_t misses_at(const struct margay_result *result,
                                 uint64_t size)
{
    const struct margay_sizes sizes = {
        .kind = MARGAY_SIZES_LIST, .list_blocks = &size, .list_count = 1};
    struct margay_point *point;
    size_t count;
    if (margay_result_curve(result, &sizes, &point, &count, NULL) != MARGAY_OK)
        abort();
    uint64_t misses = count == 0 ? 0 : point->misses;
    free(point);
    return misses;
}

/* 1 - sum |y - x| / 2 over log2 bars; *bars: the sum over their number. */
static inline double overlap(const struct margay_result *exact,
                             const struct margay_result *result,
                             uint64_t largest, double *bars)
{
    double sum = 0, number = 0;
    uint64_t left = exact->references, left_too = left;
    for (uint64_t size = 1; size / 2 <= largest; size *= 2, number++) {
        uint64_t next = misses_at(exact, size);
        uint64_t next_too = misses_at(result, size);
        sum += fabs((double)(left - next) - (double)(left_too - next_too));
        left = next;
        left_too = next_too;
    }
    sum += fabs((double)left - (double)left_too);
    *bars = sum / (double)exact->references / (number + 1);
    return 1 - sum / 2 / (double)exact->references;
}

#endif
