/*
 * curve_parts.h - what all kinds of curve have in common
 *
 * cmd_curve.c draws the curve of a trace, objects.c that of objects with sizes,
 * prefixes.c that of requests of blocks, tenants.c one for each tenant.  All of
 * them fill the same files.
 */
#ifndef MARGAY_SIM_COMMAND_CURVE_PARTS_H
#define MARGAY_SIM_COMMAND_CURVE_PARTS_H

#include <stdbool.h>

#include <margay/run.h>

#include "sim/options/options.h"
#include "sim/tables/csv.h"
#include "sim/terminal/output.h"

/* The files of a curve, in the order in which conclude() has them. */
enum { CURVE_TABLE, CURVE_HISTOGRAM, CURVE_PROMETHEUS, CURVE_OUTPUTS };

struct curve_tables {
    struct output *outputs[CURVE_OUTPUTS]; /* NULL: not asked for */
    struct csv_writer csv, histogram_csv;
    bool unreached; /* some trace has no cache for --at-most */
};

/* Open the files that the options ask for, and begin their tables.  What is
   open is closed by curve_tables_end(), after a failure as well. */
enum margay_status curve_tables_open(struct curve_tables *tables,
                                     const struct options *options,
                                     const char *columns,
                                     const char *histogram_columns,
                                     struct margay_error *error);

/* Publish the files, or say what failed.  Returns the exit status. */
int curve_tables_end(struct curve_tables *tables, enum margay_status status,
                     struct margay_error *error);

/* The first option given that goes with the plain curve alone, or NULL. */
const char *curve_find_plain(const struct options *options);

/* A wrong size fails before the trace is read.  For struct drive. */
enum margay_status curve_check_sizes(const struct options *options,
                                     const struct margay_job *job,
                                     struct margay_error *error);

#endif
