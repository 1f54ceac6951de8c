/* din.c - the input of Dinero: LABEL HEXADDR, and ignored text */
#include "traces/formats/text.h"

static inline const char *parse(const char *cursor,
                                struct margay_references *references,
                                const char **expected)
{
    unsigned label = (unsigned)(unsigned char)cursor[0] - '0';
    if (label >= MARGAY_KINDS || !margay_is_blank(cursor[1])) {
        *expected = "a label (0 read, 1 write, 2 fetch) and an address";
        return NULL;
    }
    size_t i = references->count++;
    references->kinds[i] = (uint8_t)label;
    *expected = MARGAY_EXPECTS_ADDRESS;
    return margay_scan_address(margay_skip_blanks(cursor + 2),
                               &references->numbers[i]);
}

static const char *decode(struct margay_text *text,
                          struct margay_references *references)
{
    static const struct margay_line_rules rules = {.rest_ignored = true};
    return margay_decode_lines(text, references, parse, &rules);
}

static size_t encode(char *record, uint64_t number, enum margay_kind kind,
                     uint32_t extent)
{
    (void)extent;
    char *end = record;
    *end++ = (char)('0' + kind);
    *end++ = ' ';
    end = margay_emit_hex(end, number, 1);
    *end++ = '\n';
    return (size_t)(end - record);
}

const struct margay_format margay_format_din = {
    .info = {.name = "din",
             .description = "LABEL HEXADDR, label 0 read, 1 write, 2 fetch",
             .suffixes = "din",
             .numbers = MARGAY_ADDRESSES,
             .unit_bytes = 1,
             .writable = true,
             .columns = MARGAY_COLUMN_KINDS,
             .kinds = MARGAY_ALL_KINDS},
    .decode = decode,
    .lines_stand_alone = true,
    .recognise = decode,
    .encode = encode,
};
