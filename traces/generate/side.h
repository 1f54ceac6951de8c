/* side.h - the largest arrays with a given number of elements in all */
#ifndef MARGAY_TRACES_GENERATE_SIDE_H
#define MARGAY_TRACES_GENERATE_SIDE_H

#include "traces/base/checked.h"

/* Do `arrays` arrays of side^dimensions elements have at most `elements`? */
static inline bool margay_side_fits(uint64_t side, uint64_t elements,
                                    uint64_t arrays, unsigned dimensions)
{
    uint64_t product = arrays;
    for (unsigned i = 0; i < dimensions; i++) {
        if (!margay_multiply_u64(product, side, &product))
            return false;
    }
    return product <= elements;
}

/* The largest such side; 0 if there is none. */
static inline uint64_t margay_largest_side(uint64_t elements, uint64_t arrays,
                                           unsigned dimensions)
{
    uint64_t side = 0;
    for (unsigned bit = 64; bit-- > 0;) {
        uint64_t larger = side | UINT64_C(1) << bit;
        if (margay_side_fits(larger, elements, arrays, dimensions))
            side = larger;
    }
    return side;
}

#endif
