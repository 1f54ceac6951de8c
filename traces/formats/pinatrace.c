/*
 * pinatrace.c - what Pin's example tool pinatrace prints
 *
 *     0x401136: R 0x7ffe10
 *     0x40113a: W 0x7ffe18
 *     #eof
 *
 * The address of an instruction, R or W, and what it reads or writes.  Lines
 * that begin with # are the tool's own; what some versions print behind the
 * address is ignored.
 */
#include "traces/formats/text.h"

static inline const char *parse(const char *cursor,
                                struct margay_references *references,
                                const char **expected)
{
    uint64_t site;
    *expected = "0xADDR of an instruction, a colon, R or W, and an address";
    if (!margay_has_hex_prefix(cursor) ||
        (cursor = margay_scan_hex(cursor + 2, &site)) == NULL || *cursor != ':')
        return NULL;
    cursor = margay_skip_blanks(cursor + 1);
    if ((*cursor != 'R' && *cursor != 'W') || !margay_is_blank(cursor[1]))
        return NULL;
    size_t i = references->count++;
    references->kinds[i] = *cursor == 'W' ? MARGAY_WRITE : MARGAY_READ;
    if (references->sites != NULL)
        references->sites[i] = site;
    cursor = margay_skip_blanks(cursor + 2);
    *expected = MARGAY_EXPECTS_PREFIX;
    if (!margay_has_hex_prefix(cursor))
        return NULL;
    *expected = MARGAY_EXPECTS_ADDRESS;
    return margay_scan_hex(cursor + 2, &references->numbers[i]);
}

static const char *decode(struct margay_text *text,
                          struct margay_references *references)
{
    static const struct margay_line_rules rules = {.comment = "#",
                                                   .rest_ignored = true};
    return margay_decode_lines(text, references, parse, &rules);
}

const struct margay_format margay_format_pinatrace = {
    .info = {.name = "pinatrace",
             .description = "Pin's pinatrace: 0xSITE: R or W, 0xADDR",
             .suffixes = "pinatrace",
             .numbers = MARGAY_ADDRESSES,
             .unit_bytes = 1,
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_SITES,
             .kinds =
                 MARGAY_KIND_BIT(MARGAY_READ) | MARGAY_KIND_BIT(MARGAY_WRITE)},
    .decode = decode,
    .lines_stand_alone = true,
    .recognise = decode,
};
