/*
 * clock.h - the reuse time of each reference
 *
 * The reuse time is the number of references since the previous one to the
 * same block, that one not counted: 1 for an immediate repeat.
 */
#ifndef MARGAY_STACKDIST_CLOCK_H
#define MARGAY_STACKDIST_CLOCK_H

#include "stackdist/exact/hash.h"

/* The low half of a value in the hash table must not be 0, so times are encoded
   without these values.  Time ends where 38 bits do. */
#define MARGAY_CLOCK_END ((UINT64_C(1) << 38) - (UINT64_C(1) << 7))

/* A bucket of the hash table is prefetched this many references ahead. */
#define MARGAY_CLOCK_AHEAD 24

/* Zeroed, with an empty table. */
struct margay_clock {
    struct margay_hash last; /* block to time */
    uint64_t now;            /* references so far */
};

/* MARGAY_BAD_ARGUMENT: no time is left, after nearly 2^38 references. */
static inline enum margay_status margay_clock_fail_end(
    struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "reuse times are measured over at most %llu references",
                       (unsigned long long)MARGAY_CLOCK_END);
}

/* Reserve an entry for one more block.  Fails with MARGAY_NO_MEMORY, and at the
   end of time. */
static inline enum margay_status margay_clock_reserve(
    struct margay_clock *clock, struct margay_error *error)
{
    if (clock->now >= MARGAY_CLOCK_END)
        return margay_clock_fail_end(error);
    return margay_hash_reserve(&clock->last, 1, error);
}

static inline uint64_t margay_clock_encode(uint64_t time)
{
    return time + 1 + time / UINT32_MAX;
}

static inline uint64_t margay_clock_decode(uint64_t value)
{
    return value - 1 - (value >> 32);
}

/* The reuse time of a reference to `block` now, 0 if it is the first. */
static inline uint64_t margay_clock_refer(struct margay_clock *clock,
                                          uint64_t block)
{
    unsigned slot;
    struct margay_bucket *bucket = margay_hash_slot(&clock->last, block, &slot);
    uint64_t value = margay_bucket_value(bucket, slot), now = clock->now++;
    clock->last.entries += value == 0;
    bucket->keys[slot] = block;
    margay_bucket_set_value(bucket, slot, margay_clock_encode(now));
    return value == 0 ? 0 : now - margay_clock_decode(value);
}

#endif
