/*
 * near_kernel.c - the top of the LRU stack: the loops over references
 *
 * Compiled once per processor level, with MARGAY_TARGET_SUFFIX naming it;
 * the table at the end is all that is visible outside.
 */
#include "stackdist/engines/near.h"

#include <string.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Windows on these are vectors with ones behind a lane, and with 1 in it. */
#define ONES    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
#define ZEROS   0, 0, 0, 0, 0, 0, 0, 0
#define ZEROS56 ZEROS, ZEROS, ZEROS, ZEROS, ZEROS, ZEROS, ZEROS
static const uint8_t ones_behind[2 * MARGAY_NEAR_WORDS] = {
    ZEROS56, ZEROS, ONES, ONES, ONES, ONES, ONES, ONES, ONES, ONES};
static const uint8_t one_at[2 * MARGAY_NEAR_WORDS] = {ZEROS56, 0, 0, 0, 0,
                                                      0,       0, 0, 1};

static ALWAYS_INLINE margay_near_lanes window(const uint8_t *row, uint32_t lane)
{
    margay_near_lanes lanes;
    memcpy(&lanes, row + (MARGAY_NEAR_WORDS - 1 - lane), sizeof lanes);
    return lanes;
}

static ALWAYS_INLINE uint32_t sum_lanes(margay_near_lanes lanes)
{
#if defined(__AVX512BW__)
    __m512i sums = _mm512_sad_epu8((__m512i)lanes, _mm512_setzero_si512());
    return (uint32_t)_mm512_reduce_add_epi64(sums);
#elif defined(__SSE2__)
    __m128i parts[4];
    memcpy(parts, &lanes, sizeof lanes);
    const __m128i zero = _mm_setzero_si128();
    __m128i sums = _mm_add_epi64(_mm_add_epi64(_mm_sad_epu8(parts[0], zero),
                                               _mm_sad_epu8(parts[1], zero)),
                                 _mm_add_epi64(_mm_sad_epu8(parts[2], zero),
                                               _mm_sad_epu8(parts[3], zero)));
    return (uint32_t)(_mm_cvtsi128_si32(sums) + _mm_extract_epi16(sums, 4));
#else
    uint32_t sum = 0;
    for (int i = 0; i < MARGAY_NEAR_WORDS; i++)
        sum += lanes[i];
    return sum;
#endif
}

/* The block at a slot, set `time`, is referenced: how many were since? */
static ALWAYS_INLINE uint32_t leave(struct margay_near *near,
                                    margay_near_lanes *live, uint32_t time)
{
    uint32_t word = time / 64;
    uint64_t bits = near->bits[word];
    near->bits[word] = bits & ~(UINT64_C(1) << (time % 64));
    uint32_t newer = sum_lanes(*live & window(ones_behind, word));
    newer += (uint32_t)__builtin_popcountll(bits >> (time % 64) >> 1);
    *live -= window(one_at, word);
    return newer;
}

static ALWAYS_INLINE void place(struct margay_near *near,
                                margay_near_lanes *live, uint32_t slot,
                                uint32_t now)
{
    near->bits[now / 64] |= UINT64_C(1) << (now % 64);
    *live += window(one_at, now / 64);
    near->time_of[slot] = (uint16_t)now;
    near->slot_at[now] = (uint16_t)slot;
}

static size_t refer(struct margay_near *near, const uint64_t *blocks,
                    size_t count, uint16_t *beyond)
{
    const struct margay_hash slots = near->slots; /* never grows */
    margay_near_lanes live = near->live;
    uint32_t now = near->now;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned at;
        const struct margay_bucket *bucket =
            margay_hash_slot(&slots, blocks[i], &at);
        uint32_t slot = bucket->values[at] - 1;
        if (__builtin_expect(now == MARGAY_NEAR_TIMES, 0)) {
            near->live = live;
            margay_near_renumber(near);
            live = near->live;
            now = near->now;
        }
        if (__builtin_expect(slot != UINT32_MAX, 1)) {
            near->counts[leave(near, &live, near->time_of[slot])]++;
        } else {
            near->live = live;
            slot = margay_near_enter(near, blocks[i]);
            live = near->live;
            beyond[found++] = (uint16_t)i;
        }
        place(near, &live, slot, now++);
    }
    near->live = live;
    near->now = now;
    near->beyond += found;
    return found;
}

