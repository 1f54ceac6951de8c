/* block_source.c - the bytes of a trace, as many as a format asks for */
#include "traces/formats/blocks_format.h"

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
