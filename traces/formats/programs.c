/*
 * programs.c - binary traces of programs by other tools
 *
 * champsim and gem5 are simulators, drmemtrace instruments a program.  An
 * instruction or a message makes any number of references, so each format reads
 * its bytes through a window (bytes.h).
 */
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/base/extent.h"
#include "traces/base/grow.h"
#include "traces/formats/bytes.h"

/* -------------------------------------------------------------- champsim -- */

/*
 * Traces of ChampSim: 64 bytes an instruction, little-endian
 *
 *     0  u64     address of the instruction
 *     8  u8      1 = it is a branch
 *     9  u8      1 = which was taken
 *    10  u8[6]   registers
 *    16  u64[2]  addresses in memory that it writes, 0 = none
 *    32  u64[4]  addresses in memory that it reads, 0 = none
 *
 * An instruction is a fetch at its address, then its reads, then its writes.
 * The format does not have their extents.
 */
#define CHAMPSIM_RECORD_BYTES 64
#define BRANCH_BYTE           8
#define TAKEN_BYTE            9
#define WRITES_BYTE           16
#define READS_BYTE            32
#define WRITE_ADDRESSES       2
#define READ_ADDRESSES        4
#define CHAMPSIM_MOST         (1 + READ_ADDRESSES + WRITE_ADDRESSES)

/* This many records of another format do not fit by chance. */
#define CERTAIN_RECORDS 16

static bool is_record(const unsigned char *record)
{
    return margay_get_little(record, 8) != 0 && record[BRANCH_BYTE] <= 1 &&
           record[TAKEN_BYTE] <= 1;
}

static bool champsim_is_plausible(const void *records, size_t count,
                                  bool *certain)
{
    const unsigned char *record = records;
    size_t branches = 0, addresses = 0;
    for (size_t i = 0; i < count; i++, record += CHAMPSIM_RECORD_BYTES) {
        if (!is_record(record) || record[TAKEN_BYTE] > record[BRANCH_BYTE])
            return false;
        branches += record[BRANCH_BYTE];
        addresses += margay_get_little(record + READS_BYTE, 8) != 0;
    }
    *certain = count >= CERTAIN_RECORDS && branches > 0 && addresses > 0;
    return true;
}

/* Append those of `count` addresses that are not 0. */
static void champsim_append(struct margay_references *batch,
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

static enum margay_status champsim_fill(void *state,
                                        struct margay_references *batch,
                                        struct margay_error *error)
{
    struct margay_bytes *bytes = state;
    enum margay_status status =
        margay_bytes_need(bytes, CHAMPSIM_RECORD_BYTES, error);
    if (status != MARGAY_OK)
        return status;
    if (margay_bytes_left(bytes) < CHAMPSIM_RECORD_BYTES)
        return margay_bytes_end(bytes, CHAMPSIM_RECORD_BYTES, error);
    while (margay_bytes_left(bytes) >= CHAMPSIM_RECORD_BYTES &&
           batch->count + CHAMPSIM_MOST <= batch->capacity) {
        const unsigned char *record = margay_bytes_at(bytes);
        if (!is_record(record))
            return margay_bytes_fail(bytes, 0, "another record",
                                     "an address of an instruction, and 0 or 1 "
                                     "in bytes 8 and 9",
                                     error);
        uint64_t site = margay_get_little(record, 8);
        champsim_append(batch, record, 1, MARGAY_FETCH, site);
        champsim_append(batch, record + READS_BYTE, READ_ADDRESSES, MARGAY_READ,
                        site);
        champsim_append(batch, record + WRITES_BYTE, WRITE_ADDRESSES,
                        MARGAY_WRITE, site);
        margay_bytes_pass(bytes, CHAMPSIM_RECORD_BYTES);
    }
    return MARGAY_OK;
}

static const struct margay_blocks_reading champsim_reading = {
    .record_bytes = CHAMPSIM_RECORD_BYTES,
    .state_bytes = sizeof(struct margay_bytes),
    .fill = champsim_fill,
};

const struct margay_format margay_format_champsim = {
    .info = {.name = "champsim",
             .description = "ChampSim, 64 bytes an instruction",
             .suffixes = "champsim champsimtrace",
             MARGAY_BYTE_ADDRESSES,
             .writable = true,
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_SITES,
             .kinds = MARGAY_ALL_KINDS},
    .reading = &champsim_reading,
    .writing = &margay_champsim_writing,
    .is_plausible = champsim_is_plausible,
};

/* ------------------------------------------------------------------ gem5 -- */

/*
 * Packet traces of gem5's communication monitors and probes
 *
 * Source: gem5's packet.proto, and protobuf's encoding.  After "gem5" stand
 *   messages, each after its length: a header, then packets, of which fields
 *   2 to 5 and 7 are command, address, size, flags and the address of the
 *   instruction, where it is known.
 * Guarantee: all fields that matter are varints, numbers of 7 bits a byte, so a
 *   loop reads them, and no library of protobuf is needed; other fields are
 *   skipped.
 */
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
    size_t bytes;        /* and the bytes after that */
};

