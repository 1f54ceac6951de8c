/*
 * line.h - a cache line of tags in recency order, in vector registers
 *
 * kernel.h includes this file after it has defined `tag` and LANES, the number
 * of tags in a line.  Bit i of a mask stands for tag i.
 *
 *     line_load, line_store            a whole line
 *     line_load_part, line_store_part  its first few tags, the others 0
 *     line_equal                       the mask of the tags that are equal
 *     line_shift                       move the tags above the lowest bit of
 *                                      `found` one place down (all of them
 *                                      where it is beyond the line), and the
 *                                      last tag of `before` into place 0
 */
#ifndef MARGAY_ASSOC_LINE_H
#define MARGAY_ASSOC_LINE_H

#include <immintrin.h>

#include "traces/traces_internal.h"

#if MARGAY_TAG_BITS == 32
#define BY_WIDTH(narrow, wide) narrow
#else
#define BY_WIDTH(narrow, wide) wide
#endif

#if defined(__AVX512BW__) && defined(__AVX512DQ__)

typedef __m512i line;
typedef BY_WIDTH(__mmask16, __mmask8) line_mask;

static ALWAYS_INLINE line line_of(tag value)
{
    return BY_WIDTH(_mm512_set1_epi32((int)value),
                    _mm512_set1_epi64((long long)value));
}

static ALWAYS_INLINE line line_load(const tag *tags)
{
    return _mm512_load_si512(tags);
}

static ALWAYS_INLINE void line_store(tag *tags, line value)
{
    _mm512_store_si512(tags, value);
}

static ALWAYS_INLINE line line_load_part(const tag *tags, unsigned count)
{
    line_mask part = (line_mask)((1u << count) - 1);
    return BY_WIDTH(_mm512_maskz_loadu_epi32, _mm512_maskz_loadu_epi64)(part,
                                                                        tags);
}

static ALWAYS_INLINE void line_store_part(tag *tags, line value, unsigned count)
{
    line_mask part = (line_mask)((1u << count) - 1);
    BY_WIDTH(_mm512_mask_storeu_epi32, _mm512_mask_storeu_epi64)
    (tags, part, value);
}

static ALWAYS_INLINE uint32_t line_equal(line a, line b)
{
    return BY_WIDTH(margay_mask16_bits(_mm512_cmpeq_epi32_mask(a, b)),
                    margay_mask8_bits(_mm512_cmpeq_epi64_mask(a, b)));
}

static ALWAYS_INLINE line line_shift(line old, line before, uint32_t found)
{
    line_mask moved = (line_mask)(found ^ (found - 1));
    return BY_WIDTH(_mm512_mask_alignr_epi32, _mm512_mask_alignr_epi64)(
        old, moved, old, before, LANES - 1);
}

#else /* AVX2: a line is two registers */

typedef struct {
    __m256i half[2];
} line;

static ALWAYS_INLINE line line_of(tag value)
{
    __m256i half = BY_WIDTH(_mm256_set1_epi32((int)value),
                            _mm256_set1_epi64x((long long)value));
    return (line){{half, half}};
}

static ALWAYS_INLINE line line_load(const tag *tags)
{
    const __m256i *halves = (const __m256i *)(const void *)tags;
    return (line){{_mm256_load_si256(halves), _mm256_load_si256(halves + 1)}};
}

static ALWAYS_INLINE void line_store(tag *tags, line value)
{
    __m256i *halves = (__m256i *)(void *)tags;
    _mm256_store_si256(halves, value.half[0]);
    _mm256_store_si256(halves + 1, value.half[1]);
}

/* All bits of the first `count` tags, none of the others. */
static ALWAYS_INLINE line line_first(unsigned count)
{
    static const int8_t border[2 * MARGAY_LINE_BYTES] = {
#define ONES_16 -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1
        ONES_16,
        ONES_16,
        ONES_16,
        ONES_16,
#undef ONES_16
    };
    const __m256i *from =
        (const __m256i *)(const void *)(border + MARGAY_LINE_BYTES -
                                        count * sizeof(tag));
    /* Compilers would use smaller registers for memcpy. */
    line first = {{_mm256_loadu_si256(from), _mm256_loadu_si256(from + 1)}};
    return first;
}

static ALWAYS_INLINE line line_load_part(const tag *tags, unsigned count)
{
    line part = line_first(count);
    const int *words = (const int *)(const void *)tags;
    return (line){{_mm256_maskload_epi32(words, part.half[0]),
                   _mm256_maskload_epi32(words + 8, part.half[1])}};
}

static ALWAYS_INLINE void line_store_part(tag *tags, line value, unsigned count)
{
    line part = line_first(count);
    int *words = (int *)(void *)tags;
    _mm256_maskstore_epi32(words, part.half[0], value.half[0]);
    _mm256_maskstore_epi32(words + 8, part.half[1], value.half[1]);
}

static ALWAYS_INLINE uint32_t half_equal(__m256i a, __m256i b)
{
#if MARGAY_TAG_BITS == 32
    __m256i same = _mm256_cmpeq_epi32(a, b);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same));
#else
    __m256i same = _mm256_cmpeq_epi64(a, b);
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(same));
#endif
}

static ALWAYS_INLINE uint32_t line_equal(line a, line b)
{
    return half_equal(a.half[0], b.half[0]) | half_equal(a.half[1], b.half[1])
                                                  << LANES / 2;
}

/* Every tag one place up, the last one round to the first place. */
static ALWAYS_INLINE __m256i half_rotate(__m256i half)
{
#if MARGAY_TAG_BITS == 32
    return _mm256_permutevar8x32_epi32(
        half, _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6));
#else
    return _mm256_permute4x64_epi64(half, 0x93);
#endif
}

static ALWAYS_INLINE line line_shift(line old, line before, uint32_t found)
{
    enum { FIRST_TAG = MARGAY_TAG_BITS == 32 ? 1 : 3 };
    line moved =
        line_first((unsigned)__builtin_ctz(found | 1u << (LANES - 1)) + 1);
    __m256i low = half_rotate(old.half[0]), high = half_rotate(old.half[1]);
    __m256i entering = half_rotate(before.half[1]);
    high = _mm256_blend_epi32(high, low, FIRST_TAG);
    low = _mm256_blend_epi32(low, entering, FIRST_TAG);
    return (line){{_mm256_blendv_epi8(old.half[0], low, moved.half[0]),
                   _mm256_blendv_epi8(old.half[1], high, moved.half[1])}};
}

#endif

#endif
