/*
 * arc.c - START COUNT IGNORED SEQUENCE, the traces of the ARC paper
 *
 * A record asks for COUNT blocks of 512 bytes from START on.  It is one
 * reference with an extent, which is split into its blocks.
 */
#include "traces/formats/text.h"

/* A decimal number after blanks. */
static inline const char *scan_field(const char *cursor, uint64_t *value)
{
    if (!margay_is_blank(*cursor))
        return NULL;
    return margay_scan_decimal(margay_skip_blanks(cursor), value);
}

static inline const char *parse(const char *cursor,
                                struct margay_references *references,
                                const char **expected)
{
    size_t i = references->count++;
    uint64_t start, count, ignored;
    *expected = "four decimal numbers: START COUNT IGNORED SEQUENCE";
    if ((cursor = margay_scan_decimal(cursor, &start)) == NULL ||
        (cursor = scan_field(cursor, &count)) == NULL ||
        (cursor = scan_field(cursor, &ignored)) == NULL ||
        (cursor = scan_field(cursor, &ignored)) == NULL)
        return NULL;
    if (count > UINT32_MAX) {
        *expected = "a count of at most 4294967295 blocks";
        return NULL;
    }
    if (count > 0 && start > UINT64_MAX - (count - 1)) {
        *expected = "START + COUNT within 64 bits";
        return NULL;
    }
    references->numbers[i] = start;
    references->extents[i] = (uint32_t)count;
    return cursor;
}

static const char *decode(struct margay_text *text,
                          struct margay_references *references)
{
    static const struct margay_line_rules rules = {.comment = NULL};
    return margay_decode_lines(text, references, parse, &rules);
}

static size_t encode(char *record, uint64_t number, enum margay_kind kind,
                     uint32_t extent)
{
    (void)kind;
    char *end = margay_emit_decimal(record, number);
    *end++ = ' ';
    end = margay_emit_decimal(end, extent);
    end = margay_emit_text(end, " 0 0\n");
    return (size_t)(end - record);
}

const struct margay_format margay_format_arc = {
    .info = {.name = "arc",
             .description = "START COUNT IGNORED SEQUENCE in 512-byte blocks",
             .suffixes = "arc lis",
             .numbers = MARGAY_IDS,
             .unit_bytes = 512,
             .writable = true,
             .columns = MARGAY_COLUMN_EXTENTS,
             .splits = true,
             .empty_extents = true},
    .decode = decode,
    .lines_stand_alone = true,
    .recognise = decode,
    .encode = encode,
};
