/*
 * text.c - formats of one record a line: a loop, and a parser for each
 *
 * A format gives a parser of one record; the loop does the rest: line ends
 * (with or without carriage return), blanks around a record, empty lines,
 * comments, the line count, the capacity of the batch.  The parser is inlined
 * into its own copy of the loop, so that the common line costs no call.
 */
#define _GNU_SOURCE
#include <string.h>

#include "traces/base/extent.h"
#include "traces/formats/scan.h"

#define EXPECTS_ADDRESS "a hexadecimal address of at most 64 bits"
#define EXPECTS_PREFIX  "an address that begins with 0x"

/* ------------------------------------------------------------ the loop -- */

/* The parts of a line besides its record. */
struct line_rules {
    /* Lines that begin like this are skipped; NULL = there are none. */
    const char *comment;
    /* The text after the record and a blank is skipped. */
    bool rest_ignored;
};

/* Parse the record that begins at `cursor` and append it.  Returns the end of
   the record, or NULL after setting *expected to what was expected; the loop
   then drops what the parser has appended. */
#define PARSE(name)                                                            \
    const char *name(const char *cursor, struct margay_references *references, \
                     const char **expected)
#define PARSER(name) static inline PARSE(name)
typedef PARSE(parse_function);

/* Deal with a line that does not end after its record: `line` is where it
   begins, `after` where the parser ended, NULL if it failed.  Returns where to
   go on: at the next line, or after the blanks that begin this one; or NULL
   after setting *expected. */
static const char *settle_line(const char *line, const char *after,
                               const struct line_rules *rules,
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
        *expected = MARGAY_EXPECTS_NO_NUL;
        return NULL;
    }
    if (after != NULL) {
        const char *rest = margay_skip_blanks(after);
        if (rest == newline || (rules->rest_ignored && rest > after))
            return newline + 1;
        *expected = rules->rest_ignored
                        ? "a blank or the end of the line after the number"
                        : "the end of the line after the record";
        return NULL;
    }
    const char *first = margay_skip_blanks(line), *comment = rules->comment;
    if (first == newline ||
        (comment != NULL && strncmp(first, comment, strlen(comment)) == 0))
        return newline + 1;
    return first > line ? first : NULL;
}

/* The compiler must not take the end of a record for that of its line, which is
   known before it, so that several lines are parsed at once. */
static inline __attribute__((always_inline)) const char *decode_lines(
    struct margay_text *text, struct margay_references *references,
    parse_function *parse, const struct line_rules *rules)
{
    /* A copy, so that the compiler may keep it in registers. */
    struct margay_references local = *references;
    const char *cursor = text->cursor, *end = text->end;
    const char *expected = NULL, *failure = NULL, *seen = NULL;
    uint64_t lines = text->lines, ends = 0;
    while (cursor < end &&
           local.count + MARGAY_LINE_REFERENCES <= local.capacity) {
        size_t count = local.count;
        if (ends == 0) {
            seen = cursor;
            ends = margay_newlines(seen);
        }
        const char *after = parse(cursor, &local, &expected);
        const char *newline = ends == 0 ? NULL : seen + __builtin_ctzll(ends);
        if (__builtin_expect(
                after != NULL && after + (*after == '\r') == newline, 1)) {
            __asm__("" : "+r"(newline));
            cursor = newline + 1;
            ends &= ends - 1;
            lines++;
            continue;
        }
        if (after == NULL)
            local.count = count;
        after = settle_line(cursor, after, rules, &expected);
        if (after == NULL) {
            local.count = count;
            failure = expected;
            break;
        }
        cursor = after;
        ends = 0;
        lines += after[-1] == '\n';
    }
    text->cursor = cursor;
    text->lines = lines;
    *references = local;
    return failure;
}

/* The function `name` of a format: the loop with its parser, and the rules. */
#define DECODER(name, parse, ...)                                 \
    static const char *name(struct margay_text *text,             \
                            struct margay_references *references) \
    {                                                             \
        static const struct line_rules rules = {__VA_ARGS__};     \
        return decode_lines(text, references, parse, &rules);     \
    }

/* The functions of a format that recognises all that it reads. */
#define DECODED_BY(decoder) .decode = decoder, .recognise = decoder

/* A record as it is written: texts by kind, of equal lengths. */
struct record_text {
    unsigned before_bytes, after_bytes; /* 0 after = a newline */
    char before[MARGAY_KINDS][6], after[MARGAY_KINDS][6];
    unsigned digits; /* of the number, hexadecimal, at least; 0 = decimal */
    unsigned extent_base; /* 16 or 10; 0 = without an extent */
    char between;         /* number and extent */
};

