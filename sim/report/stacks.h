/* stacks.h - bars of parts that stand upon another, as SVG */
#ifndef MARGAY_SIM_REPORT_STACKS_H
#define MARGAY_SIM_REPORT_STACKS_H

#include <stddef.h>

#include "sim/terminal/output.h"

#define STACKS_MOST  66 /* bars, side by side */
#define STACKS_PARTS 8  /* of each; report.css has a colour for each */

struct stacks {
    size_t count;
    double parts[STACKS_MOST][STACKS_PARTS];
    char names[STACKS_MOST][32];
};

/* Write the bars, the left axis, and the names of some of the bars below. */
void stacks_write(struct output *output, const struct stacks *stacks);

#endif
