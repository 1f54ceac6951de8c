/* cmd_generate.c - margay generate */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "sim/options/commands.h"
#include "sim/options/files.h"
#include "sim/options/options.h"
#include "sim/result/run_csv.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"

/* The bytes of an array's element, where a generator makes addresses. */
#define ELEMENT_BYTES 8

/* The references per call of the generator. */
#define PIECE_REFS 4096

struct generation {
    const struct options *options;
    const struct margay_generator_info *info;
    margay_writer *writer;
    margay_generator *of_references; /* one of these two; the other is NULL */
    margay_stack_generator *of_distances;
    struct output *output;
    uint64_t unit_bytes;   /* multiplies ids */
    uint64_t format_bytes; /* divides addresses */
    uint64_t blocks[PIECE_REFS];
};

/* ------------------------------------------------------- the generators -- */

static const struct margay_generator_info of_histogram = {
    .name = "histogram",
    .description = "the reuse distances of a histogram, which --from names",
};

const struct margay_generator_info *generator_at(size_t index)
{
    return index == margay_generator_count() ? &of_histogram
                                             : margay_generator_at(index);
}

static const char *name_at(size_t index, const void *context)
{
    (void)context;
    const struct margay_generator_info *info = generator_at(index);
    return info == NULL ? NULL : info->name;
}

static enum margay_status find(const char *name,
                               const struct margay_generator_info **info,
                               struct margay_error *error)
{
    char names[256] = "";
    for (size_t i = 0; (*info = generator_at(i)) != NULL; i++) {
        if (strcmp((*info)->name, name) == 0)
            return MARGAY_OK;
        strcat(names, i == 0 ? "" : ", ");
        strcat(names, (*info)->name);
    }
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "unknown generator '%s'%s; there are %s", name,
                       suggest(name, "", name_at, NULL).text, names);
}

/* A generator of the distances in a table. */
static enum margay_status read_target(struct generation *generation,
                                      struct margay_error *error)
{
    const struct options *options = generation->options;
    const char *path = options->results.from;
    struct run_places table;
    struct margay_error why;
    enum margay_status status =
        run_table_read(&table, path, RUN_ANY, false, error);
    const struct run_csv *run = table.runs;
    if (status == MARGAY_OK && table.count == 0)
        status = margay_fail(error, MARGAY_BAD_INPUT,
                             "%s: found a table without rows, expected a "
                             "histogram",
                             path);
    else if (status == MARGAY_OK && table.count > 1)
        status = margay_fail(error, MARGAY_BAD_INPUT,
                             "%s: found a second histogram, of %s at a block "
                             "size of %" PRIu64 ", expected one",
                             path, run[1].trace, run[1].block_bytes);
    else if (status == MARGAY_OK) {
        status = margay_stack_generator_create(run->bins, run->bin_count,
                                               run->infinite, options->seed,
                                               &generation->of_distances, &why);
        if (status != MARGAY_OK)
            margay_fail(error, status, "%s: %s", path, why.message);
    }
    run_places_clear(&table);
    return status;
}

static enum margay_status open_generator(struct generation *generation,
                                         struct margay_error *error)
{
    const struct options *options = generation->options;
    const struct margay_generator_options wanted = {
        .blocks = options->generate.blocks,
        .seed = options->seed,
        .exponent = options->generate.exponent,
    };
    if (generation->info == &of_histogram)
        return read_target(generation, error);
    return margay_generator_create(generation->info->name, &wanted,
                                   &generation->of_references, error);
}

/* --------------------------------------------------------- the numbers -- */

/* Multiply ids into addresses for --unit, and divide addresses into ids for a
   format that holds ids only. */
static enum margay_status scale(struct generation *generation, size_t count,
                                struct margay_error *error)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t block = generation->blocks[i];
        if (!margay_multiply_u64(block, generation->unit_bytes,
                                 &generation->blocks[i]))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--unit: block %" PRIu64 " times %" PRIu64
                               " bytes is over 64 bits",
                               block, generation->unit_bytes);
        generation->blocks[i] /= generation->format_bytes;
    }
    return MARGAY_OK;
}

/* If the largest id fits the format, all ids do.  It is checked before, because
   output that was streamed cannot be taken back.  Only a scan and a histogram
   may have larger ids. */
