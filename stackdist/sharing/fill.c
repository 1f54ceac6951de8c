/*
 * fill.c - the miss curve of a program as its steps, and how fast it fills
 *
 * A cache of c blocks, c of them in use, gets its next block at the next miss,
 * which comes after references / misses(c) references on average.  So the sum
 * of these over all sizes below C is the time in which C blocks come to be in
 * use: the fill time, whose inverse is the average footprint.
 */
#include "stackdist/sharing/fill.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "traces/traces_internal.h"

/* The number of distances that occur, and of infinite ones. */
static size_t count_steps(const margay_histogram *histogram)
{
    uint64_t distance, count;
    size_t steps = 1;
    for (uint64_t from = 0;
         margay_histogram_next(histogram, from, &distance, &count);
         from = distance + 1)
        steps++;
    return steps;
}

static void fill_in(struct margay_fill *steps,
                    const margay_histogram *histogram)
{
    uint64_t distance, count;
    size_t j = 0;
    steps->misses[0] = steps->references;
    for (uint64_t from = 0;
         margay_histogram_next(histogram, from, &distance, &count);
         from = distance + 1, j++) {
        steps->sizes[j + 1] = distance + 1;
        steps->misses[j + 1] = steps->misses[j] - count;
        steps->filled[j + 1] =
            steps->filled[j] +
            (double)(distance + 1 - steps->sizes[j]) *
                ((double)steps->references / (double)steps->misses[j]);
    }
}

enum margay_status margay_fill_make(struct margay_fill *steps,
                                    const margay_histogram *histogram,
                                    struct margay_error *error)
{
    size_t count = count_steps(histogram);
    *steps = (struct margay_fill){
        .count = count,
        .sizes = calloc(count, sizeof *steps->sizes),
        .misses = calloc(count, sizeof *steps->misses),
        .filled = calloc(count, sizeof *steps->filled),
        .references = margay_histogram_references(histogram),
    };
    if (steps->sizes == NULL || steps->misses == NULL || steps->filled == NULL)
        return margay_fail_memory(error, "a miss curve");
    fill_in(steps, histogram);
    /* After a warm-up fewer references are first ones than there are blocks. */
    steps->distinct = margay_histogram_infinite(histogram);
    if (steps->distinct < steps->sizes[count - 1])
        steps->distinct = steps->sizes[count - 1];
    return MARGAY_OK;
}

void margay_fill_clear(struct margay_fill *steps)
{
    free(steps->sizes);
    free(steps->misses);
    free(steps->filled);
    *steps = (struct margay_fill){.count = 0};
}

/* Does a step begin by this size, or by this number of references? */
typedef bool begins(const struct margay_fill *steps, size_t step,
                    const void *place);

static bool begins_by_size(const struct margay_fill *steps, size_t step,
                           const void *size)
{
    return steps->sizes[step] <= *(const uint64_t *)size;
}

static bool begins_by_references(const struct margay_fill *steps, size_t step,
                                 const void *references)
{
    return steps->filled[step] <= *(const double *)references;
}

/* The last step that begins by a place; the first, where none does. */
static inline size_t find_last(const struct margay_fill *steps, begins *by,
                               const void *place)
{
    size_t least = 0, most = steps->count - 1;
    while (least < most) {
        size_t middle = most - (most - least) / 2;
        if (by(steps, middle, place))
            least = middle;
        else
            most = middle - 1;
    }
    return least;
}

size_t margay_fill_at(const struct margay_fill *steps, uint64_t size)
{
    return find_last(steps, begins_by_size, &size);
}

double margay_fill_time(const struct margay_fill *steps, uint64_t blocks)
{
    size_t j = margay_fill_at(steps, blocks);
    uint64_t more = blocks - steps->sizes[j];
    if (more == 0)
        return steps->filled[j];
    return steps->misses[j] == 0
               ? INFINITY
               : steps->filled[j] + (double)more * (double)steps->references /
                                        (double)steps->misses[j];
}

double margay_fill_footprint(const struct margay_fill *steps, double references)
{
    size_t j = find_last(steps, begins_by_references, &references);
    double slope = (double)steps->misses[j] / (double)steps->references;
    double blocks = (double)steps->sizes[j];
    if (slope > 0)
        blocks += (references - steps->filled[j]) * slope;
    return fmin(blocks, (double)steps->distinct);
}

double margay_fill_misses(const struct margay_fill *steps, double blocks)
{
    double whole = floor(blocks);
    uint64_t below = (uint64_t)whole;
    double misses = (double)steps->misses[margay_fill_at(steps, below)];
    double next = (double)steps->misses[margay_fill_at(steps, below + 1)];
    return misses + (blocks - whole) * (next - misses);
}
