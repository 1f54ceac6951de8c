/*
 * gem5.c - packet traces of gem5's communication monitors and probes
 *
 * Source: gem5's packet.proto, and protobuf's encoding.  Behind "gem5" stand
 *   messages, each behind its length: a header, then packets, of which fields
 *   2 to 5 and 7 are command, address, size, flags and the address of the
 *   instruction, where it is known.
 * Guarantee: all fields that matter are varints, numbers of 7 bits a byte, so
 *   a loop reads them, and no library of protobuf is needed; fields of other
 *   encodings and numbers are passed over.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/base/extent.h"
#include "traces/formats/bytes.h"

#define MAGIC_BYTES  4
#define VARINT_BYTES 10
#define MOST_MESSAGE (MARGAY_BYTES_HELD - VARINT_BYTES)

enum field { COMMAND = 2, ADDRESS = 3, SIZE = 4, FLAGS = 5, SITE = 7, FIELDS };

#define INSTRUCTION_FETCH UINT64_C(0x100) /* of the flags */

/* The commands that read or write, as current versions number them; only the
   first five have always been these.  Prefetches, upgrades of a block and
   responses are no references. */
static const uint8_t commands[] = {
#define READS  1
#define WRITES 2
    [1] = READS,   /* ReadReq */
    [4] = WRITES,  /* WriteReq */
    [7] = WRITES,  /* WritebackDirty */
    [8] = WRITES,  /* WritebackClean */
    [9] = WRITES,  /* WriteClean */
    [16] = WRITES, /* WriteLineReq */
    [22] = READS,  /* ReadExReq */
    [24] = READS,  /* ReadCleanReq */
    [25] = READS,  /* ReadSharedReq */
    [26] = READS,  /* LoadLockedReq */
    [27] = WRITES, /* StoreCondReq */
};

/* A message, whose bytes are in the window. */
struct message {
    size_t length_bytes; /* its length, */
    size_t bytes;        /* and what stands behind that */
};

static bool is_magic(const void *window, size_t bytes)
{
    /* Behind the length of the header stands the tag of its first field. */
    const unsigned char *byte = window;
    return bytes >= 8 && memcmp(window, "gem5", MAGIC_BYTES) == 0 &&
           (byte[5] == 0x0a || byte[6] == 0x0a);
}

static const unsigned char *read_varint(const unsigned char *from,
                                        const unsigned char *end,
                                        uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; from < end && shift < 64; shift += 7, from++) {
        *value |= (uint64_t)(*from & 0x7f) << shift;
        if (*from < 0x80)
            return from + 1;
    }
    return NULL;
}

/* Pass a value that is no varint. */
static const unsigned char *pass_value(const unsigned char *from,
                                       const unsigned char *end, unsigned wire)
{
    uint64_t bytes = wire == 1 ? 8 : 4;
    if (wire == 2)
        from = read_varint(from, end, &bytes);
    else if (wire != 1 && wire != 5)
        return NULL;
    return from != NULL && bytes <= (uint64_t)(end - from) ? from + bytes
                                                           : NULL;
}

/* The fields of a packet, 0 where it lacks one; false: it is none. */
static bool take_fields(const unsigned char *from, size_t bytes,
                        uint64_t fields[FIELDS])
{
    const unsigned char *end = from + bytes;
    uint64_t key, value;
    memset(fields, 0, FIELDS * sizeof *fields);
    while (from != NULL && from < end) {
        from = read_varint(from, end, &key);
        if (from == NULL)
            return false;
        if ((key & 7) != 0) {
            from = pass_value(from, end, key & 7);
            continue;
        }
        from = read_varint(from, end, &value);
        if (key >> 3 < FIELDS)
            fields[key >> 3] = value;
    }
    return from != NULL && fields[SIZE] <= UINT32_MAX;
}

static enum margay_status fail(const struct margay_bytes *bytes,
                               const char *found, const char *expected,
                               struct margay_error *error)
{
    return margay_bytes_fail(bytes, "gem5", found, expected, error);
}

/* Is the next message in the window?  *expected: there is none such. */
static bool holds_message(const struct margay_bytes *bytes,
                          struct message *message, const char **expected)
{
    const unsigned char *first = margay_bytes_at(bytes);
    const unsigned char *end = first + margay_bytes_left(bytes);
    uint64_t length;
    const unsigned char *after = read_varint(first, end, &length);
    *expected = NULL;
    if (after == NULL && margay_bytes_left(bytes) < VARINT_BYTES)
        return false;
    if (after == NULL || length > MOST_MESSAGE) {
        *expected = "a message of at most 65526 bytes";
        return false;
    }
    message->length_bytes = (size_t)(after - first);
    message->bytes = (size_t)length;
    return message->length_bytes + message->bytes <= margay_bytes_left(bytes);
}

