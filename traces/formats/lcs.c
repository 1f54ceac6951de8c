/*
 * lcs.c - libCacheSim's own format: a header, then records of one length
 *
 * Source: the layouts that libCacheSim's lcs.h has had; all is little-endian.
 * Each header begins and ends with the same eight bytes. There are three:
 *
 *   1,024 bytes, with the version at byte 8 and the unit of times at 124;
 *   8,192 bytes, with the version at byte 8;
 *   1,024 bytes, with the fields of a record at byte 8, in the letters of
 *     Python's struct, and at 248 the numbers, from 1 on, of id, size, time, op
 *     and ttl among them; the length of a record at 1,004.
 *
 * A version stands for the record: time u32, id u64, size u32, next use i64
 * (1); the same with op u8 and tenant u24 before the last (2); a size of 64
 * bits, and ttl u32 after the tenant (3); the same with 1, 2, 4, 8 or 16
 * features of 32 bits after it (4 to 8).
 */
#include <stdio.h>
#include <string.h>

#include "traces/base/checked.h"
#include "traces/base/error.h"
#include "traces/formats/blocks_format.h"

#define MAGIC             UINT64_C(0x123456789abcdef0)
#define HEADER_BYTES      1024
#define LONG_HEADER_BYTES 8192
#define VERSIONS          8
#define FIELDS_BYTE       8 /* the letters */
#define FIELDS_BYTES      240
#define NUMBERS_BYTE      248
#define RECORD_BYTES_BYTE 1004
#define TIME_UNIT_BYTE    124

enum name { ID, SIZE, TIME, OP, TTL, NAMES };

/* A field of a record, a number of 1 to 8 bytes. */
struct field {
    uint32_t offset, bytes; /* 0 bytes = a record has none */
    bool is_signed;
};

struct reader {
    struct margay_block_source source;
    struct field fields[NAMES];
    uint64_t header_bytes;
    uint64_t record_bytes;
    uint64_t tick;     /* in microseconds; 0 = a thousandth of one */
    uint64_t requests; /* from the header; 0 = unknown */
};

static bool is_magic(const void *window, size_t bytes)
{
    return bytes >= sizeof(uint64_t) && margay_get_little(window, 8) == MAGIC;
}

/* -------------------------------------------------------------- header -- */

static void take_version(struct reader *reader, uint64_t version)
{
    static const uint8_t features[VERSIONS + 1] = {0, 0, 0, 0, 1, 2, 4, 8, 16};
    struct field *fields = reader->fields;
    fields[TIME] = (struct field){0, 4, false};
    fields[ID] = (struct field){4, 8, false};
    fields[SIZE] = (struct field){12, version < 3 ? 4 : 8, version >= 3};
    if (version >= 2)
        fields[OP] = (struct field){version == 2 ? 16 : 20, 1, false};
    if (version >= 3)
        fields[TTL] = (struct field){24, 4, true};
    reader->record_bytes = version == 1 ? 24
                           : version == 2
                               ? 28
                               : 36 + features[version] * UINT64_C(4);
}

/* Where each name's number stands among those at NUMBERS_BYTE. */
static const uint8_t places[NAMES] = {
    [ID] = 0, [SIZE] = 1, [TIME] = 2, [OP] = 5, [TTL] = 6};

static const char *take_letters(struct reader *reader,
                                const unsigned char *header)
{
    /* The letters that there are, and how many bytes each stands for. */
    static const char letters[] = "cbBhHiIfqQd", lengths[] = "11122444888";
    uint64_t offset = 0;
    for (unsigned i = 1; i < FIELDS_BYTES && header[FIELDS_BYTE + i] != 0;
         i++) {
        char letter = (char)header[FIELDS_BYTE + i];
        const char *known = strchr(letters, letter);
        if (known == NULL)
            return "fields of the letters c b B h H i I q Q f d";
        uint32_t bytes = (uint32_t)(lengths[known - letters] - '0');
        for (unsigned name = 0; name < NAMES; name++) {
            if (header[NUMBERS_BYTE + places[name]] != i)
                continue;
            if (letter == 'f' || letter == 'd')
                return "whole numbers for id, size, time, op and ttl";
            reader->fields[name] = (struct field){
                (uint32_t)offset, bytes, letter >= 'a' && letter != 'c'};
        }
        offset += bytes;
    }
    reader->record_bytes = offset;
    if (reader->fields[ID].bytes == 0)
        return "the number of the field of ids";
    return margay_get_little(header + RECORD_BYTES_BYTE, 4) == offset
               ? NULL
               : "records as long as their fields";
}

