/* test_formats.c - each format: what it reads, refuses and writes */
#define _GNU_SOURCE
#include "tests/chance.h"
#include "tests/traces/read_all.h"
#include "traces/formats/format.h"

/* A text and the references that it is read as. */
static const struct good {
    const char *format, *what, *text, *references;
} goods[] = {
    {"din", "labels", "0 10\n1 20\n2 3f\n", "r10 w20 f3f"},
    {"din", "0x and upper case", "0 0x10\n1 0XaB\n", "r10 wab"},
    {"din", "further fields", "0 10 4 x y\n1 20\t8\n", "r10 w20"},
    {"din", "no last newline", "0 10\n1 20", "r10 w20"},
    {"din", "further fields, no last newline", "0 10 4", "r10"},
    {"din", "CRLF", "0 10\r\n1 20 4\r\n", "r10 w20"},
    {"din", "blanks and empty lines", "\n  0\t10  \n\n \t\n1   20\n\n",
     "r10 w20"},
    {"din", "the ends of the range", "0 0\n0 ffffffffffffffff\n",
     "r0 rffffffffffffffff"},
    {"din", "leading zeros", "0 00000000000000000000000000000010\n", "r10"},
    {"lackey", "all operations",
     "I  0400d7d4,8\n L 1ffeffe7e,4\n S 1ffeffe80,2\n M 0421c7cc,4\n",
     "f400d7d4+8 r1ffeffe7e+4 w1ffeffe80+2 r421c7cc+4 w421c7cc+4"},
    {"lackey", "valgrind's own lines",
     "==12== Lackey\n==12== \n\n L 10,1\n==12==\nI  20,3\n==12== end",
     "r10 f20+3"},
    {"lackey", "other spacing", "L 10,1\n  S\t 20,2 \nI 30,16\nI\t40,1\n",
     "r10 w20+2 f30+16 f40"},
    {"lackey", "CRLF", " L 10,4 \r\n S 18,4\r\n", "r10+4 w18+4"},
    {"lackey", "sizes", " L 1,1\n L 2,9\n L 3,10\n L 4,064\n L 5,4294967295\n",
     "r1 r2+9 r3+10 r4+64 r5+4294967295"},
    {"ls", "loads and stores", "s 0x1fffff50 1\nl 0x1fffff58 12\n",
     "w1fffff50 r1fffff58"},
    {"ls", "blanks, CRLF, no last newline", " s  0xA\t1 \r\nl 0xb 0", "wa rb"},
    {"id", "instructions and data", "0x77ad0 I\n0xff D\n", "f77ad0 rff"},
    {"id", "blanks, CRLF, no last newline", " 0x1\tI \r\n0x2 D", "f1 r2"},
    {"hex", "addresses", "0x7fffc923c998\n0X1\n", "r7fffc923c998 r1"},
    {"hex", "bare digits", "ff\n10\n7fffc923c998", "rff r10 r7fffc923c998"},
    {"hex", "blanks and CRLF", " 0x1 \r\n\r\n\t0x2\r\n", "r1 r2"},
    {"lines", "decimal numbers", "0\n10\n18446744073709551615\n",
     "r0 ra rffffffffffffffff"},
    {"lines", "asterisks and empty lines", "1\n*\n\n* 2\n3\n*", "r1 r3"},
    {"lines", "blanks, CRLF, no last newline", " 1 \r\n2\r\n\t3", "r1 r2 r3"},
    {"csv", "numbers", "0\n10\n18446744073709551615\n",
     "r0 ra rffffffffffffffff"},
    {"csv", "a header", "id\n1\n2\n", "r1 r2"},
    {"csv", "text keys, no header", "a\nb\na",
     "raf63dc4c8601ec8c "
     "raf63df4c8601f1a5 raf63dc4c8601ec8c"},
    {"csv", "a key and a number", "1\na\n", "r1 raf63dc4c8601ec8c"},
    {"csv", "one row", "7", "r7"},
    {"csv", "one row of text", "a", "raf63dc4c8601ec8c"},
    {"csv", "over 64 bits is a key", "1\n18446744073709551616\n",
     "r1 redf2aa6b38fc416d"},
    {"csv", "blanks, CRLF, empty lines", "id\r\n\r\n 1 \r\n\n2", "r1 r2"},
    {"csv", "carriage returns", "id\r1\r2\r\n3\r4", "r1 r2 r3 r4"},
    {"csv", "a byte order mark", "\xef\xbb\xbfid\n1\n", "r1"},
    {"csv", "quotes", "\"id\"\n\"1\"\n\"a\"\n", "r1 raf63dc4c8601ec8c"},
    {"csv", "a key with a newline", "1\n\"\n\"\n", "r1 raf63c74c8601c8dd"},
    {"arc", "records", "1 1 0 0\n100 8 50 7\n", "r1 r64+8"},
    {"arc", "blanks, CRLF, no last newline", " 1  2\t0 0 \r\n5 1 0 1",
     "r1+2 r5"},
    {"arc", "the top of the range, and nothing",
     "18446744073709551615 1 0 0\n18446744073709551611 5 0 0\n7 0 0 0\n",
     "rffffffffffffffff rfffffffffffffffb+5 r7+0"},
};

