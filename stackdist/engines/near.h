/*
 * near.h - the top of the LRU stack, exactly and at speed
 *
 * Algorithm: time is short, 64 words of 64 bits, in which the bits of the times
 *   of each block's last reference are set.  A row has, for each word, the
 *   number of bits in those behind it, so that one of them and a few bits more
 *   are the bits behind a time, the distance.  References come in batches of a
 *   word's worth, in which all bits are set beforehand; the row is brought up
 *   to date after a batch, and meanwhile a vector, of a byte per word, has by
 *   how much it is wrong.  Which time is a block's last is found as compressors
 *   find what they repeat: a table has the latest time of all blocks with the
 *   same hash, and each time the one of the block before; chains go from the
 *   newest to the oldest, so what is no longer in the stack ends them and is
 *   never taken out.  When time is used up, what is in the stack is numbered
 *   anew.
 * Source: Bennett, Kruskal, "LRU stack processing", IBM J. R&D 19(4), 1975; a
 *   row and a vector in the place of their tree.  The chains are those of
 *   Deflate's reference implementation, by Gailly and Adler.
 * Guarantee: exact below `front`; that a distance is not, is exact too.
 * Cost: O(1) expected per reference, some 30 instructions; 68 KB.
 */
#ifndef MARGAY_STACKDIST_ENGINES_NEAR_H
#define MARGAY_STACKDIST_ENGINES_NEAR_H

#include "stackdist/engines/sample.h"
#include "traces/traces_internal.h"

#define MARGAY_NEAR_FRONT     1024 /* the deepest there is */
#define MARGAY_NEAR_WORDS     64
#define MARGAY_NEAR_SPARE     8
#define MARGAY_NEAR_TIMES     (MARGAY_NEAR_WORDS * 64)
#define MARGAY_NEAR_HEAD_BITS 13

struct margay_near {
    /* Of times, which begin at 64: word 0 is nobody's. */
    uint64_t bits[MARGAY_NEAR_WORDS];
    uint16_t newer[MARGAY_NEAR_WORDS]; /* bits set in the words behind */
    const struct margay_near_kernel *kernel;
    uint32_t front;
    uint32_t blocks;  /* in the stack */
    uint32_t now;     /* the time to be given next */
    uint32_t horizon; /* no bit below is set, nor is a time below a block's */
    bool exceeded;    /* a block was forgotten */
    uint64_t counts[MARGAY_NEAR_FRONT]; /* references by distance */
    uint64_t beyond;                    /* references that are further */
    uint16_t heads[1 << MARGAY_NEAR_HEAD_BITS]; /* of chains */
    uint16_t older[MARGAY_NEAR_TIMES];          /* the next of the chain */
    uint64_t block_at[MARGAY_NEAR_TIMES];
};

/* Compiled once per processor level, from near_kernel.c. */
struct margay_near_kernel {
    /*
     * Refer to `count` <= 65536 blocks.  The places of those that are not
     * among the newest `front` are written to beyond[], and the blocks that
     * leave the stack for them to gone[]; returns how many.  While the stack
     * is not full none leaves, and what gone[] gets then says nothing.
     */
    size_t (*refer)(struct margay_near *near, const uint64_t *blocks,
                    size_t count, uint16_t *beyond, uint64_t *gone);

    /* The same, with the distance of each but those that are beyond. */
    size_t (*refer_each)(struct margay_near *near, const uint64_t *blocks,
                         size_t count, uint16_t *beyond, uint64_t *gone,
                         uint64_t *distances);

    /* margay_condense() of condense.h, MARGAY_NEAR_SPARE being its spare. */
    size_t (*condense)(const uint64_t *blocks, size_t count, uint64_t top[2],
                       uint64_t *kept, uint64_t hits[2]);

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

/* Forget all blocks, but no counts. */
void margay_near_empty(struct margay_near *near);

/* All blocks, the oldest first; there are near->blocks. */
void margay_near_list(const struct margay_near *near, uint64_t *blocks);

/* The two latest blocks, the last first, of a stack that has two. */
void margay_near_top(const struct margay_near *near, uint64_t top[2]);

/* For the kernels: the chain that a block is in. */
static inline uint32_t margay_near_chain(uint64_t block)
{
    return (uint32_t)((block * UINT64_C(0x9e3779b97f4a7c15)) >>
                      (64 - MARGAY_NEAR_HEAD_BITS));
}

/*
 * For the kernels: a block with this bit turned is in another chain, as half of
 * all chains times an odd number is half of all chains.  So a block that is at
 * the head of its chain, but is no longer in the stack, or of which there never
 * was one, is told from the one looked for by itself.
 */
#define MARGAY_NEAR_OTHER_CHAIN (UINT64_C(1) << 63)

/* For the kernels: a block is not the head of its chain; the time that it has
   in the rest, and then no longer, or 0. */
uint32_t margay_near_take(struct margay_near *near, uint32_t head,
                          uint64_t block);

/* For the kernels: time is used up; give those times anew that are set. */
void margay_near_renumber(struct margay_near *near);

#endif
