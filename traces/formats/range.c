/* range.c - part of a file of fixed-length records, read without a thread */
#include <stdlib.h>

#include "traces/base/error.h"
#include "traces/formats/trace.h"

struct margay_range {
    struct margay_trace *trace;
    uint64_t next, left; /* references of the file */
    struct margay_references references;
};

enum margay_status margay_trace_range(margay_trace *trace, uint64_t first,
                                      uint64_t count, margay_range **range,
                                      struct margay_error *error)
{
    *range = NULL;
    if (!trace->ready || !trace->reader.refs_known ||
        trace->reader.detection.format->record_bytes == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: a range of references whose place is not known",
                           trace->reader.path);
    margay_range *made = calloc(1, sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "a range of a trace");
    *made = (margay_range){.trace = trace, .next = first, .left = count};
    enum margay_status status = margay_batch_allocate(
        &made->references, trace->reader.detection.format, error);
    if (status == MARGAY_OK)
        *range = made;
    else
        margay_range_free(made);
    return status;
}

void margay_range_free(margay_range *range)
{
    if (range == NULL)
        return;
    margay_references_free(&range->references);
    free(range);
}

/* The records read are whole, but for what the file ends with. */
static enum margay_status unpack(margay_range *range, const char *records,
                                 size_t bytes, struct margay_error *error)
{
    const struct margay_reader *reader = &range->trace->reader;
    const struct margay_format *format = reader->detection.format;
    size_t count = bytes / format->record_bytes;
    uint64_t offset = range->next * format->record_bytes;
    const char *expected = format->unpack(&range->references, records, count);
    if (expected != NULL)
        return margay_reader_fail_record(
            reader, offset + range->references.count * format->record_bytes,
            expected, error);
    range->next += count;
    range->left -= count;
    if (count == 0 && bytes > 0)
        return margay_reader_fail_half_record(reader, offset, bytes, error);
    return count == 0 ? MARGAY_END : MARGAY_OK;
}

enum margay_status margay_range_next(margay_range *range,
                                     struct margay_batch *batch,
                                     struct margay_error *error)
{
    struct margay_reader *reader = &range->trace->reader;
    const struct margay_format *format = reader->detection.format;
    size_t count = range->references.capacity, got;
    if (range->left == 0)
        return MARGAY_END;
    if (count > range->left)
        count = (size_t)range->left;
    char *records = margay_batch_records(&range->references, format);
    range->references.count = 0;
    enum margay_status status = margay_input_read_at(
        reader->input, range->next * format->record_bytes, records,
        count * format->record_bytes, &got, error);
    if (status == MARGAY_OK)
        status = unpack(range, records, got, error);
    if (status == MARGAY_OK)
        margay_trace_select(range->trace, &range->references, 0,
                            range->references.count, batch);
    return status;
}
