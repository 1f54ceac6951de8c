/* table.h - numbers and names in the cells of a table */
#ifndef MARGAY_SIM_REPORT_TABLE_H
#define MARGAY_SIM_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/tables/cells.h"

/* A column that no table has. */
#define NO_COLUMN SIZE_MAX

/* The column of that name, or NO_COLUMN. */
size_t table_column(const struct cells *table, const char *name);

/* A field; the empty text in the place of a missing column. */
const char *table_text(const struct cells *table, size_t row, size_t column);

/* The number in a field, 0 if it is all but that; false: there is none, or it
   is beyond 2^64. */
bool table_number(const struct cells *table, size_t row, size_t column,
                  double *number);

/* Is each field of the column a number, an empty one or `inf`? */
bool table_is_numeric(const struct cells *table, size_t column);

/* Do the first columns have these names, joined with commas? */
bool table_begins_with(const struct cells *table, const char *columns);

#endif