#if defined(__AVX512F__) && defined(__AVX512DQ__)

/* A mask as a number.  Left to itself GCC 12 may spill the mask as one byte,
   and read four where the number is wanted. */
static ALWAYS_INLINE unsigned bits_of(__mmask8 mask)
{
    unsigned bits;
    __asm__("kmovb %1, %0" : "=r"(bits) : "k"(mask));
    return bits;
}

/* Eight at a time, and what is left one by one. */
static ALWAYS_INLINE size_t collapse_vectors(const uint64_t *blocks,
                                             size_t count, uint64_t previous,
                                             uint64_t *kept, size_t *done)
{
    __m512i before = _mm512_set1_epi64((long long)previous);
    size_t n = 0, i = 0;
    for (; i + 8 <= count; i += 8) {
        __m512i these = _mm512_loadu_si512(blocks + i);
        /* Each lane's neighbour, the first one's being the last one before. */
        __m512i shifted = _mm512_alignr_epi64(these, before, 7);
        __mmask8 differ = _mm512_cmpneq_epi64_mask(these, shifted);
        _mm512_storeu_si512(kept + n,
                            _mm512_maskz_compress_epi64(differ, these));
        n += (size_t)__builtin_popcount(bits_of(differ));
        before = these;
    }
    *done = i;
    return n;
}

/* margay_sample_hash() */
static ALWAYS_INLINE __m512i hash_vector(__m512i x, uint64_t key)
{
    const __m512i factor = _mm512_set1_epi64((long long)0xd6e8feb86659fd93);
    x = _mm512_xor_si512(x, _mm512_set1_epi64((long long)key));
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
    x = _mm512_mullo_epi64(x, factor);
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
    x = _mm512_mullo_epi64(x, factor);
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
}

static ALWAYS_INLINE size_t pick_vectors(const struct margay_sample *sample,
                                         const uint64_t *blocks, size_t count,
                                         uint16_t *picks, size_t *done)
{
    const __m512i limit = _mm512_set1_epi64((long long)sample->limit);
    size_t n = 0, i = 0;
    for (; i + 8 <= count; i += 8) {
        __m512i hashes =
            hash_vector(_mm512_loadu_si512(blocks + i), sample->key);
        unsigned in = bits_of(_mm512_cmple_epu64_mask(hashes, limit));
        for (; in != 0; in &= in - 1)
            picks[n++] = (uint16_t)(i + (unsigned)__builtin_ctz(in));
    }
    *done = i;
    return n;
}

#else

static ALWAYS_INLINE size_t collapse_vectors(const uint64_t *blocks,
                                             size_t count, uint64_t previous,
                                             uint64_t *kept, size_t *done)
{
    (void)blocks, (void)count, (void)previous, (void)kept;
    return *done = 0;
}

static ALWAYS_INLINE size_t pick_vectors(const struct margay_sample *sample,
                                         const uint64_t *blocks, size_t count,
                                         uint16_t *picks, size_t *done)
{
    (void)sample, (void)blocks, (void)count, (void)picks;
    return *done = 0;
}

#endif

/* Written always and kept sometimes: branches would be mispredicted. */

static size_t collapse(const uint64_t *blocks, size_t count, uint64_t previous,
                       uint64_t *kept)
{
    size_t i, n = collapse_vectors(blocks, count, previous, kept, &i);
    if (i > 0)
        previous = blocks[i - 1];
    for (; i < count; i++) {
        kept[n] = blocks[i];
        n += blocks[i] != previous;
        previous = blocks[i];
    }
    return n;
}

static size_t pick(const struct margay_sample *sample, const uint64_t *blocks,
                   size_t count, uint16_t *picks)
{
    size_t i, n = pick_vectors(sample, blocks, count, picks, &i);
    for (; i < count; i++) {
        picks[n] = (uint16_t)i;
        n += margay_sample_hash(blocks[i], sample->key) <= sample->limit;
    }
    return n;
}

#define PASTE(a, b)       a##b
#define KERNEL_OF(suffix) PASTE(margay_near_kernel_, suffix)

const struct margay_near_kernel KERNEL_OF(MARGAY_TARGET_SUFFIX) = {
    .refer = refer,
    .collapse = collapse,
    .pick = pick,
};