static bool gem5_is_magic(const void *window, size_t bytes)
{
    /* After the length of the header stands the tag of its first field. */
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

/* Is the next message in the window?  *expected is set if it cannot be one. */
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
            return margay_bytes_fail(bytes, 0, "another message", expected,
                                     error);
        enum margay_status status = margay_bytes_need(bytes, left + 1, error);
        if (status != MARGAY_OK)
            return status;
        if (margay_bytes_left(bytes) > left)
            continue;
        return left == 0 ? MARGAY_END
                         : margay_bytes_fail(bytes, 0, "half a message",
                                             "a whole one", error);
    }
    return MARGAY_OK;
}

/* The first packet shows whether instructions are known. */
static enum margay_status gem5_open(void *state,
                                    struct margay_trace_facts *facts,
                                    struct margay_error *error)
{
    struct margay_bytes *bytes = state;
    uint64_t fields[FIELDS];
    struct message message;
    enum margay_status status = margay_bytes_need(bytes, MAGIC_BYTES, error);
    if (status != MARGAY_OK)
        return status;
    if (margay_bytes_left(bytes) < MAGIC_BYTES ||
        memcmp(margay_bytes_at(bytes), "gem5", MAGIC_BYTES) != 0)
        return margay_bytes_fail(bytes, 0, "another beginning", "gem5", error);
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

static void gem5_append(const uint64_t fields[FIELDS],
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

static enum margay_status gem5_fill(void *state,
                                    struct margay_references *batch,
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
            return margay_bytes_fail(
                bytes, 0, "another message",
                "a packet of a size below 4294967296 that ends within "
                "64 bits",
                error);
        gem5_append(fields, batch);
        margay_bytes_pass(bytes, message.length_bytes + message.bytes);
    }
    return MARGAY_OK;
}

static const struct margay_blocks_reading gem5_reading = {
    .is_magic = gem5_is_magic,
    .state_bytes = sizeof(struct margay_bytes),
    .open = gem5_open,
    .fill = gem5_fill,
};

const struct margay_format margay_format_gem5 = {
    .info = {.name = "gem5",
             .description = "gem5's packet traces (protobuf)",
             .suffixes = "gem5",
             MARGAY_BYTE_ADDRESSES,
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS |
                        MARGAY_COLUMN_SITES,
             .kinds = MARGAY_ALL_KINDS},
    .reading = &gem5_reading,
};

/* ------------------------------------------------------------ drmemtrace -- */

/*
 * Offline traces of DynamoRIO's drmemtrace
 *
 * Source: the records of trace_entry.h: 12 bytes, little-endian, of u16 type,
 *   u16 size and u64 address or value.  A trace begins with a header, holds one
 *   thread, or several in turn, and ends with a footer.  A gz file, or the
 *   members of a zip, put together, are such a trace.
 *
 * Instructions are fetches; their reads and writes follow them.  Prefetches,
 * flushes, markers and the bytes of instructions are no references.  Threads
 * are numbered from 0, in the order in which they first appear, and not by the
 * system's numbers.
 */
#define DRMEMTRACE_RECORD_BYTES 12
#define DRMEMTRACE_MOST         8 /* instructions of a bundle */
#define MOST_THREADS            65536

enum type {
    TYPE_READ = 0,
    TYPE_WRITE = 1,
    TYPE_INSTRUCTION = 10, /* to 16 */
    TYPE_LAST_BRANCH = 16,
    TYPE_BUNDLE = 17,
    TYPE_THREAD = 22,
    TYPE_HEADER = 25,
    TYPE_FOOTER = 26,
    TYPE_NO_FETCH = 29,
    TYPE_MAYBE_FETCH = 30,
    TYPE_SYSENTER = 31,
    TYPE_TAKEN_JUMP = 48,
    TYPE_UNTAKEN_JUMP = 49,
    TYPES
};

struct reader {
    struct margay_bytes bytes;
    uint64_t site; /* of the last instruction, */
    uint64_t next; /* and the address after it */
    uint32_t thread;
    uint64_t *numbers; /* numbers of the system, by thread; owned */
    size_t thread_count, thread_capacity;
    bool ended; /* a footer was the last record */
};

/* The type and the size of the header, and a version below 256. */
static bool drmemtrace_is_magic(const void *window, size_t bytes)
{
    return bytes >= 8 && margay_get_little(window, 4) == TYPE_HEADER &&
           margay_get_little((const char *)window + 4, 4) - 1 < 255;
}

static void drmemtrace_clear(void *state)
{
    free(((struct reader *)state)->numbers);
}

/* Go on with the thread of this number. */
static enum margay_status take_thread(struct reader *reader, uint64_t number,
                                      struct margay_error *error)
{
    size_t thread = 0;
    while (thread < reader->thread_count && reader->numbers[thread] != number)
        thread++;
    reader->thread = (uint32_t)thread;
    if (thread < reader->thread_count)
        return MARGAY_OK;
    if (thread == MOST_THREADS)
        return margay_bytes_fail(&reader->bytes, 0, "another thread",
                                 "at most 65536", error);
    if (!MARGAY_MAKE_ROOM(reader->numbers, reader->thread_count, 1,
                          reader->thread_capacity))
        return margay_fail_memory(error, "the threads of a trace");
    reader->numbers[reader->thread_count++] = number;
    return MARGAY_OK;
}

static void drmemtrace_append(struct reader *reader,
                              struct margay_references *batch,
                              enum margay_kind kind, uint64_t address,
                              uint32_t size)
{
    size_t at = batch->count++;
    batch->numbers[at] = address;
    batch->kinds[at] = (uint8_t)kind;
    batch->extents[at] = size == 0 ? 1 : size;
    batch->sites[at] = reader->site;
    batch->threads[at] = reader->thread;
}

/* Go on with an instruction, and append its fetch. */
static void append_fetch(struct reader *reader, struct margay_references *batch,
                         uint64_t address, uint32_t size)
{
    reader->site = address;
    reader->next = address + size;
    drmemtrace_append(reader, batch, MARGAY_FETCH, address, size);
}

/* Returns NULL, or what was expected. */
static const char *take_record(struct reader *reader,
                               const unsigned char *record,
                               struct margay_references *batch)
{
    unsigned type = (unsigned)margay_get_little(record, 2);
    uint32_t size = (uint32_t)margay_get_little(record + 2, 2);
    uint64_t value = margay_get_little(record + 4, 8);
    reader->ended = type == TYPE_FOOTER;
    if (type <= TYPE_WRITE)
        drmemtrace_append(reader, batch,
                          type == TYPE_READ ? MARGAY_READ : MARGAY_WRITE, value,
                          size);
    else if ((type >= TYPE_INSTRUCTION && type <= TYPE_LAST_BRANCH) ||
             type == TYPE_SYSENTER || type == TYPE_TAKEN_JUMP ||
             type == TYPE_UNTAKEN_JUMP)
        append_fetch(reader, batch, value, size);
    /* The lengths of up to eight instructions after the last. */
    for (uint32_t i = 0; type == TYPE_BUNDLE && i < size && i < DRMEMTRACE_MOST;
         i++)
        append_fetch(reader, batch, reader->next, record[4 + i]);
    /* A repetition of an instruction is fetched once. */
    if (type == TYPE_MAYBE_FETCH && value != reader->site)
        append_fetch(reader, batch, value, size);
    if (type == TYPE_NO_FETCH) {
        reader->site = value;
        reader->next = value + size;
    }
    return type < TYPES ? NULL : "a type of 0 to 49";
}

static enum margay_status drmemtrace_fill(void *state,
                                          struct margay_references *batch,
                                          struct margay_error *error)
{
    struct reader *reader = state;
    struct margay_bytes *bytes = &reader->bytes;
    while (batch->count + DRMEMTRACE_MOST <= batch->capacity) {
        /* Many records are no references; wait until one is. */
        size_t wanted = batch->count == 0 ? DRMEMTRACE_RECORD_BYTES : 0;
        enum margay_status status = margay_bytes_need(bytes, wanted, error);
        if (status != MARGAY_OK)
            return status;
        if (margay_bytes_left(bytes) < DRMEMTRACE_RECORD_BYTES)
            break;
        const unsigned char *record = margay_bytes_at(bytes);
        if (margay_get_little(record, 2) == TYPE_THREAD)
            status =
                take_thread(reader, margay_get_little(record + 4, 8), error);
        if (status != MARGAY_OK)
            return status;
        size_t before = batch->count;
        const char *expected = take_record(reader, record, batch);
        for (size_t i = before; i < batch->count && expected == NULL; i++) {
            if (margay_extent_passes(batch->numbers[i], batch->extents[i]))
                expected = MARGAY_EXPECTS_END;
        }
        if (expected != NULL)
            batch->count = before;
        if (expected != NULL)
            return margay_bytes_fail(bytes, 0, "another record", expected,
                                     error);
        margay_bytes_pass(bytes, DRMEMTRACE_RECORD_BYTES);
    }
    if (batch->count > 0)
        return MARGAY_OK;
    return margay_bytes_left(bytes) > 0 || reader->ended
               ? margay_bytes_end(bytes, DRMEMTRACE_RECORD_BYTES, error)
               : margay_bytes_fail(bytes, 0, "the end", "a footer before",
                                   error);
}

static const struct margay_blocks_reading drmemtrace_reading = {
    .is_magic = drmemtrace_is_magic,
    .state_bytes = sizeof(struct reader),
    .clear = drmemtrace_clear,
    .fill = drmemtrace_fill,
};

const struct margay_format margay_format_drmemtrace = {
    .info = {.name = "drmemtrace",
             .description = "DynamoRIO's drmemtrace, offline, a file a thread",
             .suffixes = "drmemtrace",
             MARGAY_BYTE_ADDRESSES,
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS |
                        MARGAY_COLUMN_THREADS | MARGAY_COLUMN_SITES,
             .kinds = MARGAY_ALL_KINDS},
    .reading = &drmemtrace_reading,
};
