/*
 * rank_select.c - where in a rank bit vector the n-th set bit is
 *
 * Algorithm: from the top down, at each level the last child whose sum is not
 * above n.  Sums of children that time has not reached are not valid and are
 * left out.
 */
#include "stackdist/exact/rank.h"

/* The index of the last of `count` ascending sums that is not above `n`; the
   first is not.  Without branches, which could not be predicted. */
#define LAST_NOT_ABOVE(sums, count, n, child)                            \
    do {                                                                 \
        (child) = 0;                                                     \
        for (uint64_t left = (count); left > 1; left -= left / 2)        \
            (child) += (sums)[(child) + left / 2] <= (n) ? left / 2 : 0; \
    } while (0)

static inline uint64_t minimum(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* The index of the n-th set bit, from 0, of a word that has more than n.  The
   bits of all bytes are counted at once, as not every processor has an
   instruction for it; the bytes whose bits and those before are at most n are
   skipped. */
static unsigned select_in_word(uint64_t word, unsigned n)
{
    uint64_t counts = word - (word >> 1 & UINT64_C(0x5555555555555555));
    counts = (counts & UINT64_C(0x3333333333333333)) +
             (counts >> 2 & UINT64_C(0x3333333333333333));
    counts = (counts + (counts >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    uint64_t sums = counts * EACH_BYTE; /* of each byte and those before */
    uint64_t past = ((n * EACH_BYTE) | EACH_BYTE << 7) - sums;
    unsigned byte = (unsigned)(((past >> 7 & EACH_BYTE) * EACH_BYTE) >> 56);
    unsigned before = byte == 0 ? 0 : sums >> (8 * byte - 8) & 0xff;
    unsigned bits = word >> (8 * byte) & 0xff;
    for (; n > before; n--)
        bits &= bits - 1;
    return 8 * byte + (unsigned)__builtin_ctz(bits);
}

static uint64_t select_in_leaf(const struct margay_rank *rank, uint64_t leaf,
                               uint64_t n)
{
    const uint64_t *line = rank->leaves + leaf * MARGAY_LEAF_WORDS;
    uint64_t last_word = rank->next >> 6;
    unsigned word = 0;
    for (unsigned i = 1; i < 7; i++) {
        uint64_t before = line[7] >> (9 * i) & 511;
        word =
            before <= n && leaf * MARGAY_LEAF_WORDS + i <= last_word ? i : word;
    }
    n -= line[7] >> (9 * word) & 511;
    return (leaf << MARGAY_LEAF_SHIFT) + 64 * word +
           select_in_word(line[word], (unsigned)n);
}

uint64_t margay_rank_select(const struct margay_rank *rank, uint64_t n)
{
    uint64_t entered = (rank->next >> MARGAY_LEAF_SHIFT) + 1; /* leaves */
    uint64_t first = 0, child, count;
    if (rank->tall) {
        count = ((entered - 1) >> MARGAY_TOP_SHIFT) + 1;
        LAST_NOT_ABOVE(rank->top, count, n, child);
        n -= rank->top[child];
        first = child << (MARGAY_TOP_SHIFT - MARGAY_LEVEL3_SHIFT);
    }
    count = ((entered - 1) >> MARGAY_LEVEL3_SHIFT) + 1 - first;
    LAST_NOT_ABOVE(rank->level3 + first, minimum(count, 16), n, child);
    n -= rank->level3[first + child];
    first = (first + child) << (MARGAY_LEVEL3_SHIFT - MARGAY_LEVEL2_SHIFT);
    count = ((entered - 1) >> MARGAY_LEVEL2_SHIFT) + 1 - first;
    LAST_NOT_ABOVE(rank->level2 + first, minimum(count, 16), n, child);
    n -= rank->level2[first + child];
    first = (first + child) << MARGAY_LEVEL2_SHIFT;
    LAST_NOT_ABOVE(rank->level1 + first, minimum(entered - first, 32), n,
                   child);
    n -= rank->level1[first + child];
    return select_in_leaf(rank, first + child, n);
}
