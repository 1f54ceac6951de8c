/* hp_merge.c - hp-rda from thread block to thread block */
#include "stackdist/engines/hp_merge.h"

#include <stdlib.h>
#include <string.h>

#include "stackdist/engine.h"
#include "stackdist/engines/clock.h"
#include "stackdist/exact/hash.h"
#include "traces/traces_internal.h"

/* Places that the exact engine is told of at a time. */
#define PIECE_PLACES 1024

struct margay_hp_merge {
    enum margay_hp_adjust adjust;
    size_t chunk_refs, block_refs;
    margay_histogram *settled; /* distances that are final */

    /* By times: */
    margay_engine *exact;
    uint32_t *place_at; /* by sum of counts, from 0 on; 0 = none */

    /* By the paper's rule: */
    struct margay_hash keys;  /* block to key */
    uint64_t sum_counts;      /* distinct blocks of the thread blocks so far */
    uint64_t first_sum;       /* where that begins */
    margay_histogram *across; /* from block to block, uncorrected */
};

void margay_hp_merge_free(struct margay_hp_merge *merge)
{
    if (merge == NULL)
        return;
    margay_histogram_free(merge->settled);
    margay_engine_free(merge->exact);
    free(merge->place_at);
    margay_hash_destroy(&merge->keys);
    margay_histogram_free(merge->across);
    free(merge);
}

static enum margay_status create_exact(struct margay_hp_merge *merge,
                                       struct margay_error *error)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    merge->place_at = calloc(merge->block_refs + 1, sizeof *merge->place_at);
    if (merge->place_at == NULL)
        return margay_fail_memory(error, "thread blocks");
    return margay_engine_create("exact", &options, &merge->exact, error);
}

static enum margay_status create_keys(struct margay_hp_merge *merge,
                                      struct margay_error *error)
{
    /* Keys are differences: begin where none can be negative. */
    merge->first_sum = merge->sum_counts = merge->block_refs + 1;
    enum margay_status status = margay_hash_create(&merge->keys, 0, error);
    if (status == MARGAY_OK)
        status = margay_histogram_create(&merge->across, error);
    return status;
}

enum margay_status margay_hp_merge_create(enum margay_hp_adjust adjust,
                                          size_t chunk_refs, size_t block_refs,
                                          struct margay_hp_merge **merge,
                                          struct margay_error *error)
{
    struct margay_hp_merge *made = calloc(1, sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "the hp-rda engine");
    made->adjust = adjust;
    made->chunk_refs = chunk_refs;
    made->block_refs = block_refs;
    enum margay_status status = margay_histogram_create(&made->settled, error);
    if (status == MARGAY_OK)
        status = adjust == MARGAY_HP_TIMES ? create_exact(made, error)
                                           : create_keys(made, error);
    if (status == MARGAY_OK)
        *merge = made;
    else
        margay_hp_merge_free(made);
    return status;
}

/* -------------------------------------------------- within a thread block --
 */

/* The paper's effective factor, for distances above all distinct blocks. */
static uint64_t correct(const struct margay_hp_merge *merge, uint64_t distance,
                        uint64_t distinct, uint64_t sum_counts)
{
    if (merge->adjust != MARGAY_HP_ON || distance <= distinct)
        return distance;
    return (uint64_t)((double)distance *
                      ((double)distinct / (double)sum_counts));
}

static enum margay_status settle_local(struct margay_hp_merge *merge,
                                       const struct margay_hp_block *block,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t d = 0; d < merge->chunk_refs && status == MARGAY_OK; d++) {
        if (block->local[d] != 0)
            status =
                margay_histogram_add(merge->settled, d, block->local[d], error);
        block->local[d] = 0;
    }
    return status;
}

/*
 * `sum` adds up, over the times so far, the references that are not reused
 * until then; sum / sum_counts blocks are expected to be distinct.  The sum is
 * below 2^53, as sum_counts is below 2^26.
 */
static enum margay_status settle_across(struct margay_hp_merge *merge,
                                        const struct margay_hp_block *block,
                                        struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    uint64_t distinct = block->place_count, sum_counts = block->sum_counts;
    uint64_t sum = 0, reused = 0;
    for (uint64_t d = 0; d <= sum_counts && status == MARGAY_OK; d++) {
        uint64_t count = block->across[d], distance = d;
        if (count != 0) {
            if (merge->adjust == MARGAY_HP_TIMES) {
                distance = (sum + sum_counts / 2) / sum_counts;
                distance = distance < distinct ? distance : distinct - 1;
            }
            status = margay_histogram_add(
                merge->settled, correct(merge, distance, distinct, sum_counts),
                count, error);
        }
        block->across[d] = 0;
        sum += sum_counts - reused;
        reused += count;
    }
    return status;
}

/* ------------------------------------------ exactly, from block to block -- */

/* Feed the exact engine the blocks in the order of place_at[], which is 0
   afterwards; count the distances only if `counting`. */
