/*
 * group.h - sixteen numbers at a time
 *
 * Part of kernels that are compiled once per processor level.
 */
#ifndef MARGAY_STACKDIST_OPTIMAL_GROUP_H
#define MARGAY_STACKDIST_OPTIMAL_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "stackdist/optimal/stretch.h"
#include "traces/traces_internal.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512BW__) && defined(__AVX512DQ__)

/* Bit i of the result tells that numbers[i] is below `limit`. */
static inline __attribute__((always_inline)) uint32_t margay_group_below(
    const uint32_t *numbers, uint32_t limit)
{
    return margay_mask16_bits(_mm512_cmplt_epu32_mask(
        _mm512_loadu_si512(numbers), _mm512_set1_epi32((int)limit)));
}

/* Does a number of this group of the edge stand above what it covers?  Beyond
   the edge both are MARGAY_NO_NUMBER. */
static inline __attribute__((always_inline)) bool margay_group_is_above(
    const uint32_t *edge, const uint32_t *covers)
{
    return margay_mask16_bits(_mm512_cmplt_epu32_mask(
               _mm512_loadu_si512(covers), _mm512_loadu_si512(edge))) != 0;
}

/* The same, once the first number, `edge`, has gone, those of `next` have moved
   to the place before, and `number` has come among them, or behind them. */
static inline __attribute__((always_inline)) bool margay_group_put(
    uint32_t *to, __m512i edge, __m512i next, uint32_t number,
    const uint32_t *covers)
{
    next = _mm512_min_epu32(next, _mm512_set1_epi32((int)number));
    next = _mm512_max_epu32(edge, next);
    _mm512_storeu_si512(to, next);
    return margay_mask16_bits(
               _mm512_cmplt_epu32_mask(_mm512_loadu_si512(covers), next)) != 0;
}

/* For a group of an edge that goes on behind it. */
static inline __attribute__((always_inline)) bool margay_group_exchange(
    uint32_t *edge, uint32_t number, const uint32_t *covers)
{
    return margay_group_put(edge, _mm512_loadu_si512(edge),
                            _mm512_loadu_si512(edge + 1), number, covers);
}

/* For an edge that ends in the group; reads no more than that. */
static inline __attribute__((always_inline)) bool margay_group_exchange_only(
    uint32_t *edge, uint32_t number, const uint32_t *covers)
{
    __m512i all = _mm512_load_si512(edge);
    __m512i next = _mm512_alignr_epi32(_mm512_set1_epi32(-1), all, 1);
    return margay_group_put(edge, all, next, number, covers);
}

/* How many of `count` ascending places are before `at`.  A whole number of
   registers is read. */
static inline __attribute__((always_inline)) uint32_t margay_places_before(
    const uint16_t *places, uint32_t count, uint32_t at)
{
    const __m512i limit = _mm512_set1_epi16((short)at);
    uint32_t before = 0;
    for (uint32_t i = 0; i < count; i += 32) {
        __mmask32 wanted =
            UINT32_MAX >> (count - i < 32 ? 32 - (count - i) : 0);
        before += (uint32_t)__builtin_popcount(_mm512_mask_cmplt_epu16_mask(
            wanted, _mm512_loadu_si512(places + i), limit));
    }
    return before;
}

/*
 * From the last of a group to its first, a number that is carried changes
 * places with each that is lower: but only with those of `wanted`.  Returns the
 * number that is carried then.
 */
static inline __attribute__((always_inline)) uint32_t margay_group_carry(
    uint32_t *numbers, uint32_t wanted, uint32_t number)
{
    const __m512i none = _mm512_set1_epi32(-1);
    __mmask16 mask = (__mmask16)wanted;
    __m512i all = _mm512_mask_loadu_epi32(none, mask, numbers), least = all;
    least = _mm512_min_epu32(least, _mm512_alignr_epi32(none, least, 1));
    least = _mm512_min_epu32(least, _mm512_alignr_epi32(none, least, 2));
    least = _mm512_min_epu32(least, _mm512_alignr_epi32(none, least, 4));
    least = _mm512_min_epu32(least, _mm512_alignr_epi32(none, least, 8));
    __m512i carried = _mm512_min_epu32(_mm512_alignr_epi32(none, least, 1),
                                       _mm512_set1_epi32((int)number));
    _mm512_mask_storeu_epi32(numbers, mask, _mm512_max_epu32(all, carried));
    uint32_t first = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(least));
    return first < number ? first : number;
}

