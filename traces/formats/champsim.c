/*
 * champsim.c - traces of ChampSim: 64 bytes an instruction, little-endian
 *
 *     0  u64     address of the instruction
 *     8  u8      1 = it is a branch
 *     9  u8      1 = which was taken
 *    10  u8[6]   registers
 *    16  u64[2]  addresses in memory that it writes, 0 = none
 *    32  u64[4]  addresses in memory that it reads, 0 = none
 *
 * An instruction is a fetch at its address, then its reads, then its writes.
 * The format says nothing of how many bytes they cover.
 */
#include <stdlib.h>

#include "traces/base/error.h"
#include "traces/formats/bytes.h"

#define RECORD_BYTES 64
#define BRANCH_BYTE  8
#define TAKEN_BYTE   9
#define WRITES_BYTE  16
#define READS_BYTE   32
#define WRITES       2
#define READS        4
#define MOST         (1 + READS + WRITES)

/* This many records are no others by chance. */
#define CERTAIN_RECORDS 16

static bool is_record(const unsigned char *record)
{
    return margay_get_little(record, 8) != 0 && record[BRANCH_BYTE] <= 1 &&
           record[TAKEN_BYTE] <= 1;
}

static bool is_plausible(const void *records, size_t count, bool *certain)
{
    const unsigned char *record = records;
    size_t branches = 0, addresses = 0;
    for (size_t i = 0; i < count; i++, record += RECORD_BYTES) {
        if (!is_record(record) || record[TAKEN_BYTE] > record[BRANCH_BYTE])
            return false;
        branches += record[BRANCH_BYTE];
        addresses += margay_get_little(record + READS_BYTE, 8) != 0;
    }
    *certain = count >= CERTAIN_RECORDS && branches > 0 && addresses > 0;
    return true;
}

static enum margay_status reader_open(const struct margay_block_source *source,
                                      void **state,
                                      struct margay_trace_facts *facts,
                                      struct margay_error *error)
{
    (void)facts;
    *state = margay_bytes_create(source);
    return *state == NULL ? margay_fail_memory(error, "a reader of traces")
                          : MARGAY_OK;
}

/* Append those of `count` addresses that are not 0. */
static void append(struct margay_references *batch,
                   const unsigned char *addresses, unsigned count,
                   enum margay_kind kind, uint64_t site)
{
    for (unsigned i = 0; i < count; i++) {
        uint64_t address = margay_get_little(addresses + 8 * i, 8);
        size_t at = batch->count;
        batch->numbers[at] = address;
        batch->kinds[at] = (uint8_t)kind;
        batch->sites[at] = site;
        batch->count += address != 0;
    }
}

static enum margay_status fill(void *state, struct margay_references *batch,
                               struct margay_error *error)
{
    struct margay_bytes *bytes = state;
    enum margay_status status = margay_bytes_need(bytes, RECORD_BYTES, error);
    if (status != MARGAY_OK)
        return status;
    if (margay_bytes_left(bytes) < RECORD_BYTES)
        return margay_bytes_end(bytes, "champsim", RECORD_BYTES, error);
    while (margay_bytes_left(bytes) >= RECORD_BYTES &&
           batch->count + MOST <= batch->capacity) {
        const unsigned char *record = margay_bytes_at(bytes);
        if (!is_record(record))
            return margay_bytes_fail(bytes, "champsim", "another record",
                                     "an address of an instruction, and 0 or 1 "
                                     "in bytes 8 and 9",
                                     error);
        uint64_t site = margay_get_little(record, 8);
        append(batch, record, 1, MARGAY_FETCH, site);
        append(batch, record + READS_BYTE, READS, MARGAY_READ, site);
        append(batch, record + WRITES_BYTE, WRITES, MARGAY_WRITE, site);
        margay_bytes_pass(bytes, RECORD_BYTES);
    }
    return MARGAY_OK;
}

static const struct margay_blocks_reading reading = {
    .record_bytes = RECORD_BYTES,
    .open = reader_open,
    .free_state = free,
    .skip = margay_bytes_skip,
    .fill = fill,
};

const struct margay_format margay_format_champsim = {
    .info = {.name = "champsim",
             .description = "ChampSim, 64 bytes an instruction",
             .suffixes = "champsim champsimtrace",
             .numbers = MARGAY_ADDRESSES,
             .unit_bytes = 1,
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_SITES,
             .kinds = MARGAY_ALL_KINDS},
    .reading = &reading,
    .is_plausible = is_plausible,
};
