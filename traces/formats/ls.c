/* ls.c - l|s 0xADDR N, the SPEC traces of architecture courses */
#include "traces/formats/text.h"

static inline const char *parse(const char *cursor,
                                struct margay_references *references,
                                const char **expected)
{
    bool store = *cursor == 's';
    if ((!store && *cursor != 'l') || !margay_is_blank(cursor[1])) {
        *expected = "l or s, an address and a number";
        return NULL;
    }
    cursor = margay_skip_blanks(cursor + 2);
    size_t i = references->count++;
    references->kinds[i] = store ? MARGAY_WRITE : MARGAY_READ;
    *expected = MARGAY_EXPECTS_PREFIX;
    if (!margay_has_hex_prefix(cursor))
        return NULL;
    *expected = MARGAY_EXPECTS_ADDRESS;
    cursor = margay_scan_hex(cursor + 2, &references->numbers[i]);
    if (cursor == NULL)
        return NULL;
    /* The number counts the instructions since the last reference. */
    uint64_t ignored;
    *expected = "a blank and a decimal number behind the address";
    if (!margay_is_blank(*cursor))
        return NULL;
    return margay_scan_decimal(margay_skip_blanks(cursor), &ignored);
}

static const char *decode(struct margay_text *text,
                          struct margay_references *references)
{
    static const struct margay_line_rules rules = {.comment = NULL};
    return margay_decode_lines(text, references, parse, &rules);
}

/* The format has no fetches; they are written as loads. */
static size_t encode(char *record, uint64_t number, enum margay_kind kind,
                     uint32_t extent)
{
    (void)extent;
    char *end =
        margay_emit_text(record, kind == MARGAY_WRITE ? "s 0x" : "l 0x");
    end = margay_emit_hex(end, number, 1);
    end = margay_emit_text(end, " 0\n");
    return (size_t)(end - record);
}

const struct margay_format margay_format_ls = {
    .info = {.name = "ls",
             .description = "l|s 0xADDR N, loads and stores of course traces",
             .suffixes = "ls",
             .numbers = MARGAY_ADDRESSES,
             .unit_bytes = 1,
             .writable = true,
             .columns = MARGAY_COLUMN_KINDS,
             .kinds =
                 MARGAY_KIND_BIT(MARGAY_READ) | MARGAY_KIND_BIT(MARGAY_WRITE)},
    .decode = decode,
    .lines_stand_alone = true,
    .recognise = decode,
    .encode = encode,
};
