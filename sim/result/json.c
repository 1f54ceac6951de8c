/* json.c - texts and numbers of JSON (RFC 8259); texts are UTF-8 (RFC 3629) */
#include "sim/result/json.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The bytes of the character that begins with this one; 0 = none does. */
static size_t length_of(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first < 0xe0)
        return 2;
    if (first >= 0xe0 && first < 0xf0)
        return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/* Of two bytes: may the second follow the first?  It may not where a shorter
   character would be the same, for surrogates, and behind the last plane. */
static int may_begin(unsigned char first, unsigned char second)
{
    unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return second >= least && second <= most;
}

size_t json_character_bytes(const char *text, size_t bytes)
{
    const unsigned char *byte = (const unsigned char *)text;
    size_t length = length_of(byte[0]);
    if (length > bytes || (length > 1 && !may_begin(byte[0], byte[1])))
        return 0;
    for (size_t i = 2; i < length; i++) {
        if ((byte[i] & 0xc0) != 0x80)
            return 0;
    }
    return length;
}

static char *put_character(char *to, const char *text, size_t length)
{
    if (length == 0)
        return to + sprintf(to, "\\ufffd");
    if (length == 1 && ((unsigned char)*text < 0x20 || *text == '<'))
        return to + sprintf(to, "\\u%04x", (unsigned)*text);
    if (*text == '"' || *text == '\\')
        *to++ = '\\';
    memcpy(to, text, length);
    return to + length;
}

char *json_put_text(char *to, const char *text, size_t bytes)
{
    *to++ = '"';
    for (size_t i = 0; i < bytes;) {
        size_t length = json_character_bytes(text + i, bytes - i);
        to = put_character(to, text + i, length);
        i += length == 0 ? 1 : length;
    }
    *to++ = '"';
    return to;
}

static const char digits[] = "0123456789";

/* The end of the digits at `text`; NULL = there are none. */
static const char *skip_digits(const char *text)
{
    size_t count = strspn(text, digits);
    return count == 0 ? NULL : text + count;
}

bool json_is_number(const char *text)
{
    text += *text == '-';
    if (text[0] == '0' && text[1] >= '0' && text[1] <= '9')
        return false;
    text = skip_digits(text);
    if (text != NULL && *text == '.')
        text = skip_digits(text + 1);
    if (text != NULL && (*text == 'e' || *text == 'E')) {
        text++;
        text = skip_digits(text + (*text == '+' || *text == '-'));
    }
    return text != NULL && *text == '\0';
}