static void test_good_texts(void)
{
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        const struct good *good = &goods[i];
        char shown[512];
        struct whole_trace whole = read_text("good", good->format, good->text);
        CHECK_U64(whole.status, MARGAY_OK, "%s, %s: read", good->format,
                  good->what);
        CHECK_TEXT(show_trace(&whole, shown, sizeof shown), good->references,
                   "%s, %s: as it should be", good->format, good->what);
        drop_trace(&whole);
    }
}

/* A text, the line that is wrong, and what is found and expected there. */
static const struct bad {
    const char *format, *text;
    const char *place, *found, *expected;
} bads[] = {
    {"din", "0 10\n3 20\n", ":2:", "'3 20'", "a label (0 read"},
    {"din", "0 10\n\n9 20\n", ":3:", "'9 20'", "a label (0 read"},
    {"din", "0 1g\n", ":1:", "'0 1g'", "a blank or the end of the line"},
    {"din", "0 xyz\n", ":1:", "'0 xyz'", "a hexadecimal address"},
    {"din", "0\n", ":1:", "'0'", "a label (0 read"},
    {"din", "0 ", ":1:", "'0 '", "a hexadecimal address"},
    {"din", "0 \n10\n", ":1:", "'0 '", "a hexadecimal address"},
    {"din", "0 0x\n", ":1:", "'0 0x'", "a hexadecimal address"},
    {"din", "0 10\n1 10000000000000000\n", ":2:", "'1 10000000000000000'",
     "at most 64 bits"},
    {"din", "0 -1\n", ":1:", "'0 -1'", "a hexadecimal address"},
    {"din", "00 1\n", ":1:", "'00 1'", "a label (0 read"},
    {"lackey", " L 10,1\n L 10\n", ":2:", "'L 10'", "a comma and a size"},
    {"lackey", " L 10,\n", ":1:", "'L 10,'", "a comma and a size of 1"},
    {"lackey", " L 10,0\n", ":1:", "'L 10,0'", "a comma and a size of 1"},
    {"lackey", " L 10,4294967296\n", ":1:", "'L 10,4294967296'",
     "a size of 1 to 4294967295"},
    {"lackey", " L 10,4x\n", ":1:", "' L 10,4x'", "the end of the line"},
    {"lackey", " L ,4\n", ":1:", "'L ,4'", "a hexadecimal address"},
    {"lackey", " X 10,4\n", ":1:", "'X 10,4'", "I, L, S or M"},
    {"lackey", "LL 10,4\n", ":1:", "'LL 10,4'", "I, L, S or M"},
    {"lackey", " L\n", ":1:", "'L'", "I, L, S or M"},
    {"lackey", "=12= x\n", ":1:", "'=12= x'", "I, L, S or M"},
    {"ls", "l 0x10\n", ":1:", "'l 0x10'", "a decimal number after"},
    {"ls", "l 10 1\n", ":1:", "'l 10 1'", "begins with 0x"},
    {"ls", "m 0x10 1\n", ":1:", "'m 0x10 1'", "l or s"},
    {"ls", "l 0x10 x\n", ":1:", "'l 0x10 x'", "a decimal number after"},
    {"ls", "l 0x10 1 2\n", ":1:", "'l 0x10 1 2'", "the end of the line"},
    {"id", "0x10 X\n", ":1:", "'0x10 X'", "I or D"},
    {"id", "0x10\n", ":1:", "'0x10'", "I or D"},
    {"id", "0x10 IX\n", ":1:", "'0x10 IX'", "the end of the line"},
    {"id", "10 I\n", ":1:", "'10 I'", "begins with 0x"},
    {"hex", "0x10 1\n", ":1:", "'0x10 1'", "the end of the line"},
    {"hex", "0x\n", ":1:", "'0x'", "a hexadecimal address"},
    {"hex", "0x1ffffffffffffffff\n", ":1:", "'0x1ffffffffffffffff'",
     "at most 64 bits"},
    {"lines", "1\n2\nx\n", ":3:", "'x'", "a decimal number"},
    {"lines", "1\r\n2 3\r\n", ":2:", "'2 3'", "the end of the line"},
    {"lines", "18446744073709551616\n", ":1:", "'18446744073709551616'",
     "at most 64 bits"},
    {"lines", "-1\n", ":1:", "'-1'", "a decimal number"},
    {"csv", "1\n\"2\n3\n", ":3:", "the end", "begins in line 2 to be closed"},
    {"csv", "1\n2\"3\n", ":2:", "'2\"3'", "quotes around a whole field"},
    {"csv", "id\n1,2\n,3\n", ":3:", "',3'", "an id in column 1"},
    {"csv", "7,8\n", ":1:", "'7,8'", "--column NAME or N to choose one"},
    {"csv", "a,b\n1,2\n", ":1:", "'a,b'", "of the columns a, b"},
    {"arc", "1 1 0\n", ":1:", "'1 1 0'", "four decimal numbers"},
    {"arc", "1 1 0 0 0\n", ":1:", "'1 1 0 0 0'", "the end of the line"},
    {"arc", "1 4294967296 0 0\n", ":1:", "'1 4294967296 0 0'", "a count of"},
    {"arc", "18446744073709551615 2 0 0\n",
     ":1:", "'18446744073709551615 2 0 0'", "within 64 bits"},
    {"lackey", " L fffffffffffffffe,2\n S fffffffffffffffe,3\n",
     ":2:", "'S fffffffffffffffe,3'", "ends within 64 bits"},
    {"xdin", "r fffffffffffffffe 2\nr ffffffffffffffff 2\n",
     ":2:", "'r ffffffffffffffff 2'", "ends within 64 bits"},
    {"hex", "0x1\n\x01\x7f\xff\n", ":2:", "'\?\?\?'", "a hexadecimal address"},
    {"lines",
     "1\nxaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
     ":2:", "'xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'",
     "a decimal number"},
};

