/*
 * stretch.h - some machines that are next to each other in the order of time
 *
 * A stretch has the machines that are free from moments between two times:
 * moments[] ascends, and numbers[] says which machine it is.  A machine is on
 * the *edge* if none that is later has a lower number; the newest always is.
 * From the oldest to the newest the numbers on the edge ascend.  All other
 * machines are *covered* by the next on the edge, whose number is lower.
 *
 *     moment    3   4   7   9  12  15  16     on the edge: 2, 5 and 9;
 *     number    4   6   2   8   7   5   9     2 covers 4 and 6, the least is 4,
 *               |___|___^   |___|___^   ^     5 covers 8 and 7, 9 covers none
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

/* The newest stretch is followed by another when it has this many. */
#ifndef MARGAY_STRETCH_NEWEST
#define MARGAY_STRETCH_NEWEST 128
#endif

/* Numbers that are compared at a time. */
#define MARGAY_STRETCH_GROUP 16

/* So far edge[] may move before it is moved back. */
#ifndef MARGAY_STRETCH_SLACK
#define MARGAY_STRETCH_SLACK 128
#endif

/* An edge of more numbers is long. */
#ifndef MARGAY_STRETCH_LONG
#define MARGAY_STRETCH_LONG 64
#endif

/* Jobs for which a long edge may be found to be calm, and after how many it is
   looked at again if it is not. */
#ifndef MARGAY_STRETCH_CALM
#define MARGAY_STRETCH_CALM  64
#define MARGAY_STRETCH_RETRY 16
#endif

#define MARGAY_NO_NUMBER UINT32_MAX

/* One stretch.  edge[] is a window of edge_space[] that moves on when a number
   comes to the end of a long edge and the first one leaves it. */
struct margay_stretch {
    uint32_t *edge;      /* in edge_space[]; its begin, unless it is long */
    uint32_t first, end; /* the indices of its machines are [first, end) */
    uint32_t edge_count;
    bool covering; /* true if a covers[i] may be a number */
    /* For this many jobs that pass by, none that carries a number above the
       edge and below calm_limit brings a number above what its place covers. */
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
