/* state.c - the file that a run is continued from */
#define _DEFAULT_SOURCE
#include "sim/state.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/output.h"
#include "traces/traces_internal.h"

#define MAGIC        UINT64_C(0x732079616772616d) /* "margay s" */
#define VERSION      1
#define HEADER_WORDS 8
#define PASS_WORDS   6

/* Every bit of a word reaches every bit of the sum. */
static uint64_t mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 29;
}

/* What was read, as both sides say it. */
struct header {
    uint64_t magic, version;
    uint64_t numbers, unit_bytes, kinds, split;
    uint64_t references, passes;
};

static struct header make_header(const struct options *options,
                                 const margay_trace *trace, uint64_t references,
                                 size_t passes)
{
    return (struct header){
        .magic = MAGIC,
        .version = VERSION,
        .numbers = margay_trace_numbers(trace) == MARGAY_IDS,
        .unit_bytes = margay_trace_unit_bytes(trace),
        .kinds = options->kinds,
        .split = options->split || margay_trace_always_splits(trace),
        .references = references,
        .passes = passes,
    };
}

/* -------------------------------------------------------------- writing -- */

struct writer {
    struct output *output;
    uint64_t sum;
};

static void put(struct writer *writer, uint64_t word)
{
    uint64_t bytes = htole64(word);
    memcpy(output_room(writer->output, sizeof bytes), &bytes, sizeof bytes);
    output_add(writer->output, sizeof bytes);
    writer->sum = mix(writer->sum, word);
}

static void put_header(struct writer *writer, const struct header *header)
{
    const uint64_t words[HEADER_WORDS] = {
        header->magic, header->version, header->numbers,    header->unit_bytes,
        header->kinds, header->split,   header->references, header->passes,
    };
    for (size_t i = 0; i < HEADER_WORDS; i++)
        put(writer, words[i]);
}

static uint64_t count_rows(const margay_histogram *histogram)
{
    uint64_t rows = 0, distance, count;
    for (uint64_t at = 0;
         margay_histogram_next(histogram, at, &distance, &count);
         at = distance + 1)
        rows++;
    return rows;
}

static enum margay_status put_pass(struct writer *writer,
                                   const struct analysis_pass *pass,
                                   struct margay_error *error)
{
    struct margay_engine_state state;
    uint64_t distance, count;
    enum margay_status status =
        margay_engine_export(pass->engine, &state, error);
    if (status != MARGAY_OK)
        return status;
    put(writer, pass->block_bytes);
    put(writer, pass->bound_blocks);
    put(writer, margay_histogram_exceeded_bound(state.counts) != 0);
    put(writer, margay_histogram_infinite(state.counts));
    put(writer, count_rows(state.counts));
    put(writer, state.block_count);
    for (uint64_t at = 0;
         margay_histogram_next(state.counts, at, &distance, &count);
         at = distance + 1) {
        put(writer, distance);
        put(writer, count);
    }
    for (uint64_t i = 0; i < state.block_count; i++)
        put(writer, state.blocks[i]);
    margay_engine_state_clear(&state);
    return output_status(writer->output, error);
}

enum margay_status state_save(const char *path, const struct options *options,
                              const margay_trace *trace,
                              const struct analysis_pass *passes, size_t count,
                              uint64_t references, struct margay_error *error)
{
    const struct header header = make_header(options, trace, references, count);
    struct writer writer = {.sum = 0};
    enum margay_status status =
        output_open(path, OUTPUT_HELD, &writer.output, error);
    if (status != MARGAY_OK)
        return status;
    put_header(&writer, &header);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = put_pass(&writer, &passes[i], error);
    put(&writer, writer.sum);
    if (status == MARGAY_OK)
        status = output_finish(writer.output, error);
    if (status == MARGAY_OK)
        status = output_publish(writer.output, error);
    output_free(writer.output);
    return status;
}

/* -------------------------------------------------------------- reading -- */

struct state_reader {
    const char *path;
    uint64_t *words; /* owned; in this machine's order */
    size_t count, at;
};

static enum margay_status fail_damaged(const struct state_reader *reader,
                                       const char *how,
                                       struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s: byte %zu: the state is damaged: %s", reader->path,
                       reader->at * sizeof *reader->words, how);
}

/* All of the file, in a new array; *bytes may not be whole words. */
static enum margay_status read_file(const char *path, uint64_t **words,
                                    size_t *bytes, struct margay_error *error)
{
    size_t capacity = (size_t)1 << 16, got;
    char *buffer = NULL, *grown;
    FILE *file = fopen(path, "re");
    enum margay_status status = MARGAY_OK;
    *bytes = 0;
    if (file == NULL)
        return margay_fail(error, MARGAY_IO, "%s: %s", path, strerror(errno));
    do {
        grown = realloc(buffer, capacity *= 2);
        if (grown == NULL)
            break;
        buffer = grown;
        got = fread(buffer + *bytes, 1, capacity - *bytes, file);
        *bytes += got;
    } while (got > 0);
    if (grown == NULL)
        status = margay_fail_memory(error, "a saved state");
    else if (ferror(file))
        status = margay_fail(error, MARGAY_IO, "%s: %s", path, strerror(errno));
    fclose(file);
    *words = (uint64_t *)(void *)buffer;
    return status;
}

