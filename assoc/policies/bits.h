/* bits.h - a bit for each slot of each set */
#ifndef MARGAY_ASSOC_BITS_H
#define MARGAY_ASSOC_BITS_H

#include <stdbool.h>

#include "assoc/policies/policy.h"

struct margay_bits {
    uint64_t sets, words; /* words of a set */
    uint32_t slots;       /* of a set */
    uint64_t *bits;       /* [set][word] */
    size_t set_bytes;     /* of an element of of_sets */
    void *of_sets;        /* [set]: what else the policy knows; or NULL */
};

static inline uint64_t margay_bits_bytes(uint64_t sets, uint32_t slots)
{
    return sets * (((uint64_t)slots + 63) / 64) * sizeof(uint64_t);
}

/* Bits that are all 0, in an object of their own, with `set_bytes` bytes more
   for each set, all 0 too.  Policies without further state release them with
   margay_bits_free() as it is.  MARGAY_NO_MEMORY. */
enum margay_status margay_bits_create(const struct margay_policy_setup *setup,
                                      size_t set_bytes, void **bits,
                                      struct margay_error *error);
void margay_bits_free(void *bits);

/* The words of a set; bit i of word w is slot 64 w + i. */
static inline uint64_t *margay_bits_of(const struct margay_bits *bits,
                                       uint64_t set)
{
    return bits->bits + set * bits->words;
}

/* Set a bit; returns its old value. */
static inline bool margay_bits_set(struct margay_bits *bits, uint64_t set,
                                   uint32_t slot)
{
    uint64_t *word = margay_bits_of(bits, set) + slot / 64;
    uint64_t bit = UINT64_C(1) << slot % 64, old = *word;
    *word = old | bit;
    return (old & bit) != 0;
}

/* Clear a bit; returns its old value. */
static inline bool margay_bits_clear(struct margay_bits *bits, uint64_t set,
                                     uint32_t slot)
{
    uint64_t *word = margay_bits_of(bits, set) + slot / 64;
    uint64_t bit = UINT64_C(1) << slot % 64, old = *word;
    *word = old & ~bit;
    return (old & bit) != 0;
}

#endif
