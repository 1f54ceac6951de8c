/*
 * exact.c - the production engine
 *
 * Algorithm: a hash table has the timestamp of each block's latest reference.
 *   A bit vector over time has the bits of those timestamps set, and prefix
 *   sums (rank.h), so that the distance of a reference is the number of bits
 *   set after its block's timestamp.  When timestamps run out, blocks get new
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

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stackdist/histogram.h"

/* Timestamps per live block after a compaction: with fewer, compactions are
   more frequent; with more, the bits are spread over more cache lines, which
   costs nothing while all of these fit the processor's caches. */
#define AXIS_PER_LIVE 8
#define AXIS_IF_FEW   16
#define FEW_LIVE      ((uint64_t)1 << 21)
#define AXIS_AT_LEAST ((uint64_t)1 << 16)

/* An axis up to this, of 2 MB, is made for all references to come: their blocks
   may be more than are expected, and a compaction costs as much as a look-up of
   each block.  Longer axes take more time for each reference. */
#define AXIS_TO_END ((uint64_t)1 << 24)

#define FIRST_ENTRIES  ((uint64_t)1 << 9)
#define FIRST_COUNTERS ((uint64_t)1 << 15)

/* More entries and counters than a batch may add. */
#define MARGIN ((uint64_t)2 * MARGAY_EXACT_BATCH + MARGAY_NEAR_MOST_BLOCKS)

/* Blocks that a bound allows to forget stay until there are FORGET_FROM times
   as many as it keeps, as forgetting takes time; or CHEAP_BLOCKS, 40 MB, if
   that is less and twice as many.  With a bound below LEAST_KEPT, forgetting
   saves too little. */
#define FORGET_FROM  16
#define CHEAP_BLOCKS ((uint64_t)1 << 20)
#define LEAST_KEPT   ((uint64_t)4096)

/* Timestamps that fit a 32-bit value. */
#define NARROW_LEAVES (UINT64_C(1) << (32 - MARGAY_LEAF_SHIFT))

/* ---------------------------------------------------------------- memory -- */

static enum margay_status make_counters(struct margay_exact *e, uint64_t count,
                                        struct margay_error *error)
{
    uint8_t *counters =
        e->counters == NULL
            ? margay_map(count * sizeof *counters)
            : margay_remap(e->counters, e->counter_count * sizeof *counters,
                           count * sizeof *counters);
    if (counters == NULL)
        return margay_fail_memory(error, "the histogram of the exact engine");
    e->counters = counters;
    e->counter_count = count;
    return MARGAY_OK;
}

static enum margay_status make_axis(struct margay_exact *e, uint64_t timestamps,
                                    uint64_t first, struct margay_error *error)
{
    struct margay_rank rank;
    enum margay_status status =
        margay_rank_create(&rank, first + timestamps, first, error);
    if (status != MARGAY_OK)
        return status;
    margay_rank_destroy(&e->rank);
    e->rank = rank;
    e->wide = rank.leaf_count > NARROW_LEAVES;
    return MARGAY_OK;
}

/* The timestamps after a compaction: if the number of references is known, no
   more than will be used, and these if they are few. */
static uint64_t axis_for(const struct margay_exact *e, uint64_t live)
{
    uint64_t per_live = live < FEW_LIVE ? AXIS_IF_FEW : AXIS_PER_LIVE;
    uint64_t wanted = live * per_live + AXIS_AT_LEAST;
    if (e->expected_refs > e->fed_refs) {
        uint64_t left = e->expected_refs - e->fed_refs;
        uint64_t to_end = (live + left) / 7 * 8 + AXIS_AT_LEAST;
        if (to_end < wanted || to_end <= AXIS_TO_END)
            wanted = to_end;
    }
    return wanted;
}

static uint64_t kept_blocks(const struct margay_exact *e)
{
    return e->bound > LEAST_KEPT ? e->bound : LEAST_KEPT;
}

