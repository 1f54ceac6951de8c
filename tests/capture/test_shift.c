/*
 * test_shift.c - addresses of recorded words, given as ids of blocks
 *
 * The blocks are compared with the addresses of the same trace, divided here.
 */
#define _GNU_SOURCE
#include "tests/chance.h"
#include "tests/traces/read_all.h"
#include "traces/capture/stream.h"
#include "traces/formats/reading.h"

#define PARTS      40
#define PART_WORDS 8192

static const unsigned shifts[] = {0, 1, 3, 6, 12, 47, 48, 63};
#define SHIFTS (sizeof shifts / sizeof shifts[0])

static uint64_t file[2 + PARTS * (1 + PART_WORDS)];

/* A reference, often one that covers the end of a block, in any slot. */
static uint64_t make_word(void)
{
    uint64_t address = below(UINT64_C(1) << 48);
    uint64_t slot = below(256);
    unsigned kind = (unsigned)below(3);
    unsigned bytes = (unsigned)below(64) + 1;
    if (one_in(2))
        address = (address & ~UINT64_C(4095)) - 1;
    return margay_word(address, kind, bytes) | slot << MARGAY_SLOT_SHIFT;
}

/* A word that is no reference. */
static uint64_t make_odd_word(void)
{
    switch (below(3)) {
    case 0:
        return margay_control_word(MARGAY_CONTROL_SITE, below(1 << 30));
    case 1:
        return margay_control_word(MARGAY_CONTROL_ABOVE, below(1 << 16));
    default:
        return 0;
    }
}

/* Chunks with many words that are no references, with few, and with none but
   the first, which gives the upper bits of the addresses. */
static size_t make_file(void)
{
    static const char magic[8] = "mgwords\2";
    size_t at = 2;
    seed_chance(11);
    memcpy(file, magic, sizeof magic);
    file[1] = UINT64_C(1) << 32;
    for (unsigned part = 0; part < PARTS; part++) {
        uint64_t words = below(PART_WORDS) + 1;
        uint64_t rarely = part % 3 == 0 ? 5 : part % 3 == 1 ? 500 : UINT64_MAX;
        file[at++] = words | (uint64_t)part << 32;
        for (uint64_t i = 0; i < words; i++)
            file[at++] = one_in(rarely) ? make_odd_word() : make_word();
        if (part % 2 == 0)
            file[at - words] =
                margay_control_word(MARGAY_CONTROL_ABOVE, 0xfff0 + part);
    }
    return at * sizeof file[0];
}

static margay_trace *open_file(const char *path,
                               const struct margay_trace_options *options,
                               const struct margay_reading *reading)
{
    margay_trace *trace;
    struct margay_error error;
    if (margay_trace_open_for(path, options, reading, &trace, &error) !=
            MARGAY_OK ||
        margay_trace_ready(trace, -1, &error) != MARGAY_OK) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    return trace;
}

/* Read in this way, and with each size of blocks asked for as well. */
static void check_options(const char *path, const char *name,
                          const struct margay_trace_options *options,
                          struct margay_reading reading)
{
    struct whole_trace plain = read_open(open_file(path, options, &reading));
    CHECK(plain.status == MARGAY_OK && plain.count > 1000,
          "%s: there is something to be read", name);
    for (size_t i = 0; i < SHIFTS; i++) {
        reading.block_bytes = UINT64_C(1) << shifts[i];
        margay_trace *trace = open_file(path, options, &reading);
        unsigned shift = margay_trace_shift(trace);
        bool addresses = margay_trace_numbers(trace) == MARGAY_ADDRESSES &&
                         margay_trace_unit_bytes(trace) == 1;
        struct whole_trace got = read_open(trace);
        bool same = got.count == plain.count && got.warmup == plain.warmup;
        for (size_t k = 0; same && k < got.count; k++)
            same = got.numbers[k] == plain.numbers[k] >> shifts[i] &&
                   got.kinds[k] == plain.kinds[k];
        CHECK_U64(shift, shifts[i], "%s: shifted, it says", name);
        CHECK(addresses, "%s: the trace is one of addresses", name);
        CHECK(same, "%s: blocks of 2^%u bytes", name, shifts[i]);
        drop_trace(&got);
    }
    drop_trace(&plain);
}

