/*
 * packed.c - bare numbers of fixed length: u32, u64, u32be, u64be
 *
 * Records lie at the end of the array that they are widened into, and widening
 * runs forward: a number is never written over a record not yet read.
 */
#define _DEFAULT_SOURCE
#include <endian.h>
#include <string.h>

#include "traces/formats/format.h"

static inline uint32_t load_u32(const unsigned char *record)
{
    uint32_t value;
    memcpy(&value, record, sizeof value);
    return value;
}

static const char *unpack_u32(struct margay_references *references,
                              const void *records, size_t count)
{
    const unsigned char *bytes = records;
    uint64_t *numbers = references->numbers;
    for (size_t i = 0; i < count; i++)
        numbers[i] = le32toh(load_u32(bytes + 4 * i));
    references->count = count;
    return NULL;
}

static const char *unpack_u32be(struct margay_references *references,
                                const void *records, size_t count)
{
    const unsigned char *bytes = records;
    uint64_t *numbers = references->numbers;
    for (size_t i = 0; i < count; i++)
        numbers[i] = be32toh(load_u32(bytes + 4 * i));
    references->count = count;
    return NULL;
}

/* Records of 64 bits are already where their numbers belong. */
static const char *unpack_u64(struct margay_references *references,
                              const void *records, size_t count)
{
    (void)records;
    uint64_t *numbers = references->numbers;
    if (le64toh(1) != 1)
        for (size_t i = 0; i < count; i++)
            numbers[i] = le64toh(numbers[i]);
    references->count = count;
    return NULL;
}

static const char *unpack_u64be(struct margay_references *references,
                                const void *records, size_t count)
{
    (void)records;
    uint64_t *numbers = references->numbers;
    for (size_t i = 0; i < count; i++)
        numbers[i] = be64toh(numbers[i]);
    references->count = count;
    return NULL;
}

static size_t encode_u32(char *record, uint64_t number, enum margay_kind kind,
                         uint32_t extent)
{
    (void)kind;
    (void)extent;
    uint32_t packed = htole32((uint32_t)number);
    memcpy(record, &packed, sizeof packed);
    return number > UINT32_MAX ? 0 : sizeof packed;
}

static size_t encode_u32be(char *record, uint64_t number, enum margay_kind kind,
                           uint32_t extent)
{
    (void)kind;
    (void)extent;
    uint32_t packed = htobe32((uint32_t)number);
    memcpy(record, &packed, sizeof packed);
    return number > UINT32_MAX ? 0 : sizeof packed;
}

static size_t encode_u64(char *record, uint64_t number, enum margay_kind kind,
                         uint32_t extent)
{
    (void)kind;
    (void)extent;
    uint64_t packed = htole64(number);
    memcpy(record, &packed, sizeof packed);
    return sizeof packed;
}

static size_t encode_u64be(char *record, uint64_t number, enum margay_kind kind,
                           uint32_t extent)
{
    (void)kind;
    (void)extent;
    uint64_t packed = htobe64(number);
    memcpy(record, &packed, sizeof packed);
    return sizeof packed;
}

#define PACKED_FORMAT(word, bytes, order, text)                      \
    const struct margay_format margay_format_##word = {              \
        .info = {.name = #word,                                      \
                 .description = text,                                \
                 .suffixes = #word,                                  \
                 .numbers = MARGAY_ADDRESSES,                        \
                 .unit_bytes = 1,                                    \
                 .writable = true},                                  \
        .record_bytes = bytes,                                       \
        .stands_in_memory = (bytes) == 8 && (order) == __BYTE_ORDER, \
        .unpack = unpack_##word,                                     \
        .encode = encode_##word,                                     \
    }

PACKED_FORMAT(u32, 4, __LITTLE_ENDIAN, "packed 32-bit numbers, little-endian");
PACKED_FORMAT(u64, 8, __LITTLE_ENDIAN, "packed 64-bit numbers, little-endian");
PACKED_FORMAT(u32be, 4, __BIG_ENDIAN, "packed 32-bit numbers, big-endian");
PACKED_FORMAT(u64be, 8, __BIG_ENDIAN, "packed 64-bit numbers, big-endian");
