/* bytes.c - readers of blocks, and a window on their bytes: see bytes.h */
#include "traces/formats/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/base/error.h"

enum margay_status margay_block_source_read(
    const struct margay_block_source *source, void *buffer, size_t least,
    size_t most, size_t *got, struct margay_error *error)
{
    size_t more = 1;
    for (*got = 0; *got < least && more > 0; *got += more) {
        enum margay_status status = source->read(
            source->context, (char *)buffer + *got, most - *got, &more, error);
        if (status != MARGAY_OK)
            return status;
    }
    return MARGAY_OK;
}

enum margay_status margay_block_source_fail(
    const struct margay_block_source *source, uint64_t offset,
    const char *found, const char *expected, struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s: byte %llu: found %s, expected %s (read as %s; %s)",
                       source->name, (unsigned long long)offset, found,
                       expected, source->format, source->evidence);
}

enum margay_status margay_block_source_fail_half(
    const struct margay_block_source *source, uint64_t offset, size_t bytes,
    size_t record_bytes, struct margay_error *error)
{
    char found[64], expected[64];
    snprintf(found, sizeof found, "half a record of %zu byte%s", bytes,
             margay_plural(bytes, "s"));
    snprintf(expected, sizeof expected, "%zu bytes", record_bytes);
    return margay_block_source_fail(source, offset, found, expected, error);
}

enum margay_status margay_blocks_open(
    const struct margay_blocks_reading *reading,
    const struct margay_block_source *source, void **state,
    struct margay_trace_facts *facts, struct margay_error *error)
{
    void *made = calloc(1, reading->state_bytes);
    *state = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "a reader of traces");
    memcpy(made, source, sizeof *source);
    enum margay_status status =
        reading->open == NULL ? MARGAY_OK : reading->open(made, facts, error);
    if (status == MARGAY_OK)
        *state = made;
    else
        margay_blocks_close(reading, made);
    return status;
}

void margay_blocks_close(const struct margay_blocks_reading *reading,
                         void *state)
{
    if (state != NULL && reading->clear != NULL)
        reading->clear(state);
    free(state);
}

enum margay_status margay_bytes_need(struct margay_bytes *bytes, size_t wanted,
                                     struct margay_error *error)
{
    size_t left = margay_bytes_left(bytes), got;
    if (left >= wanted)
        return MARGAY_OK;
    memmove(bytes->held, margay_bytes_at(bytes), left);
    bytes->begin = 0;
    enum margay_status status = margay_block_source_read(
        &bytes->source, bytes->held + left, wanted - left,
        MARGAY_BYTES_HELD - left, &got, error);
    bytes->end = left + got;
    return status;
}

enum margay_status margay_bytes_fail(const struct margay_bytes *bytes,
                                     size_t ahead, const char *found,
                                     const char *expected,
                                     struct margay_error *error)
{
    return margay_block_source_fail(&bytes->source, bytes->offset + ahead,
                                    found, expected, error);
}

enum margay_status margay_bytes_end(const struct margay_bytes *bytes,
                                    size_t record_bytes,
                                    struct margay_error *error)
{
    size_t left = margay_bytes_left(bytes);
    return left == 0
               ? MARGAY_END
               : margay_block_source_fail_half(&bytes->source, bytes->offset,
                                               left, record_bytes, error);
}
