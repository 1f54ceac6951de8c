/*
 * fuzz_trace.c - the readers of traces, on the fuzzer's own thread
 *
 * The input and the queue are replaced at link time: bytes come from memory,
 * and a batch is looked at where it would be handed over. Each trace is read
 * twice, as a whole and in the pieces of a slow pipe, which must not matter.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "traces/base/error.h"
#include "traces/base/queue.h"
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

static struct margay_reader *reading;
static struct outcome *outcome;

/* -------------------------------------------- in the place of input.c -- */

enum margay_status margay_input_open(const char *path, unsigned threads,
                                     struct margay_input **input,
                                     struct margay_error *error)
{
    (void)threads;
    *input = NULL;
    return margay_fail(error, MARGAY_IO, "%s: not while fuzzing", path);
}

const char *margay_input_name(const struct margay_input *input)
{
    (void)input;
    return "trace";
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

enum margay_status margay_input_read(struct margay_input *input, void *buffer,
                                     size_t bytes, size_t *got,
                                     struct margay_error *error)
{
    (void)error;
    size_t left = input->bytes - input->given;
    *got = left < bytes ? left : bytes;
    *got = *got < input->piece ? *got : input->piece;
    if (*got > 0)
        memcpy(buffer, input->data + input->given, *got);
    input->given += *got;
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

enum margay_status margay_input_go_to(struct margay_input *input,
                                      uint64_t offset,
                                      struct margay_error *error)
{
    (void)input, (void)offset, (void)error;
    return MARGAY_OK;
}

enum margay_status margay_input_read_at(struct margay_input *input,
                                        uint64_t offset, void *buffer,
                                        size_t bytes, size_t *got,
                                        struct margay_error *error)
{
    (void)input, (void)offset, (void)buffer, (void)bytes, (void)error;
    *got = 0;
    return MARGAY_OK;
}

const char *margay_input_compression(const struct margay_input *input)
{
    (void)input;
    return NULL;
}

/* -------------------------------------------- in the place of queue.c -- */

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

static void digest(uint64_t value)
{
    outcome->digest = (outcome->digest ^ value) * UINT64_C(0x100000001b3);
}

/* The columns of objects that this trace fills. */
static void digest_object(const struct margay_references *batch, size_t i)
{
    unsigned filled = reading->facts.columns;
    if (filled & MARGAY_COLUMN_SIZES)
        digest(batch->sizes[i]);
    if (filled & MARGAY_COLUMN_TIMES)
        digest(batch->times[i]);
    if (filled & MARGAY_COLUMN_TTLS)
        digest(batch->ttls[i]);
    if (filled & MARGAY_COLUMN_REQUESTS)
        digest(batch->requests[i]);
    if ((filled & MARGAY_COLUMN_OPS) == 0)
        return;
    digest(batch->ops[i]);
    if (batch->ops[i] >= MARGAY_OPS)
        fuzz_fail("operation %u", batch->ops[i]);
}

bool margay_queue_init(struct margay_queue *queue, size_t slots)
{
    (void)queue;
    return slots > 0;
}

void margay_queue_destroy(struct margay_queue *queue)
{
    (void)queue;
}

bool margay_queue_reserve(struct margay_queue *queue, size_t *slot)
{
    *slot = queue->published % MARGAY_RING_SLOTS;
    return true;
}

void margay_queue_publish(struct margay_queue *queue)
{
    const struct margay_references *batch =
        &reading->ring[queue->published++ % MARGAY_RING_SLOTS];
    if (batch->count > batch->capacity)
        fuzz_fail("%zu references in room for %zu", batch->count,
                  batch->capacity);
    unsigned filled = margay_references_columns(batch);
    for (size_t i = 0; i < batch->count; i++) {
        uint8_t kind = batch->kinds == NULL ? 0 : batch->kinds[i];
        uint32_t extent = batch->extents == NULL ? 1 : batch->extents[i];
        if (kind >= MARGAY_KINDS)
            fuzz_fail("kind %u", kind);
        digest(batch->numbers[i]);
        digest(kind);
        digest(extent);
        digest(filled & MARGAY_COLUMN_COUNTS ? batch->counts[i] : 1);
        digest(filled & MARGAY_COLUMN_THREADS ? batch->threads[i] : 0);
        digest(filled & MARGAY_COLUMN_SITES ? batch->sites[i] : 0);
        digest_object(batch, i);
        check_encoding(&reading->detection.format->info, batch->numbers[i],
                       kind, extent);
    }
    outcome->references += batch->count;
}

void margay_queue_close(struct margay_queue *queue)
{
    (void)queue;
}

enum margay_status margay_queue_wait(struct margay_queue *queue, int wait_ms,
                                     size_t *slot)
{
    (void)queue, (void)wait_ms, (void)slot;
    return MARGAY_END;
}

void margay_queue_release(struct margay_queue *queue)
{
    (void)queue;
}

void margay_queue_cancel(struct margay_queue *queue)
{
    (void)queue;
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
    };
    margay_format_find(format, false, &reader.detection.format, NULL);
    if (data && margay_data_map_create(&reader.data, NULL) != MARGAY_OK)
        abort();
    reading = &reader;
    outcome = &result;
    margay_reader_run(&reader);
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
        .column = columns[choice >> 3 & 3],
        .delimiter = choice >> 5 & 1 ? ';' : '\0',
        .quote = (choice >> 3 & 7) == 7 ? MARGAY_NO_QUOTE : 0,
        .pattern =
            "(?<a>[^ ]*) (?<b>\\d+)?(?<id>.*?)(?<c>\\d+) ?(?<d>.*)(?<e>.)",
    };
    /* No column of the pattern is called by its number, and those of a picture
       have names of their own; where columns are named, the format is known. */
    if ((strcmp(name, "regex") == 0 && (choice >> 3 & 3) == 2) ||
        strcmp(name, "clf") == 0 || strcmp(name, "s3") == 0 ||
        strcmp(name, "detect") == 0)
        options.column = NULL;
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
