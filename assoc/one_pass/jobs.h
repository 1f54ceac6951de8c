/* jobs.h - giving jobs of Belady's optimum to machines (see opt.c) */
#ifndef MARGAY_ASSOC_JOBS_H
#define MARGAY_ASSOC_JOBS_H

#include <stdint.h>

/* Give a job that began at `from` to one of `count` machines, which is free
   again from `until` on; returns which one, or `count` if none is free. */
static inline unsigned margay_give_job(uint64_t *moments, unsigned count,
                                       uint64_t from, uint64_t until)
{
    unsigned first = 0;
    while (first < count && moments[first] > from)
        first++;
    if (first == count)
        return count;
    uint64_t carried = moments[first];
    moments[first] = until;
    /* Those of (carried, from], in one comparison. */
    for (unsigned i = first + 1; i < count && carried < from; i++) {
        uint64_t moment = moments[i];
        if (moment - carried - 1 < from - carried) {
            moments[i] = carried;
            carried = moment;
        }
    }
    return first;
}

#endif
