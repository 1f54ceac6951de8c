/* words.h - what a miss curve says, as sentences of a page */
#ifndef MARGAY_SIM_REPORT_WORDS_H
#define MARGAY_SIM_REPORT_WORDS_H

#include "sim/report/table.h"
#include "sim/terminal/output.h"

/* Write, for each curve of the table: the misses that remain, the smallest
   caches of the table with at most some ratios, and where it falls most. */
void words_of_curve(struct output *output, const struct cells *table);

#endif
