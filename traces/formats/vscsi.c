/*
 * vscsi.c - vscsiStats traces, version 1: 32 bytes a record, little-endian
 *
 *     0  u32  serial number
 *     4  u32  length in bytes
 *     8  u32  number of scatter-gather elements
 *    12  u16  SCSI operation code
 *    14  u16  version, in the upper byte
 *    16  u64  first logical block, of 512 bytes
 *    24  u64  time in microseconds
 *
 * A record is one reference; its length is the extent, of one block at least.
 */
#define _DEFAULT_SOURCE
#include <endian.h>
#include <string.h>

#include "traces/formats/format.h"

#define RECORD_BYTES 32
#define UNIT_BYTES   512
#define VERSION      1

/* So many records have the version and a known operation by no chance. */
#define CERTAIN_RECORDS 8

#define READ_10  0x28
#define WRITE_10 0x2a

static inline uint16_t load_u16(const unsigned char *from)
{
    uint16_t value;
    memcpy(&value, from, sizeof value);
    return le16toh(value);
}

static inline uint32_t load_u32(const unsigned char *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return le32toh(value);
}

static inline uint64_t load_u64(const unsigned char *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return le64toh(value);
}

/* The reads and writes of 6, 10, 12 and 16 bytes, and writes with a check. */
static bool is_read(uint16_t operation)
{
    return operation == 0x08 || operation == READ_10 || operation == 0xa8 ||
           operation == 0x88;
}

static bool is_write(uint16_t operation)
{
    return operation == 0x0a || operation == WRITE_10 || operation == 0xaa ||
           operation == 0x8a || operation == 0x2e || operation == 0xae ||
           operation == 0x8e;
}

static const char *unpack(struct margay_references *references,
                          const void *records, size_t count)
{
    const unsigned char *record = records;
    for (size_t i = 0; i < count; i++, record += RECORD_BYTES) {
        /* All of the record before anything is written, perhaps over it. */
        uint32_t length = load_u32(record + 4);
        uint16_t operation = load_u16(record + 12);
        uint16_t version = load_u16(record + 14) >> 8;
        uint64_t block = load_u64(record + 16);
        references->count = i;
        if (version != VERSION)
            return "version 1 in its byte 15";
        references->numbers[i] = block;
        references->kinds[i] = is_write(operation) ? MARGAY_WRITE : MARGAY_READ;
        references->extents[i] =
            length == 0 ? 1 : (length - 1) / UNIT_BYTES + 1;
    }
    references->count = count;
    return NULL;
}

static bool is_plausible(const void *records, size_t count, bool *certain)
{
    const unsigned char *record = records;
    for (size_t i = 0; i < count; i++, record += RECORD_BYTES) {
        uint16_t operation = load_u16(record + 12);
        if (load_u16(record + 14) >> 8 != VERSION ||
            (!is_read(operation) && !is_write(operation)))
            return false;
    }
    *certain = count >= CERTAIN_RECORDS;
    return true;
}

/* Serial number and time stay 0.  A longer extent than 4 GiB does not fit. */
static size_t encode(char *record, uint64_t number, enum margay_kind kind,
                     uint32_t extent)
{
    uint32_t length = htole32(extent * (uint32_t)UNIT_BYTES);
    uint32_t elements = htole32(1);
    uint16_t operation = htole16(kind == MARGAY_WRITE ? WRITE_10 : READ_10);
    uint16_t version = htole16(VERSION << 8);
    uint64_t block = htole64(number);
    memset(record, 0, RECORD_BYTES);
    memcpy(record + 4, &length, sizeof length);
    memcpy(record + 8, &elements, sizeof elements);
    memcpy(record + 12, &operation, sizeof operation);
    memcpy(record + 14, &version, sizeof version);
    memcpy(record + 16, &block, sizeof block);
    return extent > UINT32_MAX / UNIT_BYTES ? 0 : RECORD_BYTES;
}

const struct margay_format margay_format_vscsi = {
    .info = {.name = "vscsi",
             .description = "vscsiStats version 1, 32-byte records",
             .suffixes = "vscsi",
             .numbers = MARGAY_IDS,
             .unit_bytes = UNIT_BYTES,
             .writable = true,
             .has_kinds = true,
             .has_extents = true},
    .record_bytes = RECORD_BYTES,
    .unpack = unpack,
    .is_plausible = is_plausible,
    .encode = encode,
};
