/*
 * exact.c - the production engine
 *
 * Algorithm: a hash table has the timestamp of each block's latest reference.
 *   A bit vector over time has the bits of those timestamps set, and prefix
 *   sums (rank.h), so that the distance of a reference is the number of bits
 *   set behind its block's timestamp.  When timestamps run out, blocks get new
 *   ones in their order.  On traces that keep returning to the same blocks, a
 *   filter keeps the top 1536 blocks of the LRU stack (near.h), and the rest is
 *   the deep stack: a block that the filter evicts enters the deep stack at its
 *   top, and the time of that is its timestamp there.
 * Source: Bennett and Kruskal, "LRU stack processing", IBM J. R&D 19(4), 1975,
 *   for the bit vector over time and its compaction; Jacobson, "Space-efficient
 *   static trees and graphs", FOCS 1989, for constant-time rank, made updatable
 *   here; the filter is ours.
 * Guarantee: exact; with a bound B, exact below B and infinite from there.
 * Cost: O(1) expected per reference and O(M) memory, at most 24 bytes
 *   per distinct block from four million on, and 45 below; O(B) with a bound.
 *   Beyond 2^25 blocks the top level of the bit vector is linear in M, a few
 *   vector additions for any M that fits today.
 */
#include "stackdist/exact/exact_state.h"

#include <stdlib.h>
#include <string.h>

#include "stackdist/histogram.h"
#include "traces/traces_internal.h"

/* All counts to a histogram: to e->histogram at the end, when nothing else of
   the engine is needed any more; to another one at any time. */
static enum margay_status collect(struct margay_exact *e,
                                  margay_histogram *histogram,
                                  struct margay_result *result,
                                  struct margay_error *error)
{
    uint64_t distinct = e->hash.entries;
    /* The histogram takes the memory of these. */
    if (histogram == e->histogram)
        margay_exact_destroy_stack(e);
    enum margay_status status = margay_exact_collect(e, histogram, error);
    if (status != MARGAY_OK)
        return status;
    bool exceeded = e->forgot || distinct > e->bound;
    if (exceeded)
        margay_histogram_set_exceeded_bound(histogram, e->bound);
    result->histogram = histogram;
    result->distinct_blocks = exceeded ? e->bound + 1 : distinct;
    return MARGAY_OK;
}

static enum margay_status finish(void *state, struct margay_result *result,
                                 struct margay_error *error)
{
    struct margay_exact *e = state;
    enum margay_status status = collect(e, e->histogram, result, error);
    if (status == MARGAY_OK)
        e->histogram = NULL;
    return status;
}

static enum margay_status peek(void *state, struct margay_result *result,
                               struct margay_error *error)
{
    margay_histogram *histogram;
    enum margay_status status = margay_histogram_create(&histogram, error);
    if (status == MARGAY_OK)
        status = collect(state, histogram, result, error);
    if (status != MARGAY_OK)
        margay_histogram_free(histogram);
    return status;
}

enum margay_status margay_exact_list_stack(void *state, uint64_t **blocks,
                                           uint64_t *count,
                                           struct margay_error *error)
{
    struct margay_exact *e = state;
    uint64_t deep = e->rank.live;
    uint64_t all = deep + e->near->blocks;
    size_t bytes;
    uint64_t *list = NULL;
    if (margay_multiply_size(all + 1, sizeof *list, &bytes))
        list = malloc(bytes);
    if (list == NULL)
        return margay_fail_memory(error, "the state of the exact engine");
    /* The blocks of the deep stack, each at its place in blocks[], the oldest
       first. */
    for (uint64_t i = 0; i < e->hash.bucket_count; i++) {
        const struct margay_bucket *bucket = &e->hash.buckets[i];
        for (unsigned slot = 0; slot < MARGAY_BUCKET_SLOTS; slot++) {
            uint64_t time = margay_bucket_value(bucket, slot);
            if (time != 0 && (uint32_t)time != MARGAY_IN_FILTER &&
                margay_rank_has(&e->rank, time))
                list[margay_rank_before(&e->rank, time, e->rank.tall)] =
                    bucket->keys[slot];
        }
    }
    margay_near_list(e->near, list + deep);
    *count = all < e->bound ? all : e->bound;
    memmove(list, list + (all - *count), *count * sizeof *list);
    *blocks = list;
    return MARGAY_OK;
}

static enum margay_status adopt(void *state, const margay_histogram *counts,
                                struct margay_error *error)
{
    struct margay_exact *e = state;
    e->forgot = margay_histogram_exceeded_bound(counts) != 0;
    return margay_histogram_add_all(e->histogram, counts, error);
}

static void destroy(void *state)
{
    struct margay_exact *e = state;
    margay_near_free(e->near);
    margay_exact_destroy_store(e);
}

static enum margay_target target_of(const struct margay_engine_setup *setup)
{
    /* In the order of the values of "target", but the first. */
    static const enum margay_target targets[] = {
        MARGAY_TARGET_V4, MARGAY_TARGET_V3, MARGAY_TARGET_PORTABLE};
    unsigned choice = setup->settings.choices[1];
    return choice == 0 ? margay_target_best() : targets[choice - 1];
}

static enum margay_status check(const struct margay_engine_setup *setup,
                                struct margay_error *error)
{
    enum margay_target target = target_of(setup);
    if (margay_target_available(target))
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "exact: target=%s does not run on this processor (the "
                       "best that does is %s)",
                       margay_target_name(target),
                       margay_target_name(margay_target_best()));
}

enum margay_status margay_exact_create_at(
    const struct margay_engine_setup *setup, uint64_t first, void *state,
    struct margay_error *error)
{
    struct margay_exact *e = state;
    e->filter = (enum margay_exact_filter)setup->settings.choices[0];
    e->bound = setup->options.bound_blocks == 0 ? UINT64_MAX
                                                : setup->options.bound_blocks;
    e->look_interval = 1;
    enum margay_target target = target_of(setup);
    e->kernel = MARGAY_FOR_TARGET(&margay_exact_kernel, target);
    enum margay_status status =
        margay_near_create(MARGAY_NEAR_MOST_BLOCKS, target, &e->near, error);
    if (status == MARGAY_OK)
        status = margay_exact_create_store(e, first, error);
    return status;
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    return margay_exact_create_at(setup, 0, state, error);
}

const struct margay_engine_class margay_engine_exact = {
    .info = {.name = "exact",
             .exact = true,
             .guarantee = "exact",
             .parameters = "filter=auto|on|off,target=auto|v4|v3|portable",
             .time = "O(N)",
             .space = "O(M)",
             .source = "Bennett and Kruskal 1975, with constant-time rank"},
    .can = MARGAY_GIVES_DISTANCES | MARGAY_CAN_TAKE_BOUND |
           MARGAY_CAN_COUNT_REPEATS,
    .parameters = {{"filter", "auto|on|off", MARGAY_CHOICE},
                   {"target", "auto|v4|v3|portable", MARGAY_CHOICE}},
    .check = check,
    .state_bytes = sizeof(struct margay_exact),
    .create = create,
    .destroy = destroy,
    .feed = margay_exact_feed,
    .reset_counts = margay_exact_reset_counts,
    .finish = finish,
    .peek = peek,
    .list_stack = margay_exact_list_stack,
    .adopt = adopt,
    .part = &margay_exact_part,
};
