/*
 * binomial.c - set-associative misses predicted from reuse distances
 *
 * Algorithm: of d other blocks, Binomial(d, 1/S) fall into a block's set; it
 *   is still among the w most recent there if fewer than w did.  The terms of
 *   the sum follow from each other by multiplication.  Where the first one,
 *   (1 - 1/S)^d, is too small for a double, the sum is taken relative to its
 *   last and largest term, whose logarithm is a sum of at most 64.
 */
#include <math.h>

#include "stackdist/stackdist_internal.h"
#include <margay/assoc.h>

/* Products of terms from here on keep all their digits. */
#define SMALL 1e-290

/* The exponential function of anything less is 0. */
#define LOG_OF_NOTHING (-746.0)

static void fill(double *hits, unsigned from, unsigned ways, double value)
{
    for (unsigned w = from; w < ways; w++)
        hits[w] = value;
}

/* With mean d / S > 660 and fewer than 64 blocks in the set, terms grow with i:
   sum each row downwards from its largest. */
static void sum_small_terms(double d, double sets, unsigned ways, double *hits)
{
    double log_term = d * log1p(-1 / sets);
    for (unsigned w = 0; w < ways; w++) {
        if (w > 0)
            log_term += log((d - w + 1) / w) - log(sets - 1);
        hits[w] = 0;
        if (log_term < LOG_OF_NOTHING)
            continue;
        double relative = 1, sum = 1;
        for (unsigned i = w; i > 0; i--) {
            relative *= i * (sets - 1) / (d - i + 1);
            sum += relative;
        }
        hits[w] = exp(log_term + log(sum));
    }
}

void margay_binomial_hits(uint64_t distance, unsigned set_shift, unsigned ways,
                          double *hits)
{
    double d = (double)distance, sets = ldexp(1, (int)set_shift);
    if (distance == MARGAY_INFINITE || ways == 0) {
        fill(hits, 0, ways, 0);
        return;
    }
    /* Fewer blocks in between than ways cannot evict the block. */
    unsigned doubtful = distance < ways ? (unsigned)distance : ways;
    fill(hits, doubtful, ways, 1);
    if (set_shift == 0) {
        fill(hits, 0, doubtful, 0);
        return;
    }
    double term = exp(d * log1p(-1 / sets)), sum = term;
    if (term < SMALL) {
        sum_small_terms(d, sets, doubtful, hits);
        return;
    }
    for (unsigned w = 0; w < doubtful; w++) {
        hits[w] = sum < 1 ? sum : 1;
        term *= (d - w) / ((w + 1) * (sets - 1));
        sum += term;
    }
}

void margay_binomial_misses(const margay_histogram *histogram,
                            unsigned set_shift, unsigned ways, double *misses)
{
    double hits[MARGAY_MOST_WAYS];
    fill(misses, 0, ways, (double)margay_histogram_infinite(histogram));
    MARGAY_EACH_COUNT (histogram, distance, count) {
        margay_binomial_hits(distance, set_shift, ways, hits);
        for (unsigned w = 0; w < ways; w++)
            misses[w] += (double)count * (1 - hits[w]);
    }
}