static inline __attribute__((always_inline)) size_t encode_text(
    char *record, uint64_t number, enum margay_kind kind, uint32_t extent,
    const struct record_text *text)
{
    /* Arguments that are known at compile time cost nothing. */
    char *end = record;
    memcpy(end, text->before[kind], text->before_bytes);
    end += text->before_bytes;
    end = text->digits > 0 ? margay_emit_hex(end, number, text->digits)
                           : margay_emit_decimal(end, number);
    if (text->extent_base != 0)
        *end++ = text->between;
    if (text->extent_base == 16)
        end = margay_emit_hex(end, extent, 1);
    else if (text->extent_base == 10)
        end = margay_emit_decimal(end, extent);
    memcpy(end, text->after_bytes > 0 ? text->after[kind] : "\n",
           text->after_bytes > 0 ? text->after_bytes : 1);
    end += text->after_bytes > 0 ? text->after_bytes : 1;
    return (size_t)(end - record);
}

/* The function that writes records of this text. */
#define ENCODER(name, ...)                                                   \
    static size_t name(char *record, uint64_t number, enum margay_kind kind, \
                       uint32_t extent)                                      \
    {                                                                        \
        static const struct record_text text = {__VA_ARGS__};                \
        return encode_text(record, number, kind, extent, &text);             \
    }

/* An address that begins with 0x. */
static inline const char *scan_prefixed(const char *cursor, uint64_t *address,
                                        const char **expected)
{
    *expected = EXPECTS_PREFIX;
    if (!margay_has_hex_prefix(cursor))
        return NULL;
    *expected = EXPECTS_ADDRESS;
    return margay_scan_hex(cursor + 2, address);
}

/* A letter: the kind in the low bits, that it is known, and how many references
   it makes. */
#define LETTER_KNOWN             4u
#define LETTER(kind, number)     (LETTER_KNOWN | (kind) | (number) << 3)
#define LETTER_REFERENCES(means) ((means) >> 3)

/* ----------------------------------------------------------------- din -- */

/* The input of Dinero: LABEL HEXADDR, and ignored text.  Usual lines have a
   space and no 0x. */
PARSER(parse_din)
{
    uint64_t label = margay_get_little(cursor, 2) - ('0' | ' ' << 8);
    size_t i = references->count++;
    uint64_t *number = &references->numbers[i];
    references->kinds[i] = (uint8_t)label;
    if (__builtin_expect(label < MARGAY_KINDS, 1)) {
        const char *after = margay_scan_hex(cursor + 2, number);
        if (__builtin_expect(after != NULL && *after == '\n', 1))
            return after;
    }
    label = (unsigned char)*cursor - (uint64_t)'0';
    references->kinds[i] = (uint8_t)label;
    *expected = "a label (0 read, 1 write, 2 fetch) and an address";
    if (label >= MARGAY_KINDS || !margay_is_blank(cursor[1]))
        return NULL;
    *expected = EXPECTS_ADDRESS;
    return margay_scan_address(margay_skip_blanks(cursor + 2), number);
}

DECODER(decode_din, parse_din, .rest_ignored = true)

ENCODER(encode_din, .before_bytes = 2, .before = {"0 ", "1 ", "2 "},
        .digits = 1)

const struct margay_format margay_format_din = {
    .info = {MARGAY_BYTE_ADDRESSES, .name = "din",
             .description = "LABEL HEXADDR, label 0 read, 1 write, 2 fetch",
             .suffixes = "din", .writable = true,
             .columns = MARGAY_COLUMN_KINDS, .kinds = MARGAY_ALL_KINDS},
    DECODED_BY(decode_din),
    .encode = encode_din,
};

/* ---------------------------------------------------------------- xdin -- */

/*
 * The extended input of Dinero IV: LETTER HEXADDR HEXSIZE
 *
 *     r 7ffe10 8
 *     w 0x7ffe18 4
 *     i 400a7c 4
 *
 * Sizes become extents.  Dinero treats m, a miscellaneous access, like a read
 * that prefetches nothing.  c and v copy blocks back and make them invalid:
 * these are orders to a cache and no references.
 */
