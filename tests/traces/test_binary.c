/* test_binary.c - binary formats of simulators, in all their versions */
#define _GNU_SOURCE
#include "tests/traces/read_all.h"
#include "traces/formats/format.h"

struct file {
    unsigned char bytes[1 << 20];
    size_t used;
};

static struct file file;

static void put(uint64_t value, unsigned bytes)
{
    margay_put_little(file.bytes + file.used, value, bytes);
    file.used += bytes;
}

/* What is shown begins with, or, where it failed, contains this. */
static void expect(const char *name, const char *format, const char *expected,
                   const char *what)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    options.format = format;
    const char *shown = show_bytes(name, &options, file.bytes, file.used);
    bool fails = strchr(expected, ':') != NULL;
    CHECK(fails ? strstr(shown, expected) != NULL
                : strcmp(shown, expected) == 0,
          "%s: %s, expected %s", what, shown, expected);
}

/* ------------------------------------------------------------ champsim -- */

static void put_champsim(uint64_t site, unsigned branch, unsigned taken,
                         const uint64_t addresses[6])
{
    put(site, 8);
    put(branch, 1);
    put(taken, 1);
    put(0x1234, 6);
    for (unsigned i = 0; i < 6; i++)
        put(addresses[i], 8);
}

static void test_champsim(void)
{
    static const uint64_t none[6] = {0};
    static const uint64_t all[6] = {0x10, 0x18, 0x20, 0x28, 0x30, 0x38};
    file.used = 0;
    put_champsim(0x400, 0, 0, all);
    put_champsim(0x404, 1, 1, none);
    expect("trace.champsimtrace", NULL,
           "f400@400 r20@400 r28@400 r30@400 r38@400 w10@400 w18@400 f404@404",
           "champsim: a fetch, reads, writes");
    file.used--;
    expect("trace", "champsim", ": byte 64: found half a record of 63 bytes",
           "champsim: half a record");
    file.used = 0;
    put_champsim(0x400, 0, 0, all);
    put_champsim(0x404, 2, 0, none);
    expect("trace", "champsim", ": byte 64: found another record",
           "champsim: no branch");
    file.used = 0;
    put_champsim(0x400, 0, 1, none);
    expect("trace", "champsim", "f400@400", "champsim: taken, but no branch");
    file.used = 0;
    for (unsigned i = 0; i < 40; i++)
        put_champsim(0x400 + i, i % 5 == 0, i % 10 == 0, all);
    struct whole_trace whole = read_bytes("trace", NULL, file.bytes, file.used);
    CHECK_TEXT(whole.format, "champsim", "champsim: known by its records");
    CHECK_U64(whole.count, 280, "champsim: seven of each");
    drop_trace(&whole);
}

/* ---------------------------------------------------------- drmemtrace -- */

static void put_entry(unsigned type, unsigned size, uint64_t value)
{
    put(type, 2);
    put(size, 2);
    put(value, 8);
}

/* A thread with each type of record. */
static void put_thread(unsigned number)
{
    put_entry(25, 0, 7);
    put_entry(28, 2, 0x99);
    put_entry(22, 4, number);
    put_entry(24, 4, 70);
    put_entry(47, 3, 0xc3);
    put_entry(10, 3, 0x400);
    put_entry(0, 8, 0x10);
    put_entry(1, 4, 0x18);
    put_entry(17, 3, 0x030201); /* three more */
    put_entry(0, 1, 0x20);
    for (unsigned type = 2; type < 10; type++)
        put_entry(type, 1, 0x30);
    put_entry(29, 2, 0x420);
    put_entry(1, 0, 0x28);
    put_entry(30, 2, 0x420); /* was fetched */
    put_entry(30, 2, 0x422);
    put_entry(48, 2, 0x430);
    put_entry(31, 2, 0x432);
    put_entry(32, 1, 0x30);
    put_entry(46, 1, 0x30);
    put_entry(23, 4, number);
    put_entry(26, 0, 0);
}

/* What it says of the thread that is numbered `n`. */
#define THREAD(n)                                                  \
    "f400+3@400#" n " r10+8@400#" n " w18+4@400#" n " f403@403#" n \
    " f404+2@404#" n " f406+3@406#" n " r20@406#" n " w28@420#" n  \
    " f422+2@422#" n " f430+2@430#" n " f432+2@432#" n

