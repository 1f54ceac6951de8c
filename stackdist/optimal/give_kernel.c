/*
 * give_kernel.c - the machines of Belady's optimum: the loop over jobs
 *
 * Compiled once per processor level, with MARGAY_TARGET_SUFFIX naming it; the
 * table at the end is all that is visible outside.
 */
#include "stackdist/optimal/stretch_kernel.h"

/* Stretches that together have no more machines are joined. */
#define JOINED_MACHINES (MARGAY_STRETCH_MACHINES * 7 / 8)

/* This many jobs ahead the stretch of a job's begin is found, and its moments
   prefetched; then the place in it, and the rest. */
#define AHEAD_STRETCH 8
#define AHEAD_PLACE   4

/* Where a job begins: a stretch, and an index in it.  Other jobs may change
   that before the job is given. */
struct place {
    uint32_t stretch, at;
};
#define NO_STRETCH UINT32_MAX

/* Stretches that a job passes by are prefetched in groups of this many. */
#define PASSINGS 32

static NOINLINE void drop_stretch(struct margay_machines *machines, uint32_t k)
{
    machines->spares[machines->spare_count++] = machines->stretches[k];
    uint32_t from = k + 1;
    uint32_t count = machines->stretch_count - from;
    memmove(machines->stretches + k, machines->stretches + from,
            count * sizeof *machines->stretches);
    memmove(machines->firsts + k, machines->firsts + from,
            count * sizeof *machines->firsts);
    memmove(machines->leasts + k, machines->leasts + from,
            count * sizeof *machines->leasts);
    memmove(machines->counts + k, machines->counts + from,
            count * sizeof *machines->counts);
    machines->stretch_count--;
}

static NOINLINE void join_next(struct margay_machines *machines, uint32_t k)
{
    struct margay_stretch *stretch = machines->stretches[k];
    join(stretch, machines->stretches[k + 1]);
    drop_stretch(machines, k + 1);
    machines->counts[k] = stretch->end - stretch->first;
    machines->leasts[k] = stretch->edge[0];
}

/* Join stretch k with a neighbour, if they fit; but not with the newest. */
static ALWAYS_INLINE void consider_joining(struct margay_machines *machines,
                                           uint32_t k)
{
    const uint32_t *counts = machines->counts;
    if (k + 2 < machines->stretch_count &&
        counts[k] + counts[k + 1] <= JOINED_MACHINES)
        join_next(machines, k);
    else if (k > 0 && k + 1 < machines->stretch_count &&
             counts[k - 1] + counts[k] <= JOINED_MACHINES)
        join_next(machines, k - 1);
}

static NOINLINE void begin_stretch(struct margay_machines *machines,
                                   uint32_t moment)
{
    uint32_t k = machines->stretch_count++;
    machines->stretches[k] = machines->spares[--machines->spare_count];
    machines->firsts[k] = moment;
    machines->stretches[k]->edge = machines->stretches[k]->edge_space;
    machines->stretches[k]->first = machines->stretches[k]->end =
        machines->stretches[k]->edge_count = 0;
    machines->stretches[k]->covering = false;
    machines->stretches[k]->calm = 0;
    for (unsigned i = 0; i < MARGAY_STRETCH_GROUP + 1; i++)
        machines->stretches[k]->edge[i] = machines->stretches[k]->covers[i] =
            MARGAY_NO_NUMBER;
    if (k > 0)
        consider_joining(machines, k - 1);
}

/* The number that a job carries out of stretch k, where it begins at index
   `at`. The stretch may be gone then. */
static ALWAYS_INLINE uint32_t begin_in(struct margay_machines *machines,
                                       uint32_t k, uint32_t at)
{
    struct margay_stretch *stretch = machines->stretches[k];
    uint32_t number = begin(stretch, at);
    machines->counts[k] = stretch->end - stretch->first;
    if (machines->counts[k] == 0) {
        drop_stretch(machines, k);
    } else {
        machines->firsts[k] = stretch->moments[stretch->first];
        machines->leasts[k] = stretch->edge[0];
    }
    return number;
}

/* Prefetch the parts that a passing job changes. */
static ALWAYS_INLINE void prefetch_edge(const struct margay_stretch *stretch)
{
    __builtin_prefetch(stretch, 1);
    for (unsigned i = 0; i < 2 * MARGAY_STRETCH_GROUP;
         i += MARGAY_STRETCH_GROUP) {
        __builtin_prefetch(stretch->edge_space + i, 1);
        __builtin_prefetch(stretch->covers + i, 1);
    }
}

/* A stretch that a job passes by, and the number that the job carries there. */
struct passing {
    uint32_t at, number;
};

/* The job passes by the `k` oldest stretches; returns the number of its
   machine.  It changes those whose least number is below the one that it
   carries, and carries that on: so these are known beforehand, and prefetched
   together. */
