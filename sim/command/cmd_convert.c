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
    const char *format;    /* to write */
    margay_trace *trace;
    margay_writer *writer;
    struct output *output;
    struct progress progress;
    /* A number written is one read times `multiplier` or over `divisor`; one
       of them is 1. */
    uint64_t multiplier, divisor;
    bool split; /* a record for each unit that a reference covers */
    uint64_t written_refs;

    /* A column beside the numbers is NULL if the trace does not have it. */
    struct margay_batch piece;
    uint64_t numbers[PIECE_REFS], sites[PIECE_REFS];
    uint8_t kinds[PIECE_REFS];
    uint32_t extents[PIECE_REFS], counts[PIECE_REFS], threads[PIECE_REFS];
};

/* A reference that is being converted. */
struct reference {
    uint64_t number, extent;
    const struct margay_batch *batch; /* where it comes from */
    size_t index;                     /* in the batch */
};

/* --------------------------------------------------------------- set-up -- */

/* Does a reference become one to each unit that it covers? */
static bool splits(const struct conversion *conversion)
{
    enum margay_straddle straddle = conversion->options->run.straddle;
    return straddle == MARGAY_STRADDLE_USUAL
               ? margay_trace_splits(conversion->trace)
               : straddle == MARGAY_STRADDLE_SPLIT;
}

/* The bytes that a number read stands for; --unit overrides the trace. */
static uint64_t unit_read(const struct conversion *conversion)
{
    uint64_t unit = conversion->options->reading.unit_bytes;
    if (margay_trace_numbers(conversion->trace) == MARGAY_IDS && unit != 0)
        return unit;
    return margay_trace_unit_bytes(conversion->trace);
}

/* The bytes that a number written stands for; 0 = unknown. */
static uint64_t unit_written(const struct conversion *conversion)
{
    const struct margay_format_info *format =
        margay_writer_format(conversion->writer);
    bool addresses_read =
        margay_trace_numbers(conversion->trace) == MARGAY_ADDRESSES;
    uint64_t unit = conversion->options->reading.unit_bytes;
    if (format->any_numbers)
        return addresses_read && unit != 0 ? unit : unit_read(conversion);
    if (format->numbers == MARGAY_ADDRESSES)
        return 1;
    if (addresses_read && unit != 0)
        return unit;
    if (addresses_read && format->unit_bytes == 0)
        return 1;
    return format->unit_bytes;
}

/* Find the factor from numbers read to numbers written, once the trace is
   known. */
static enum margay_status choose_scale(struct conversion *conversion,
                                       struct margay_error *error)
{
    const struct margay_format_info *format =
        margay_writer_format(conversion->writer);
    uint64_t read = unit_read(conversion), written = unit_written(conversion);
    if (read == 0 && format->numbers == MARGAY_ADDRESSES &&
        !format->any_numbers)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: ids become addresses only where it is known "
                           "what an id stands for (say --unit BYTES; --unit 1 "
                           "writes the ids as they stand)",
                           conversion->from);
    /* Ids of unknown size stay as they are. */
    if (read == 0 || written == 0)
        read = written = 1;
    conversion->multiplier = read > written ? read / written : 1;
    conversion->divisor = written > read ? written / read : 1;
    conversion->split =
        splits(conversion) && (format->columns & MARGAY_COLUMN_EXTENTS) == 0;
    return MARGAY_OK;
}

/* Describe the trace to a format that has a header for it.  Other formats
   refuse collapsed repeats, because a reader could not know of them. */
