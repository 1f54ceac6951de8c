/*
 * patterns.h - how distances grow with the size of the input
 *
 * A distance is d(s) = base + growth f(s), for one of these f.  The data of a
 * program is of one, two or three dimensions, whose patterns are not mixed:
 * rows of a matrix of s elements have about s^1/2, planes of a cube s^2/3.
 *
 * Source: Zhong, Shen, Ding, ACM TOPLAS 31(6), 2009, section 3.2.  Their
 * patterns grow; `settling` is ours, of what approaches a constant.
 */
#ifndef MARGAY_STACKDIST_PREDICT_PATTERNS_H
#define MARGAY_STACKDIST_PREDICT_PATTERNS_H

#include <stddef.h>

#include <margay/stackdist.h>

enum margay_growth {
    MARGAY_CONSTANT,
    MARGAY_CUBE_ROOT,   /* s^1/3 */
    MARGAY_SQUARE_ROOT, /* s^1/2 */
    MARGAY_TWO_THIRDS,  /* s^2/3 */
    MARGAY_LINEAR,      /* s */
    MARGAY_SETTLING,    /* 1/s */
    MARGAY_GROWTHS,
};

#define MARGAY_MOST_PATTERNS 4

/* The patterns of one dimension, the constant one first. */
struct margay_patterns {
    enum margay_growth growths[MARGAY_MOST_PATTERNS];
    size_t count;
};

/* f(s), for s > 0; 0 for the constant pattern. */
double margay_growth_at(enum margay_growth growth, double size);

/* By how much what is proportional to f grows from one size to the other. */
double margay_growth_ratio(enum margay_growth growth, double from, double to);

/* `dimension` is not MARGAY_PATTERN_AUTO. */
const struct margay_patterns *margay_patterns_of(enum margay_pattern dimension);

#endif
