/* json.c - texts and numbers of JSON (RFC 8259), and texts of other languages;
   texts are UTF-8 (RFC 3629) */
#include "sim/result/json.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "traces/traces_internal.h"

/* How many of `bytes` bytes, 1 or more, the character at their beginning has;
   0 = there is none.  Of two bytes, the second may not follow the first where a
   shorter character would be the same, for surrogates, and after the last
   plane. */
static size_t character_bytes(const char *text, size_t bytes)
{
    const unsigned char *byte = (const unsigned char *)text;
    unsigned char first = byte[0];
    unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    size_t length = first < 0x80    ? 1
                    : first < 0xc2  ? 0
                    : first < 0xe0  ? 2
                    : first < 0xf0  ? 3
                    : first <= 0xf4 ? 4
                                    : 0;
    if (length > bytes || (length > 1 && (byte[1] < least || byte[1] > most)))
        return 0;
    for (size_t i = 2; i < length; i++) {
        if ((byte[i] & 0xc0) != 0x80)
            return 0;
    }
    return length;
}

char *json_put_text(char *to, const char *text, size_t bytes)
{
    *to++ = '"';
    for (size_t i = 0; i < bytes;) {
        const char *at = text + i;
        size_t length = character_bytes(at, bytes - i);
        i += length == 0 ? 1 : length;
        if (length == 0) {
            to += sprintf(to, "\\ufffd");
        } else if (length == 1 && ((unsigned char)*at < 0x20 || *at == '<')) {
            to += sprintf(to, "\\u%04x", (unsigned)*at);
        } else {
            if (*at == '"' || *at == '\\')
                *to++ = '\\';
            memcpy(to, at, length);
            to += length;
        }
    }
    *to++ = '"';
    return to;
}

void escaped_text(struct output *output, const char *text, size_t bytes,
                  const struct escapes *escapes)
{
    for (const char *end = text + bytes; text < end; text += bytes) {
        const struct escape *escape = escapes->list;
        const char *with = NULL;
        while (escape->text != NULL &&
               strncmp(text, escape->text, strlen(escape->text)) != 0)
            escape++;
        bytes = character_bytes(text, (size_t)(end - text));
        if (escape->text != NULL) {
            bytes = strlen(escape->text);
            with = escape->with;
        } else if (bytes == 0) {
            bytes = 1;
            with = escapes->invalid;
        } else if (margay_is_control(*text)) {
            with = escapes->control;
        }
        output_bytes(output, with == NULL ? text : with,
                     with == NULL ? bytes : strlen(with));
    }
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
