/* emit.h - numbers into text; each returns the end of what it wrote */
#ifndef MARGAY_TRACES_FORMATS_EMIT_H
#define MARGAY_TRACES_FORMATS_EMIT_H

#include <stdint.h>
#include <string.h>

/* At least `digits` (1 .. 16) digits, with zeros in front. */
static inline char *margay_emit_hex(char *cursor, uint64_t value,
                                    unsigned digits)
{
    unsigned needed = (67 - (unsigned)__builtin_clzll(value | 1)) / 4;
    unsigned length = needed > digits ? needed : digits;
    for (unsigned i = length; i-- > 0; value >>= 4)
        cursor[i] = "0123456789abcdef"[value & 15];
    return cursor + length;
}

static inline char *margay_emit_decimal(char *cursor, uint64_t value)
{
    char digits[20];
    unsigned length = 0;
    do {
        digits[length++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    while (length > 0)
        *cursor++ = digits[--length];
    return cursor;
}

static inline char *margay_emit_text(char *cursor, const char *text)
{
    size_t length = strlen(text);
    memcpy(cursor, text, length);
    return cursor + length;
}

#endif
