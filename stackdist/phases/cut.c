/*
 * cut.c - a trace, cut where its miss curve changes
 *
 * Algorithm: the miss curve of each interval, at 8 sizes an octave, is a point;
 *   dynamic programming finds the pieces that are best of all, where a piece
 *   costs the squares of the distances of its intervals from their mean, by
 *   reference, and a penalty: what an interval costs that is half of one piece
 *   and half of another, as where a phase ends within an interval, and some
 *   times the usual difference between intervals that are near, for noise.
 * Source: Jackson et al., "An algorithm for optimal partitioning of data on an
 *   interval", IEEE Signal Processing Letters 12(2), 2005; intervals by reuse
 *   distances, Shen, Zhong, Ding, "Locality phase prediction", ASPLOS 2004.
 * Guarantee: the least cost, at the ends of intervals.
 * Cost: O(I^2 B) for I intervals and B bins: 0.1 s at most, and 4 MiB.
 */
#include <float.h>
#include <stdlib.h>

#include "stackdist/phases/cut.h"
#include "traces/traces_internal.h"

/* The square of the distance of the middle of two points from either, at most,
   and how often the usual difference between neighbours goes into a penalty. */
#define MIXED 0.25
#define NOISE 10

/* Row i: the misses of all intervals before i, in all bins. */
struct sums {
    const struct intervals *intervals;
    size_t bins;
    double *rows;
};

static enum margay_status make_sums(struct sums *sums,
                                    const struct intervals *intervals,
                                    struct margay_error *error)
{
    size_t bins = margay_intervals_bins(intervals);
    double *rows = calloc((intervals->count + 1) * bins, sizeof *rows);
    *sums = (struct sums){intervals, bins, rows};
    if (rows == NULL)
        return margay_fail_memory(error, "the intervals of phases");
    for (size_t i = 0; i < intervals->count; i++) {
        for (size_t b = 0; b < bins; b++)
            rows[(i + 1) * bins + b] =
                rows[i * bins + b] + (double)intervals->misses[i][b];
    }
    return MARGAY_OK;
}

/* The mean over all sizes of the square of the miss ratio of intervals [from,
   to), times their references.  What pieces save is the sum of theirs. */
static double square(const struct sums *sums, size_t from, size_t to)
{
    const double *last = sums->rows + to * sums->bins;
    const double *first = sums->rows + from * sums->bins;
    double sum = 0;
    for (size_t b = 1; b < sums->bins; b++)
        sum += (last[b] - first[b]) * (last[b] - first[b]);
    return sum / (double)(sums->bins - 1) /
           (double)margay_intervals_refs(sums->intervals, from, to);
}

/* The same of the differences of two single intervals, were they one piece. */
static double saved_by_cut(const struct sums *sums, size_t i, size_t j)
{
    const struct intervals *intervals = sums->intervals;
    double refs = (double)margay_intervals_refs(intervals, i, i + 1);
    double others = (double)margay_intervals_refs(intervals, j, j + 1);
    double sum = 0;
    for (size_t b = 1; b < sums->bins; b++) {
        double change = (double)intervals->misses[i][b] / refs -
                        (double)intervals->misses[j][b] / others;
        sum += change * change;
    }
    return sum / (double)(sums->bins - 1) * refs * others / (refs + others);
}

static int compare(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

/* What is usually saved by a cut between two intervals that are near. */
static double find_noise(const struct sums *sums)
{
    double saved[MOST * NEAR];
    size_t count = 0;
    for (size_t i = 0; i < sums->intervals->count; i++) {
        for (size_t k = 1; k <= NEAR && i + k < sums->intervals->count; k++)
            saved[count++] = saved_by_cut(sums, i, i + k);
    }
    if (count == 0)
        return 0;
    qsort(saved, count, sizeof *saved, compare);
    return saved[count / 2];
}

static double find_penalty(const struct sums *sums)
{
    double refs = (double)(UINT64_C(1) << sums->intervals->shift);
    return MIXED * refs + NOISE * find_noise(sums);
}

/* before[to] becomes where the last of the pieces begins that save the most of
   all that end there. */
static void solve(const struct sums *sums, size_t *before)
{
    double best[MOST + 1] = {0}, penalty = find_penalty(sums);
    for (size_t to = 1; to <= sums->intervals->count; to++) {
        best[to] = -DBL_MAX;
        before[to] = 0;
        for (size_t from = 0; from + LEAST_INTERVALS <= to; from++) {
            if (best[from] == -DBL_MAX)
                continue;
            double saved = best[from] + square(sums, from, to) - penalty;
            if (saved > best[to]) {
                best[to] = saved;
                before[to] = from;
            }
        }
    }
}

static void list_pieces(struct pieces *pieces, const size_t *before,
                        size_t count)
{
    pieces->count = 0;
    for (size_t to = count; to > 0; to = before[to])
        pieces->count++;
    size_t left = pieces->count;
    for (size_t to = count; to > 0; to = before[to])
        pieces->list[--left] = (struct piece){before[to], to, 0};
}

enum margay_status margay_cut(const struct intervals *intervals,
                              struct pieces *pieces, struct margay_error *error)
{
    size_t before[MOST + 1];
    struct sums sums;
    pieces->count = 0;
    if (intervals->count == 0)
        return MARGAY_OK;
    enum margay_status status = make_sums(&sums, intervals, error);
    if (status == MARGAY_OK) {
        solve(&sums, before);
        list_pieces(pieces, before, intervals->count);
    }
    free(sums.rows);
    return status;
}
