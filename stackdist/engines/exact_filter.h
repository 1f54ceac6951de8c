/*
 * exact_filter.h - the stack-top filter of the exact engine's kernel
 *
 * Part of exact_kernel.c, compiled once per processor level.  The filter holds
 * the latest MARGAY_FRONT blocks and knows the distance of a reference to one
 * of them; all others are passed on to the deep part of the stack, each with
 * the block that it displaces.
 *
 * To keep these blocks in order takes, block by block, as long as several
 * instructions one after the other do.  With vectors, we keep no order and
 * look back over the last references instead: a word has a bit for each, set
 * if no later one was to the same block.  Where a block was last referenced is
 * found by comparing digests of all of them at once, which waits for nothing;
 * the bits set since are the distance.  Only the word passes from reference to
 * reference, and that takes four instructions.  What leaves the stack as it was
 * is counted before (condense.h).
 */
#ifndef MARGAY_STACKDIST_EXACT_FILTER_H
#define MARGAY_STACKDIST_EXACT_FILTER_H

#include "stackdist/engines/condense.h"
#include "stackdist/engines/exact.h"
#include "traces/traces_internal.h"

#if defined __AVX2__ && defined __BMI2__

#include <immintrin.h>

/* Bit 0 of the word is the reference before this one. */
#define WINDOW_REFS 64

/* So many references follow the blocks of the filter in a window, which then
   are put in front of the next. */
#define STRETCH_REFS (WINDOW_REFS - MARGAY_FRONT)
#define STRETCHES    16
#define WINDOWS_REFS (STRETCHES * WINDOW_REFS)

/*
 * Windows, each one the latest reference first: STRETCH_REFS of them and the
 * filter's blocks as they were before.  One more is read, but never used.
 */
struct windows {
    uint64_t blocks[WINDOWS_REFS + WINDOW_REFS];
    uint16_t digests[WINDOWS_REFS + WINDOW_REFS];
    uint16_t origins[WINDOWS_REFS];
};

/* Few bits are compared in their place; what they find is then verified. */
static ALWAYS_INLINE uint16_t digest(uint64_t block)
{
    return (uint16_t)(block ^ block >> 16 ^ block >> 32 ^ block >> 48);
}

/* Which of WINDOW_REFS digests are equal to that one, as bits. */
static ALWAYS_INLINE uint64_t find_digest(const uint16_t *digests,
                                          uint16_t wanted)
{
#if defined(__AVX512BW__) && defined(__AVX512DQ__)
    __m512i all = _mm512_set1_epi16((short)wanted);
    uint64_t low = margay_mask32_bits(
        _mm512_cmpeq_epi16_mask(all, _mm512_loadu_si512(digests)));
    uint64_t high = margay_mask32_bits(
        _mm512_cmpeq_epi16_mask(all, _mm512_loadu_si512(digests + 32)));
    return low | high << 32;
#else
    __m256i all = _mm256_set1_epi16((short)wanted), equal[4];
    for (size_t i = 0; i < 4; i++)
        equal[i] = _mm256_cmpeq_epi16(
            all,
            _mm256_loadu_si256((const __m256i *)(const void *)digests + i));
    uint64_t found = 0;
    for (size_t i = 0; i < 4; i += 2) {
        /* Packing works on the halves of vectors one by one. */
        __m256i bytes = _mm256_permute4x64_epi64(
            _mm256_packs_epi16(equal[i], equal[i + 1]), 0xd8);
        found |= (uint64_t)(uint32_t)_mm256_movemask_epi8(bytes) << 16 * i;
    }
    return found;
#endif
}

/* The lowest candidate that is the block itself; 0: none. */
static NOINLINE uint64_t verify(const uint64_t *before, uint64_t candidates,
                                uint64_t block)
{
    while (candidates != 0 && before[_tzcnt_u64(candidates)] != block)
        candidates &= candidates - 1;
    return candidates & -candidates;
}

/* Pass the references of a window, the first of them last, through the filter.
   Returns how many have been passed on in all. */
static ALWAYS_INLINE size_t filter_window(struct margay_exact *e,
                                          uint64_t *blocks, uint16_t *digests,
                                          const uint16_t *origins, size_t count,
                                          size_t passed, uint64_t *distances)
{
    for (size_t i = 0; i < MARGAY_FRONT; i++) {
        blocks[STRETCH_REFS + i] = e->front[i];
        digests[STRETCH_REFS + i] = digest(e->front[i]);
    }
    /* Positions from MARGAY_FRONT on need not be true: what is so deep is
       looked up elsewhere, and never rises but by being referenced. */
    uint64_t latest = (UINT64_C(1) << MARGAY_FRONT) - 1;
    uint64_t *before = blocks + STRETCH_REFS;
    for (size_t i = 0; i < count; i++, before--) {
        uint64_t block = before[-1];
        uint64_t candidates = find_digest(digests + STRETCH_REFS - i,
                                          digests[STRETCH_REFS - 1 - i]) &
                              latest;
        uint64_t found = candidates & -candidates;
        unsigned position =
            (unsigned)__builtin_popcountll(latest & (found - 1));
        /* In one branch, which is hardly ever taken. */
        unsigned wrong = (before[_tzcnt_u64(candidates)] != block) &
                         (position < MARGAY_FRONT);
        __asm__("" : "+r"(wrong));
        if (__builtin_expect(wrong != 0, 0)) {
            found = verify(before, candidates, block);
            position = (unsigned)__builtin_popcountll(latest & (found - 1));
        }
        position = position < MARGAY_FRONT ? position : MARGAY_FRONT;
        __asm__("" : "+r"(position));
        e->front_hits[position]++;
        uint64_t oldest = _pdep_u64(UINT64_C(1) << (MARGAY_FRONT - 1), latest);
        e->wanted[passed] = block;
        e->demoted[passed] = before[_tzcnt_u64(oldest)];
        if (distances != NULL) {
            e->origins[passed] = origins[i];
            distances[origins[i]] = position;
        }
        passed += position / MARGAY_FRONT;
        latest = (latest & ~found) << 1 | 1;
    }
    for (size_t i = 0; i < MARGAY_FRONT; i++, latest &= latest - 1)
        e->front[i] = before[_tzcnt_u64(latest)];
    return passed;
}

