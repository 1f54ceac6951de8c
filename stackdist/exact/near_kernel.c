/*
 * near_kernel.c - the top of the LRU stack: the loops over references
 *
 * Compiled once per processor level, with MARGAY_TARGET_SUFFIX naming it;
 * the table at the end is all that is visible outside.
 */
#include "stackdist/exact/near.h"

#include <string.h>

#include "stackdist/exact/lanes.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NOINLINE      __attribute__((noinline))

_Static_assert(MARGAY_NEAR_WORDS == MARGAY_LANES, "a lane for each word");

/* The time that stands for the previous one of a block that is not in the
   stack: that of the evicted block, or 0.  The reference will be counted as if
   its block had been the oldest; that is undone here, or after the batch if a
   block was evicted. */
static uint32_t make_room(struct margay_near *near)
{
    if (near->blocks == MARGAY_NEAR_MOST_BLOCKS) {
        /* The time of the oldest block, which leaves the stack. */
        uint32_t word = near->horizon / 64;
        while (near->bits[word] == 0)
            word++;
        uint32_t time = 64 * word + (uint32_t)__builtin_ctzll(near->bits[word]);
        near->horizon = time + 1;
        near->block_at[time] ^= MARGAY_NEAR_OTHER_CHAIN;
        return time;
    }
    near->counts[near->blocks++]--;
    return 0;
}

/* References to blocks that are not in the stack. */
struct misses {
    uint16_t *beyond;
    uint64_t *gone;
    size_t found;
    size_t first; /* the index of the reference at time 0, wrapping around */
};

/* For a block that is not the head of its chain: its time, or that of the block
   that it evicts. */
static NOINLINE uint32_t find_time(struct margay_near *near, uint32_t now,
                                   uint32_t head, struct misses *misses)
{
    uint64_t block = near->block_at[now];
    near->older[now] = (uint16_t)head;
    /* Take it out of its chain. */
    for (uint32_t time = head, next; time >= near->horizon; time = next) {
        next = near->older[time];
        if (next >= near->horizon && near->block_at[next] == block) {
            near->older[time] = near->older[next];
            return next;
        }
    }
    uint32_t time = make_room(near);
    misses->beyond[misses->found] = (uint16_t)(misses->first + now);
    misses->gone[misses->found++] =
        near->block_at[time] ^ MARGAY_NEAR_OTHER_CHAIN;
    return time;
}

/* During a batch, *less has for each word the number to be subtracted from
   newer[]: the bits after the word that were cleared since the beginning of the
   batch, and those of the batch's own times, set at its beginning, that are
   still to come. Each reference makes one fewer to come, for all words, and
   clears a bit, for the words before it: together one less from its word on,
   and no change before. */
static ALWAYS_INLINE void refer_times(struct margay_near *near, uint32_t begin,
                                      uint32_t end,
                                      union margay_lanes_read *less,
                                      struct misses *misses,
                                      uint64_t *distances)
{
    margay_lanes lanes = less->all;
    for (uint64_t now = begin; now < end; now++) {
        uint64_t block = near->block_at[now];
        uint16_t *head = &near->heads[margay_near_chain(block)];
        uint64_t time = *head;
        near->older[now] = near->older[time];
        if (__builtin_expect(near->block_at[time] != block, 0))
            time = find_time(near, (uint32_t)now, (uint32_t)time, misses);
        *head = (uint16_t)now;
        uint64_t word = time / 64;
        uint64_t bits = near->bits[word] & ~(UINT64_C(1) << (time % 64));
        near->bits[word] = bits;
        uint64_t newer = (uint64_t)near->newer[word] -
                         (uint64_t)less->lane[word] +
                         (unsigned)__builtin_popcountll(bits >> (time % 64));
        lanes = margay_lower_from(lanes, word);
        margay_show_lanes(less, lanes);
        near->counts[newer]++;
        if (distances != NULL)
            distances[misses->first + now] = newer;
    }
}

static ALWAYS_INLINE size_t refer_all(struct margay_near *near,
                                      const uint64_t *blocks, size_t count,
                                      uint16_t *beyond, uint64_t *gone,
                                      uint64_t *distances)
{
    struct misses misses = {.beyond = beyond, .gone = gone};
    for (size_t done = 0; done < count;) {
        if (near->now == MARGAY_NEAR_TIMES)
            margay_near_renumber(near);
        /* A batch, whose times are set beforehand. */
        uint32_t now = near->now, room = 64 - now % 64;
        uint32_t some = count - done < room ? (uint32_t)(count - done) : room;
        size_t i = 0;
        for (; i + 8 <= some; i += 8)
            memcpy(near->block_at + now + i, blocks + done + i,
                   8 * sizeof *blocks);
        for (; i < some; i++)
            near->block_at[now + i] = blocks[done + i];
        near->bits[now / 64] |= ~UINT64_C(0) >> (64 - some) << (now % 64);
        for (uint32_t word = 0; word < MARGAY_NEAR_WORDS; word++)
            near->newer[word] += (uint16_t)(word < now / 64 ? some : 0);
        misses.first = done - now;
        union margay_lanes_read less = {margay_fill_lanes((int8_t)some)};
        size_t found = misses.found;
        uint32_t before = near->blocks;
        refer_times(near, now, now + some, &less, &misses, distances);
        for (uint32_t word = 0; word < MARGAY_NEAR_WORDS; word++)
            near->newer[word] -= (uint8_t)less.lane[word];
        near->counts[MARGAY_NEAR_MOST_BLOCKS - 1] -=
            misses.found - found - (near->blocks - before);
        near->now = now + some;
        done += some;
    }
    return misses.found;
}

