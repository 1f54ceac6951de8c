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
 * A record is one reference; its length is the extent, at least one block.  The
 * reference asks for each of its blocks.  As an object, it is named by its
 * first block and has that length as its size.
 */
#include <string.h>

#include "traces/base/extent.h"
#include "traces/formats/format.h"

#define RECORD_BYTES 32
#define UNIT_BYTES   512
#define VERSION      1
#define MICROSECONDS 1000000

/* This many records do not all have the version and a known operation by
   chance. */
#define CERTAIN_RECORDS 8

#define READ_10  0x28
#define WRITE_10 0x2a

/* Commands of 6, 10, 12 and 16 bytes; of writes also those that verify. */
static bool is_read(uint64_t operation)
{
    return operation == 0x08 || operation == READ_10 || operation == 0xa8 ||
           operation == 0x88;
}

static bool is_write(uint64_t operation)
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
        /* Load the whole record first: the number may be written over it. */
        uint64_t length = margay_get_little(record + 4, 4);
        uint64_t operation = margay_get_little(record + 12, 2);
        uint64_t version = record[15];
        uint64_t block = margay_get_little(record + 16, 8);
        uint64_t time = margay_get_little(record + 24, 8);
        references->count = i;
        if (version != VERSION)
            return "version 1 in its byte 15";
        uint32_t blocks =
            length == 0 ? 1 : (uint32_t)((length - 1) / UNIT_BYTES) + 1;
        if (margay_extent_passes(block, blocks))
            return MARGAY_EXPECTS_END;
        references->numbers[i] = block;
        references->kinds[i] = is_write(operation) ? MARGAY_WRITE : MARGAY_READ;
        references->extents[i] = blocks;
        if (references->sizes != NULL)
            references->sizes[i] = length;
        if (references->times != NULL)
            references->times[i] = time / MICROSECONDS;
    }
    references->count = count;
    return NULL;
}

static bool is_plausible(const void *records, size_t count, bool *certain)
{
    const unsigned char *record = records;
    for (size_t i = 0; i < count; i++, record += RECORD_BYTES) {
        uint64_t operation = margay_get_little(record + 12, 2);
        if (record[15] != VERSION ||
            (!is_read(operation) && !is_write(operation)))
            return false;
    }
    *certain = count >= CERTAIN_RECORDS;
    return true;
}

/* Serial number and time stay 0.  An extent of 4 GiB or more does not fit. */
static size_t encode(char *record, uint64_t number, enum margay_kind kind,
                     uint32_t extent)
{
    memset(record, 0, RECORD_BYTES);
    margay_put_little(record + 4, (uint64_t)extent * UNIT_BYTES, 4);
    margay_put_little(record + 8, 1, 4);
    margay_put_little(record + 12, kind == MARGAY_WRITE ? WRITE_10 : READ_10,
                      2);
    margay_put_little(record + 14, VERSION << 8, 2);
    margay_put_little(record + 16, number, 8);
    return extent > UINT32_MAX / UNIT_BYTES ? 0 : RECORD_BYTES;
}

const struct margay_format margay_format_vscsi = {
    .info = {.name = "vscsi",
             .description = "vscsiStats version 1, 32-byte records",
             .suffixes = "vscsi",
             .numbers = MARGAY_IDS,
             .unit_bytes = UNIT_BYTES,
             .writable = true,
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS |
                        MARGAY_COLUMN_SIZES | MARGAY_COLUMN_TIMES,
             .kinds =
                 MARGAY_KIND_BIT(MARGAY_READ) | MARGAY_KIND_BIT(MARGAY_WRITE),
             .splits = true},
    .record_bytes = RECORD_BYTES,
    .unpack = unpack,
    .is_plausible = is_plausible,
    .encode = encode,
};
