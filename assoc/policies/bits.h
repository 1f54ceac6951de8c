/* bits.h - a bit for each slot of each set */
#ifndef MARGAY_ASSOC_BITS_H
#define MARGAY_ASSOC_BITS_H

#include "assoc/policies/policy.h"

struct margay_bits {
    uint64_t words; /* of a set */
    uint64_t *bits; /* [set][word] */
};

/* Make bits that are all 0. */
static inline void margay_bits_set_up(struct margay_bits *bits, uint64_t sets,
                                      uint64_t slots,
                                      struct margay_layout *layout)
{
    bits->words = (slots + 63) / 64;
    bits->bits = margay_lay_out(layout, sets * bits->words * sizeof(uint64_t));
}

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

#endif
