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
 * Source: our own; FLOWS (Guo, Li, Chen, "FLOWS: Balanced MRC profiling for
 *   heterogeneous object-size cache", EuroSys 2024) has the front, and two
 *   samples by the hash of the name.
 * Guarantee: without bias, each request by itself: an object that is dropped is
 *   no more out of the sample at its next request than any other.  None weighs
 *   more than 2 m / R bytes.
 * Cost: that of the engine for the front and R of the objects.
 */
#ifndef MARGAY_STACKDIST_OBJECTS_SAMPLES_H
#define MARGAY_STACKDIST_OBJECTS_SAMPLES_H

#include "stackdist/objects/weights.h"
#include "traces/traces_internal.h"

/* What was last used at a moment. */
struct margay_kept {
    uint64_t object;
    uint32_t stand; /* how many requests and objects it stands for */
    bool gone;      /* it has been deleted */
};

struct margay_front {
    double rate;
    uint64_t most, group; /* objects, and how many leave when there are more */
    uint64_t objects;
    uint64_t from; /* the moment of the first of them, or one before */
    uint64_t key, draws;
    uint64_t stands; /* of all that are known: an estimate of all objects */
    uint64_t known, known_bytes; /* requests that were counted, as they stand */
};

/* For margay_fail_total(): a sample may have too many bytes where its trace has
   fewer. */
#define MARGAY_ESTIMATED(what) what ", by the estimate of the sample,"

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

/* The object at `moment` weighs as many times its size as it stands for; `gone`
   bytes of the total are no longer there. */
static inline enum margay_status margay_front_weigh(
    struct margay_weights *weights, uint64_t moment, uint64_t size,
    uint32_t stand, uint64_t gone, uint64_t reference,
    struct margay_error *error)
{
    uint64_t weight;
    if (__builtin_mul_overflow(size, stand, &weight) ||
        weight - size >= UINT64_MAX - (weights->total - gone))
        return margay_fail_total(MARGAY_ESTIMATED("objects"), reference, error);
    enum margay_status status = weight >> 32 != 0 && weights->high == NULL
                                    ? margay_weights_widen(weights, error)
                                    : MARGAY_OK;
    if (status == MARGAY_OK)
        margay_weights_set(weights, moment, weight);
    return status;
}

/* The least recent of the front leave, at this reference. */
static inline enum margay_status margay_front_leave(
    struct margay_front *front, struct margay_kept *kept,
    struct margay_weights *weights, uint64_t reference,
    struct margay_error *error)
{
    double mean = (double)weights->total / (double)front->stands;
    double per_byte = front->rate / (mean + 1);
    uint64_t left = front->group, moment = front->from;
    enum margay_status status = MARGAY_OK;
    front->objects -= left;
    front->stands -= left;
    while (left > 0 && status == MARGAY_OK) {
        uint64_t leaf = moment & ~(uint64_t)(MARGAY_WEIGHTS_LEAF - 1);
        uint64_t dropped = 0, gone = 0;
        uint32_t live = (uint32_t)(weights->live[leaf >> 6] >> (leaf & 63)) &
                        UINT32_MAX << (moment - leaf);
        for (; live != 0 && left > 0 && status == MARGAY_OK;
             live &= live - 1, left--) {
            moment = leaf + (unsigned)__builtin_ctz(live);
            uint64_t size = margay_weights_size(weights, moment);
            uint32_t stand = margay_front_draw(front, per_byte, size);
            if (stand != 0) {
                kept[moment].stand = stand;
                front->stands += stand;
                status = margay_front_weigh(weights, moment, size, stand, gone,
                                            reference, error);
                gone -= size * (stand - UINT64_C(1));
            } else {
                margay_weights_set(weights, moment, 0);
                dropped |= UINT64_C(1) << (moment & 63);
                gone += size;
            }
        }
        weights->live[leaf >> 6] ^= dropped;
        weights->objects -= (unsigned)__builtin_popcountll(dropped);
        margay_weights_lose(weights, leaf, gone);
        moment = live == 0 ? leaf + MARGAY_WEIGHTS_LEAF : moment + 1;
    }
    front->from = moment;
    return status;
}

#endif
