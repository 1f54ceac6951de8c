/*
 * programs.c - binary traces of programs by other tools
 *
 * champsim and gem5 are simulators, drmemtrace instruments a program.  An
 * instruction or a message makes any number of references.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"
#include "traces/base/extent.h"
#include "traces/formats/blocks_format.h"
#include "traces/formats/names.h"

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

static bool is_record(const void *record)
{
    const unsigned char *bytes = record;
    return margay_get_little(record, 8) != 0 && bytes[BRANCH_BYTE] <= 1 &&
           bytes[TAKEN_BYTE] <= 1;
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
                            const char *addresses, unsigned count,
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

static const char *champsim_unpack(struct margay_text *records,
                                   struct margay_references *batch)
{
    for (; records->cursor < records->end;
         records->cursor += CHAMPSIM_RECORD_BYTES) {
        const char *record = records->cursor;
        if (!is_record(record))
            return "an address of an instruction, and 0 or 1 in bytes 8 and 9";
        uint64_t site = margay_get_little(record, 8);
        champsim_append(batch, record, 1, MARGAY_FETCH, site);
        champsim_append(batch, record + READS_BYTE, READ_ADDRESSES, MARGAY_READ,
                        site);
        champsim_append(batch, record + WRITES_BYTE, WRITE_ADDRESSES,
                        MARGAY_WRITE, site);
    }
    return NULL;
}

const struct margay_format margay_format_champsim = {
    .info = {.name = "champsim",
             .description = "ChampSim, 64 bytes an instruction",
             .suffixes = "champsim champsimtrace",
             MARGAY_BYTE_ADDRESSES,
             .writable = true,
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_SITES,
             .kinds = MARGAY_ALL_KINDS},
    .record_bytes = CHAMPSIM_RECORD_BYTES,
    .record_references = CHAMPSIM_MOST,
    .decode = champsim_unpack,
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
#define MOST_MESSAGE (MARGAY_LINE_BYTES - VARINT_BYTES)

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

/* A message that is held. */
struct message {
    const unsigned char *fields;
    size_t bytes;        /* of its fields, */
    size_t length_bytes; /* and of their length before them */
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

/* Is the next message held?  *expected is set if it cannot be one. */
static bool holds_message(const struct margay_intake *intake,
                          struct message *message, const char **expected)
{
    size_t left = margay_intake_left(intake);
    const unsigned char *first =
        (const unsigned char *)intake->held + intake->begin;
    uint64_t length;
    message->fields = read_varint(first, first + left, &length);
    *expected = NULL;
    if (message->fields == NULL && left < VARINT_BYTES)
        return false;
    if (message->fields == NULL || length > MOST_MESSAGE) {
        *expected = "a message of at most 65526 bytes";
        return false;
    }
    message->length_bytes = (size_t)(message->fields - first);
    message->bytes = (size_t)length;
    return message->length_bytes + message->bytes <= left;
}

/* Hold the next message.  MARGAY_END: there is none. */
static enum margay_status need_message(const struct margay_block_source *source,
                                       struct message *message,
                                       struct margay_error *error)
{
    const char *expected;
    while (!holds_message(source->intake, message, &expected)) {
        size_t left = margay_intake_left(source->intake);
        if (expected != NULL)
            return margay_source_fail(source, "another message", expected,
                                      error);
        enum margay_status status =
            margay_intake_hold(source->intake, left + 1, error);
        if (status != MARGAY_OK)
            return status;
        if (margay_intake_left(source->intake) == left)
            return left == 0 ? MARGAY_END
                             : margay_source_fail(source, "half a message",
                                                  "a whole one", error);
    }
    return MARGAY_OK;
}

static void pass_message(struct margay_intake *intake,
                         const struct message *message)
{
    intake->begin += message->length_bytes + message->bytes;
}

/* The first packet shows whether instructions are known. */
static enum margay_status gem5_open(void *state,
                                    struct margay_trace_facts *facts,
                                    struct margay_error *error)
{
    const struct margay_block_source *source = state;
    struct margay_intake *intake = source->intake;
    uint64_t fields[FIELDS];
    struct message message;
    enum margay_status status = margay_intake_hold(intake, MAGIC_BYTES, error);
    if (status != MARGAY_OK)
        return status;
    if (margay_intake_left(intake) < MAGIC_BYTES ||
        memcmp(intake->held + intake->begin, "gem5", MAGIC_BYTES) != 0)
        return margay_source_fail(source, "another beginning", "gem5", error);
    intake->begin += MAGIC_BYTES;
    status = need_message(source, &message, error);
    if (status == MARGAY_OK) {
        pass_message(intake, &message);
        status = need_message(source, &message, error);
    }
    if (status == MARGAY_OK &&
        take_fields(message.fields, message.bytes, fields) && fields[SITE] == 0)
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
    const struct margay_block_source *source = state;
    struct message message;
    uint64_t fields[FIELDS];
    const char *expected;
    while (batch->count < batch->capacity) {
        /* Many messages are no references; wait until one is. */
        if (batch->count > 0 &&
            !holds_message(source->intake, &message, &expected))
            break;
        enum margay_status status = need_message(source, &message, error);
        if (status != MARGAY_OK)
            return status;
        if (!take_fields(message.fields, message.bytes, fields) ||
            margay_extent_passes(fields[ADDRESS], fields[SIZE]))
            return margay_source_fail(
                source, "another message",
                "a packet of a size below 4294967296 that ends "
                "within 64 bits",
                error);
        gem5_append(fields, batch);
        pass_message(source->intake, &message);
    }
    return MARGAY_OK;
}

static const struct margay_blocks_reading gem5_reading = {
    .state_bytes = sizeof(struct margay_block_source),
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
    .is_magic = gem5_is_magic,
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

struct threads {
    uint64_t site; /* of the last instruction, */
    uint64_t next; /* and the address after it */
    uint32_t thread;
    struct margay_names *numbers; /* of the system, as bytes; owned */
    bool ended;                   /* a footer was the last record */
};

/* The type and the size of the header, and a version below 256. */
static bool drmemtrace_is_magic(const void *window, size_t bytes)
{
    return bytes >= 8 && margay_get_little(window, 4) == TYPE_HEADER &&
           margay_get_little((const char *)window + 4, 4) - 1 < 255;
}

static void *drmemtrace_create(const struct margay_state_options *options)
{
    struct threads *threads = calloc(1, sizeof *threads);
    (void)options;
    if (threads != NULL && (threads->numbers = margay_names_create()) == NULL) {
        free(threads);
        return NULL;
    }
    return threads;
}

static void drmemtrace_free(void *state)
{
    margay_names_free(((struct threads *)state)->numbers);
    free(state);
}

/* Go on with the thread of this number.  Returns NULL, or what was expected. */
static const char *take_thread(struct threads *threads, uint64_t number)
{
    if (!margay_names_number(threads->numbers, (const char *)&number,
                             sizeof number, &threads->thread))
        return "threads for which there is memory";
    return threads->thread < MOST_THREADS ? NULL : "at most 65536 threads";
}

static void drmemtrace_append(struct threads *threads,
                              struct margay_references *batch,
                              enum margay_kind kind, uint64_t address,
                              uint32_t size)
{
    size_t at = batch->count++;
    batch->numbers[at] = address;
    batch->kinds[at] = (uint8_t)kind;
    batch->extents[at] = size == 0 ? 1 : size;
    batch->sites[at] = threads->site;
    batch->threads[at] = threads->thread;
}

/* Go on with an instruction, and append its fetch. */
static void append_fetch(struct threads *threads,
                         struct margay_references *batch, uint64_t address,
                         uint32_t size)
{
    threads->site = address;
    threads->next = address + size;
    drmemtrace_append(threads, batch, MARGAY_FETCH, address, size);
}

/* Returns NULL, or what was expected. */
static const char *take_record(struct threads *threads, const char *record,
                               struct margay_references *batch)
{
    unsigned type = (unsigned)margay_get_little(record, 2);
    uint32_t size = (uint32_t)margay_get_little(record + 2, 2);
    uint64_t value = margay_get_little(record + 4, 8);
    threads->ended = type == TYPE_FOOTER;
    if (type <= TYPE_WRITE)
        drmemtrace_append(threads, batch,
                          type == TYPE_READ ? MARGAY_READ : MARGAY_WRITE, value,
                          size);
    else if ((type >= TYPE_INSTRUCTION && type <= TYPE_LAST_BRANCH) ||
             type == TYPE_SYSENTER || type == TYPE_TAKEN_JUMP ||
             type == TYPE_UNTAKEN_JUMP)
        append_fetch(threads, batch, value, size);
    /* The lengths of up to eight instructions after the last. */
    for (uint32_t i = 0; type == TYPE_BUNDLE && i < size && i < DRMEMTRACE_MOST;
         i++)
        append_fetch(threads, batch, threads->next,
                     (unsigned char)record[4 + i]);
    /* A repetition of an instruction is fetched once. */
    if (type == TYPE_MAYBE_FETCH && value != threads->site)
        append_fetch(threads, batch, value, size);
    if (type == TYPE_THREAD)
        return take_thread(threads, value);
    if (type == TYPE_NO_FETCH) {
        threads->site = value;
        threads->next = value + size;
    }
    return type < TYPES ? NULL : "a type of 0 to 49";
}

static const char *drmemtrace_unpack(struct margay_text *records,
                                     struct margay_references *batch)
{
    for (; records->cursor < records->end;
         records->cursor += DRMEMTRACE_RECORD_BYTES) {
        size_t before = batch->count;
        const char *expected =
            take_record(records->state, records->cursor, batch);
        for (size_t i = before; i < batch->count && expected == NULL; i++) {
            if (margay_extent_passes(batch->numbers[i], batch->extents[i]))
                expected = MARGAY_EXPECTS_END;
        }
        if (expected != NULL) {
            batch->count = before;
            return expected;
        }
    }
    return NULL;
}

static const char *drmemtrace_finish(struct margay_text *records,
                                     struct margay_references *batch)
{
    const struct threads *threads = records->state;
    (void)batch;
    return threads->ended ? NULL : "a footer before";
}

const struct margay_format margay_format_drmemtrace = {
    .info = {.name = "drmemtrace",
             .description = "DynamoRIO's drmemtrace, offline, a file a thread",
             .suffixes = "drmemtrace",
             MARGAY_BYTE_ADDRESSES,
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS |
                        MARGAY_COLUMN_THREADS | MARGAY_COLUMN_SITES,
             .kinds = MARGAY_ALL_KINDS},
    .is_magic = drmemtrace_is_magic,
    .record_bytes = DRMEMTRACE_RECORD_BYTES,
    .record_references = DRMEMTRACE_MOST,
    .create_state = drmemtrace_create,
    .free_state = drmemtrace_free,
    .decode = drmemtrace_unpack,
    .finish = drmemtrace_finish,
};
