/* units.c - from the numbers of a trace to those of a format */
#include "sim/command/units.h"

#include <inttypes.h>

#include "traces/traces_internal.h"

/* The bytes that a number of the trace stands for, and one of the format; 0 =
   unknown.  --unit overrides what the trace says of ids, and says what ids of
   addresses are. */
static void find_units(const margay_trace *trace, uint64_t unit,
                       const struct margay_format_info *format, uint64_t *read,
                       uint64_t *written)
{
    bool addresses = margay_trace_numbers(trace) == MARGAY_ADDRESSES;
    *read = !addresses && unit != 0 ? unit : margay_trace_unit_bytes(trace);
    if (!format->any_numbers && format->numbers == MARGAY_ADDRESSES)
        *written = 1;
    else if (addresses && unit != 0)
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
    enum margay_straddle straddle = options->run.straddle;
    uint64_t unit = options->reading.unit_bytes;
    bool ids = unit != 0 || margay_trace_numbers(trace) == MARGAY_IDS;
    uint64_t read, written, collapsed = margay_trace_collapsed_bytes(trace);
    enum margay_status status = MARGAY_OK;
    find_units(trace, unit, format, &read, &written);
    units->splits = straddle == MARGAY_STRADDLE_USUAL
                        ? margay_trace_splits(trace)
                        : straddle == MARGAY_STRADDLE_SPLIT;
    units->split =
        units->splits && (format->columns & MARGAY_COLUMN_EXTENTS) == 0;
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
    if (status == MARGAY_OK && collapsed != 0)
        status = margay_writer_set_collapsed(writer, collapsed, error);
    /* Ids of unknown size stay as they are. */
    if (read == 0 || written == 0)
        read = written = 1;
    units->multiplier = read > written ? read / written : 1;
    units->divisor = written > read ? written / read : 1;
    return status;
}

enum margay_status units_of_blocks(const struct margay_pass *pass, bool splits,
                                   margay_writer *writer, uint64_t *multiplier,
                                   struct margay_error *error)
{
    const struct margay_format_info *format = margay_writer_format(writer);
    uint64_t unit =
        format->numbers == MARGAY_ADDRESSES ? 1 : format->unit_bytes;
    *multiplier = UINT64_C(1) << pass->shift;
    if (format->any_numbers)
        return margay_writer_set_numbers(
            writer, pass->numbers,
            pass->numbers == MARGAY_IDS ? pass->block_bytes >> pass->shift : 0,
            splits, error);
    if (unit == 0 || (unit != 1 && pass->block_bytes == 0))
        return MARGAY_OK;
    if (pass->block_bytes == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: block ids become addresses only where it is "
                           "known what an id stands for (say --unit BYTES)",
                           pass->trace);
    if (pass->block_bytes < unit)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--to %s: its ids stand for %" PRIu64
                           " bytes, more than a block of %" PRIu64,
                           format->name, unit, pass->block_bytes);
    *multiplier = pass->block_bytes / unit;
    return MARGAY_OK;
}
