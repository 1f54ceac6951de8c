/* rank.c - the rank bit vector's slow paths: make, fill, enter a word,
   select */
#include "stackdist/exact/rank.h"

#include <string.h>

#include "traces/traces_internal.h"

/* An axis below this would be compacted all the time. */
#define SMALLEST_LEAVES 64

struct margay_rank_masks margay_rank_masks;

__attribute__((constructor)) static void fill_masks(void)
{
    struct margay_rank_masks *masks = &margay_rank_masks;
    for (int i = 0; i < 32; i++) {
        for (int lane = i + 1; lane < 32; lane++)
            masks->after16[i][lane] = UINT16_MAX;
    }
    for (int i = 0; i < 16; i++) {
        for (int lane = i + 1; lane < 16; lane++)
            masks->after32[i][lane] = UINT32_MAX;
    }
    for (int i = 0; i < 5; i++) {
        for (int lane = i; lane < 4; lane++)
            masks->from64[i][lane] = UINT64_MAX;
    }
    for (int i = 0; i < 7; i++) {
        for (int later = i + 1; later < 7; later++)
            masks->count_steps[i] |= UINT64_C(1) << (9 * later);
    }
}

/* Bytes of an array with an entry per 2^shift leaves, in whole vectors. */
static size_t level_bytes(uint64_t leaf_count, unsigned shift, size_t width)
{
    size_t entries = (leaf_count >> shift) + 1;
    return (entries * width + 63) / 64 * 64;
}

enum margay_status margay_rank_create(struct margay_rank *rank,
                                      uint64_t timestamps, uint64_t first,
                                      struct margay_error *error)
{
    if (timestamps >> (MARGAY_TIMESTAMP_BITS - 1) != 0)
        return margay_fail_memory(error, "that many distinct blocks");
    uint64_t n = SMALLEST_LEAVES;
    while (n << MARGAY_LEAF_SHIFT < timestamps)
        n += n < MARGAY_TALL_LEAVES ? n : UINT64_C(1) << MARGAY_TOP_SHIFT;
    size_t leaf_bytes = n * MARGAY_LEAF_WORDS * sizeof *rank->leaves;
    size_t level1_bytes = level_bytes(n, 0, sizeof *rank->level1);
    size_t level2_bytes =
        level_bytes(n, MARGAY_LEVEL2_SHIFT, sizeof *rank->level2);
    size_t level3_bytes =
        level_bytes(n, MARGAY_LEVEL3_SHIFT, sizeof *rank->level3);
    size_t top_bytes = level_bytes(n, MARGAY_TOP_SHIFT, sizeof *rank->top);
    size_t bytes =
        leaf_bytes + level1_bytes + level2_bytes + level3_bytes + top_bytes;
    char *memory = margay_map(bytes);
    if (memory == NULL)
        return margay_fail_memory(error, "the time axis of the exact engine");
    *rank = (struct margay_rank){
        .leaf_count = n, .bytes = bytes, .tall = n >= MARGAY_TALL_LEAVES};
    rank->leaves = (uint64_t *)memory;
    rank->level1 = (uint16_t *)(memory += leaf_bytes);
    rank->level2 = (uint32_t *)(memory += level1_bytes);
    rank->level3 = (uint32_t *)(memory += level2_bytes);
    rank->top = (uint64_t *)(memory + level3_bytes);
    rank->next = first;
    margay_rank_enter(rank);
    return MARGAY_OK;
}

enum margay_status margay_rank_copy_bits(const struct margay_rank *rank,
                                         struct margay_rank *copy,
                                         struct margay_error *error)
{
    uint64_t leaves = (rank->next >> MARGAY_LEAF_SHIFT) + 1;
    enum margay_status status = margay_rank_create(
        copy, rank->leaf_count << MARGAY_LEAF_SHIFT, 0, error);
    if (status != MARGAY_OK)
        return status;
    memcpy(copy->leaves, rank->leaves,
           leaves * MARGAY_LEAF_WORDS * sizeof *copy->leaves);
    copy->live = rank->live;
    copy->next = rank->next;
    return MARGAY_OK;
}