static void check_failure(const struct whole_trace *whole,
                          const struct bad *bad)
{
    const char *message = whole->error.message;
    bool right = whole->status == MARGAY_BAD_INPUT &&
                 strstr(message, bad->place) != NULL &&
                 strstr(message, bad->found) != NULL &&
                 strstr(message, bad->expected) != NULL &&
                 strchr(message, '\n') == NULL;
    CHECK(right, "%s refuses line %s %s, expects %s", bad->format, bad->place,
          bad->found, bad->expected);
    if (!right)
        printf("#   status %d, %s\n", whole->status, message);
}

static void test_bad_texts(void)
{
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        struct whole_trace whole =
            read_text("bad", bads[i].format, bads[i].text);
        check_failure(&whole, &bads[i]);
        drop_trace(&whole);
    }
}

static void test_odd_lines(void)
{
    static const struct bad nul = {"din", "", ":1:", "'0 10 ?x'",
                                   "without NUL"};
    struct whole_trace whole = read_bytes("nul", "din", "0 10 \0x\n", 8);
    check_failure(&whole, &nul);
    drop_trace(&whole);
    static const struct bad nul_comment = {"lackey", "", ":1:", "'==1?=='",
                                           "without NUL"};
    whole = read_bytes("nul", "lackey", "==1\0==\n", 7);
    check_failure(&whole, &nul_comment);
    drop_trace(&whole);
}

