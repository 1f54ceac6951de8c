/*
 * fuzz_trace.c - the readers of traces, on the fuzzer's own thread
 *
 * The input is replaced at link time: bytes come from memory.  Each trace is
 * read twice, as a whole and in the pieces of a slow pipe, which must not
 * matter.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "traces/base/error.h"
#include "traces/formats/layout.h"
#include "traces/formats/reader.h"

struct margay_input {
    const uint8_t *data;
    size_t bytes, given, piece;
};

/* What a reading came to. */
struct outcome {
    uint64_t digest, references, bad_lines;
    enum margay_status status;
    const struct margay_format *format;
    char message[MARGAY_MESSAGE_BYTES];
};

/* -------------------------------------------- in the place of input.c -- */

enum margay_status margay_input_open(const char *path, unsigned threads,
                                     struct margay_input **input,
                                     struct margay_error *error)
{
    (void)threads;
    *input = NULL;
    return margay_fail(error, MARGAY_IO, "%s: not while fuzzing", path);
}

void margay_input_close(struct margay_input *input)
{
    (void)input;
}

void margay_input_cancel(struct margay_input *input)
{
    (void)input;
}

void margay_input_progress(const struct margay_input *input,
                           uint64_t *bytes_read, uint64_t *bytes_total)
{
    *bytes_read = input->given;
    *bytes_total = input->bytes;
}

enum margay_status margay_input_read(struct margay_intake *intake, size_t most,
                                     struct margay_error *error)
{
    (void)error;
    struct margay_input *input = intake->input;
    size_t rest = intake->end - intake->begin;
    size_t room = MARGAY_HELD_BYTES - rest, got = input->bytes - input->given;
    got = got < most ? got : most;
    got = got < room ? got : room;
    got = got < input->piece ? got : input->piece;
    memmove(intake->held, intake->held + intake->begin, rest);
    memcpy(intake->held + rest, input->data + input->given, got);
    memset(intake->held + rest + got, '\n', MARGAY_TEXT_PADDING);
    intake->begin = 0;
    intake->end = rest + got;
    intake->ended = got == 0;
    intake->offset += got;
    input->given += got;
    return MARGAY_OK;
}

bool margay_input_would_wait(const struct margay_input *input)
{
    return input->piece < SIZE_MAX;
}

uint64_t margay_input_pipe(const struct margay_input *input)
{
    (void)input;
    return 0;
}

uint64_t margay_input_plain_bytes(struct margay_input *input)
{
    (void)input;
    return 0;
}

const char *margay_input_compression(const struct margay_input *input)
{
    (void)input;
    return NULL;
}

/* -------------------------------------------------------------- batches -- */

static void check_encoding(const struct margay_format_info *format,
                           uint64_t number, uint8_t kind, uint32_t extent)
{
    char record[MARGAY_RECORD_BYTES];
    size_t bytes = 0;
    struct margay_error error;
    if (!format->writable || extent == 0)
        return;
    if (margay_format_encode(format, number, kind, extent, record, &bytes,
                             &error) == MARGAY_OK &&
        (bytes == 0 || bytes > sizeof record))
        fuzz_fail("%s: a record of %zu bytes", format->name, bytes);
}

static void digest(struct outcome *outcome, uint64_t value)
{
    outcome->digest = (outcome->digest ^ value) * UINT64_C(0x100000001b3);
}

/* Digest the columns that the batch fills, and those of objects that the trace
   fills. */
