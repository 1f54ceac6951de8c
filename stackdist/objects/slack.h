/*
 * slack.h - room that objects gave free when they became smaller
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
#ifndef MARGAY_STACKDIST_OBJECTS_SLACK_H
#define MARGAY_STACKDIST_OBJECTS_SLACK_H

#include <stdint.h>

#include "traces/traces_internal.h"

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

#endif
