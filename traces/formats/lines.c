/* lines.c - one decimal block id per line, the traces of the LIRS authors */
#include "traces/formats/text.h"

static inline const char *parse(const char *cursor,
                                struct margay_references *references,
                                const char **expected)
{
    *expected = MARGAY_EXPECTS_DECIMAL;
    return margay_scan_decimal(cursor,
                               &references->numbers[references->count++]);
}

static const char *decode(struct margay_text *text,
                          struct margay_references *references)
{
    static const struct margay_line_rules rules = {.comment = "*"};
    return margay_decode_lines(text, references, parse, &rules);
}

const struct margay_format margay_format_lines = {
    .info = {.name = "lines",
             .description = "one decimal block id per line (LIRS)",
             .suffixes = "lines trc",
             .numbers = MARGAY_IDS,
             .unit_bytes = 0,
             .writable = true},
    .decode = decode,
    .lines_stand_alone = true,
    .recognise = decode,
    .encode = margay_encode_decimal,
};
