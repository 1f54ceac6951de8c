/*
 * files.h - all files that a command reads and writes, and their formats
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
#include "sim/terminal/output.h"
#include <margay/writing.h>

/* MARGAY_BAD_ARGUMENT if an output would replace an input or another output. */
enum margay_status files_check(const struct options *options,
                               struct margay_error *error);

/* The same check for an output whose name is known only while the command runs;
   messages name the `option` that it follows from. */
enum margay_status files_check_output(const struct options *options,
                                      const char *option, const char *path,
                                      struct margay_error *error);

/* The format of a trace that is written: that of --to; if not given, the last
   one that a suffix of the file names: "a.out.mgt.zst" asks for mgt.  NULL =
   neither does.  The path may be NULL, for standard output.  The text is that
   of the option or of the table of formats. */
const char *trace_format(const struct options *options, const char *path);

/* A writer of that format, into an output that may be opened later.  Fails with
   MARGAY_BAD_ARGUMENT where nothing says which format, and as
   margay_writer_create() does. */
enum margay_status trace_writer_create(const struct options *options,
                                       const char *path, struct output **output,
                                       margay_writer **writer,
                                       struct margay_error *error);

/* The number that divides an address on its way into a format: the bytes that
   an id of the format stands for, or 1 where the format holds addresses, or ids
   of unknown size. */
uint64_t bytes_of_id(const struct margay_format_info *format);

#endif
