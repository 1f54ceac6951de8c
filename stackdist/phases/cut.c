/*
 * cut.c - a trace, cut where its locality changes
 *
 * Algorithm: four steps.  Miss ratios are compared by their logarithms, of
 *   which one octave is 1, so what counts is by how many times they differ; a
 *   ratio that few references make is noise, so LEAST_RATIO is added to each,
 *   and LEAST_MISSES of an interval.
 *   1. Cut where the miss curve changes.  That of each interval, at 8 sizes an
 *     octave, is a point; dynamic programming finds the pieces that are best of
 *     all, where a piece costs the squares of the distances of its intervals
 *     from their mean, by reference, and a penalty: the cost of an interval
 *     that is half of one piece and half of another, as where a phase ends
 *     within an interval, plus a multiple of the usual difference between
 *     intervals that are near, for noise.
 *   2. Join pieces that are one phase.  Two are alike if the mean curves of
 *     their later halves differ at no size by SAME_OCTAVES and the noise of so
 *     few intervals: in the earlier half, a piece may still bring its blocks
 *     in.  Neighbours that are alike are one.  A piece is the beginning of the
 *     next one if it is shorter by half, the next one uses most of its blocks,
 *     and without these first uses both would have the same misses.
 *   3. Split pieces of one miss curve where their blocks change.  Of the
 *     blocks in use in some intervals before and after a place, the share that
 *     both have in common, of the fewer of them, is small there, and smaller
 *     than all around, though it is large at either end of these
 *     neighbourhoods, and nearly everywhere else.  Widths double, so that loops
 *     of all lengths are within some neighbourhood.
 *   4. Find repeats: a phase repeats the earlier one that it is most alike;
 *     that one may miss more by first uses in caches that hold all its blocks.
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
#include <string.h>

#include "stackdist/phases/phases.h"

/* The share of the largest difference by which the middle of two points is from
   either, squared, and how often the usual difference between neighbours goes
   into a penalty. */
#define MIXED 0.25
#define NOISE 10

/* Of the references of an interval: see above. */
#define LEAST_RATIO  (1.0 / 512)
#define LEAST_MISSES 4

/* Miss ratios that differ by less than this, at all sizes, are the same. */
#define SAME_OCTAVES 0.5

/* A trace while it is cut. */
struct scene {
    const struct intervals *intervals;
    size_t bins;
    double variances[BINS]; /* of levels within pieces */
    /* Row i: the levels of all intervals before i, in all bins, times their
       references. */
    double *sums;
};

static double refs_of(const struct scene *scene, size_t from, size_t to)
{
    return (double)margay_intervals_refs(scene->intervals, from, to);
}

/* The logarithm of the miss ratio of an interval with these misses; 0 without
   any. */
static double level(const struct scene *scene, size_t interval, uint64_t misses)
{
    double window = (double)(UINT64_C(1) << scene->intervals->shift);
    double least = LEAST_RATIO + LEAST_MISSES / window;
    return log2(1 + (double)misses / refs_of(scene, interval, interval + 1) /
                        least);
}

static enum margay_status make_sums(struct scene *scene,
                                    const struct intervals *intervals,
                                    struct margay_error *error)
{
    size_t bins = margay_intervals_bins(intervals);
    double *sums = calloc((intervals->count + 1) * bins, sizeof *sums);
    *scene = (struct scene){.intervals = intervals, .bins = bins, .sums = sums};
    if (sums == NULL)
        return margay_fail_memory(error, "the intervals of phases");
    for (size_t i = 0; i < intervals->count; i++) {
        for (size_t b = 0; b < bins; b++)
            sums[(i + 1) * bins + b] =
                sums[i * bins + b] + level(scene, i, intervals->misses[i][b]) *
                                         refs_of(scene, i, i + 1);
    }
    return MARGAY_OK;
}

/* The mean level of intervals [from, to). */
static double mean(const struct scene *scene, size_t from, size_t to,
                   size_t bin)
{
    const double *sums = scene->sums + bin;
    return (sums[to * scene->bins] - sums[from * scene->bins]) /
           refs_of(scene, from, to);
}

