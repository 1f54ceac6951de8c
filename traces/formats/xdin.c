/*
 * xdin.c - the extended input of Dinero IV: LETTER HEXADDR HEXSIZE
 *
 *     r 7ffe10 8
 *     w 0x7ffe18 4
 *     i 400a7c 4
 *
 * Sizes become extents.  Dinero treats m, a miscellaneous access, like a read
 * that prefetches nothing.  c and v copy blocks back and make them invalid:
 * these are orders to a cache and no references.
 */
#include "traces/base/extent.h"
#include "traces/formats/text.h"

/* The meaning of a letter: the kind in the low bits, and flags. */
#define LETTER_KNOWN     4u
#define LETTER_REFERENCE 8u

static const uint8_t letters[256] = {
    ['r'] = LETTER_KNOWN | LETTER_REFERENCE | MARGAY_READ,
    ['w'] = LETTER_KNOWN | LETTER_REFERENCE | MARGAY_WRITE,
    ['i'] = LETTER_KNOWN | LETTER_REFERENCE | MARGAY_FETCH,
    ['m'] = LETTER_KNOWN | LETTER_REFERENCE | MARGAY_READ,
    ['c'] = LETTER_KNOWN,
    ['v'] = LETTER_KNOWN,
};

static inline const char *parse(const char *cursor,
                                struct margay_references *references,
                                const char **expected)
{
    unsigned letter = letters[(unsigned char)*cursor];
    uint64_t size;
    if (letter == 0 || !margay_is_blank(cursor[1])) {
        *expected = "r, w, i, m, c or v, an address and a size";
        return NULL;
    }
    size_t i = references->count;
    *expected = MARGAY_EXPECTS_ADDRESS;
    cursor = margay_scan_address(margay_skip_blanks(cursor + 2),
                                 &references->numbers[i]);
    if (cursor == NULL)
        return NULL;
    *expected = "a blank and a size of 1 to ffffffff bytes, in hexadecimal";
    if (!margay_is_blank(*cursor))
        return NULL;
    cursor = margay_scan_address(margay_skip_blanks(cursor), &size);
    if (cursor == NULL || size - 1 >= UINT32_MAX)
        return NULL;
    if (margay_extent_passes(references->numbers[i], size)) {
        *expected = MARGAY_EXPECTS_END;
        return NULL;
    }
    references->kinds[i] = letter & 3;
    references->extents[i] = (uint32_t)size;
    references->count = i + letter / LETTER_REFERENCE;
    return cursor;
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
    char *end = record;
    *end++ = "rwi"[kind];
    *end++ = ' ';
    end = margay_emit_hex(end, number, 1);
    *end++ = ' ';
    end = margay_emit_hex(end, extent, 1);
    *end++ = '\n';
    return (size_t)(end - record);
}

const struct margay_format margay_format_xdin = {
    .info = {.name = "xdin",
             .description =
                 "Dinero IV's extended input: LETTER HEXADDR HEXSIZE",
             .suffixes = "xdin",
             .numbers = MARGAY_ADDRESSES,
             .unit_bytes = 1,
             .writable = true,
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS,
             .kinds = MARGAY_ALL_KINDS},
    .decode = decode,
    .lines_stand_alone = true,
    .recognise = decode,
    .encode = encode,
};
