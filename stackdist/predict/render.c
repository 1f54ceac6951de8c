/* render.c - real shares at real distances as a histogram of counts */
#include "stackdist/predict/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stackdist/predict/forms.h"
#include "traces/traces_internal.h"
#include <margay/prediction.h>

/* The most dots that a share is divided into; a model is no more precise than a
   sixty-fourth of an interval. */
#define MOST_DOTS 64

/* The least distance that a histogram cannot count. */
#define TOO_FAR 72057594037927936.0 /* 2^56 */

static enum margay_status append(struct margay_plot *plot,
                                 const struct margay_dot *dot,
                                 struct margay_error *error)
{
    struct margay_dot *dots =
        margay_grow(plot->dots, plot->count, &plot->capacity, sizeof *dots);
    if (dots == NULL)
        return margay_fail_memory(error, "a predicted histogram");
    plot->dots = dots;
    plot->dots[plot->count++] = *dot;
    return MARGAY_OK;
}

enum margay_status margay_plot_add(struct margay_plot *plot, double least,
                                   double most, double share,
                                   struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (!(most >= least))
        most = least;
    if (!(most < TOO_FAR))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "the size is too large: a distance of %g is "
                           "predicted (expected less than 2^56)",
                           most);
    uint64_t from = least < 0 ? 0 : (uint64_t)(least + 0.5);
    uint64_t span = (most < 0 ? 0 : (uint64_t)(most + 0.5)) - from;
    uint64_t dots = span < MOST_DOTS ? span + 1 : MOST_DOTS;
    for (uint64_t i = 0; i < dots && status == MARGAY_OK; i++) {
        /* In the middle of its part; each distance where there are few. */
        uint64_t at = dots == span + 1
                          ? from + i
                          : from + span / dots * i + span / dots / 2;
        struct margay_dot dot = {at, share / (double)dots};
        status = append(plot, &dot, error);
    }
    return status;
}

static int compare_dots(const void *left, const void *right)
{
    const struct margay_dot *a = left, *b = right;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    /* The order decides the rounding of sums, so it is total. */
    return (a->share > b->share) - (a->share < b->share);
}

enum margay_status margay_plot_draw(struct margay_plot *plot,
                                    uint64_t references, uint64_t cold,
                                    margay_histogram **histogram,
                                    struct margay_error *error)
{
    uint64_t finite = references - cold, given = 0;
    double sum = 0, all = 0;
    enum margay_status status = margay_histogram_create(histogram, error);
    if (status != MARGAY_OK)
        return status;
    qsort(plot->dots, plot->count, sizeof *plot->dots, compare_dots);
    for (size_t i = 0; i < plot->count; i++)
        all += plot->dots[i].share;
    status = margay_histogram_add(*histogram, MARGAY_INFINITE, cold, error);
    if (status == MARGAY_OK && !(all > 0))
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "there is nothing left of the model");
    for (size_t i = 0; i < plot->count && status == MARGAY_OK; i++) {
        sum += plot->dots[i].share;
        uint64_t due = i + 1 == plot->count
                           ? finite
                           : (uint64_t)(sum / all * (double)finite + 0.5);
        if (due > finite)
            due = finite;
        if (due > given)
            status = margay_histogram_add(*histogram, plot->dots[i].distance,
                                          due - given, error);
        given = due > given ? due : given;
    }
    if (status != MARGAY_OK) {
        margay_histogram_free(*histogram);
        *histogram = NULL;
    }
    return status;
}

void margay_plot_clear(struct margay_plot *plot)
{
    free(plot->dots);
    *plot = (struct margay_plot){0};
}

/* ------------------------------------------------------------ comparing -- */

static size_t log2_bin(uint64_t distance)
{
    return distance == 0 ? 0 : margay_log2_floor(distance) + 1;
}

/* The references in each bin; returns the number of bins that matter. */
static size_t count_log2(const margay_histogram *histogram,
                         uint64_t counts[MARGAY_LOG2_BINS])
{
    uint64_t distance, count;
    size_t bins = 0;
    memset(counts, 0, MARGAY_LOG2_BINS * sizeof *counts);
    for (uint64_t from = 0;
         margay_histogram_next(histogram, from, &distance, &count);
         from = distance + 1) {
        counts[log2_bin(distance)] += count;
        bins = log2_bin(distance) + 1;
    }
    return bins;
}

void margay_log2_shares(const margay_histogram *histogram,
                        double shares[MARGAY_LOG2_BINS])
{
    uint64_t counts[MARGAY_LOG2_BINS];
    double finite = (double)margay_finite_references(histogram);
    count_log2(histogram, counts);
    for (size_t i = 0; i < MARGAY_LOG2_BINS; i++)
        shares[i] = (double)counts[i] / finite;
}

double margay_signature_accuracy(const margay_histogram *histogram,
                                 const margay_histogram *other)
{
    double shares[MARGAY_LOG2_BINS], others[MARGAY_LOG2_BINS], apart = 0;
    margay_log2_shares(histogram, shares);
    margay_log2_shares(other, others);
    bool has_common = false; /* otherwise rounding may leave more than 0 */
    for (size_t i = 0; i < MARGAY_LOG2_BINS; i++) {
        apart += fabs(shares[i] - others[i]);
        has_common |= shares[i] > 0 && others[i] > 0;
    }
    return has_common ? 1 - apart / 2 : 0;
}

/* A cache of 2^k blocks hits in bins 0 .. k. */
double margay_curve_difference(const margay_histogram *histogram,
                               const margay_histogram *other)
{
    uint64_t counts[MARGAY_LOG2_BINS], others[MARGAY_LOG2_BINS];
    size_t bins = count_log2(histogram, counts);
    size_t more = count_log2(other, others);
    double hits = 0, other_hits = 0, apart = 0;
    if (more > bins)
        bins = more;
    if (bins == 0)
        bins = 1;
    for (size_t i = 0; i < bins; i++) {
        hits += (double)counts[i];
        other_hits += (double)others[i];
        apart += fabs(hits / (double)margay_histogram_references(histogram) -
                      other_hits / (double)margay_histogram_references(other));
    }
    return apart / (double)bins;
}
