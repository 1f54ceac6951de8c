/*
 * rank.h - a bit vector over time with prefix sums
 *
 * A bit per timestamp is set while the block that was referenced then has not
 * been referenced again.  Counting the set bits before a timestamp, its rank,
 * and clearing a bit take constant time.
 *
 * A leaf is one cache line: seven words of bits and one word of seven 9-bit
 * counts, each the number of bits in the words before.  Above it, per leaf,
 * group of 32 leaves and of 512, stands the number of bits in the earlier
 * siblings of its node: nodes of 32 x 16 bits and 16 x 32.  Above 16 groups
 * of 512 leaves, the vector is tall: these have nodes of 16 x 32 bits, and
 * sums per 8192 leaves since the beginning of time stand in a flat top.
 * Clearing a bit is one vector addition per level, and one per vector of the
 * top.  Where many bits are cleared together, the highest levels are changed
 * once for all of them (exact_kernel.c).
 *
 * A timestamp is its position in the leaf array: leaf * 512 + bit, where bits
 * 448 to 511 are the counts and never stand for a time.  Nor does any bit of
 * a leaf whose timestamps begin at a multiple of 2^32, so the low half of a
 * timestamp is never 0.
 *
 * Compiled into the hot loops once per processor level, hence inline.
 */
#ifndef MARGAY_STACKDIST_RANK_H
#define MARGAY_STACKDIST_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

#define MARGAY_LEAF_WORDS 8
#define MARGAY_LEAF_SHIFT 9   /* timestamps of a leaf, the counts' included */
#define MARGAY_LEAF_BITS  448 /* of these, the ones that stand for a time */

/* Leaves per entry of each level, as shifts of a leaf's index. */
#define MARGAY_LEVEL2_SHIFT 5
#define MARGAY_LEVEL3_SHIFT 9
#define MARGAY_TOP_SHIFT    13

/* A vector of this many leaves or more is tall. */
#define MARGAY_TALL_LEAVES (UINT64_C(1) << 14)

/* The most bits of a timestamp: those of a value in the hash table. */
#define MARGAY_TIMESTAMP_BITS 38

typedef uint16_t margay_u16x32 __attribute__((vector_size(64)));
typedef uint32_t margay_u32x16 __attribute__((vector_size(64)));
typedef uint64_t margay_u64x4 __attribute__((vector_size(32)));

/* All ones, which subtract one, in the lanes after, or from, the i-th. */
struct margay_rank_masks {
    margay_u16x32 after16[32];
    margay_u32x16 after32[16];
    margay_u64x4 from64[5];
    uint64_t count_steps[7]; /* one in each 9-bit count after word i's */
};
extern struct margay_rank_masks margay_rank_masks
    __attribute__((visibility("hidden")));

struct margay_rank {
    uint64_t *leaves;
    uint16_t *level1; /* per leaf */
    uint32_t *level2; /* per 32 leaves */
    uint32_t *level3; /* per 512 leaves */
    uint64_t *top;    /* per 8192 leaves; tall vectors only */
    bool tall;
    uint64_t leaf_count;
    uint64_t live; /* set bits */
    uint64_t next; /* the timestamp to be given next */
    size_t bytes;
};

/* Make an empty vector of at least `timestamps`, whose first to be given is
   `first` (other than 0 in tests only).  MARGAY_NO_MEMORY on failure. */
enum margay_status margay_rank_create(struct margay_rank *rank,
                                      uint64_t timestamps, uint64_t first,
                                      struct margay_error *error);

/* A vector with the same bits, up to the leaf of rank->next, whose sums are
   still to be made.  MARGAY_NO_MEMORY on failure. */
enum margay_status margay_rank_copy_bits(const struct margay_rank *rank,
                                         struct margay_rank *copy,
                                         struct margay_error *error);

void margay_rank_destroy(struct margay_rank *rank);

/* Clear everything, then set the first `live` bits of time. */
void margay_rank_fill(struct margay_rank *rank, uint64_t live);

/* Note the sums so far where a new word of bits begins; to be called whenever
   rank->next is a multiple of 64, before a bit there is set. */
void margay_rank_enter(struct margay_rank *rank);

/* The timestamp of the set bit before which `n` are set; n < rank->live. */
uint64_t margay_rank_select(const struct margay_rank *rank, uint64_t n);

/* Leaves from one without usable timestamps to the next. */
#define MARGAY_USABLE_LEAVES ((UINT64_C(1) << (32 - MARGAY_LEAF_SHIFT)) - 1)

/* The timestamp that margay_rank_fill() gives to the i-th bit, i from 0. */
static inline uint64_t margay_rank_nth(uint64_t i)
{
    uint64_t leaf = i / MARGAY_LEAF_BITS;
    uint64_t skipped = 1;
    if (leaf >= MARGAY_USABLE_LEAVES)
        skipped += leaf / MARGAY_USABLE_LEAVES;
    return i + leaf * (512 - MARGAY_LEAF_BITS) + skipped * 512;
}

/* True when the axis is used up.  The last leaf is never used: references
   without a past clear its last bit, which has no effect. */
static inline bool margay_rank_full(const struct margay_rank *rank)
{
    return rank->next >> MARGAY_LEAF_SHIFT >= rank->leaf_count - 1;
}

