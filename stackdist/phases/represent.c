/*
 * represent.c - intervals that stand for a whole trace
 *
 * Algorithm: the miss curve of each interval is a point.  Of each different
 *   phase, the point nearest to all of it is chosen; each point then belongs to
 *   its nearest that is chosen.  Until the mixture of the chosen curves, by the
 *   references of these groups, is near enough to the curve of all, one more is
 *   chosen, that brings all points nearest to a chosen one, in the sum of
 *   squares by reference, and each group's middle takes its place.
 * Source: Sherwood, Perelman, Hamerly, Calder, "Automatically characterizing
 *   large scale program behavior" (SimPoint), ASPLOS 2002, which groups by
 *   code; groups around members are Kaufman and Rousseeuw's, 1990.
 * Guarantee: the error is measured, not estimated.  That of empty caches takes
 *   the longer distances of an interval to be those that reach out of it.
 * Cost: O(I^2 (B + R)) for I intervals, B bins and R that are chosen; 4 bytes
 *   for each pair.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stackdist/phases/phases.h"

struct choice {
    const struct intervals *intervals;
    size_t count, bins;
    float *apart;            /* of each two intervals */
    double refs[MOST];       /* of each interval */
    size_t members[MOST];    /* chosen */
    size_t chosen;           /* how many */
    size_t group[MOST];      /* of each interval: the place of its member */
    double group_refs[MOST]; /* of each member */
    double curve[BINS];      /* of the whole trace */
    double error;
};

static enum margay_status begin(struct choice *choice,
                                const struct intervals *intervals,
                                struct margay_error *error)
{
    uint64_t misses[BINS];
    size_t count = intervals->count;
    choice->intervals = intervals;
    choice->count = count;
    choice->bins = margay_intervals_bins(intervals);
    choice->apart = calloc(count * count, sizeof *choice->apart);
    if (choice->apart == NULL)
        return margay_fail_memory(error, "intervals that stand for others");
    for (size_t i = 0; i < count; i++)
        choice->refs[i] = (double)margay_intervals_refs(intervals, i, i + 1);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            double sum = 0, own = 1 / choice->refs[i];
            double other = 1 / choice->refs[j];
            for (size_t b = 1; b < choice->bins; b++) {
                double change = (double)intervals->misses[i][b] * own -
                                (double)intervals->misses[j][b] * other;
                sum += change * change;
            }
            choice->apart[i * count + j] = choice->apart[j * count + i] =
                (float)sum;
        }
    }
    margay_intervals_misses(intervals, 0, count, misses);
    for (size_t b = 1; b < choice->bins; b++)
        choice->curve[b] = (double)misses[b] / (double)intervals->references;
    return MARGAY_OK;
}

/* ------------------------------------------------------------- choosing -- */

static float apart(const struct choice *choice, size_t i, size_t j)
{
    return choice->apart[i * choice->count + j];
}

static void choose_one(struct choice *choice)
{
    double least = INFINITY;
    for (size_t candidate = 0; candidate < choice->count; candidate++) {
        double cost = 0; /* of the trace, if this interval is chosen, too */
        for (size_t i = 0; i < choice->count; i++) {
            float own = apart(choice, candidate, i);
            if (choice->chosen > 0)
                own = fminf(
                    own, apart(choice, choice->members[choice->group[i]], i));
            cost += choice->refs[i] * (double)own;
        }
        if (cost < least) {
            least = cost;
            choice->members[choice->chosen] = candidate;
        }
    }
    choice->chosen++;
}

/* Each interval belongs to its nearest member, and a member to itself. */
static void divide(struct choice *choice)
{
    memset(choice->group_refs, 0, sizeof choice->group_refs);
    for (size_t i = 0; i < choice->count; i++) {
        size_t nearest = 0;
        for (size_t k = 0; k < choice->chosen; k++) {
            if (choice->members[k] == i ||
                apart(choice, choice->members[k], i) <
                    apart(choice, choice->members[nearest], i))
                nearest = k;
            if (choice->members[k] == i)
                break;
        }
        choice->group[i] = nearest;
        choice->group_refs[nearest] += choice->refs[i];
    }
}

/* The member of its group that is nearest to the others; of some that are as
   near, the one that is chosen already. */
static size_t find_middle(const struct choice *choice, size_t group)
{
    size_t middle = choice->members[group];
    double least = INFINITY;
    for (size_t i = 0; i < choice->count; i++) {
        double cost = 0;
        if (choice->group[i] != group)
            continue;
        for (size_t k = 0; k < choice->count; k++) {
            if (choice->group[k] == group)
                cost += choice->refs[k] * (double)apart(choice, i, k);
        }
        if (cost < least || (cost == least && i == choice->members[group])) {
            least = cost;
            middle = i;
        }
    }
    return middle;
}

