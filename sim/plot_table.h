/*
 * plot_table.h - a table as gnuplot is to read it
 *
 * The scripts take a line for a row and what is in it for text.  The name of a
 * trace may hold a newline, or another control character that would make a
 * picture unreadable; it is drawn as messages print it, with a question mark.
 */
#ifndef MARGAY_SIM_PLOT_TABLE_H
#define MARGAY_SIM_PLOT_TABLE_H

#include <margay/status.h>

/*
 * Where the table has control characters in its fields, or its name, make a
 * copy without, which all that is run from here can read under *name, until
 * this process ends; the caller frees that with free().  NULL: the file itself
 * will do.  MARGAY_IO, MARGAY_NO_MEMORY.
 */
enum margay_status plot_table_clean(const char *path, char **name,
                                    struct margay_error *error);

#endif
