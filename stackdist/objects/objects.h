/*
 * objects.h - the engine of objects with sizes, as its files see it
 *
 * objects.c is the engine's life, its memory and its results.  The work of each
 * request is compiled once per processor level: objects_kernel.c, where there
 * are classes with classes_kernel.c, and of a sample samples_kernel.c.
 */
#ifndef MARGAY_STACKDIST_OBJECTS_OBJECTS_H
#define MARGAY_STACKDIST_OBJECTS_OBJECTS_H

#include <margay/objects.h>

#include "stackdist/exact/hash.h"
#include "stackdist/objects/classes.h"
#include "stackdist/objects/weights.h"
#include "traces/traces_internal.h"

/* -------------------------------------------- the grid of sizes, steps.c -- */

/*
 * The hits at each cache size, counted on a grid.
 *
 * Algorithm: a reference that hits in caches of p bytes and more counts at p;
 *   one that hits in [p, q) only counts at p and is subtracted at q.  The hits
 *   of a size are then the sum of the counts up to it.  A grid that is known
 *   beforehand has a counter for each size, with the counts above the size
 *   before; a grid of all sizes is a table of those that occur.
 * Guarantee: exact at each size of the grid.
 * Cost: O(1) per count, O(log n) where the sizes are listed; 16 bytes per size
 *   of the grid, or up to 53 for each size that occurs.
 */

/* Sums modulo 2^64: a subtraction may come before its addition. */
struct margay_step {
    uint64_t refs, bytes;
};

struct margay_steps {
    struct margay_sizes sizes; /* USUAL has become OCTAVE */
    struct margay_step *steps;
    size_t count;
    /* Of all sizes: each one's place in `steps` and, less 1, in the table. */
    struct margay_hash hash;
    uint64_t *positions;
    size_t capacity;
};

/* Counters for this grid; a list stays the caller's and must outlive them.
   MARGAY_NO_MEMORY. */
enum margay_status margay_steps_create(struct margay_steps *steps,
                                       const struct margay_sizes *sizes,
                                       struct margay_error *error);

/* A zeroed struct is fine. */
void margay_steps_destroy(struct margay_steps *steps);

/* Forget all counts. */
void margay_steps_clear(struct margay_steps *steps);

/* Reserve room for `more` counts.  MARGAY_NO_MEMORY. */
enum margay_status margay_steps_grow(struct margay_steps *steps, size_t more,
                                     struct margay_error *error);

static inline enum margay_status margay_steps_reserve(
    struct margay_steps *steps, size_t more, struct margay_error *error)
{
    return steps->sizes.kind == MARGAY_SIZES_ALL
               ? margay_steps_grow(steps, more, error)
               : MARGAY_OK;
}

/* The counter of all sizes from `position` on. */
struct margay_step *margay_steps_sparse(struct margay_steps *steps,
                                        uint64_t position);
struct margay_step *margay_steps_listed(struct margay_steps *steps,
                                        uint64_t position);

static inline struct margay_step *margay_steps_at(struct margay_steps *steps,
                                                  uint64_t position)
{
    if (steps->sizes.kind == MARGAY_SIZES_ALL)
        return margay_steps_sparse(steps, position);
    if (steps->sizes.kind == MARGAY_SIZES_LIST)
        return margay_steps_listed(steps, position);
    /* The first i with 2^k + floor(i 2^k / N) >= position; what is beyond 2^k
       becomes a fraction, of 2^64. */
    uint64_t per_octave = steps->sizes.per_octave;
    unsigned k = margay_log2_floor(position | (position == 0));
    margay_u128 i = (margay_u128)(position << 1 << (63 - k)) * per_octave;
    return &steps->steps[k * per_octave + (uint64_t)(i >> 64) +
                         ((uint64_t)i != 0)];
}

static inline void margay_steps_count(struct margay_steps *steps,
                                      uint64_t position, uint64_t refs,
                                      uint64_t bytes)
{
    struct margay_step *step = margay_steps_at(steps, position);
    step->refs += refs;
    step->bytes += bytes;
}

/* The same in caches of an interval, whose end is UINT64_MAX for none. */
static inline void margay_steps_count_in(struct margay_steps *steps,
                                         struct margay_interval interval,
                                         uint64_t refs, uint64_t bytes)
{
    margay_steps_count(steps, interval.from, refs, bytes);
    if (interval.to != UINT64_MAX)
        margay_steps_count(steps, interval.to, -refs, -bytes);
}

