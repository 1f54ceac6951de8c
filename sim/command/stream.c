/* stream.c - the trace of what a cache sends on */
#include "sim/command/stream.h"

#include <inttypes.h>

#include "sim/command/drive.h"
#include "sim/command/units.h"
#include "sim/options/trace_format.h"
#include "traces/traces_internal.h"

/* References that are written at a time. */
#define PIECE_REFS 4096

struct writing {
    margay_analysis analysis;
    margay_writer *writer;
    uint64_t multiplier; /* from a block's id to its number, and its extent */
    uint64_t numbers[PIECE_REFS];
    uint32_t extents[PIECE_REFS];
};

/* Entry i of a span, whose blocks are numbers of the trace where they have
   extents. */
static enum margay_status convert(struct writing *writing,
                                  const struct margay_span *span, size_t i,
                                  size_t to, struct margay_error *error)
{
    const struct margay_pass *pass = writing->analysis.pass;
    uint64_t block = span->blocks[i], times = writing->multiplier;
    uint64_t extent = 1, divisor = 1;
    if (span->extents != NULL) {
        uint64_t numbers = UINT64_C(1) << pass->shift;
        divisor = numbers > times ? numbers / times : 1;
        times = times > numbers ? times / numbers : 1;
        extent = span->extents[i];
    }
    if (!margay_multiply_u64(block / divisor, times, &writing->numbers[to]))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "block %" PRIu64 " times %" PRIu64
                           " is over what a trace can hold",
                           block, times);
    extent = extent < divisor ? 1 : extent / divisor;
    writing->extents[to] =
        extent > UINT32_MAX / times ? UINT32_MAX : (uint32_t)(extent * times);
    return MARGAY_OK;
}

static enum margay_status write_span(margay_analysis *analysis,
                                     const struct margay_span *span,
                                     struct margay_error *error)
{
    struct writing *writing = (struct writing *)analysis;
    enum margay_status status = MARGAY_OK;
    for (size_t done = 0; done < span->count && status == MARGAY_OK;) {
        size_t left = span->count - done;
        struct margay_batch batch = {
            .references = left < PIECE_REFS ? left : PIECE_REFS,
        };
#define MARGAY_COLUMN(name, NAME, bit, type, words) \
    batch.name = span->name == NULL ? NULL : span->name + done;
#include <margay/columns.def>
        batch.numbers = writing->numbers;
        batch.extents = writing->extents;
        for (size_t i = 0; i < batch.references && status == MARGAY_OK; i++)
            status = convert(writing, span, done + i, i, error);
        if (status == MARGAY_OK)
            status = margay_writer_put(writing->writer, &batch, error);
        done += batch.references;
    }
    return status;
}

static enum margay_status begin_writing(margay_analysis *analysis,
                                        const struct margay_share *share,
                                        struct margay_error *error)
{
    struct writing *writing = (struct writing *)analysis;
    const struct stream *stream = analysis->question->context;
    (void)share;
    writing->writer = stream->writer;
    return units_of_blocks(analysis->pass, stream->splits, stream->writer,
                           &writing->multiplier, error);
}

enum margay_status stream_question(struct stream *stream,
                                   margay_question **question,
                                   struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .bytes = sizeof(struct writing),
        .begin = begin_writing,
        .feed = write_span};
    const margay_question own = {
        .functions = &functions,
        .can.uses = margay_writer_format(stream->writer)->columns &
                    ~(unsigned)(MARGAY_COLUMN_EXTENTS | MARGAY_COLUMN_COUNTS),
        .name = "a trace",
        .context = stream,
    };
    return drive_question(&own, question, error);
}

enum margay_status stream_open(struct stream *stream,
                               const struct options *options,
                               struct margay_error *error)
{
    const char *place = options->output == NULL ? "-" : options->output;
    enum margay_status status = trace_writer_create(
        options, place, &stream->output, &stream->writer, error);
    return status == MARGAY_OK
               ? output_open(place, OUTPUT_HELD, &stream->output, error)
               : status;
}

enum margay_status stream_finish(margay_writer *writer,
                                 const margay_trace *trace,
                                 struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (unsigned i = 0; i < MARGAY_MOST_MODULES && status == MARGAY_OK; i++) {
        const char *path = margay_trace_module(trace, i);
        if (path != NULL)
            status = margay_writer_set_module(writer, i, path, error);
    }
    return status == MARGAY_OK ? margay_writer_finish(writer, error) : status;
}
