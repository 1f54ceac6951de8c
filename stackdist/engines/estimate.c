/* estimate.c - from real-valued estimates to results */
#include "stackdist/engines/estimate.h"

#include <math.h>
#include <stdlib.h>

/* ----------------------------------------------------------- histograms -- */

enum margay_status margay_rounder_begin(struct margay_rounder *rounder,
                                        uint64_t references, double total,
                                        struct margay_error *error)
{
    *rounder =
        (struct margay_rounder){.references = references, .total = total};
    return margay_histogram_create(&rounder->histogram, error);
}

enum margay_status margay_rounder_add(struct margay_rounder *rounder,
                                      uint64_t distance, double mass,
                                      struct margay_error *error)
{
    rounder->mass += mass;
    double share = rounder->mass / rounder->total;
    uint64_t sum = rounder->references;
    if (share < 1)
        sum = (uint64_t)(share * (double)rounder->references + 0.5);
    /* The sum may be negative, and rounds differently beyond 2^53. */
    if (!(share > 0) || sum <= rounder->counted)
        return MARGAY_OK;
    sum = margay_minimum(sum, rounder->references);
    uint64_t count = sum - rounder->counted;
    rounder->counted = sum;
    return margay_histogram_add(rounder->histogram, distance, count, error);
}

enum margay_status margay_rounder_end(struct margay_rounder *rounder,
                                      enum margay_status status,
                                      margay_histogram **histogram,
                                      struct margay_error *error)
{
    if (status == MARGAY_OK)
        status =
            margay_histogram_add(rounder->histogram, MARGAY_INFINITE,
                                 rounder->references - rounder->counted, error);
    if (status == MARGAY_OK)
        *histogram = rounder->histogram;
    else
        margay_histogram_free(rounder->histogram);
    return status;
}

/* --------------------------------------------------------------- curves -- */

/* Every size up to the first, a power of two, has a point; then every octave
   has the second number of points. */
#define SINGLE_SIZES 1024
#define PER_OCTAVE   512

/* The size of point i, from 0 on. */
static uint64_t size_at(size_t i)
{
    if (i < SINGLE_SIZES)
        return i + 1;
    size_t octave = (i - SINGLE_SIZES) / PER_OCTAVE;
    size_t step = (i - SINGLE_SIZES) % PER_OCTAVE + 1;
    return (SINGLE_SIZES / PER_OCTAVE * (uint64_t)(PER_OCTAVE + step))
           << octave;
}

/* The misses at `size`; *next moves to the first point at `size` or more. */
static double misses_at(const struct margay_real_point *real, size_t count,
                        size_t *next, double size, double all)
{
    while (*next < count && real[*next].cache_blocks < size)
        ++*next;
    if (*next == count)
        return count == 0 ? all : real[count - 1].misses;
    struct margay_real_point low = {0, all}, high = real[*next];
    if (*next > 0)
        low = real[*next - 1];
    double width = high.cache_blocks - low.cache_blocks;
    if (!(width > 0))
        return high.misses;
    return low.misses -
           (low.misses - high.misses) * (size - low.cache_blocks) / width;
}

enum margay_status margay_estimate_curve(const struct margay_real_point *real,
                                         size_t count,
                                         struct margay_result *result,
                                         struct margay_error *error)
{
    double last = count == 0 ? 1 : real[count - 1].cache_blocks;
    size_t point_count = 1;
    while ((double)size_at(point_count - 1) < last)
        point_count++;
    struct margay_point *points = calloc(point_count, sizeof *points);
    if (points == NULL)
        return margay_fail_memory(error, "the points of a miss curve");
    size_t next = 0;
    uint64_t misses = result->references;
    for (size_t i = 0; i < point_count; i++) {
        uint64_t size = size_at(i);
        if (i > 0 && i == point_count - 1 && (double)size > last)
            size = (uint64_t)ceil(last);
        double exact = misses_at(real, count, &next, (double)size,
                                 (double)result->references);
        if (!(exact > (double)result->infinite))
            misses = result->infinite;
        else if (exact < (double)misses)
            misses = (uint64_t)(exact + 0.5);
        points[i] = (struct margay_point){size, misses};
    }
    result->points = points;
    result->point_count = point_count;
    return MARGAY_OK;
}
