/* text.c - lines that are blank, comments, too long or wrong: see text.h */
#define _GNU_SOURCE
#include "traces/formats/text.h"

#include "traces/base/checked.h"

/* A longer run of digits, leading zeros included, is not a number. */
#define LONGEST_NUMBER 256

static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    char lower_case = (char)(c | 0x20);
    if (lower_case >= 'a' && lower_case <= 'f')
        return (unsigned)(lower_case - 'a') + 10;
    return UINT32_MAX;
}

const char *margay_scan_long_number(const char *cursor, unsigned base,
                                    uint64_t *value)
{
    const char *first = cursor;
    unsigned digit;
    uint64_t sum = 0;
    /* The first sixteen of a time in small units need no check. */
    if (base == 10 && margay_decimal_run(cursor) == 16) {
        sum = margay_fold_decimal(margay_load_word(cursor)) * 100000000 +
              margay_fold_decimal(margay_load_word(cursor + 8));
        cursor += 16;
    }
    for (; (digit = digit_value(*cursor)) < base; cursor++) {
        if (cursor - first >= LONGEST_NUMBER ||
            !margay_multiply_u64(sum, base, &sum) ||
            !margay_add_u64(sum, digit, &sum))
            return NULL;
    }
    *value = sum;
    return cursor == first ? NULL : cursor;
}

static bool starts_with(const char *text, const char *prefix)
{
    return prefix != NULL && strncmp(text, prefix, strlen(prefix)) == 0;
}

const char *margay_settle_line(const char *line, const char *after,
                               const struct margay_line_rules *rules,
                               const char **expected)
{
    /* A newline ends every line, that of the last one included. */
    const char *newline = memchr(line, '\n', PTRDIFF_MAX);
    size_t bytes = (size_t)(newline - line);
    if (bytes > MARGAY_LINE_BYTES) {
        *expected = MARGAY_EXPECTS_SHORT_LINE;
        return NULL;
    }
    if (memchr(line, '\0', bytes) != NULL) {
        *expected = "text without NUL bytes";
        return NULL;
    }
    if (after != NULL) {
        const char *rest = margay_skip_blanks(after);
        if (rest == newline || (rules->rest_ignored && rest > after))
            return newline + 1;
        *expected = rules->rest_ignored
                        ? "a blank or the end of the line behind the number"
                        : "the end of the line behind the record";
        return NULL;
    }
    const char *first = margay_skip_blanks(line);
    if (first == newline || starts_with(first, rules->comment))
        return newline + 1;
    return first > line ? first : NULL;
}

size_t margay_encode_decimal(char *record, uint64_t number,
                             enum margay_kind kind, uint32_t extent)
{
    (void)kind;
    (void)extent;
    char *end = margay_emit_decimal(record, number);
    *end++ = '\n';
    return (size_t)(end - record);
}