static enum margay_status check_largest(struct generation *generation,
                                        struct margay_error *error)
{
    const struct margay_format_info *format =
        margay_writer_format(generation->writer);
    char record[MARGAY_RECORD_BYTES];
    size_t bytes;
    uint64_t unit_bytes = generation->unit_bytes;
    uint64_t blocks = generation->options->generate.blocks;
    generation->blocks[0] = blocks == 0 ? 0 : blocks - 1;
    if (generation->info->addresses)
        generation->unit_bytes = ELEMENT_BYTES;
    enum margay_status status = scale(generation, 1, error);
    generation->unit_bytes = unit_bytes;
    /* Formats with threads have no single records, and hold any number. */
    if (status == MARGAY_OK && (format->columns & MARGAY_COLUMN_THREADS) == 0)
        status = margay_format_encode(format, generation->blocks[0],
                                      MARGAY_READ, 1, record, &bytes, error);
    return status;
}

static enum margay_status check(const struct margay_generator_info *info,
                                const struct options *options,
                                struct margay_error *error)
{
    const struct refusal refusals[] = {
        {!options->generate.refs.given, "--refs N is needed", NULL},
        {options->generate.blocks == 0 && info != &of_histogram,
         "--blocks N is needed", NULL},
        {options->results.from == NULL && info == &of_histogram,
         "%s: --from HIST.csv is needed", info->name},
        {options->results.from != NULL && info != &of_histogram,
         "--from: %s takes no histogram", info->name},
        {options->output == NULL && isatty(STDOUT_FILENO),
         "a trace is nothing for a terminal (say -o FILE, or write to a pipe)",
         NULL},
        {options->reading.unit_bytes != 0 && info->addresses,
         "--unit: %s makes addresses, not block ids", info->name},
    };
    return REFUSE_FIRST(refusals, error);
}

static enum margay_status prepare(struct generation *generation,
                                  struct margay_error *error)
{
    const struct options *options = generation->options;
    enum margay_status status =
        find(options->operands[0], &generation->info, error);
    if (status == MARGAY_OK)
        status = check(generation->info, options, error);
    if (status == MARGAY_OK)
        status =
            trace_writer_create(options, options->output, &generation->output,
                                &generation->writer, error);
    if (status == MARGAY_OK)
        status = open_generator(generation, error);
    if (status != MARGAY_OK)
        return status;
    const struct margay_format_info *writes =
        margay_writer_format(generation->writer);
    bool addresses =
        options->reading.unit_bytes != 0 || generation->info->addresses;
    if (addresses)
        generation->format_bytes = bytes_of_id(writes);
    status = check_largest(generation, error);
    /* A format that holds ids or addresses needs to know which of them it
       gets. */
    if (status == MARGAY_OK && writes->any_numbers)
        status = margay_writer_set_numbers(
            generation->writer, addresses ? MARGAY_ADDRESSES : MARGAY_IDS, 0,
            false, error);
    if (status == MARGAY_OK)
        status = output_open(options->output, OUTPUT_STREAMED,
                             &generation->output, error);
    return status;
}

static enum margay_status write_all(struct generation *generation,
                                    struct margay_error *error)
{
    const struct options *options = generation->options;
    enum margay_status status = MARGAY_OK;
    struct progress progress;
    progress_begin(&progress, options->operands[0], options->quiet);
    for (uint64_t done = 0;
         done < options->generate.refs.number && status == MARGAY_OK;) {
        const struct margay_batch batch = {
            .references = margay_minimum(options->generate.refs.number - done,
                                         PIECE_REFS),
            .numbers = generation->blocks,
        };
        if (generation->of_distances != NULL)
            status = margay_stack_generator_next(generation->of_distances,
                                                 generation->blocks,
                                                 batch.references, error);
        else
            margay_generator_next(generation->of_references, generation->blocks,
                                  batch.references);
        if (status == MARGAY_OK)
            status = scale(generation, batch.references, error);
        if (status == MARGAY_OK)
            status = margay_writer_put(generation->writer, &batch, error);
        done += batch.references;
        progress_update(&progress, done, done, options->generate.refs.number);
    }
    if (status == MARGAY_OK)
        status = margay_writer_finish(generation->writer, error);
    return status;
}

int cmd_generate(const struct options *options)
{
    struct generation generation = {
        .options = options,
        .unit_bytes =
            options->reading.unit_bytes == 0 ? 1 : options->reading.unit_bytes,
        .format_bytes = 1,
    };
    struct margay_error error;
    enum margay_status status = prepare(&generation, &error);
    if (status == MARGAY_OK)
        status = write_all(&generation, &error);
    margay_generator_free(generation.of_references);
    margay_stack_generator_free(generation.of_distances);
    margay_writer_free(generation.writer);
    return conclude(status, &generation.output, 1, &error);
}
