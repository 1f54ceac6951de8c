/* patterns.c - how distances grow with the size of the input */
#include "stackdist/predict/patterns.h"

#include <math.h>

double margay_growth_at(enum margay_growth growth, double size)
{
    double root;
    switch (growth) {
    case MARGAY_CUBE_ROOT:
        return cbrt(size);
    case MARGAY_SQUARE_ROOT:
        return sqrt(size);
    case MARGAY_TWO_THIRDS:
        root = cbrt(size);
        return root * root;
    case MARGAY_LINEAR:
        return size;
    case MARGAY_SETTLING:
        return 1 / size;
    default:
        return 0;
    }
}

double margay_growth_ratio(enum margay_growth growth, double from, double to)
{
    if (growth == MARGAY_CONSTANT)
        return 1;
    return margay_growth_at(growth, to) / margay_growth_at(growth, from);
}

const struct margay_patterns *margay_patterns_of(enum margay_pattern dimension)
{
    static const struct margay_patterns patterns[] = {
        [MARGAY_PATTERN_1D] = {{MARGAY_CONSTANT, MARGAY_LINEAR}, 2},
        [MARGAY_PATTERN_2D] = {{MARGAY_CONSTANT, MARGAY_SQUARE_ROOT,
                                MARGAY_LINEAR},
                               3},
        [MARGAY_PATTERN_3D] = {{MARGAY_CONSTANT, MARGAY_CUBE_ROOT,
                                MARGAY_TWO_THIRDS, MARGAY_LINEAR},
                               4},
    };
    return &patterns[dimension];
}
