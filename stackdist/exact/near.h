/*
 * near.h - the top of the LRU stack, exact and fast
 *
 * Algorithm: 64 words of 64 bits stand for as many times, and the bits of the
 *   times of all blocks' last references are set. newer[] has, for each word,
 *   the number of bits in the words after it; that and the bits after a time
 *   in its own word are the distance.  References come in batches of up to a
 *   word, whose bits are all set beforehand. newer[] is changed after a batch;
 *   until then a vector with a byte per word has the difference.  The time of a
 *   block's last reference is found as compressors find matches: a table has
 *   the latest time of all blocks with the same hash, and each time the one
 *   before in that chain.  Chains go from the newest to the oldest time, so
 *   blocks that have left the stack are at their ends, where they need not be
 *   removed.  When all times are used up, the blocks in the stack get new ones.
 * Source: Bennett, Kruskal, "LRU stack processing", IBM J. R&D 19(4), 1975; an
 *   array and a vector instead of their tree.  The chains are those of
 *   Deflate's reference implementation, by Gailly and Adler.
 * Guarantee: distances below MARGAY_NEAR_MOST_BLOCKS are exact, and so is the
 *   number of all others.
 * Cost: O(1) expected per reference, some 30 instructions; 72 KB.
 */
#ifndef MARGAY_STACKDIST_EXACT_NEAR_H
#define MARGAY_STACKDIST_EXACT_NEAR_H

#include "traces/traces_internal.h"

#define MARGAY_NEAR_MOST_BLOCKS 1536 /* the most blocks of the stack */
#define MARGAY_NEAR_WORDS       64
#define MARGAY_NEAR_SPARE       8
#define MARGAY_NEAR_TIMES       (MARGAY_NEAR_WORDS * 64)
#define MARGAY_NEAR_HEAD_BITS   13

struct margay_near {
    /* Times begin at 64: no bit of word 0 is set. */
    uint64_t bits[MARGAY_NEAR_WORDS];
    uint16_t newer[MARGAY_NEAR_WORDS]; /* bits set in the words after */
    const struct margay_near_kernel *kernel;
    uint32_t blocks;  /* in the stack */
    uint32_t now;     /* the time to be given next */
    uint32_t horizon; /* no bit below is set, nor is a time below a block's */
    uint64_t counts[MARGAY_NEAR_MOST_BLOCKS];   /* references by distance */
    uint16_t heads[1 << MARGAY_NEAR_HEAD_BITS]; /* of chains */
    uint16_t older[MARGAY_NEAR_TIMES];          /* the next of the chain */
    uint64_t block_at[MARGAY_NEAR_TIMES];
};

/* Compiled once per processor level, from near_kernel.c. */
struct margay_near_kernel {
    /* Refer to `count` <= 65536 blocks.  beyond[] receives the indices of those
       that are not in the stack, and gone[] the blocks that leave the stack for
       them; returns how many.  Until the stack is full none leaves, and gone[]
       has no meaning.  Unless it is NULL, distances[] receives the distance of
       each but those that are beyond. */
    size_t (*refer)(struct margay_near *near, const uint64_t *blocks,
                    size_t count, uint16_t *beyond, uint64_t *gone,
                    uint64_t *distances);

    /* Copy `count` blocks but for those that leave the stack as it was, of
       which hits[] receives how many more have distance 0 and 1; returns how
       many are kept.  top[0] and top[1] are the two blocks on top of the stack,
       before and after; kept[] has room for MARGAY_NEAR_SPARE more than
       `count`. */
    size_t (*condense)(const uint64_t *blocks, size_t count, uint64_t top[2],
                       uint64_t *kept, uint64_t hits[2]);
};

MARGAY_DECLARE_FOR_TARGETS(const struct margay_near_kernel, margay_near_kernel)

/* An empty stack, for a target that is available.  The caller owns *near;
   MARGAY_NO_MEMORY on failure. */
enum margay_status margay_near_create(enum margay_target target,
                                      struct margay_near **near,
                                      struct margay_error *error);
void margay_near_free(struct margay_near *near);

/* Remove all blocks; counts stay. */
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

/* For the kernels: a block id with this bit inverted is in another chain, as
   half of all chains times an odd number is half of all chains.  The bit is
   inverted where the head of a chain is a block that has left the stack, or is
   none: the comparison with the block looked for then fails without another
   test. */
#define MARGAY_NEAR_OTHER_CHAIN (UINT64_C(1) << 63)

/* For the kernels: all times are used up; give new ones to the blocks. */
void margay_near_renumber(struct margay_near *near);

#endif