/* Have the next message in the window.  MARGAY_END: there is none. */
static enum margay_status need_message(struct margay_bytes *bytes,
                                       struct message *message,
                                       struct margay_error *error)
{
    const char *expected;
    while (!holds_message(bytes, message, &expected)) {
        size_t left = margay_bytes_left(bytes);
        if (expected != NULL)
            return fail(bytes, "another message", expected, error);
        enum margay_status status = margay_bytes_need(bytes, left + 1, error);
        if (status != MARGAY_OK)
            return status;
        if (margay_bytes_left(bytes) > left)
            continue;
        return left == 0 ? MARGAY_END
                         : fail(bytes, "half a message", "a whole one", error);
    }
    return MARGAY_OK;
}

/* The first packet tells whether instructions are known. */
static enum margay_status look_at_first(struct margay_bytes *bytes,
                                        struct margay_trace_facts *facts,
                                        struct margay_error *error)
{
    uint64_t fields[FIELDS];
    struct message message;
    enum margay_status status = margay_bytes_need(bytes, MAGIC_BYTES, error);
    if (status != MARGAY_OK)
        return status;
    if (margay_bytes_left(bytes) < MAGIC_BYTES ||
        memcmp(margay_bytes_at(bytes), "gem5", MAGIC_BYTES) != 0)
        return fail(bytes, "another beginning", "gem5", error);
    margay_bytes_pass(bytes, MAGIC_BYTES);
    status = need_message(bytes, &message, error);
    if (status == MARGAY_OK) {
        margay_bytes_pass(bytes, message.length_bytes + message.bytes);
        status = need_message(bytes, &message, error);
    }
    if (status == MARGAY_OK &&
        take_fields(margay_bytes_at(bytes) + message.length_bytes,
                    message.bytes, fields) &&
        fields[SITE] == 0)
        facts->columns &= ~(unsigned)MARGAY_COLUMN_SITES;
    return status == MARGAY_END ? MARGAY_OK : status;
}

static enum margay_status reader_open(const struct margay_block_source *source,
                                      void **state,
                                      struct margay_trace_facts *facts,
                                      struct margay_error *error)
{
    struct margay_bytes *bytes = margay_bytes_create(source);
    *state = NULL;
    if (bytes == NULL)
        return margay_fail_memory(error, "a reader of traces");
    enum margay_status status = look_at_first(bytes, facts, error);
    if (status == MARGAY_OK)
        *state = bytes;
    else
        free(bytes);
    return status;
}

static void append(const uint64_t fields[FIELDS],
                   struct margay_references *batch)
{
    uint64_t command = fields[COMMAND];
    unsigned does = command < sizeof commands ? commands[command] : 0;
    if (does == 0)
        return;
    size_t at = batch->count++;
    batch->numbers[at] = fields[ADDRESS];
    batch->kinds[at] = does == WRITES                        ? MARGAY_WRITE
                       : (fields[FLAGS] & INSTRUCTION_FETCH) ? MARGAY_FETCH
                                                             : MARGAY_READ;
    batch->extents[at] = fields[SIZE] == 0 ? 1 : (uint32_t)fields[SIZE];
    batch->sites[at] = fields[SITE];
}

static enum margay_status fill(void *state, struct margay_references *batch,
                               struct margay_error *error)
{
    struct margay_bytes *bytes = state;
    struct message message;
    uint64_t fields[FIELDS];
    const char *expected;
    while (batch->count < batch->capacity) {
        /* Many messages are no references; wait until one is. */
        if (batch->count > 0 && !holds_message(bytes, &message, &expected))
            break;
        enum margay_status status = need_message(bytes, &message, error);
        if (status != MARGAY_OK)
            return status;
        const unsigned char *first =
            margay_bytes_at(bytes) + message.length_bytes;
        if (!take_fields(first, message.bytes, fields) ||
            margay_extent_passes(fields[ADDRESS], fields[SIZE]))
            return fail(bytes, "another message",
                        "a packet of a size below 4294967296 that ends within "
                        "64 bits",
                        error);
        append(fields, batch);
        margay_bytes_pass(bytes, message.length_bytes + message.bytes);
    }
    return MARGAY_OK;
}

static const struct margay_blocks_reading reading = {
    .is_magic = is_magic,
    .open = reader_open,
    .free_state = free,
    .skip = margay_bytes_skip,
    .fill = fill,
};

const struct margay_format margay_format_gem5 = {
    .info = {.name = "gem5",
             .description = "gem5's packet traces (protobuf)",
             .suffixes = "gem5",
             .numbers = MARGAY_ADDRESSES,
             .unit_bytes = 1,
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS |
                        MARGAY_COLUMN_SITES,
             .kinds = MARGAY_ALL_KINDS},
    .reading = &reading,
};
