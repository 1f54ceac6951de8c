/* trace_format.h - the format that a trace is written in */
#ifndef MARGAY_SIM_OPTIONS_TRACE_FORMAT_H
#define MARGAY_SIM_OPTIONS_TRACE_FORMAT_H

#include "sim/options/options.h"
#include "sim/terminal/output.h"
#include <margay/writing.h>

/* That of --to; if not given, the last one that a suffix of the file names:
   "a.out.mgt.zst" asks for mgt.  NULL = neither does.  The path may be NULL,
   for standard output.  The text is that of the option or of the table of
   formats. */
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
