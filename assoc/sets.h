/* sets.h - which set of a cache a block is in */
#ifndef MARGAY_ASSOC_SETS_H
#define MARGAY_ASSOC_SETS_H

#include <margay/assoc.h>

#include "traces/traces_internal.h"

/* How the number of a set follows from that of a block. */
enum margay_set_rule {
    MARGAY_SETS_MASK,      /* its low bits, 2^n sets */
    MARGAY_SETS_REMAINDER, /* the remainder by the number of sets */
    MARGAY_SETS_FOLD,      /* the exclusive or of all groups of n bits */
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

static inline __attribute__((always_inline)) uint64_t margay_set_of(
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

#endif
