/* values.h - the different numbers of a column */
#ifndef MARGAY_SIM_REPORT_VALUES_H
#define MARGAY_SIM_REPORT_VALUES_H

#include <stddef.h>

#include "sim/report/bars.h"

#define VALUES_MOST 66

/* Ascending; those beyond VALUES_MOST are left out. */
struct values {
    size_t count;
    double numbers[VALUES_MOST];
};

struct values values_of(const struct rows *rows, size_t column);

/* The index of a number; values->count if it is none of them. */
size_t values_place(const struct values *values, double number);

#endif