/* The first 1,024 bytes; the rest of a longer header only ends it. */
static const char *take_header(struct reader *reader,
                               const unsigned char *header)
{
    uint64_t version = margay_get_little(header + 8, 8);
    bool is_short = margay_get_little(header + HEADER_BYTES - 8, 8) == MAGIC;
    reader->header_bytes = HEADER_BYTES;
    reader->tick = MARGAY_SECOND;
    if (is_short && header[FIELDS_BYTE] == '<') {
        reader->requests = margay_get_little(header + 488, 8);
        return take_letters(reader, header);
    }
    if (version == 0 || version > VERSIONS)
        return "version 1 to 8, or the fields of a record";
    take_version(reader, version);
    reader->requests = margay_get_little(header + 24, 8);
    uint64_t unit = margay_get_little(header + TIME_UNIT_BYTE, 4);
    if (!is_short)
        reader->header_bytes = LONG_HEADER_BYTES;
    else if (unit >= 2 && unit <= 4)
        reader->tick = unit == 2 ? 1000 : unit == 3;
    return NULL;
}

static enum margay_status read_header(struct reader *reader,
                                      struct margay_error *error)
{
    unsigned char header[LONG_HEADER_BYTES];
    struct margay_intake *intake = reader->source.intake;
    size_t got, rest, more;
    enum margay_status status =
        margay_intake_copy(intake, header, HEADER_BYTES, &got, error);
    if (status != MARGAY_OK)
        return status;
    if (got < HEADER_BYTES || !is_magic(header, got))
        return margay_source_fail_at(
            &reader->source, 0, "another header",
            "one of 1024 bytes that begins with f0debc9a78563412", error);
    const char *expected = take_header(reader, header);
    if (expected != NULL)
        return margay_source_fail_at(&reader->source, 8, "another header",
                                     expected, error);
    rest = (size_t)reader->header_bytes - HEADER_BYTES;
    status = margay_intake_copy(intake, header + got, rest, &more, error);
    if (status == MARGAY_OK &&
        (more < rest || !is_magic(header + got + rest - 8, 8)))
        return margay_source_fail_at(
            &reader->source, reader->header_bytes - 8, "another header",
            "the bytes that end it, there or at byte 1016", error);
    return status;
}

static enum margay_status reader_open(void *state,
                                      struct margay_trace_facts *facts,
                                      struct margay_error *error)
{
    static const unsigned columns[NAMES] = {
        [SIZE] = MARGAY_COLUMN_SIZES,
        [TIME] = MARGAY_COLUMN_TIMES,
        [OP] = MARGAY_COLUMN_OPS | (unsigned)MARGAY_COLUMN_KINDS,
        [TTL] = MARGAY_COLUMN_TTLS,
    };
    struct reader *reader = state;
    enum margay_status status = read_header(reader, error);
    for (unsigned name = 0; name < NAMES && status == MARGAY_OK; name++) {
        if (reader->fields[name].bytes == 0)
            facts->columns &= ~columns[name];
    }
    if (status == MARGAY_OK && reader->fields[OP].bytes == 0)
        facts->kinds = 0;
    return status;
}

/* ------------------------------------------------------------- records -- */

/* Copy a field of `count` records.  Returns whether some are negative. */
static bool copy_field(const char *record, uint64_t record_bytes,
                       struct field field, size_t count, uint64_t *values)
{
    unsigned unused = 64 - 8 * field.bytes;
    uint64_t all = 0;
    record += field.offset;
    for (size_t i = 0; i < count; i++, record += record_bytes) {
        uint64_t value = margay_get_little(record, 8) << unused;
        all |= value;
        values[i] = value >> unused;
    }
    return field.is_signed && all >> 63 != 0;
}

/* The operations of libCacheSim by their numbers, and a bit that there is
   one. */
#define OP_KNOWN 4u
#define GETS     (OP_KNOWN | MARGAY_GET)
#define SETS     (OP_KNOWN | MARGAY_SET)
static const uint8_t operations[256] = {
    [0] = GETS,                     /* none */
    [1] = GETS,                     /* get */
    [2] = GETS,                     /* gets */
    [3] = SETS,                     /* set */
    [4] = SETS,                     /* add */
    [5] = SETS,                     /* cas */
    [6] = SETS,                     /* replace */
    [7] = SETS,                     /* append */
    [8] = SETS,                     /* prepend */
    [9] = OP_KNOWN | MARGAY_DELETE, /* delete */
    [10] = SETS,                    /* incr */
    [11] = SETS,                    /* decr */
    [12] = GETS,                    /* read */
    [13] = SETS,                    /* write */
    [14] = SETS,                    /* update */
    [255] = GETS,                   /* invalid */
};

static const char *copy_ops(const struct reader *reader, const char *record,
                            size_t count, const struct margay_references *batch)
{
    uint8_t *kinds = batch->kinds + batch->count;
    struct field field = reader->fields[OP];
    unsigned unused = 64 - 8 * field.bytes, all = OP_KNOWN;
    record += field.offset;
    for (size_t i = 0; i < count; i++, record += reader->record_bytes) {
        uint64_t number = margay_get_little(record, 8) << unused >> unused;
        unsigned found = number <= UINT8_MAX ? operations[number] : 0;
        all &= found;
        kinds[i] = found == GETS ? MARGAY_READ : MARGAY_WRITE;
        if (batch->ops != NULL)
            batch->ops[batch->count + i] = found % OP_KNOWN;
    }
    return all != 0 ? NULL : "an operation from 0 to 14";
}

