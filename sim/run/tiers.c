/* tiers.c - the splits of tiers of caches, each a choice of their sizes */
#include <margay/questions.h>

#include <inttypes.h>
#include <stdlib.h>

#include "traces/traces_internal.h"

/* The sums of one split. */
static enum margay_status add_up(const struct margay_tiers *tiers, size_t split,
                                 const uint64_t *blocks, uint64_t *sums,
                                 struct margay_error *error)
{
    for (size_t i = tiers->count; i-- > 0;) {
        size_t first = i == 0 ? 0 : tiers->ends[i - 1];
        sums[i] = blocks[first + split % (tiers->ends[i] - first)];
        split /= tiers->ends[i] - first;
    }
    for (size_t i = 1; i < tiers->count; i++) {
        if (!margay_add_u64(sums[i - 1], sums[i], &sums[i]))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--tiers: all together are over 64 bits");
    }
    return MARGAY_OK;
}

enum margay_status margay_tiers_resolve(const struct margay_tiers *tiers,
                                        uint64_t block_bytes, uint64_t **sums,
                                        size_t *splits,
                                        struct margay_error *error)
{
    uint64_t blocks[MARGAY_MOST_TIER_SIZES];
    enum margay_status status = MARGAY_OK;
    *sums = NULL;
    *splits = 1;
    for (size_t i = 0, size = 0; i < tiers->count; i++) {
        *splits *= tiers->ends[i] - size;
        if (*splits > MARGAY_MOST_SPLITS)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--tiers: their sizes make more than %d splits",
                               MARGAY_MOST_SPLITS);
        for (; size < tiers->ends[i] && status == MARGAY_OK; size++)
            status =
                margay_cache_size_blocks(&tiers->list[size], "--tiers",
                                         block_bytes, &blocks[size], error);
        if (status != MARGAY_OK)
            return status;
    }
    *sums = calloc(*splits * tiers->count, sizeof **sums);
    if (*sums == NULL)
        return margay_fail_memory(error, "the tiers");
    for (size_t i = 0; i < *splits && status == MARGAY_OK; i++)
        status = add_up(tiers, i, blocks, *sums + i * tiers->count, error);
    return status;
}
