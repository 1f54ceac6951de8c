/*
 * oracle.c - libCacheSim's oracleGeneral: 24 bytes a record, little-endian
 *
 *     0  u32  time in seconds
 *     4  u64  the object's id
 *    12  u32  its size in bytes
 *    16  i64  the record, counted from 0 or 1, of its next use; -1 or the
 *             largest number: there is none
 *
 * The last field tells the format: the record that it points to must have the
 * same id.  To write it takes the whole trace, so the format is read only.
 */
#include "traces/formats/format.h"

#define RECORD_BYTES 24

/* This many records do not all point to records of the same id by chance. */
#define CERTAIN_RECORDS 8

static uint64_t id_of(const unsigned char *record)
{
    return margay_get_little(record + 4, 8);
}

static const char *unpack(struct margay_references *references,
                          const void *records, size_t count)
{
    const unsigned char *record = records;
    for (size_t i = 0; i < count; i++, record += RECORD_BYTES) {
        /* Load the whole record first: the number may be written over it. */
        uint64_t time = margay_get_little(record, 4);
        uint64_t bytes = margay_get_little(record + 12, 4);
        references->numbers[i] = id_of(record);
        if (references->sizes != NULL)
            references->sizes[i] = bytes;
        if (references->times != NULL)
            references->times[i] = time;
    }
    references->count = count;
    return NULL;
}

/* Does record `i` point nowhere, beyond the window, or to a record of its id?
 *seen: it points to one in the window. */
static bool points_well(const unsigned char *records, size_t count, size_t i,
                        bool *seen)
{
    const unsigned char *record = records + i * RECORD_BYTES;
    uint64_t next = margay_get_little(record + 16, 8);
    if (next == UINT64_MAX || next == INT64_MAX || next > count)
        return next == UINT64_MAX || next <= INT64_MAX;
    *seen = true;
    return next > i &&
           (id_of(records + (next - 1) * RECORD_BYTES) == id_of(record) ||
            next == count ||
            id_of(records + next * RECORD_BYTES) == id_of(record));
}

static bool is_plausible(const void *records, size_t count, bool *certain)
{
    bool seen = false;
    for (size_t i = 0; i < count; i++) {
        if (!points_well(records, count, i, &seen))
            return false;
    }
    *certain = seen && count >= CERTAIN_RECORDS;
    return true;
}

const struct margay_format margay_format_oracle = {
    .info = {.name = "oracle",
             .description = "libCacheSim's oracleGeneral, 24-byte records",
             .suffixes = "oracle oracleGeneral",
             .numbers = MARGAY_IDS,
             .columns = MARGAY_COLUMN_SIZES | MARGAY_COLUMN_TIMES},
    .record_bytes = RECORD_BYTES,
    .unpack = unpack,
    .is_plausible = is_plausible,
};
