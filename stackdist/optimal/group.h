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

/*
 * Take the first of ascending numbers away and put `number` among the rest,
 * which it may be above: of those in this group, whose first is below it.
 * Returns true if a number that is then in place i is above covers[i].
 */
static inline __attribute__((always_inline)) bool margay_group_exchange(
    uint32_t *numbers, uint32_t number, const uint32_t *covers)
{
    __m512i next = _mm512_min_epu32(_mm512_loadu_si512(numbers + 1),
                                    _mm512_set1_epi32((int)number));
    next = _mm512_max_epu32(_mm512_loadu_si512(numbers), next);
    _mm512_storeu_si512(numbers, next);
    /* Beyond the edge both are MARGAY_NO_NUMBER. */
    return margay_mask16_bits(
               _mm512_cmplt_epu32_mask(_mm512_loadu_si512(covers), next)) != 0;
}

#else

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

static inline __attribute__((always_inline)) bool margay_group_exchange(
    uint32_t *numbers, uint32_t number, const uint32_t *covers)
{
    uint32_t next[MARGAY_STRETCH_GROUP], above = 0;
    for (unsigned i = 0; i < MARGAY_STRETCH_GROUP; i++) {
        uint32_t moved = numbers[i + 1] < number ? numbers[i + 1] : number;
        next[i] = numbers[i] > moved ? numbers[i] : moved;
        above |= covers[i] < next[i];
    }
    memcpy(numbers, next, sizeof next);
    return above != 0;
}

#endif

#endif