/* A size of the grid, and its hits. */
struct margay_step_row {
    uint64_t cache_bytes;
    struct margay_step hits;
};

/* All rows, where the objects have `all_bytes` bytes together: a new array of
   *count rows, ascending, which the caller releases with free().
   MARGAY_NO_MEMORY. */
enum margay_status margay_steps_rows(const struct margay_steps *steps,
                                     uint64_t all_bytes,
                                     struct margay_step_row **rows,
                                     size_t *count, struct margay_error *error);

/* The same at other sizes, where the steps were created with MARGAY_SIZES_ALL;
   otherwise, and for NULL, at those that they were created with. */
enum margay_status margay_steps_rows_at(const struct margay_steps *steps,
                                        const struct margay_sizes *sizes,
                                        uint64_t all_bytes,
                                        struct margay_step_row **rows,
                                        size_t *count,
                                        struct margay_error *error);

/* ---------------------------------------------------------------- slack -- */

/*
 * The room freed by objects that became smaller: slack.
 *
 * Algorithm: let D(y) be the bytes of the distinct objects used since y was, y
 *   included, at their present sizes.  A cache of C bytes loses y as soon as
 *   D(y) > C, and does not get it back when D(y) falls.  So it has y iff the
 *   largest D(y) since y's last use is at most C.  That is the distance, and
 *   its difference from D(y) is the slack of y.  An object that comes from
 *   place p with o bytes to the top with n bytes adds n to D above p and n
 *   - o below.  The slack falls by as much, but not below 0, or rises by o - n.
 *   So it never falls on the way down, and is a sum: of bytes that lie at
 *   places above y.  A request takes up to n of them, the latest first, while
 *   they are above p; let k be their number.  If k + o >= n, then k + o - n
 *   bytes come to lie at p; otherwise n - o - k more are taken from below p.
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

/* The slack of the object last used at `moment`. */
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

/* Take up to `bytes` of those that lie after `moment`; returns how many. */
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

/* --------------------------------------------------- the bound, bound.c -- */

/*
 * Objects that no cache up to a bound holds any more are forgotten.
 *
 * Algorithm: let S(C) be the bytes of the objects of size <= C that were used
 *   since some moment.  A cache of C bytes has nothing from before it once S(C)
 *   > C.  A sweep goes from the latest object to the oldest and keeps L, the
 *   largest C up to the bound with S(C) <= C: an object larger than L is in no
 *   cache, and is forgotten.  L never grows, as S never falls.  Two objects of
 *   a class of sizes, [2^j, 2^(j+1)), do not fit into a cache of that class.
 *   So where S(L) > L, with B the bytes of the classes below that of L, and a
 *   <= b the two smallest that were passed of this one, the next L is the
 *   largest C < b with B + a <= C, or C < a with B <= C, or 2^j - 1, which is
 *   checked in the same way.
 *
 *   A forgotten object would have counted in S(C) of older objects, but only
 *   for C from its size on, which is more than L.  So for each object that
 *   stays, L at its place is noted (its reach): up to there, S is as if nothing
 *   had been forgotten, and no larger cache has the object.  Reaches fall with
 *   age, and those of an earlier sweep hold on.
 * Source: our own.
 * Guarantee: exact; the objects that stay are in some cache up to the bound, or
 *   are deleted or expired and keep their room there.
 * Cost: O(1) for each object of a sweep, and 16 bytes for each different reach,
 *   of which there are few.
 */

/* Objects last used at `moment` or before are in no cache of more bytes. */
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

/* Take forgotten objects off `weights`; where there is slack their bytes become
   slack, as they may have taken some.  MARGAY_NO_MEMORY. */
enum margay_status margay_bound_sweep(struct margay_bound *bound,
                                      struct margay_weights *weights,
                                      struct margay_slack *slack,
                                      struct margay_error *error);

/* The largest cache that may have the object last used at `moment`. */
uint64_t margay_bound_find_reach(const struct margay_bound *bound,
                                 uint64_t moment);

/* ------------------------------------------ a sample, samples_kernel.c -- */

