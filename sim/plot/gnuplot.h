/* gnuplot.h - gnuplot, run on tables that were checked */
#ifndef MARGAY_SIM_PLOT_GNUPLOT_H
#define MARGAY_SIM_PLOT_GNUPLOT_H

#include <stddef.h>

#include <margay/status.h>

/* gnuplot passes nine arguments to a script and drops the rest silently. */
#define GNUPLOT_MOST_TABLES 8

/*
 * Find the path of a script; the caller frees it with free().  MARGAY_IO if it
 * is not found.
 */
enum margay_status gnuplot_find_script(const char *script, char **path,
                                       struct margay_error *error);

/*
 * Draw the tables, under the names that plot_table_read() gave, by the script
 * at `path` into a file in memory, *picture, which the caller closes.  gnuplot
 * has no other file to write to, and a signal that ends this process ends
 * gnuplot before.  `settings` are commands before the script, and
 * `suffix` (".png") is the kind of the picture.
 * MARGAY_IO if gnuplot cannot be run, fails, or leaves a picture that is not
 * whole, even with status 0.  MARGAY_BAD_INPUT if the script refuses the
 * tables.  *picture is -1 then.
 */
enum margay_status gnuplot_draw(const char *path, const char *settings,
                                const char *suffix, char *const *tables,
                                size_t count, int *picture,
                                struct margay_error *error);

#endif
