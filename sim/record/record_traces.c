/*
 * record_traces.c - the files of a recording: one trace, or one for each thread
 *
 * References are written from --start to --stop, as ids where the format holds
 * ids.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/options/files.h"
#include "sim/record/record.h"
#include "sim/run/spans.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"

/* The trace of one thread, or of all threads. */
struct trace_file {
    char *path; /* NULL: standard output */
    margay_writer *writer;
    bool named[MARGAY_MODULES]; /* modules that it names */
};

/* ----------------------------------------------------------------- files -- */

bool traces_to_standard_output(const struct options *options)
{
    return options->output == NULL || strcmp(options->output, "-") == 0;
}

/* "runs/sort.3.mgt.zst" for thread 3 and "runs/sort.mgt.zst". */
static char *path_of_thread(const char *path, size_t thread)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const char *dot = strchr(*name == '.' ? name + 1 : name, '.');
    size_t stem = dot == NULL ? strlen(path) : (size_t)(dot - path);
    char *made;
    if (asprintf(&made, "%.*s.%zu%s", (int)stem, path, thread, path + stem) < 0)
        return NULL;
    return made;
}

static enum margay_status make_file(struct traces *output, size_t index,
                                    struct margay_error *error)
{
    const struct options *options = output->options;
    struct trace_file *file = &output->files[index];
    struct margay_sink sink = {&output->outputs[index], sink_write};
    if (options->output != NULL) {
        file->path = options->record.separate_threads
                         ? path_of_thread(options->output, index)
                         : strdup(options->output);
        if (file->path == NULL)
            return margay_fail_memory(error, "the name of a trace");
    }
    enum margay_status status = MARGAY_OK;
    if (options->record.separate_threads)
        status =
            files_check_output(options, "--thread-traces", file->path, error);
    if (status == MARGAY_OK)
        status = margay_writer_create(output->format, file->path, &sink,
                                      &file->writer, error);
    if (status == MARGAY_OK && margay_writer_format(file->writer)->any_numbers)
        status = margay_writer_set_numbers(file->writer, MARGAY_ADDRESSES, 1,
                                           false, error);
    if (status == MARGAY_OK)
        status = output_open(file->path, OUTPUT_STREAMED,
                             &output->outputs[index], error);
    return status;
}

/* A writer keeps a pointer to its output, so that the arrays must not move. */
#define MOST_FILES 65536

static enum margay_status need_file(struct traces *output, size_t index,
                                    struct margay_error *error)
{
    if (index >= MOST_FILES)
        return margay_fail(error, MARGAY_IO,
                           "--thread-traces: more than %d threads", MOST_FILES);
    if (index >= output->file_count)
        output->file_count = index + 1;
    if (output->files[index].writer != NULL)
        return MARGAY_OK;
    return make_file(output, index, error);
}

enum margay_status traces_open(const struct options *options,
                               margay_receiver *receiver, struct traces *output,
                               struct margay_error *error)
{
    size_t most = options->record.separate_threads ? MOST_FILES : 1;
    output->options = options;
    output->receiver = receiver;
    /* The fastest format for a pipe, and the smallest for a file. */
    output->format = trace_format(options, options->output);
    if (output->format == NULL)
        output->format = traces_to_standard_output(options) ? "words" : "mgt";
    output->to_skip = options->record.start.refs;
    output->to_write =
        options->record.stop.refs == 0 ? UINT64_MAX : options->record.stop.refs;
    output->files = calloc(most, sizeof *output->files);
    output->outputs = calloc(most, sizeof *output->outputs);
    if (output->files == NULL || output->outputs == NULL)
        return margay_fail_memory(error, "a recording");
    enum margay_status status = need_file(output, 0, error);
    if (status == MARGAY_OK && options->record.data &&
        !margay_writer_takes_data(output->files[0].writer))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--data: a trace as %s has no place for it, mgt and "
                           "words have",
                           output->format);
    if (status == MARGAY_OK &&
        margay_writer_takes_words(output->files[0].writer) &&
        output_turn(output->outputs[0]) == OUTPUT_STANDARD)
        output->relay = margay_relay_offer(STDOUT_FILENO);
    return status;
}

/* ------------------------------------------------------------- selection -- */

/* Name the modules that have come up, before the sites that are in them.  One
   that has no name may yet get it. */
static enum margay_status name_modules(const struct traces *output,
                                       struct trace_file *file,
                                       struct margay_error *error)
{
    char path[MARGAY_MODULE_PATH_BYTES];
    enum margay_status status = MARGAY_OK;
    for (unsigned i = 0;
         status == MARGAY_OK && i < MARGAY_MODULES &&
         (file->named[i] || margay_receiver_module(output->receiver, i, path));
         i++) {
        if (file->named[i] || *path == '\0')
            continue;
        status = margay_writer_set_module(file->writer, i, path, error);
        file->named[i] = true;
    }
    return status;
}

/* Write the references that neither --start nor --stop leaves out. */
static enum margay_status select_from(struct traces *output,
                                      const struct margay_batch *batch,
                                      struct margay_error *error)
{
    size_t from = margay_minimum(batch->references, output->to_skip), index = 0;
    size_t count = margay_minimum(batch->references - from, output->to_write);
    output->to_skip -= from;
    if (output->to_write != UINT64_MAX)
        output->to_write -= count;
    if (count == 0)
        return MARGAY_OK;
    struct margay_batch part = margay_batch_part(batch, from, count);
    if (output->options->record.separate_threads && part.threads != NULL)
        index = part.threads[0];
    enum margay_status status = need_file(output, index, error);
    if (status == MARGAY_OK)
        status = name_modules(output, &output->files[index], error);
    if (status != MARGAY_OK)
        return status;
    output->refs += count;
    return margay_writer_put(output->files[index].writer, &part, error);
}

