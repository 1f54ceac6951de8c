/* json.h - texts and numbers of JSON, and texts of other languages */
#ifndef MARGAY_SIM_RESULT_JSON_H
#define MARGAY_SIM_RESULT_JSON_H

#include "sim/terminal/output.h"

/* The most bytes that a byte of a text becomes, besides its quotation marks. */
#define JSON_MOST_BYTES 6

/* Write `bytes` bytes of a text at `to`, between quotation marks, where there
   is room for 2 + JSON_MOST_BYTES * bytes.  JSON is UTF-8: each byte that is no
   part of a character becomes U+FFFD.  A "<" is written as its number, so that
   the text may stand in a page.  Returns the end. */
char *json_put_text(char *to, const char *text, size_t bytes);

/* The texts that a language has for others; NULL: they stay. */
struct escapes {
    const char *control; /* a control character */
    const char *invalid; /* a byte that is no part of a character of UTF-8 */
    struct escape {
        const char *text, *with; /* characters; NULL ends the list */
    } list[20];
};

/* U+FFFD, the usual one for `invalid`. */
#define JSON_NO_CHARACTER "\xef\xbf\xbd"

/* Write `bytes` bytes of a text, with these escapes. */
void escaped_text(struct output *output, const char *text, size_t bytes,
                  const struct escapes *escapes);

/* Is the text a number as JSON writes them? */
bool json_is_number(const char *text);

#endif
