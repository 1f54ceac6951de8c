/* power.c - rank^-exponent in integers: see power.h */
#include "traces/generate/power.h"

#include "traces/base/checked.h"

#define EXPONENT_BITS 60

/* The floor of the square root, bit by bit from the top. */
static uint64_t square_root(margay_u128 value)
{
    uint64_t root = 0;
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t trial = root | (UINT64_C(1) << bit);
        if ((margay_u128)trial * trial <= value)
            root = trial;
    }
    return root;
}

uint64_t margay_power_multiply(uint64_t a, uint64_t b)
{
    return (uint64_t)(((margay_u128)a * b) >> MARGAY_POWER_BITS);
}

void margay_power_prepare(struct margay_power *power, double exponent)
{
    /* Exact: a multiplication by a power of two, then a truncation. */
    power->exponent =
        (uint64_t)(exponent * (double)(UINT64_C(1) << EXPONENT_BITS));
    uint64_t factor = UINT64_C(1) << (MARGAY_POWER_BITS - 1); /* 1/2 */
    for (int i = 0; i < MARGAY_LOG_BITS; i++) {
        factor = square_root((margay_u128)factor << MARGAY_POWER_BITS);
        power->factors[i] = factor;
    }
}

/* log2 of `value` in units of 2^-MARGAY_LOG_BITS, rounded down. */
static uint64_t log2_fixed(uint64_t value)
{
    unsigned whole = margay_log2_floor(value);
    uint64_t result = whole;
    /* The mantissa lies in [1, 2), in units of 2^-63.  Its square is 2 or more,
       and the next bit of the logarithm 1, if the top bit of the square is
       set. */
    uint64_t mantissa = value << (63 - whole);
    for (int i = 0; i < MARGAY_LOG_BITS; i++) {
        margay_u128 square = (margay_u128)mantissa * mantissa;
        unsigned bit = (unsigned)(square >> 127);
        mantissa = (uint64_t)(square >> (63 + bit));
        result = result << 1 | bit;
    }
    return result;
}

/* 2^-y for y in units of 2^-MARGAY_LOG_BITS. */
static uint64_t exp2_negative(const struct margay_power *power, margay_u128 y)
{
    if (y >> MARGAY_LOG_BITS > MARGAY_POWER_BITS)
        return 0;
    uint64_t result = UINT64_C(1) << MARGAY_POWER_BITS;
    for (int i = 0; i < MARGAY_LOG_BITS; i++) {
        if (y >> (MARGAY_LOG_BITS - 1 - i) & 1)
            result = margay_power_multiply(result, power->factors[i]);
    }
    return result >> (unsigned)(y >> MARGAY_LOG_BITS);
}

uint64_t margay_power_of(const struct margay_power *power, uint64_t rank)
{
    margay_u128 product = (margay_u128)log2_fixed(rank) * power->exponent;
    return exp2_negative(power, product >> EXPONENT_BITS);
}