static enum margay_status check_sum(struct state_reader *reader, size_t bytes,
                                    struct margay_error *error)
{
    uint64_t sum = 0;
    if (bytes < 8 || le64toh(reader->words[0]) != MAGIC)
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "%s: not a state that --save wrote", reader->path);
    if (bytes >= 16 && le64toh(reader->words[1]) != VERSION)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: a state of version %" PRIu64
                           ", expected version %d",
                           reader->path, le64toh(reader->words[1]), VERSION);
    reader->count = bytes / 8;
    for (size_t i = 0; i < reader->count; i++) {
        reader->words[i] = le64toh(reader->words[i]);
        if (i + 1 < reader->count)
            sum = mix(sum, reader->words[i]);
    }
    if (bytes % 8 == 0 && reader->count > HEADER_WORDS &&
        sum == reader->words[--reader->count])
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s: the state is damaged or cut short: the checksum at "
                       "the end of its %zu bytes is wrong",
                       reader->path, bytes);
}

static enum margay_status fail_other(const struct state_reader *reader,
                                     const char *what, uint64_t saved,
                                     uint64_t wanted,
                                     struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "%s: a state of other options: its %s is %" PRIu64
                       ", and here it is %" PRIu64,
                       reader->path, what, saved, wanted);
}

/* The words of the header, which are there, against what is wanted here. */
static enum margay_status check_header(struct state_reader *reader,
                                       const struct header *wanted,
                                       struct margay_error *error)
{
    const uint64_t *saved = reader->words;
    const struct {
        const char *what;
        uint64_t saved, wanted;
    } fields[] = {
        {"kind of numbers (0 addresses, 1 ids)", saved[2], wanted->numbers},
        {"unit in bytes", saved[3], wanted->unit_bytes},
        {"set of kinds (1 read, 2 write, 4 fetch)", saved[4], wanted->kinds},
        {"splitting of references (0 no, 1 yes)", saved[5], wanted->split},
        {"number of block sizes", saved[7], wanted->passes},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (fields[i].saved != fields[i].wanted)
            return fail_other(reader, fields[i].what, fields[i].saved,
                              fields[i].wanted, error);
    }
    reader->at = HEADER_WORDS;
    return MARGAY_OK;
}

static enum margay_status read_counts(struct state_reader *reader,
                                      uint64_t rows, uint64_t infinite,
                                      margay_histogram *counts,
                                      struct margay_error *error)
{
    enum margay_status status =
        margay_histogram_add(counts, MARGAY_INFINITE, infinite, error);
    for (uint64_t i = 0; i < rows && status == MARGAY_OK; i++) {
        const uint64_t *row = reader->words + reader->at;
        status = margay_histogram_add(counts, row[0], row[1], error);
        reader->at += 2;
    }
    return status;
}

static enum margay_status read_pass(struct state_reader *reader,
                                    struct analysis_pass *pass,
                                    struct margay_error *error)
{
    struct margay_engine_state state = {0};
    const uint64_t *words = reader->words + reader->at;
    if (reader->count - reader->at < PASS_WORDS)
        return fail_damaged(reader, "it ends too early", error);
    if (words[0] != pass->block_bytes)
        return fail_other(reader, "block size in bytes", words[0],
                          pass->block_bytes, error);
    if (words[1] != pass->bound_blocks)
        return fail_other(reader, "bound in blocks (0 = none)", words[1],
                          pass->bound_blocks, error);
    reader->at += PASS_WORDS;
    uint64_t left = reader->count - reader->at, rows = words[4];
    state.block_count = words[5];
    if (rows > left / 2 || state.block_count > left - 2 * rows ||
        (words[1] != 0 && state.block_count > words[1]))
        return fail_damaged(reader, "its counts are wrong", error);
    enum margay_status status = margay_histogram_create(&state.counts, error);
    if (status == MARGAY_OK)
        status = read_counts(reader, rows, words[3], state.counts, error);
    if (status == MARGAY_OK && words[2] != 0)
        margay_histogram_set_exceeded_bound(state.counts, words[1]);
    state.blocks = reader->words + reader->at;
    reader->at += state.block_count;
    if (status == MARGAY_OK)
        status = margay_engine_import(pass->engine, &state, error);
    margay_histogram_free(state.counts);
    return status;
}

enum margay_status state_load(const char *path, const struct options *options,
                              const margay_trace *trace,
                              struct analysis_pass *passes, size_t count,
                              uint64_t *references, struct margay_error *error)
{
    struct state_reader reader = {.path = path};
    const struct header wanted = make_header(options, trace, 0, count);
    size_t bytes;
    enum margay_status status = read_file(path, &reader.words, &bytes, error);
    if (status == MARGAY_OK)
        status = check_sum(&reader, bytes, error);
    if (status == MARGAY_OK)
        status = check_header(&reader, &wanted, error);
    if (status == MARGAY_OK)
        *references = reader.words[6];
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = read_pass(&reader, &passes[i], error);
    if (status == MARGAY_OK && reader.at != reader.count)
        status = fail_damaged(&reader, "it goes on", error);
    free(reader.words);
    return status;
}