uint64_t margay_exact_most_live(const struct margay_exact *e)
{
    uint64_t kept = kept_blocks(e);
    if (kept > CHEAP_BLOCKS / 2)
        return kept > UINT64_MAX / 2 ? UINT64_MAX : 2 * kept;
    return margay_minimum(FORGET_FROM * kept, CHEAP_BLOCKS);
}

enum margay_status margay_exact_expect(struct margay_exact *e, uint64_t blocks,
                                       struct margay_error *error)
{
    margay_hash_destroy(&e->hash);
    enum margay_status status =
        margay_hash_create_stretched(&e->hash, blocks, error);
    if (status == MARGAY_OK)
        status = make_axis(e, axis_for(e, blocks), 0, error);
    if (status == MARGAY_OK)
        status = margay_exact_reserve_counters(e, blocks, error);
    return status;
}

/* Begin a new time with the live blocks in their order, forgetting the
   `dropped` oldest. */
static enum margay_status compact(struct margay_exact *e, uint64_t dropped,
                                  struct margay_error *error)
{
    uint64_t live = e->rank.live - dropped;
    enum margay_status status = MARGAY_OK;
    uint64_t wanted = axis_for(e, live);
    uint64_t timestamps = e->rank.leaf_count << MARGAY_LEAF_SHIFT;
    e->kernel->renumber(e, dropped);
    if (dropped > 0) {
        e->forgot = true;
        status = margay_hash_close(&e->hash, error);
    }
    if (status == MARGAY_OK && (timestamps < wanted || timestamps / 8 > wanted))
        status = make_axis(e, wanted, 0, error);
    if (status == MARGAY_OK)
        margay_rank_fill(&e->rank, live);
    return status;
}

enum margay_status margay_exact_reserve_counters(struct margay_exact *e,
                                                 uint64_t live,
                                                 struct margay_error *error)
{
    uint64_t count = e->counter_count;
    while (live + MARGIN > count)
        count *= 2;
    return count == e->counter_count ? MARGAY_OK
                                     : make_counters(e, count, error);
}

/* Whether the table may not have room for a batch. */
static bool is_full(const struct margay_exact *e)
{
    return e->hash.entries + MARGAY_EXACT_BATCH > e->hash.entry_limit;
}

enum margay_status margay_exact_prepare(struct margay_exact *e,
                                        struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (is_full(e)) {
        /* Let the hash table become fuller instead of growing, if that is
           enough for all references to come.  The rate of new blocks falls: to
           half of that since the table grew. */
        double left = (double)e->expected_refs - (double)e->fed_refs;
        double refs = (double)(e->fed_refs - e->grown_refs);
        double fresh = (double)(e->hash.entries - e->grown_entries);
        if (refs > 0 && left > 0)
            margay_hash_stretch(
                &e->hash, (uint64_t)fmin(left / refs * fresh / 2, 0x1p62) +
                              2 * MARGAY_EXACT_SEGMENT);
    }
    if (is_full(e)) {
        if (e->rank.live >= margay_exact_most_live(e))
            status = compact(e, e->rank.live - kept_blocks(e), error);
        if (status == MARGAY_OK)
            status = margay_hash_reserve(&e->hash, MARGAY_EXACT_BATCH, error);
        e->grown_refs = e->fed_refs;
        e->grown_entries = e->hash.entries;
    }
    if (status == MARGAY_OK)
        status = margay_exact_reserve_counters(e, e->rank.live, error);
    if (status == MARGAY_OK && margay_rank_full(&e->rank))
        status = compact(e, 0, error);
    if (status == MARGAY_OK && e->rank.next % 64 == 0)
        margay_rank_enter(&e->rank);
    if (status == MARGAY_OK && e->touch_count < e->touch_limit)
        status = margay_exact_reserve_touches(e, error);
    return status;
}

/* --------------------------------------------------------------- counts -- */