void margay_rank_destroy(struct margay_rank *rank)
{
    margay_unmap(rank->leaves, rank->bytes);
    *rank = (struct margay_rank){0};
}

/* Prefix sums of the nodes that begin with this leaf, and of the leaf. */
static void enter_leaf(struct margay_rank *rank, uint64_t leaf)
{
    uint64_t sum = rank->live;
    uint64_t group = leaf >> MARGAY_TOP_SHIFT;
    /* Written before it is read, its page appears only once. */
    rank->leaves[leaf * MARGAY_LEAF_WORDS + 7] = 0;
    if (rank->tall && leaf % (1u << MARGAY_TOP_SHIFT) == 0)
        rank->top[group] = sum;
    sum -= rank->top[group];
    group = leaf >> MARGAY_LEVEL3_SHIFT;
    if (leaf % (1u << MARGAY_LEVEL3_SHIFT) == 0)
        rank->level3[group] = (uint32_t)sum;
    sum -= rank->level3[group];
    group = leaf >> MARGAY_LEVEL2_SHIFT;
    if (leaf % (1u << MARGAY_LEVEL2_SHIFT) == 0)
        rank->level2[group] = (uint32_t)sum;
    sum -= rank->level2[group];
    rank->level1[leaf] = (uint16_t)sum;
}

void margay_rank_enter(struct margay_rank *rank)
{
    uint64_t leaf = rank->next >> MARGAY_LEAF_SHIFT;
    unsigned word = rank->next >> 6 & 7;
    if (word == 0)
        enter_leaf(rank, leaf);
    if ((uint32_t)rank->next == 0) {
        /* Timestamps here would have a low half of 0. */
        rank->next += 1u << MARGAY_LEAF_SHIFT;
        enter_leaf(rank, ++leaf);
    }
    uint64_t *counts = rank->leaves + leaf * MARGAY_LEAF_WORDS + 7;
    *counts &= (UINT64_C(1) << (9 * word)) - 1;
    uint64_t leaf_start = leaf << MARGAY_LEAF_SHIFT;
    uint64_t in_leaf =
        rank->live - margay_rank_before(rank, leaf_start, rank->tall);
    *counts |= in_leaf << (9 * word);
}

void margay_rank_fill(struct margay_rank *rank, uint64_t live)
{
    if (rank->next != 0) /* or it is new */
        memset(rank->leaves, 0, rank->bytes);
    rank->live = 0;
    rank->next = 0;
    for (;;) {
        margay_rank_enter(rank);
        uint64_t left = live - rank->live;
        if (left == 0)
            return;
        unsigned count = left < 64 ? (unsigned)left : 64;
        margay_rank_append(rank, count);
        rank->live += count;
        if (count < 64)
            return;
    }
}

/* --------------------------------------------------------------- select --

   From the top down, at each level the last child whose sum is not above n.
   Sums of children that time has not reached are not valid and are left out. */

/* The index of the last of `count` ascending sums that is not above `n`; the
   first is not.  Without branches, which could not be predicted. */
#define LAST_NOT_ABOVE(sums, count, n, child)                            \
    do {                                                                 \
        (child) = 0;                                                     \
        for (uint64_t left = (count); left > 1; left -= left / 2)        \
            (child) += (sums)[(child) + left / 2] <= (n) ? left / 2 : 0; \
    } while (0)

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
    LAST_NOT_ABOVE(rank->level3 + first, margay_minimum(count, 16), n, child);
    n -= rank->level3[first + child];
    first = (first + child) << (MARGAY_LEVEL3_SHIFT - MARGAY_LEVEL2_SHIFT);
    count = ((entered - 1) >> MARGAY_LEVEL2_SHIFT) + 1 - first;
    LAST_NOT_ABOVE(rank->level2 + first, margay_minimum(count, 16), n, child);
    n -= rank->level2[first + child];
    first = (first + child) << MARGAY_LEVEL2_SHIFT;
    LAST_NOT_ABOVE(rank->level1 + first, margay_minimum(entered - first, 32), n,
                   child);
    n -= rank->level1[first + child];
    uint64_t leaf = first + child, last_word = rank->next >> 6;
    const uint64_t *line = rank->leaves + leaf * MARGAY_LEAF_WORDS;
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
