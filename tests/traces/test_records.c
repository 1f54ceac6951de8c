/* test_records.c - oracle and vscsi: records wider than their numbers */
#define _GNU_SOURCE
#include <endian.h>

#include "tests/traces/read_all.h"

#define ORACLE_BYTES 24
#define VSCSI_BYTES  32

static void put(unsigned char *record, size_t at, uint64_t value, size_t bytes)
{
    value = htole64(value);
    memcpy(record + at, &value, bytes);
}

static void put_oracle(unsigned char *record, uint32_t time, uint64_t id,
                       uint64_t next)
{
    put(record, 0, time, 4);
    put(record, 4, id, 8);
    put(record, 12, 4096, 4);
    put(record, 16, next, 8);
}

static void put_vscsi(unsigned char *record, uint16_t operation,
                      uint32_t length, uint64_t block)
{
    memset(record, 0, VSCSI_BYTES);
    put(record, 4, length, 4);
    put(record, 12, operation, 2);
    put(record, 14, 0x0100, 2);
    put(record, 16, block, 8);
}

/* A loop over `period` ids, the way libCacheSim writes it (next uses counted
   from 1), or counted from 0. */
static void make_loop(unsigned char *records, size_t count, size_t period,
                      size_t base)
{
    for (size_t i = 0; i < count; i++)
        put_oracle(records + i * ORACLE_BYTES, (uint32_t)i,
                   UINT64_MAX - i % period,
                   i + period < count ? i + period + base : UINT64_MAX);
}

static void test_oracle(void)
{
    size_t count = 50000, period = 777;
    unsigned char *records = calloc(count, ORACLE_BYTES);
    for (size_t base = 0; base < 2; base++) {
        make_loop(records, count, period, base);
        struct whole_trace whole =
            read_bytes("trace", NULL, records, count * ORACLE_BYTES);
        unsigned wrong = whole.count != count;
        for (size_t i = 0; i < whole.count; i++)
            wrong += whole.numbers[i] != UINT64_MAX - i % period;
        CHECK_U64(wrong, 0, "every id, next uses from %zu on", base);
        CHECK_TEXT(whole.format, "oracle", "known by its content");
        CHECK_TEXT(whole.evidence, "content: 2730 records", "by 64 KiB of it");
        drop_trace(&whole);
    }
    put_oracle(records + 100 * ORACLE_BYTES, 100, 5, 200);
    struct whole_trace whole = read_bytes("trace", NULL, records, 2400);
    CHECK_TEXT(whole.format, "", "records that are used once show nothing");
    drop_trace(&whole);
    whole = read_bytes("trace", NULL, records, count * ORACLE_BYTES);
    CHECK(strstr(whole.error.message, "binary data") != NULL,
          "one that points to another id makes it unknown");
    drop_trace(&whole);
    make_loop(records, count, period, 1);
    put_oracle(records + 2000 * ORACLE_BYTES, 0, UINT64_MAX - 2000 % period,
               2000 - period + 1);
    whole = read_bytes("trace", NULL, records, count * ORACLE_BYTES);
    CHECK_TEXT(whole.format, "", "so does one that points back");
    drop_trace(&whole);
    whole = read_bytes("x.oracleGeneral.bin", NULL, records,
                       count * ORACLE_BYTES - 1);
    CHECK_TEXT(whole.format, "oracle", "unless the suffix says it");
    CHECK(strstr(whole.error.message,
                 "byte 1199976: found half a record of 23 bytes") != NULL &&
              strstr(whole.error.message, "against its records") != NULL,
          "cut: %s", whole.error.message);
    drop_trace(&whole);
    free(records);
}

static void test_vscsi(void)
{
    static const struct {
        uint16_t operation;
        uint32_t length;
    } commands[] = {{0x28, 512}, {0x2a, 4096},    {0x88, 513},       {0x8a, 0},
                    {0x08, 1},   {0x12, 4194304}, {0xaa, UINT32_MAX}};
    size_t count = sizeof commands / sizeof *commands;
    unsigned char records[VSCSI_BYTES * 8];
    char shown[256];
    for (size_t i = 0; i < count; i++)
        put_vscsi(records + i * VSCSI_BYTES, commands[i].operation,
                  commands[i].length, 0xff00 + i);
    struct whole_trace whole =
        read_bytes("x.vscsi", NULL, records, count * VSCSI_BYTES);
    CHECK_TEXT(show_trace(&whole, shown, sizeof shown),
               "rff00 wff01+8 rff02+2 wff03 rff04 rff05+8192 wff06+8388608",
               "kinds and lengths in units");
    CHECK(strstr(whole.evidence, "against its records") != NULL,
          "an odd operation: %s", whole.evidence);
    drop_trace(&whole);
    put(records + 5 * VSCSI_BYTES, 14, 0x0200, 2);
    whole = read_bytes("x", "vscsi", records, count * VSCSI_BYTES);
    CHECK(strstr(whole.error.message, "byte 160: found another record, "
                                      "expected version 1") != NULL,
          "another version: %s", whole.error.message);
    CHECK_U64(whole.count, 5, "what came before is there");
    drop_trace(&whole);
}

static void test_vscsi_detected(void)
{
    size_t count = 20000;
    unsigned char *records = calloc(count, VSCSI_BYTES);
    for (size_t i = 0; i < count; i++)
        put_vscsi(records + i * VSCSI_BYTES, i % 2 ? 0x28 : 0x2a, 512, i);
    struct whole_trace whole =
        read_bytes("x", NULL, records, count * VSCSI_BYTES);
    unsigned wrong = whole.count != count;
    for (size_t i = 0; i < whole.count; i++)
        wrong += whole.numbers[i] != i || whole.kinds[i] != !(i % 2);
    CHECK_U64(wrong, 0, "%zu references in order", count);
    CHECK_TEXT(whole.format, "vscsi", "known by content");
    drop_trace(&whole);
    whole = read_bytes("x", NULL, records, 7 * VSCSI_BYTES);
    CHECK_TEXT(whole.format, "", "seven records are too few");
    drop_trace(&whole);
    whole = read_bytes("x.u64", NULL, records, 8 * VSCSI_BYTES);
    CHECK_TEXT(whole.format, "u64", "a suffix comes first");
    drop_trace(&whole);
    free(records);
}

int main(void)
{
    test_oracle();
    test_vscsi();
    test_vscsi_detected();
    return tap_done();
}
