/*
 * team_state.h - the state of a team, shared by its files
 *
 * team.c is called by the thread that owns the team, team_work.c is what the
 * team's threads do, and team_create.c makes teams and ends them.
 */
#ifndef MARGAY_STACKDIST_TEAM_STATE_H
#define MARGAY_STACKDIST_TEAM_STATE_H

#include <pthread.h>

#include "stackdist/exact/slice.h"

/* One batch being filled, one looked up, one ranked. */
#define MARGAY_TEAM_RING 3

struct margay_worker {
    struct margay_slice slice;
    struct margay_team *team;
    pthread_t thread;
    bool started;
    uint64_t looked_up; /* batches; under the team's mutex, like `ranked` */
    uint64_t ranked;
};

struct margay_team {
    unsigned threads;
    const struct margay_slice_kernel *kernel;
    struct margay_worker *workers;

    struct margay_slice_batch ring[MARGAY_TEAM_RING];
    /* The references of a batch that is handed over; for the owner only. */
    size_t batch_refs, fixed_batch_refs;

    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint64_t submitted; /* batches handed over */
    bool stopping;
    enum margay_status status; /* the first failure of a thread */
    uint64_t live; /* blocks in the deep stack at the last compaction */
};

/* A thread's main function; `context` is its struct margay_worker. */
void *margay_team_work(void *context);

/* How many references to collect before they are handed over. */
size_t margay_team_batch_refs(const struct margay_team *team);

#endif