/*
 * A sample of the objects that came since the last request of one.
 *
 * Algorithm: the objects that came last, the front, are all known.  When there
 *   are too many, the least recent of them leave, and of each it is drawn
 *   whether it is kept: one that stands for n, itself among them, is so with a
 *   chance of 1/n.  It then weighs n times its bytes until its next request,
 *   which counts n times, and brings it to the front, where it stands for
 *   itself again.  n is 2 / (R (1 + s / m)), rounded, for s bytes where m is
 *   the mean of all objects, as the sample has it.  So R of the objects are in
 *   the sample, half of them as all are one object, half by their bytes.
 *   Where copies expire, objects are kept, and counted, by the hash of the
 *   name: of others, ages would not be known.
 *
 *   The front has moments of its own, in chains of the same hash; where they
 *   are used up, its objects get the first ones.  An object that is kept gets a
 *   moment of the engine, and an entry in its table.
 *
 * Source: our own; FLOWS (Guo, Li, Chen, "FLOWS: Balanced MRC profiling for
 *   heterogeneous object-size cache", EuroSys 2024) has the front, and two
 *   samples by the hash of the name.
 * Guarantee: without bias, each request by itself: an object that is dropped is
 *   no more out of the sample at its next request than any other.  None weighs
 *   more than 2 m / R bytes.
 * Cost: a few steps in the front, which fits the cache next to the processor,
 *   and that of the engine for R of the objects.
 */

/* Up to which microsecond copies of an object are valid: in caches of from[i]
   bytes and more, until[i], up to those of from[i + 1], UINT64_MAX where there
   are no others.  from[0] is 0. */
#define MARGAY_OBJECTS_AGES 4
struct margay_ages {
    uint64_t from[MARGAY_OBJECTS_AGES], until[MARGAY_OBJECTS_AGES];
};

/* Moments of a leaf, and the most of all: no front has a third as many objects.
   Of these, as many are used as its objects want. */
#define MARGAY_FRONT_LEAF 32
#define MARGAY_FRONT_MOST 16384

struct margay_places {
    uint64_t objects[MARGAY_FRONT_MOST];
    uint64_t sizes[MARGAY_FRONT_MOST]; /* 0 where no object is */
    /* The bytes of each leaf, up to a leaf of leaves. */
    uint64_t sums[MARGAY_FRONT_MOST / MARGAY_FRONT_LEAF + MARGAY_FRONT_LEAF];
    uint64_t left[MARGAY_FRONT_MOST / 64]; /* a bit where one has come again */
    bool gone[MARGAY_FRONT_MOST];          /* it has been deleted */
    uint16_t before[MARGAY_FRONT_MOST]; /* the moment before of the same hash */
    uint16_t heads[4 * MARGAY_FRONT_MOST];      /* [hash]: the latest moment */
    struct margay_ages ages[MARGAY_FRONT_MOST]; /* where there are ages */
};

struct margay_front {
    double rate;
    uint64_t most, group; /* objects, and how many leave when there are more */
    uint64_t objects, bytes;
    uint32_t from, next, room; /* its moments, from 1 on */
    unsigned shift;            /* of hashes, of which 4 are for each */
    struct margay_places *places;
    uint64_t key, draws;
    uint64_t stands; /* of all that are known: an estimate of all objects */
};

/* The index of the head of an object. */
static inline uint32_t margay_front_hash(const struct margay_front *front,
                                         uint64_t object)
{
    return (uint32_t)(object * MARGAY_HASH_MULTIPLIER >> front->shift);
}

/* The moment in front of an object of this hash, 0 for none.  Whether an object
   is there could not be predicted, whether others of its hash are can. */
static inline uint32_t margay_front_find(const struct margay_front *front,
                                         uint64_t object, uint32_t hash)
{
    const struct margay_places *places = front->places;
    uint32_t moment = places->heads[hash];
    for (;;) {
        uint32_t is_other = places->objects[moment] != object;
        __asm__("" : "+r"(is_other)); /* or there are two branches */
        if ((is_other & (moment >= front->from)) == 0)
            break;
        moment = places->before[moment];
    }
    return moment & -(uint32_t)(moment >= front->from);
}

/* ------------------------------------------------------ counts that fade -- */

/* The masses of counts of steps, in their order: of each `refs` and `bytes`. */
struct margay_masses {
    double *list;
    size_t count, capacity;
};

/* The counts that fade are at the head of the struct; up to `resized` each of
   references is followed by that of their bytes. */
