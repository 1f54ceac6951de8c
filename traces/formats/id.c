/* id.c - 0xADDR I|D, instruction fetches and data references */
#include "traces/formats/text.h"

static inline const char *parse(const char *cursor,
                                struct margay_references *references,
                                const char **expected)
{
    *expected = MARGAY_EXPECTS_PREFIX;
    if (!margay_has_hex_prefix(cursor))
        return NULL;
    size_t i = references->count++;
    *expected = MARGAY_EXPECTS_ADDRESS;
    cursor = margay_scan_hex(cursor + 2, &references->numbers[i]);
    if (cursor == NULL)
        return NULL;
    *expected = "a blank and I or D behind the address";
    if (!margay_is_blank(*cursor))
        return NULL;
    cursor = margay_skip_blanks(cursor);
    if (*cursor != 'I' && *cursor != 'D')
        return NULL;
    references->kinds[i] = *cursor == 'I' ? MARGAY_FETCH : MARGAY_READ;
    return cursor + 1;
}

static const char *decode(struct margay_text *text,
                          struct margay_references *references)
{
    static const struct margay_line_rules rules = {.comment = NULL};
    return margay_decode_lines(text, references, parse, &rules);
}

/* D stands for reads and writes. */
static size_t encode(char *record, uint64_t number, enum margay_kind kind,
                     uint32_t extent)
{
    (void)extent;
    char *end = margay_emit_text(record, "0x");
    end = margay_emit_hex(end, number, 1);
    end = margay_emit_text(end, kind == MARGAY_FETCH ? " I\n" : " D\n");
    return (size_t)(end - record);
}

const struct margay_format margay_format_id = {
    .info = {.name = "id",
             .description = "0xADDR I|D, an instruction fetch or data",
             .suffixes = "id",
             .numbers = MARGAY_ADDRESSES,
             .unit_bytes = 1,
             .writable = true,
             .columns = MARGAY_COLUMN_KINDS,
             .kinds =
                 MARGAY_KIND_BIT(MARGAY_READ) | MARGAY_KIND_BIT(MARGAY_FETCH)},
    .decode = decode,
    .lines_stand_alone = true,
    .recognise = decode,
    .encode = encode,
};