/* The mean over all sizes of the square of the mean level of intervals [from,
   to), times their references.  The saving of pieces is their sum. */
static double square(const struct scene *scene, size_t from, size_t to)
{
    const double *last = scene->sums + to * scene->bins;
    const double *first = scene->sums + from * scene->bins;
    double sum = 0;
    for (size_t b = 1; b < scene->bins; b++)
        sum += (last[b] - first[b]) * (last[b] - first[b]);
    return sum / (double)(scene->bins - 1) / refs_of(scene, from, to);
}

static int compare(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

/* The usual saving of a cut between two intervals that are near. */
static double find_noise(const struct scene *scene)
{
    double saved[MOST * NEAR];
    size_t count = 0;
    for (size_t i = 0; i < scene->intervals->count; i++) {
        for (size_t j = i + 1; j <= i + NEAR && j < scene->intervals->count;
             j++) {
            /* As square(), of their differences, were they one piece. */
            double refs = refs_of(scene, i, i + 1);
            double others = refs_of(scene, j, j + 1);
            double sum = 0;
            for (size_t b = 1; b < scene->bins; b++) {
                double change =
                    mean(scene, i, i + 1, b) - mean(scene, j, j + 1, b);
                sum += change * change;
            }
            saved[count++] = sum / (double)(scene->bins - 1) * refs * others /
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
static void solve(const struct scene *scene, size_t *before)
{
    double best[MOST + 1] = {0};
    double refs = (double)(UINT64_C(1) << scene->intervals->shift);
    double most =
        level(scene, 0, margay_intervals_refs(scene->intervals, 0, 1));
    double penalty = MIXED * most * most * refs + NOISE * find_noise(scene);
    for (size_t to = 1; to <= scene->intervals->count; to++) {
        best[to] = -DBL_MAX;
        before[to] = 0;
        for (size_t from = 0; from + LEAST_INTERVALS <= to; from++) {
            if (best[from] == -DBL_MAX)
                continue;
            double saved = best[from] + square(scene, from, to) - penalty;
            if (saved > best[to]) {
                best[to] = saved;
                before[to] = from;
            }
        }
    }
}

/* ---------------------------------------------------------- miss curves -- */

static void find_variances(struct scene *scene, const struct pieces *pieces)
{
    size_t pairs = 0;
    memset(scene->variances, 0, sizeof scene->variances);
    /* The squares of differences within pieces. */
    for (size_t n = 0; n < pieces->count; n++) {
        const struct piece *piece = &pieces->list[n];
        for (size_t i = piece->from; i < piece->to; i++) {
            for (size_t k = 1; k <= NEAR && i + k < piece->to; k++, pairs++) {
                for (size_t b = 1; b < scene->bins; b++) {
                    double change = mean(scene, i + k, i + k + 1, b) -
                                    mean(scene, i, i + 1, b);
                    scene->variances[b] += change * change / 2;
                }
            }
        }
    }
    for (size_t b = 1; b < scene->bins && pairs > 0; b++)
        scene->variances[b] /= (double)pairs;
}

/* The levels of a stretch, in the mean, and those that it would have at least
   without the first uses of some blocks. */
struct curve {
    double intervals; /* how many */
    double levels[BINS], least[BINS];
};

static void find_curve(const struct scene *scene, size_t from, size_t to,
                       struct curve *curve)
{
    curve->intervals = (double)(to - from);
    for (size_t b = 1; b < scene->bins; b++)
        curve->least[b] = curve->levels[b] = mean(scene, from, to, b);
}

static void find_later_curve(const struct scene *scene,
                             const struct piece *piece, struct curve *curve)
{
    find_curve(scene, piece->from + (piece->to - piece->from) / 2, piece->to,
               curve);
}

/* Let caches of `blocks` blocks or more miss no block that intervals [from, to)
   are the first to use since interval `since`. */
static void forgive_first_uses(const struct scene *scene, size_t from,
                               size_t to, size_t since, uint64_t blocks,
                               struct curve *curve)
{
    const struct intervals *intervals = scene->intervals;
    for (size_t b = 1; b < scene->bins; b++) {
        double sum = 0;
        if (margay_bar_low(b, BIN_BITS) < blocks)
            continue;
        for (size_t i = from; i < to; i++) {
            uint64_t misses = intervals->misses[i][b];
            uint64_t uses = intervals->reuses[i][since];
            sum += level(scene, i, misses > uses ? misses - uses : 0) *
                   refs_of(scene, i, i + 1);
        }
        curve->least[b] = sum / refs_of(scene, from, to);
    }
}

/* The distance of a curve from another, which may miss less by its first uses,
   in units of the allowed difference: below 1 they are alike.  Noise is twice
   the usual. */
static double distance(const struct scene *scene, const struct curve *a,
                       const struct curve *b)
{
    double most = 0, few = 1 / a->intervals + 1 / b->intervals;
    for (size_t i = 1; i < scene->bins; i++)
        most =
            fmax(most,
                 fmax(a->levels[i] - b->levels[i], b->least[i] - a->levels[i]) /
                     (SAME_OCTAVES + 2 * sqrt(scene->variances[i] * few)));
    return most;
}

/* -------------------------------------------------------------- joining -- */

/* Does the first one have the misses of the second one, except first uses of
   its blocks? */
static bool is_beginning_of(const struct scene *scene,
                            const struct piece *first,
                            const struct piece *second)
{
    struct curve own, next;
    uint64_t blocks =
        margay_intervals_blocks(scene->intervals, first->from, first->to);
    uint64_t shared = margay_intervals_shared(scene->intervals, first->from,
                                              second->from, second->to);
    if (2 * (first->to - first->from) > second->to - second->from ||
        2 * shared < blocks)
        return false;
    find_curve(scene, first->from, first->to, &own);
    forgive_first_uses(scene, first->from, first->to, first->from, 0, &own);
    find_later_curve(scene, second, &next);
    return distance(scene, &next, &own) < 1;
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
    uint64_t after = margay_intervals_blocks(intervals, at, at + width);
    uint64_t shared =
        margay_intervals_shared(intervals, at - width, at, at + width);
    return (double)shared / (double)(before < after ? before : after);
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
                if (is_valley(shares, j, width) &&
                    memchr(ends + j - width, 1, 2 * width + 1) == NULL)
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

/* The nearest of the earlier pieces that repeat none, if it is alike. Caches
   that hold all its blocks may miss them only where they are new. */
static void find_repeats(const struct scene *scene, struct pieces *pieces)
{
    for (size_t index = 0; index < pieces->count; index++) {
        struct curve own, other;
        double least = 1;
        find_later_curve(scene, &pieces->list[index], &own);
        pieces->list[index].repeats = index;
        for (size_t i = 0; i < index; i++) {
            const struct piece *piece = &pieces->list[i];
            size_t half = piece->from + (piece->to - piece->from) / 2;
            if (piece->repeats != i)
                continue;
            find_later_curve(scene, piece, &other);
            forgive_first_uses(scene, half, piece->to, 0,
                               margay_intervals_blocks(scene->intervals,
                                                       piece->from, piece->to),
                               &other);
            double apart = distance(scene, &own, &other);
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
    struct scene scene;
    pieces->count = 0;
    if (intervals->count == 0)
        return MARGAY_OK;
    enum margay_status status = make_sums(&scene, intervals, error);
    if (status == MARGAY_OK) {
        solve(&scene, before);
        for (size_t to = intervals->count; to > 0; to = before[to])
            pieces->count++;
        size_t left = pieces->count;
        for (size_t to = intervals->count; to > 0; to = before[to])
            pieces->list[--left] = (struct piece){before[to], to, 0};
        find_variances(&scene, pieces);
        while (join_some(&scene, pieces))
            ;
        split(intervals, pieces);
        find_variances(&scene, pieces);
        find_repeats(&scene, pieces);
    }
    free(scene.sums);
    return status;
}
