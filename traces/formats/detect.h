/* detect.h - which format a trace is in, from its first bytes and its name */
#ifndef MARGAY_TRACES_FORMATS_DETECT_H
#define MARGAY_TRACES_FORMATS_DETECT_H

#include "traces/formats/format.h"

/* So much of a trace is looked at. */
#define MARGAY_WINDOW_BYTES ((size_t)65536 >> MARGAY_SHRINK)

#define MARGAY_EVIDENCE_BYTES 80

struct margay_detection {
    const struct margay_format *format;
    char evidence[MARGAY_EVIDENCE_BYTES];
};

/*
 * Choose a format for the trace that begins with `bytes` bytes at `window`,
 * all of it if `whole`.  Behind the window stand a newline, if it is whole,
 * and MARGAY_TEXT_PADDING bytes.  MARGAY_BAD_INPUT if it is nothing known.
 */
enum margay_status margay_detect(const char *path, const char *window,
                                 size_t bytes, bool whole,
                                 struct margay_detection *found,
                                 struct margay_error *error);

/*
 * True if whatever follows the window cannot change what margay_detect() says
 * about it, other than to find fault with it.
 */
bool margay_detect_is_certain(const char *path, const char *window,
                              size_t bytes);

/* A piece of a trace for a message: up to its newline or `end`, cut to 44
   characters, with odd ones as '?'. */
#define MARGAY_QUOTE_BYTES 48
const char *margay_quote(char quoted[MARGAY_QUOTE_BYTES], const char *text,
                         const char *end);

#endif
