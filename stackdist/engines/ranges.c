/* ranges.c - consecutive ranges of time and how many blocks each holds */
#include "stackdist/engines/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

#define FIRST_CAPACITY 64

enum margay_status margay_ranges_create(struct margay_ranges *ranges,
                                        struct margay_error *error)
{
    *ranges = (struct margay_ranges){0};
    return margay_ranges_reserve(ranges, FIRST_CAPACITY, error);
}

void margay_ranges_destroy(struct margay_ranges *ranges)
{
    free(ranges->ends);
    margay_sums_destroy(&ranges->sums);
    *ranges = (struct margay_ranges){0};
}

enum margay_status margay_ranges_reserve(struct margay_ranges *ranges,
                                         uint64_t capacity,
                                         struct margay_error *error)
{
    struct margay_sums sums;
    uint64_t power = FIRST_CAPACITY;
    while (power < capacity)
        power *= 2;
    if (power <= ranges->capacity)
        return MARGAY_OK;
    if (power > UINT32_MAX)
        return margay_fail_memory(error, "that many ranges of time");
    uint32_t *ends = realloc(ranges->ends, (size_t)power * sizeof *ends);
    if (ends == NULL)
        return margay_fail_memory(error, "ranges of time");
    ranges->ends = ends;
    enum margay_status status =
        margay_sums_create(&sums, (uint32_t)power, MARGAY_RANGES_SHIFT, error);
    if (status != MARGAY_OK)
        return status;
    if (ranges->count > 0)
        memcpy(sums.levels[0], margay_ranges_sizes(ranges),
               ranges->count * sizeof(uint32_t));
    margay_sums_destroy(&ranges->sums);
    ranges->sums = sums;
    ranges->capacity = (uint32_t)power;
    margay_ranges_rewrite(ranges, ranges->count);
    return MARGAY_OK;
}

void margay_ranges_rewrite(struct margay_ranges *ranges, uint32_t count)
{
    uint32_t *sizes = margay_ranges_sizes(ranges);
    for (uint32_t i = count; i < ranges->capacity; i++) {
        ranges->ends[i] = UINT32_MAX;
        sizes[i] = 0;
    }
    ranges->count = count;
    margay_sums_rebuild(&ranges->sums, MARGAY_RANGES_SHIFT);
}