static enum margay_status describe(struct conversion *conversion,
                                   struct margay_error *error)
{
    const struct margay_format_info *format =
        margay_writer_format(conversion->writer);
    const margay_trace *trace = conversion->trace;
    enum margay_numbers numbers = margay_trace_numbers(trace);
    uint64_t collapsed = margay_trace_collapsed_bytes(trace);
    enum margay_status status = MARGAY_OK;
    if (conversion->options->reading.unit_bytes != 0)
        numbers = MARGAY_IDS;
    if (format->any_numbers)
        status = margay_writer_set_numbers(
            conversion->writer, numbers,
            numbers == MARGAY_IDS ? unit_written(conversion) : 0,
            splits(conversion), error);
    if (status == MARGAY_OK && collapsed != 0)
        status =
            margay_writer_set_collapsed(conversion->writer, collapsed, error);
    return status;
}

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
    struct margay_sink sink = {&conversion->output, sink_write};
    enum margay_status status = check(conversion, error);
    if (status == MARGAY_OK)
        status = trace_format_needed(conversion->options, conversion->to,
                                     &conversion->format, error);
    if (status == MARGAY_OK)
        status = margay_writer_create(conversion->format, conversion->to, &sink,
                                      &conversion->writer, error);
    if (status == MARGAY_OK)
        status = open_trace(conversion, error);
    if (status == MARGAY_OK)
        status = choose_scale(conversion, error);
    if (status == MARGAY_OK)
        status = describe(conversion, error);
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

static enum margay_status fail_number(const struct conversion *conversion,
                                      uint64_t number, uint64_t extent,
                                      struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "%s: number %" PRIu64 " (extent %" PRIu64
                       ") times %" PRIu64 " does not fit into a trace, which "
                       "holds numbers of 64 bits and extents of 32",
                       conversion->from, number, extent,
                       conversion->multiplier);
}

/* Copy the columns that the trace has; they are the same in all batches. */
static void keep_columns(struct conversion *conversion,
                         const struct reference *reference)
{
    const struct margay_batch *batch = reference->batch;
    struct margay_batch *piece = &conversion->piece;
    size_t from = reference->index, to = piece->references;
    conversion->kinds[to] =
        batch->kinds == NULL ? MARGAY_READ : batch->kinds[from];
    if (batch->counts != NULL) {
        conversion->counts[to] = batch->counts[from];
        piece->counts = conversion->counts;
    }
    if (batch->threads != NULL) {
        conversion->threads[to] = batch->threads[from];
        piece->threads = conversion->threads;
    }
    if (batch->sites != NULL) {
        conversion->sites[to] = batch->sites[from];
        piece->sites = conversion->sites;
    }
}

static enum margay_status append(struct conversion *conversion,
                                 const struct reference *reference,
                                 struct margay_error *error)
{
    struct margay_batch *piece = &conversion->piece;
    keep_columns(conversion, reference);
    conversion->numbers[piece->references] = reference->number;
    conversion->extents[piece->references] = (uint32_t)reference->extent;
    piece->references++;
    return piece->references == PIECE_REFS ? write_piece(conversion, error)
                                           : MARGAY_OK;
}

/* Convert one reference from the units read to the units written. */
static enum margay_status convert(struct conversion *conversion,
                                  struct reference reference,
                                  struct margay_error *error)
{
    uint64_t number = reference.number, extent = reference.extent;
    if (conversion->divisor == 1) {
        if (!margay_multiply_u64(number, conversion->multiplier,
                                 &reference.number) ||
            !margay_multiply_u64(extent, conversion->multiplier,
                                 &reference.extent) ||
            reference.extent > UINT32_MAX)
            return fail_number(conversion, number, extent, error);
    } else {
        uint64_t last =
            extent == 0 ? number : margay_extent_last(number, extent);
        reference.number = number / conversion->divisor;
        reference.extent =
            extent == 0 ? 0 : last / conversion->divisor - reference.number + 1;
    }
    return append(conversion, &reference, error);
}

/* If references are split, a format without extents gets a record for each unit
   that a reference covers, and none for a reference that covers none. Otherwise
   a reference that covers none becomes one to the block of its number. */
