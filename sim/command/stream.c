/* stream.c - writing the input of an analysis as a trace */
#include "sim/command/stream.h"

#include <inttypes.h>

#include "sim/command/drive.h"
#include "sim/options/files.h"
#include "sim/run/running.h"
#include "sim/run/spans.h"

/* ------------------------------------------------------------- units -- */

/* The unit in bytes of the numbers of the trace, and of those of the format; 0
   = unknown.  --unit overrides the unit of ids, and sets that of ids made of
   addresses, but not 1 byte where the format has a unit. */
static void find_units(const struct margay_trace_facts *trace, uint64_t unit,
                       const struct margay_format_info *format, uint64_t *read,
                       uint64_t *written)
{
    bool addresses = trace->numbers == MARGAY_ADDRESSES;
    *read = !addresses && unit != 0 ? unit : trace->unit_bytes;
    if (!format->any_numbers && format->numbers == MARGAY_ADDRESSES)
        *written = 1;
    else if (addresses && unit != 0 && (unit > 1 || format->unit_bytes == 0))
        *written = unit;
    else if (format->any_numbers)
        *written = *read;
    else
        *written =
            addresses && format->unit_bytes == 0 ? 1 : format->unit_bytes;
}

enum margay_status units_of_trace(const struct options *options,
                                  const char *name, const margay_trace *trace,
                                  margay_writer *writer, struct units *units,
                                  struct margay_error *error)
{
    const struct margay_format_info *format = margay_writer_format(writer);
    const struct margay_trace_facts *facts = margay_trace_facts(trace);
    uint64_t unit = options->reading.unit_bytes;
    bool ids = unit != 0 || facts->numbers == MARGAY_IDS;
    unsigned sizes = margay_writer_needs(writer) & MARGAY_COLUMN_SIZES;
    uint64_t read, written;
    enum margay_status status = MARGAY_OK;
    find_units(facts, unit, format, &read, &written);
    units->splits = options->run.straddle == MARGAY_STRADDLE_USUAL
                        ? facts->splits
                        : options->run.straddle == MARGAY_STRADDLE_SPLIT;
    /* The units of addresses are bytes, which are no blocks; where ids are made
       of them, --unit or the format says of which length. */
    units->split = units->splits &&
                   (format->columns & MARGAY_COLUMN_EXTENTS) == 0 &&
                   (facts->numbers == MARGAY_IDS || written > 1);
    if (read == 0 && format->numbers == MARGAY_ADDRESSES &&
        !format->any_numbers)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: ids become addresses only where it is known "
                           "what an id stands for (say --unit BYTES; --unit 1 "
                           "writes the ids as they stand)",
                           name);
    if (format->any_numbers)
        status = margay_writer_set_numbers(
            writer, ids ? MARGAY_IDS : MARGAY_ADDRESSES, ids ? written : 0,
            units->splits, error);
    /* A reference that becomes several records divides its size among them; one
       without a size has that of its extent. */
    const struct margay_need size = {.asked_by = "--to", .column = sizes};
    units->bytes =
        units->split || (facts->columns & MARGAY_COLUMN_SIZES) == 0 ? read : 0;
    if (status == MARGAY_OK &&
        (read == 0 || (facts->columns & MARGAY_COLUMN_EXTENTS) == 0))
        status = margay_needs_check(&size, 1, name, trace, error);
    /* Ids of unknown size stay as they are. */
    if (read == 0 || written == 0)
        read = written = 1;
    units->multiplier = read > written ? read / written : 1;
    units->divisor = written > read ? written / read : 1;
    return status;
}

/* The same for blocks of a pass or, `in_numbers`, numbers of its trace at which
   blocks begin: numbers written are those of the first byte of a block, in the
   unit of the format or, if that is unknown, of the trace.  References ask for
   all blocks that they cover. */
