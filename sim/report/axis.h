/* axis.h - from numbers to places on an axis */
#ifndef MARGAY_SIM_REPORT_AXIS_H
#define MARGAY_SIM_REPORT_AXIS_H

#include <stdbool.h>

#include "sim/terminal/output.h"

struct axis {
    double from, to;   /* of the numbers; from < to */
    double begin, end; /* where these lie in the drawing */
    bool logarithmic;
    bool sizes, in_bytes; /* the numbers are sizes of caches */
};

/* Make the axis hold whole steps: of 1, 2 or 5 times a power of ten, and of
   sizes powers of two.  Returns the step; of a logarithmic axis the factor. */
double axis_round(struct axis *axis);

double axis_place(const struct axis *axis, double number);

enum axis_border { AXIS_LOWER, AXIS_LEFT };

/* Write ticks, grid and numbers of an axis along a border, which is `near` on
   the other axis; the grid ends at `far`. */
void axis_write(struct output *output, const struct axis *axis, double step,
                enum axis_border border, double near, double far);

#endif