/* `begin`, `count` times `filler`, and `end`. */
static char *make_long(const char *begin, char filler, size_t count,
                       const char *end)
{
    size_t before = strlen(begin), behind = strlen(end);
    char *text = malloc(before + count + behind + 1);
    memcpy(text, begin, before);
    memset(text + before, filler, count);
    memcpy(text + before + count, end, behind + 1);
    return text;
}

static void check_length(const char *what, const char *begin, char filler,
                         size_t count, bool fits)
{
    char *text = make_long(begin, filler, count, "\n0 30\n");
    struct whole_trace whole = read_text("long", "din", text);
    CHECK_U64(whole.status, fits ? MARGAY_OK : MARGAY_BAD_INPUT,
              "%s of %zu bytes %s", what, count, fits ? "fits" : "is refused");
    if (!fits)
        CHECK(strstr(whole.error.message, ":2:") != NULL, "in line 2: %s",
              whole.error.message);
    drop_trace(&whole);
    free(text);
}

static void test_long_lines(void)
{
    check_length("a rest", "0 10\n0 20 ", 'x', 65536 - 5, true);
    check_length("a rest", "0 10\n0 20 ", 'x', 65537 - 5, false);
    check_length("a rest", "0 10\n0 20 ", 'x', 1000000, false);
    check_length("a run of blanks", "0 10\n", ' ', 65536, true);
    check_length("a run of blanks", "0 10\n", ' ', 65537, false);
    check_length("a run of digits", "0 10\n0 ", '0', 200, true);
    check_length("a run of digits", "0 10\n0 ", '0', 65000, false);
    check_length("a run of digits", "0 10\n0 ", '0', 300000, false);
}

