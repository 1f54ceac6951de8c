/*
 * give_kernel.c - the machines of Belady's optimum: the loop over jobs
 *
 * Compiled once per processor level, with MARGAY_TARGET_SUFFIX naming it; the
 * table at the end is all that is visible outside.
 */
#include "stackdist/optimal/machines.h"
#include "stackdist/optimal/stretch_kernel.h"

/* Stretches that together have no more machines are joined. */
#define JOINED_MACHINES (MARGAY_STRETCH_MACHINES * 3 / 4)

/* Stretches are asked for so many jobs ahead. */
#define AHEAD_JOBS 6

/* Stretches that a job passes by are asked for in groups of so many. */
#define PASSINGS 32

static void move_stretches(struct margay_machines *machines, uint32_t to,
                           uint32_t from)
{
    uint32_t count = machines->stretch_count - from;
    memmove(machines->stretches + to, machines->stretches + from,
            count * sizeof *machines->stretches);
    memmove(machines->firsts + to, machines->firsts + from,
            count * sizeof *machines->firsts);
    memmove(machines->leasts + to, machines->leasts + from,
            count * sizeof *machines->leasts);
    memmove(machines->counts + to, machines->counts + from,
            count * sizeof *machines->counts);
}

static NOINLINE void drop_stretch(struct margay_machines *machines, uint32_t k)
{
    machines->spares[machines->spare_count++] = machines->stretches[k];
    move_stretches(machines, k, k + 1);
    machines->stretch_count--;
}

static NOINLINE void join_next(struct margay_machines *machines, uint32_t k)
{
    struct margay_stretch *stretch = machines->stretches[k];
    join(stretch, machines->stretches[k + 1]);
    drop_stretch(machines, k + 1);
    machines->counts[k] = stretch->count;
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
    empty_stretch(machines->stretches[k]);
    if (k > 0)
        consider_joining(machines, k - 1);
}

/* A machine is free from `moment` on, the latest so far. */
static ALWAYS_INLINE void add_newest(struct margay_machines *machines,
                                     uint32_t number, uint32_t moment)
{
    uint32_t k = machines->stretch_count;
    if (k == 0 || machines->counts[k - 1] >= MARGAY_STRETCH_NEWEST)
        begin_stretch(machines, moment);
    k = machines->stretch_count - 1;
    struct margay_stretch *stretch = machines->stretches[k];
    append(stretch, number, moment);
    machines->counts[k] = stretch->count;
    machines->leasts[k] = stretch->edge[0];
}

/* The number that a job from `from` on carries out of stretch k, where it
   begins. The stretch may be gone then. */
static ALWAYS_INLINE uint32_t begin_in(struct margay_machines *machines,
                                       uint32_t k, uint32_t from)
{
    struct margay_stretch *stretch = machines->stretches[k];
    uint32_t number = begin(stretch, from);
    machines->counts[k] = stretch->count;
    if (stretch->count == 0) {
        drop_stretch(machines, k);
    } else {
        machines->firsts[k] = stretch->moments[0];
        machines->leasts[k] = stretch->edge[0];
    }
    return number;
}

/* Ask for what a job that passes by changes. */
static ALWAYS_INLINE void prefetch_edge(const struct margay_stretch *stretch)
{
    __builtin_prefetch(stretch, 1);
    __builtin_prefetch(stretch->edge_space, 1);
    __builtin_prefetch(stretch->covers, 1);
}

/* A stretch that a job passes by, and the number that the job carries there. */
struct passing {
    uint32_t at, number;
};

/*
 * The job passes by the `k` oldest stretches; returns the number of its
 * machine.  It changes those whose least number is below the one that it
 * carries, and carries on that: so which these are is known beforehand, and
 * they are asked for together.
 */
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
        for (unsigned i = 0; i < count; i++) {
            uint32_t passed = passings[i].at;
            machines->leasts[passed] =
                pass_by(machines->stretches[passed], passings[i].number);
        }
    }
    return number;
}

static ALWAYS_INLINE uint32_t give_one(struct margay_machines *machines,
                                       const struct margay_job *job)
{
    uint32_t k =
        count_until(machines->firsts, machines->stretch_count, job->from);
    uint32_t number;
    if (k == 0) {
        if (machines->count == machines->most)
            return 0;
        number = ++machines->count;
    } else {
        uint32_t stretches = machines->stretch_count;
        number = begin_in(machines, k - 1, job->from);
        number = pass_stretches(machines, k - 1, number);
        if (stretches == machines->stretch_count)
            consider_joining(machines, k - 1);
    }
    add_newest(machines, number, job->moment);
    return number;
}

/* Ask for what a job will read first. */
static ALWAYS_INLINE void prefetch(const struct margay_machines *machines,
                                   uint32_t from)
{
    uint32_t k = count_until(machines->firsts, machines->stretch_count, from);
    if (k == 0)
        return;
    const struct margay_stretch *stretch = machines->stretches[k - 1];
    uint32_t count = machines->counts[k - 1];
    prefetch_edge(stretch);
    __builtin_prefetch(stretch->places, 1);
    for (uint32_t i = 0; i < count; i += 16) {
        __builtin_prefetch(stretch->moments + i, 1);
        __builtin_prefetch(stretch->numbers + i, 1);
    }
}

static void give(struct margay_machines *machines, struct margay_job *jobs,
                 size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD_JOBS < count)
            prefetch(machines, jobs[i + AHEAD_JOBS].from);
        jobs[i].machine = give_one(machines, &jobs[i]);
    }
}

#define PASTE(a, b)       a##b
#define KERNEL_OF(suffix) PASTE(margay_machines_kernel_, suffix)

const struct margay_machines_kernel KERNEL_OF(MARGAY_TARGET_SUFFIX) = {
    .give = give,
};
