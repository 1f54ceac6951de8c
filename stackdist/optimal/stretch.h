/*
 * stretch.h - some machines that are next to each other in the order of time
 *
 * A stretch has the machines whose moments, from which they are free, lie in a
 * stretch of time: moments[] ascends, and numbers[] says which machine it is.
 * A machine in whose stretch no later one has a lower number is on the *edge*;
 * a newest machine always is.  From the oldest to the newest the numbers on the
 * edge ascend.  Machines that are not are *covered* by the next on the edge,
 * the first after them, whose number is lower.
 *
 *     moment    3   4   7   9  12  15  16     the edge: 2 at 7, 5 at 15 and
 *     number    4   6   2   8   7   5   9     9 at 16; covers 4, 8 and 7 are
 *               |___|___^   |___|___^   ^     the least that they cover
 *
 * A job that passes by (machines.h) moves numbers along the edge, each to the
 * place before, so these are kept apart, in edge[], from their places: places
 * stay as they are while the numbers move, and no other machine is looked at
 * while covers[i], the least number that place i covers, stays above the one
 * that has come there.
 *
 * Invariants:
 * - edge[] has edge_count numbers, ascending; places[i] is the index of the
 *   i-th in moments[], ascending, the last being count - 1.
 * - covers[i] is the least of the numbers[] between places[i - 1] and
 *   places[i], both excluded, or NO_NUMBER; it is above edge[i].
 * - numbers[places[i]] has no meaning.
 * - From edge[edge_count] on at least a group is NO_NUMBER, and so is
 *   covers[], so that groups may be read and written whole.
 */
#ifndef MARGAY_STACKDIST_OPTIMAL_STRETCH_H
#define MARGAY_STACKDIST_OPTIMAL_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

/* The most machines of a stretch. */
#ifndef MARGAY_STRETCH_MACHINES
#define MARGAY_STRETCH_MACHINES 1024
#endif

/* The newest stretch is followed by another when it has so many. */
#ifndef MARGAY_STRETCH_NEWEST
#define MARGAY_STRETCH_NEWEST 128
#endif

/* Numbers that are compared at a time. */
#define MARGAY_STRETCH_GROUP 16

/* So far edge[] may move before it is moved back. */
#define MARGAY_STRETCH_SLACK 128

/* An edge of more numbers is long. */
#define MARGAY_STRETCH_LONG 64

/* Jobs for which a long edge may be found to be calm, and after how many it is
   looked at again if it is not. */
#define MARGAY_STRETCH_CALM  64
#define MARGAY_STRETCH_RETRY 16

#define MARGAY_NO_NUMBER UINT32_MAX

struct margay_stretch {
    uint32_t *edge; /* in edge_space[]; its begin, unless it is long */
    uint32_t count, edge_count;
    bool covering; /* true if a covers[i] may be a number */
    /* For so many jobs that pass by, none that carries a number above the edge
       and below calm_limit brings a number above what its place covers. */
    uint32_t calm, calm_limit;
    _Alignas(64) uint32_t
        edge_space[MARGAY_STRETCH_MACHINES + MARGAY_STRETCH_SLACK +
                   2 * MARGAY_STRETCH_GROUP];
    _Alignas(
        64) uint32_t covers[MARGAY_STRETCH_MACHINES + MARGAY_STRETCH_GROUP];
    uint16_t places[MARGAY_STRETCH_MACHINES + 2 * MARGAY_STRETCH_GROUP];
    uint32_t moments[MARGAY_STRETCH_MACHINES + MARGAY_STRETCH_GROUP];
    uint32_t numbers[MARGAY_STRETCH_MACHINES + MARGAY_STRETCH_GROUP];
};

#endif
