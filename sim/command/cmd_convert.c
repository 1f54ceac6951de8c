/*
 * cmd_convert.c - margay convert
 *
 * The command reads a trace, converts its numbers into the units of the format
 * that it writes, and writes each reference with its kind and extent if the
 * format has columns for them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/command/request.h"
#include "sim/command/stream.h"
#include "sim/command/units.h"
#include "sim/options/commands.h"
#include "sim/options/options.h"
#include "sim/options/trace_format.h"
#include "sim/run/needs.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "sim/terminal/progress.h"
#include "traces/traces_internal.h"

/* References on their way into the writer. */
#define PIECE_REFS 4096

/* The longest delay before a request for progress is noticed. */
#define WAIT_MS 100

struct conversion {
    const struct options *options;
    const char *from, *to; /* files */
    margay_trace *trace;
    margay_writer *writer;
    struct output *output;
    struct progress progress;
    struct units units;
    uint64_t written_refs;

    /* A column beside the numbers is NULL if the trace does not have it. */
    struct margay_batch piece;
    uint64_t numbers[PIECE_REFS], sites[PIECE_REFS];
    uint8_t kinds[PIECE_REFS];
    uint32_t extents[PIECE_REFS], counts[PIECE_REFS], threads[PIECE_REFS];
};

/* --------------------------------------------------------------- set-up -- */

static enum margay_status open_trace(struct conversion *conversion,
                                     struct margay_error *error)
{
    struct margay_trace_options trace_options = conversion->options->reading;
    /* For convert, --unit is the unit of the ids written. */
    trace_options.unit_bytes = 0;
    const struct margay_reading reading = {
        .counts = (margay_writer_format(conversion->writer)->columns &
                   MARGAY_COLUMN_COUNTS) != 0,
    };
    struct margay_need needs[REQUEST_NEEDS];
    request_needs(conversion->options, needs);
    enum margay_status status = margay_trace_open_for(
        conversion->from, &trace_options, &reading, &conversion->trace, error);
    if (status == MARGAY_OK)
        status = margay_trace_ready(conversion->trace, -1, error);
    if (status == MARGAY_OK)
        status = margay_needs_check(needs, REQUEST_NEEDS, conversion->from,
                                    conversion->trace, error);
    if (status == MARGAY_OK && conversion->options->verbose)
        message_print("%s: format %s, from %s", conversion->from,
                      margay_trace_format(conversion->trace)->name,
                      margay_trace_evidence(conversion->trace));
    return status;
}

static enum margay_status check(const struct conversion *conversion,
                                struct margay_error *error)
{
    uint64_t unit = conversion->options->reading.unit_bytes;
    const struct options *options = conversion->options;
    if (conversion->to == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "missing operand: expected IN OUT, or IN and "
                           "--output FILE ('margay help convert' tells more)");
    if (options->operand_count == 2 && options->output != NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a trace is written to one file: found '%s' and "
                           "--output '%s'",
                           conversion->to, options->output);
    if (unit != 0 && !margay_is_power_of_two(unit))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--unit: %" PRIu64 " is not a power of two", unit);
    if (strcmp(conversion->to, "-") == 0 && isatty(STDOUT_FILENO))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a trace is nothing for a terminal (name a file, "
                           "or write to a pipe)");
    return MARGAY_OK;
}

static enum margay_status prepare(struct conversion *conversion,
                                  struct margay_error *error)
{
    enum margay_status status = check(conversion, error);
    if (status == MARGAY_OK)
        status = trace_writer_create(conversion->options, conversion->to,
                                     &conversion->output, &conversion->writer,
                                     error);
    if (status == MARGAY_OK)
        status = open_trace(conversion, error);
    if (status == MARGAY_OK)
        status = units_of_trace(conversion->options, conversion->from,
                                conversion->trace, conversion->writer,
                                &conversion->units, error);
    if (status == MARGAY_OK)
        status = output_open(conversion->to, OUTPUT_HELD, &conversion->output,
                             error);
    return status;
}

/* -------------------------------------------------------------- writing -- */

static void show_progress(struct conversion *conversion)
{
    uint64_t done, total;
    margay_trace_progress(conversion->trace, &done, &total);
    progress_update(&conversion->progress, conversion->written_refs, done,
                    total);
}

static enum margay_status write_piece(struct conversion *conversion,
                                      struct margay_error *error)
{
    struct margay_batch *piece = &conversion->piece;
    const uint32_t *counts = piece->counts;
    for (size_t i = 0; i < piece->references; i++)
        conversion->written_refs += counts == NULL ? 1 : counts[i];
    enum margay_status status =
        margay_writer_put(conversion->writer, piece, error);
    piece->references = 0;
    show_progress(conversion);
    return status;
}

/* Convert an entry of a batch, or a part of it, from the units read to the
   units written.  Columns are copied that the trace has. */
static enum margay_status convert(struct conversion *conversion,
                                  const struct margay_batch *batch,
                                  size_t index, uint64_t number,
                                  uint64_t extent, struct margay_error *error)
{
    struct margay_batch *piece = &conversion->piece;
    size_t to = piece->references;
    uint64_t times = conversion->units.multiplier,
             divisor = conversion->units.divisor;
    uint64_t first = number / divisor, covers = extent;
    if (divisor > 1 && extent > 0)
        covers = margay_extent_last(number, extent) / divisor - first + 1;
    if (divisor == 1 &&
        (!margay_multiply_u64(number, times, &first) ||
         !margay_multiply_u64(extent, times, &covers) || covers > UINT32_MAX))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: number %" PRIu64 " (extent %" PRIu64
                           ") times %" PRIu64 " does not fit into a trace, "
                           "which holds numbers of 64 bits and extents of 32",
                           conversion->from, number, extent, times);
    conversion->numbers[to] = first;
    conversion->extents[to] = (uint32_t)covers;
    conversion->kinds[to] =
        batch->kinds == NULL ? MARGAY_READ : batch->kinds[index];
    if (batch->counts != NULL)
        conversion->counts[to] = batch->counts[index];
    if (batch->threads != NULL)
        conversion->threads[to] = batch->threads[index];
    if (batch->sites != NULL)
        conversion->sites[to] = batch->sites[index];
    piece->references++;
    return piece->references == PIECE_REFS ? write_piece(conversion, error)
                                           : MARGAY_OK;
}

