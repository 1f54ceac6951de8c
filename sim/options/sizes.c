/* sizes.c - sizes as people write them */
#include "sim/options/sizes.h"

#include <inttypes.h>
#include <stdlib.h>

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

static int compare_u64(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

size_t sort_unique(uint64_t *values, size_t count)
{
    size_t unique = 0;
    if (count > 0)
        qsort(values, count, sizeof *values, compare_u64);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || values[i] != values[unique - 1])
            values[unique++] = values[i];
    }
    return unique;
}

enum margay_status cache_sizes_resolve(const struct cache_sizes *sizes,
                                       uint64_t block_bytes,
                                       struct margay_sizes *resolved,
                                       struct margay_error *error)
{
    *resolved = (struct margay_sizes){.kind = sizes->kind,
                                      .per_octave = sizes->per_octave};
    if (sizes->kind != MARGAY_SIZES_LIST)
        return MARGAY_OK;
    uint64_t *list = calloc(sizes->count, sizeof *list);
    if (list == NULL)
        return margay_fail_memory(error, "the cache sizes");
    for (size_t i = 0; i < sizes->count; i++) {
        enum margay_status status = margay_cache_size_blocks(
            &sizes->list[i], "--sizes", block_bytes, &list[i], error);
        if (status != MARGAY_OK) {
            free(list);
            return status;
        }
    }
    resolved->list_blocks = list;
    resolved->list_count = sort_unique(list, sizes->count);
    return MARGAY_OK;
}

enum margay_status cache_sizes_check(const struct cache_sizes *sizes,
                                     uint64_t block_bytes,
                                     struct margay_error *error)
{
    struct margay_sizes resolved;
    enum margay_status status =
        cache_sizes_resolve(sizes, block_bytes, &resolved, error);
    if (status == MARGAY_OK)
        free((void *)resolved.list_blocks);
    return status;
}

uint64_t bytes_of_id(const struct margay_format_info *format)
{
    return format->any_numbers || format->numbers == MARGAY_ADDRESSES ||
                   format->unit_bytes == 0
               ? 1
               : format->unit_bytes;
}
