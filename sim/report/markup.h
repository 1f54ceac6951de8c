/*
 * markup.h - text within HTML and SVG
 *
 * The output (output.h) keeps failures.  A byte that is no part of valid UTF-8
 * becomes U+FFFD, and a control character a question mark.
 */
#ifndef MARGAY_SIM_REPORT_MARKUP_H
#define MARGAY_SIM_REPORT_MARKUP_H

#include "sim/terminal/output.h"

/* Write text that is no markup: & < > " ' as entities. */
void markup_text(struct output *output, const char *text);

/* A size of a cache for people: "32 KiB", or "1.5 Ki" where it counts blocks.
   The text has at most 31 bytes. */
const char *markup_size(double size, bool in_bytes, char text[32]);

#endif
