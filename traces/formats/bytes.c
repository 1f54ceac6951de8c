/* bytes.c - the bytes that a reader of blocks takes from an intake */
#include <stdio.h>

#include "traces/base/error.h"
#include "traces/formats/blocks_format.h"

enum margay_status margay_intake_copy(struct margay_intake *intake,
                                      void *buffer, size_t bytes, size_t *got,
                                      struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (*got = 0; *got < bytes && status == MARGAY_OK;) {
        size_t left = margay_intake_left(intake), more = bytes - *got;
        if (left == 0 && intake->ended)
            break;
        if (left == 0)
            status = margay_input_read(intake, more, error);
        more = left < more ? left : more;
        memcpy((char *)buffer + *got, intake->held + intake->begin, more);
        intake->begin += more;
        *got += more;
    }
    return status;
}

enum margay_status margay_intake_hold(struct margay_intake *intake,
                                      size_t bytes, struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    while (margay_intake_left(intake) < bytes && !intake->ended &&
           status == MARGAY_OK)
        status = margay_input_read(intake, MARGAY_HELD_BYTES, error);
    return status;
}

enum margay_status margay_source_fail_at(
    const struct margay_block_source *source, uint64_t offset,
    const char *found, const char *expected, struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "%s: byte %llu: found %s, expected %s (read as %s; %s)",
                       source->name, (unsigned long long)offset, found,
                       expected, source->format, source->evidence);
}

enum margay_status margay_source_fail(const struct margay_block_source *source,
                                      const char *found, const char *expected,
                                      struct margay_error *error)
{
    return margay_source_fail_at(source, margay_intake_offset(source->intake),
                                 found, expected, error);
}

enum margay_status margay_source_fail_half(
    const struct margay_block_source *source, size_t record_bytes,
    struct margay_error *error)
{
    char found[64], expected[64];
    size_t bytes = margay_intake_left(source->intake);
    snprintf(found, sizeof found, "half a record of %zu byte%s", bytes,
             margay_plural(bytes, "s"));
    snprintf(expected, sizeof expected, "%zu bytes", record_bytes);
    return margay_source_fail(source, found, expected, error);
}
