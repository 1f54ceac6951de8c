/*
 * join.c - pieces that are one phase, and phases that repeat others
 *
 * Algorithm: two pieces are alike if the miss curves of their later halves
 *   differ at no size by SAME_RATIO and what noise makes of so few intervals:
 *   in the earlier half, a piece may still bring its blocks in.  Neighbours
 *   that are alike are one.  A piece is the beginning of the next one if it is
 *   shorter by half, the next one uses most of its blocks, and without these
 *   first uses it would miss what the next one misses.  A phase repeats the
 *   earlier one that it is most alike.
 * Source: phases that begin with a transition and recur: Shen, Zhong, Ding,
 *   "Locality phase prediction", ASPLOS 2004; the rules are ours.
 * Guarantee: a phase that repeats another is alike it, and one that repeats
 *   none is alike no earlier one of these.
 * Cost: O(P^2 B) for P pieces and B bins.
 */
#include <math.h>

#include "stackdist/phases/cut.h"

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

/* Add the squares of differences within a piece; returns the number of pairs.
 */
static size_t add_variances(struct scene *scene, const struct piece *piece)
{
    size_t pairs = 0;
    for (size_t i = piece->from; i < piece->to; i++) {
        for (size_t k = 1; k <= NEAR && i + k < piece->to; k++) {
            for (size_t b = 1; b < scene->bins; b++) {
                double change = ratio(scene->intervals, i + k, b) -
                                ratio(scene->intervals, i, b);
                scene->variances[b] += change * change / 2;
            }
            pairs++;
        }
    }
    return pairs;
}

static void set_scene(struct scene *scene, const struct intervals *intervals,
                      const struct pieces *pieces)
{
    size_t pairs = 0;
    *scene = (struct scene){
        .intervals = intervals,
        .bins = margay_intervals_bins(intervals),
    };
    for (size_t i = 0; i < pieces->count; i++)
        pairs += add_variances(scene, &pieces->list[i]);
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

static bool are_alike(const struct scene *scene, const struct piece *first,
                      const struct piece *second)
{
    struct curve curves[2];
    find_later_curve(scene, first, &curves[0]);
    find_later_curve(scene, second, &curves[1]);
    return distance(scene, &curves[0], &curves[1]) < 1;
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

/* Piece `index` and the next one. */
static void join_two(struct pieces *pieces, size_t index)
{
    pieces->list[index].to = pieces->list[index + 1].to;
    pieces->count--;
    for (size_t i = index + 1; i < pieces->count; i++)
        pieces->list[i] = pieces->list[i + 1];
}

/* From the end, so that all pieces of a beginning come to it. */
static bool join_some(const struct scene *scene, struct pieces *pieces)
{
    size_t before = pieces->count;
    for (size_t i = pieces->count; i-- > 1;) {
        const struct piece *pair = &pieces->list[i - 1];
        if (are_alike(scene, &pair[0], &pair[1]) ||
            is_beginning_of(scene, &pair[0], &pair[1]))
            join_two(pieces, i - 1);
    }
    return pieces->count < before;
}

void margay_join(const struct intervals *intervals, struct pieces *pieces)
{
    struct scene scene;
    set_scene(&scene, intervals, pieces);
    while (join_some(&scene, pieces))
        ;
}

/* ------------------------------------------------------------ repeating -- */

static size_t find_earlier(const struct scene *scene,
                           const struct pieces *pieces, size_t index)
{
    struct curve own, other;
    size_t nearest = index;
    double least = 1;
    find_later_curve(scene, &pieces->list[index], &own);
    for (size_t i = 0; i < index; i++) {
        if (pieces->list[i].repeats != i)
            continue;
        find_later_curve(scene, &pieces->list[i], &other);
        double apart = distance(scene, &own, &other);
        if (apart < least) {
            least = apart;
            nearest = i;
        }
    }
    return nearest;
}

void margay_find_repeats(const struct intervals *intervals,
                         struct pieces *pieces)
{
    struct scene scene;
    set_scene(&scene, intervals, pieces);
    for (size_t i = 0; i < pieces->count; i++)
        pieces->list[i].repeats = find_earlier(&scene, pieces, i);
}
