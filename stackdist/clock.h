/*
 * clock.h - the reuse time of each reference
 *
 * The reuse time is the number of references since the previous one to the
 * same block, that one not counted: 1 for an immediate repeat.
 */
#ifndef MARGAY_STACKDIST_CLOCK_H
#define MARGAY_STACKDIST_CLOCK_H

#include "stackdist/hash/hash.h"

/* The hash table's values must not have a low half of 0, so times that would
   are left out; what fits the table is the end of time. */
#define MARGAY_CLOCK_END ((UINT64_C(1) << 38) - (UINT64_C(1) << 7))

/* So many references ahead, the bucket of the hash table is fetched. */
#define MARGAY_CLOCK_AHEAD 24

struct margay_clock {
    struct margay_hash last; /* block to time */
    uint64_t now;            /* references so far */
};

enum margay_status margay_clock_create(struct margay_clock *clock,
                                       struct margay_error *error);
void margay_clock_destroy(struct margay_clock *clock);

/*
 * Make room for a further block.  MARGAY_NO_MEMORY, or MARGAY_BAD_ARGUMENT
 * after 2^38 references, of which no time is kept.
 */
enum margay_status margay_clock_fail_end(struct margay_error *error);

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
