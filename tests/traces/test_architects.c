/* test_architects.c - formats of processors' simulators: sites and threads */
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

/* All references as "r10+4@401136#7": extent, site and thread where they are
   told; then what reading failed with. */
static const char *show(const char *name, const char *format)
{
    static char text[4096];
    char path[TEST_PATH_BYTES];
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    struct margay_error error = {.message = ""};
    struct margay_batch batch;
    margay_trace *trace;
    size_t used = 0;
    options.format = format;
    text[0] = '\0';
    write_file(make_path(path, name), file.bytes, file.used);
    enum margay_status status =
        margay_trace_open(path, &options, &trace, &error);
    while (status == MARGAY_OK) {
        status = margay_trace_next(trace, -1, &batch, &error);
        for (size_t i = 0; status == MARGAY_OK && i < batch.references &&
                           used + 80 < sizeof text;
             i++) {
            used += (size_t)sprintf(text + used, "%s%c%" PRIx64,
                                    used == 0 ? "" : " ", "rwf"[batch.kinds[i]],
                                    batch.numbers[i]);
            if (batch.extents != NULL)
                used +=
                    (size_t)sprintf(text + used, "+%" PRIu32, batch.extents[i]);
            if (batch.sites != NULL)
                used +=
                    (size_t)sprintf(text + used, "@%" PRIx64, batch.sites[i]);
            if (batch.threads != NULL)
                used +=
                    (size_t)sprintf(text + used, "#%" PRIu32, batch.threads[i]);
        }
    }
    if (status != MARGAY_END)
        snprintf(text + used, sizeof text - used, "%s%s", used == 0 ? "" : " ",
                 error.message +
                     (strncmp(error.message, path, strlen(path)) == 0
                          ? strlen(path)
                          : 0));
    margay_trace_free(trace);
    unlink(path);
    return text;
}

/* What is shown begins with, or, where it failed, contains this. */
static void expect(const char *name, const char *format, const char *expected,
                   const char *what)
{
    const char *shown = show(name, format);
    bool fails = strchr(expected, ':') != NULL;
    CHECK(fails ? strstr(shown, expected) != NULL
                : strcmp(shown, expected) == 0,
          "%s: %s, expected %s", what, shown, expected);
}

/* ---------------------------------------------------------------- text -- */

static const struct sample {
    const char *format, *text, *expected;
} samples[] = {
    {"pinatrace", "0x401136: R 0x10\n0x40113a: W 0xFF\n#eof\n",
     "r10@401136 wff@40113a"},
    {"pinatrace",
     "#\n# Memory Access Trace\n#\r\n 0x1: R  0x2  8  0x3\r\n0x4:\tW 0x5",
     "r2@1 w5@4"},
    {"pinatrace", "0x1: R 0x2\n0x1: X 0x2\n", ":2: found '0x1: X 0x2'"},
    {"pinatrace", "0x1: R 2\n", ":1: found '0x1: R 2', expected an address"},
    {"pinatrace", "1: R 0x2\n", ":1: found '1: R 0x2', expected 0xADDR of"},
    {"pinatrace", "0x1 R 0x2\n", ":1: found"},
    {"pinatrace", "0x1: R\n0x2\n", ":1: found '0x1: R'"},
    {"pinatrace", "0x1: R 0x2x\n", ":1: found"},
    {"pinatrace", "0x11112222333344445: R 0x2\n", ":1: found"},

    {"xdin", "r 10 4\nw 0x20 0X8\ni 30 10\nm 40 1\nc 0 0\n",
     ":5: found 'c 0 0', expected a blank and a size"},
    {"xdin", "r 10 4\nw 0x20 0X8\ni 30 10\nm 40 1\nc 0 1\nv 50 1 x\n",
     "r10+4 w20+8 f30+16 r40+1"},
    {"xdin", " r\t10  ffffffff  a comment\r\n\nr 1 1", "r10+4294967295 r1+1"},
    {"xdin", "r 10\n", ":1: found 'r 10', expected a blank and a size"},
    {"xdin", "r 10\n4\n", ":1: found 'r 10', expected a blank and a size"},
    {"xdin", "r 10 100000000\n", ":1: found"},
    {"xdin", "r 10 0\n", ":1: found"},
    {"xdin", "r 10 4x\n", ":1: found"},
    {"xdin", "r x 4\n", ":1: found 'r x 4', expected a hexadecimal"},
    {"xdin", "R 10 4\n", ":1: found 'R 10 4', expected r, w, i, m, c or v"},
    {"xdin", "0 10 4\n", ":1: found"},

    {"perf-script",
     "prog  12 [001] 7.5:  1 cpu/mem-loads,ldlat=30/P:  7ffe10 "
     "401136 main+0x6 (/bin/prog)\n",
     "r7ffe10@401136"},
    {"perf-script", "a b 12/13 7.5: mem-stores: 7ffe10 401136 f (/bin/prog)\n",
     "w7ffe10@401136"},
    {"perf-script", "# captured on: today\n  7ffe10 401136 add (/p)\n\n20 30\n",
     "r7ffe10@401136 r20@30"},
    {"perf-script",
     "p 1 7.5: 1 mem:P: 10 68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 "
     "hit|LCK No|BLK  N/A  7  401136 main+0x6 (/p)\n"
     "p 1 7.5: 1 mem:P: 18 68100142 |OP STORE|LVL L1 hit|LCK No 401140 f (/p)\n"
     "p 1 7.5: 1 mem:P: 20 1 |OP EXEC|LVL N/A 20 f (/p)\n",
     "r10@401136 w18@401140 f20@20"},
    {"perf-script", "p 1 7.5: e: 0 401136 f\np 1 7.6: e: 8 40113a f\n",
     "r8@40113a"},
    {"perf-script", "p 1 7.5: e: 401136\n", ":1: found"},
    {"perf-script", "p 1 7.5: e: 401136 main\n", ":1: found"},
    {"perf-script", "p 1 7.5: e: 10 1 |OP LOAD|LCK No\n", ":1: found"},
    {"perf-script", "p 1 7.5: e:\n10 20\n", ":1: found"},
    {"perf-script", "p 1 7.5: 1 cycles:u:  401136 main+0x6 (/p)\n",
     ":1: found"},
};

static void test_texts(void)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        file.used = strlen(samples[i].text);
        memcpy(file.bytes, samples[i].text, file.used);
        expect("trace", samples[i].format, samples[i].expected,
               samples[i].format);
    }
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
#define THREAD(n)                                                     \
    "f400+3@400#" n " r10+8@400#" n " w18+4@400#" n " f403+1@403#" n  \
    " f404+2@404#" n " f406+3@406#" n " r20+1@406#" n " w28+1@420#" n \
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
    expect("trace", NULL, ": byte 786444: found another thread, expected at",
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
    expect("trace", NULL,
           "r1000+8@400 wfffffffffffffffc+4@404 f404+64@0 r40+1@0",
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
    test_texts();
    test_champsim();
    test_drmemtrace();
    test_gem5();
    test_long();
    return tap_done();
}
