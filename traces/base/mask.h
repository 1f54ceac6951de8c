/*
 * mask.h - AVX-512 masks as numbers
 *
 * For code that is compiled for a processor with AVX-512.  Assigning a mask to
 * a wider number is not safe: when registers run out, GCC 12 may store the mask
 * in its own width and load it in the width of the number.
 */
#ifndef MARGAY_TRACES_BASE_MASK_H
#define MARGAY_TRACES_BASE_MASK_H

#include <stdint.h>

#if defined(__AVX512BW__) && defined(__AVX512DQ__)
#include <immintrin.h>

#define MARGAY_MASK_BITS(name, mask_type, instruction)                         \
    static inline __attribute__((always_inline)) uint32_t name(mask_type mask) \
    {                                                                          \
        uint32_t bits;                                                         \
        __asm__(instruction " %1, %0" : "=r"(bits) : "k"(mask));               \
        return bits;                                                           \
    }
MARGAY_MASK_BITS(margay_mask8_bits, __mmask8, "kmovb")
MARGAY_MASK_BITS(margay_mask16_bits, __mmask16, "kmovw")
#endif

#endif
