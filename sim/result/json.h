/* json.h - texts and numbers of JSON */
#ifndef MARGAY_SIM_RESULT_JSON_H
#define MARGAY_SIM_RESULT_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* The most bytes that a byte of a text becomes, besides its quotation marks. */
#define JSON_MOST_BYTES 6

/* Write `bytes` bytes of a text at `to`, between quotation marks, where there
   is room for 2 + JSON_MOST_BYTES * bytes.  JSON is UTF-8: each byte that is no
   part of a character becomes U+FFFD.  A "<" is written as its number, so that
   the text may stand in a page.  Returns the end. */
char *json_put_text(char *to, const char *text, size_t bytes);

/* U+FFFD, which is written for a byte that is no part of a character. */
#define JSON_NO_CHARACTER "\xef\xbf\xbd"

/* How many of `bytes` bytes, 1 or more, the character of UTF-8 at their
   beginning has; 0 = there is none. */
size_t json_character_bytes(const char *text, size_t bytes);

/* Is the text a number as JSON writes them? */
bool json_is_number(const char *text);

#endif
