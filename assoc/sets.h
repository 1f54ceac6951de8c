/* sets.h - the set of a block in a cache */
#ifndef MARGAY_ASSOC_SETS_H
#define MARGAY_ASSOC_SETS_H

#include <margay/assoc.h>

#include "traces/traces_internal.h"

/* The rule from the number of a block to that of its set. */
enum margay_set_rule {
    MARGAY_SETS_MASK,      /* its low bits, 2^n sets */
    MARGAY_SETS_REMAINDER, /* the remainder by the number of sets */
    MARGAY_SETS_FOLD,      /* the exclusive or of all groups of n bits */
    MARGAY_SETS_SLICED,    /* a slice by a hash, and one of its sets by one of
                              these rules */
};

struct margay_sets {
    enum margay_set_rule rule;
    uint64_t count; /* where there are slices, of each */
    /* Sliced: */
    enum margay_set_rule rule_in_slice;
    unsigned slice_bits, block_shift; /* 2^slice_bits slices */
};

static inline enum margay_set_rule margay_set_rule(enum margay_index index,
                                                   uint64_t sets)
{
    if (!margay_is_power_of_two(sets))
        return MARGAY_SETS_REMAINDER;
    return index == MARGAY_INDEX_XOR && sets > 1 ? MARGAY_SETS_FOLD
                                                 : MARGAY_SETS_MASK;
}

static inline uint64_t margay_set_fold(uint64_t sets, uint64_t block)
{
    unsigned bits = (unsigned)__builtin_ctzll(sets);
    uint64_t set = 0;
    for (; block != 0; block >>= bits)
        set ^= block & (sets - 1);
    return set;
}

static inline __attribute__((always_inline)) uint64_t margay_set_by(
    enum margay_set_rule rule, uint64_t sets, uint64_t block)
{
    switch (rule) {
    case MARGAY_SETS_MASK:
        return block & (sets - 1);
    case MARGAY_SETS_FOLD:
        return margay_set_fold(sets, block);
    default:
        return block % sets;
    }
}

/* Bit i of the slice is the parity of these bits of the address.  Source:
   Maurice, Le Scouarnec, Neumann, Heen and Francillon, "Reverse engineering
   Intel last-level cache complex addressing using performance counters", RAID
   2015, for processors of 2, 4 and 8 cores from Sandy Bridge to Haswell. */
static inline uint64_t margay_set_sliced(const struct margay_sets *sets,
                                         uint64_t block)
{
    static const uint64_t hashed[] = {0x1b5f575440, 0x2eb5faa880, 0x3cccc93100};
    uint64_t address = block << sets->block_shift, slice = 0;
    for (unsigned i = 0; i < sets->slice_bits; i++)
        slice |= (uint64_t)__builtin_parityll(address & hashed[i]) << i;
    return slice * sets->count +
           margay_set_by(sets->rule_in_slice, sets->count, block);
}

static inline __attribute__((always_inline)) uint64_t margay_set_of(
    const struct margay_sets *sets, uint64_t block)
{
    return sets->rule == MARGAY_SETS_SLICED
               ? margay_set_sliced(sets, block)
               : margay_set_by(sets->rule, sets->count, block);
}

#endif
