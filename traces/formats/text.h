/*
 * text.h - what the formats of text share: a loop over lines, and numbers as
 * text
 *
 * A format gives a parser of one record; the loop does the rest: line ends
 * (with or without carriage return), blanks around a record, empty lines,
 * comments, the line count, the capacity of the batch.  The parser is inlined
 * into its own copy of the loop, so that the common line costs no call.
 */
#ifndef MARGAY_TRACES_FORMATS_TEXT_H
#define MARGAY_TRACES_FORMATS_TEXT_H

#include <string.h>

#include "traces/formats/format.h"
#include "traces/formats/scan.h"

#define MARGAY_EXPECTS_ADDRESS "a hexadecimal address of at most 64 bits"
#define MARGAY_EXPECTS_DECIMAL "a decimal number of at most 64 bits"
#define MARGAY_EXPECTS_PREFIX  "an address that begins with 0x"

/* What a line may hold beside its record. */
struct margay_line_rules {
    /* Lines that begin like this are skipped; NULL = there are none. */
    const char *comment;
    /* What follows the record after a blank is skipped. */
    bool rest_ignored;
};

/*
 * Parse the record that begins at `cursor` and append it.  Returns the end of
 * the record, or NULL after setting *expected to what was expected; the loop
 * then drops what the parser has appended.
 */
typedef const char *margay_parse_function(const char *cursor,
                                          struct margay_references *references,
                                          const char **expected);

/*
 * Deal with a line that does not end after its record: `line` is where it
 * begins, `after` where the parser ended, NULL if it failed.  Returns where to
 * go on: at the next line, or after the blanks that begin this one; or NULL
 * after setting *expected.
 */
const char *margay_settle_line(const char *line, const char *after,
                               const struct margay_line_rules *rules,
                               const char **expected);

static inline __attribute__((always_inline)) const char *margay_decode_lines(
    struct margay_text *text, struct margay_references *references,
    margay_parse_function *parse, const struct margay_line_rules *rules)
{
    /* A copy, so that the compiler may keep it in registers. */
    struct margay_references local = *references;
    const char *cursor = text->cursor, *end = text->end;
    const char *expected = NULL, *failure = NULL;
    uint64_t lines = text->lines;
    while (cursor < end &&
           local.count + MARGAY_LINE_REFERENCES <= local.capacity) {
        size_t count = local.count;
        const char *after = parse(cursor, &local, &expected);
        if (__builtin_expect(after == NULL, 0))
            local.count = count;
        else if (__builtin_expect(*after == '\r', 0))
            after++;
        if (__builtin_expect(after == NULL || *after != '\n' ||
                                 after - cursor > (ptrdiff_t)MARGAY_LINE_BYTES,
                             0)) {
            after = margay_settle_line(cursor, after, rules, &expected);
            if (after == NULL) {
                local.count = count;
                failure = expected;
                break;
            }
            cursor = after;
            lines += after[-1] == '\n';
            continue;
        }
        cursor = after + 1;
        lines++;
    }
    text->cursor = cursor;
    text->lines = lines;
    *references = local;
    return failure;
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

static inline char *margay_emit_text(char *cursor, const char *text)
{
    size_t length = strlen(text);
    memcpy(cursor, text, length);
    return cursor + length;
}

/* The encoder of the formats with one decimal number per line. */
size_t margay_encode_decimal(char *record, uint64_t number,
                             enum margay_kind kind, uint32_t extent);

#endif
