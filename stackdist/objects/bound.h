/*
 * bound.h - objects that no cache up to a bound holds any more, and slack
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

#include "stackdist/objects/weights.h"
#include "traces/traces_internal.h"

/* ---------------------------------------------------------------- slack -- */

/*
 * Room that objects gave free when they became smaller: slack.
 *
 * Algorithm: let D(y) be the bytes of the distinct objects used since y was,
 *   y included, at their present sizes.  A cache of C bytes loses y as soon as
 *   D(y) > C, and does not get it back when D(y) falls.  So it has y iff the
 *   largest D(y) since y's last use is at most C.  That is the distance, and
 *   the slack of y is what D(y) has fallen short of it.  An object that comes
 *   from place p with o bytes to the top with n bytes adds n to D above p and n
 *   - o below.  The slack falls by as much, but not below 0, or rises by o - n.
 *   So it never falls on the way down, and is a sum: of bytes that lie at
 *   places above y.  A request takes n of them, the latest first, while they
 *   are above p.  Let k be what it took.  If k + o >= n, then k + o - n bytes
 *   come to lie at p; otherwise n - o - k more are taken from below p.
 * Source: our own; the sums are a Fenwick tree ("A new data structure for
 *   cumulative frequency tables", 1994).
 * Guarantee: exact, for caches no smaller than the largest object.
 * Cost: nothing until an object becomes smaller, then O(log T) amortized per
 *   request, as each leaves bytes at one place at most, and 8 bytes per moment.
 */

struct margay_slack {
    uint64_t *sums; /* by moments, from 1 on; NULL = there was none so far */
    uint64_t capacity, total;
};

/* Add bytes at `moment`, or their negative. */
static inline void margay_slack_add(struct margay_slack *slack, uint64_t moment,
                                    uint64_t bytes)
{
    slack->total += bytes;
    for (; bytes != 0 && moment < slack->capacity; moment += moment & -moment)
        slack->sums[moment] += bytes;
}

/* The slack of what was last used at `moment`. */
static inline uint64_t margay_slack_of(const struct margay_slack *slack,
                                       uint64_t moment)
{
    uint64_t sum = slack->total;
    for (; sum != 0 && moment != 0; moment &= moment - 1)
        sum -= slack->sums[moment];
    return sum;
}

/* The latest moment that has bytes, and how many; there is one. */
static inline uint64_t margay_slack_latest(const struct margay_slack *slack,
                                           uint64_t *bytes)
{
    uint64_t moment = 0, left = slack->total;
    uint64_t most = UINT64_C(1) << margay_log2_floor(slack->capacity);
    for (uint64_t step = most; step != 0; step >>= 1) {
        uint64_t next = moment + step;
        if (next < slack->capacity && slack->sums[next] < left) {
            left -= slack->sums[next];
            moment = next;
        }
    }
    *bytes = left;
    return moment + 1;
}

/* Take up to this number of bytes that lie after `moment`; how many it took. */
static inline uint64_t margay_slack_take(struct margay_slack *slack,
                                         uint64_t moment, uint64_t bytes)
{
    uint64_t taken = 0, some, latest;
    while (taken < bytes && slack->total != 0 &&
           (latest = margay_slack_latest(slack, &some)) > moment) {
        some = some < bytes - taken ? some : bytes - taken;
        margay_slack_add(slack, latest, -some);
        taken += some;
    }
    return taken;
}

/* An object comes from `moment` with `before` bytes, 0 and 0 for a first
   request, and has `bytes` now. */
static inline void margay_slack_pass(struct margay_slack *slack,
                                     uint64_t moment, uint64_t before,
                                     uint64_t bytes)
{
    uint64_t taken = margay_slack_take(slack, moment, bytes);
    if (taken + before >= bytes)
        margay_slack_add(slack, moment, taken + before - bytes);
    else
        margay_slack_take(slack, 0, bytes - before - taken);
}

/* ---------------------------------------------------------------- bound -- */

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

/* The largest cache that may have what was last used at `moment`. */
uint64_t margay_bound_find_reach(const struct margay_bound *bound,
                                 uint64_t moment);

#endif