PARSER(parse_xdin)
{
    static const uint8_t letters[256] = {
        ['r'] = LETTER(MARGAY_READ, 1),  ['w'] = LETTER(MARGAY_WRITE, 1),
        ['i'] = LETTER(MARGAY_FETCH, 1), ['m'] = LETTER(MARGAY_READ, 1),
        ['c'] = LETTER(MARGAY_READ, 0),  ['v'] = LETTER(MARGAY_READ, 0),
    };
    unsigned letter = letters[(unsigned char)*cursor];
    uint64_t size;
    if (letter == 0 || !margay_is_blank(cursor[1])) {
        *expected = "r, w, i, m, c or v, an address and a size";
        return NULL;
    }
    size_t i = references->count;
    *expected = EXPECTS_ADDRESS;
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
    if (LETTER_REFERENCES(letter) != 0 &&
        margay_extent_passes(references->numbers[i], size)) {
        *expected = MARGAY_EXPECTS_END;
        return NULL;
    }
    references->kinds[i] = letter & 3;
    references->extents[i] = (uint32_t)size;
    references->count = i + LETTER_REFERENCES(letter);
    return cursor;
}

DECODER(decode_xdin, parse_xdin, .rest_ignored = true)

ENCODER(encode_xdin, .before_bytes = 2, .before = {"r ", "w ", "i "},
        .digits = 1, .between = ' ', .extent_base = 16)

const struct margay_format margay_format_xdin = {
    .info = {MARGAY_BYTE_ADDRESSES, .name = "xdin",
             .description =
                 "Dinero IV's extended input: LETTER HEXADDR HEXSIZE",
             .suffixes = "xdin", .writable = true,
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS,
             .kinds = MARGAY_ALL_KINDS},
    DECODED_BY(decode_xdin),
    .encode = encode_xdin,
};

/* -------------------------------------------------------------- lackey -- */

/*
 * valgrind --tool=lackey --trace-mem=yes
 *
 *     I  0400d7d4,8      an instruction fetch
 *      L 1ffeffe7e,4     a load
 *      S 1ffeffe80,8     a store
 *      M 0421c7cc,4      a load, then a store of the same bytes
 *
 * The letter stands in the first or second column, and the address begins in
 * the fourth; other spacing is read, too.  Sizes become extents.
 */

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

PARSER(parse_lackey)
{
    static const uint8_t letters[256] = {
        ['I'] = LETTER(MARGAY_FETCH, 1),
        ['L'] = LETTER(MARGAY_READ, 1),
        ['S'] = LETTER(MARGAY_WRITE, 1),
        ['M'] = LETTER(MARGAY_READ, 2),
    };
    unsigned letter = letters[usual_letter(cursor)];
    if (__builtin_expect(letter != 0, 1)) {
        cursor += 3;
    } else {
        letter = letters[(unsigned char)*cursor];
        if (letter == 0 || !margay_is_blank(cursor[1])) {
            *expected = "I, L, S or M, a blank, and ADDRESS,SIZE";
            return NULL;
        }
        cursor = margay_skip_blanks(cursor + 1);
    }
    uint64_t address;
    *expected = EXPECTS_ADDRESS;
    if ((cursor = margay_scan_hex(cursor, &address)) == NULL)
        return NULL;
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
    references->kinds[i] = letter & 3;
    references->kinds[i + 1] = MARGAY_WRITE;
    references->count = i + LETTER_REFERENCES(letter);
    return cursor;
}

DECODER(decode_lackey, parse_lackey, .comment = "==")

ENCODER(encode_lackey, .before_bytes = 3, .before = {" L ", " S ", "I  "},
        .digits = 8, .between = ',', .extent_base = 10)

const struct margay_format margay_format_lackey = {
    .info = {MARGAY_BYTE_ADDRESSES, .name = "lackey",
             .description = "valgrind's lackey: I, L, S or M and ADDRESS,SIZE",
             .suffixes = "lackey", .writable = true,
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS,
             .kinds = MARGAY_ALL_KINDS},
    DECODED_BY(decode_lackey),
    .encode = encode_lackey,
};

/* ----------------------------------------------------------- pinatrace -- */

/*
 * The output of Pin's example tool pinatrace
 *
 *     0x401136: R 0x7ffe10
 *     0x40113a: W 0x7ffe18
 *     #eof
 *
 * The address of an instruction, R or W, and the address of its data.  Lines
 * that begin with # are comments; text after the address, which some versions
 * print, is ignored.
 */
PARSER(parse_pinatrace)
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
    return scan_prefixed(margay_skip_blanks(cursor + 2),
                         &references->numbers[i], expected);
}

DECODER(decode_pinatrace, parse_pinatrace, .comment = "#", .rest_ignored = true)

