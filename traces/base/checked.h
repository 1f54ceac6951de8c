/*
 * checked.h - arithmetic that notices when it overflows, and some that cannot
 *
 * The former stores the result and returns true, or returns false and leaves
 * *result unspecified.
 */
#ifndef MARGAY_TRACES_BASE_CHECKED_H
#define MARGAY_TRACES_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For products of two 64-bit numbers. */
__extension__ typedef unsigned __int128 margay_u128;

static inline bool margay_add_u64(uint64_t a, uint64_t b, uint64_t *result)
{
    return !__builtin_add_overflow(a, b, result);
}

static inline bool margay_multiply_u64(uint64_t a, uint64_t b, uint64_t *result)
{
    return !__builtin_mul_overflow(a, b, result);
}

static inline bool margay_multiply_size(size_t a, size_t b, size_t *result)
{
    return !__builtin_mul_overflow(a, b, result);
}

/* Of times, which count microseconds. */
#define MARGAY_SECOND UINT64_C(1000000)

/* The time that is some seconds later; UINT64_MAX = never. */
static inline uint64_t margay_time_after(uint64_t time, uint64_t seconds)
{
    uint64_t after;
    return margay_multiply_u64(seconds, MARGAY_SECOND, &after) &&
                   margay_add_u64(time, after, &after)
               ? after
               : UINT64_MAX;
}

static inline uint64_t margay_minimum(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t margay_maximum(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline bool margay_is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/* The floor of the binary logarithm; `value` must not be 0. */
static inline unsigned margay_log2_floor(uint64_t value)
{
    return 63u ^ (unsigned)__builtin_clzll(value);
}

#endif