#define MARGAY_OBJECTS_COUNTS \
    (offsetof(struct margay_objects_counts, objects) / sizeof(uint64_t))

/* All of an engine.  A zeroed struct fades nothing. */
struct margay_fading {
    uint64_t piece_refs; /* 0 = counts do not fade */
    uint64_t refs_left;  /* of the piece that has begun */
    double factor;       /* of masses, at the end of a piece */
    struct margay_masses curve, distances;
    double counts[MARGAY_OBJECTS_COUNTS]; /* in the order of their struct */
};

/* -------------------------------------------------------- the engine -- */

/* Requests that are looked up together, and then ranked. */
#define MARGAY_OBJECTS_BATCH 64

/* A piece of a feed, of at most MARGAY_OBJECTS_BATCH requests. */
struct margay_objects_piece {
    const struct margay_requests *requests;
    size_t from, count;
    uint64_t *distances; /* as long as the piece, or NULL */
};

/* The work of a piece, which deletes nothing. */
typedef enum margay_status margay_refer(
    struct margay_objects *objects, const struct margay_objects_piece *piece,
    struct margay_error *error);

struct margay_objects {
    struct margay_objects_options options;
    const struct margay_objects_kernel *kernel;
    margay_refer *refer;     /* that of the kernel, or of samples */
    struct margay_hash hash; /* object -> the moment of its last use */
    struct margay_weights weights;
    struct margay_classes classes;
    struct margay_bound bound;
    struct margay_slack slack;
    uint64_t most_bytes; /* before they became less */
    /* With options.ages: of the object last used at a moment.  As long as
       `weights`. */
    struct margay_ages *ages;

    bool has_curve, has_classes, has_distances;
    struct margay_steps curve;     /* hits by cache size, */
    struct margay_steps distances; /* and distances as they are */

    bool samples;
    struct margay_front front;
    /* Of a sample: how many requests and objects the one last used at a moment
       stands for.  As long as `weights`. */
    uint32_t *kept;

    uint64_t fed;                 /* requests, all of them */
    uint64_t refs_to_look, looks; /* until a look for marks; looks so far */
    /* In a sample `cold` are requests that were known, until it is asked. */
    struct margay_objects_counts counts;
    struct margay_fading fading; /* the masses of earlier pieces */
};

/* An old time: which of its moments are live, and how many before each word.
   Its arrays may be those of the new time, as no object moves to a later
   moment. */
struct margay_old_time {
    struct margay_weights weights;
    struct margay_slack slack;
    struct margay_ages *ages;
    uint32_t *kept;
    struct margay_live_word {
        uint64_t live, before;
    } * words;
};

/* ---------------------------------------------------------- objects.c -- */

/* Reserve memory for the requests of a piece. */
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

/* ------------------------------------------------------------- ages.c -- */

#define MARGAY_HITS_INTERVALS \
    (2 * MARGAY_CLASSES_MOST + 1 + MARGAY_OBJECTS_AGES)

/* Count hits in caches of these intervals, ascending and apart.  Without ages,
   one reaches from the distance on; the others are of caches that larger
   objects bypass. */
struct margay_hits {
    uint64_t distance;
    bool far; /* the distance is above the bound */
    bool doubtful;
    size_t count;
    struct margay_interval list[MARGAY_HITS_INTERVALS];
};

/* Remove the hits of copies that are no longer valid at the i-th request.  The
   object had the ages `old`, NULL for none, and gets those of the request. */
void margay_hits_expire(struct margay_objects *objects,
                        const struct margay_requests *requests, size_t i,
                        const struct margay_ages *old,
                        struct margay_ages *stored, struct margay_hits *hits);

/* --------------------------------------------------- objects_kernel.c -- */

struct margay_objects_kernel {
    margay_refer *refer;
    /* Find the moments of an old time that are live. */
    void (*count_live)(struct margay_old_time *old);
    /* Replace the moments of an old time by those that the live ones have in
       the new one. */
    void (*renumber)(struct margay_objects *objects,
                     struct margay_old_time *old);
};

MARGAY_DECLARE_FOR_TARGETS(const struct margay_objects_kernel,
                           margay_objects_kernel)

/* -------------------------------------------------- samples_kernel.c -- */

MARGAY_DECLARE_FOR_TARGETS(margay_refer, margay_refer_sampled)

#endif