static void test_drmemtrace(void)
{
    file.used = 0;
    put_thread(77);
    expect("trace", NULL, THREAD("0"), "drmemtrace: all types");
    put_thread(1438993);
    put_thread(77);
    expect("trace", NULL, THREAD("0") " " THREAD("1") " " THREAD("0"),
           "drmemtrace: three, joined");
    file.used -= 12;
    expect("trace", NULL, ": found the end, expected a footer",
           "drmemtrace: no footer");
    file.used -= 3;
    expect("trace", NULL, ": found half a record of 9 bytes",
           "drmemtrace: half a record");
    file.used = 0;
    put_entry(25, 0, 1);
    for (unsigned i = 0; i <= 65536; i++)
        put_entry(22, 4, i);
    put_entry(26, 0, 0);
    expect("trace", NULL, ": byte 786444: found another record, expected at",
           "drmemtrace: too many threads");
    file.used = 0;
    put_entry(25, 0, 1);
    put_entry(50, 0, 0);
    expect("trace", NULL, ": byte 12: found another record, expected a type",
           "drmemtrace: no type");
    file.used = 0;
    put_entry(25, 0, 1);
    put_entry(17, 65535, UINT64_MAX);
    put_entry(26, 0, 0);
    struct whole_trace whole = read_bytes("trace", NULL, file.bytes, file.used);
    CHECK(whole.status == MARGAY_OK && whole.count == 8,
          "drmemtrace: a bundle holds no more than eight");
    drop_trace(&whole);
}

/* ---------------------------------------------------------------- gem5 -- */

static void put_varint(uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put(value | 0x80, 1);
    put(value, 1);
}

static void begin_gem5(void)
{
    file.used = 0;
    put(0x356d6567, 4); /* gem5 */
    put_varint(14);
    put(0x0a, 1);
    put_varint(7);
    memcpy(file.bytes + file.used, "monitor", 7);
    file.used += 7;
    put(0x18, 1); /* tick_freq */
    put_varint(1000000000);
    file.bytes[4] = (unsigned char)(file.used - 5);
}

/* Tick, command, address, size, flags and, unless it is 0, pc. */
static void put_packet(uint64_t command, uint64_t address, uint64_t size,
                       uint64_t flags, uint64_t site)
{
    size_t length = file.used++;
    put(1 << 3, 1);
    put_varint(123456);
    put(2 << 3, 1);
    put_varint(command);
    put(3 << 3, 1);
    put_varint(address);
    put(4 << 3, 1);
    put_varint(size);
    put(5 << 3, 1);
    put_varint(flags);
    put_varint(20 << 3 | 1), put(5, 1), put(0, 7); /* unknown fields */
    put(9 << 3 | 5, 1), put(6, 4);
    put(8 << 3 | 2, 1), put(3, 1), put(0x77, 3);
    if (site != 0) {
        put(7 << 3, 1);
        put_varint(site);
    }
    file.bytes[length] = (unsigned char)(file.used - length - 1);
}

static void test_gem5(void)
{
    begin_gem5();
    put_packet(1, 0x1000, 8, 0, 0x400);
    put_packet(4, UINT64_MAX - 3, 4, 0, 0x404);
    put_packet(1, 0x404, 64, 0x100, 0);
    put_packet(2, 0x30, 8, 0, 0);
    put_packet(25, 0x40, 0, 0, 0);
    put_packet(99, 0x50, 0, 0, 0);
    expect("trace", NULL, "r1000+8@400 wfffffffffffffffc+4@404 f404+64@0 r40@0",
           "gem5: commands, sizes and instructions");
    file.used--;
    expect("trace", NULL, ": found half a message, expected a whole one",
           "gem5: a cut message");
    begin_gem5();
    put_packet(1, 0x1000, 8, 0, 0);
    put_packet(4, 0x1008, 8, 0, 0);
    expect("trace", NULL, "r1000+8@0 w1008+8@0", "gem5: no instructions");
    put_packet(1, 0, UINT64_C(1) << 32, 0, 0);
    expect("trace", NULL, ": found another message, expected a packet",
           "gem5: a size beyond 32 bits");
    begin_gem5();
    put(0xffffffff, 4);
    put(0x0f, 1);
    expect("trace", NULL, ": found another message, expected a message of",
           "gem5: a length beyond what fits");
    begin_gem5();
    put(2, 1), put(3 << 3 | 3, 1), put(0, 1); /* a group */
    expect("trace", NULL, ": found another message, expected a packet",
           "gem5: another encoding");
    begin_gem5();
    expect("trace", NULL, "", "gem5: no packets");
    file.used = 4;
    expect("trace", "gem5", "", "gem5: not even a header");
    file.used = 3;
    expect("trace", "gem5", ": found another beginning, expected gem5",
           "gem5: another beginning");
}

