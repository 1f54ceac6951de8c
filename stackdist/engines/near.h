/*
 * near.h - the top of the LRU stack, exactly and at speed
 *
 * Algorithm: a table leads from a block to its slot, of which there are as
 *   many as the stack is deep, and a slot knows the time of its block's last
 *   reference.  Time is short, 64 words of 64 bits, in which the bits of those
 *   times are set, and the number of them in each word is a lane of one vector:
 *   so the bits behind a time, the distance, are a sum of lanes and a few bits
 *   more.  When time is used up, the slots are numbered anew.
 * Source: Bennett, Kruskal, "LRU stack processing", IBM J. R&D 19(4), 1975; a
 *   vector in the place of their tree.
 * Guarantee: exact below `front`; that a distance is not, is exact too.
 * Cost: O(1) per reference, a table of so many blocks.
 */
#ifndef MARGAY_STACKDIST_ENGINES_NEAR_H
#define MARGAY_STACKDIST_ENGINES_NEAR_H

#include "stackdist/engines/sample.h"
#include "stackdist/hash/hash.h"
#include "traces/traces_internal.h"

#define MARGAY_NEAR_FRONT 1024 /* the deepest there is */
#define MARGAY_NEAR_WORDS 64
#define MARGAY_NEAR_SPARE 8
#define MARGAY_NEAR_TIMES (MARGAY_NEAR_WORDS * 64)

typedef uint8_t margay_near_lanes
    __attribute__((vector_size(MARGAY_NEAR_WORDS)));

struct margay_near {
    margay_near_lanes live; /* bits set per word */
    uint64_t bits[MARGAY_NEAR_WORDS];
    const struct margay_near_kernel *kernel;
    uint32_t front;
    uint32_t blocks;                    /* in the stack */
    uint32_t now;                       /* the time to be given next */
    bool exceeded;                      /* a block was forgotten */
    struct margay_hash slots;           /* block to slot + 1 */
    uint64_t counts[MARGAY_NEAR_FRONT]; /* references by distance */
    uint64_t beyond;                    /* references that are further */
    uint64_t block_of[MARGAY_NEAR_FRONT];
    uint16_t time_of[MARGAY_NEAR_FRONT];
    uint16_t slot_at[MARGAY_NEAR_TIMES]; /* of a time whose bit is set */
};

/* Compiled once per processor level, from near_kernel.c. */
struct margay_near_kernel {
    /*
     * Refer to `count` <= 65536 blocks.  The places of those that are not
     * among the newest `front` are written to beyond[]; returns how many.
     */
    size_t (*refer)(struct margay_near *near, const uint64_t *blocks,
                    size_t count, uint16_t *beyond);

    /* Copy `count` blocks but for those that repeat the one before, which for
       the first is `previous`; returns how many.  kept[] has room for
       MARGAY_NEAR_SPARE more. */
    size_t (*collapse)(const uint64_t *blocks, size_t count, uint64_t previous,
                       uint64_t *kept);

    /* The places of those of `count` <= 65536 blocks that are in a sample, in
       picks[], which has room for one more; returns how many. */
    size_t (*pick)(const struct margay_sample *sample, const uint64_t *blocks,
                   size_t count, uint16_t *picks);
};

extern const struct margay_near_kernel margay_near_kernel_portable;
extern const struct margay_near_kernel margay_near_kernel_v3;
extern const struct margay_near_kernel margay_near_kernel_v4;

/* What there is for a target that is available. */
const struct margay_near_kernel *margay_near_kernel_of(
    enum margay_target target);

/* An empty stack of 1 <= front <= MARGAY_NEAR_FRONT blocks, for a target that
   is available.  The caller owns *near; MARGAY_NO_MEMORY on failure. */
enum margay_status margay_near_create(uint32_t front, enum margay_target target,
                                      struct margay_near **near,
                                      struct margay_error *error);
void margay_near_free(struct margay_near *near);

void margay_near_reset_counts(struct margay_near *near);

/* For the kernels: a slot for a block that has none, its time not yet set. */
uint32_t margay_near_enter(struct margay_near *near, uint64_t block);

/* For the kernels: time is used up; give the slots' times anew, from 0 on. */
void margay_near_renumber(struct margay_near *near);

#endif
