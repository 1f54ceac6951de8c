/* detect.h - the format of a trace, from its first bytes and its name */
#ifndef MARGAY_TRACES_FORMATS_DETECT_H
#define MARGAY_TRACES_FORMATS_DETECT_H

#include "traces/formats/format.h"

/* The bytes at the beginning of a trace that decide its format. */
#define MARGAY_WINDOW_BYTES ((size_t)65536 >> MARGAY_SHRINK)

#define MARGAY_EVIDENCE_BYTES 80

struct margay_detection {
    const struct margay_format *format;
    char evidence[MARGAY_EVIDENCE_BYTES]; /* the evidence, for people */
    bool nothing; /* the trace is empty, and its name has no suffix of a
                     format */
};

/* Choose the format of the trace whose first `bytes` bytes stand at `window`;
   `whole`: these are all.  After the window must stand a newline, if it is
   whole, and MARGAY_TEXT_PADDING bytes.  Fails with MARGAY_BAD_INPUT if no
   format fits, and then found->format is NULL, or if two do. */
enum margay_status margay_detect(const char *path, const char *window,
                                 size_t bytes, bool whole,
                                 struct margay_detection *found,
                                 struct margay_error *error);

/* True if no bytes after the window can make margay_detect() choose another
   format; they may still be faulty. */
bool margay_detect_is_certain(const char *path, const char *window,
                              size_t bytes);

/* Quote a piece of a trace in a message: up to its newline or `end`, cut to 44
   characters, with '?' for each that is not printable. */
#define MARGAY_QUOTE_BYTES 48
const char *margay_quote(char quoted[MARGAY_QUOTE_BYTES], const char *text,
                         const char *end);

#endif
