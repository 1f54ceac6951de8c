/* trace_format.h - the format that a trace is written in */
#ifndef MARGAY_SIM_OPTIONS_TRACE_FORMAT_H
#define MARGAY_SIM_OPTIONS_TRACE_FORMAT_H

#include "sim/options/options.h"

/* That of --to; if not given, the last one that a suffix of the file names:
   "a.out.mgt.zst" asks for mgt.  NULL = neither does.  The path may be NULL,
   for standard output.  The text is that of the option or of the table of
   formats. */
const char *trace_format(const struct options *options, const char *path);

/* The same where a format is needed.  Fails with MARGAY_BAD_ARGUMENT. */
enum margay_status trace_format_needed(const struct options *options,
                                       const char *path, const char **format,
                                       struct margay_error *error);

#endif
