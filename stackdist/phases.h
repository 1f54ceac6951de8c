/*
 * margay/phases.h - where the locality of a trace changes
 *
 * A phase is a stretch of references of one locality: their miss curve stays
 * about the same, and so do the blocks that they use.  A phase repeats an
 * earlier one where the miss curve does.  All distances are those of the whole
 * trace, so a phase begins with the cache contents of earlier ones.
 *
 * A trace is cut into at most MARGAY_MOST_INTERVALS intervals of the same
 * length, a power of two; phases begin and end at the ends of intervals.
 *
 * Thread safety: one thread at a time per object; different objects are
 * independent.
 */
#ifndef MARGAY_PHASES_H
#define MARGAY_PHASES_H

#include <margay/stackdist.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MARGAY_MOST_INTERVALS 1024

typedef struct margay_phases margay_phases;

struct margay_phase {
    uint64_t from, to; /* its references, counted from 0, without `to` */
    size_t repeats;    /* the first phase of the same miss curve, perhaps
                          itself */
    uint64_t working_set_blocks; /* the distinct blocks that it uses, exactly */
};

/* `threads` are the most to use, 1 or more; results do not depend on it.
   MARGAY_NO_MEMORY on failure.  The caller owns *phases. */
MARGAY_API enum margay_status margay_phases_create(unsigned threads,
                                                   margay_phases **phases,
                                                   struct margay_error *error);

/* NULL does nothing. */
MARGAY_API void margay_phases_free(margay_phases *phases);

/* Take the next `count` references; every 64-bit number is a block.
   MARGAY_NO_MEMORY on failure, after which *phases can only be freed. */
MARGAY_API enum margay_status margay_phases_feed(margay_phases *phases,
                                                 const uint64_t *blocks,
                                                 size_t count,
                                                 struct margay_error *error);

/* End the references and find the phases; to be called once.
   MARGAY_NO_MEMORY on failure. */
MARGAY_API enum margay_status margay_phases_finish(margay_phases *phases,
                                                   struct margay_error *error);

/* ---- After that ---- */

/* The number of phases; 0 where there was no reference. */
MARGAY_API size_t margay_phases_count(const margay_phases *phases);

/* Phase `index`, in the order of time, from 0 on and below the number of
   phases. */
MARGAY_API void margay_phases_at(const margay_phases *phases, size_t index,
                                 struct margay_phase *phase);

/* The references of an interval; the last may have fewer. */
MARGAY_API uint64_t margay_phases_interval_refs(const margay_phases *phases);

/* The misses of phase `index` and of all that repeat it, in fully associative
   LRU caches of 8 sizes per octave, up to the first at which the whole trace
   misses nothing but first references.  *points becomes a new array of *count
   points, which the caller releases with free(), and *references how many
   references these phases have.  MARGAY_NO_MEMORY. */
MARGAY_API enum margay_status margay_phases_curve(
    const margay_phases *phases, size_t index, struct margay_point **points,
    size_t *count, uint64_t *references, struct margay_error *error);

/* An interval that stands for others. */
struct margay_representative {
    uint64_t from, to; /* its references, as those of a phase */
    size_t phase;      /* the phase that most of it lies in */
    uint64_t refs;     /* the references of all intervals that it stands for */
};

struct margay_representatives {
    struct margay_representative *intervals; /* in the order of time */
    size_t count;
    /* The mean difference between the miss ratios of their weighted sum and of
       the whole trace, over the sizes of margay_phases_curve(). */
    double error;
    /* A lower limit of the same if each interval began with empty caches. */
    double cold_error;
};

/* Choose intervals that stand for the whole trace: one for each different
   phase, and as many more as needed for an error of at most `error_wanted`, but
   at most `share` of all, from 0 to 1, and at least one.  The caller releases
   what *chosen owns with margay_representatives_clear().  MARGAY_NO_MEMORY on
   failure, when there is nothing to release. */
MARGAY_API enum margay_status margay_phases_represent(
    const margay_phases *phases, double share, double error_wanted,
    struct margay_representatives *chosen, struct margay_error *error);

/* Release what they own; zeroed or cleared ones own nothing. */
MARGAY_API void margay_representatives_clear(
    struct margay_representatives *chosen);

#ifdef __cplusplus
}
#endif

#endif
