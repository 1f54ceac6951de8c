/*
 * lackey.c - valgrind --tool=lackey --trace-mem=yes
 *
 *     I  0400d7d4,8      an instruction fetch
 *      L 1ffeffe7e,4     a load
 *      S 1ffeffe80,8     a store
 *      M 0421c7cc,4      a load, then a store of the same bytes
 *
 * The letter stands in the first or second column, and the address begins in
 * the fourth; other spacing is read, too.  Sizes become extents.
 */
#include "traces/formats/text.h"

/* The meaning of a letter: the kind in the low bits, and flags. */
#define OPERATION_KNOWN  4u
#define OPERATION_MODIFY 8u

static const uint8_t operations[256] = {
    ['I'] = OPERATION_KNOWN | MARGAY_FETCH,
    ['L'] = OPERATION_KNOWN | MARGAY_READ,
    ['S'] = OPERATION_KNOWN | MARGAY_WRITE,
    ['M'] = OPERATION_KNOWN | OPERATION_MODIFY | MARGAY_READ,
};

/* The letter of "I  " or " L ", without a branch that tells the two apart;
   otherwise 0. */
static inline unsigned char usual_letter(const char *line)
{
    if ((line[0] != ' ') + (line[1] != ' ') + (line[2] != ' ') != 1 ||
        line[2] != ' ')
        return 0;
    return (unsigned char)(line[0] ^ line[1] ^ ' ');
}

/* The size in bytes, which is nearly always one digit. */
static inline const char *scan_extent(const char *cursor, uint32_t *extent)
{
    unsigned digit = (unsigned)(unsigned char)cursor[0] - '0';
    if (digit - 1 < 9 && cursor[1] < '0') {
        *extent = digit;
        return cursor + 1;
    }
    uint64_t value;
    cursor = margay_scan_decimal(cursor, &value);
    if (cursor == NULL || value - 1 >= UINT32_MAX)
        return NULL;
    *extent = (uint32_t)value;
    return cursor;
}

static inline const char *parse(const char *cursor,
                                struct margay_references *references,
                                const char **expected)
{
    unsigned operation = operations[usual_letter(cursor)];
    if (__builtin_expect(operation != 0, 1)) {
        cursor += 3;
    } else {
        operation = operations[(unsigned char)*cursor];
        if (operation == 0 || !margay_is_blank(cursor[1])) {
            *expected = "I, L, S or M, a blank, and ADDRESS,SIZE";
            return NULL;
        }
        cursor = margay_skip_blanks(cursor + 1);
    }
    uint64_t address;
    cursor = margay_scan_hex(cursor, &address);
    if (cursor == NULL) {
        *expected = MARGAY_EXPECTS_ADDRESS;
        return NULL;
    }
    uint32_t extent = 0;
    if (*cursor != ',' || (cursor = scan_extent(cursor + 1, &extent)) == NULL) {
        *expected = "a comma and a size of 1 to 4294967295 bytes";
        return NULL;
    }
    if (extent - 1 > UINT64_MAX - address) {
        *expected = MARGAY_EXPECTS_END;
        return NULL;
    }
    /* Always write the second reference of M, and count it for M only: this
       needs no branch. */
    size_t i = references->count;
    references->numbers[i] = references->numbers[i + 1] = address;
    references->extents[i] = references->extents[i + 1] = extent;
    references->kinds[i] = operation & 3;
    references->kinds[i + 1] = MARGAY_WRITE;
    references->count = i + 1 + (operation / OPERATION_MODIFY);
    return cursor;
}

static const char *decode(struct margay_text *text,
                          struct margay_references *references)
{
    static const struct margay_line_rules rules = {.comment = "=="};
    return margay_decode_lines(text, references, parse, &rules);
}

static size_t encode(char *record, uint64_t number, enum margay_kind kind,
                     uint32_t extent)
{
    static const char *const letters[MARGAY_KINDS] = {" L ", " S ", "I  "};
    char *end = margay_emit_text(record, letters[kind]);
    end = margay_emit_hex(end, number, 8);
    *end++ = ',';
    end = margay_emit_decimal(end, extent);
    *end++ = '\n';
    return (size_t)(end - record);
}

const struct margay_format margay_format_lackey = {
    .info = {.name = "lackey",
             .description = "valgrind's lackey: I, L, S or M and ADDRESS,SIZE",
             .suffixes = "lackey",
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
