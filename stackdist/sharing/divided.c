/*
 * divided.c - the division of a cache that has the fewest misses
 *
 * Algorithm: dynamic programming over the programs, with the blocks given away
 *   so far as the state, on the steps of the curves alone: a part between two
 *   steps is no better than the lower one.  What makes it fast is a bound.  Let
 *   a block cost L misses.  Each program then has a cheapest step, and the sum
 *   of these, less L for each block of the cache, is no more than the fewest
 *   misses; the excess of any other step over its program's cheapest adds to
 *   that.  So no step, and no state, is of use whose excess is above what a
 *   division that is known misses beyond the bound.  L is the slope at which
 *   the lower convex hulls of the curves, followed from the steepest piece on,
 *   use up the cache; and the division known is the one that this gives.
 * Source: the recurrence is that of Bellman; for caches, Stone, Turek, Wolf,
 *   IEEE TC 41(9), 1992, and Brock et al. (shared.c).  The bound is that of
 *   Lagrangian relaxation.
 * Guarantee: exact, for curves of any shape; costs are whole numbers of 128
 *   bits.
 * Cost: O(K) for each program for hull and bound; then, in the worst case, K
 *   times the blocks of the cache for each program, in time and a few hundred
 *   bytes for each block, but mostly a few steps near the hull.
 */
#include <stdlib.h>
#include <string.h>

#include "stackdist/sharing/fill.h"
#include "traces/traces_internal.h"

__extension__ typedef __int128 cost;

/* The part of a program that is being built up. */
struct part {
    const struct margay_fill *steps;
    size_t first, last; /* steps that may be taken: those that are fair, and
                           not larger than the cache */
    size_t *hull;       /* steps on the lower convex hull; owned */
    size_t hull_count;
    size_t taken;   /* the step of the division known, on the hull */
    cost cheapest;  /* in misses times `blocks` of the slope */
    size_t at_hull; /* how far along the hull */
};

/* A state: what the programs up to one have together. */
struct state {
    uint64_t used, misses;
    size_t step;   /* of the last program */
    size_t before; /* the state of those before */
};

struct states {
    struct state *list; /* used ascends, misses descend */
    size_t count, room;
};

struct division {
    const margay_sharing *sharing;
    uint64_t cache_blocks;
    struct part parts[MARGAY_MOST_SHARERS];
    /* What a block costs: misses / blocks. */
    uint64_t slope_misses, slope_blocks;
    cost gap; /* the most excess, in misses times slope_blocks */
    struct states layers[MARGAY_MOST_SHARERS];
};

/* ----------------------------------------------------------------- hull -- */

/* Is step b above the line from a to c, or on it? */
static bool is_above(const struct part *part, size_t a, size_t b, size_t c)
{
    const uint64_t *misses = part->steps->misses;
    cost run_b = part->steps->sizes[b] - part->steps->sizes[a];
    cost run_c = part->steps->sizes[c] - part->steps->sizes[a];
    cost fall_b = misses[a] - misses[b], fall_c = misses[a] - misses[c];
    return fall_b * run_c <= fall_c * run_b;
}

static enum margay_status make_hull(struct part *part,
                                    struct margay_error *error)
{
    size_t count = 0;
    part->hull = calloc(part->last - part->first + 1, sizeof *part->hull);
    if (part->hull == NULL)
        return margay_fail_memory(error, "a division of the cache");
    for (size_t step = part->first; step <= part->last; step++) {
        while (count >= 2 && is_above(part, part->hull[count - 2],
                                      part->hull[count - 1], step))
            count--;
        part->hull[count++] = step;
    }
    part->hull_count = count;
    return MARGAY_OK;
}

/* The misses that the next piece of the hull saves, and its blocks. */
static bool next_piece(const struct part *part, uint64_t *misses,
                       uint64_t *blocks)
{
    if (part->at_hull + 1 >= part->hull_count)
        return false;
    size_t from = part->hull[part->at_hull], to = part->hull[part->at_hull + 1];
    *misses = part->steps->misses[from] - part->steps->misses[to];
    *blocks = part->steps->sizes[to] - part->steps->sizes[from];
    return true;
}

