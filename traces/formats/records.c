/*
 * records.c - binary records of fixed length, of which each is a reference
 *
 * u32, u64, u32be and u64be are bare numbers; oracle and vscsi are traces of
 * storage.
 */
#define _DEFAULT_SOURCE
#include <endian.h>
#include <string.h>

#include "traces/base/checked.h"
#include "traces/base/extent.h"
#include "traces/formats/blocks_format.h"

/* ---------------------------------------------------------- bare numbers -- */

/* Records of 64 bits in the byte order of this machine are its numbers, which
   are copied, or lent as they are. */
#define STANDS_IN_MEMORY(type, order) \
    (sizeof(type) == 8 && (order) == __BYTE_ORDER)

#define PACKED_FORMAT(word, type, order, from_file, to_file, text)         \
    static const char *unpack_##word(struct margay_text *records,          \
                                     struct margay_references *references) \
    {                                                                      \
        const char *record = records->cursor;                              \
        uint64_t *numbers = references->numbers + references->count;       \
        size_t count = (size_t)(records->end - record) / sizeof(type);     \
        bool stands = STANDS_IN_MEMORY(type, order);                       \
        if (stands)                                                        \
            memcpy(numbers, record, count * sizeof(type));                 \
        for (size_t i = 0; i < count && !stands; i++) {                    \
            type packed;                                                   \
            memcpy(&packed, record + i * sizeof packed, sizeof packed);    \
            numbers[i] = from_file(packed);                                \
        }                                                                  \
        references->count += count;                                        \
        records->cursor = records->end;                                    \
        return NULL;                                                       \
    }                                                                      \
    static size_t encode_##word(char *record, uint64_t number,             \
                                enum margay_kind kind, uint32_t extent)    \
    {                                                                      \
        (void)kind, (void)extent;                                          \
        type packed = to_file((type)number);                               \
        memcpy(record, &packed, sizeof packed);                            \
        return (type)number == number ? sizeof packed : 0;                 \
    }                                                                      \
    const struct margay_format margay_format_##word = {                    \
        .info = {.name = #word,                                            \
                 .description = text,                                      \
                 .suffixes = #word,                                        \
                 MARGAY_BYTE_ADDRESSES,                                    \
                 .writable = true},                                        \
        .record_bytes = sizeof(type),                                      \
        .stands_in_memory = STANDS_IN_MEMORY(type, order),                 \
        .decode = unpack_##word,                                           \
        .encode = encode_##word,                                           \
    }

PACKED_FORMAT(u32, uint32_t, __LITTLE_ENDIAN, le32toh, htole32,
              "packed 32-bit numbers, little-endian");
PACKED_FORMAT(u64, uint64_t, __LITTLE_ENDIAN, le64toh, htole64,
              "packed 64-bit numbers, little-endian");
PACKED_FORMAT(u32be, uint32_t, __BIG_ENDIAN, be32toh, htobe32,
              "packed 32-bit numbers, big-endian");
PACKED_FORMAT(u64be, uint64_t, __BIG_ENDIAN, be64toh, htobe64,
              "packed 64-bit numbers, big-endian");

/* ---------------------------------------------------------------- oracle -- */

/*
 * libCacheSim's oracleGeneral: 24 bytes a record, little-endian
 *
 *     0  u32  time in seconds
 *     4  u64  the object's id
 *    12  u32  its size in bytes
 *    16  i64  the record, counted from 0 or 1, of its next use; -1 or the
 *             largest number: there is none
 *
 * The last field is evidence of the format: the record that it points to must
 * have the same id.
 */
#define ORACLE_RECORD_BYTES 24

/* This many records do not all point to records of the same id by chance. */
#define ORACLE_CERTAIN_RECORDS 8

static uint64_t id_of(const void *record)
{
    return margay_get_little((const char *)record + 4, 8);
}

static const char *oracle_unpack(struct margay_text *records,
                                 struct margay_references *references)
{
    /* Copies, so that no record waits for the count to come from memory. */
    const struct margay_references to = *references;
    const char *record = records->cursor, *end = records->end;
    size_t i = to.count;
    for (; record < end; record += ORACLE_RECORD_BYTES, i++) {
        to.numbers[i] = id_of(record);
        if (to.sizes != NULL)
            to.sizes[i] = margay_get_little(record + 12, 4);
        if (to.times != NULL)
            to.times[i] = MARGAY_SECOND * margay_get_little(record, 4);
    }
    references->count = i;
    records->cursor = record;
    return NULL;
}

