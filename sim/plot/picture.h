/* picture.h - a picture that gnuplot drew, and whether it is whole */
#ifndef MARGAY_SIM_PLOT_PICTURE_H
#define MARGAY_SIM_PLOT_PICTURE_H

#include <stdbool.h>

#include <margay/status.h>

#include "sim/options/option_values.h"
#include "sim/terminal/output.h"

/* ".png", ".svg", ".pdf", ".eps" or ".tex" at the end of the name; NULL for any
   other end. */
const char *picture_suffix(const char *name);

/* What the scripts are told of the picture, in gnuplot's language; the caller
   frees *settings, which is NULL after a failure (MARGAY_NO_MEMORY). */
enum margay_status picture_settings(const struct picture_options *options,
                                    const char *suffix, char **settings,
                                    struct margay_error *error);

/* Does the file behind `descriptor` begin and end as a picture with that suffix
   does? */
bool picture_is_whole(int descriptor, const char *suffix);

/* Write the picture, which has that suffix, to the output.  MARGAY_IO if it
   cannot be read; the output keeps failures to write. */
enum margay_status picture_write(int descriptor, const char *suffix,
                                 struct output *output,
                                 struct margay_error *error);

#endif
