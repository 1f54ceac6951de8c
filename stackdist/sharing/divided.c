/*
 * divided.c - the division of a cache that has the fewest misses
 *
 * Algorithm: dynamic programming over the programs, with the blocks given away
 *   so far as the state, on the steps of the curves alone: a part between two
 *   steps is no better than the lower one.  A bound makes it fast.  Let a block
 *   cost L misses.  Each program then has a cheapest step, and the sum of
 *   these, less L for each block of the cache, is no more than the fewest
 *   misses; the excess of any other step over its program's cheapest adds to
 *   that.  So steps and states are useless if their excess is above the misses
 *   of a known division beyond the bound.  L is the slope at which the lower
 *   convex hulls of the curves, followed from the steepest piece on, use up the
 *   cache; and the known division is the one that this gives, after every two
 *   programs have divided their sum again, which takes going through the steps
 *   of one up and of the other down.  In the same way the programs are taken in
 *   two halves, and the states of both put together.
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

#include "stackdist/sharing/shared.h"
#include "traces/traces_internal.h"

__extension__ typedef __int128 cost;

/* The part of a program that is being built up. */
struct part {
    const struct margay_fill *steps;
    size_t first, last; /* steps that may be taken: those that are fair, and
                           not larger than the cache */
    size_t *hull;       /* steps on the lower convex hull; owned */
    size_t hull_count;
    size_t taken;   /* the step of the division known */
    cost cheapest;  /* in misses times `blocks` of the slope */
    size_t at_hull; /* how far along the hull */
};

/* A state: the blocks and misses of the programs up to one. */
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
    /* The cost of a block: misses / blocks. */
    uint64_t slope_misses, slope_blocks;
    cost gap;    /* the most excess, in misses times slope_blocks */
    size_t half; /* the programs from here on are the second half */
    /* By program: the states of its half up to it. */
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

/* The program whose next piece of the hull saves most misses for its blocks;
   `count` = none. */
static size_t steepest(const struct division *division, uint64_t *misses,
                       uint64_t *blocks)
{
    size_t count = division->sharing->count, best = count;
    *misses = 0;
    *blocks = 1;
    for (size_t i = 0; i < count; i++) {
        const struct part *part = &division->parts[i];
        if (part->at_hull + 1 >= part->hull_count)
            continue;
        size_t from = part->hull[part->at_hull];
        size_t to = part->hull[part->at_hull + 1];
        uint64_t saved = part->steps->misses[from] - part->steps->misses[to];
        uint64_t more = part->steps->sizes[to] - part->steps->sizes[from];
        if (best == count || (cost)saved * *blocks > (cost)*misses * more) {
            best = i;
            *misses = saved;
            *blocks = more;
        }
    }
    return best;
}

/* Follow the hulls.  The first piece that does not fit has the slope; pieces
   after it may fit still. */
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

/* ------------------------------------------------------ a division known -- */

/* Divide the blocks of two programs between them in the best way; the more one
   takes, the less is left to the other.  Is that better than before? */
static bool improve_pair(struct part *one, struct part *other, uint64_t blocks)
{
    const uint64_t *misses = one->steps->misses, *sizes = one->steps->sizes;
    uint64_t fewest = misses[one->taken] + other->steps->misses[other->taken];
    size_t k = other->last;
    bool better = false;
    for (size_t i = one->first; i <= one->last && sizes[i] <= blocks; i++) {
        while (k > other->first && other->steps->sizes[k] > blocks - sizes[i])
            k--;
        if (other->steps->sizes[k] > blocks - sizes[i])
            break;
        if (misses[i] + other->steps->misses[k] < fewest) {
            fewest = misses[i] + other->steps->misses[k];
            one->taken = i;
            other->taken = k;
            better = true;
        }
    }
    return better;
}

/* Divide between every two programs again as long as that helps: the nearer the
   division known is to the best, the fewer states there are. */
static void improve(struct division *division, uint64_t left)
{
    enum { MOST_ROUNDS = 8 };
    size_t count = division->sharing->count;
    bool better = true;
    for (unsigned round = 0; round < MOST_ROUNDS && better; round++) {
        better = false;
        for (size_t i = 0; i + 1 < count; i++) {
            for (size_t k = i + 1; k < count; k++) {
                struct part *one = &division->parts[i];
                struct part *other = &division->parts[k];
                uint64_t blocks = left + one->steps->sizes[one->taken] +
                                  other->steps->sizes[other->taken];
                better |= improve_pair(one, other, blocks);
                left = blocks - one->steps->sizes[one->taken] -
                       other->steps->sizes[other->taken];
            }
        }
    }
}

/* -------------------------------------------------------------- bounds -- */

/* Misses, and the cost of blocks, times slope_blocks. */
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
    if (!MARGAY_MAKE_ROOM(states->list, states->count, 1, states->room))
        return margay_fail_memory(error, "a division of the cache");
    states->list[states->count++] = *state;
    return MARGAY_OK;
}

/* Add the states before with one step more to those that have been found, in
   the order of the blocks used.  Those found with fewer blocks than all of the
   others stay where they are; `rest` is room for the others. */