static size_t refer(struct margay_near *near, const uint64_t *blocks,
                    size_t count, uint16_t *beyond, uint64_t *gone,
                    uint64_t *distances)
{
    /* Compiled for either. */
    return distances == NULL
               ? refer_all(near, blocks, count, beyond, gone, NULL)
               : refer_all(near, blocks, count, beyond, gone, distances);
}

/* ----------------------------------------------------------- condensing -- */

/*
 * References that do not change the stack are counted and dropped first.
 *
 * Algorithm: a repeat of the reference before it does not change the stack.
 *   Without repeats, a reference to the block before the last has distance 1
 *   and exchanges the two blocks at the top, and another such reference after
 *   it exchanges them again: A B A B A B C leaves the stack that A B C leaves.
 *   So every pair in a run of such references is counted and dropped; 64
 *   references are tested together, as bits.
 * Source: ours.  Stack deletion (Smith, "Two methods for the efficient analysis
 *   of memory address trace data", IEEE TSE 3(1), 1977) drops all references
 *   near the top, with an error; this has none.
 * Guarantee: the other references meet the same stack, with the same distances.
 * Cost: about a cycle per reference with AVX-512.
 */

/* References tested together. */
#define CONDENSE_BITS 64

/* Few enough to stay in the innermost cache from one step to the next. */
#define CONDENSE_REFS 512

/* Of 64 references, those that are the second one of a pair within a run of
   `hits`, and so the first ones, which stand before them. */
static inline uint64_t pairs(uint64_t hits)
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
static inline size_t keep_8(const uint64_t *blocks, unsigned bits,
                            uint64_t *kept)
{
    __m512i these = _mm512_loadu_si512(blocks);
    _mm512_storeu_si512(kept,
                        _mm512_maskz_compress_epi64((__mmask8)bits, these));
    return (size_t)__builtin_popcount(bits);
}

/* Which of 8 blocks are like the one `back` before. */
static inline unsigned like_8(const uint64_t *blocks, int back)
{
    return margay_mask8_bits(_mm512_cmpeq_epi64_mask(
        _mm512_loadu_si512(blocks), _mm512_loadu_si512(blocks - back)));
}

#else

/* Every block is written, and kept if `n` moves on: branches would be
   mispredicted. */
static inline size_t keep_8(const uint64_t *blocks, unsigned bits,
                            uint64_t *kept)
{
    size_t n = 0;
    for (unsigned i = 0; i < 8; i++) {
        kept[n] = blocks[i];
        n += bits >> i & 1;
    }
    return n;
}

static inline unsigned like_8(const uint64_t *blocks, int back)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < 8; i++)
        bits |= (unsigned)(blocks[i] == blocks[(int)i - back]) << i;
    return bits;
}

#endif

/* Copy `count` >= 1 blocks but for repeats, `before` being the one before. */
static inline size_t drop_repeats(const uint64_t *blocks, size_t count,
                                  uint64_t before, uint64_t *kept)
{
    size_t n = blocks[0] != before, i = 1;
    kept[0] = blocks[0];
    for (; i + 8 <= count; i += 8)
        n += keep_8(blocks + i, ~like_8(blocks + i, 1) & 0xff, kept + n);
    for (; i < count; i++) {
        kept[n] = blocks[i];
        n += blocks[i] != blocks[(ptrdiff_t)i - 1];
    }
    return n;
}

/* Copy `count` blocks but for pairs; 64 more can be read, and blocks[-2] and
   blocks[-1] are the ones before. */
static inline size_t drop_pairs(const uint64_t *blocks, size_t count,
                                uint64_t *kept)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i += CONDENSE_BITS) {
        uint64_t hits = 0, valid = ~UINT64_C(0);
        if (count - i < CONDENSE_BITS)
            valid = (UINT64_C(1) << (count - i)) - 1;
        for (unsigned k = 0; k < CONDENSE_BITS; k += 8)
            hits |= (uint64_t)like_8(blocks + i + k, 2) << k;
        uint64_t keep = valid & ~pairs(hits & valid);
        for (unsigned k = 0; k < CONDENSE_BITS; k += 8)
            n += keep_8(blocks + i + k, keep >> k & 0xff, kept + n);
    }
    return n;
}

static inline size_t condense(const uint64_t *blocks, size_t count,
                              uint64_t top[2], uint64_t *kept, uint64_t hits[2])
{
    /* Without repeats, and the two before. */
    uint64_t single[2 + CONDENSE_REFS + CONDENSE_BITS];
    size_t n = 0;
    bool pairing = true;
    for (size_t done = 0, some; done < count; done += some) {
        some = count - done < CONDENSE_REFS ? count - done : CONDENSE_REFS;
        uint64_t *to = pairing ? single + 2 : kept + n;
        size_t singles = drop_repeats(blocks + done, some, top[0], to);
        size_t left = singles;
        if (pairing) {
            single[0] = top[1];
            single[1] = top[0];
            memset(to + singles, 0, CONDENSE_BITS * sizeof *single);
            left = drop_pairs(to, singles, kept + n);
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

const struct margay_near_kernel MARGAY_TARGET_NAME(margay_near_kernel) = {
    .refer = refer,
    .condense = condense,
};