const struct margay_format margay_format_pinatrace = {
    .info = {MARGAY_BYTE_ADDRESSES, .name = "pinatrace",
             .description = "Pin's pinatrace: 0xSITE: R or W, 0xADDR",
             .suffixes = "pinatrace",
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_SITES,
             .kinds = MARGAY_READS_AND_WRITES},
    DECODED_BY(decode_pinatrace),
};

/* --------------------------------------------------------- perf-script -- */

/*
 * Samples of memory accesses, as perf script prints them
 *
 *     prog 12 [001] 7.5: 1 cpu/mem-loads/P: 7ffe10 401136 main+0x6 (/bin/prog)
 *     7ffe10 401136 main+0x6 (/bin/prog)
 *
 * Source: the order in which perf script prints its fields, which -F does not
 *   change: program, process, processor, time, period and event, the last of
 *   which ends with a colon; then the address, where the sample says where the
 *   data came from a number and a text in bars, the weight, and the address of
 *   the instruction.  The rest is for people.
 * Guarantee: a sample that names no address, which perf prints as 0, is no
 *   reference.
 */

static bool ends_line(char c)
{
    return c == '\n' || c == '\0';
}

static const char *word_end(const char *cursor)
{
    while (!margay_is_blank(*cursor) && !ends_line(*cursor))
        cursor++;
    return cursor;
}

/* A word that is a hexadecimal number, or NULL. */
static const char *take_hex(const char *word, uint64_t *value)
{
    const char *end = margay_scan_hex(word, value);
    return end != NULL && end == word_end(end) ? end : NULL;
}

/* Where the address stands: after the last word that ends with a colon, which
   names the event.  *event: it does; *stores: an event of stores. */
static const char *find_address(const char *line, bool *event, bool *stores)
{
    const char *address = line, *end;
    *event = *stores = false;
    for (const char *word = line;
         !ends_line(*word) && *word != '|' && *word != '(';
         word = margay_skip_blanks(end)) {
        end = word_end(word);
        if (end[-1] != ':')
            continue;
        address = margay_skip_blanks(end);
        *event = true;
        *stores = memmem(word, (size_t)(end - word), "store", 5) != NULL;
    }
    return address;
}

/* After "|OP LOAD|LVL L1 hit|...": the end of the bars, and the operation. */
static const char *pass_bars(const char *bar, uint8_t *kind)
{
    const char *last = bar;
    if (strncmp(bar, "|OP STORE", 9) == 0)
        *kind = MARGAY_WRITE;
    else if (strncmp(bar, "|OP EXEC", 8) == 0)
        *kind = MARGAY_FETCH;
    else
        *kind = MARGAY_READ;
    for (; !ends_line(*bar); bar++) {
        if (*bar == '|')
            last = bar;
    }
    return last;
}

/* The address of the instruction, or NULL. */
static const char *take_site(const char *cursor, uint64_t *site, uint8_t *kind)
{
    uint64_t number;
    const char *end = take_hex(cursor, site);
    if (end == NULL || *margay_skip_blanks(end) != '|')
        return end;
    cursor = pass_bars(margay_skip_blanks(end), kind);
    while ((end = take_hex(cursor, site)) == NULL && !ends_line(*cursor))
        cursor = margay_skip_blanks(word_end(cursor));
    if (end == NULL)
        return NULL;
    /* The first of two numbers is the weight, unless the second can be no more
       than a name, as an object in brackets follows. */
    const char *next = take_hex(margay_skip_blanks(end), &number);
    if (next == NULL || *margay_skip_blanks(next) == '(')
        return end;
    *site = number;
    return next;
}

static inline const char *parse_sample(const char *line,
                                       struct margay_references *references,
                                       bool needs_event, const char **expected)
{
    bool event, stores;
    uint64_t address, site;
    const char *cursor =
        find_address(margay_skip_blanks(line), &event, &stores);
    uint8_t kind = stores ? MARGAY_WRITE : MARGAY_READ;
    *expected =
        "a sample of perf script with the address and that of the instruction "
        "(-F +addr,+ip)";
    if ((needs_event && !event) ||
        (cursor = take_hex(cursor, &address)) == NULL)
        return NULL;
    cursor = take_site(margay_skip_blanks(cursor), &site, &kind);
    if (cursor == NULL)
        return NULL;
    size_t i = references->count;
    references->numbers[i] = address;
    references->kinds[i] = kind;
    if (references->sites != NULL)
        references->sites[i] = site;
    references->count += address != 0;
    return cursor;
}

