/*
 * scan.h - numbers from text, sixteen characters at a time; and into text
 *
 * Algorithm: mark the bytes that are not digits; the position of the first
 *   mark is the length of the number.  Shift the digits to the end of the 16
 *   bytes, so that zero bytes, which count as the digit 0, stand in front, and
 *   combine neighbours pairwise: digits into pairs, fours, eights.
 * Cost: no branch on the length, because the lengths of addresses in one trace
 *   vary at random (heap, stack, code).  A number that fills all 16 bytes is
 *   read digit by digit.
 *
 * Every function reads up to MARGAY_TEXT_PADDING bytes from its cursor on,
 * however long the line is.
 */
#ifndef MARGAY_TRACES_FORMATS_SCAN_H
#define MARGAY_TRACES_FORMATS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "traces/base/checked.h"

#define MARGAY_EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Eight characters, the first one in the lowest byte. */
static inline uint64_t margay_load_word(const char *cursor)
{
    uint64_t word;
    memcpy(&word, cursor, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline bool margay_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static inline const char *margay_skip_blanks(const char *cursor)
{
    while (margay_is_blank(*cursor))
        cursor++;
    return cursor;
}

/* Bit 7 of every byte that lies in [first, last], both below 0x80.  With bit 7
   masked off, no addition carries into the next byte. */
static inline uint64_t margay_bytes_within(uint64_t word, unsigned first,
                                           unsigned last)
{
    uint64_t low = word & MARGAY_EACH_BYTE(0x7f);
    uint64_t reach = low + MARGAY_EACH_BYTE(0x80 - first);
    uint64_t pass = low + MARGAY_EACH_BYTE(0x7f - last);
    return reach & ~pass & ~word & MARGAY_EACH_BYTE(0x80);
}

static inline uint64_t margay_hex_digits(uint64_t word)
{
    uint64_t lower_case = word | MARGAY_EACH_BYTE(0x20);
    return margay_bytes_within(word, '0', '9') |
           margay_bytes_within(lower_case, 'a', 'f');
}

static inline uint64_t margay_decimal_digits(uint64_t word)
{
    return margay_bytes_within(word, '0', '9');
}

/* The value of eight hexadecimal digits. */
static inline uint64_t margay_fold_hex(uint64_t word)
{
    word = (word & MARGAY_EACH_BYTE(0x0f)) +
           9 * (word >> 6 & MARGAY_EACH_BYTE(0x01));
    word = (word << 4 | word >> 8) & UINT64_C(0x00ff00ff00ff00ff);
    word = (word << 8 | word >> 16) & UINT64_C(0x0000ffff0000ffff);
    return (word << 16 | word >> 32) & UINT64_C(0x00000000ffffffff);
}

/* The value of eight decimal digits. */
static inline uint64_t margay_fold_decimal(uint64_t word)
{
    word &= MARGAY_EACH_BYTE(0x0f);
    word = (word * 10 + (word >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    word = (word * 100 + (word >> 16)) & UINT64_C(0x0000ffff0000ffff);
    return (word * 10000 + (word >> 32)) & UINT64_C(0x00000000ffffffff);
}

/* The length of the run of digits that begins 16 bytes, from bit 7 of every
   byte that is a digit. */
static inline unsigned margay_marked_run(uint64_t first, uint64_t second)
{
    uint64_t others = ~first & MARGAY_EACH_BYTE(0x80);
    uint64_t others_second = ~second & MARGAY_EACH_BYTE(0x80);
    unsigned base = others == 0 ? 64 : 0;
    others = others == 0 ? others_second : others;
    return others == 0 ? 16 : (base + (unsigned)__builtin_ctzll(others)) / 8;
}

static inline unsigned margay_hex_run_portable(const char *cursor)
{
    return margay_marked_run(margay_hex_digits(margay_load_word(cursor)),
                             margay_hex_digits(margay_load_word(cursor + 8)));
}

static inline unsigned margay_decimal_run_portable(const char *cursor)
{
    return margay_marked_run(
        margay_decimal_digits(margay_load_word(cursor)),
        margay_decimal_digits(margay_load_word(cursor + 8)));
}

/*
 * The next number cannot begin before the length of this one is known.  Every
 * x86-64 processor compares 16 bytes at once and gathers the results in a mask,
 * which gives the length sooner.
 */
#if defined(__SSE2__)

typedef unsigned char margay_bytes16 __attribute__((vector_size(16)));
typedef char margay_chars16 __attribute__((vector_size(16)));

static inline margay_bytes16 margay_load_bytes16(const char *cursor)
{
    margay_bytes16 bytes;
    memcpy(&bytes, cursor, sizeof bytes);
    return bytes;
}

static inline unsigned margay_true_run(margay_bytes16 is_digit)
{
    unsigned mask =
        (unsigned)__builtin_ia32_pmovmskb128((margay_chars16)is_digit);
    return (unsigned)__builtin_ctz(~mask);
}

static inline unsigned margay_hex_run(const char *cursor)
{
    margay_bytes16 bytes = margay_load_bytes16(cursor);
    return margay_true_run((margay_bytes16)(bytes - '0' < 10) |
                           (margay_bytes16)((bytes | 0x20) - 'a' < 6));
}

static inline unsigned margay_decimal_run(const char *cursor)
{
    margay_bytes16 bytes = margay_load_bytes16(cursor);
    return margay_true_run((margay_bytes16)(bytes - '0' < 10));
}

#else

#define margay_hex_run     margay_hex_run_portable
#define margay_decimal_run margay_decimal_run_portable

#endif

/* Sixteen bytes, of which the first `digits`, 1 to 15, are moved to the end. */
static inline margay_u128 margay_align_digits(const char *cursor,
                                              unsigned digits)
{
    uint64_t first = margay_load_word(cursor);
    uint64_t second = margay_load_word(cursor + 8);
    return ((margay_u128)second << 64 | first) << (128 - 8 * digits);
}

/*
 * Read the digits at `cursor` in base 16 or 10.  Returns the end of the digits,
 * or NULL if there are none or the value is over 64 bits.  The caller checks
 * what follows.
 */
const char *margay_scan_long_number(const char *cursor, unsigned base,
                                    uint64_t *value);

static inline const char *margay_scan_hex(const char *cursor, uint64_t *value)
{
    unsigned digits = margay_hex_run(cursor);
    if (__builtin_expect(digits - 1 >= 15, 0))
        return margay_scan_long_number(cursor, 16, value);
    margay_u128 aligned = margay_align_digits(cursor, digits);
    *value = margay_fold_hex((uint64_t)aligned) << 32 |
             margay_fold_hex((uint64_t)(aligned >> 64));
    return cursor + digits;
}

static inline const char *margay_scan_decimal(const char *cursor,
                                              uint64_t *value)
{
    unsigned digits = margay_decimal_run(cursor);
    if (__builtin_expect(digits - 1 >= 15, 0))
        return margay_scan_long_number(cursor, 10, value);
    margay_u128 aligned = margay_align_digits(cursor, digits);
    *value = margay_fold_decimal((uint64_t)aligned) * 100000000 +
             margay_fold_decimal((uint64_t)(aligned >> 64));
    return cursor + digits;
}

static inline bool margay_has_hex_prefix(const char *cursor)
{
    return cursor[0] == '0' && (cursor[1] | 0x20) == 'x';
}

/* The same after an optional 0x.  A branch is cheaper than a computed start,
   because either every line of a trace has the prefix or none does. */
static inline const char *margay_scan_address(const char *cursor,
                                              uint64_t *value)
{
    if (__builtin_expect(margay_has_hex_prefix(cursor), 0))
        return margay_scan_hex(cursor + 2, value);
    return margay_scan_hex(cursor, value);
}

/* ------------------------------------------------- numbers into text -- */

/* Each function returns the end of what it wrote. */

/* At least `digits` digits, 1 to 16, with leading zeros. */
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

#endif