static enum margay_status units_of_blocks(const struct margay_pass *pass,
                                          bool in_numbers,
                                          margay_writer *writer,
                                          struct units *units,
                                          struct margay_error *error)
{
    const struct margay_format_info *format = margay_writer_format(writer);
    uint64_t unit =
        format->numbers == MARGAY_ADDRESSES ? 1 : format->unit_bytes;
    uint64_t numbers = UINT64_C(1) << pass->shift, times = numbers;
    enum margay_status status = MARGAY_OK;
    if (format->any_numbers)
        status = margay_writer_set_numbers(
            writer, pass->numbers,
            pass->numbers == MARGAY_IDS ? pass->block_bytes >> pass->shift : 0,
            true, error);
    else if (pass->block_bytes == 0 && unit == 1)
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "%s: block ids become addresses only where it is "
                             "known what an id stands for (say --unit BYTES)",
                             pass->trace);
    else if (pass->block_bytes != 0 && pass->block_bytes < unit)
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "--to %s: its ids stand for %" PRIu64
                             " bytes, more than a block of %" PRIu64,
                             format->name, unit, pass->block_bytes);
    else if (pass->block_bytes != 0 && unit != 0)
        times = pass->block_bytes / unit;
    if (!in_numbers)
        numbers = 1;
    *units = (struct units){
        .multiplier = times > numbers ? times / numbers : 1,
        .divisor = numbers > times ? numbers / times : 1,
        .bytes =
            in_numbers ? pass->block_bytes >> pass->shift : pass->block_bytes,
    };
    return status;
}

/* ----------------------------------------------------------- writing -- */

/* Records on their way into the writer, and the entries of the span that they
   are of, whose other columns are theirs. */
struct writing {
    margay_analysis analysis;
    size_t count;
    uint64_t firsts[MARGAY_SPAN_REFS];
    uint32_t covers[MARGAY_SPAN_REFS];
    uint32_t origins[MARGAY_SPAN_REFS];
    uint64_t bytes[MARGAY_SPAN_REFS];
#define MARGAY_COLUMN(name, NAME, bit, type, words) type name[MARGAY_SPAN_REFS];
#include <margay/columns.def>
};

static enum margay_status write_records(struct writing *writing,
                                        const struct margay_span *span,
                                        struct margay_error *error)
{
    struct stream *stream = writing->analysis.question->context;
    struct margay_batch batch = {.references = writing->count};
#define MARGAY_COLUMN(name, NAME, bit, type, words)                   \
    for (size_t i = 0; span->name != NULL && i < writing->count; i++) \
        writing->name[i] = span->name[writing->origins[i]];           \
    batch.name = span->name == NULL ? NULL : writing->name;
#include <margay/columns.def>
    batch.numbers = writing->firsts;
    batch.extents = writing->covers;
    batch.kinds = writing->kinds; /* a trace without kinds has reads */
    if (stream->units.bytes != 0 &&
        (batch.sizes != NULL ||
         (margay_writer_needs(stream->writer) & MARGAY_COLUMN_SIZES) != 0))
        batch.sizes = writing->bytes;
    stream->written_refs += writing->count;
    writing->count = 0;
    return margay_writer_put(stream->writer, &batch, error);
}

/* Convert an entry of a span, or a unit of it. */
static enum margay_status add_record(struct writing *writing,
                                     const struct margay_span *span, size_t i,
                                     uint64_t number, uint64_t extent,
                                     uint64_t bytes, struct margay_error *error)
{
    const struct stream *stream = writing->analysis.question->context;
    const struct units *units = &stream->units;
    uint64_t first = number / units->divisor, covers = extent;
    if (units->divisor > 1 && extent > 0)
        covers =
            margay_extent_last(number, extent) / units->divisor - first + 1;
    bool fits = units->divisor > 1 ||
                (margay_multiply_u64(number, units->multiplier, &first) &&
                 margay_multiply_u64(extent, units->multiplier, &covers));
    if (fits && stream->fed != STREAM_TRACE && covers > UINT32_MAX)
        covers = UINT32_MAX; /* of a block that large */
    if (!fits || covers > UINT32_MAX)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: number %" PRIu64 " (extent %" PRIu64
                           ") times %" PRIu64 " does not fit into a trace, "
                           "which holds numbers of 64 bits and extents of 32",
                           writing->analysis.pass->trace, number, extent,
                           units->multiplier);
    writing->firsts[writing->count] = first;
    writing->covers[writing->count] = (uint32_t)covers;
    writing->bytes[writing->count] = bytes;
    writing->origins[writing->count++] = (uint32_t)i;
    return writing->count == MARGAY_SPAN_REFS
               ? write_records(writing, span, error)
               : MARGAY_OK;
}

