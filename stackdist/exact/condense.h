/*
 * condense.h - references that leave the LRU stack as it was, counted
 *
 * Algorithm: a repeat of the reference before it leaves the stack as it was.
 *   Without repeats, a reference to the block before the last has distance 1
 *   and exchanges the two blocks at the top, and another such reference behind
 *   it exchanges them again: A B A B A B C leaves the stack that A B C leaves.
 *   So every pair in a run of such references is counted and dropped; 64
 *   references are tested together, as bits.
 * Source: ours.  Stack deletion (Smith, "Two methods for the efficient analysis
 *   of memory address trace data", IEEE TSE 3(1), 1977) drops all references
 *   near the top, with an error; this has none.
 * Guarantee: what is kept finds the same stack, with the same distances.
 * Cost: about a cycle per reference with AVX-512.
 *
 * Part of kernels that are compiled once per processor level.
 */
#ifndef MARGAY_STACKDIST_EXACT_CONDENSE_H
#define MARGAY_STACKDIST_EXACT_CONDENSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "traces/traces_internal.h"

/* References tested together, and elements written behind those kept. */
#define CONDENSE_BITS  64
#define CONDENSE_SPARE 8

/* Few enough to stay in the innermost cache from one step to the next. */
#define CONDENSE_REFS 512

/* Of 64 references, those that are the second one of a pair within a run of
   `hits`, and so the first ones, which stand before them. */
static inline uint64_t margay_pairs(uint64_t hits)
{
    const uint64_t even = UINT64_C(0x5555555555555555);
    uint64_t begin = hits & ~(hits << 1) & even;
    /* A carry runs through each run that begins at an even bit. */
    uint64_t from_even = hits & ~(hits + begin);
    uint64_t second = (from_even & ~even) | (hits & ~from_even & even);
    return second | second >> 1;
}

#if defined __AVX512BW__ && defined __AVX512DQ__

/* Copy those of 8 blocks whose bits are set; returns how many. */
static inline size_t margay_keep_8(const uint64_t *blocks, unsigned bits,
                                   uint64_t *kept)
{
    __m512i these = _mm512_loadu_si512(blocks);
    _mm512_storeu_si512(kept,
                        _mm512_maskz_compress_epi64((__mmask8)bits, these));
    return (size_t)__builtin_popcount(bits);
}

/* Which of 8 blocks are like the one `back` before. */
static inline unsigned margay_like_8(const uint64_t *blocks, int back)
{
    return margay_mask8_bits(_mm512_cmpeq_epi64_mask(
        _mm512_loadu_si512(blocks), _mm512_loadu_si512(blocks - back)));
}

#else

/* Every block is written, and kept if `n` moves on: branches would be
   mispredicted. */
static inline size_t margay_keep_8(const uint64_t *blocks, unsigned bits,
                                   uint64_t *kept)
{
    size_t n = 0;
    for (unsigned i = 0; i < 8; i++) {
        kept[n] = blocks[i];
        n += bits >> i & 1;
    }
    return n;
}

static inline unsigned margay_like_8(const uint64_t *blocks, int back)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < 8; i++)
        bits |= (unsigned)(blocks[i] == blocks[(int)i - back]) << i;
    return bits;
}

#endif

/* Copy `count` >= 1 blocks but for repeats, `before` being the one before. */
static inline size_t margay_drop_repeats(const uint64_t *blocks, size_t count,
                                         uint64_t before, uint64_t *kept)
{
    size_t n = blocks[0] != before, i = 1;
    kept[0] = blocks[0];
    for (; i + 8 <= count; i += 8)
        n += margay_keep_8(blocks + i, ~margay_like_8(blocks + i, 1) & 0xff,
                           kept + n);
    for (; i < count; i++) {
        kept[n] = blocks[i];
        n += blocks[i] != blocks[(ptrdiff_t)i - 1];
    }
    return n;
}

/* Copy `count` blocks but for pairs; 64 more can be read, and blocks[-2] and
   blocks[-1] are the ones before. */
static inline size_t margay_drop_pairs(const uint64_t *blocks, size_t count,
                                       uint64_t *kept)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i += CONDENSE_BITS) {
        uint64_t hits = 0, valid = ~UINT64_C(0);
        if (count - i < CONDENSE_BITS)
            valid = (UINT64_C(1) << (count - i)) - 1;
        for (unsigned k = 0; k < CONDENSE_BITS; k += 8)
            hits |= (uint64_t)margay_like_8(blocks + i + k, 2) << k;
        uint64_t keep = valid & ~margay_pairs(hits & valid);
        for (unsigned k = 0; k < CONDENSE_BITS; k += 8)
            n += margay_keep_8(blocks + i + k, keep >> k & 0xff, kept + n);
    }
    return n;
}

/*
 * Copy `count` blocks but for those that need not be seen, of which hits[]
 * receives how many more have distance 0 and 1; returns how many are kept.
 * top[0] and top[1] are the two blocks on top of the stack, before and after;
 * kept[] has room for CONDENSE_SPARE more than `count`.
 */
static inline size_t margay_condense(const uint64_t *blocks, size_t count,
                                     uint64_t top[2], uint64_t *kept,
                                     uint64_t hits[2])
{
    /* Without repeats, and the two before. */
    uint64_t single[2 + CONDENSE_REFS + CONDENSE_BITS];
    size_t n = 0;
    bool pairing = true;
    for (size_t done = 0, some; done < count; done += some) {
        some = count - done < CONDENSE_REFS ? count - done : CONDENSE_REFS;
        uint64_t *to = pairing ? single + 2 : kept + n;
        size_t singles = margay_drop_repeats(blocks + done, some, top[0], to);
        size_t left = singles;
        if (pairing) {
            single[0] = top[1];
            single[1] = top[0];
            memset(to + singles, 0, CONDENSE_BITS * sizeof *single);
            left = margay_drop_pairs(to, singles, kept + n);
            /* Of `singles` references without repeats, `left` were kept: were
               there enough pairs to look for pairs in the next ones, too? */
            pairing = 8 * (singles - left) >= singles;
        }
        if (singles > 0) {
            top[1] = singles > 1 ? to[singles - 2] : top[0];
            top[0] = to[singles - 1];
        }
        hits[0] += some - singles;
        hits[1] += singles - left;
        n += left;
    }
    return n;
}

#endif