/* Each record points nowhere, beyond the window, or to a record of its id. */
static bool oracle_is_plausible(const void *records, size_t count,
                                bool *certain)
{
    const unsigned char *first = records, *record = first;
    bool seen = false; /* one that points to a record in the window */
    for (size_t i = 0; i < count; i++, record += ORACLE_RECORD_BYTES) {
        uint64_t next = margay_get_little(record + 16, 8);
        if (next == UINT64_MAX || (next <= INT64_MAX && next > count))
            continue;
        if (next > count || next <= i ||
            (next < count &&
             id_of(first + next * ORACLE_RECORD_BYTES) != id_of(record) &&
             id_of(first + (next - 1) * ORACLE_RECORD_BYTES) != id_of(record)))
            return false;
        seen = true;
    }
    *certain = seen && count >= ORACLE_CERTAIN_RECORDS;
    return true;
}

const struct margay_format margay_format_oracle = {
    .info = {.name = "oracle",
             .description = "libCacheSim's oracleGeneral, 24-byte records",
             .suffixes = "oracle oracleGeneral",
             .numbers = MARGAY_IDS,
             .writable = true,
             .columns = MARGAY_COLUMN_SIZES | MARGAY_COLUMN_TIMES},
    .writing = &margay_oracle_writing,
    .record_bytes = ORACLE_RECORD_BYTES,
    .decode = oracle_unpack,
    .is_plausible = oracle_is_plausible,
};

/* ----------------------------------------------------------------- vscsi -- */

/*
 * vscsiStats traces, version 1: 32 bytes a record, little-endian
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
#define VSCSI_RECORD_BYTES 32
#define VSCSI_UNIT_BYTES   512
#define VSCSI_VERSION      1

/* This many records do not all have the version and a known operation by
   chance. */
#define VSCSI_CERTAIN_RECORDS 8

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

static const char *vscsi_unpack(struct margay_text *records,
                                struct margay_references *references)
{
    for (; records->cursor < records->end;
         records->cursor += VSCSI_RECORD_BYTES) {
        const char *record = records->cursor;
        uint64_t length = margay_get_little(record + 4, 4);
        uint64_t block = margay_get_little(record + 16, 8);
        size_t i = references->count;
        if (record[15] != VSCSI_VERSION)
            return "version 1 in its byte 15";
        uint32_t blocks =
            length == 0 ? 1 : (uint32_t)((length - 1) / VSCSI_UNIT_BYTES) + 1;
        if (margay_extent_passes(block, blocks))
            return MARGAY_EXPECTS_END;
        references->numbers[i] = block;
        references->kinds[i] = is_write(margay_get_little(record + 12, 2))
                                   ? MARGAY_WRITE
                                   : MARGAY_READ;
        references->extents[i] = blocks;
        if (references->sizes != NULL)
            references->sizes[i] = length;
        if (references->times != NULL)
            references->times[i] = margay_get_little(record + 24, 8);
        references->count++;
    }
    return NULL;
}

static bool vscsi_is_plausible(const void *records, size_t count, bool *certain)
{
    const unsigned char *record = records;
    for (size_t i = 0; i < count; i++, record += VSCSI_RECORD_BYTES) {
        uint64_t operation = margay_get_little(record + 12, 2);
        if (record[15] != VSCSI_VERSION ||
            (!is_read(operation) && !is_write(operation)))
            return false;
    }
    *certain = count >= VSCSI_CERTAIN_RECORDS;
    return true;
}

/* Serial number and time stay 0.  An extent of 4 GiB or more does not fit. */
static size_t vscsi_encode(char *record, uint64_t number, enum margay_kind kind,
                           uint32_t extent)
{
    memset(record, 0, VSCSI_RECORD_BYTES);
    margay_put_little(record + 4, (uint64_t)extent * VSCSI_UNIT_BYTES, 4);
    margay_put_little(record + 8, 1, 4);
    margay_put_little(record + 12, kind == MARGAY_WRITE ? WRITE_10 : READ_10,
                      2);
    margay_put_little(record + 14, VSCSI_VERSION << 8, 2);
    margay_put_little(record + 16, number, 8);
    return extent > UINT32_MAX / VSCSI_UNIT_BYTES ? 0 : VSCSI_RECORD_BYTES;
}

const struct margay_format margay_format_vscsi = {
    .info = {.name = "vscsi",
             .description = "vscsiStats version 1, 32-byte records",
             .suffixes = "vscsi",
             .numbers = MARGAY_IDS,
             .unit_bytes = VSCSI_UNIT_BYTES,
             .writable = true,
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS |
                        MARGAY_COLUMN_SIZES | MARGAY_COLUMN_TIMES,
             .kinds = MARGAY_READS_AND_WRITES,
             .splits = true},
    .record_bytes = VSCSI_RECORD_BYTES,
    .decode = vscsi_unpack,
    .is_plausible = vscsi_is_plausible,
    .encode = vscsi_encode,
};
