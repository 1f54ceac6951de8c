/*
 * small_stretches.h - the optimum's machines, in stretches of few machines
 *
 * They are joined, emptied, settled, and found to be calm all the time, so that
 * small traces meet what takes millions of references otherwise.  These
 * machines have names of their own, next to the library's.
 */
#ifndef MARGAY_TESTS_STACKDIST_SMALL_STRETCHES_H
#define MARGAY_TESTS_STACKDIST_SMALL_STRETCHES_H

#define MARGAY_STRETCH_MACHINES 64
#define MARGAY_STRETCH_NEWEST   40
#define MARGAY_STRETCH_SLACK    8
#define MARGAY_STRETCH_LONG     18
#define MARGAY_STRETCH_CALM     6
#define MARGAY_STRETCH_RETRY    2

#define MARGAY_TARGET_SUFFIX       small
#define margay_machines_create     small_machines_create
#define margay_machines_destroy    small_machines_destroy
#define margay_machines_reserve    small_machines_reserve
#define margay_machines_list       small_machines_list
#define margay_machines_set        small_machines_set
#define margay_machines_give_batch small_machines_give_batch
#define margay_moments_until       small_moments_until

#include "stackdist/optimal/batch.c"
#include "stackdist/optimal/give_kernel.c"
#include "stackdist/optimal/machines.c"

/* Machines 1 to `most`. */
static inline void create_small(struct margay_machines *machines, uint64_t most)
{
    small_machines_create(machines, most, MARGAY_TARGET_PORTABLE);
    machines->kernel = &margay_machines_kernel_small;
}

/* Let `job` end; returns the number of its machine. */
static inline uint32_t give_to_small(struct margay_machines *machines,
                                     struct margay_job job)
{
    if (small_machines_reserve(machines, 1, NULL) != MARGAY_OK)
        abort();
    machines->kernel->give(machines, &job, 1);
    return job.machine;
}

#endif
