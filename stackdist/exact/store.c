/*
 * store.c - the exact engine's memory: made, grown, compacted, read out
 */
#include "stackdist/exact/exact_state.h"

#include <string.h>

#include "stackdist/histogram.h"
#include "traces/traces_internal.h"

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

#define FIRST_ENTRIES  ((uint64_t)1 << 12)
#define FIRST_COUNTERS ((uint64_t)1 << 15)

/* More entries and counters than a batch may add. */
#define MARGIN ((uint64_t)2 * MARGAY_EXACT_BATCH + MARGAY_NEAR_MOST_BLOCKS)

/* With a smaller bound, dropping blocks saves too little memory. */
#define SMALLEST_MEMORY_BLOCKS ((uint64_t)4096)

/* Timestamps that fit a 32-bit value. */
#define NARROW_LEAVES (UINT64_C(1) << (32 - MARGAY_LEAF_SHIFT))

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

/*
 * The timestamps after a compaction: if the number of references is known, no
 * more than will be used, and these if they are few.
 */
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
           enough for all references to come.  The rate of new blocks so far is
           an upper estimate.
         */
        double left = (double)e->expected_refs - (double)e->fed_refs;
        double share = (double)e->hash.entries / (double)e->fed_refs;
        if (e->fed_refs > 0 && left > 0)
            margay_hash_stretch(&e->hash, (uint64_t)(left * share) +
                                              2 * MARGAY_EXACT_SEGMENT);
    }
    if (is_full(e)) {
        /* The live blocks that a bound allows to forget, once that is worth it.
         */
        uint64_t keep = e->bound > SMALLEST_MEMORY_BLOCKS
                            ? e->bound
                            : SMALLEST_MEMORY_BLOCKS;
        uint64_t dropped = e->rank.live / 2 >= keep ? e->rank.live - keep : 0;
        if (dropped > 0)
            status = compact(e, dropped, error);
        if (status == MARGAY_OK)
            status = margay_hash_reserve(&e->hash, MARGAY_EXACT_BATCH, error);
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

uint64_t margay_exact_distance(const struct margay_exact *e, uint64_t index)
{
    /* An index of 0, infinite, wraps to the largest number of all. */
    uint64_t distance = index - 1;
    return distance >= e->bound ? MARGAY_INFINITE : distance;
}

void margay_exact_spill(struct margay_exact *e, uint64_t index)
{
    enum margay_status status = margay_histogram_add(
        e->histogram, margay_exact_distance(e, index), UINT64_C(1) << 8, NULL);
    if (status != MARGAY_OK)
        e->spill_status = status;
}

void margay_exact_reset_counts(void *state)
{
    struct margay_exact *e = state;
    e->pending_count = 0;
    memset(e->counters, 0, e->counter_count * sizeof *e->counters);
    if (e->near != NULL)
        margay_near_reset_counts(e->near);
    margay_histogram_clear(e->histogram);
}

enum margay_status margay_exact_collect(struct margay_exact *e,
                                        margay_histogram *to,
                                        struct margay_error *error)
{
    e->kernel->count_pending(e);
    if (e->spill_status != MARGAY_OK)
        return margay_fail_memory(error, "the histogram");
    enum margay_status status = MARGAY_OK;
    if (to != e->histogram)
        status = margay_histogram_add_all(to, e->histogram, error);
    if (status == MARGAY_OK && e->near != NULL) {
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

enum margay_status margay_exact_create_store(struct margay_exact *e,
                                             uint64_t first,
                                             struct margay_error *error)
{
    enum margay_status status = margay_histogram_create(&e->histogram, error);
    if (status == MARGAY_OK)
        status = margay_hash_create(&e->hash, FIRST_ENTRIES, error);
    if (status == MARGAY_OK)
        status = make_counters(e, FIRST_COUNTERS, error);
    if (status == MARGAY_OK)
        status = make_axis(e, AXIS_AT_LEAST, first, error);
    return status;
}

void margay_exact_destroy_stack(struct margay_exact *e)
{
    margay_hash_destroy(&e->hash);
    margay_rank_destroy(&e->rank);
}

void margay_exact_destroy_store(struct margay_exact *e)
{
    margay_exact_destroy_stack(e);
    margay_unmap(e->touches, e->touch_capacity * sizeof *e->touches);
    margay_unmap(e->counters, e->counter_count * sizeof *e->counters);
    margay_histogram_free(e->histogram);
}
