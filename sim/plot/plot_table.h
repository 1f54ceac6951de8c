/*
 * plot_table.h - tables checked and prepared for gnuplot
 *
 * The scripts assume that a line is a row and that numbers are numbers.  So
 * each table is read once before: gnuplot then reads a table that has the
 * columns of a kind, at least one row, and in each row a number where a
 * script needs one.  The name of a trace may hold a newline or
 * another control character, which would make a picture unreadable; it becomes
 * a question mark, as in messages, and a comma behind a quotation mark, where
 * gnuplot would see the end of the field, a semicolon.
 */
#ifndef MARGAY_SIM_PLOT_PLOT_TABLE_H
#define MARGAY_SIM_PLOT_PLOT_TABLE_H

#include <margay/status.h>

#include "sim/plot/plot_kinds.h"

/*
 * Read the table at `path` ("-": standard input) and find its kind.  *name is
 * the file for gnuplot: the table itself or, if that can be read only once or
 * has control characters, a copy in memory that lives as long as this process
 * and its children.  The caller frees the name with free().  After a failure
 * (MARGAY_IO, MARGAY_BAD_INPUT, MARGAY_NO_MEMORY) *name is NULL.
 */
enum margay_status plot_table_read(const char *path,
                                   const struct plot_kind **kind, char **name,
                                   struct margay_error *error);

#endif