/* If references are split, a format without extents gets a record for each unit
   that a reference covers, and none for a reference that covers none. Otherwise
   a reference that covers none becomes one to the block of its number. */
static enum margay_status convert_batch(struct conversion *conversion,
                                        const struct margay_batch *batch,
                                        struct margay_error *error)
{
    struct margay_batch *piece = &conversion->piece;
    bool empty_extents =
        margay_writer_format(conversion->writer)->empty_extents;
    enum margay_status status = MARGAY_OK;
    /* The columns are the same in all batches. */
    piece->counts = batch->counts == NULL ? NULL : conversion->counts;
    piece->threads = batch->threads == NULL ? NULL : conversion->threads;
    piece->sites = batch->sites == NULL ? NULL : conversion->sites;
    for (size_t done = 0, some; done < batch->references && status == MARGAY_OK;
         done += some)
        status = margay_batch_take(batch, done, 0, conversion->units.split,
                                   conversion->from, &some, error);
    for (size_t i = 0; i < batch->references && status == MARGAY_OK; i++) {
        uint64_t number = batch->numbers[i];
        uint64_t extent = batch->extents == NULL ? 1 : batch->extents[i];
        if (extent == 0 && !empty_extents && conversion->units.splits)
            continue;
        if (extent == 0 && !empty_extents)
            extent = 1;
        if (!conversion->units.split)
            status = convert(conversion, batch, i, number, extent, error);
        for (; conversion->units.split && extent > 0 && status == MARGAY_OK;
             extent--)
            status = convert(conversion, batch, i, number++, 1, error);
    }
    return status;
}

static enum margay_status convert_all(struct conversion *conversion,
                                      struct margay_error *error)
{
    struct margay_batch batch;
    enum margay_status status;
    progress_begin(&conversion->progress, conversion->from,
                   conversion->options->quiet);
    do {
        status = margay_trace_next(conversion->trace, WAIT_MS, &batch, error);
        if (status == MARGAY_OK)
            status = convert_batch(conversion, &batch, error);
        show_progress(conversion);
    } while (status == MARGAY_OK || status == MARGAY_AGAIN);
    return status;
}

static enum margay_status finish(struct conversion *conversion,
                                 struct margay_error *error)
{
    enum margay_status status = write_piece(conversion, error);
    request_tell_reading(conversion->options, conversion->from,
                         conversion->trace);
    return status == MARGAY_OK
               ? stream_finish(conversion->writer, conversion->trace, error)
               : status;
}

/* Say what was written, and what was not: what addresses hold, which a
   recording tells before its first reference.  What is no file cannot be read
   twice, and is not asked. */
static void tell(const struct conversion *conversion, bool damaged)
{
    const struct margay_reading reading = {.data = true};
    struct margay_trace_options trace_options = conversion->options->reading;
    struct margay_batch batch;
    struct stat status;
    margay_trace *trace;
    trace_options.unit_bytes = 0;
    message_print("%s: %s%" PRIu64 " reference%s to %s as %s", conversion->from,
                  damaged ? "the first " : "", conversion->written_refs,
                  margay_plural(conversion->written_refs, "s"), conversion->to,
                  margay_writer_format(conversion->writer)->name);
    if (stat(conversion->from, &status) != 0 || !S_ISREG(status.st_mode) ||
        margay_trace_open_for(conversion->from, &trace_options, &reading,
                              &trace, NULL) != MARGAY_OK)
        return;
    if (margay_trace_next(trace, -1, &batch, NULL) == MARGAY_OK &&
        margay_trace_tells_data(trace))
        message_print("%s: what addresses hold (record --data) is left out; "
                      "annotate --data needs the trace as it was recorded",
                      conversion->from);
    margay_trace_free(trace);
}

int cmd_convert(const struct options *options)
{
    struct conversion conversion = {
        .options = options,
        .from = options->operands[0],
        .to =
            options->operand_count > 1 ? options->operands[1] : options->output,
    };
    conversion.piece = (struct margay_batch){
        .numbers = conversion.numbers,
        .kinds = conversion.kinds,
        .extents = conversion.extents,
    };
    struct margay_error error, damage;
    enum margay_status status = prepare(&conversion, &error);
    if (status == MARGAY_OK)
        status = convert_all(&conversion, &error);
    /* Keep the references before the damage if the format has checksums; in
       other formats numbers may be wrong long before the damage shows.
       Standard output gets the whole trace or nothing. */
    bool damaged = status == MARGAY_BAD_INPUT && conversion.output != NULL &&
                   strcmp(conversion.to, "-") != 0 &&
                   margay_trace_format(conversion.trace)->checked;
    damage = error;
    if (status == MARGAY_END || damaged)
        status = finish(&conversion, &error);
    int exit_status = conclude(status, &conversion.output, 1, &error);
    bool tells = exit_status == EXIT_DONE && !options->quiet;
    if (exit_status == EXIT_DONE && damaged)
        exit_status = message_error(&damage);
    if (tells)
        tell(&conversion, damaged);
    margay_trace_free(conversion.trace);
    margay_writer_free(conversion.writer);
    return exit_status;
}
