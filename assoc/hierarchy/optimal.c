/*
 * optimal.c - Belady's optimum in a last level
 *
 * Algorithm: that of one_pass/opt.c, for one cache and a reference at a time.
 *   A use of a block shows whether the optimum has kept it since the last one,
 *   so the references of the level need not be stored.  A block that is used
 *   again and misses has left, and was written back if it was dirty.  Of blocks
 *   that are not used again the one that was used the longest ago makes room
 *   first: in the end a set has the blocks that it used last.
 * Source: as there.
 * Guarantee: exact.  The time of evictions is unknown: a write-back counts when
 *   the block is used again, or in the end.
 * Cost: O(ways) per reference, two looks into a hash table, and a cache of LRU;
 *   8 bytes for each way of each set, and 18 to 37 for each distinct block.
 */
#include <stdlib.h>

#include "assoc/hierarchy/node.h"
#include "assoc/one_pass/jobs.h"

/* The values of the hash table have 38 bits, one of which says that a block is
   dirty. */
#define MOST_TIME ((UINT64_C(1) << 37) - 1)

struct margay_optimal {
    struct margay_hash last; /* block to twice the time of its last use, plus 1
                                if it is dirty */
    uint64_t now;
    uint64_t *lists; /* [set][way]: the time of the set's last use, and the
                        moments from which its machines are free */
    margay_cache
        *latest;   /* of LRU: the blocks that would be there in the end */
    uint64_t owed; /* dirty blocks that would not */
};

enum margay_status margay_optimal_create(const struct margay_level *level,
                                         struct margay_optimal **result,
                                         struct margay_error *error)
{
    struct margay_level of_lru = *level;
    struct margay_optimal *optimal = *result = calloc(1, sizeof *optimal);
    of_lru.policy = NULL;
    if (optimal == NULL)
        return margay_fail_memory(error, "an optimal cache");
    optimal->lists =
        calloc(level->bytes / level->block_bytes, sizeof *optimal->lists);
    if (optimal->lists == NULL)
        return margay_fail_memory(error, "an optimal cache");
    enum margay_status status =
        margay_level_cache(&of_lru, 0, false, &optimal->latest, error);
    return status == MARGAY_OK ? margay_hash_create(&optimal->last, 0, error)
                               : status;
}

void margay_optimal_free(struct margay_optimal *optimal)
{
    if (optimal == NULL)
        return;
    margay_hash_destroy(&optimal->last);
    margay_cache_free(optimal->latest);
    free(optimal->lists);
    free(optimal);
}

/* Make a block the latest of its set. */
static void make_latest(struct margay_optimal *optimal, uint64_t block,
                        bool dirty)
{
    margay_cache *latest = optimal->latest;
    const struct margay_policy_loops *loops =
        &latest->policy->loops[latest->finder.form];
    struct margay_use use = {.block = block};
    if (loops->touch(latest, &use) != MARGAY_NOWHERE)
        return;
    optimal->owed -= dirty;
    loops->bring_in(latest, &use);
    if (!latest->evicted.left)
        return;
    /* The table has every block that was used, and its low half is not 0. */
    optimal->owed +=
        *margay_hash_find(&optimal->last, latest->evicted.block) % 2;
}

enum margay_status margay_optimal_use(struct margay_optimal *optimal,
                                      uint64_t block, bool writes, bool *hit,
                                      bool *left_dirty,
                                      struct margay_error *error)
{
    const struct margay_finder *finder = &optimal->latest->finder;
    uint64_t *list =
        optimal->lists + margay_set_of(&finder->sets, block) * finder->ways;
    unsigned slot, others = finder->ways - 1;
    enum margay_status status = margay_hash_reserve(&optimal->last, 1, error);
    if (status == MARGAY_OK && optimal->now == MOST_TIME)
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "over 2^37 references are too many for a cache "
                             "that is optimal");
    if (status != MARGAY_OK)
        return status;
    /* Not a time whose low bits are 0, as such values stand for none. */
    optimal->now += (optimal->now + 1) << 33 == 0 ? 2 : 1;
    struct margay_bucket *bucket =
        margay_hash_slot(&optimal->last, block, &slot);
    uint64_t past = margay_bucket_value(bucket, slot) >> 1;
    bool dirty = margay_bucket_value(bucket, slot) % 2 != 0;
    *hit = past != 0 &&
           (past == list[0] ||
            margay_give_job(list + 1, others, past, list[0]) < others);
    *left_dirty = !*hit && dirty;
    list[0] = optimal->now;
    optimal->last.entries += past == 0;
    bucket->keys[slot] = block;
    margay_bucket_set_value(bucket, slot,
                            optimal->now << 1 | (writes || (*hit && dirty)));
    make_latest(optimal, block, dirty);
    return MARGAY_OK;
}

uint64_t margay_optimal_owed(const struct margay_optimal *optimal)
{
    return optimal->owed;
}
