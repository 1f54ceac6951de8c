/* picture.h - pictures of tables that were checked, drawn by gnuplot */
#ifndef MARGAY_SIM_PLOT_PICTURE_H
#define MARGAY_SIM_PLOT_PICTURE_H

#include <stddef.h>

#include <margay/status.h>

#include "sim/options/option_values.h"
#include "sim/terminal/output.h"

/* gnuplot passes nine arguments to a script and drops the rest silently. */
#define PICTURE_MOST_TABLES 8

/* ".png", ".svg", ".pdf", ".eps" or ".tex" at the end of the name; NULL for any
   other end. */
const char *picture_suffix(const char *name);

/* Find the path of a script; the caller frees it.  MARGAY_IO if it is not
   found. */
enum margay_status picture_find_script(const char *script, char **path,
                                       struct margay_error *error);

/*
 * Draw the tables, under the names that plot_table_read() gave, by the script
 * at that path, as `suffix` (".png") says, into memory, and write the picture
 * to the output once it is whole.  gnuplot has no other file to write to, and a
 * signal that ends this process ends gnuplot before.  MARGAY_IO if gnuplot
 * cannot be run, fails, or leaves a picture that is not whole, even with status
 * 0; MARGAY_BAD_INPUT if the script refuses the tables; MARGAY_NO_MEMORY.  The
 * output keeps failures to write.
 */
enum margay_status picture_draw(const char *script,
                                const struct picture_options *options,
                                const char *suffix, char *const *tables,
                                size_t count, struct output *output,
                                struct margay_error *error);

#endif