/* The same, for numbers[from..end). */
static inline __attribute__((always_inline)) uint32_t margay_carry(
    uint32_t *numbers, int32_t from, int32_t end, uint32_t number)
{
    for (; end - from > MARGAY_STRETCH_GROUP; end -= MARGAY_STRETCH_GROUP)
        number = margay_group_carry(numbers + end - MARGAY_STRETCH_GROUP,
                                    UINT16_MAX, number);
    return margay_group_carry(numbers + from, (UINT32_C(1) << (end - from)) - 1,
                              number);
}

#else

static inline __attribute__((always_inline)) uint32_t margay_places_before(
    const uint16_t *places, uint32_t count, uint32_t at)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < count; i++)
        before += places[i] < at;
    return before;
}

static inline __attribute__((always_inline)) uint32_t margay_carry(
    uint32_t *numbers, int32_t from, int32_t end, uint32_t number)
{
    for (int32_t i = end; i-- > from;) {
        uint32_t other = numbers[i];
        numbers[i] = other < number ? number : other;
        number = other < number ? other : number;
    }
    return number;
}

static inline __attribute__((always_inline)) uint32_t margay_group_below(
    const uint32_t *numbers, uint32_t limit)
{
    uint32_t bits = 0;
#if defined(__SSE2__)
    const __m128i sign = _mm_set1_epi32(INT32_MIN);
    const __m128i above = _mm_xor_si128(_mm_set1_epi32((int)limit), sign);
    for (unsigned i = 0; i < MARGAY_STRETCH_GROUP; i += 4) {
        __m128i some = _mm_loadu_si128((const __m128i *)(numbers + i));
        some = _mm_cmpgt_epi32(above, _mm_xor_si128(some, sign));
        bits |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(some)) << i;
    }
#else
    for (unsigned i = 0; i < MARGAY_STRETCH_GROUP; i++)
        bits |= (uint32_t)(numbers[i] < limit) << i;
#endif
    return bits;
}

static inline __attribute__((always_inline)) bool margay_group_is_above(
    const uint32_t *edge, const uint32_t *covers)
{
    uint32_t above = 0;
    for (unsigned i = 0; i < MARGAY_STRETCH_GROUP; i++)
        above |= covers[i] < edge[i];
    return above != 0;
}

static inline __attribute__((always_inline)) bool margay_group_exchange(
    uint32_t *edge, uint32_t number, const uint32_t *covers)
{
    uint32_t next[MARGAY_STRETCH_GROUP];
    for (unsigned i = 0; i < MARGAY_STRETCH_GROUP; i++) {
        uint32_t moved = edge[i + 1] < number ? edge[i + 1] : number;
        next[i] = edge[i] > moved ? edge[i] : moved;
    }
    memcpy(edge, next, sizeof next);
    return margay_group_is_above(edge, covers);
}

static inline __attribute__((always_inline)) bool margay_group_exchange_only(
    uint32_t *edge, uint32_t number, const uint32_t *covers)
{
    return margay_group_exchange(edge, number, covers);
}

#endif

/* Move the numbers from 1 on to `end`, and a group behind them, to the place
   before. */
static inline __attribute__((always_inline)) void margay_group_close(
    uint32_t *numbers, uint32_t end)
{
    for (uint32_t i = 0; i < end; i += MARGAY_STRETCH_GROUP) {
        uint32_t next[MARGAY_STRETCH_GROUP];
        memcpy(next, numbers + i + 1, sizeof next);
        memcpy(numbers + i, next, sizeof next);
    }
}

#endif
