/* consumer.c - what every consumer has, and how large its caches are */
#include "sim/run/consumer.h"

#include <inttypes.h>

#include "traces/traces_internal.h"

void margay_consumer_free(margay_consumer *consumer)
{
    if (consumer != NULL)
        consumer->functions->free(consumer);
}

enum margay_status margay_cache_size_blocks(
    const struct margay_cache_size *size, const char *what,
    uint64_t block_bytes, uint64_t *blocks, struct margay_error *error)
{
    uint64_t bytes;
    *blocks = size->value;
    if (size->in_bytes && block_bytes == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: %" PRIu64 " byte%s, but nothing says what a "
                           "block id of this trace stands for (expected a "
                           "number of blocks, or --unit BYTES)",
                           what, size->value, margay_plural(size->value, "s"));
    if (size->in_bytes && size->value % block_bytes != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: %" PRIu64 " byte%s is not a multiple of the "
                           "block of %" PRIu64 " bytes",
                           what, size->value, margay_plural(size->value, "s"),
                           block_bytes);
    if (size->in_bytes)
        *blocks = size->value / block_bytes;
    else if (!margay_multiply_u64(size->value, block_bytes, &bytes))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: %" PRIu64 " blocks of %" PRIu64
                           " bytes are over 64 bits",
                           what, size->value, block_bytes);
    return MARGAY_OK;
}
