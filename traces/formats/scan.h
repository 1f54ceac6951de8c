/*
 * scan.h - numbers from text, sixteen characters at a time; and into text
 *
 * Algorithm: mark the bytes that are not digits; the position of the first mark
 *   is the length of the number.  All 16 bytes are made hexadecimal digits, and
 *   these a number of 64 bits; a shift removes the digits after the number.
 *   Decimal digits are shifted to the end of the 16 bytes, so that zero bytes,
 *   which count as the digit 0, stand in front, and neighbours are combined
 *   pairwise: digits into pairs, fours, eights.
 * Cost: no branch on the length, because the lengths of addresses in one trace
 *   vary at random (heap, stack, code).  A number that fills all 16 bytes is
 *   read digit by digit.
 *
 * Every function reads up to MARGAY_TEXT_PADDING bytes from its cursor on,
 * however long the line is.
 */
#ifndef MARGAY_TRACES_FORMATS_SCAN_H
#define MARGAY_TRACES_FORMATS_SCAN_H

#include "traces/base/checked.h"
#include "traces/formats/format.h"

#define MARGAY_EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

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

/* The bytes of the mark of the order of bytes that begins a text; 0 = none. */
static inline size_t margay_order_mark(const char *text, size_t bytes)
{
    return bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* The end of the word that begins at `cursor`: a blank, or `end`. */
static inline const char *margay_word_end(const char *cursor, const char *end)
{
    while (cursor < end && !margay_is_blank(*cursor))
        cursor++;
    return cursor;
}

/* The beginning of the next word. */
static inline const char *margay_next_word(const char *cursor, const char *end)
{
    cursor = margay_word_end(cursor, end);
    while (cursor < end && margay_is_blank(*cursor))
        cursor++;
    return cursor;
}

/* The value of eight decimal digits. */
static inline uint64_t margay_fold_decimal(uint64_t word)
{
    word &= MARGAY_EACH_BYTE(0x0f);
    word = (word * 10 + (word >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    word = (word * 100 + (word >> 16)) & UINT64_C(0x0000ffff0000ffff);
    return (word * 10000 + (word >> 32)) & UINT64_C(0x00000000ffffffff);
}

/* The next number cannot begin before the length of this one is known.  So 16
   bytes are compared at once, which compilers have instructions for, and the
   results gathered in a mask, whose zeros give the length. */
typedef unsigned char margay_bytes16 __attribute__((vector_size(16)));
typedef char margay_chars16 __attribute__((vector_size(16)));
typedef uint16_t margay_pairs8 __attribute__((vector_size(16)));
typedef unsigned char margay_bytes8 __attribute__((vector_size(8)));

static inline margay_bytes16 margay_load_bytes16(const char *cursor)
{
    margay_bytes16 bytes;
    memcpy(&bytes, cursor, sizeof bytes);
    return bytes;
}

/* Bit i of a mask: byte i of a comparison is true, 0xff and not 0.  A product
   moves the lowest bits of eight bytes into its highest byte. */
static inline unsigned margay_mask_portable(margay_bytes16 is_true)
{
    const uint64_t gather = UINT64_C(0x0102040810204080);
    char bytes[16];
    memcpy(bytes, &is_true, sizeof bytes);
    uint64_t first = margay_get_little(bytes, 8) & MARGAY_EACH_BYTE(1);
    uint64_t second = margay_get_little(bytes + 8, 8) & MARGAY_EACH_BYTE(1);
    return (unsigned)(first * gather >> 56 | second * gather >> 56 << 8);
}

static inline unsigned margay_mask(margay_bytes16 is_true)
{
#if defined(__SSE2__)
    return (unsigned)__builtin_ia32_pmovmskb128((margay_chars16)is_true);
#else
    return margay_mask_portable(is_true);
#endif
}

/* Which of the next 64 bytes are newlines. */
static inline uint64_t margay_newlines(const char *cursor)
{
    uint64_t newlines = 0;
#pragma GCC unroll 4
    for (unsigned i = 0; i < 64; i += 16) {
        margay_bytes16 bytes = margay_load_bytes16(cursor + i);
        newlines |= (uint64_t)margay_mask((margay_bytes16)(bytes == '\n')) << i;
    }
    return newlines;
}

/* The characters that are decimal digits, or letters that are digits. */
static inline margay_bytes16 margay_decimal_digits(margay_bytes16 bytes)
{
    return (margay_bytes16)(bytes - '0' < 10);
}

static inline margay_bytes16 margay_hex_letters(margay_bytes16 bytes)
{
    return (margay_bytes16)((bytes | 0x20) - 'a' < 6);
}

/* The value of sixteen hexadecimal digits; other bytes count as any digit. */
static inline uint64_t margay_fold_hex(margay_bytes16 bytes)
{
    const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    margay_bytes16 digits = (bytes & 0x0f) + (margay_hex_letters(bytes) & 9);
    margay_pairs8 pairs = (margay_pairs8)digits;
    pairs = (little ? pairs << 4 | pairs >> 8 : pairs >> 4 | pairs) & 0xff;
    margay_bytes8 folded = __builtin_convertvector(pairs, margay_bytes8);
    uint64_t value;
    memcpy(&value, &folded, sizeof value);
    return little ? __builtin_bswap64(value) : value;
}

/* The length, 0 to 16, of the run of digits that begins there. */
static inline unsigned margay_decimal_run(const char *cursor)
{
    return (unsigned)__builtin_ctz(
        ~margay_mask(margay_decimal_digits(margay_load_bytes16(cursor))));
}

/* Sixteen bytes, of which the first `digits`, 1 to 15, are moved to the end. */
static inline margay_u128 margay_align_digits(const char *cursor,
                                              unsigned digits)
{
    uint64_t first = margay_get_little(cursor, 8);
    uint64_t second = margay_get_little(cursor + 8, 8);
    return ((margay_u128)second << 64 | first) << (128 - 8 * digits);
}

/* Read the digits at `cursor` in base 16 or 10.  Returns the end of the digits,
   or NULL if there are none or the value is over 64 bits.  The caller checks
   what follows. */
const char *margay_scan_long_number(const char *cursor, unsigned base,
                                    uint64_t *value);

static inline const char *margay_scan_hex(const char *cursor, uint64_t *value)
{
    margay_bytes16 bytes = margay_load_bytes16(cursor);
    unsigned digits = (unsigned)__builtin_ctz(
        ~margay_mask(margay_decimal_digits(bytes) | margay_hex_letters(bytes)));
    if (__builtin_expect(digits - 1 >= 15, 0))
        return margay_scan_long_number(cursor, 16, value);
    *value = margay_fold_hex(bytes) >> (64 - 4 * digits);
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