static enum margay_status tell(struct margay_hp_merge *merge,
                               const struct margay_hp_block *block,
                               bool counting, struct margay_error *error)
{
    uint64_t ids[PIECE_PLACES], distances[PIECE_PLACES] = {0};
    enum margay_status status = MARGAY_OK;
    uint64_t at = 0;
    for (uint32_t left = block->place_count; left > 0 && status == MARGAY_OK;) {
        uint32_t some = left < PIECE_PLACES ? left : PIECE_PLACES;
        left -= some;
        for (uint32_t i = 0; i < some; at++) {
            ids[i] = block->places[merge->place_at[at]].block;
            i += merge->place_at[at] != 0;
            merge->place_at[at] = 0;
        }
        status = margay_engine_feed(merge->exact, ids, some,
                                    counting ? distances : NULL, error);
        for (uint32_t i = 0; counting && i < some && status == MARGAY_OK; i++)
            status =
                margay_histogram_add(merge->settled, distances[i], 1, error);
    }
    return status;
}

/* Both `first` and `key` are different for all blocks of a thread block. */
static enum margay_status merge_exactly(struct margay_hp_merge *merge,
                                        const struct margay_hp_block *block,
                                        struct margay_error *error)
{
    for (uint32_t i = 1; i <= block->place_count; i++)
        merge->place_at[block->places[i].first] = i;
    enum margay_status status = tell(merge, block, true, error);
    for (uint32_t i = 1; i <= block->place_count; i++)
        merge->place_at[block->places[i].key] = i;
    if (status == MARGAY_OK)
        status = tell(merge, block, false, error);
    return status;
}

/* ----------------------------------- by the paper, from block to block -- */

static enum margay_status merge_place(struct margay_hp_merge *merge,
                                      const struct margay_hp_block *block,
                                      const struct margay_hp_place *place,
                                      struct margay_error *error)
{
    uint64_t distinct = block->place_count, sum = block->sum_counts;
    uint64_t first = correct(merge, place->first, distinct, sum);
    uint64_t latest = correct(merge, sum - place->key, distinct, sum);
    unsigned slot;
    struct margay_bucket *bucket =
        margay_hash_slot(&merge->keys, place->block, &slot);
    uint64_t value = margay_bucket_value(bucket, slot);
    enum margay_status status;
    if (value == 0) {
        merge->keys.entries++;
        status =
            margay_histogram_add(merge->settled, MARGAY_INFINITE, 1, error);
    } else {
        status = margay_histogram_add(
            merge->across,
            merge->sum_counts + first - margay_clock_decode(value), 1, error);
    }
    bucket->keys[slot] = place->block;
    margay_bucket_set_value(
        bucket, slot,
        margay_clock_encode(merge->sum_counts + distinct - latest));
    return status;
}

static enum margay_status merge_places(struct margay_hp_merge *merge,
                                       const struct margay_hp_block *block,
                                       struct margay_error *error)
{
    if (merge->sum_counts + merge->block_refs >= MARGAY_CLOCK_END)
        return margay_clock_fail_end(error);
    enum margay_status status =
        margay_hash_reserve(&merge->keys, block->place_count, error);
    for (uint32_t i = 1; i <= block->place_count && status == MARGAY_OK; i++)
        status = merge_place(merge, block, &block->places[i], error);
    merge->sum_counts += block->place_count;
    return status;
}

static enum margay_status correct_across(struct margay_hp_merge *merge,
                                         struct margay_error *error)
{
    uint64_t sum_counts = merge->sum_counts - merge->first_sum;
    uint64_t distance, count;
    enum margay_status status = MARGAY_OK;
    for (uint64_t from = 0;
         status == MARGAY_OK &&
         margay_histogram_next(merge->across, from, &distance, &count);
         from = distance + 1)
        status = margay_histogram_add(
            merge->settled,
            correct(merge, distance, merge->keys.entries, sum_counts), count,
            error);
    return status;
}

/* -------------------------------------------------------------- both -- */

enum margay_status margay_hp_merge_add(struct margay_hp_merge *merge,
                                       const struct margay_hp_block *block,
                                       struct margay_error *error)
{
    enum margay_status status = settle_local(merge, block, error);
    if (status == MARGAY_OK)
        status = settle_across(merge, block, error);
    if (status == MARGAY_OK)
        status = merge->adjust == MARGAY_HP_TIMES
                     ? merge_exactly(merge, block, error)
                     : merge_places(merge, block, error);
    return status;
}

void margay_hp_merge_reset_counts(struct margay_hp_merge *merge)
{
    margay_histogram_clear(merge->settled);
    if (merge->across != NULL)
        margay_histogram_clear(merge->across);
}

/* How many blocks there were; the exact engine's own counts are of no use. */
static enum margay_status count_distinct(struct margay_hp_merge *merge,
                                         uint64_t *distinct,
                                         struct margay_error *error)
{
    struct margay_result exact = {0};
    *distinct = merge->keys.entries;
    if (merge->exact == NULL)
        return MARGAY_OK;
    enum margay_status status =
        margay_engine_finish(merge->exact, &exact, error);
    *distinct = exact.distinct_blocks;
    margay_result_clear(&exact);
    return status;
}

enum margay_status margay_hp_merge_finish(struct margay_hp_merge *merge,
                                          uint64_t repeats,
                                          struct margay_result *result,
                                          struct margay_error *error)
{
    uint64_t distinct;
    enum margay_status status = count_distinct(merge, &distinct, error);
    if (status == MARGAY_OK)
        status = margay_histogram_add(merge->settled, 0, repeats, error);
    if (status == MARGAY_OK && merge->across != NULL)
        status = correct_across(merge, error);
    if (status != MARGAY_OK)
        return status;
    result->histogram = merge->settled;
    result->distinct_blocks = distinct;
    merge->settled = NULL;
    return MARGAY_OK;
}
