/* tables.h - the tables that more than one command writes */
#ifndef MARGAY_SIM_TABLES_H
#define MARGAY_SIM_TABLES_H

#include "sim/analysis.h"
#include "sim/caches.h"
#include "sim/csv.h"

/* Rows of CURVE_COLUMNS for one pass; unless `writebacks` is NULL, followed by
   these. */
enum margay_status table_curve(struct csv_writer *csv,
                               const struct analysis_pass *pass,
                               const struct cache_sizes *sizes,
                               const margay_writebacks *writebacks,
                               struct margay_error *error);

/* Rows of HISTOGRAM_COLUMNS for one pass; shares are of all references of its
   result, of which the histogram may hold a part. */
enum margay_status table_histogram(struct csv_writer *csv,
                                   const struct analysis_pass *pass,
                                   const struct margay_bins *bins,
                                   struct margay_error *error);

/* The fields of ASSOC_COLUMNS; more may follow in the row. */
void table_cache(struct csv_writer *csv, const struct analysis_pass *pass,
                 uint64_t sets, unsigned ways, const struct cache_row *row);

#endif
