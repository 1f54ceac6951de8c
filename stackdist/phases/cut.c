/*
 * cut.c - a trace, cut where its locality changes
 *
 * Algorithm: four steps.
 *   1. Cut where the miss curve changes.  That of each interval, at 8 sizes an
 *     octave, is a point; dynamic programming finds the pieces that are best of
 *     all, where a piece costs the squares of the distances of its intervals
 *     from their mean, by reference, and a penalty: what an interval costs that
 *     is half of one piece and half of another, as where a phase ends within an
 *     interval, and some times the usual difference between intervals that are
 *     near, for noise.
 *   2. Join pieces that are one phase.  Two are alike if the miss curves of
 *     their later halves differ at no size by SAME_RATIO and what noise makes
 *     of so few intervals: in the earlier half, a piece may still bring its
 *     blocks in.  Neighbours that are alike are one.  A piece is the beginning
 *     of the next one if it is shorter by half, the next one uses most of its
 *     blocks, and without these first uses it would miss what the next one
 *     misses.
 *   3. Split pieces of one miss curve where their blocks change.  Of the
 *     blocks in use in some intervals before and after a place, the share that
 *     both have in common, of the fewer of them, is small there, and smaller
 *     than all around, though it is large at either end of these
 *     neighbourhoods, and nearly everywhere else.  Widths double, so that loops
 *     of all lengths are within some neighbourhood.
 *   4. Find repeats: a phase repeats the earlier one that it is most alike.
 * Source: Jackson et al., "An algorithm for optimal partitioning of data on an
 *   interval", IEEE Signal Processing Letters 12(2), 2005; intervals by reuse
 *   distances, phases that begin with a transition and recur: Shen, Zhong,
 *   Ding, "Locality phase prediction", ASPLOS 2004; working sets of neighbours:
 *   Dhodapkar, Smith, "Managing multi-configuration hardware via dynamic
 *   working set analysis", ISCA 2002.  The rules of joining are ours.
 * Guarantee: the first step has the least cost, at the ends of intervals; a
 *   phase that repeats another is alike it, and one that repeats none is alike
 *   no earlier one of these.
 * Cost: O(I^2 B) for I intervals and B bins: 0.1 s at most, and 4 MiB.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "stackdist/phases/phases.h"
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

static int compare(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

/* What is usually saved by a cut between two intervals that are near. */
static double find_noise(const struct sums *sums)
{
    const struct intervals *intervals = sums->intervals;
    double saved[MOST * NEAR];
    size_t count = 0;
    for (size_t i = 0; i < intervals->count; i++) {
        for (size_t j = i + 1; j <= i + NEAR && j < intervals->count; j++) {
            /* As square(), of their differences, were they one piece. */
            double refs = (double)margay_intervals_refs(intervals, i, i + 1);
            double others = (double)margay_intervals_refs(intervals, j, j + 1);
            double sum = 0;
            for (size_t b = 1; b < sums->bins; b++) {
                double change = (double)intervals->misses[i][b] / refs -
                                (double)intervals->misses[j][b] / others;
                sum += change * change;
            }
            saved[count++] = sum / (double)(sums->bins - 1) * refs * others /
                             (refs + others);
        }
    }
    if (count == 0)
        return 0;
    qsort(saved, count, sizeof *saved, compare);
    return saved[count / 2];
}

/* before[to] becomes where the last of the pieces begins that save the most of
   all that end there. */
