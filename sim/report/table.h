/* table.h - a table in memory: its columns, and its rows as texts */
#ifndef MARGAY_SIM_REPORT_TABLE_H
#define MARGAY_SIM_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <margay/status.h>

#include "sim/tables/csv_read.h"

struct table {
    size_t column_count, row_count, row_room;
    char *columns[CSV_ROW_FIELDS];
    char **fields; /* row after row */
};

/* Read the table from an open file, which messages call `name`.  Call
   table_clear() in any case.  MARGAY_BAD_INPUT if it is no table: a row has
   more or fewer fields than the header, or there is no header. */
enum margay_status table_read(FILE *file, const char *name, struct table *table,
                              struct margay_error *error);

void table_clear(struct table *table);

/* A column that no table has. */
#define NO_COLUMN SIZE_MAX

/* The column of that name, or NO_COLUMN. */
size_t table_column(const struct table *table, const char *name);

/* A field; the empty text in the place of a missing column. */
const char *table_text(const struct table *table, size_t row, size_t column);

/* The number in a field, 0 if it is all but that; false: there is none, or it
   is beyond 2^64. */
bool table_number(const struct table *table, size_t row, size_t column,
                  double *number);

/* Is each field of the column a number, an empty one or `inf`? */
bool table_is_numeric(const struct table *table, size_t column);

/* Do the first columns have these names, joined with commas? */
bool table_begins_with(const struct table *table, const char *columns);

#endif
