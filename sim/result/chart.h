/* chart.h - miss curves drawn in letters, and said in sentences */
#ifndef MARGAY_SIM_RESULT_CHART_H
#define MARGAY_SIM_RESULT_CHART_H

#include <stdbool.h>

#include "sim/result/csv_read.h"
#include "sim/terminal/output.h"

/* Has the table sizes of caches and miss ratios? */
bool chart_is_for(const struct cells *table);

/* Draw all its curves in one chart of `columns` columns, and write for each
   from which sizes on few references miss, and its knees.  Curves are whole if
   no cache misses less than their last ones.  MARGAY_NO_MEMORY. */
enum margay_status chart_write(struct output *output, const struct cells *table,
                               size_t columns, bool is_whole,
                               struct margay_error *error);

#endif