void margay_exact_spill(struct margay_exact *e, uint64_t index)
{
    enum margay_status status = margay_histogram_add(
        e->histogram, margay_exact_distance(e, index), UINT64_C(1) << 8, NULL);
    if (status != MARGAY_OK)
        e->spill_status = status;
}

static void reset_counts(void *state)
{
    struct margay_exact *e = state;
    e->pending_count = 0;
    memset(e->counters, 0, e->counter_count * sizeof *e->counters);
    memset(e->near->counts, 0, sizeof e->near->counts);
    margay_histogram_clear(e->histogram);
}

/* Add all counts to a histogram: to e->histogram, where some are already, once
   and at the end; to any other as often as wanted. */
static enum margay_status add_counts(struct margay_exact *e,
                                     margay_histogram *to,
                                     struct margay_error *error)
{
    e->kernel->count_pending(e);
    if (e->spill_status != MARGAY_OK)
        return margay_fail_memory(error, "the histogram");
    enum margay_status status = MARGAY_OK;
    if (to != e->histogram)
        status = margay_histogram_add_all(to, e->histogram, error);
    if (status == MARGAY_OK) {
        /* Most counts are 0 in short windows. */
        for (uint64_t d = 0; d < MARGAY_NEAR_MOST_BLOCKS && status == MARGAY_OK;
             d++) {
            if (e->near->counts[d] != 0)
                status =
                    margay_histogram_add(to, margay_exact_distance(e, d + 1),
                                         e->near->counts[d], error);
        }
    }
    if (status == MARGAY_OK)
        status =
            margay_histogram_add(to, MARGAY_INFINITE, e->counters[0], error);
    uint64_t finite = e->counter_count - 1;
    uint64_t below = finite < e->bound ? finite : e->bound;
    if (status == MARGAY_OK)
        status =
            margay_histogram_add_counts(to, 0, e->counters + 1, below, error);
    for (uint64_t i = below; status == MARGAY_OK && i < finite; i++)
        status = margay_histogram_add(to, MARGAY_INFINITE, e->counters[i + 1],
                                      error);
    return status;
}

/* All counts to a histogram: to e->histogram at the end, when nothing else of
   the engine is needed any more; to another one at any time. */
static enum margay_status collect(struct margay_exact *e,
                                  margay_histogram *histogram,
                                  struct margay_result *result,
                                  struct margay_error *error)
{
    uint64_t distinct = e->hash.entries;
    /* The histogram takes the memory of these. */
    if (histogram == e->histogram) {
        margay_hash_destroy(&e->hash);
        margay_rank_destroy(&e->rank);
    }
    enum margay_status status = add_counts(e, histogram, error);
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

static enum margay_status list_stack(void *state, uint64_t **blocks,
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
    margay_hash_destroy(&e->hash);
    margay_rank_destroy(&e->rank);
    margay_unmap(e->touches, e->touch_capacity * sizeof *e->touches);
    margay_unmap(e->counters, e->counter_count * sizeof *e->counters);
    margay_histogram_free(e->histogram);
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
    enum margay_status status = margay_near_create(target, &e->near, error);
    if (status == MARGAY_OK)
        status = margay_histogram_create(&e->histogram, error);
    if (status == MARGAY_OK)
        status = margay_hash_create(&e->hash, FIRST_ENTRIES, error);
    if (status == MARGAY_OK)
        status = make_counters(e, FIRST_COUNTERS, error);
    if (status == MARGAY_OK)
        status = make_axis(e, AXIS_AT_LEAST, first, error);
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
    .can =
        MARGAY_GIVES_DISTANCES | MARGAY_CAN_TAKE_BOUND | MARGAY_CAN_TAKE_PARTS,
    .check = check,
    .state_bytes = sizeof(struct margay_exact),
    .create = create,
    .destroy = destroy,
    .feed = margay_exact_feed,
    .reset_counts = reset_counts,
    .finish = finish,
    .peek = peek,
    .list_stack = list_stack,
    .adopt = adopt,
};
