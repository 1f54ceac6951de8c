/*
 * cmd_convert.c - margay convert
 *
 * A run whose analysis writes the references of the trace (stream.c), in the
 * units of the format that it writes.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/command/drive.h"
#include "sim/command/stream.h"
#include "sim/options/commands.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

struct conversion {
    struct drive drive;
    const struct options *options; /* as they are given */
    const char *from, *to;         /* files; the first of several traces */
    struct stream stream;
    bool checked; /* the format of the trace has checksums */
};

static enum margay_status check(const struct conversion *conversion,
                                struct margay_error *error)
{
    const struct options *options = conversion->options;
    uint64_t unit = options->reading.unit_bytes;
    if (conversion->to == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "missing operand: expected IN OUT, or IN and "
                           "--output FILE ('margay help convert' has more)");
    if (options->operand_count == 2 && options->output != NULL &&
        !options->run.join)
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

static enum margay_status begun(struct drive *drive,
                                const struct margay_job *job,
                                struct margay_error *error)
{
    struct conversion *conversion = (struct conversion *)drive;
    struct stream *stream = &conversion->stream;
    conversion->checked = margay_trace_facts(job->reader)->format->checked;
    return units_of_trace(conversion->options, job->trace, job->reader,
                          stream->writer, &stream->units, error);
}

static enum margay_status ended(struct drive *drive,
                                const struct margay_job *job,
                                const struct margay_pass *pass,
                                struct margay_error *error)
{
    (void)pass;
    return stream_finish(&((struct conversion *)drive)->stream, job->reader,
                         error);
}

/* References are read unchanged, and --unit is the unit of the ids that are
   written. */
static enum margay_status ask(struct drive *drive, margay_question **question,
                              struct margay_error *error)
{
    struct conversion *conversion = (struct conversion *)drive;
    struct options *reading = &drive->options;
    if (!reading->run.join && reading->operand_count == 2)
        reading->operand_count = 1; /* the other is OUT */
    reading->reading.unit_bytes = 0;
    reading->run.straddle = MARGAY_STRADDLE_FIRST;
    enum margay_status status = check(conversion, error);
    if (status == MARGAY_OK)
        status = stream_open(&conversion->stream, conversion->options,
                             conversion->to, error);
    return status == MARGAY_OK
               ? stream_question(&conversion->stream, question, error)
               : status;
}

/* Report the output, and that data were left out, which a recording has before
   its first reference.  Only a file can be read twice for that. */
static void tell(const struct conversion *conversion, bool damaged)
{
    const struct margay_reading reading = {.data = true};
    struct margay_trace_options trace_options = conversion->options->reading;
    struct margay_batch batch;
    struct stat status;
    margay_trace *trace;
    trace_options.unit_bytes = 0;
    message_print("%s: %s%" PRIu64 " reference%s to %s as %s", conversion->from,
                  damaged ? "the first " : "", conversion->stream.written_refs,
                  margay_plural(conversion->stream.written_refs, "s"),
                  conversion->to,
                  margay_writer_format(conversion->stream.writer)->name);
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
        .drive = {.options = *options,
                  .copies = true,
                  .ask = ask,
                  .begun = begun,
                  .ended = ended},
        .options = options,
        .stream = {.output = &conversion.drive.csvs[0].output,
                   .fed = STREAM_TRACE},
        .from = options->operands[0],
        .to = options->operand_count > 1 && !options->run.join
                  ? options->operands[1]
                  : options->output,
    };
    struct margay_error error, damage;
    enum margay_status status = drive_run(&conversion.drive, &error);
    /* Keep the references before the damage if the format has checksums; in
       other formats numbers may be wrong long before the damage shows.
       Standard output gets the whole trace or nothing. */
    bool damaged = status == MARGAY_BAD_INPUT && conversion.checked &&
                   strcmp(conversion.to, "-") != 0;
    damage = error;
    if (damaged)
        status = margay_writer_finish(conversion.stream.writer, &error);
    int exit_status =
        csv_conclude(status, conversion.drive.csvs, DRIVE_MOST_FILES, &error);
    bool tells = exit_status == EXIT_DONE && !options->quiet;
    if (exit_status == EXIT_DONE && damaged)
        exit_status = message_error(&damage);
    if (tells)
        tell(&conversion, damaged);
    margay_writer_free(conversion.stream.writer);
    return exit_status;
}
