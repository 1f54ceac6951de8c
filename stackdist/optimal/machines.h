/*
 * machines.h - the machines of Belady's optimum, for all cache sizes at once
 *
 * A block that is referenced at one time and again at a later one is a job from
 * the first to the second: a cache that keeps the block does it.  A machine
 * does one job at a time.  Machines are numbered from 1, and the jobs that a
 * cache with room for K blocks can do are those that machines 1 to K are given
 * by the kernel.
 *
 * Algorithm: with K machines the most jobs are done if each job, when it ends,
 *   is given to the machine that has been free for the shortest time when the
 *   job begins; that is Belady's choice.  The moments from which the K machines
 *   are free are some of those of K + 1 machines, so one line of moments serves
 *   all K: a machine's number is the least K that has its moment.  A job that
 *   begins at p is given to the least number d whose moment is not after p.
 *   That machine is free again when the job ends, and the number at the latest
 *   moment up to p goes along the line to the past, changing places with each
 *   lower number that it comes to, and ends as d.  The line is cut into
 *   stretches, which a job passes by as a whole.
 *
 * Source: the derivation is our own.  Belady, "A study of replacement
 *   algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966;
 *   Mattson, Gecsei, Slutz, Traiger, "Evaluation techniques for storage
 *   hierarchies", IBM Systems Journal 9(2), 1970, who show that the optimum has
 *   a stack.  Related: Bilardi, Ekanadham, Pattnaik, "Efficient stack distance
 *   computation for priority replacement policies", Computing Frontiers 2011,
 *   and their "Optimal on-line computation of stack distances for MIN and OPT",
 *   Computing Frontiers 2017.
 *
 * Guarantee: exact, and final: a number is known when its job ends.
 *
 * Cost: per job the stretches that it passes by, M / 1024 at most, most of them
 *   in constant time, and the one that it begins in; 12 on average where a
 *   million blocks are drawn by Zipf's law.  20 bytes per machine, in stretches
 *   that are half full or fuller.  There are no more machines than blocks.
 */
#ifndef MARGAY_STACKDIST_OPTIMAL_MACHINES_H
#define MARGAY_STACKDIST_OPTIMAL_MACHINES_H

#include "traces/traces_internal.h"

/* ------------------------------------------------------------- a stretch -- */

/*
 * Some machines that are next to each other in the order of time.
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
 * A job that passes by moves numbers along the edge, each to the
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

/* --------------------------------------------------------- all machines -- */

struct margay_machines {
    const struct margay_machines_kernel *kernel;
    uint32_t count; /* of machines */
    uint64_t most;  /* machines beyond this number do not exist */
    uint64_t work;  /* the cost of passing by stretches, in short ones */

    /* Stretches in the order of time, and for searches the first moment, least
       number and machine count of each. */
    struct margay_stretch **stretches;
    uint32_t *firsts, *leasts, *counts;
    uint32_t stretch_count, stretch_capacity;

    /* Free stretches, with room for all, and their
     * memory. */
    struct margay_stretch **spares;
    uint32_t spare_count;
    struct margay_stretch **slabs;
    uint32_t slab_count;
};

/* A job, from one reference of a block to the next. */
struct margay_job {
    uint32_t from;    /* when it begins */
    uint32_t moment;  /* from when on its machine is free again: above `from`
                         and above the moments of all jobs before */
    uint32_t machine; /* the number of its machine, or 0 if it would be beyond
                         the last */
};

/* Compiled once per processor level, from give_kernel.c. */
struct margay_machines_kernel {
    void (*give)(struct margay_machines *machines, struct margay_job *jobs,
                 size_t count);
};

MARGAY_DECLARE_FOR_TARGETS(const struct margay_machines_kernel,
                           margay_machines_kernel)

/* No machines yet, and never more than `most`, for a target that is
   available. */
void margay_machines_create(struct margay_machines *machines, uint64_t most,
                            enum margay_target target);

/* Release what they own; a zeroed struct is fine. */
void margay_machines_destroy(struct margay_machines *machines);

/* Reserve memory for `more` jobs.  MARGAY_NO_MEMORY on failure. */
enum margay_status margay_machines_reserve(struct margay_machines *machines,
                                           uint32_t more,
                                           struct margay_error *error);

/* The moments and numbers of all machines, by ascending moments. */
void margay_machines_list(const struct margay_machines *machines,
                          uint32_t *moments, uint32_t *numbers);

/* How many of `count` ascending moments are up to `time`. */
uint32_t margay_moments_until(const uint32_t *moments, uint32_t count,
                              uint32_t time);

/* Let there be `count` machines, which have these moments and numbers. */
enum margay_status margay_machines_set(struct margay_machines *machines,
                                       const uint32_t *moments,
                                       const uint32_t *numbers, uint32_t count,
                                       struct margay_error *error);

/* Give many jobs at once, as the kernel would one by one, at a cost that does
   not depend on the stretches that they pass by (batch.c).  There are less than
   MARGAY_BATCH_MOST jobs and machines together. */
#define MARGAY_BATCH_MOST (UINT32_C(1) << 28)
enum margay_status margay_machines_give_batch(struct margay_machines *machines,
                                              struct margay_job *jobs,
                                              size_t count,
                                              struct margay_error *error);

#endif