/* The program whose next piece saves most for its blocks; `count` = none. */
static size_t steepest(const struct division *division, uint64_t *misses,
                       uint64_t *blocks)
{
    size_t count = division->sharing->count, best = count;
    *misses = 0;
    *blocks = 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t saved, cost_blocks;
        if (next_piece(&division->parts[i], &saved, &cost_blocks) &&
            (best == count ||
             (cost)saved * *blocks > (cost)*misses * cost_blocks)) {
            best = i;
            *misses = saved;
            *blocks = cost_blocks;
        }
    }
    return best;
}

/* Follow the hulls.  The first piece that does not fit has the slope; pieces
   behind it may fit still. */
static uint64_t follow_hulls(struct division *division, uint64_t left)
{
    uint64_t misses, blocks;
    size_t count = division->sharing->count, i;
    division->slope_misses = 0;
    division->slope_blocks = 1;
    bool found = false;
    while ((i = steepest(division, &misses, &blocks)) < count) {
        struct part *part = &division->parts[i];
        if (blocks <= left) {
            left -= blocks;
            part->taken = part->hull[++part->at_hull];
            continue;
        }
        if (!found) {
            division->slope_misses = misses;
            division->slope_blocks = blocks;
            found = true;
        }
        part->hull_count = part->at_hull + 1; /* it goes no further */
    }
    return left;
}

/* -------------------------------------------------------------- bounds -- */

/* Misses, and blocks for what they cost, times slope_blocks. */
static cost price(const struct division *division, uint64_t misses,
                  uint64_t blocks)
{
    return (cost)misses * division->slope_blocks +
           (cost)blocks * division->slope_misses;
}

static void find_gap(struct division *division)
{
    cost bound =
        -(cost)division->cache_blocks * division->slope_misses; /* negative */
    cost known = 0;
    for (size_t i = 0; i < division->sharing->count; i++) {
        struct part *part = &division->parts[i];
        part->cheapest = price(division, part->steps->misses[part->first],
                               part->steps->sizes[part->first]);
        for (size_t step = part->first; step <= part->last; step++) {
            cost priced = price(division, part->steps->misses[step],
                                part->steps->sizes[step]);
            if (priced < part->cheapest)
                part->cheapest = priced;
        }
        bound += part->cheapest;
        known +=
            (cost)part->steps->misses[part->taken] * division->slope_blocks;
    }
    division->gap = known - bound;
}

/* -------------------------------------------------------------- states -- */

/* Append a state, unless an earlier one has as few misses. */
static enum margay_status append(struct states *states,
                                 const struct state *state,
                                 struct margay_error *error)
{
    if (states->count > 0 &&
        states->list[states->count - 1].misses <= state->misses)
        return MARGAY_OK;
    struct state *list =
        margay_grow(states->list, states->count, &states->room, sizeof *list);
    if (list == NULL)
        return margay_fail_memory(error, "a division of the cache");
    states->list = list;
    list[states->count++] = *state;
    return MARGAY_OK;
}

/* What has been found, and the states before with one step more, in the order
   of the blocks used. */
static enum margay_status merge(const struct division *division,
                                const struct states *found,
                                const struct states *before,
                                const struct part *part, size_t step,
                                cost cheapest, struct states *merged,
                                struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    uint64_t blocks = part->steps->sizes[step],
             misses = part->steps->misses[step];
    size_t i = 0, k = 0;
    merged->count = 0;
    while (status == MARGAY_OK && (i < found->count || k < before->count)) {
        struct state next = {0};
        if (k < before->count)
            next = (struct state){before->list[k].used + blocks,
                                  before->list[k].misses + misses, step, k};
        bool is_old =
            k == before->count ||
            (i < found->count && (found->list[i].used < next.used ||
                                  (found->list[i].used == next.used &&
                                   found->list[i].misses <= next.misses)));
        if (is_old)
            next = found->list[i++];
        else
            k++;
        if (is_old || (next.used <= division->cache_blocks &&
                       price(division, next.misses, next.used) - cheapest <=
                           division->gap))
            status = append(merged, &next, error);
    }
    return status;
}

