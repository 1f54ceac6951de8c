/*
 * objects.h - the engine of objects with sizes, as its files see it
 *
 * objects.c is the engine's life and its results, objects_kernel.c, compiled
 * once per processor level, what each request does, and store.c its memory.
 */
#ifndef MARGAY_STACKDIST_OBJECTS_OBJECTS_H
#define MARGAY_STACKDIST_OBJECTS_OBJECTS_H

#include "stackdist/exact/hash.h"
#include "stackdist/objects/bound.h"
#include "stackdist/objects/classes.h"
#include "stackdist/objects/fading.h"
#include "stackdist/objects/steps.h"
#include "stackdist/objects/weights.h"
#include "traces/traces_internal.h"

/* Requests that are looked up together, and then ranked. */
#define MARGAY_OBJECTS_BATCH 64

struct margay_objects {
    struct margay_objects_options options;
    const struct margay_objects_kernel *kernel;
    struct margay_hash hash; /* object -> the moment of its last use */
    struct margay_weights weights;
    struct margay_classes classes;
    struct margay_bound bound;
    /* With options.ages: after which second the object that was last used at a
       moment is no longer valid.  As long as `weights`. */
    uint64_t *expiries;

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
    uint64_t *expiries;
    struct margay_live_word {
        uint64_t live, before;
    } * words;
};

/* ------------------------------------------------------------ store.c -- */

enum margay_status margay_objects_create_store(struct margay_objects *objects,
                                               struct margay_error *error);
void margay_objects_destroy_store(struct margay_objects *objects);

/* Reserve what the requests of a piece need. */
enum margay_status margay_objects_prepare(struct margay_objects *objects,
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
                     const struct margay_old_time *old);
};

extern const struct margay_objects_kernel margay_objects_kernel_portable;
extern const struct margay_objects_kernel margay_objects_kernel_v3;
extern const struct margay_objects_kernel margay_objects_kernel_v4;

#endif