/* References without repeats, *count of blocks[] from `first` on, or as many as
   there is room for; and where each distance is wanted, what it is of. */
static ALWAYS_INLINE size_t drop_repeats(struct margay_exact *e,
                                         struct windows *windows,
                                         const uint64_t *blocks, size_t first,
                                         size_t *count, uint64_t *distances,
                                         uint64_t *kept_blocks)
{
    uint64_t last = e->front[0];
    size_t kept = 0, i = first;
    for (; i < *count && kept < STRETCHES * STRETCH_REFS; i++) {
        uint64_t block = blocks[i];
        kept_blocks[kept] = block;
        windows->origins[kept] = (uint16_t)i;
        distances[i] = 0;
        kept += block != last;
        last = block;
    }
    e->front_hits[0] += i - first - kept;
    *count = i;
    return kept;
}

static ALWAYS_INLINE void fill_windows(struct windows *windows,
                                       const uint64_t *blocks, size_t count)
{
    for (size_t j = 0; j < count; j += STRETCH_REFS) {
        uint64_t *window = windows->blocks + j / STRETCH_REFS * WINDOW_REFS;
        for (size_t k = 0; k < STRETCH_REFS; k++)
            window[STRETCH_REFS - 1 - k] = blocks[j + k];
    }
    size_t used = (count + STRETCH_REFS - 1) / STRETCH_REFS * WINDOW_REFS;
    for (size_t j = 0; j < used; j++)
        windows->digests[j] = digest(windows->blocks[j]);
}

static ALWAYS_INLINE size_t filter_windows(struct margay_exact *e,
                                           struct windows *windows,
                                           const uint64_t *blocks, size_t count,
                                           size_t passed, uint64_t *distances)
{
    fill_windows(windows, blocks, count);
    for (size_t i = 0; i < count; i += STRETCH_REFS) {
        size_t from = i / STRETCH_REFS * WINDOW_REFS;
        size_t some = count - i < STRETCH_REFS ? count - i : STRETCH_REFS;
        passed =
            filter_window(e, windows->blocks + from, windows->digests + from,
                          windows->origins + i, some, passed, distances);
    }
    return passed;
}

/* A stretch may be read further than it goes. */
#define READ_REFS (STRETCH_REFS + CONDENSE_SPARE)

/* Who wants each distance has all references gone through, */
static NOINLINE size_t filter_each(struct margay_exact *e,
                                   const uint64_t *blocks, size_t count,
                                   uint64_t *distances)
{
    uint64_t kept_blocks[STRETCHES * STRETCH_REFS + READ_REFS];
    struct windows windows = {0};
    size_t passed = 0;
    for (size_t done = 0; done < count;) {
        size_t end = count;
        size_t kept = drop_repeats(e, &windows, blocks, done, &end, distances,
                                   kept_blocks);
        passed =
            filter_windows(e, &windows, kept_blocks, kept, passed, distances);
        done = end;
    }
    return passed;
}

/* and the others do not. */
static NOINLINE size_t filter_all(struct margay_exact *e,
                                  const uint64_t *blocks, size_t count)
{
    uint64_t kept_blocks[MARGAY_EXACT_SEGMENT + READ_REFS];
    struct windows windows = {0};
    uint64_t top[2] = {e->front[0], e->front[1]};
    size_t kept =
        margay_condense(blocks, count, top, kept_blocks, e->front_hits);
    size_t passed = 0;
    for (size_t done = 0, some; done < kept; done += some) {
        some = kept - done;
        if (some > STRETCHES * STRETCH_REFS)
            some = STRETCHES * STRETCH_REFS;
        passed =
            filter_windows(e, &windows, kept_blocks + done, some, passed, NULL);
    }
    return passed;
}

#else

static ALWAYS_INLINE size_t filter_one_by_one(struct margay_exact *e,
                                              const uint64_t *blocks,
                                              size_t count, uint64_t *distances)
{
    uint64_t *front = e->front;
    size_t passed = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t id = blocks[i];
        unsigned position = 0;
        while (position < MARGAY_FRONT && front[position] != id)
            position++;
        e->front_hits[position]++;
        unsigned shifted = position;
        if (position == MARGAY_FRONT) {
            e->wanted[passed] = id;
            e->demoted[passed] = front[MARGAY_FRONT - 1];
            if (distances != NULL)
                e->origins[passed] = (uint16_t)i;
            passed++;
            shifted--;
        }
        if (distances != NULL)
            distances[i] = position;
        memmove(front + 1, front, shifted * sizeof *front);
        front[0] = id;
    }
    return passed;
}

static size_t filter_each(struct margay_exact *e, const uint64_t *blocks,
                          size_t count, uint64_t *distances)
{
    return filter_one_by_one(e, blocks, count, distances);
}

static size_t filter_all(struct margay_exact *e, const uint64_t *blocks,
                         size_t count)
{
    return filter_one_by_one(e, blocks, count, NULL);
}

#endif

static size_t pass_filter(struct margay_exact *e, const uint64_t *blocks,
                          size_t count, uint64_t *distances)
{
    return distances != NULL ? filter_each(e, blocks, count, distances)
                             : filter_all(e, blocks, count);
}

#endif
