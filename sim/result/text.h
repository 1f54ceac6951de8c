/* text.h - a table for people: a chart with sentences, or columns in line */
#ifndef MARGAY_SIM_RESULT_TEXT_H
#define MARGAY_SIM_RESULT_TEXT_H

#include "sim/result/csv_read.h"
#include "sim/terminal/output.h"

/* What a picture of letters is, at least; and where the width is unknown. */
#define TEXT_LEAST_COLUMNS 40
#define TEXT_USUAL_COLUMNS 80

/*
 * Write the table in lines of `columns` characters: curves as a chart, with the
 * sizes from which on few references miss, and knees, at the end of curves only
 * if they are whole; a histogram as bars; caches of a
 * grid as a matrix of miss ratios; all else in aligned columns, without those
 * that do not fit.  MARGAY_NO_MEMORY; the output keeps failures to write.
 */
enum margay_status text_write(struct output *output, const struct cells *table,
                              size_t columns, bool is_whole,
                              struct margay_error *error);

#endif
