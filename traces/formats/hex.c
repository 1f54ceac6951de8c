/* hex.c - one hexadecimal address per line */
#include "traces/formats/text.h"

static const struct margay_line_rules rules = {.comment = NULL};

static inline const char *parse(const char *cursor,
                                struct margay_references *references,
                                const char **expected)
{
    *expected = MARGAY_EXPECTS_ADDRESS;
    return margay_scan_address(cursor,
                               &references->numbers[references->count++]);
}

static const char *decode(struct margay_text *text,
                          struct margay_references *references)
{
    return margay_decode_lines(text, references, parse, &rules);
}

/* Without 0x, digits could be decimal ids. */
static inline const char *parse_prefixed(const char *cursor,
                                         struct margay_references *references,
                                         const char **expected)
{
    *expected = MARGAY_EXPECTS_PREFIX;
    if (!margay_has_hex_prefix(cursor))
        return NULL;
    return parse(cursor, references, expected);
}

static const char *recognise(struct margay_text *text,
                             struct margay_references *references)
{
    return margay_decode_lines(text, references, parse_prefixed, &rules);
}

static size_t encode(char *record, uint64_t number, enum margay_kind kind,
                     uint32_t extent)
{
    (void)kind;
    (void)extent;
    char *end = margay_emit_text(record, "0x");
    end = margay_emit_hex(end, number, 1);
    *end++ = '\n';
    return (size_t)(end - record);
}

const struct margay_format margay_format_hex = {
    .info = {.name = "hex",
             .description = "one 0xADDR per line",
             .suffixes = "hex",
             .numbers = MARGAY_ADDRESSES,
             .unit_bytes = 1,
             .writable = true},
    .decode = decode,
    .lines_stand_alone = true,
    .recognise = recognise,
    .encode = encode,
};
