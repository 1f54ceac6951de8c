/*
 * fading.h - counts of objects of which older ones count less
 *
 * Algorithm: that of half_life.h.  A piece of the trace is counted as always;
 *   at its end all counts join masses, one for each, and begin again at 0.
 * Source: see half_life.h; engines/fading.c does the same with the histogram
 *   of blocks.
 * Guarantee: a request that k pieces have ended since counts as 2^(-k/16).
 * Cost: at the end of a piece a step for each counter; 16 bytes for each.
 */
#ifndef MARGAY_STACKDIST_OBJECTS_FADING_H
#define MARGAY_STACKDIST_OBJECTS_FADING_H

#include "stackdist/objects/steps.h"

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

#endif
