/*
 * optimal.c - Belady's optimum in a last level
 *
 * Algorithm: that of one_pass/opt.c, for one cache and a reference at a time.
 *   When a block is used again it is known whether the optimum has kept it, so
 *   that the stream that reaches the level need not be kept until its future is
 *   known.  A block that is used again and misses has left, and was written
 *   back if it was dirty.  Of blocks that are not used again the one that was
 *   used the longest ago makes room first: in the end a set has the blocks that
 *   it used last.
 * Source: as there.
 * Guarantee: exact.  When a block left is not known: a write-back counts when
 *   the block is used again, or in the end.
 * Cost: O(ways) per reference, and a look into a hash table; 16 bytes for each
 *   way of each set, and 18 to 37 for each distinct block.
 */
#include <stdlib.h>
#include <string.h>

#include "assoc/hierarchy/node.h"
#include "assoc/one_pass/jobs.h"
#include "assoc/room.h"

/* The values of the hash table have 38 bits, one of which says that a block is
   dirty. */
#define MOST_TIME ((UINT64_C(1) << 37) - 1)

struct margay_optimal {
    struct margay_sets sets;
    uint64_t set_count;
    unsigned ways;
    struct margay_hash last; /* block to twice the time of its last use, plus 1
                                if it is dirty */
    uint64_t now;
    /* [set][way]: the time of the set's last use, and the moments from which
       its machines are free; then the times of the blocks that it has in the
       end, for margay_optimal_owed() */
    uint64_t *lists, *ends;
};

enum margay_status margay_optimal_create(const struct margay_level *level,
                                         struct margay_optimal **result,
                                         struct margay_error *error)
{
    uint64_t ways = margay_level_ways(level);
    uint64_t blocks = level->bytes / level->block_bytes;
    *result = NULL;
    enum margay_status status =
        margay_room_check(level->name, 2 * blocks * sizeof(uint64_t), error);
    if (status != MARGAY_OK)
        return status;
    struct margay_optimal *optimal = calloc(1, sizeof *optimal);
    uint64_t *lists = calloc(2 * blocks, sizeof *lists);
    if (optimal == NULL || lists == NULL) {
        free(optimal);
        free(lists);
        return margay_fail_memory(error, "an optimal cache");
    }
    optimal->set_count = blocks / ways;
    optimal->ways = (unsigned)ways;
    optimal->sets = margay_sets_of(optimal->set_count, level->index,
                                   (unsigned)level->slices,
                                   margay_log2_floor(level->block_bytes));
    optimal->lists = lists;
    optimal->ends = lists + blocks;
    status = margay_hash_create(&optimal->last, 0, error);
    *result = optimal;
    return status;
}

void margay_optimal_free(struct margay_optimal *optimal)
{
    if (optimal == NULL)
        return;
    margay_hash_destroy(&optimal->last);
    free(optimal->lists);
    free(optimal);
}

enum margay_status margay_optimal_use(struct margay_optimal *optimal,
                                      uint64_t block, bool writes, bool *hit,
                                      bool *left_dirty,
                                      struct margay_error *error)
{
    struct margay_hash *last = &optimal->last;
    uint64_t *list =
        optimal->lists + margay_set_of(&optimal->sets, block) * optimal->ways;
    unsigned slot;
    enum margay_status status = margay_hash_reserve(last, 1, error);
    if (status == MARGAY_OK && optimal->now == MOST_TIME)
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "over 2^37 references are too many for a cache "
                             "that is optimal");
    if (status != MARGAY_OK)
        return status;
    /* Not a time whose low bits are 0, as such values stand for none. */
    optimal->now += (optimal->now + 1) << 33 == 0 ? 2 : 1;
    struct margay_bucket *bucket = margay_hash_slot(last, block, &slot);
    uint64_t value = margay_bucket_value(bucket, slot), past = value >> 1;
    *hit = past != 0 && (past == list[0] ||
                         margay_give_job(list + 1, optimal->ways - 1, past,
                                         list[0]) < optimal->ways - 1);
    *left_dirty = !*hit && value % 2 != 0;
    list[0] = optimal->now;
    last->entries += value == 0;
    bucket->keys[slot] = block;
    margay_bucket_set_value(
        bucket, slot, optimal->now << 1 | (writes || (*hit && value % 2 != 0)));
    return MARGAY_OK;
}

/* Keep the latest times, in ascending order. */
static void keep_latest(uint64_t *times, unsigned count, uint64_t time)
{
    unsigned i = 0;
    if (time <= times[0])
        return;
    for (; i + 1 < count && times[i + 1] < time; i++)
        times[i] = times[i + 1];
    times[i] = time;
}

uint64_t margay_optimal_owed(const struct margay_optimal *optimal)
{
    const struct margay_hash *last = &optimal->last;
    uint64_t owed = 0;
    memset(optimal->ends, 0,
           optimal->set_count * optimal->ways * sizeof *optimal->ends);
    for (int counts = 0; counts < 2; counts++) {
        for (uint64_t i = 0; i < last->bucket_count; i++) {
            const struct margay_bucket *bucket = &last->buckets[i];
            for (unsigned k = 0; k < MARGAY_BUCKET_SLOTS; k++) {
                uint64_t value = margay_bucket_value(bucket, k);
                if (value == 0)
                    continue;
                uint64_t *times =
                    optimal->ends +
                    margay_set_of(&optimal->sets, bucket->keys[k]) *
                        optimal->ways;
                if (counts)
                    owed += value % 2 != 0 && value >> 1 < times[0];
                else
                    keep_latest(times, optimal->ways, value >> 1);
            }
        }
    }
    return owed;
}