static void digest_batch(struct outcome *outcome,
                         const struct margay_reader *reader,
                         const struct margay_references *batch)
{
    if (batch->count > batch->capacity)
        fuzz_fail("%zu references in room for %zu", batch->count,
                  batch->capacity);
    const unsigned filled = margay_references_columns(batch);
    const unsigned objects = reader->facts.columns;
#define COLUMN(columns, COLUMN, array, otherwise) \
    digest(outcome,                               \
           (columns)&MARGAY_COLUMN_##COLUMN ? batch->array[i] : (otherwise))
    for (size_t i = 0; i < batch->count; i++) {
        uint8_t kind = batch->kinds == NULL ? 0 : batch->kinds[i];
        uint32_t extent = batch->extents == NULL ? 1 : batch->extents[i];
        if (kind >= MARGAY_KINDS)
            fuzz_fail("kind %u", kind);
        digest(outcome, batch->numbers[i]);
        digest(outcome, kind);
        digest(outcome, extent);
        COLUMN(filled, THREADS, threads, 0);
        COLUMN(filled, SITES, sites, 0);
        COLUMN(objects, SIZES, sizes, 0);
        COLUMN(objects, TIMES, times, 0);
        COLUMN(objects, TTLS, ttls, 0);
        COLUMN(objects, REQUESTS, requests, 0);
        COLUMN(objects, OPS, ops, 0);
        if ((objects & MARGAY_COLUMN_OPS) && batch->ops[i] >= MARGAY_OPS)
            fuzz_fail("operation %u", batch->ops[i]);
        check_encoding(&reader->detection.format->info, batch->numbers[i], kind,
                       extent);
    }
    outcome->references += batch->count;
}

/* --------------------------------------------------------------- target -- */

static void check_status(const struct margay_reader *reader)
{
    const char *message = reader->whole.error.message;
    if (reader->status == MARGAY_END)
        return;
    if (reader->status != MARGAY_BAD_INPUT)
        fuzz_fail("status %d", reader->status);
    if (strstr(message, "expected") == NULL)
        fuzz_fail("says nothing of use: %s", message);
    for (; *message != '\0'; message++) {
        if ((unsigned char)*message < 0x20)
            fuzz_fail("a control character in the message");
    }
}

static struct outcome read_trace(const struct margay_state_options *options,
                                 const char *path, const char *format,
                                 bool data, uint64_t bad_lines,
                                 struct margay_input input)
{
    struct outcome result = {.status = MARGAY_OK};
    struct margay_reader reader = {
        .path = path,
        .input = &input,
        .state_options = *options,
        .most_refs = UINT64_MAX,
        .most_bad_lines = bad_lines,
        .steps = true,
    };
    margay_format_find(format, false, &reader.detection.format, NULL);
    if (data && margay_data_map_create(&reader.data, NULL) != MARGAY_OK)
        abort();
    if (!margay_queue_init(&reader.queue, MARGAY_RING_SLOTS))
        abort();
    while (!reader.queue.closed) {
        size_t slot;
        margay_reader_run(&reader);
        while (margay_queue_wait(&reader.queue, 0, &slot) == MARGAY_OK) {
            digest_batch(&result, &reader, &reader.ring[slot]);
            margay_queue_release(&reader.queue);
        }
    }
    margay_queue_destroy(&reader.queue);
    check_status(&reader);
    result.status = reader.status;
    result.format = reader.detection.format;
    result.bad_lines = reader.bad_lines;
    if (reader.status != MARGAY_END)
        strcpy(result.message, reader.whole.error.message);
    for (size_t i = 0; i < MARGAY_RING_SLOTS; i++)
        margay_references_free(&reader.ring[i]);
    margay_data_map_free(reader.data);
    return result;
}

static void compare(const struct outcome *whole, const struct outcome *pieces)
{
    if (whole->format != pieces->format)
        fuzz_fail("another format in pieces");
    if (whole->status != pieces->status ||
        whole->references != pieces->references ||
        whole->bad_lines != pieces->bad_lines ||
        whole->digest != pieces->digest)
        fuzz_fail("another outcome in pieces: %s | %s", whole->message,
                  pieces->message);
}

/* The first byte decides on the pieces, the file's name, the column, and
   whether events of data are followed. */
void fuzz_trace(const char *name, const uint8_t *data, size_t bytes)
{
    static const char *const paths[] = {"trace",     "trace.din", "trace.hex",
                                        "trace.csv", "t.u64.gz",  "trace.vscsi",
                                        "t.oracle",  "trace.lis"};
    static const char *const columns[] = {NULL, "1", "id=2+1,size=3,op=4",
                                          "id=a,size=b,time=c,ttl=d,device=e"};
    if (bytes == 0)
        return;
    uint8_t choice = data[0];
    struct margay_state_options options = {
        .given.column = columns[choice >> 3 & 3],
        .given.delimiter = choice >> 5 & 1 ? ';' : '\0',
        .given.quote = (choice >> 3 & 7) == 7 ? MARGAY_NO_QUOTE : 0,
        .given.pattern =
            "(?<a>[^ ]*) (?<b>\\d+)?(?<id>.*?)(?<c>\\d+) ?(?<d>.*)(?<e>.)",
    };
    /* No column of the pattern is called by its number, and a layout names its
       own; where columns are named, the format is known. */
    const struct margay_format *format;
    if ((strcmp(name, "regex") == 0 && (choice >> 3 & 3) == 2) ||
        margay_format_find(name, false, &format, NULL) != MARGAY_OK ||
        (format->layout != NULL && !format->layout->open))
        options.given.column = NULL;
    struct margay_input input = {data + 1, bytes - 1, 0, SIZE_MAX};
    const char *path = paths[choice & 7];
    bool follows = (choice >> 5 & 1) != 0;
    /* What cannot be read is read once more without its bad lines. */
    for (uint64_t bad = 0;; bad = UINT64_MAX) {
        input.piece = SIZE_MAX;
        struct outcome whole =
            read_trace(&options, path, name, follows, bad, input);
        input.piece = (size_t)(choice >> 6) * 3 + 1;
        struct outcome pieces =
            read_trace(&options, path, name, follows, bad, input);
        compare(&whole, &pieces);
        if (whole.status == MARGAY_END || bad > 0)
            break;
    }
}
