/*
 * text.h - the loop over lines that the formats of text share
 *
 * A format gives a parser of one record; the loop does the rest: line ends
 * (with or without carriage return), blanks around a record, empty lines,
 * comments, the line count, room in the batch.  The parser is inlined into
 * its own copy of the loop, so that the common line costs no call.
 */
#ifndef MARGAY_TRACES_FORMATS_TEXT_H
#define MARGAY_TRACES_FORMATS_TEXT_H

#include "traces/formats/format.h"
#include "traces/formats/scan.h"

#define MARGAY_EXPECTS_ADDRESS "a hexadecimal address of at most 64 bits"
#define MARGAY_EXPECTS_DECIMAL "a decimal number of at most 64 bits"
#define MARGAY_EXPECTS_PREFIX  "an address that begins with 0x"

/* What a line may hold apart from its record. */
struct margay_line_rules {
    const char *comment; /* lines that begin so are skipped; NULL = none */
    bool rest_ignored;   /* what follows the record after a blank */
};

/*
 * Parse the record that begins at `cursor` and append it.  Returns the
 * character behind it; or NULL, when *expected must say what was expected, in
 * which case what it appended is dropped.
 */
typedef const char *margay_parse_function(const char *cursor,
                                          struct margay_references *references,
                                          const char **expected);

/*
 * Deal with a line whose record was not followed by its end: `line` begins
 * it, `after` is where the parser came to, NULL if it failed.  Returns where
 * to go on: at the next line, or behind blanks at the beginning of this one;
 * or NULL with *expected set.  `parsed` tells whether the record counts.
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
        if (__builtin_expect(after == NULL || *after != '\n', 0)) {
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

/* The encoder of formats of one decimal number per line. */
size_t margay_encode_decimal(char *record, uint64_t number,
                             enum margay_kind kind, uint32_t extent);

#endif