static ALWAYS_INLINE uint32_t pass_stretches(struct margay_machines *machines,
                                             uint32_t k, uint32_t number)
{
    struct passing passings[PASSINGS];
    int32_t at = (int32_t)k;
    while (at >= 0) {
        unsigned count = 0;
        while (count < PASSINGS &&
               (at = newest_below(machines->leasts, 0, at, number)) >= 0) {
            prefetch_edge(machines->stretches[at]);
            passings[count++] = (struct passing){(uint32_t)at, number};
            number = machines->leasts[at];
        }
        machines->work += count;
        for (unsigned i = 0; i < count; i++) {
            uint32_t passed = passings[i].at;
            machines->leasts[passed] =
                pass_by(machines->stretches[passed], passings[i].number,
                        &machines->work);
        }
    }
    return number;
}

/* Find the stretch in which a job begins. */
static ALWAYS_INLINE void find_stretch(const struct margay_machines *machines,
                                       uint32_t from, struct place *place)
{
    const uint32_t *firsts = machines->firsts;
    uint32_t k = place->stretch, count = machines->stretch_count;
    if (k < count && firsts[k] <= from &&
        (k + 1 == count || firsts[k + 1] > from))
        return;
    /* Where there is none, NO_STRETCH. */
    place->stretch = count_until(firsts, count, from) - 1;
}

/* Find the place there. */
static ALWAYS_INLINE void find_place(const struct margay_machines *machines,
                                     uint32_t from, struct place *place)
{
    const struct margay_stretch *stretch = machines->stretches[place->stretch];
    const uint32_t *moments = stretch->moments;
    uint32_t at = place->at, first = stretch->first, end = stretch->end;
    if (at >= first && at < end && moments[at] <= from &&
        (at + 1 == end || moments[at + 1] > from))
        return;
    place->at = first + count_until(moments + first, end - first, from) - 1;
}

static ALWAYS_INLINE uint32_t give_one(struct margay_machines *machines,
                                       const struct margay_job *job,
                                       struct place *place)
{
    uint32_t number;
    find_stretch(machines, job->from, place);
    if (place->stretch == NO_STRETCH) {
        if (machines->count == machines->most)
            return 0;
        number = ++machines->count;
    } else {
        uint32_t k = place->stretch, stretches = machines->stretch_count;
        find_place(machines, job->from, place);
        number = begin_in(machines, k, place->at);
        number = pass_stretches(machines, k, number);
        if (stretches == machines->stretch_count)
            consider_joining(machines, k);
    }
    /* A machine is free from `moment` on, the latest so far. */
    uint32_t k = machines->stretch_count;
    if (k == 0 || machines->counts[k - 1] >= MARGAY_STRETCH_NEWEST)
        begin_stretch(machines, job->moment);
    k = machines->stretch_count - 1;
    struct margay_stretch *stretch = machines->stretches[k];
    append(stretch, number, job->moment);
    machines->counts[k] = stretch->end - stretch->first;
    machines->leasts[k] = stretch->edge[0];
    return number;
}

static ALWAYS_INLINE void prefetch_place(const struct margay_machines *machines,
                                         uint32_t from, struct place *place)
{
    find_stretch(machines, from, place);
    if (place->stretch == NO_STRETCH)
        return;
    find_place(machines, from, place);
    const struct margay_stretch *stretch = machines->stretches[place->stretch];
    const uint32_t *numbers = stretch->numbers;
    prefetch_edge(stretch);
    __builtin_prefetch(stretch->places, 1);
    __builtin_prefetch(numbers + place->at, 1);
    for (uint32_t i = MARGAY_STRETCH_GROUP;
         i <= place->at && i <= 4 * MARGAY_STRETCH_GROUP;
         i += MARGAY_STRETCH_GROUP)
        __builtin_prefetch(numbers + place->at - i, 1);
}

static void give(struct margay_machines *machines, struct margay_job *jobs,
                 size_t count)
{
    struct place places[AHEAD_STRETCH];
    for (size_t i = 0; i < count + AHEAD_STRETCH; i++) {
        size_t near = i - (AHEAD_STRETCH - AHEAD_PLACE);
        if (i >= AHEAD_STRETCH) {
            size_t now = i - AHEAD_STRETCH;
            jobs[now].machine =
                give_one(machines, &jobs[now], &places[now % AHEAD_STRETCH]);
        }
        if (near < count)
            prefetch_place(machines, jobs[near].from,
                           &places[near % AHEAD_STRETCH]);
        if (i >= count)
            continue;
        struct place *place = &places[i % AHEAD_STRETCH];
        *place = (struct place){NO_STRETCH, UINT32_MAX};
        find_stretch(machines, jobs[i].from, place);
        if (place->stretch == NO_STRETCH)
            continue;
        const struct margay_stretch *stretch =
            machines->stretches[place->stretch];
        uint32_t moments = machines->counts[place->stretch];
        __builtin_prefetch(stretch, 1);
        for (uint32_t k = 0; k < moments; k += MARGAY_STRETCH_GROUP)
            __builtin_prefetch(stretch->moments + k, 1);
    }
}

const struct margay_machines_kernel MARGAY_TARGET_NAME(
    margay_machines_kernel) = {
    .give = give,
};