/* ------------------------------------------------------------------ lcs -- */

/* libCacheSim's own format, in each of its versions. */
#define MAGIC UINT64_C(0x123456789abcdef0)

enum family { SHORT, LONG, LETTERS };

/* In nanoseconds, by the unit of a short header; of the header before. */
static const uint64_t ticks[] = {1000000000, 1000000000, 1000000, 1000, 1};
static uint64_t tick;

static void begin_lcs(enum family family, uint64_t version, uint64_t requests)
{
    size_t header = family == LONG ? 8192 : 1024;
    memset(&file, 0, sizeof file);
    put(MAGIC, 8);
    put(version, 8);
    margay_put_little(file.bytes + 24, requests, 8);
    margay_put_little(file.bytes + header - 8, MAGIC, 8);
    tick = family == SHORT ? ticks[version % 5] : ticks[0];
    if (family == SHORT)
        margay_put_little(file.bytes + 124, version % 5, 4);
    file.used = header;
}

/* Record i of a version: id i % 5, size 100 + i, time 7 + i, op i % 15, ttl. */
static void put_lcs(uint64_t version, unsigned i)
{
    static const unsigned features[] = {0, 0, 0, 0, 1, 2, 4, 8, 16};
    put(7 + i, 4);
    put(i % 5, 8);
    put(100 + i, version < 3 ? 4 : 8);
    if (version >= 2)
        put(i % 15 | 0xabcd00, 4);
    if (version >= 3)
        put(i % 2 ? 60 : 0, 4);
    put(UINT64_MAX, 8);
    for (unsigned k = 0; k < features[version]; k++)
        put(UINT32_MAX, 4);
}

static uint8_t lcs_op(unsigned number)
{
    static const char ops[] = "gggssssssdssgss";
    return ops[number] == 'g'   ? MARGAY_GET
           : ops[number] == 's' ? MARGAY_SET
                                : MARGAY_DELETE;
}

/* Read all of it; returns how many references are not those of put_lcs(). */
static unsigned count_wrong_lcs(const uint64_t version, unsigned skip,
                                unsigned *references)
{
    char path[TEST_PATH_BYTES];
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    struct margay_batch batch;
    struct margay_error error;
    margay_trace *trace;
    unsigned wrong = 0, i = skip;
    options.skip_refs = skip;
    write_file(make_path(path, "trace"), file.bytes, file.used);
    if (margay_trace_open(path, &options, &trace, &error) != MARGAY_OK)
        return 1;
    enum margay_status status;
    while ((status = margay_trace_next(trace, -1, &batch, &error)) ==
           MARGAY_OK) {
        for (size_t k = 0; k < batch.references; k++, i++) {
            wrong += batch.numbers[k] != i % 5;
            wrong += batch.sizes == NULL || batch.sizes[k] != 100 + i;
            wrong +=
                batch.times == NULL || batch.times[k] != (7 + i) * tick / 1000;
            wrong += (batch.ops == NULL) != (version < 2);
            wrong += version >= 2 && batch.ops[k] != lcs_op(i % 15);
            wrong += (batch.ttls == NULL) != (version < 3);
            wrong += version >= 3 && batch.ttls[k] != (i % 2 ? 60 : UINT64_MAX);
        }
    }
    if (status != MARGAY_END)
        printf("# %s\n", error.message);
    wrong += status != MARGAY_END;
    wrong += strcmp(margay_trace_facts(trace)->format->name, "lcs") != 0;
    margay_trace_free(trace);
    unlink(path);
    *references = i;
    return wrong;
}

static void test_lcs_versions(enum family family)
{
    for (uint64_t version = 1; version <= 8; version++) {
        unsigned references;
        begin_lcs(family, version, 300);
        for (unsigned i = 0; i < 300; i++)
            put_lcs(version, i);
        CHECK_U64(count_wrong_lcs(version, 0, &references), 0,
                  "version %" PRIu64 "%s", version,
                  family == LONG ? ", a long header" : "");
        CHECK_U64(references, 300, "all of it");
        CHECK_U64(count_wrong_lcs(version, 123, &references), 0,
                  "and from the middle");
        CHECK_U64(references, 300, "to its end");
    }
}

