/*
 * machines.h - the machines of Belady's optimum, for all cache sizes at once
 *
 * A block that is referenced at one time and again at a later one is a job from
 * the first to the second: a cache that keeps the block does it.  A machine
 * does one job at a time.  Machines are numbered from 1, and the jobs that a
 * cache with room for K of them can do are those that machines 1 to K are given
 * by margay_machines_give().
 */
#ifndef MARGAY_STACKDIST_OPTIMAL_MACHINES_H
#define MARGAY_STACKDIST_OPTIMAL_MACHINES_H

#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

struct margay_machines {
    uint32_t *moments; /* from which a machine is free, ascending */
    uint32_t *numbers; /* of these machines */
    uint64_t count, capacity;
    uint64_t most; /* machines beyond this number do not exist */
};

/* No machines yet, and never more than `most`. */
void margay_machines_create(struct margay_machines *machines, uint64_t most);

/* Release what they own; a zeroed struct is fine. */
void margay_machines_destroy(struct margay_machines *machines);

/* Reserve memory for `more` further machines.  MARGAY_NO_MEMORY on failure. */
enum margay_status margay_machines_reserve(struct margay_machines *machines,
                                           uint64_t more,
                                           struct margay_error *error);

/*
 * Give a job that began at time `from` and ends now.  Returns the number of its
 * machine, or 0 if that would be beyond the last.  `moment` is when the machine
 * is free again: above `from` and above all moments before.  Memory has been
 * reserved.
 */
uint64_t margay_machines_give(struct margay_machines *machines, uint32_t from,
                              uint32_t moment);

/* Replace every moment by what `renumber` makes of it, which keeps their order.
 */
void margay_machines_renumber(struct margay_machines *machines,
                              uint32_t (*renumber)(const void *context,
                                                   uint32_t moment),
                              const void *context);

#endif