static inline uint64_t margay_rank_nowhere(const struct margay_rank *rank)
{
    return ((rank->leaf_count - 1) << MARGAY_LEAF_SHIFT) + MARGAY_LEAF_BITS - 1;
}

/* Set the next `count` bits, all in one word, and let time go on. */
static inline void margay_rank_append(struct margay_rank *rank, unsigned count)
{
    uint64_t next = rank->next;
    uint64_t ones = ~UINT64_C(0) >> (64 - count);
    rank->leaves[next >> 6] |= ones << (next & 63);
    next += count;
    /* Past the last word of a leaf, skip the word of counts. */
    if ((next & 511) == MARGAY_LEAF_BITS)
        next += 64;
    rank->next = next;
}

static inline void margay_rank_prefetch(const struct margay_rank *rank,
                                        uint64_t timestamp)
{
    uint64_t leaf = timestamp >> MARGAY_LEAF_SHIFT;
    __builtin_prefetch(rank->leaves + leaf * MARGAY_LEAF_WORDS, 1);
    __builtin_prefetch(rank->level1 + leaf, 1);
}

static inline bool margay_rank_has(const struct margay_rank *rank,
                                   uint64_t timestamp)
{
    return rank->leaves[timestamp >> 6] >> (timestamp & 63) & 1;
}

/* Set bits before `timestamp` in its group of 512 leaves, or if `third` in
   that of 8192. */
static inline __attribute__((always_inline)) uint64_t margay_rank_before_low(
    const struct margay_rank *rank, uint64_t timestamp, bool third)
{
    uint64_t leaf = timestamp >> MARGAY_LEAF_SHIFT;
    unsigned word = timestamp >> 6 & 7;
    const uint64_t *line = rank->leaves + leaf * MARGAY_LEAF_WORDS;
    uint64_t below = line[word] & ((UINT64_C(1) << (timestamp & 63)) - 1);
    uint64_t before = (unsigned)__builtin_popcountll(below) +
                      (line[7] >> (9 * word) & 511) + rank->level1[leaf] +
                      rank->level2[leaf >> MARGAY_LEVEL2_SHIFT];
    return third ? before + rank->level3[leaf >> MARGAY_LEVEL3_SHIFT] : before;
}

/* Set bits before `timestamp`.  `tall` must be rank->tall; it is a parameter
   so that a loop can be compiled for either. */
static inline __attribute__((always_inline)) uint64_t margay_rank_before(
    const struct margay_rank *rank, uint64_t timestamp, bool tall)
{
    uint64_t before = margay_rank_before_low(rank, timestamp, true);
    uint64_t top = timestamp >> (MARGAY_LEAF_SHIFT + MARGAY_TOP_SHIFT);
    return tall ? before + rank->top[top] : before;
}

/* Vectors of the top that hold sums of entered leaves. */
static inline uint64_t margay_rank_top_vectors(const struct margay_rank *rank)
{
    return (rank->next >> (MARGAY_LEAF_SHIFT + MARGAY_TOP_SHIFT)) / 4 + 1;
}

/* Clear a bit in its leaf, and in the sums of the first levels: of two, and of
   the third if that is wanted. */
static inline __attribute__((always_inline)) void margay_rank_clear_low(
    struct margay_rank *rank, uint64_t timestamp, bool third)
{
    const struct margay_rank_masks *masks = &margay_rank_masks;
    uint64_t leaf = timestamp >> MARGAY_LEAF_SHIFT;
    unsigned word = timestamp >> 6 & 7;
    uint64_t *line = rank->leaves + leaf * MARGAY_LEAF_WORDS;
    line[word] &= ~(UINT64_C(1) << (timestamp & 63));
    line[7] -= masks->count_steps[word];

    margay_u16x32 *level1 = (margay_u16x32 *)rank->level1 + leaf / 32;
    *level1 += masks->after16[leaf % 32];
    uint64_t group = leaf >> MARGAY_LEVEL2_SHIFT;
    margay_u32x16 *level2 = (margay_u32x16 *)rank->level2 + group / 16;
    *level2 += masks->after32[group % 16];
    if (!third)
        return;
    group = leaf >> MARGAY_LEVEL3_SHIFT;
    margay_u32x16 *level3 = (margay_u32x16 *)rank->level3 + group / 16;
    *level3 += masks->after32[group % 16];
}

/* Clear the bit of `timestamp`, which is set or is margay_rank_nowhere().
   `top_vectors` is margay_rank_top_vectors().  Does not touch rank->live. */
static inline __attribute__((always_inline)) void margay_rank_clear(
    struct margay_rank *rank, uint64_t timestamp, uint64_t top_vectors,
    bool tall)
{
    const struct margay_rank_masks *masks = &margay_rank_masks;
    uint64_t leaf = timestamp >> MARGAY_LEAF_SHIFT;
    margay_rank_clear_low(rank, timestamp, true);
    if (!tall)
        return;
    /* All of the top, however early the timestamp: a loop that began later
       would end in a branch that cannot be predicted. */
    int64_t first = (int64_t)(leaf >> MARGAY_TOP_SHIFT) + 1;
    margay_u64x4 *top = (margay_u64x4 *)rank->top;
    for (uint64_t i = 0; i < top_vectors; i++, first -= 4)
        top[i] += masks->from64[first < 0 ? 0 : first > 4 ? 4 : first];
}

#endif
