/* test_formats.c - odd lines, packed numbers, and writing */
#define _GNU_SOURCE
#include "tests/chance.h"
#include "tests/traces/read_all.h"
#include "traces/formats/format.h"

static void test_odd_lines(void)
{
    CHECK(strstr(show_bytes("nul.din", NULL, "0 10 \0x\n", 8),
                 ":1: found '0 10 ?x', expected text without NUL") != NULL,
          "a NUL in a line");
    CHECK(strstr(show_bytes("nul.lackey", NULL, "==1\0==\n", 7),
                 ":1: found '==1?==', expected text without NUL") != NULL,
          "and in a comment");
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

/* As a whole, and without the last three bytes. */
static void test_packed(void)
{
    static const unsigned char bytes[] = {
        1, 2, 3, 4, 5, 6, 7, 8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const struct {
        const char *format, *whole, *cut;
    } expected[] = {
        {"u32", "4030201 8070605 ffffffff ffffffff",
         "4030201 8070605 ffffffff : byte 12: found half a record of 1 "},
        {"u32be", "1020304 5060708 ffffffff ffffffff",
         "1020304 5060708 ffffffff : byte 12: found half a record of 1 "},
        {"u64", "807060504030201 ffffffffffffffff",
         "807060504030201 : byte 8: found half a record of 5 "},
        {"u64be", "102030405060708 ffffffffffffffff",
         "102030405060708 : byte 8: found half a record of 5 "},
    };
    for (size_t i = 0; i < 4; i++) {
        struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
        options.format = expected[i].format;
        CHECK_TEXT(show_bytes("packed", &options, bytes, sizeof bytes),
                   expected[i].whole, "%s", options.format);
        const char *shown =
            show_bytes("packed", &options, bytes, sizeof bytes - 3);
        CHECK(strncmp(shown, expected[i].cut, strlen(expected[i].cut)) == 0,
              "%s: half a record: %s", options.format, shown);
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
    if (strcmp(format, "ls") == 0 || strcmp(format, "vscsi") == 0 ||
        strcmp(format, "ramulator") == 0)
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
