/* same.h - are two results the same? */
#ifndef MARGAY_TESTS_STACKDIST_SAME_H
#define MARGAY_TESTS_STACKDIST_SAME_H

#include <margay/stackdist.h>

static inline bool same_results(const struct margay_result *a,
                                const struct margay_result *b)
{
    uint64_t d[2] = {0}, n[2] = {0}, at = 0;
    bool more[2];
    do {
        more[0] = margay_histogram_next(a->histogram, at, &d[0], &n[0]);
        more[1] = margay_histogram_next(b->histogram, at, &d[1], &n[1]);
        at = d[0] + 1;
    } while (more[0] && more[1] && d[0] == d[1] && n[0] == n[1]);
    return !more[0] && !more[1] && a->references == b->references &&
           a->infinite == b->infinite && a->fraction_bits == b->fraction_bits &&
           a->distinct_blocks == b->distinct_blocks &&
           margay_histogram_exceeded_bound(a->histogram) ==
               margay_histogram_exceeded_bound(b->histogram);
}

#endif