/* If references are split, a format without extents gets a record for each unit
   that a reference covers, and none for a reference that covers none. Otherwise
   a reference that covers none becomes one to the block of its number. */
static enum margay_status write_span(margay_analysis *analysis,
                                     const struct margay_span *span,
                                     struct margay_error *error)
{
    struct writing *writing = (struct writing *)analysis;
    const struct stream *stream = analysis->question->context;
    const struct units *units = &stream->units;
    const struct margay_batch whole = {.references = span->count,
                                       .numbers = span->blocks,
                                       .extents = span->extents};
    bool empty = margay_writer_format(stream->writer)->empty_extents;
    enum margay_status status = MARGAY_OK;
    for (size_t done = 0, some;
         units->split && done < span->count && status == MARGAY_OK;
         done += some)
        status = margay_batch_take(&whole, done, 0, true, analysis->pass->trace,
                                   &some, error);
    for (size_t i = 0; i < span->count && status == MARGAY_OK; i++) {
        uint64_t number = span->blocks[i];
        uint64_t extent = span->extents == NULL ? 1 : span->extents[i];
        if (extent == 0 && !empty && units->splits)
            continue;
        if (extent == 0 && !empty)
            extent = 1;
        if (!units->split)
            status = add_record(writing, span, i, number, extent,
                                extent * units->bytes, error);
        /* A record for each unit that is written, not for each that is read. */
        uint64_t left = span->sizes == NULL ? UINT64_MAX : span->sizes[i];
        for (uint64_t some, bytes;
             units->split && extent > 0 && status == MARGAY_OK;
             number += some, extent -= some, left -= bytes) {
            some = margay_minimum(units->divisor - number % units->divisor,
                                  extent);
            bytes = margay_minimum(some * units->bytes, left);
            status = add_record(writing, span, i, number, 1, bytes, error);
        }
    }
    return status == MARGAY_OK ? write_records(writing, span, error) : status;
}

static enum margay_status begin_writing(margay_analysis *analysis,
                                        const struct margay_share *share,
                                        struct margay_error *error)
{
    struct stream *stream = analysis->question->context;
    (void)share;
    return stream->fed == STREAM_TRACE
               ? MARGAY_OK
               : units_of_blocks(analysis->pass, stream->fed == STREAM_NUMBERS,
                                 stream->writer, &stream->units, error);
}

enum margay_status stream_question(struct stream *stream,
                                   margay_question **question,
                                   struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .bytes = sizeof(struct writing),
        .begin = begin_writing,
        .feed = write_span,
    };
    unsigned needs = margay_writer_needs(stream->writer);
    unsigned columns = margay_writer_format(stream->writer)->columns &
                       (needs | ~(unsigned)MARGAY_OBJECT_COLUMNS);
    margay_question kind = {
        .functions = &functions,
        /* The requests of a cache have kinds and purposes. */
        .can = {.needs = needs & ~((unsigned)MARGAY_COLUMN_KINDS |
                                   (unsigned)MARGAY_COLUMN_PURPOSES),
                .uses = columns & ~(unsigned)MARGAY_COLUMN_EXTENTS},
        .name = "--to",
    };
    if (stream->fed == STREAM_TRACE)
        kind.can = (struct margay_abilities){
            .needs = needs & ~(unsigned)MARGAY_COLUMN_SIZES,
            .uses = columns | (needs & MARGAY_COLUMN_SIZES) |
                    MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS,
            .references = true,
        };
    return margay_question_create(&kind, stream, 0, question, error);
}

enum margay_status stream_open(struct stream *stream,
                               const struct options *options, const char *path,
                               struct margay_error *error)
{
    enum margay_status status = trace_writer_create(
        options, path, stream->output, &stream->writer, error);
    return status == MARGAY_OK
               ? output_open(path, OUTPUT_HELD, stream->output, error)
               : status;
}

enum margay_status stream_finish(struct stream *stream,
                                 const margay_trace *trace,
                                 struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (unsigned i = 0; i < MARGAY_MOST_MODULES && status == MARGAY_OK; i++) {
        const char *path = margay_trace_module(trace, i);
        if (path != NULL)
            status = margay_writer_set_module(stream->writer, i, path, error);
    }
    return status == MARGAY_OK ? margay_writer_finish(stream->writer, error)
                               : status;
}
