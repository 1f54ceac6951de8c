/*
 * tikz.h - a picture in TikZ as LaTeX takes it
 *
 * gnuplot writes the texts of a picture as they stand, and a comment with the
 * date.  Names hold characters that are commands to TeX, such as the
 * underscore.
 */
#ifndef MARGAY_SIM_PLOT_TIKZ_H
#define MARGAY_SIM_PLOT_TIKZ_H

#include <margay/status.h>

#include "sim/terminal/output.h"

/* Write what gnuplot drew into the file behind `descriptor`, without comments,
   and each text so that TeX shows it.  MARGAY_IO if the file cannot be read;
   the output keeps failures to write. */
enum margay_status tikz_write(int descriptor, struct output *output,
                              struct margay_error *error);

#endif
