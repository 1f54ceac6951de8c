/*
 * files.h - all files that a command reads and writes
 *
 * An output replaces the file of its name.  So no output may be one of the
 * command's inputs, under any name: a link, standard input.  Nor may two
 * outputs be the same file.  Options of the types `input` and `output` in
 * options.def name files; only files.c knows which operands do, and which names
 * follow from others.  Temporary files are always new, and replace no other.
 */
#ifndef MARGAY_SIM_OPTIONS_FILES_H
#define MARGAY_SIM_OPTIONS_FILES_H

#include "sim/options/options.h"

/* MARGAY_BAD_ARGUMENT if an output would replace an input or another output. */
enum margay_status files_check(const struct options *options,
                               struct margay_error *error);

/* The same check for an output whose name is known only while the command runs;
   messages name the `option` that it follows from. */
enum margay_status files_check_output(const struct options *options,
                                      const char *option, const char *path,
                                      struct margay_error *error);

#endif
