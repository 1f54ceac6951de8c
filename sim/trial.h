/*
 * trial.h - an engine on trial, in a process of its own
 *
 * A child process measures how long an engine takes and how much memory, so
 * that no engine inherits another's heap, and none can spoil the others'
 * trials by its end.
 */
#ifndef MARGAY_SIM_TRIAL_H
#define MARGAY_SIM_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/stackdist.h>

/* Where the references come from: the next ones, 0 at the end. */
struct trial_source {
    size_t (*next)(void *context, const uint64_t **blocks);
    void *context; /* as it was at the fork, in each child */
};

struct trial {
    const char *spec;
    struct margay_engine_options options;
    struct trial_source source;
    /* Cache sizes to be asked for, ascending; may be none. */
    const uint64_t *sizes;
    size_t size_count;
};

struct trial_result {
    uint64_t references;
    /* Of feeding and finishing, not of the source: elapsed, or on one thread
       the processor's. */
    double seconds;
    uint64_t peak_bytes;
    uint64_t nodes;
    bool knows_sizes;
    uint64_t *misses; /* at each size, if it knows them; the caller's array */
};

/*
 * Run the trial.  Fails as the engine does, and with MARGAY_NO_MEMORY when
 * the child was killed.
 */
enum margay_status trial_run(const struct trial *trial,
                             struct trial_result *result,
                             struct margay_error *error);

#endif
