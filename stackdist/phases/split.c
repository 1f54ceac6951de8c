/*
 * split.c - pieces of one miss curve, cut where their blocks change
 *
 * Algorithm: of the blocks in use in some intervals before and behind a place,
 *   the share that both have in common, of the fewer of them.  A piece ends
 *   where that is small, and smaller than all around, though it is large at
 *   either end of these neighbourhoods, and nearly everywhere else.  Widths
 *   double, so that loops of all lengths are within some neighbourhood.
 * Source: Dhodapkar, Smith, "Managing multi-configuration hardware via dynamic
 *   working set analysis", ISCA 2002, who compare working sets of neighbours.
 * Guarantee: none; the blocks in common are exact.
 * Cost: O(I^2) for I intervals.
 */
#include "stackdist/phases/cut.h"

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

/* Is it usually large?  Otherwise it is small by chance now and then. */
static bool is_usually_large(const double *shares, size_t from, size_t to)
{
    size_t large = 0;
    for (size_t i = from; i < to; i++)
        large += shares[i] >= LARGE;
    return (double)large >= USUALLY * (double)(to - from);
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

/* ends[i] becomes true where this piece is to end. */
static void find_ends(const struct intervals *intervals,
                      const struct piece *piece, bool *ends)
{
    double shares[MOST + 1];
    size_t from = piece->from, to = piece->to;
    for (size_t width = LEAST_INTERVALS; 4 * width <= to - from; width *= 2) {
        for (size_t i = from + width; i + width <= to; i++)
            shares[i] = share_in_common(intervals, i, width);
        if (!is_usually_large(shares, from + width, to - width + 1))
            continue;
        for (size_t i = from + 2 * width; i + 2 * width <= to; i++) {
            if (is_valley(shares, i, width) && !is_near(ends, i, width))
                ends[i] = true;
        }
    }
}

void margay_split(const struct intervals *intervals, struct pieces *pieces)
{
    bool ends[MOST + 1] = {false};
    for (size_t i = 0; i < pieces->count; i++) {
        find_ends(intervals, &pieces->list[i], ends);
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
