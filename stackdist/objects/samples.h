/*
 * samples.h - a sample of the objects that came since the last request of one
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
#ifndef MARGAY_STACKDIST_OBJECTS_SAMPLES_H
#define MARGAY_STACKDIST_OBJECTS_SAMPLES_H

#include "stackdist/exact/hash.h"

/* Up to when copies of an object are valid: in caches of from[i] bytes and
   more, until[i], up to those of from[i + 1], UINT64_MAX where there are no
   others.  from[0] is 0. */
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

#endif
