/*
 * bars.h - bars of a histogram that keep their relative width
 *
 * Values below 2^(bits + 1) have a bar each; from there on every octave
 * has 2^bits bars.  A bar so tells its values to 1 part in 2^bits, and the
 * number of bars does not depend on the values.
 */
#ifndef MARGAY_STACKDIST_BARS_H
#define MARGAY_STACKDIST_BARS_H

#include <stddef.h>
#include <stdint.h>

#include "traces/traces_internal.h"

/* An upper limit on the number of bars. */
#define MARGAY_BARS(bits) ((size_t)(66 - (bits)) << (bits))

static inline size_t margay_bar_of(uint64_t value, unsigned bits)
{
    if (value >> (bits + 1) == 0)
        return (size_t)value;
    unsigned shift = margay_log2_floor(value) - bits;
    return ((size_t)shift << bits) + (size_t)(value >> shift);
}

/* The least value of a bar; its end is the least value of the next. */
static inline uint64_t margay_bar_low(size_t bar, unsigned bits)
{
    size_t octave = bar >> bits;
    if (octave <= 1)
        return bar;
    uint64_t mantissa =
        (bar & (((size_t)1 << bits) - 1)) + (UINT64_C(1) << bits);
    return octave - 1 + bits >= 64 ? UINT64_MAX : mantissa << (octave - 1);
}

#endif
