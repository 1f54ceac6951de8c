/*
 * sums.h - an array of numbers, and the sum of those after any of them
 *
 * Algorithm: above the array stands a level with the sum of each k numbers,
 *   above that one with the sums of each k sums, and so on, until a level has
 *   no more than k.  The sum of all numbers after one is that of its later
 *   siblings on each level.
 * Source: Bennett, Kruskal, "LRU stack processing", IBM J. R&D 19(4), 1975.
 * Cost: k log_k n additions per sum, most of them in vectors; log_k n per
 *   change; 4 bytes per number, and 4 / (k - 1) for the levels above.
 *
 * k = 2^shift.  `shift` is a parameter of the inline functions so that the
 * compiler knows it.
 */
#ifndef MARGAY_STACKDIST_ORDER_SUMS_H
#define MARGAY_STACKDIST_ORDER_SUMS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <margay/status.h>

#define MARGAY_SUMS_LEVELS 32

struct margay_sums {
    uint32_t *levels[MARGAY_SUMS_LEVELS]; /* [0] is the array itself */
    unsigned level_count;
    uint32_t length;
    void *memory;
    size_t bytes;
};

/* An array of `length` >= 1 zeros.  MARGAY_NO_MEMORY on failure. */
enum margay_status margay_sums_create(struct margay_sums *sums, uint32_t length,
                                      unsigned shift,
                                      struct margay_error *error);
void margay_sums_destroy(struct margay_sums *sums);

/* Compute the upper levels from the array, which has been written to. */
void margay_sums_rebuild(struct margay_sums *sums, unsigned shift);

static inline void margay_sums_add(struct margay_sums *sums, uint32_t index,
                                   int32_t change, unsigned shift)
{
    for (unsigned level = 0; level < sums->level_count; level++) {
        sums->levels[level][index] += (uint32_t)change;
        index >>= shift;
    }
}

typedef uint32_t margay_sums_vector __attribute__((vector_size(64)));

/* From 15 - i on, a vector of all ones in the lanes after the i-th. */
extern const uint32_t margay_sums_behind[32];

/* The sum of the later numbers of the same group. */
static inline __attribute__((always_inline)) uint32_t margay_sums_siblings(
    const uint32_t *level, uint32_t index, unsigned shift)
{
    if (shift == 1)
        return index % 2 == 0 ? level[index + 1] : 0;
    const margay_sums_vector *vectors = (const margay_sums_vector *)level;
    uint32_t at = index / 16;
    margay_sums_vector sum;
    memcpy(&sum, margay_sums_behind + 15 - index % 16, sizeof sum);
    sum &= vectors[at];
    if (shift > 4) {
        uint32_t end = ((index >> shift) + 1) << (shift - 4);
        while (++at < end)
            sum += vectors[at];
    }
    uint32_t all = 0;
    for (int i = 0; i < 16; i++)
        all += sum[i];
    return all;
}

/* The sum of the numbers after `index`. */
static inline __attribute__((always_inline)) uint32_t margay_sums_behind_index(
    const struct margay_sums *sums, uint32_t index, unsigned shift)
{
    uint32_t sum = 0;
    for (unsigned level = 0; level < sums->level_count; level++) {
        sum += margay_sums_siblings(sums->levels[level], index, shift);
        index >>= shift;
    }
    return sum;
}

#endif