static enum margay_status convert_reference(struct conversion *conversion,
                                            struct reference reference,
                                            struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    uint64_t extent = reference.extent;
    if (extent == 0 &&
        !margay_writer_format(conversion->writer)->empty_extents) {
        if (splits(conversion))
            return MARGAY_OK;
        reference.extent = 1;
    }
    if (!conversion->split)
        return convert(conversion, reference, error);
    reference.extent = 1;
    for (; extent > 0 && status == MARGAY_OK; extent--, reference.number++)
        status = convert(conversion, reference, error);
    return status;
}

static enum margay_status convert_batch(struct conversion *conversion,
                                        const struct margay_batch *batch,
                                        struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t done = 0, some; done < batch->references && status == MARGAY_OK;
         done += some)
        status = margay_batch_take(batch, done, 0, conversion->split,
                                   conversion->from, &some, error);
    for (size_t i = 0; i < batch->references && status == MARGAY_OK; i++) {
        const struct reference reference = {
            .number = batch->numbers[i],
            .extent = batch->extents == NULL ? 1 : batch->extents[i],
            .batch = batch,
            .index = i,
        };
        status = convert_reference(conversion, reference, error);
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

/* Keep the references before the damage if the format has checksums; in other
   formats numbers may be wrong long before the damage shows.  Standard output
   gets the whole trace or nothing. */
static bool is_worth_keeping(const struct conversion *conversion,
                             enum margay_status status)
{
    return status == MARGAY_BAD_INPUT && conversion->output != NULL &&
           strcmp(conversion->to, "-") != 0 &&
           margay_trace_format(conversion->trace)->checked;
}

static enum margay_status finish(struct conversion *conversion,
                                 struct margay_error *error)
{
    enum margay_status status = write_piece(conversion, error);
    for (unsigned i = 0; i < MARGAY_MOST_MODULES && status == MARGAY_OK; i++) {
        const char *path = margay_trace_module(conversion->trace, i);
        if (path != NULL)
            status =
                margay_writer_set_module(conversion->writer, i, path, error);
    }
    if (status == MARGAY_OK)
        status = margay_writer_finish(conversion->writer, error);
    return status;
}

/* Does the trace tell what addresses hold?  A recording does so before its
   first reference.  What is no file cannot be read twice, and is not asked. */
static bool tells_data(const char *path, const struct options *options)
{
    const struct margay_reading reading = {.data = true};
    struct margay_trace_options trace_options = options->reading;
    struct margay_batch batch;
    struct stat status;
    margay_trace *trace;
    trace_options.unit_bytes = 0;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
        margay_trace_open_for(path, &trace_options, &reading, &trace, NULL) !=
            MARGAY_OK)
        return false;
    bool tells = margay_trace_next(trace, -1, &batch, NULL) == MARGAY_OK &&
                 margay_trace_tells_data(trace);
    margay_trace_free(trace);
    return tells;
}

static void tell(const struct conversion *conversion, bool damaged)
{
    message_print("%s: %s%" PRIu64 " reference%s to %s as %s", conversion->from,
                  damaged ? "the first " : "", conversion->written_refs,
                  margay_plural(conversion->written_refs, "s"), conversion->to,
                  conversion->format);
    if (tells_data(conversion->from, conversion->options))
        message_print("%s: what addresses hold (record --data) is left out; "
                      "annotate --data needs the trace as it was recorded",
                      conversion->from);
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
    bool damaged = is_worth_keeping(&conversion, status);
    damage = error;
    if (status == MARGAY_END || damaged) {
        request_tell_reading(options, conversion.from, conversion.trace);
        status = finish(&conversion, &error);
    }
    margay_trace_free(conversion.trace);
    margay_writer_free(conversion.writer);
    int exit_status = conclude(status, &conversion.output, 1, &error);
    if (exit_status == EXIT_DONE && damaged)
        exit_status = message_error(&damage);
    else if (exit_status != EXIT_DONE)
        return exit_status;
    if (!options->quiet)
        tell(&conversion, damaged);
    return exit_status;
}
