/*
 * samples.h - a sample of what is between a request of an object and the next
 * one.
 *
 * Algorithm: the objects that came last, the front, are all known.  When there
 *   are too many, the least recent of them leave, and of each it is drawn
 *   whether it is kept: one that stands for n, itself among them, is so with a
 *   chance of 1/n.  It then weighs n times its bytes until its next request,
 *   which counts n times, and brings it to the front, where it stands for
 *   itself again.  n is 2 / (R (1 + s / m)), rounded, for s bytes where m is
 *   the mean of all objects, by what the sample says of them.  So R of the
 *   objects are in the sample, half of them as all are one object, half by
 *   their bytes.
 *
 *   The front has moments of its own, in chains of the same hash; where they
 *   are used up, its objects get the first ones.  What is kept gets a moment of
 *   the engine, and an entry in its table.
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
#ifndef MARGAY_STACKDIST_OBJECTS_SAMPLES_H
#define MARGAY_STACKDIST_OBJECTS_SAMPLES_H

#include <string.h>

#include "stackdist/exact/hash.h"
#include "stackdist/objects/weights.h"
#include "traces/traces_internal.h"

/* Up to when copies of an object are valid: in caches of from[i] bytes and
   more, until[i], up to those of from[i + 1], UINT64_MAX where there are no
   others.  from[0] is 0. */
#define MARGAY_OBJECTS_AGES 4
struct margay_ages {
    uint64_t from[MARGAY_OBJECTS_AGES], until[MARGAY_OBJECTS_AGES];
};

/* What was last used at a moment, and is kept. */
struct margay_kept {
    uint64_t object;
    uint32_t stand; /* how many requests and objects it stands for */
    bool gone;      /* it has been deleted */
};

/* The same in front. */
struct margay_recent {
    uint64_t object;
    uint32_t before; /* the moment before it of the same hash */
    uint32_t state;  /* 0 = its last use is not there, and its size 0 */
};

enum { MARGAY_RECENT = 1, MARGAY_RECENT_GONE };

/* Moments of a leaf, and the most of all: no front has a third as many objects.
   Of these, as many are used as its objects want. */
#define MARGAY_FRONT_LEAF 32
#define MARGAY_FRONT_MOST 16384

struct margay_places {
    struct margay_recent recent[MARGAY_FRONT_MOST];
    uint64_t sizes[MARGAY_FRONT_MOST]; /* 0 where no object is */
    /* The bytes of each leaf, up to a leaf of leaves. */
    uint64_t sums[MARGAY_FRONT_MOST / MARGAY_FRONT_LEAF + MARGAY_FRONT_LEAF];
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
    uint64_t known, known_bytes; /* requests that were counted, as they stand */
};

/* For margay_fail_total(): a sample may have too many bytes where its trace has
   fewer. */
#define MARGAY_ESTIMATED(what) what ", by the estimate of the sample,"

static inline uint16_t *margay_front_head(const struct margay_front *front,
                                          uint64_t object)
{
    return &front->places
                ->heads[object * MARGAY_HASH_MULTIPLIER >> front->shift];
}

/* The moment in front of an object, 0 for none. */
static inline uint32_t margay_front_find(const struct margay_front *front,
                                         uint64_t object)
{
    uint32_t moment = *margay_front_head(front, object);
    while (moment >= front->from &&
           front->places->recent[moment].object != object)
        moment = front->places->recent[moment].before;
    return moment >= front->from ? moment : 0;
}

/* Numbers from `first` on of 32: compilers use vectors for that, and nothing
   depends on chance that could be predicted. */
static inline uint64_t margay_front_sum(const uint64_t *numbers, uint64_t first)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < MARGAY_FRONT_LEAF; i++)
        sum += i >= first ? numbers[i] : 0;
    return sum;
}

/* The bytes of the objects that were last used at `moment` or later. */
static inline uint64_t margay_front_since(const struct margay_front *front,
                                          uint32_t moment)
{
    uint32_t within = moment % MARGAY_FRONT_LEAF;
    uint32_t leaf = moment / MARGAY_FRONT_LEAF + 1;
    uint64_t sum =
        margay_front_sum(front->places->sizes + moment - within, within);
    within = leaf % MARGAY_FRONT_LEAF;
    for (leaf -= within; leaf <= front->next / MARGAY_FRONT_LEAF;
         leaf += MARGAY_FRONT_LEAF) {
        sum += margay_front_sum(front->places->sums + leaf, within);
        within = 0;
    }
    return sum;
}

/* An object leaves its place in front. */
static inline void margay_front_take(struct margay_front *front,
                                     uint32_t moment)
{
    front->places->sums[moment / MARGAY_FRONT_LEAF] -=
        front->places->sizes[moment];
    front->bytes -= front->places->sizes[moment];
    front->objects--;
    front->places->sizes[moment] = 0;
    front->places->recent[moment].state = 0;
}

/* Put an object on top; there is room. */
static inline void margay_front_put(struct margay_front *front, uint64_t object,
                                    uint64_t size, uint32_t state)
{
    uint16_t *head = margay_front_head(front, object);
    uint32_t next = front->next++;
    front->places->recent[next] = (struct margay_recent){object, *head, state};
    front->places->sizes[next] = size;
    *head = (uint16_t)next;
    front->places->sums[next / MARGAY_FRONT_LEAF] += size;
}

/* Give the objects in front the first moments. */
static inline void margay_front_make_room(struct margay_front *front,
                                          bool has_ages)
{
    uint32_t from = front->from, end = front->next;
    memset(front->places->heads, 0,
           4 * front->room * sizeof *front->places->heads);
    memset(front->places->sums, 0,
           (front->room / MARGAY_FRONT_LEAF + 1) * sizeof *front->places->sums);
    front->from = front->next = 1;
    for (; from < end; from++) {
        const struct margay_recent recent = front->places->recent[from];
        if (recent.state == 0)
            continue;
        if (has_ages)
            front->places->ages[front->next] = front->places->ages[from];
        margay_front_put(front, recent.object, front->places->sizes[from],
                         recent.state);
    }
    memset(front->places->sizes + front->next, 0,
           (end - front->next) * sizeof *front->places->sizes);
}

/* How many objects an object stands for that leaves the front; 0 = it is not
   kept.  `per_byte`: the rate over the mean size.  All sizes count a byte more,
   so that one of 0 is no smaller than none. */
static inline uint32_t margay_front_draw(struct margay_front *front,
                                         double per_byte, uint64_t size)
{
    uint64_t hash = margay_sample_hash(front->draws++, front->key);
    double by_bytes = per_byte * ((double)size + 1);
    double twice = front->rate + by_bytes;
    /* Twice the chance is more than the rounded one: most are done here. */
    if ((double)(hash >> 11) * 0x1p-53 > twice)
        return 0;
    uint64_t stand = twice > 4.0 / 3 ? 1 : (uint64_t)(2 / twice + 0.5);
    return (margay_u128)hash * stand >> 64 == 0 ? (uint32_t)stand : 0;
}

#endif