static void solve(const struct sums *sums, size_t *before)
{
    double best[MOST + 1] = {0};
    double refs = (double)(UINT64_C(1) << sums->intervals->shift);
    double penalty = MIXED * refs + NOISE * find_noise(sums);
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

/* ---------------------------------------------------------- miss curves -- */

/* The intervals, and how much their miss ratios vary. */
struct scene {
    const struct intervals *intervals;
    size_t bins;
    double variances[BINS];
};

static double ratio(const struct intervals *intervals, size_t interval,
                    size_t bin)
{
    return (double)intervals->misses[interval][bin] /
           (double)margay_intervals_refs(intervals, interval, interval + 1);
}

static void set_scene(struct scene *scene, const struct intervals *intervals,
                      const struct pieces *pieces)
{
    size_t pairs = 0;
    *scene = (struct scene){
        .intervals = intervals,
        .bins = margay_intervals_bins(intervals),
    };
    /* The squares of differences within pieces. */
    for (size_t n = 0; n < pieces->count; n++) {
        const struct piece *piece = &pieces->list[n];
        for (size_t i = piece->from; i < piece->to; i++) {
            for (size_t k = 1; k <= NEAR && i + k < piece->to; k++, pairs++) {
                for (size_t b = 1; b < scene->bins; b++) {
                    double change =
                        ratio(intervals, i + k, b) - ratio(intervals, i, b);
                    scene->variances[b] += change * change / 2;
                }
            }
        }
    }
    for (size_t b = 1; b < scene->bins && pairs > 0; b++)
        scene->variances[b] /= (double)pairs;
}

/* The miss ratios of a stretch. */
struct curve {
    double intervals; /* how many */
    double ratios[BINS];
};

static void find_curve(const struct scene *scene, size_t from, size_t to,
                       struct curve *curve)
{
    uint64_t misses[BINS];
    double refs = (double)margay_intervals_refs(scene->intervals, from, to);
    margay_intervals_misses(scene->intervals, from, to, misses);
    curve->intervals = (double)(to - from);
    for (size_t b = 1; b < scene->bins; b++)
        curve->ratios[b] = (double)misses[b] / refs;
}

static void find_later_curve(const struct scene *scene,
                             const struct piece *piece, struct curve *curve)
{
    find_curve(scene, piece->from + (piece->to - piece->from) / 2, piece->to,
               curve);
}

/* What two curves may differ by in a bin: noise is twice the usual. */
static double tolerance(const struct scene *scene, const struct curve *a,
                        const struct curve *b, size_t bin)
{
    return SAME_RATIO + 2 * sqrt(scene->variances[bin] *
                                 (1 / a->intervals + 1 / b->intervals));
}

/* How far two curves are from each other, in tolerances: below 1 they are
   alike. */
static double distance(const struct scene *scene, const struct curve *a,
                       const struct curve *b)
{
    double most = 0;
    for (size_t i = 1; i < scene->bins; i++)
        most = fmax(most, fabs(a->ratios[i] - b->ratios[i]) /
                              tolerance(scene, a, b, i));
    return most;
}

/* -------------------------------------------------------------- joining -- */

/* Does the first one miss what the second one misses, but for first uses of
   its blocks? */
static bool differs_by_first_uses(const struct scene *scene,
                                  const struct piece *first,
                                  const struct piece *second)
{
    const struct intervals *intervals = scene->intervals;
    struct curve own, next;
    find_curve(scene, first->from, first->to, &own);
    find_later_curve(scene, second, &next);
    double uses =
        (double)margay_intervals_blocks(intervals, first->from, first->to) /
        (double)margay_intervals_refs(intervals, first->from, first->to);
    for (size_t b = 1; b < scene->bins; b++) {
        double most = tolerance(scene, &own, &next, b);
        if (next.ratios[b] > own.ratios[b] + most ||
            next.ratios[b] < own.ratios[b] - uses - most)
            return false;
    }
    return true;
}

static bool is_beginning_of(const struct scene *scene,
                            const struct piece *first,
                            const struct piece *second)
{
    uint64_t blocks =
        margay_intervals_blocks(scene->intervals, first->from, first->to);
    uint64_t shared = margay_intervals_shared(scene->intervals, first->from,
                                              second->from, second->to);
    return 2 * (first->to - first->from) <= second->to - second->from &&
           2 * shared >= blocks && differs_by_first_uses(scene, first, second);
}

/* From the end, so that all pieces of a beginning come to it. */
static bool join_some(const struct scene *scene, struct pieces *pieces)
{
    size_t before = pieces->count;
    for (size_t i = pieces->count; i-- > 1;) {
        const struct piece *pair = &pieces->list[i - 1];
        struct curve curves[2];
        find_later_curve(scene, &pair[0], &curves[0]);
        find_later_curve(scene, &pair[1], &curves[1]);
        if (distance(scene, &curves[0], &curves[1]) < 1 ||
            is_beginning_of(scene, &pair[0], &pair[1])) {
            pieces->list[i - 1].to = pieces->list[i].to;
            pieces->count--;
            for (size_t j = i; j < pieces->count; j++)
                pieces->list[j] = pieces->list[j + 1];
        }
    }
    return pieces->count < before;
}

/* ------------------------------------------------------------- splitting -- */

/* The shares that are small and large. */
#define SMALL 0.25
#define LARGE 0.75

/* The share of places that is usual. */
#define USUALLY 0.9

static double share_in_common(const struct intervals *intervals, size_t at,
                              size_t width)
{
    uint64_t before = margay_intervals_blocks(intervals, at - width, at);
    uint64_t behind = margay_intervals_blocks(intervals, at, at + width);
    uint64_t shared =
        margay_intervals_shared(intervals, at - width, at, at + width);
    return (double)shared / (double)(before < behind ? before : behind);
}

static bool is_valley(const double *shares, size_t at, size_t width)
{
    if (shares[at] > SMALL || shares[at - width] < LARGE ||
        shares[at + width] < LARGE)
        return false;
    for (size_t i = 1; i <= width; i++) {
        if (shares[at - i] <= shares[at] || shares[at + i] < shares[at])
            return false;
    }
    return true;
}

static bool is_near(const bool *ends, size_t at, size_t width)
{
    for (size_t i = at - width; i <= at + width; i++) {
        if (ends[i])
            return true;
    }
    return false;
}

static void split(const struct intervals *intervals, struct pieces *pieces)
{
    bool ends[MOST + 1] = {false};
    for (size_t i = 0; i < pieces->count; i++) {
        /* ends[j] becomes true where this piece is to end. */
        double shares[MOST + 1];
        size_t from = pieces->list[i].from, to = pieces->list[i].to;
        for (size_t width = LEAST_INTERVALS; 4 * width <= to - from;
             width *= 2) {
            for (size_t j = from + width; j + width <= to; j++)
                shares[j] = share_in_common(intervals, j, width);
            /* Is it usually large?  Otherwise it is small by chance now and
               then. */
            size_t large = 0, places = to - from + 1 - 2 * width;
            for (size_t j = from + width; j + width <= to; j++)
                large += shares[j] >= LARGE;
            if ((double)large < USUALLY * (double)places)
                continue;
            for (size_t j = from + 2 * width; j + 2 * width <= to; j++) {
                if (is_valley(shares, j, width) && !is_near(ends, j, width))
                    ends[j] = true;
            }
        }
        ends[pieces->list[i].to] = true;
    }
    pieces->count = 0;
    for (size_t from = 0, to = 1; to <= intervals->count; to++) {
        if (!ends[to])
            continue;
        pieces->list[pieces->count++] = (struct piece){from, to, 0};
        from = to;
    }
}

/* ------------------------------------------------------------ repeating -- */

/* The nearest of the earlier pieces that repeat none, if it is alike. */
static void find_repeats(const struct intervals *intervals,
                         struct pieces *pieces)
{
    struct scene scene;
    set_scene(&scene, intervals, pieces);
    for (size_t index = 0; index < pieces->count; index++) {
        struct curve own, other;
        double least = 1;
        find_later_curve(&scene, &pieces->list[index], &own);
        pieces->list[index].repeats = index;
        for (size_t i = 0; i < index; i++) {
            if (pieces->list[i].repeats != i)
                continue;
            find_later_curve(&scene, &pieces->list[i], &other);
            double apart = distance(&scene, &own, &other);
            if (apart < least) {
                least = apart;
                pieces->list[index].repeats = i;
            }
        }
    }
}

/* ------------------------------------------------------------ all of it -- */

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
        pieces->count = 0;
        for (size_t to = intervals->count; to > 0; to = before[to])
            pieces->count++;
        size_t left = pieces->count;
        for (size_t to = intervals->count; to > 0; to = before[to])
            pieces->list[--left] = (struct piece){before[to], to, 0};
    }
    free(sums.rows);
    if (status == MARGAY_OK) {
        struct scene scene;
        set_scene(&scene, intervals, pieces);
        while (join_some(&scene, pieces))
            ;
        split(intervals, pieces);
        find_repeats(intervals, pieces);
    }
    return status;
}
