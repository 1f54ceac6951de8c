/* hp_merge.c - hp-rda from thread block to thread block */
#include "stackdist/engines/hp_merge.h"

#include <stdlib.h>
#include <string.h>

#include "stackdist/engine.h"
#include "stackdist/engines/clock.h"
#include "stackdist/exact/hash.h"
#include "traces/traces_internal.h"

/* Blocks that the exact engine is fed at a time. */
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

enum margay_status margay_hp_merge_counts(struct margay_hp_merge *merge,
                                          uint32_t *counts, size_t count,
                                          struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t d = 0; d < count && status == MARGAY_OK; d++) {
        if (counts[d] != 0)
            status = margay_histogram_add(merge->settled, d, counts[d], error);
        counts[d] = 0;
    }
    return status;
}

/*
 * `sum` adds up, over the times so far, the references that are not reused
 * until then; sum / sum_counts blocks are expected to be distinct.  The sum is
 * below 2^53, as sum_counts is below 2^26.
 */
enum margay_status margay_hp_merge_begin(struct margay_hp_merge *merge,
                                         struct margay_hp_block *block,
                                         struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    block->base = merge->sum_counts;
    merge->sum_counts += block->place_count;
    if (merge->adjust != MARGAY_HP_TIMES &&
        merge->sum_counts >= MARGAY_CLOCK_END)
        return margay_clock_fail_end(error);
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

enum margay_status margay_hp_merge_ids(struct margay_hp_merge *merge,
                                       const uint64_t *ids, size_t count,
                                       bool counting,
                                       struct margay_error *error)
{
    uint64_t distances[PIECE_PLACES] = {0};
    enum margay_status status = MARGAY_OK;
    for (size_t at = 0; at < count && status == MARGAY_OK;) {
        size_t some = count - at < PIECE_PLACES ? count - at : PIECE_PLACES;
        status = margay_engine_feed(merge->exact, ids + at, some,
                                    counting ? distances : NULL, error);
        for (size_t i = 0; counting && i < some && status == MARGAY_OK; i++)
            status =
                margay_histogram_add(merge->settled, distances[i], 1, error);
        at += some;
    }
    return status;
}

/* The blocks in the order of place_at[], which is 0 afterwards. */
static enum margay_status merge_in_order(struct margay_hp_merge *merge,
                                         const struct margay_hp_block *block,
                                         const struct margay_hp_place *places,
                                         bool counting,
                                         struct margay_error *error)
{
    uint64_t ids[PIECE_PLACES];
    enum margay_status status = MARGAY_OK;
    uint64_t at = 0;
    for (uint32_t left = block->place_count; left > 0 && status == MARGAY_OK;) {
        uint32_t some = left < PIECE_PLACES ? left : PIECE_PLACES;
        left -= some;
        for (uint32_t i = 0; i < some; at++) {
            ids[i] = places[merge->place_at[at]].block;
            i += merge->place_at[at] != 0;
            merge->place_at[at] = 0;
        }
        status = margay_hp_merge_ids(merge, ids, some, counting, error);
    }
    return status;
}

/* Both `first` and `key` are different for all blocks of a thread block. */
static enum margay_status merge_exactly(struct margay_hp_merge *merge,
                                        const struct margay_hp_block *block,
                                        const struct margay_hp_place *places,
                                        struct margay_error *error)
{
    for (uint32_t i = 1; i <= block->place_count; i++)
        merge->place_at[places[i].first] = i;
    enum margay_status status =
        merge_in_order(merge, block, places, true, error);
    for (uint32_t i = 1; i <= block->place_count; i++)
        merge->place_at[places[i].key] = i;
    if (status == MARGAY_OK)
        status = merge_in_order(merge, block, places, false, error);
    return status;
}

/* ----------------------------------- by the paper, from block to block -- */

enum margay_status margay_hp_merge_place(struct margay_hp_merge *merge,
                                         const struct margay_hp_block *block,
                                         const struct margay_hp_place *place,
                                         struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (merge->keys.entries >= merge->keys.entry_limit)
        status = margay_hash_reserve(&merge->keys, 1, error);
    if (status != MARGAY_OK)
        return status;
    uint64_t distinct = block->place_count, sum = block->sum_counts;
    uint64_t first = correct(merge, place->first, distinct, sum);
    uint64_t latest = correct(merge, sum - place->key, distinct, sum);
    unsigned slot;
    struct margay_bucket *bucket =
        margay_hash_slot(&merge->keys, place->block, &slot);
    uint64_t value = margay_bucket_value(bucket, slot);
    if (value == 0) {
        merge->keys.entries++;
        status =
            margay_histogram_add(merge->settled, MARGAY_INFINITE, 1, error);
    } else {
        status = margay_histogram_add(
            merge->across, block->base + first - margay_clock_decode(value), 1,
            error);
    }
    bucket->keys[slot] = place->block;
    margay_bucket_set_value(
        bucket, slot, margay_clock_encode(block->base + distinct - latest));
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

enum margay_status margay_hp_merge_places(struct margay_hp_merge *merge,
                                          const struct margay_hp_block *block,
                                          const struct margay_hp_place *places,
                                          struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (merge->adjust == MARGAY_HP_TIMES)
        return merge_exactly(merge, block, places, error);
    for (uint32_t i = 1; i <= block->place_count && status == MARGAY_OK; i++)
        status = margay_hp_merge_place(merge, block, &places[i], error);
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