PARSER(parse_perf)
{
    return parse_sample(cursor, references, false, expected);
}

/* Two numbers alone are no sign of perf. */
PARSER(parse_certain_perf)
{
    return parse_sample(cursor, references, true, expected);
}

DECODER(decode_perf, parse_perf, .comment = "#", .rest_ignored = true)
DECODER(recognise_perf, parse_certain_perf, .comment = "#",
        .rest_ignored = true)

const struct margay_format margay_format_perf_script = {
    .info = {MARGAY_BYTE_ADDRESSES, .name = "perf-script",
             .description = "perf script of memory samples, with addr and ip",
             .suffixes = "perf perf-script",
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_SITES,
             .kinds = MARGAY_ALL_KINDS, .sampled = true},
    .decode = decode_perf,
    .recognise = recognise_perf,
};

/* ------------------------------------------------------------------ id -- */

/* 0xADDR I|D, instruction fetches and data references. */
PARSER(parse_id)
{
    size_t i = references->count++;
    cursor = scan_prefixed(cursor, &references->numbers[i], expected);
    if (cursor == NULL)
        return NULL;
    *expected = "a blank and I or D after the address";
    if (!margay_is_blank(*cursor))
        return NULL;
    cursor = margay_skip_blanks(cursor);
    if (*cursor != 'I' && *cursor != 'D')
        return NULL;
    references->kinds[i] = *cursor == 'I' ? MARGAY_FETCH : MARGAY_READ;
    return cursor + 1;
}

DECODER(decode_id, parse_id, .comment = NULL)

/* D stands for reads and writes. */
ENCODER(encode_id, .before_bytes = 2, .after_bytes = 3,
        .before = {"0x", "0x", "0x"}, .digits = 1,
        .after = {" D\n", " D\n", " I\n"})

const struct margay_format margay_format_id = {
    .info = {MARGAY_BYTE_ADDRESSES, .name = "id",
             .description = "0xADDR I|D, an instruction fetch or data",
             .suffixes = "id", .writable = true, .columns = MARGAY_COLUMN_KINDS,
             .kinds =
                 MARGAY_KIND_BIT(MARGAY_READ) | MARGAY_KIND_BIT(MARGAY_FETCH)},
    DECODED_BY(decode_id),
    .encode = encode_id,
};

/* ------------------------------------------------------------------ ls -- */

/* l|s 0xADDR N, the SPEC traces of architecture courses. */
PARSER(parse_ls)
{
    bool store = *cursor == 's';
    if ((!store && *cursor != 'l') || !margay_is_blank(cursor[1])) {
        *expected = "l or s, an address and a number";
        return NULL;
    }
    cursor = margay_skip_blanks(cursor + 2);
    size_t i = references->count++;
    references->kinds[i] = store ? MARGAY_WRITE : MARGAY_READ;
    cursor = scan_prefixed(cursor, &references->numbers[i], expected);
    if (cursor == NULL)
        return NULL;
    /* The number counts the instructions since the last reference. */
    uint64_t ignored;
    *expected = "a blank and a decimal number after the address";
    if (!margay_is_blank(*cursor))
        return NULL;
    return margay_scan_decimal(margay_skip_blanks(cursor), &ignored);
}

DECODER(decode_ls, parse_ls, .comment = NULL)

/* The format has no fetches; they are written as loads. */
ENCODER(encode_ls, .before_bytes = 4, .after_bytes = 3,
        .before = {"l 0x", "s 0x", "l 0x"}, .digits = 1,
        .after = {" 0\n", " 0\n", " 0\n"})

const struct margay_format margay_format_ls = {
    .info = {MARGAY_BYTE_ADDRESSES, .name = "ls",
             .description = "l|s 0xADDR N, loads and stores of course traces",
             .suffixes = "ls", .writable = true, .columns = MARGAY_COLUMN_KINDS,
             .kinds = MARGAY_READS_AND_WRITES},
    DECODED_BY(decode_ls),
    .encode = encode_ls,
};

/* ----------------------------------------------------------- ramulator -- */

/* LD|ST ADDR, the input of the frontend LoadStoreTrace of Ramulator 2:
   hexadecimal after 0x, and decimal without. */
PARSER(parse_ramulator)
{
    bool store = cursor[0] == 'S' && cursor[1] == 'T';
    size_t i = references->count++;
    uint64_t *number = &references->numbers[i];
    *expected = "LD or ST, a blank and an address";
    if ((!store && (cursor[0] != 'L' || cursor[1] != 'D')) ||
        !margay_is_blank(cursor[2]))
        return NULL;
    references->kinds[i] = store ? MARGAY_WRITE : MARGAY_READ;
    cursor = margay_skip_blanks(cursor + 3);
    return margay_has_hex_prefix(cursor) ? margay_scan_hex(cursor + 2, number)
                                         : margay_scan_decimal(cursor, number);
}

