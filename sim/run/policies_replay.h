/*
 * policies_replay.h - the simulations of policies over references that are kept
 */
#ifndef MARGAY_SIM_RUN_POLICIES_REPLAY_H
#define MARGAY_SIM_RUN_POLICIES_REPLAY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "assoc/assoc_internal.h"
#include "sim/run/history.h"
#include "stackdist/stackdist_internal.h"
#include "traces/traces_internal.h"
#include <margay/questions.h>

struct margay_policy_row {
    const char *spec;
    const struct margay_policy_info *info;
    bool simulated;              /* otherwise an engine measures it, */
    enum margay_measure measure; /* which is this */
};

/* Those of LRU and of the optima are below. */
#define MARGAY_POLICY_MEASURES (MARGAY_OPTIMAL_BYPASS_DISTANCES + 1)

/* Several policies; the list is owned. */
struct margay_policy_rows {
    struct margay_policy_row *list;
    size_t count;
    bool simulates; /* any of them */
};

/* Caches of blocks that go on from one look to the next.  Zero it to begin. */
struct margay_kept_caches {
    struct margay_kept_cache *list; /* owned */
    size_t count, capacity;
    atomic_uint_least64_t bytes;
};

void margay_kept_caches_free(struct margay_kept_caches *kept);

/* What the threads of a replay tell its watch, and ask it. */
struct margay_watching {
    const struct margay_watch *watch; /* NULL = none */
    uint64_t total_refs; /* each reference as often as it is worked through */
    atomic_uint_least64_t done_refs;
    atomic_flag telling; /* by one thread at a time */
};

/* A thread has worked through `count` more references. */
void margay_watching_add(struct margay_watching *watching, size_t count);

/* Are the threads to end with what they have? */
bool margay_watching_is_over(const struct margay_watching *watching);

struct margay_replay;

/* Find the counts of a cache of point->size, or set this to 0 where the watch
   leaves no time.  MARGAY_NO_MEMORY; MARGAY_IO. */
typedef enum margay_status margay_replay_simulate(
    const struct margay_replay *replay, const struct margay_policy_row *row,
    struct margay_watching *watching, struct margay_series_point *point,
    struct margay_error *error);

struct margay_replay {
    /* What simulates caches of requests, with its own context; NULL = they are
       of blocks or objects. */
    margay_replay_simulate *simulate;
    const void *context;

    /* The references: numbers of blocks, or requests of objects and notes. */
    const struct margay_history *history;
    uint64_t uncounted; /* the first of these words, a warm-up */
    uint32_t blocks;    /* all numbers are below */
    /* Of objects, the first size of each in bytes; NULL = blocks. */
    const uint64_t *object_bytes;
    bool noted; /* there are notes among the requests: simulate all rows */

    const struct margay_policy_rows *rows;
    const uint64_t *sizes; /* of the caches, ascending, in blocks or bytes */
    size_t size_count;
    uint64_t seed;
    margay_crew *crew;
    const struct margay_watch *watch; /* NULL = none */

    struct margay_kept_caches *kept; /* NULL: no look follows */

    /* [row][size], of the rows that are simulated: size 0 where the watch left
       no time. */
    struct margay_series_point *points;
};

/* Fill in the points.  MARGAY_NO_MEMORY; MARGAY_IO. */
enum margay_status margay_policies_replay(const struct margay_replay *replay,
                                          struct margay_error *error);

/* ----------------------------------------------- the future (of objects) -- */

/* The intervals between the requests of objects (policies_future.c). */
struct margay_future;

/* Everything that the bounds need.  MARGAY_NO_MEMORY; MARGAY_IO.  The caller
   frees *future in any case. */
enum margay_status margay_future_create(const struct margay_replay *replay,
                                        struct margay_future **future,
                                        struct margay_error *error);

/* NULL is fine. */
void margay_future_free(struct margay_future *future);

/* As margay_object_cache_options has it. */
const uint64_t *margay_future_nexts(const struct margay_future *future);

/* The misses of pfoo-u, if `upper`, or pfoo-l at the size of a point.
   MARGAY_NO_MEMORY. */
enum margay_status margay_future_bound(const struct margay_future *future,
                                       bool upper,
                                       struct margay_series_point *point,
                                       struct margay_error *error);

/* The size of a cache in a sample that stands for one of `size`, and what a
   count in it is of all, which are `most`.  Without a sample, the same. */
uint64_t margay_policies_sampled(const struct margay_sample *sample,
                                 uint64_t size);
uint64_t margay_policies_scaled(const struct margay_sample *sample,
                                uint64_t count, uint64_t most);

/* The first of the failures of some tasks, if there is one. */
enum margay_status margay_policies_failure(const struct margay_error *failures,
                                           size_t count,
                                           struct margay_error *error);

/* The sizes that are asked for; of the usual ones, where a policy is simulated,
   2 for each octave. */
struct margay_sizes margay_policies_sizes(struct margay_sizes asked,
                                          bool simulates);

/* MARGAY_BAD_ARGUMENT: specs[i] is one of those before it. */
enum margay_status margay_policies_check_new(const char *const *specs, size_t i,
                                             struct margay_error *error);

/* What caches have. */
enum margay_caches_of {
    MARGAY_CACHES_OF_BLOCKS,
    MARGAY_CACHES_OF_OBJECTS,
    MARGAY_CACHES_OF_REQUESTS,
};

/* What each of several specs asks for.  MARGAY_BAD_ARGUMENT: one is wrong,
   given twice, or of a policy that is not defined for such caches;
   MARGAY_NO_MEMORY.  The caller frees rows->list in any case. */
enum margay_status margay_policies_read(const char *const *specs, size_t count,
                                        enum margay_caches_of caches,
                                        struct margay_policy_rows *rows,
                                        struct margay_error *error);

#endif