static enum margay_status merge(const struct division *division,
                                struct states *found,
                                const struct states *before,
                                const struct part *part, size_t step,
                                cost cheapest, struct states *rest,
                                struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    uint64_t blocks = part->steps->sizes[step],
             misses = part->steps->misses[step];
    size_t stay =
        MARGAY_BISECT(place, found->count,
                      found->list[place].used < before->list[0].used + blocks);
    size_t i = 0, k = 0;
    rest->count = 0;
    for (size_t at = stay; at < found->count && status == MARGAY_OK; at++)
        status = append(rest, &found->list[at], error);
    found->count = stay;
    while (status == MARGAY_OK && (i < rest->count || k < before->count)) {
        struct state next = {0};
        if (k < before->count)
            next = (struct state){before->list[k].used + blocks,
                                  before->list[k].misses + misses, step, k};
        bool is_old =
            k == before->count ||
            (i < rest->count && (rest->list[i].used < next.used ||
                                 (rest->list[i].used == next.used &&
                                  rest->list[i].misses <= next.misses)));
        if (is_old)
            next = rest->list[i++];
        else
            k++;
        if (is_old || (next.used <= division->cache_blocks &&
                       price(division, next.misses, next.used) - cheapest <=
                           division->gap))
            status = append(found, &next, error);
    }
    return status;
}

/* All states with one program more; `cheapest` is of all of its half up to that
   one. */
static enum margay_status add_program(struct division *division, size_t i,
                                      cost cheapest, struct margay_error *error)
{
    static const struct state nothing = {0, 0, 0, 0};
    const struct states none = {(struct state *)&nothing, 1, 0};
    const struct states *before =
        i == 0 || i == division->half ? &none : &division->layers[i - 1];
    const struct part *part = &division->parts[i];
    struct states *found = &division->layers[i];
    struct states rest = {NULL, 0, 0};
    enum margay_status status = MARGAY_OK;
    for (size_t step = part->first; step <= part->last && status == MARGAY_OK;
         step++) {
        cost excess = price(division, part->steps->misses[step],
                            part->steps->sizes[step]) -
                      part->cheapest;
        if (excess > division->gap)
            continue;
        status =
            merge(division, found, before, part, step, cheapest, &rest, error);
    }
    free(rest.list);
    return status;
}

/* ------------------------------------------------------------ division -- */

/* The parts of the programs from `first` to `last`, which lead to state `at`.
   Returns the blocks in use. */
static uint64_t trace_back(const struct division *division, size_t first,
                           size_t last, size_t at,
                           struct margay_sharer_result *results)
{
    uint64_t used = 0;
    for (size_t i = last + 1; i-- > first;) {
        const struct part *part = &division->parts[i];
        const struct state *state = &division->layers[i].list[at];
        uint64_t blocks = part->steps->sizes[state->step];
        results[i] = (struct margay_sharer_result){
            (double)blocks, part->steps->misses[state->step]};
        used += blocks;
        at = state->before;
    }
    return used;
}

static void take_best(const struct division *division,
                      struct margay_sharer_result *results)
{
    size_t count = division->sharing->count, half = division->half;
    const struct states *first = &division->layers[half - 1];
    const struct states *second = &division->layers[count - 1];
    uint64_t left = division->cache_blocks, fewest = UINT64_MAX;
    size_t best[2] = {first->count - 1, 0};
    /* The two states with the fewest misses that fit together.  The more the
       first half has, the less is left to the second. */
    size_t k = second->count;
    for (size_t i = 0; count > 1 && i < first->count; i++) {
        const struct state *one = &first->list[i];
        while (k > 0 && second->list[k - 1].used > left - one->used)
            k--;
        if (k == 0)
            break;
        if (one->misses + second->list[k - 1].misses < fewest) {
            fewest = one->misses + second->list[k - 1].misses;
            best[0] = i;
            best[1] = k - 1;
        }
    }
    left -= trace_back(division, 0, half - 1, best[0], results);
    if (count > 1)
        left -= trace_back(division, half, count - 1, best[1], results);
    /* The rest helps no program, or the division would not be the best. */
    for (size_t i = 0; i < count; i++)
        results[i].blocks += (double)(left / count + (i < left % count));
}

static enum margay_status divide(struct division *division, bool fair,
                                 struct margay_sharer_result *results,
                                 struct margay_error *error)
{
    size_t count = division->sharing->count;
    uint64_t left = division->cache_blocks;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        struct part *part = &division->parts[i];
        part->steps = &division->sharing->programs[i];
        if (fair)
            part->first =
                margay_fill_at(part->steps, division->cache_blocks / count);
        part->last = margay_fill_at(part->steps, division->cache_blocks);
        part->taken = part->first;
        left -= part->steps->sizes[part->first];
        status = make_hull(part, error);
    }
    if (status != MARGAY_OK)
        return status;
    improve(division, follow_hulls(division, left));
    find_gap(division);
    division->half = (count + 1) / 2;
    cost cheapest = 0;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        cheapest =
            (i == division->half ? 0 : cheapest) + division->parts[i].cheapest;
        status = add_program(division, i, cheapest, error);
    }
    if (status == MARGAY_OK)
        take_best(division, results);
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
