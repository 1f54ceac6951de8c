/*
 * bisect.h - the end of a condition that holds up to some place
 *
 * The first `place` of 0 to count - 1 where the condition, an expression of
 * `place`, does not hold; `count` if it holds everywhere.  Cost: O(log count)
 * evaluations.
 */
#ifndef MARGAY_TRACES_BASE_BISECT_H
#define MARGAY_TRACES_BASE_BISECT_H

#include <stdint.h>

#define MARGAY_BISECT(place, count, condition)                            \
    __extension__({                                                       \
        uint64_t bisect_low = 0, bisect_high = (count);                   \
        while (bisect_low < bisect_high) {                                \
            uint64_t place = bisect_low + (bisect_high - bisect_low) / 2; \
            if (condition)                                                \
                bisect_low = place + 1;                                   \
            else                                                          \
                bisect_high = place;                                      \
        }                                                                 \
        bisect_low;                                                       \
    })

#endif
