/* curve_from.h - curve --from: a table of distances instead of a trace */
#ifndef MARGAY_SIM_COMMAND_CURVE_FROM_H
#define MARGAY_SIM_COMMAND_CURVE_FROM_H

#include "sim/options/options.h"
#include "sim/result/csv.h"

/* Write the curves of the histograms in the table of --from and, unless
   `histogram_csv` is NULL, the histograms; answer what is asked about them. */
enum margay_status curve_from(const struct options *options,
                              struct csv_writer *csv,
                              struct csv_writer *histogram_csv, bool *unreached,
                              struct margay_error *error);

#endif
