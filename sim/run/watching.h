/*
 * watching.h - what the threads of a replay tell its watch, and ask it
 */
#ifndef MARGAY_SIM_RUN_WATCHING_H
#define MARGAY_SIM_RUN_WATCHING_H

#include <stdatomic.h>

#include <margay/analysis.h>

struct margay_watching {
    const struct margay_watch *watch; /* NULL = none */
    uint64_t total_refs; /* each reference as often as it is worked through */
    atomic_uint_least64_t done_refs;
    atomic_flag telling; /* by one thread at a time */
};

#define MARGAY_WATCHING(a_watch, refs)                                        \
    {                                                                         \
        .watch = (a_watch), .total_refs = (refs), .telling = ATOMIC_FLAG_INIT \
    }

/* A thread has worked through `count` more references. */
void margay_watching_add(struct margay_watching *watching, size_t count);

/* Are the threads to end with what they have? */
bool margay_watching_is_over(const struct margay_watching *watching);

/* When all threads have ended: `lacking` of the `caches` have no results. */
void margay_watching_end(const struct margay_watching *watching, size_t lacking,
                         size_t caches);

#endif
