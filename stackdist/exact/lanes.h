/*
 * lanes.h - 64 small numbers in a register
 *
 * Each reference of a batch changes all sums after a position by 1.  The
 * changes of up to 64 such sums are kept here, a byte in a lane each, until the
 * end of the batch: a reference then costs one masked addition, and a store of
 * the register to memory, from where a lane is read.  Processors without
 * vectors of 64 bytes use several.
 *
 * Part of kernels that are compiled once per processor level.
 */
#ifndef MARGAY_STACKDIST_EXACT_LANES_H
#define MARGAY_STACKDIST_EXACT_LANES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MARGAY_LANES 64

#if defined(__AVX512BW__)

#include <immintrin.h>

typedef struct {
    __m512i bytes;
} margay_lanes;

static inline __attribute__((always_inline)) margay_lanes margay_lower_mask(
    margay_lanes lanes, uint64_t mask)
{
    lanes.bytes = _mm512_mask_add_epi8(lanes.bytes, mask, lanes.bytes,
                                       _mm512_set1_epi8(-1));
    return lanes;
}

/* One less from lane i on, i < 64; */
static inline __attribute__((always_inline)) margay_lanes margay_lower_from(
    margay_lanes lanes, uint64_t i)
{
    return margay_lower_mask(lanes, ~UINT64_C(0) << i);
}

/* and in those after it. */
static inline __attribute__((always_inline)) margay_lanes margay_lower_behind(
    margay_lanes lanes, uint64_t i)
{
    return margay_lower_mask(lanes, ~UINT64_C(1) << i);
}

#else

/* The bytes of a register. */
#if defined(__AVX2__)
#define LANES_PART_BYTES 32
#else
#define LANES_PART_BYTES 16
#endif
#define LANES_PARTS (MARGAY_LANES / LANES_PART_BYTES)
typedef uint8_t lanes_part __attribute__((vector_size(LANES_PART_BYTES)));
typedef struct {
    lanes_part parts[LANES_PARTS];
} margay_lanes;

/* 64 bytes of this, from 64 - i on, are a vector with 1 in lane i and later. */
#define ONES        1, 1, 1, 1, 1, 1, 1, 1
static const uint8_t lanes_one_from[2 * MARGAY_LANES] = {
    [MARGAY_LANES] = ONES, ONES, ONES, ONES, ONES, ONES, ONES, ONES};

/* One less from lane i on, i <= 64; */
static inline __attribute__((always_inline)) margay_lanes margay_lower_from(
    margay_lanes lanes, uint64_t i)
{
    const uint8_t *window = lanes_one_from + (MARGAY_LANES - i);
#pragma GCC unroll 4
    for (size_t k = 0; k < LANES_PARTS; k++) {
        lanes_part ones;
        memcpy(&ones, window + k * LANES_PART_BYTES, sizeof ones);
        lanes.parts[k] -= ones;
    }
    return lanes;
}

/* and in those after it. */
static inline __attribute__((always_inline)) margay_lanes margay_lower_behind(
    margay_lanes lanes, uint64_t i)
{
    return margay_lower_from(lanes, i + 1);
}

#endif

static inline margay_lanes margay_fill_lanes(int8_t number)
{
    margay_lanes lanes;
    memset(&lanes, number, sizeof lanes);
    return lanes;
}

/* The copy in memory that is read from; additions stay in registers. */
union margay_lanes_read {
    margay_lanes all;
    int8_t lane[MARGAY_LANES];
};

static inline __attribute__((always_inline)) void margay_show_lanes(
    union margay_lanes_read *read, margay_lanes lanes)
{
    read->all = lanes;
    /* Otherwise the compiler extracts lanes from registers, which is slower. */
    __asm__("" : "+m"(*read));
}

#endif