/* Append `count` records, one column after the other.  Returns what was
   expected instead of some of them, and then appends none. */
static const char *append(const struct reader *reader, const char *records,
                          size_t count, struct margay_references *batch)
{
    const struct field *fields = reader->fields;
    size_t at = batch->count;
    uint64_t bytes = reader->record_bytes, tick = reader->tick;
    copy_field(records, bytes, fields[ID], count, batch->numbers + at);
    if (batch->sizes != NULL && fields[SIZE].bytes != 0 &&
        copy_field(records, bytes, fields[SIZE], count, batch->sizes + at))
        return "a size of 0 or more";
    bool timed = batch->times != NULL && fields[TIME].bytes != 0;
    if (timed &&
        copy_field(records, bytes, fields[TIME], count, batch->times + at))
        return "a time of 0 or more";
    for (size_t i = at; timed && i < at + count; i++) {
        if (tick == 0)
            batch->times[i] /= 1000;
        else if (!margay_multiply_u64(batch->times[i], tick, &batch->times[i]))
            return MARGAY_EXPECTS_TIME;
    }
    if (batch->ttls != NULL && fields[TTL].bytes != 0) {
        uint64_t highest = UINT64_C(1) << (8 * fields[TTL].bytes - 1);
        uint64_t *ttls = batch->ttls + at;
        copy_field(records, bytes, fields[TTL], count, ttls);
        for (size_t i = 0; i < count; i++) {
            if (ttls[i] == 0 || (fields[TTL].is_signed && ttls[i] >= highest))
                ttls[i] = UINT64_MAX;
        }
    }
    const char *expected = NULL;
    if (fields[OP].bytes != 0)
        expected = copy_ops(reader, records, count, batch);
    else
        memset(batch->kinds + at, MARGAY_READ, count);
    batch->count += expected == NULL ? count : 0;
    return expected;
}

/* The file has all records that the header announces. */
static enum margay_status end_trace(const struct reader *reader,
                                    struct margay_error *error)
{
    char found[80], expected[80];
    const struct margay_intake *intake = reader->source.intake;
    uint64_t records = (margay_intake_offset(intake) - reader->header_bytes) /
                       reader->record_bytes;
    if (margay_intake_left(intake) > 0)
        return margay_source_fail_half(&reader->source,
                                       (size_t)reader->record_bytes, error);
    if (reader->requests <= records)
        return MARGAY_END;
    snprintf(found, sizeof found, "the end after %llu record%s",
             (unsigned long long)records, margay_plural(records, "s"));
    snprintf(expected, sizeof expected, "the %llu that the header tells",
             (unsigned long long)reader->requests);
    return margay_source_fail(&reader->source, found, expected, error);
}

static enum margay_status fill(void *state, struct margay_references *batch,
                               struct margay_error *error)
{
    struct reader *reader = state;
    struct margay_intake *intake = reader->source.intake;
    size_t each = (size_t)reader->record_bytes;
    enum margay_status status = margay_intake_hold(intake, each, error);
    if (status != MARGAY_OK)
        return status;
    size_t records = margay_intake_left(intake) / each;
    size_t room = batch->capacity - batch->count;
    size_t count = records < room ? records : room;
    const char *first = intake->held + intake->begin;
    if (records == 0)
        return end_trace(reader, error);
    const char *expected = append(reader, first, count, batch);
    /* One of them is wrong: give those before it. */
    if (expected != NULL)
        for (count = 0; append(reader, first + count * each, 1, batch) == NULL;)
            count++;
    intake->begin += count * each;
    return expected == NULL
               ? MARGAY_OK
               : margay_source_fail(&reader->source, "another record", expected,
                                    error);
}

static enum margay_status skip(void *state, uint64_t skip_refs,
                               struct margay_skipped *skipped,
                               struct margay_error *error)
{
    struct reader *reader = state;
    uint64_t bytes = reader->source.plain_bytes;
    (void)error;
    if (bytes < reader->header_bytes)
        return MARGAY_OK;
    uint64_t refs = (bytes - reader->header_bytes) / reader->record_bytes;
    *skipped = (struct margay_skipped){true, refs,
                                       skip_refs < refs ? skip_refs : refs};
    if (skipped->skipped > 0)
        margay_intake_go_to(reader->source.intake,
                            reader->header_bytes +
                                skipped->skipped * reader->record_bytes);
    return MARGAY_OK;
}

static const struct margay_blocks_reading reading = {
    .state_bytes = sizeof(struct reader),
    .open = reader_open,
    .skip = skip,
    .fill = fill,
};

const struct margay_format margay_format_lcs = {
    .info = {.name = "lcs",
             .description = "libCacheSim's own records, versions 1 to 8",
             .suffixes = "lcs",
             .numbers = MARGAY_IDS,
             .columns = MARGAY_OBJECT_COLUMNS | (unsigned)MARGAY_COLUMN_KINDS,
             .kinds = MARGAY_READS_AND_WRITES},
    .is_magic = is_magic,
    .reading = &reading,
};
