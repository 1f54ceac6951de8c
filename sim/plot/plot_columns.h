/*
 * plot_columns.h - the values that the columns of drawn tables may have
 *
 * The scripts trust numbers: a field that is no finite number would lead them
 * into wrong divisions and logarithms, and into endless loops.
 */
#ifndef MARGAY_SIM_PLOT_PLOT_COLUMNS_H
#define MARGAY_SIM_PLOT_PLOT_COLUMNS_H

#include <margay/status.h>

#include "sim/tables/csv_read.h"

struct plot_column;

/* The known columns of a table; NULL for a column of any text. */
struct plot_columns {
    size_t count;
    const struct plot_column *columns[CSV_ROW_FIELDS];
};

/* Find the columns of a table from its header. */
void plot_columns_find(struct plot_columns *columns,
                       const struct csv_row *header);

/* Check a row; MARGAY_BAD_INPUT names the table, the line and the column. */
enum margay_status plot_columns_check(const struct plot_columns *columns,
                                      const char *path,
                                      const struct csv_row *row,
                                      struct margay_error *error);

#endif