DECODER(decode_ramulator, parse_ramulator, .comment = NULL)

/* The format has no fetches; they are written as loads. */
ENCODER(encode_ramulator, .before_bytes = 5,
        .before = {"LD 0x", "ST 0x", "LD 0x"}, .digits = 1)

const struct margay_format margay_format_ramulator = {
    .info = {MARGAY_BYTE_ADDRESSES, .name = "ramulator",
             .description = "LD|ST 0xADDR, loads and stores of Ramulator 2",
             .suffixes = "ramulator", .writable = true,
             .columns = MARGAY_COLUMN_KINDS, .kinds = MARGAY_READS_AND_WRITES},
    DECODED_BY(decode_ramulator),
    .encode = encode_ramulator,
};

/* ----------------------------------------------------------------- hex -- */

/* One hexadecimal address per line. */
PARSER(parse_hex)
{
    *expected = EXPECTS_ADDRESS;
    return margay_scan_address(cursor,
                               &references->numbers[references->count++]);
}

/* Digits without 0x could be decimal ids. */
PARSER(parse_prefixed)
{
    return scan_prefixed(cursor, &references->numbers[references->count++],
                         expected);
}

DECODER(decode_hex, parse_hex, .comment = NULL)
DECODER(recognise_hex, parse_prefixed, .comment = NULL)

ENCODER(encode_hex, .before_bytes = 2, .before = {"0x", "0x", "0x"},
        .digits = 1)

const struct margay_format margay_format_hex = {
    .info = {MARGAY_BYTE_ADDRESSES, .name = "hex",
             .description = "one 0xADDR per line", .suffixes = "hex",
             .writable = true},
    .decode = decode_hex,
    .recognise = recognise_hex,
    .encode = encode_hex,
};

/* --------------------------------------------------------------- lines -- */

/* One decimal block id per line, the traces of the LIRS authors. */
PARSER(parse_lines)
{
    *expected = "a decimal number of at most 64 bits";
    return margay_scan_decimal(cursor,
                               &references->numbers[references->count++]);
}

DECODER(decode_decimal, parse_lines, .comment = "*")

size_t margay_encode_decimal(char *record, uint64_t number,
                             enum margay_kind kind, uint32_t extent)
{
    static const struct record_text text = {.digits = 0};
    return encode_text(record, number, kind, extent, &text);
}

const struct margay_format margay_format_lines = {
    .info = {.name = "lines",
             .description = "one decimal block id per line (LIRS)",
             .suffixes = "lines trc",
             .numbers = MARGAY_IDS,
             .writable = true},
    DECODED_BY(decode_decimal),
    .encode = margay_encode_decimal,
};

/* ----------------------------------------------------------------- arc -- */

/* START COUNT IGNORED SEQUENCE, the traces of the ARC paper.  A record asks for
   COUNT blocks of 512 bytes from START on: it is one reference with an extent,
   which is split into its blocks. */
PARSER(parse_arc)
{
    size_t i = references->count++;
    uint64_t fields[4]; /* START, COUNT, and two ignored numbers */
    *expected = "four decimal numbers: START COUNT IGNORED SEQUENCE";
    for (unsigned k = 0; k < 4; k++) {
        if (k > 0 && !margay_is_blank(*cursor))
            return NULL;
        if (k > 0)
            cursor = margay_skip_blanks(cursor);
        cursor = margay_scan_decimal(cursor, &fields[k]);
        if (cursor == NULL)
            return NULL;
    }
    if (fields[1] > UINT32_MAX) {
        *expected = "a count of at most 4294967295 blocks";
        return NULL;
    }
    if (margay_extent_passes(fields[0], fields[1])) {
        *expected = "START + COUNT within 64 bits";
        return NULL;
    }
    references->numbers[i] = fields[0];
    references->extents[i] = (uint32_t)fields[1];
    return cursor;
}

DECODER(decode_arc, parse_arc, .comment = NULL)

ENCODER(encode_arc, .after_bytes = 5, .between = ' ', .extent_base = 10,
        .after = {" 0 0\n", " 0 0\n", " 0 0\n"})

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
    DECODED_BY(decode_arc),
    .encode = encode_arc,
};