/* A header with letters: time h, id Q, size i, and a field that is not read. */
static void begin_lcs_letters(const char *letters, const char *numbers,
                              unsigned record_bytes)
{
    begin_lcs(LETTERS, 0, 0);
    memset(file.bytes + 8, 0, 240);
    memcpy(file.bytes + 8, letters, strlen(letters));
    memcpy(file.bytes + 248, numbers, 9);
    margay_put_little(file.bytes + 1004, record_bytes, 4);
    margay_put_little(file.bytes + 1008, 1, 8);
}

static void test_lcs_letters(void)
{
    begin_lcs_letters("<HQid", "\2\3\1\0\0\0\0\0\0", 22);
    for (unsigned i = 0; i < 100; i++) {
        put(7 + i, 2);
        put(i % 5, 8);
        put(100 + i, 4);
        put(0, 8);
    }
    unsigned references;
    CHECK_U64(count_wrong_lcs(1, 0, &references), 0, "fields by letters");
    CHECK_U64(references, 100, "all of it");
}

static void check_lcs(const char *message)
{
    const char *shown = show_bytes("trace", NULL, file.bytes, file.used);
    CHECK(strstr(shown, message) != NULL, "lcs: %s: %s", message, shown);
}

static void test_damaged_lcs(void)
{
    begin_lcs(SHORT, 1, 3);
    put_lcs(1, 0);
    check_lcs(
        "byte 1048: found the end after 1 record, expected the 3 that the "
        "header tells");
    put_lcs(1, 1);
    file.used -= 5;
    check_lcs("byte 1048: found half a record of 19 bytes, expected 24 bytes");
    begin_lcs(SHORT, 9, 0);
    check_lcs("byte 8: found another header, expected version 1 to 8");
    begin_lcs(LONG, 1, 0);
    file.used = 2000;
    check_lcs("byte 8184: found another header");
    begin_lcs(SHORT, 2, 0);
    put_lcs(2, 0);
    file.bytes[1024 + 16] = 15;
    check_lcs(
        "byte 1024: found another record, expected an operation from 0 to "
        "14");
    begin_lcs(SHORT, 2, 0);
    for (unsigned i = 0; i < 10; i++)
        put_lcs(2, i);
    file.bytes[1024 + 6 * 28 + 16] = 15;
    check_lcs("byte 1192: found another record");
    struct whole_trace whole = read_bytes("trace", NULL, file.bytes, file.used);
    CHECK_U64(whole.count, 6, "the records before are right");
    drop_trace(&whole);
    begin_lcs(SHORT, 3, 0);
    put_lcs(3, 0);
    file.bytes[1024 + 19] = 0x80;
    check_lcs("expected a size of 0 or more");
    begin_lcs_letters("<BQ", "\1\0\2\0\0\0\0\0\0", 9);
    put(1, 1);
    put(UINT64_MAX / 1000000 + 1, 8);
    check_lcs("byte 1024: found another record, expected a time of at most");
    begin_lcs_letters("<HQx", "\2\0\1\0\0\0\0\0\0", 11);
    check_lcs("expected fields of the letters");
    begin_lcs_letters("<HQ", "\2\0\1\0\0\0\0\0\0", 11);
    check_lcs("expected records as long as their fields");
    begin_lcs_letters("<Hd", "\2\0\1\0\0\0\0\0\0", 10);
    check_lcs("expected whole numbers");
    begin_lcs_letters("<HQ", "\0\0\1\0\0\0\0\0\0", 10);
    check_lcs("expected the number of the field of ids");
}

/* More than a window and than a batch hold. */
static void test_long(void)
{
    file.used = 0;
    put_entry(25, 0, 1);
    for (unsigned i = 0; i < 50000; i++)
        put_entry(i % 7 == 0 ? 28 : 0, 4, i);
    put_entry(26, 0, 0);
    struct whole_trace whole = read_bytes("trace", NULL, file.bytes, file.used);
    uint64_t next = 0, wrong = 0;
    for (size_t i = 0; i < whole.count; i++, next++) {
        next += next % 7 == 0;
        wrong += whole.numbers[i] != next;
    }
    CHECK(whole.count == 42857 && wrong == 0,
          "drmemtrace: %zu references, %llu wrong", whole.count,
          (unsigned long long)wrong);
    drop_trace(&whole);
}

int main(void)
{
    test_champsim();
    test_drmemtrace();
    test_gem5();
    test_lcs_versions(SHORT);
    test_lcs_versions(LONG);
    test_lcs_letters();
    test_damaged_lcs();
    test_long();
    return tap_done();
}
