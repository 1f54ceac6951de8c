/*
 * packed.c - bare numbers of fixed length: u32, u64, u32be, u64be
 *
 * Records lie at the end of the array that they are widened into, and widening
 * runs forward, so no number is written over a record not yet read.
 */
#define _DEFAULT_SOURCE
#include <endian.h>
#include <string.h>

#include "traces/formats/format.h"

/* Records of 64 bits lie where their numbers belong; in the byte order of this
   machine they already are these numbers. */
#define STANDS_IN_MEMORY(type, order) \
    (sizeof(type) == 8 && (order) == __BYTE_ORDER)

#define PACKED_FORMAT(word, type, order, from_file, to_file, text)         \
    static const char *unpack_##word(struct margay_references *references, \
                                     const void *records, size_t count)    \
    {                                                                      \
        const unsigned char *record = records;                             \
        uint64_t *numbers = references->numbers;                           \
        for (size_t i = 0; i < count && !STANDS_IN_MEMORY(type, order);    \
             i++, record += sizeof(type)) {                                \
            type packed;                                                   \
            memcpy(&packed, record, sizeof packed);                        \
            numbers[i] = from_file(packed);                                \
        }                                                                  \
        references->count = count;                                         \
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
                 .numbers = MARGAY_ADDRESSES,                              \
                 .unit_bytes = 1,                                          \
                 .writable = true},                                        \
        .record_bytes = sizeof(type),                                      \
        .stands_in_memory = STANDS_IN_MEMORY(type, order),                 \
        .unpack = unpack_##word,                                           \
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
