/*
 * policies_replay.h - the simulations of policies over references that are kept
 */
#ifndef MARGAY_SIM_RUN_POLICIES_REPLAY_H
#define MARGAY_SIM_RUN_POLICIES_REPLAY_H

#include <stdatomic.h>
#include <string.h>

#include "assoc/assoc_internal.h"
#include "sim/run/history.h"
#include "stackdist/stackdist_internal.h"
#include <margay/questions.h>

struct margay_policy_row {
    const char *spec;
    const struct margay_policy_info *info;
    size_t group;                /* of layers, as margay_prefix_cache has it */
    bool simulated;              /* otherwise an engine measures it, */
    enum margay_measure measure; /* which is this */
};

/* Is it pfoo-l or pfoo-u, which have no caches? */
static inline bool margay_policy_row_is_bound(
    const struct margay_policy_row *row)
{
    return strncmp(row->info->name, "pfoo-", 5) == 0;
}

/* Those of LRU and of the optima are below. */
#define MARGAY_POLICY_MEASURES (MARGAY_OPTIMAL_BYPASS_DISTANCES + 1)

/* Several policies; the list is owned. */
struct margay_policy_rows {
    struct margay_policy_row *list;
    size_t count;
    bool simulates; /* any of them */
};

/* The beginning of a question of several policies. */
struct margay_policies_question {
    margay_question question;
    struct margay_policy_rows rows;
};
void margay_policies_question_free(margay_question *question);

/* The masses of the counts of a point, in their order, and the pieces that have
   ended (half_life.h).  Zero it to begin. */
struct margay_point_masses {
    double list[sizeof(struct margay_series_point) / sizeof(uint64_t)];
    uint64_t pieces;
};

/* Caches of blocks that go on from one look to the next.  Zero it to begin. */
struct margay_kept_caches {
    struct margay_kept_cache *list; /* owned */
    size_t count, capacity;
    atomic_uint_least64_t bytes;
};

/* The watch of the threads of a replay. */
struct margay_watching {
    const struct margay_watch *watch; /* NULL = none */
    uint64_t total_refs;              /* each reference once per use */
    atomic_uint_least64_t done_refs;
    atomic_flag telling; /* by one thread at a time */
};

/* A thread has worked through `count` more references. */
void margay_watching_add(struct margay_watching *watching, size_t count);

/* Should the threads stop early? */
bool margay_watching_is_over(const struct margay_watching *watching);

struct margay_replay;

/* Find the counts of a cache of point->size, or set this to 0 where the watch
   leaves no time.  MARGAY_NO_MEMORY; MARGAY_IO. */
typedef enum margay_status margay_replay_simulate(
    const struct margay_replay *replay, const struct margay_policy_row *row,
    struct margay_watching *watching, struct margay_series_point *point,
    struct margay_error *error);

/* The kept references of an analysis, and the results of policies without an
   engine. */
struct margay_replay {
    /* Set by the owner, the rest zeroed. */
    const struct margay_policy_rows *rows;
    struct margay_sample sample; /* that the references are of */
    uint64_t seed;
    /* The simulation of caches of requests, with its own context; NULL = they
       are of blocks or objects. */
    margay_replay_simulate *simulate;
    const void *context;
    /* Of objects, the first size of each in bytes; NULL = blocks. */
    const uint64_t *object_bytes;
    struct margay_noted noted;
    unsigned counters;       /* counts that no engine has */
    uint64_t half_life_refs; /* of counts that fade; 0 = none do */
    bool keeps; /* looks follow: caches of blocks go on where they were */

    const struct margay_watch *watch; /* NULL = none */
    margay_crew *crew;                /* owned, as is what follows */
    /* The references: numbers of blocks, or requests of objects and notes. */
    margay_numbering *numbering;
    struct margay_history history;
    /* The first of these words, and of the numbers: a warm-up. */
    uint64_t uncounted;
    uint32_t uncounted_blocks;
    struct margay_kept_caches kept;
    /* Where counts fade, the references of a piece, the factor at its end, and
       the words before the end of each. */
    uint64_t piece_refs;
    double factor;
    uint64_t *ends;
    size_t end_count, end_room;