static void test_options(const char *path)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    struct margay_reading reading = {.numbers_only = true};
    check_options(path, "each reference", &options, reading);
    options.kinds = MARGAY_KIND_BIT(MARGAY_WRITE);
    check_options(path, "writes", &options, reading);
    options.kinds = MARGAY_ALL_KINDS;
    options.skip_refs = 12345;
    options.limit_refs = 234567;
    options.warmup_refs = 3456;
    check_options(path, "references, in part", &options, reading);
}

/* A caller that may look at more than numbers gets addresses, and ids stay
   ids. */
static void test_not_asked(const char *path)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    struct margay_reading reading = {.block_bytes = 0};
    struct whole_trace plain = read_open(open_file(path, &options, &reading));
    reading.block_bytes = 64;
    for (int ids = 0; ids < 2; ids++) {
        options.ids = reading.numbers_only = ids == 1;
        margay_trace *trace = open_file(path, &options, &reading);
        CHECK_U64(margay_trace_shift(trace), 0, "not shifted, it says");
        struct whole_trace got = read_open(trace);
        CHECK(got.count == plain.count &&
                  memcmp(got.numbers, plain.numbers, got.count * 8) == 0,
              "%s as they are", ids ? "ids" : "addresses");
        drop_trace(&got);
    }
    drop_trace(&plain);
    margay_trace *trace;
    reading.block_bytes = 48;
    CHECK_U64(margay_trace_open_for(path, &options, &reading, &trace, NULL),
              MARGAY_BAD_ARGUMENT, "a block of 48 bytes");
}

/* A format that does not shift says so. */
static void test_others(void)
{
    char path[TEST_PATH_BYTES];
    const struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    const struct margay_reading reading = {.numbers_only = true,
                                           .block_bytes = 64};
    static const char text[] = "0x1040\n0xfffffffffffffff8\n";
    write_file(make_path(path, "x.hex"), text, sizeof text - 1);
    margay_trace *trace = open_file(path, &options, &reading);
    unsigned shift = margay_trace_shift(trace);
    struct whole_trace got = read_open(trace);
    CHECK(got.count == 2 && got.numbers[0] == UINT64_C(0x1040) >> shift &&
              got.numbers[1] == UINT64_C(0xfffffffffffffff8) >> shift,
          "shifted or not, as it says");
    drop_trace(&got);
    unlink(path);
}

/* The block of the first byte alone, of all that a reference covers. */
static void test_known(void)
{
    const uint64_t words[] = {
        0,
        0,
        7,
        margay_word(0x103c, MARGAY_READ, 8),
        margay_word(0x1040, MARGAY_WRITE, 8),
        margay_control_word(MARGAY_CONTROL_ABOVE, 0xffff),
        margay_word(0xffffffffffff, MARGAY_READ, 64),
        margay_word(0xffffffffffc0, MARGAY_FETCH, 1),
        margay_control_word(MARGAY_CONTROL_ABOVE, 0),
        margay_word(0xffffffffffff, MARGAY_READ, 2),
    };
    char path[TEST_PATH_BYTES], text[256];
    const struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    const struct margay_reading reading = {.numbers_only = true,
                                           .block_bytes = 64};
    memcpy(file, words, sizeof words);
    memcpy(file, "mgwords\2", 8);
    write_file(make_path(path, "x.words"), file, sizeof words);
    struct whole_trace got = read_open(open_file(path, &options, &reading));
    CHECK_TEXT(show_trace(&got, text, sizeof text),
               "r40 r41 r3ffffffffffffff r3ffffffffffffff r3ffffffffff",
               "known blocks");
    drop_trace(&got);
    unlink(path);
}

int main(void)
{
    char path[TEST_PATH_BYTES];
    size_t bytes = make_file();
    write_file(make_path(path, "x.words"), file, bytes);
    test_options(path);
    test_not_asked(path);
    unlink(path);
    test_others();
    test_known();
    return tap_done();
}
