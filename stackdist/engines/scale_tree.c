/*
 * scale_tree.c - distances to a relative precision
 *
 * Algorithm: the older a range of time is, the more blocks it may hold: at most
 *   the share e of all blocks that are at least as new, so that a distance is
 *   wrong by no more than that share.  Each reference takes its block out of
 *   its range and makes a new range; when there are twice as many ranges as
 *   needed, neighbours that fit one range are joined, from the newest on.  The
 *   ranges are in arrays, which are rewritten when the paper's tree is rebuilt.
 * Source: Zhong, Shen, Ding, "Program locality analysis using reuse distance",
 *   ACM TOPLAS 31(6), 2009, section 2.1.  In its listing a query forgets the
 *   blocks after the found node, a merger frees the wrong node, and an
 *   insertion does not link the newest; all this is corrected here.
 * Guarantee: 0 <= d - d' <= e d for every reference.
 * Cost: O(N log log M) comparisons and as many additions of vectors; O(log M /
 *   e) space besides the O(M) of the hash table: 4 log M + 4 ranges, logarithms
 *   to the base 1 / (1 - e).
 */
#include <math.h>
#include <stdlib.h>

#include "stackdist/engines/approximate.h"

struct scale {
    struct margay_approximate approximate;
    struct margay_ranges ranges;
    double growth;        /* e / (1 - e) */
    double log_base;      /* ln 1 / (1 - e) */
    uint32_t blocks;      /* in all ranges */
    uint32_t compress_at; /* the number of ranges at which to compress them, or
                             to compute this number anew */
    uint32_t host;        /* the range found last */
};

/* ---------------------------------------------------------- compression -- */

/* Join ranges from the newest to the oldest: one that has `newer` blocks after
   it may hold floor(newer e / (1 - e)) + 1. */
static enum margay_status compress(struct scale *scale,
                                   struct margay_error *error)
{
    struct margay_ranges *ranges = &scale->ranges;
    uint32_t *ends = malloc(2 * (size_t)ranges->capacity * sizeof *ends);
    if (ends == NULL)
        return margay_fail_memory(error, "the ranges of a scale tree");
    uint32_t *sizes = ends + ranges->capacity;
    uint32_t *all_sizes = margay_ranges_sizes(ranges), kept = 0;
    double newer = 0, capacity = 1;
    for (uint32_t i = ranges->count; i-- > 0;) {
        if (kept > 0 && (double)sizes[kept - 1] + all_sizes[i] <= capacity) {
            sizes[kept - 1] += all_sizes[i];
            continue;
        }
        if (kept > 0) {
            newer += sizes[kept - 1];
            capacity = floor(newer * scale->growth) + 1;
        }
        ends[kept] = ranges->ends[i];
        sizes[kept++] = all_sizes[i];
    }
    for (uint32_t i = 0; i < kept; i++) {
        ranges->ends[i] = ends[kept - 1 - i];
        all_sizes[i] = sizes[kept - 1 - i];
    }
    margay_ranges_rewrite(ranges, kept);
    free(ends);
    return MARGAY_OK;
}

/* ----------------------------------------------------------- references -- */

/* The range of a time.  A program that goes through its blocks in order often
   finds the range of the reference before, or the next. */
static uint32_t find_host(struct scale *scale, uint32_t time)
{
    const struct margay_ranges *ranges = &scale->ranges;
    uint32_t host = scale->host;
    host += ranges->ends[host] < time; /* or in the next one */
    if (ranges->ends[host] < time ||
        (host > 0 && ranges->ends[host - 1] >= time))
        host = margay_ranges_find(ranges, time);
    scale->host = host;
    return host;
}

static enum margay_status scale_refer(void *state, uint32_t last, uint32_t now,
                                      uint32_t *distance,
                                      struct margay_error *error)
{
    struct scale *scale = state;
    struct margay_ranges *ranges = &scale->ranges;
    if (last == 0) {
        scale->blocks++;
    } else {
        uint32_t host = find_host(scale, last);
        if (host == ranges->count - 1 &&
            margay_ranges_sizes(ranges)[host] == 1) {
            *distance = 0; /* the newest range is this block's alone */
            ranges->ends[host] = now;
            return MARGAY_OK;
        }
        *distance = margay_ranges_newer(ranges, host);
        margay_ranges_add(ranges, host, -1);
    }
    margay_ranges_append(ranges, now);
    /* The limit (Theorem 1) grows with the blocks, so it is computed anew when
       it is reached.  A compression halves the ranges. */
    enum margay_status status = MARGAY_OK;
    if (scale->ranges.count < scale->compress_at)
        return MARGAY_OK;
    double blocks = scale->blocks < 1 ? 1 : scale->blocks;
    double most = 4 * log(blocks) / scale->log_base + 4;
    if (scale->ranges.count >= most)
        status = compress(scale, error);
    if (status == MARGAY_OK)
        status =
            margay_ranges_reserve(&scale->ranges, (uint64_t)most + 2, error);
    scale->compress_at = (uint32_t)ceil(most);
    return status;
}

static uint32_t scale_rename_time(void *state, uint32_t time)
{
    const struct scale *scale = state;
    return margay_ranges_find(&scale->ranges, time) + 1;
}

static uint32_t scale_rename_ends(void *state)
{
    struct scale *scale = state;
    for (uint32_t i = 0; i < scale->ranges.count; i++)
        scale->ranges.ends[i] = i + 1;
    return scale->ranges.count;
}

static uint64_t scale_count(const void *state)
{
    return ((const struct scale *)state)->ranges.count;
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    static const struct margay_approximate_class class = {
        .refer = scale_refer,
        .rename_time = scale_rename_time,
        .rename_ends = scale_rename_ends,
        .count = scale_count,
    };
    struct scale *scale = state;
    double precision = setup->settings.fractions[0];
    scale->growth = precision / (1 - precision);
    scale->log_base = -log1p(-precision);
    enum margay_status status =
        margay_approximate_create(&scale->approximate, &class, error);
    if (status == MARGAY_OK)
        status = margay_ranges_create(&scale->ranges, error);
    return status;
}

static void destroy(void *state)
{
    struct scale *scale = state;
    margay_approximate_destroy(&scale->approximate);
    margay_ranges_destroy(&scale->ranges);
}

const struct margay_engine_class margay_engine_scale_tree = {
    .info = {.name = "scale-tree",
             .guarantee = "0 <= d - d' <= e d for every reference",
             .parameters = "e=0.01|0.0001..0.99",
             .time = "O(N log log M)",
             .space = "O(M) and O(log M / e) ranges",
             .source = "Zhong, Shen, Ding 2009"},
    .can = MARGAY_GIVES_DISTANCES,
    MARGAY_APPROXIMATE_FUNCTIONS(struct scale),
};