/* The entries of a batch from `from` on, UNITS_REFS at most, with ids instead
   of addresses, and extents in ids. */
static struct margay_batch in_units(struct traces *output,
                                    const struct margay_batch *batch,
                                    size_t from, uint64_t unit_bytes)
{
    struct margay_batch part = margay_batch_part(
        batch, from, margay_minimum(batch->references - from, UNITS_REFS));
    for (size_t i = 0; i < part.references; i++) {
        uint64_t first = part.numbers[i];
        uint64_t last =
            first + (part.extents == NULL ? 1 : part.extents[i]) - 1;
        last = last < first ? UINT64_MAX : last;
        output->numbers[i] = first / unit_bytes;
        output->extents[i] =
            (uint32_t)(last / unit_bytes - output->numbers[i] + 1);
    }
    part.numbers = output->numbers;
    part.extents = output->extents;
    return part;
}

/* Write the references of a batch that the options select. */
static enum margay_status put(struct traces *output,
                              const struct margay_batch *batch,
                              struct margay_error *error)
{
    uint64_t unit_bytes =
        bytes_of_id(margay_writer_format(output->files[0].writer));
    enum margay_status status = MARGAY_OK;
    if (unit_bytes == 1)
        return select_from(output, batch, error);
    for (size_t i = 0; i < batch->references && status == MARGAY_OK;) {
        struct margay_batch part = in_units(output, batch, i, unit_bytes);
        status = select_from(output, &part, error);
        i += part.references;
    }
    return status;
}

static enum margay_status put_data(struct traces *output,
                                   const struct margay_data_event *event,
                                   struct margay_error *error)
{
    struct trace_file *file = &output->files[0];
    if (output->to_write == 0)
        return MARGAY_OK;
    enum margay_status status = name_modules(output, file, error);
    return status == MARGAY_OK
               ? margay_writer_put_data(file->writer, event, error)
               : status;
}

/* Write decoded references, and the events of data where they happen. */
static enum margay_status put_decoded(struct traces *output,
                                      struct margay_error *error)
{
    struct margay_batch batch, part;
    size_t count, done = 0;
    const struct margay_data_event *events =
        margay_receiver_decode(output->receiver, &batch, &count);
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        part = margay_batch_part(&batch, done, events[i].at - done);
        status = put(output, &part, error);
        if (status == MARGAY_OK)
            status = put_data(output, &events[i], error);
        done = events[i].at;
    }
    part = margay_batch_part(&batch, done, batch.references - done);
    return status == MARGAY_OK ? put(output, &part, error) : status;
}

static enum margay_status put_words(struct traces *output,
                                    const struct margay_words *words,
                                    struct margay_error *error)
{
    size_t index = output->options->record.separate_threads ? words->thread : 0;
    output->refs += margay_words_references(words);
    enum margay_status status = need_file(output, index, error);
    if (status != MARGAY_OK)
        return status;
    struct margay_words relayed = *words;
    relayed.relay = output->relay;
    status =
        margay_writer_put_words(output->files[index].writer, &relayed, error);
    if (output->relay != NULL && status == MARGAY_OK &&
        margay_relay_is_awaited(output->relay))
        output_flush(output->outputs[0]);
    return status;
}

enum margay_status traces_put_next(struct traces *output, int wait_ms,
                                   struct margay_error *error)
{
    struct margay_words words;
    enum margay_status status =
        margay_receiver_next(output->receiver, wait_ms, &words, error);
    if (status != MARGAY_OK || words.count == 0)
        return status;
    bool as_they_are = margay_writer_takes_words(output->files[0].writer) &&
                       output->to_skip == 0 && output->to_write == UINT64_MAX &&
                       margay_receiver_words_stand_alone(output->receiver);
    return as_they_are ? put_words(output, &words, error)
                       : put_decoded(output, error);
}

/* --------------------------------------------------------------- the end -- */

static void summarise(const struct traces *output, size_t files)
{
    const char *path =
        output->files[0].path == NULL ? "-" : output->files[0].path;
    if (files == 1)
        message_print("%s: %" PRIu64 " reference%s as %s%s", path, output->refs,
                      margay_plural(output->refs, "s"), output->format,
                      output->to_write == 0 ? "; the program went on unrecorded"
                                            : "");
    else
        message_print("%s and others: %" PRIu64 " reference%s of %zu threads "
                      "as %s",
                      path, output->refs, margay_plural(output->refs, "s"),
                      files, output->format);
}

bool traces_conclude(struct traces *output, enum margay_status status,
                     struct margay_error *error)
{
    size_t files = 0;
    for (size_t i = 0; i < output->file_count && status == MARGAY_OK; i++) {
        files += output->files[i].writer != NULL;
        if (output->files[i].writer != NULL)
            status = margay_writer_finish(output->files[i].writer, error);
    }
    if (status == MARGAY_OK)
        margay_relay_conclude(output->relay);
    bool done = conclude(status, output->outputs, output->file_count, error) !=
                EXIT_TROUBLE;
    if (done && !output->options->quiet)
        summarise(output, files);
    for (size_t i = 0; i < output->file_count; i++) {
        margay_writer_free(output->files[i].writer);
        free(output->files[i].path);
    }
    margay_relay_withdraw(output->relay);
    free(output->files);
    free(output->outputs);
    return done;
}
