/* words.h - what miss curves say, as sentences of a page */
#ifndef MARGAY_SIM_REPORT_WORDS_H
#define MARGAY_SIM_REPORT_WORDS_H

#include "sim/report/table.h"
#include "sim/terminal/output.h"

/* Write, for each curve of the table: the misses that remain, the smallest
   caches of the table with at most some ratios, and where it falls most.
   `ratio` is the column, and `of` what it counts, such as ", bytes".  Of very
   many curves the first ones, and how many there are. */
void words_of_curve(struct output *output, const struct cells *table,
                    const char *ratio, const char *of);

/* Write which sizes of cache some ratios of misses take with each policy. */
void words_of_policies(struct output *output, const struct cells *table);

#endif