    /* While it runs. */
    const struct margay_series *all;
    uint32_t blocks; /* all numbers are below */
    uint64_t *sizes; /* of the caches in the sample, ascending and distinct */
    size_t size_count;
    struct margay_series_point *found; /* [row][size] */

    /* [row][size], of the rows that are simulated: size 0 where the watch left
       no time.  The other rows are the owner's to fill in. */
    struct margay_series_point *points;
    size_t point_count; /* of a row */
};

/* Is a row simulated?  Engines ignore notes. */
static inline bool margay_replay_simulates(const struct margay_replay *replay,
                                           size_t row)
{
    return replay->noted.any || replay->counters != 0 ||
           replay->rows->list[row].simulated;
}

/* Begin without references; `directory` outlives the replay.
   MARGAY_NO_MEMORY. */
enum margay_status margay_replay_begin(struct margay_replay *replay,
                                       const struct margay_share *share,
                                       const char *directory,
                                       struct margay_error *error);

/* Number blocks, and keep the numbers; and which of the references are writes,
   where write-backs are counted.  MARGAY_NO_MEMORY; MARGAY_IO. */
enum margay_status margay_replay_add(struct margay_replay *replay,
                                     const uint64_t *blocks,
                                     const uint8_t *kinds, size_t count,
                                     struct margay_error *error);

/* Note where a piece ends.  MARGAY_NO_MEMORY. */
enum margay_status margay_replay_end_piece(struct margay_replay *replay,
                                           struct margay_error *error);

/* The warm-up is over. */
void margay_replay_reset(struct margay_replay *replay);

/* End the pieces before number `piece`: add the counts to the masses, and set
   them to 0. */
void margay_replay_fade(const struct margay_replay *replay, uint64_t piece,
                        struct margay_point_masses *masses,
                        struct margay_series_point *counts);

/* Add the masses to the counts of the piece that has begun, in the fractions of
   all; costs and written bytes are whole. */
void margay_replay_settle(const struct margay_replay *replay,
                          const struct margay_point_masses *masses,
                          struct margay_series_point *counts);

/* Find the points of caches that the sample stands for, at the sizes of a
   series of all references.  MARGAY_NO_MEMORY; MARGAY_IO. */
enum margay_status margay_replay_run(struct margay_replay *replay,
                                     const struct margay_series *all,
                                     struct margay_error *error);

/* Have the series of a row taken, with its points but those of size 0. */
enum margay_status margay_replay_give(const struct margay_replay *replay,
                                      size_t row, struct margay_series *series,
                                      margay_series_take *take, void *context,
                                      struct margay_error *error);

/* Release the references; the points stay. */
void margay_replay_end(struct margay_replay *replay);

/* Release all; one that has not begun is fine. */
void margay_replay_free(struct margay_replay *replay);

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

/* The requested sizes; of the usual ones, where a policy is simulated, 2 for
   each octave. */
struct margay_sizes margay_policies_sizes(struct margay_sizes asked,
                                          bool simulates);

/* MARGAY_BAD_ARGUMENT: specs[i] is one of those before it, or has parameters of
   objects only. */
enum margay_status margay_policies_check_new(const char *const *specs, size_t i,
                                             bool of_objects,
                                             struct margay_error *error);

/* Abilities of policies. */
enum margay_caches_of {
    MARGAY_CACHES_OF_BLOCKS,
    MARGAY_CACHES_OF_OBJECTS,
    MARGAY_CACHES_OF_REQUESTS,
};

/* The rows of several specs.  MARGAY_BAD_ARGUMENT: one is wrong, given twice,
   or of a policy that is not defined for such caches; MARGAY_NO_MEMORY.  The
   caller frees rows->list in any case. */
enum margay_status margay_policies_read(const char *const *specs, size_t count,
                                        enum margay_caches_of caches,
                                        struct margay_policy_rows *rows,
                                        struct margay_error *error);

/* Have all of them simulated, as the counts do not follow from distances.
   MARGAY_BAD_ARGUMENT with the reason: the optimum cannot be. */
enum margay_status margay_policies_simulate(struct margay_policy_rows *rows,
                                            const char *reason,
                                            struct margay_error *error);

#endif
