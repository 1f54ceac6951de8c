/* bytes.c - a window on the bytes of a trace: see bytes.h */
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

struct margay_bytes *margay_bytes_create(
    const struct margay_block_source *source)
{
    struct margay_bytes *bytes = malloc(sizeof *bytes);
    if (bytes == NULL)
        return NULL;
    bytes->source = *source;
    bytes->offset = bytes->begin = bytes->end = 0;
    return bytes;
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
                                     size_t ahead, const char *format,
                                     const char *found, const char *expected,
                                     struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s: byte %llu: found %s, expected %s (read as %s; %s)",
                       bytes->source.name,
                       (unsigned long long)(bytes->offset + ahead), found,
                       expected, format, bytes->source.evidence);
}

enum margay_status margay_bytes_end(const struct margay_bytes *bytes,
                                    const char *format, size_t record_bytes,
                                    struct margay_error *error)
{
    char found[64], expected[64];
    size_t left = margay_bytes_left(bytes);
    if (left == 0)
        return MARGAY_END;
    snprintf(found, sizeof found, "half a record of %zu byte%s", left,
             margay_plural(left, "s"));
    snprintf(expected, sizeof expected, "%zu bytes", record_bytes);
    return margay_bytes_fail(bytes, 0, format, found, expected, error);
}

enum margay_status margay_bytes_skip(void *state, uint64_t skip_refs,
                                     uint64_t *skipped_refs, bool *known,
                                     uint64_t *refs, struct margay_error *error)
{
    (void)state, (void)skip_refs, (void)error;
    *skipped_refs = *refs = 0;
    *known = false;
    return MARGAY_OK;
}
