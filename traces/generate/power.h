/*
 * power.h - rank^-exponent in integers, the same on every machine
 *
 * Algorithm: log2 by repeated squaring of the mantissa, which gives one bit of
 *   the result for each squaring; 2^-y as the product of those factors
 *   2^-(2^-i) that the bits of y select.  The factors are integer square roots.
 * Guarantee: the absolute error is below 2^-40.
 */
#ifndef MARGAY_TRACES_GENERATE_POWER_H
#define MARGAY_TRACES_GENERATE_POWER_H

#include <stdint.h>

/* Fractional bits of a logarithm. */
#define MARGAY_LOG_BITS 48

/* Fractional bits of a power: 1 is 2^62. */
#define MARGAY_POWER_BITS 62

struct margay_power {
    uint64_t exponent;                 /* in units of 2^-60 */
    uint64_t factors[MARGAY_LOG_BITS]; /* 2^-(2^-(i+1)) */
};

/* Prepare for an exponent in [0, 8], of which bits below 2^-60 are dropped. */
void margay_power_prepare(struct margay_power *power, double exponent);

/* rank^-exponent in units of 2^-62, in [0, 2^62]; 1 <= rank < 2^32. */
uint64_t margay_power_of(const struct margay_power *power, uint64_t rank);

/* The product of two powers, in the same units, rounded down. */
uint64_t margay_power_multiply(uint64_t a, uint64_t b);

#endif