static void test_packed(void)
{
    static const unsigned char bytes[] = {
        1, 2, 3, 4, 5, 6, 7, 8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const struct {
        const char *format, *references;
    } expected[] = {
        {"u32", "r4030201 r8070605 rffffffff rffffffff"},
        {"u32be", "r1020304 r5060708 rffffffff rffffffff"},
        {"u64", "r807060504030201 rffffffffffffffff"},
        {"u64be", "r102030405060708 rffffffffffffffff"},
    };
    for (size_t i = 0; i < 4; i++) {
        char shown[256];
        const char *format = expected[i].format;
        size_t record = format[1] == '3' ? 4 : 8;
        struct whole_trace whole =
            read_bytes("packed", format, bytes, sizeof bytes);
        CHECK_TEXT(show_trace(&whole, shown, sizeof shown),
                   expected[i].references, "%s", format);
        drop_trace(&whole);
        whole = read_bytes("packed", format, bytes, sizeof bytes - 3);
        char place[64];
        snprintf(place, sizeof place, ": byte %zu: found half a record of %zu",
                 16 - record, record - 3);
        CHECK(whole.status == MARGAY_BAD_INPUT &&
                  strstr(whole.error.message, place) != NULL,
              "%s: half a record: %s", format, whole.error.message);
        CHECK_U64(whole.count, 16 / record - 1, "the whole ones were read");
        drop_trace(&whole);
    }
}

/* ---------------------------------------------------------- round trips -- */

#define ROUND_TRIP 40000 /* several batches and buffers */

/* The kind and the extent that a format keeps. */
static uint8_t kept_kind(const char *format, uint8_t kind)
{
    if (strcmp(format, "din") == 0 || strcmp(format, "lackey") == 0 ||
        strcmp(format, "xdin") == 0)
        return kind;
    if (strcmp(format, "ls") == 0 || strcmp(format, "vscsi") == 0)
        return kind == MARGAY_WRITE ? MARGAY_WRITE : MARGAY_READ;
    if (strcmp(format, "id") == 0)
        return kind == MARGAY_FETCH ? MARGAY_FETCH : MARGAY_READ;
    return MARGAY_READ;
}

static bool keeps_extents(const char *format)
{
    const struct margay_format *row;
    return margay_format_find(format, false, &row, NULL) == MARGAY_OK &&
           (row->info.columns & MARGAY_COLUMN_EXTENTS) != 0;
}

static void make_references(struct whole_trace *asked, const char *format)
{
    seed_chance(3);
    bool narrow = strncmp(format, "u32", 3) == 0;
    for (size_t i = 0; i < ROUND_TRIP; i++) {
        uint64_t number = any_u64() >> i % 64;
        number = i == 0 ? 0 : i == 1 ? UINT64_MAX : number;
        uint32_t extent = (uint32_t)(any_u64() >> (32 + i % 32)) | 1;
        if (strcmp(format, "vscsi") == 0)
            extent = extent % 8388607 + 1; /* lengths of 32 bits in bytes */
        if (narrow)
            number &= UINT32_MAX;
        /* arc refuses extents beyond 64 bits. */
        if (!keeps_extents(format) || number + (extent - 1) < number)
            extent = 1;
        asked->numbers[i] = number;
        asked->kinds[i] = (uint8_t)below(MARGAY_KINDS);
        asked->extents[i] = extent;
    }
}

static size_t encode_references(const struct margay_format_info *format,
                                struct whole_trace *asked, char *bytes)
{
    size_t used = 0;
    for (size_t i = 0; i < asked->count; i++) {
        size_t length = 0;
        struct margay_error error;
        if (margay_format_encode(format, asked->numbers[i], asked->kinds[i],
                                 asked->extents[i], bytes + used, &length,
                                 &error) != MARGAY_OK ||
            length > MARGAY_RECORD_BYTES)
            return 0;
        used += length;
        asked->kinds[i] = kept_kind(format->name, asked->kinds[i]);
    }
    return used;
}

static void test_round_trip(const struct margay_format_info *format)
{
    struct whole_trace asked = {
        .count = ROUND_TRIP,
        .numbers = calloc(ROUND_TRIP, sizeof(uint64_t)),
        .kinds = calloc(ROUND_TRIP, sizeof(uint8_t)),
        .extents = calloc(ROUND_TRIP, sizeof(uint32_t)),
    };
    char *bytes = malloc(ROUND_TRIP * MARGAY_RECORD_BYTES);
    make_references(&asked, format->name);
    size_t length = encode_references(format, &asked, bytes);
    struct whole_trace got = read_bytes("trip", format->name, bytes, length);
    CHECK_U64(got.status, MARGAY_OK, "%s reads what it wrote", format->name);
    CHECK(same_trace(&asked, &got), "%s: %zu references, the same",
          format->name, got.count);
    drop_trace(&got);
    drop_trace(&asked);
    free(bytes);
}

/* Others are written in blocks, or take more than a number, and have tests of
   their own. */
static bool has_records(const struct margay_format_info *format)
{
    char record[MARGAY_RECORD_BYTES];
    size_t length;
    return margay_format_encode(format, 1, MARGAY_READ, 1, record, &length,
                                NULL) == MARGAY_OK;
}

static void test_encode_refuses(void)
{
    char record[MARGAY_RECORD_BYTES];
    size_t length;
    struct margay_error error;
    for (size_t i = 0; i < margay_format_count(); i++) {
        const struct margay_format_info *format = margay_format_at(i);
        bool refused =
            strncmp(format->name, "u32", 3) == 0 || !has_records(format);
        CHECK_U64(margay_format_encode(format, UINT64_C(1) << 32, MARGAY_READ,
                                       1, record, &length, &error),
                  refused ? MARGAY_BAD_ARGUMENT : MARGAY_OK,
                  "%s and a number of 33 bits", format->name);
    }
    struct margay_format_info unknown = {.name = "unknown"};
    CHECK_U64(margay_format_encode(&unknown, 0, MARGAY_READ, 1, record, &length,
                                   &error),
              MARGAY_BAD_ARGUMENT, "a format that is not in the table");
    CHECK(margay_format_at(margay_format_count()) == NULL,
          "there is nothing behind the table");
}

int main(void)
{
    test_good_texts();
    test_bad_texts();
    test_odd_lines();
    test_long_lines();
    test_packed();
    for (size_t i = 0; i < margay_format_count(); i++) {
        if (has_records(margay_format_at(i)))
            test_round_trip(margay_format_at(i));
    }
    test_encode_refuses();
    return tap_done();
}
