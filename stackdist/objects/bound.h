/*
 * bound.h - objects that no cache up to a bound holds any more
 *
 * Algorithm: let S(C) be the bytes of the objects of size <= C that were used
 *   since some moment.  A cache of C bytes has nothing from before it once S(C)
 *   > C.  A sweep goes from the latest object to the oldest and keeps L, the
 *   largest C up to the bound with S(C) <= C: an object larger than L is in no
 *   cache, and what is found to be so is forgotten.  L never grows, as S never
 *   falls.  Two objects of a class of sizes, [2^j, 2^(j+1)), do not fit into a
 *   cache of that class.  So where S(L) > L, with B the bytes of the classes
 *   below that of L, and a <= b the two smallest that were passed of this one,
 *   the next L is the largest C < b with B + a <= C, or C < a with B <= C, or
 *   2^j - 1, which is looked at in the same way.
 *
 *   What is forgotten would have counted in S(C) of older objects, but only for
 *   C from its size on, which is more than L.  So for each object that stays, L
 *   at its place is noted (its reach): up to there, S is what it would be if
 *   nothing had been forgotten, and beyond, no cache has it.  Reaches fall
 *   with age, and those of an earlier sweep hold on.
 * Source: our own.
 * Guarantee: exact; what stays is what some cache up to the bound holds, and
 *   deleted or expired objects that keep their room there.
 * Cost: O(1) for each object of a sweep, and 16 bytes for each different reach,
 *   of which there are few.
 */
#ifndef MARGAY_STACKDIST_OBJECTS_BOUND_H
#define MARGAY_STACKDIST_OBJECTS_BOUND_H

#include "stackdist/objects/slack.h"
#include "stackdist/objects/weights.h"

/* What was last used at `moment` or before is in no cache of more bytes. */
struct margay_reach {
    uint64_t moment, bytes;
};

struct margay_bound {
    uint64_t bytes; /* 0 = none */
    bool exceeded;  /* something has been forgotten */
    /* When the latest object larger than the bound came. */
    uint64_t large;
    struct margay_reach *reaches; /* the latest first; their bytes fall */
    size_t count, capacity;
};

/* Take what is forgotten off `weights`; where there is slack its bytes become
   such, as it may have taken some.  MARGAY_NO_MEMORY. */
enum margay_status margay_bound_sweep(struct margay_bound *bound,
                                      struct margay_weights *weights,
                                      struct margay_slack *slack,
                                      struct margay_error *error);

/* A zeroed struct is fine. */
void margay_bound_destroy(struct margay_bound *bound);

/* The largest cache that may have what was last used at `moment`. */
uint64_t margay_bound_find_reach(const struct margay_bound *bound,
                                 uint64_t moment);

static inline uint64_t margay_bound_reach(const struct margay_bound *bound,
                                          uint64_t moment)
{
    return bound->count == 0 || moment > bound->reaches[0].moment
               ? bound->bytes
               : margay_bound_find_reach(bound, moment);
}

#endif
