/*
 * drmemtrace.c - offline traces of DynamoRIO's drmemtrace
 *
 * Source: the records of trace_entry.h: 12 bytes, little-endian, of u16 type,
 *   u16 size and u64 address or value.  A trace begins with a header, holds one
 *   thread, or several in turn, and ends with a footer.  A gz file, or the
 *   members of a zip, put together, are such a trace.
 *
 * Instructions are fetches; what is read and written stands behind its
 * instruction.  Prefetches, flushes, markers and the bytes of instructions are
 * no references.  Threads are numbered from 0, in the order in which they first
 * appear, and not by the system's numbers.
 */
#include <stdlib.h>

#include "traces/base/error.h"
#include "traces/base/extent.h"
#include "traces/base/grow.h"
#include "traces/formats/bytes.h"

#define RECORD_BYTES 12
#define MOST         8 /* instructions of a bundle */
#define MOST_THREADS 65536

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
    uint64_t site; /* of the last instruction, */
    uint64_t next; /* and the address behind it */
    uint32_t thread;
    uint64_t *numbers; /* the system's, by thread; owned */
    size_t thread_count, thread_capacity;
    bool ended; /* a footer was met, and nothing since */
    struct margay_bytes bytes;
};

/* The type and the size of the header, and a version below 256. */
static bool is_magic(const void *window, size_t bytes)
{
    return bytes >= 8 && margay_get_little(window, 4) == TYPE_HEADER &&
           margay_get_little((const char *)window + 4, 4) - 1 < 255;
}

static enum margay_status reader_open(const struct margay_block_source *source,
                                      void **state,
                                      struct margay_trace_facts *facts,
                                      struct margay_error *error)
{
    (void)facts;
    struct reader *reader = calloc(1, sizeof *reader);
    *state = reader;
    if (reader == NULL)
        return margay_fail_memory(error, "a reader of traces");
    reader->bytes.source = *source;
    return MARGAY_OK;
}

static void reader_free(void *state)
{
    struct reader *reader = state;
    free(reader->numbers);
    free(reader);
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
        return margay_bytes_fail(&reader->bytes, "drmemtrace", "another thread",
                                 "at most 65536", error);
    uint64_t *numbers = margay_grow(reader->numbers, reader->thread_count,
                                    &reader->thread_capacity, sizeof *numbers);
    if (numbers == NULL)
        return margay_fail_memory(error, "the threads of a trace");
    reader->numbers = numbers;
    numbers[reader->thread_count++] = number;
    return MARGAY_OK;
}

static void append(struct reader *reader, struct margay_references *batch,
                   enum margay_kind kind, uint64_t address, uint32_t size)
{
    size_t at = batch->count++;
    batch->numbers[at] = address;
    batch->kinds[at] = (uint8_t)kind;
    batch->extents[at] = size == 0 ? 1 : size;
    batch->sites[at] = reader->site;
    batch->threads[at] = reader->thread;
}

static void begin_instruction(struct reader *reader, uint64_t address,
                              uint32_t size)
{
    reader->site = address;
    reader->next = address + size;
}

static void append_fetch(struct reader *reader, struct margay_references *batch,
                         uint64_t address, uint32_t size)
{
    begin_instruction(reader, address, size);
    append(reader, batch, MARGAY_FETCH, address, size);
}

/* The lengths of up to eight instructions behind the last. */
static void append_bundle(struct reader *reader,
                          struct margay_references *batch,
                          const unsigned char *lengths, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < MOST; i++)
        append_fetch(reader, batch, reader->next, lengths[i]);
}

static bool is_fetch(unsigned type)
{
    return (type >= TYPE_INSTRUCTION && type <= TYPE_LAST_BRANCH) ||
           type == TYPE_SYSENTER || type == TYPE_TAKEN_JUMP ||
           type == TYPE_UNTAKEN_JUMP;
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
        append(reader, batch, type == TYPE_READ ? MARGAY_READ : MARGAY_WRITE,
               value, size);
    else if (is_fetch(type))
        append_fetch(reader, batch, value, size);
    else if (type == TYPE_BUNDLE)
        append_bundle(reader, batch, record + 4, size);
    /* A repetition of an instruction is fetched once. */
    else if (type == TYPE_MAYBE_FETCH && value != reader->site)
        append_fetch(reader, batch, value, size);
    else if (type == TYPE_NO_FETCH)
        begin_instruction(reader, value, size);
    return type < TYPES ? NULL : "a type of 0 to 49";
}

static enum margay_status end_trace(const struct reader *reader,
                                    struct margay_error *error)
{
    if (margay_bytes_left(&reader->bytes) == 0 && !reader->ended)
        return margay_bytes_fail(&reader->bytes, "drmemtrace", "the end",
                                 "a footer before", error);
    return margay_bytes_end(&reader->bytes, "drmemtrace", RECORD_BYTES, error);
}

static enum margay_status fill(void *state, struct margay_references *batch,
                               struct margay_error *error)
{
    struct reader *reader = state;
    struct margay_bytes *bytes = &reader->bytes;
    while (batch->count + MOST <= batch->capacity) {
        /* Many records are no references; wait until one is. */
        size_t wanted = batch->count == 0 ? RECORD_BYTES : 0;
        enum margay_status status = margay_bytes_need(bytes, wanted, error);
        if (status != MARGAY_OK)
            return status;
        if (margay_bytes_left(bytes) < RECORD_BYTES)
            return batch->count > 0 ? MARGAY_OK : end_trace(reader, error);
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
            return margay_bytes_fail(bytes, "drmemtrace", "another record",
                                     expected, error);
        margay_bytes_pass(bytes, RECORD_BYTES);
    }
    return MARGAY_OK;
}

static const struct margay_blocks_reading reading = {
    .is_magic = is_magic,
    .open = reader_open,
    .free_state = reader_free,
    .skip = margay_bytes_skip,
    .fill = fill,
};

const struct margay_format margay_format_drmemtrace = {
    .info = {.name = "drmemtrace",
             .description = "DynamoRIO's drmemtrace, offline, a file a thread",
             .suffixes = "drmemtrace",
             .numbers = MARGAY_ADDRESSES,
             .unit_bytes = 1,
             .columns = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS |
                        MARGAY_COLUMN_THREADS | MARGAY_COLUMN_SITES,
             .kinds = MARGAY_ALL_KINDS},
    .reading = &reading,
};
