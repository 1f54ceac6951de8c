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
#include "sim/words.h"
#include "traces/traces_internal.h"

#define MAGIC        UINT64_C(0x732079616772616d) /* "margay s" */
#define VERSION      1
#define HEADER_WORDS 8 /* with the magic number and the version */
#define PASS_WORDS   6

static const struct word_kind kind = {MAGIC, VERSION, "state", "--save"};

/* What was read, as both sides say it. */
struct header {
    uint64_t numbers, unit_bytes, kinds, split;
    uint64_t references, passes;
};

static struct header make_header(const struct options *options,
                                 const margay_trace *trace, uint64_t references,
                                 size_t passes)
{
    return (struct header){
        .numbers = margay_trace_numbers(trace) == MARGAY_IDS,
        .unit_bytes = margay_trace_unit_bytes(trace),
        .kinds = options->kinds,
        .split = options->split || margay_trace_always_splits(trace),
        .references = references,
        .passes = passes,
    };
}

/* -------------------------------------------------------------- writing -- */

static void put_header(struct word_writer *writer, const struct header *header)
{
    const uint64_t words[] = {
        header->numbers, header->unit_bytes, header->kinds,
        header->split,   header->references, header->passes,
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        words_put(writer, words[i]);
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

static enum margay_status put_pass(struct word_writer *writer,
                                   const struct analysis_pass *pass,
                                   struct margay_error *error)
{
    struct margay_engine_state state;
    uint64_t distance, count;
    enum margay_status status =
        margay_engine_export(pass->engine, &state, error);
    if (status != MARGAY_OK)
        return status;
    words_put(writer, pass->block_bytes);
    words_put(writer, pass->bound_blocks);
    words_put(writer, margay_histogram_exceeded_bound(state.counts) != 0);
    words_put(writer, margay_histogram_infinite(state.counts));
    words_put(writer, count_rows(state.counts));
    words_put(writer, state.block_count);
    for (uint64_t at = 0;
         margay_histogram_next(state.counts, at, &distance, &count);
         at = distance + 1) {
        words_put(writer, distance);
        words_put(writer, count);
    }
    for (uint64_t i = 0; i < state.block_count; i++)
        words_put(writer, state.blocks[i]);
    margay_engine_state_clear(&state);
    return output_status(writer->output, error);
}

enum margay_status state_save(const char *path, const struct options *options,
                              const margay_trace *trace,
                              const struct analysis_pass *passes, size_t count,
                              uint64_t references, struct margay_error *error)
{
    const struct header header = make_header(options, trace, references, count);
    struct word_writer writer;
    struct output *output;
    enum margay_status status = output_open(path, OUTPUT_HELD, &output, error);
    if (status != MARGAY_OK)
        return status;
    words_begin(&writer, output, &kind);
    put_header(&writer, &header);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        status = put_pass(&writer, &passes[i], error);
    words_end(&writer);
    if (status == MARGAY_OK)
        status = output_finish(output, error);
    if (status == MARGAY_OK)
        status = output_publish(output, error);
    output_free(output);
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
    enum margay_status status =
        words_read(path, &kind, &reader.words, &reader.count, error);
    if (status == MARGAY_OK && reader.count < HEADER_WORDS)
        status = fail_damaged(&reader, "it ends too early", error);
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
