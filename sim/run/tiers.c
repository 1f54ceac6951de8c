/* tiers.c - the splits of tiers of caches, each a choice of their sizes */
#include <margay/questions.h>

#include <inttypes.h>
#include <stdlib.h>

#include "traces/traces_internal.h"

/* The sizes of a tier, the first of which has this number, in blocks: different
   ones. */
static enum margay_status size_tier(const struct margay_tiers *tiers,
                                    size_t tier, size_t first,
                                    uint64_t block_bytes, uint64_t *blocks,
                                    struct margay_error *error)
{
    for (size_t i = first; i < tiers->ends[tier]; i++) {
        enum margay_status status = margay_cache_size_blocks(
            &tiers->list[i], "--tiers", block_bytes, &blocks[i], error);
        if (status != MARGAY_OK)
            return status;
        for (size_t k = first; k < i; k++) {
            if (blocks[k] == blocks[i])
                return margay_fail(error, MARGAY_BAD_ARGUMENT,
                                   "--tiers: tier %zu has %" PRIu64
                                   " blocks twice, expected different sizes",
                                   tier + 1, blocks[k]);
        }
    }
    return MARGAY_OK;
}

/* The sums of one split.  As a tier has no size twice, no two splits have the
   same. */
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
        status = size_tier(tiers, i, size, block_bytes, blocks, error);
        if (status != MARGAY_OK)
            return status;
        size = tiers->ends[i];
    }
    *sums = calloc(*splits * tiers->count, sizeof **sums);
    if (*sums == NULL)
        return margay_fail_memory(error, "the tiers");
    for (size_t i = 0; i < *splits && status == MARGAY_OK; i++)
        status = add_up(tiers, i, blocks, *sums + i * tiers->count, error);
    if (status != MARGAY_OK) {
        free(*sums);
        *sums = NULL;
    }
    return status;
}