/* --------------------------------------------------------------- errors -- */

/* `cold`: with empty caches at the beginning of each interval, which has its
   misses, and at least the first uses of its blocks. */
static double find_error(const struct choice *choice, bool cold)
{
    const struct intervals *intervals = choice->intervals;
    double sum = 0;
    for (size_t b = 1; b < choice->bins; b++) {
        double mixture = 0;
        for (size_t k = 0; k < choice->chosen; k++) {
            size_t i = choice->members[k];
            double misses = (double)intervals->misses[i][b];
            if (cold)
                misses =
                    fmax(misses,
                         (double)margay_intervals_blocks(intervals, i, i + 1));
            mixture += choice->group_refs[k] * (misses / choice->refs[i]);
        }
        sum += fabs(mixture / (double)intervals->references - choice->curve[b]);
    }
    return sum / (double)(choice->bins - 1);
}

/* The middle of each different phase, if there are not too many. */
static void choose_of_phases(struct choice *choice, const struct pieces *pieces,
                             size_t most)
{
    size_t numbers[MOST], count = 0;
    for (size_t i = 0; i < pieces->count; i++) {
        const struct piece *piece = &pieces->list[i];
        numbers[i] = piece->repeats == i ? count++ : numbers[piece->repeats];
        for (size_t k = piece->from; k < piece->to; k++)
            choice->group[k] = numbers[i];
    }
    for (size_t k = 0; k < count && count <= most; k++)
        choice->members[choice->chosen++] = find_middle(choice, k);
}

/* -------------------------------------------------------------- results -- */

static int compare(const void *a, const void *b)
{
    const struct margay_representative *first = a, *second = b;
    return (first->from > second->from) - (first->from < second->from);
}

static enum margay_status list(const struct margay_phases *phases,
                               const struct choice *choice,
                               struct margay_representatives *chosen,
                               struct margay_error *error)
{
    const struct intervals *intervals = &phases->intervals;
    *chosen = (struct margay_representatives){
        .intervals = calloc(choice->chosen, sizeof *chosen->intervals),
        .count = choice->chosen,
        .error = choice->error,
        .cold_error = find_error(choice, true),
    };
    if (chosen->intervals == NULL)
        return margay_fail_memory(error, "intervals that stand for others");
    for (size_t k = 0; k < choice->chosen; k++) {
        size_t i = choice->members[k], phase = 0;
        while (phases->pieces.list[phase].to <= i)
            phase++;
        chosen->intervals[k] = (struct margay_representative){
            .from = margay_intervals_refs(intervals, 0, i),
            .to = margay_intervals_refs(intervals, 0, i + 1),
            .phase = phase,
            .refs = (uint64_t)choice->group_refs[k],
        };
    }
    qsort(chosen->intervals, chosen->count, sizeof *chosen->intervals, compare);
    return MARGAY_OK;
}

enum margay_status margay_phases_represent(
    const margay_phases *phases, double share, double error_wanted,
    struct margay_representatives *chosen, struct margay_error *error)
{
    *chosen = (struct margay_representatives){0};
    if (phases->intervals.count == 0)
        return MARGAY_OK;
    struct choice *choice = calloc(1, sizeof *choice);
    if (choice == NULL)
        return margay_fail_memory(error, "intervals that stand for others");
    enum margay_status status = begin(choice, &phases->intervals, error);
    if (status == MARGAY_OK) {
        /* At most `share` of the references, and at least one interval. */
        double some =
            fmax(1, floor(share * (double)phases->intervals.references /
                          (double)margay_phases_interval_refs(phases)));
        size_t most = (size_t)fmin(some, (double)phases->intervals.count);
        choose_of_phases(choice, &phases->pieces, most);
        if (choice->chosen == 0)
            choose_one(choice);
        divide(choice);
        choice->error = find_error(choice, false);
        while (choice->error > error_wanted && choice->chosen < most) {
            choose_one(choice);
            divide(choice);
            for (size_t k = 0; k < choice->chosen; k++)
                choice->members[k] = find_middle(choice, k);
            divide(choice);
            choice->error = find_error(choice, false);
        }
        status = list(phases, choice, chosen, error);
    }
    free(choice->apart);
    free(choice);
    return status;
}

void margay_representatives_clear(struct margay_representatives *chosen)
{
    free(chosen->intervals);
    *chosen = (struct margay_representatives){0};
}
