/* sizes.c - sizes as people write them */
#include "sim/options/sizes.h"

#include "traces/traces_internal.h"

enum margay_status cache_size_parse(const char *text, const char *what,
                                    struct margay_cache_size *size,
                                    struct margay_error *error)
{
    enum margay_status status =
        margay_parse_size(text, what, &size->value, &size->in_bytes, error);
    if (status == MARGAY_OK && size->value == 0)
        status =
            margay_fail(error, MARGAY_BAD_ARGUMENT,
                        "%s: a cache of size 0 (expected 1 or more)", what);
    return status;
}

uint64_t bytes_of_id(const struct margay_format_info *format)
{
    return format->any_numbers || format->numbers == MARGAY_ADDRESSES ||
                   format->unit_bytes == 0
               ? 1
               : format->unit_bytes;
}