static void swap(struct states *a, struct states *b)
{
    struct states kept = *a;
    *a = *b;
    *b = kept;
}

/* All states with one program more; `cheapest` is of all up to that one. */
static enum margay_status add_program(struct division *division, size_t i,
                                      cost cheapest, struct margay_error *error)
{
    static const struct state nothing = {0, 0, 0, 0};
    const struct states none = {(struct state *)&nothing, 1, 0};
    const struct states *before = i == 0 ? &none : &division->layers[i - 1];
    const struct part *part = &division->parts[i];
    struct states *found = &division->layers[i];
    struct states merged = {NULL, 0, 0};
    enum margay_status status = MARGAY_OK;
    for (size_t step = part->first; step <= part->last && status == MARGAY_OK;
         step++) {
        cost excess = price(division, part->steps->misses[step],
                            part->steps->sizes[step]) -
                      part->cheapest;
        if (excess > division->gap)
            continue;
        status = merge(division, found, before, part, step, cheapest, &merged,
                       error);
        swap(found, &merged);
    }
    free(merged.list);
    return status;
}

/* ------------------------------------------------------------ division -- */

static enum margay_status begin(struct division *division, bool fair,
                                struct margay_error *error)
{
    size_t count = division->sharing->count;
    uint64_t equal = division->cache_blocks / count;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        struct part *part = &division->parts[i];
        part->steps = &division->sharing->programs[i];
        part->first = fair ? margay_fill_at(part->steps, equal) : 0;
        part->last = margay_fill_at(part->steps, division->cache_blocks);
        part->taken = part->first;
        status = make_hull(part, error);
    }
    return status;
}

/* The last state of the last layer has the fewest misses. */
static void trace_back(const struct division *division,
                       struct margay_sharer_result *results)
{
    size_t count = division->sharing->count;
    size_t at = division->layers[count - 1].count - 1;
    uint64_t left = division->cache_blocks;
    for (size_t i = count; i-- > 0;) {
        const struct part *part = &division->parts[i];
        const struct state *state = &division->layers[i].list[at];
        uint64_t blocks = part->steps->sizes[state->step];
        results[i] = (struct margay_sharer_result){
            (double)blocks, part->steps->misses[state->step]};
        left -= blocks;
        at = state->before;
    }
    /* What is left helps no program, or the division would not be the best. */
    for (size_t i = 0; i < count; i++)
        results[i].blocks += (double)(left / count + (i < left % count));
}

static enum margay_status divide(struct division *division, bool fair,
                                 struct margay_sharer_result *results,
                                 struct margay_error *error)
{
    size_t count = division->sharing->count;
    enum margay_status status = begin(division, fair, error);
    if (status != MARGAY_OK)
        return status;
    uint64_t left = division->cache_blocks;
    for (size_t i = 0; i < count; i++)
        left -= division->parts[i].steps->sizes[division->parts[i].first];
    follow_hulls(division, left);
    find_gap(division);
    cost cheapest = 0;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        cheapest += division->parts[i].cheapest;
        status = add_program(division, i, cheapest, error);
    }
    if (status == MARGAY_OK)
        trace_back(division, results);
    return status;
}

enum margay_status margay_sharing_divided(const margay_sharing *sharing,
                                          uint64_t cache_blocks, bool fair,
                                          struct margay_sharer_result *results,
                                          struct margay_error *error)
{
    struct division *division = calloc(1, sizeof *division);
    if (division == NULL)
        return margay_fail_memory(error, "a division of the cache");
    division->sharing = sharing;
    division->cache_blocks = cache_blocks;
    enum margay_status status = divide(division, fair, results, error);
    for (size_t i = 0; i < sharing->count; i++) {
        free(division->parts[i].hull);
        free(division->layers[i].list);
    }
    free(division);
    return status;
}
