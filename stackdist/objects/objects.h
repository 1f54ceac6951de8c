/*
 * objects.h - the engine of objects with sizes, as its files see it
 *
 * objects.c is the engine's life, its memory and its results, objects_kernel.c,
 * compiled once per processor level, what each request does.
 */
#ifndef MARGAY_STACKDIST_OBJECTS_OBJECTS_H
#define MARGAY_STACKDIST_OBJECTS_OBJECTS_H

#include "stackdist/exact/hash.h"
#include "stackdist/objects/bound.h"
#include "stackdist/objects/classes.h"
#include "stackdist/objects/steps.h"
#include "stackdist/objects/weights.h"
#include "traces/traces_internal.h"

/* Requests that are looked up together, and then ranked. */
#define MARGAY_OBJECTS_BATCH 64

/*
 * Up to when copies of an object are valid: in caches of from[i] bytes and
 * more, until[i], up to those of from[i + 1], UINT64_MAX where there are no
 * others.  from[0] is 0.
 */
#define MARGAY_OBJECTS_AGES 4
struct margay_ages {
    uint64_t from[MARGAY_OBJECTS_AGES], until[MARGAY_OBJECTS_AGES];
};

/* ------------------------------------------------------ counts that fade -- */

struct margay_mass {
    double refs, bytes;
};

/* What pieces that have ended add to counters of steps, in their order. */
struct margay_masses {
    struct margay_mass *list;
    size_t count, capacity;
};

/* The counts at the head of the struct, all that fade among them; up to
   `objects` each of references is followed by that of their bytes. */
#define MARGAY_OBJECTS_COUNTS \
    (offsetof(struct margay_objects_counts, exceeded_bound) / sizeof(uint64_t))

/* All of an engine.  A zeroed struct fades nothing. */
struct margay_fading {
    uint64_t piece_refs; /* 0 = counts do not fade */
    uint64_t refs_left;  /* of the piece that has begun */
    double factor;       /* of masses, at the end of a piece */
    struct margay_masses curve, distances;
    double counts[MARGAY_OBJECTS_COUNTS]; /* in the order of their struct */
};

struct margay_objects {
    struct margay_objects_options options;
    const struct margay_objects_kernel *kernel;
    struct margay_hash hash; /* object -> the moment of its last use */
    struct margay_weights weights;
    struct margay_classes classes;
    struct margay_bound bound;
    struct margay_slack slack;
    uint64_t most_bytes; /* before objects became smaller */
    /* With options.ages: of what was last used at a moment.  As long as
       `weights`. */
    struct margay_ages *ages;

    bool has_curve, has_classes, has_distances;
    struct margay_steps curve;     /* hits by cache size, */
    struct margay_steps distances; /* and distances as they are */

    /* Of a sample: how much larger everything is. */
    bool samples;
    struct margay_sample sample;
    double scale;

    uint64_t fed;                 /* requests, all of them */
    uint64_t refs_to_look, looks; /* until a look for marks; looks so far */
    struct margay_objects_counts counts;
    struct margay_fading fading; /* what earlier ones still count */
};

/* A piece of a feed, of at most MARGAY_OBJECTS_BATCH requests. */
struct margay_objects_piece {
    const struct margay_requests *requests;
    size_t from, count;
    uint64_t *distances; /* as long as the piece, or NULL */
};

/* An old time: which of its moments are live, and how many before each word.
   Its arrays may be those of the new time, as no object moves to a later
   moment. */
struct margay_old_time {
    struct margay_weights weights;
    struct margay_slack slack;
    struct margay_ages *ages;
    struct margay_live_word {
        uint64_t live, before;
    } * words;
};

/* ---------------------------------------------------------- objects.c -- */

/* Reserve what the requests of a piece need. */
enum margay_status margay_objects_prepare(struct margay_objects *objects,
                                          struct margay_error *error);

/* Make room for slack, where there is none. */
enum margay_status margay_objects_make_slack(struct margay_objects *objects,
                                             struct margay_error *error);

/* ---------------------------------------------------------- fading.c -- */

void margay_fading_begin(struct margay_fading *fading, uint64_t half_life_refs);

/* Forget all masses. */
void margay_fading_clear(struct margay_fading *fading);

/* Some references of a piece have been counted.  At its end the counts of an
   engine join the masses, and are 0 again.  MARGAY_BAD_INPUT where the bytes of
   references have a mass of 2^63 or more, and MARGAY_NO_MEMORY. */
enum margay_status margay_fading_pass(struct margay_fading *fading, size_t refs,
                                      struct margay_objects_counts *counts,
                                      struct margay_steps *curve,
                                      struct margay_steps *distances,
                                      struct margay_error *error);

/* Make masses of the counts of the piece that has begun, with those before. */
void margay_fading_add(const struct margay_fading *fading,
                       struct margay_objects_counts *counts);

/* A copy of `steps` with masses in its counters, in the fractions of the
   counts; all but the counters are shared.  The caller releases settled->steps
   with free().  MARGAY_NO_MEMORY. */
enum margay_status margay_masses_settle(
    const struct margay_masses *masses, const struct margay_steps *steps,
    const struct margay_objects_counts *counts, struct margay_steps *settled,
    struct margay_error *error);

/* --------------------------------------------------- objects_kernel.c -- */

struct margay_objects_kernel {
    /* Requests that are in the sample and delete nothing. */
    enum margay_status (*refer)(struct margay_objects *objects,
                                const struct margay_objects_piece *piece,
                                struct margay_error *error);
    /* Replace the moments of an old time by those that the live ones have in
       the new one. */
    void (*renumber)(struct margay_objects *objects,
                     struct margay_old_time *old);
};

extern const struct margay_objects_kernel margay_objects_kernel_portable;
extern const struct margay_objects_kernel margay_objects_kernel_v3;
extern const struct margay_objects_kernel margay_objects_kernel_v4;

#endif
