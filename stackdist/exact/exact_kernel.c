/*
 * exact_kernel.c - the exact engine's loops over references
 *
 * Compiled once per processor level, with MARGAY_TARGET_SUFFIX naming it;
 * the table at the end is all that is visible outside.
 *
 * A batch goes through two passes, each of which prefetches for the next:
 * look-ups (cache misses in the hash table, fetched a batch ahead) and ranks
 * (in the bit vector, fetched by the look-ups), which also count the distances
 * of the batch before (in the histogram, fetched by its ranks).
 */
#include "stackdist/exact/exact_state.h"

#include <string.h>

#include "stackdist/exact/lanes.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
/* A loop in a function of its own has all registers. */
#define NOINLINE __attribute__((noinline))

/* Buckets ahead whose timestamps' leaves are fetched while renumbering. */
#define RENUMBER_AHEAD 6

/* Timestamps ahead whose leaf is fetched when bits are cleared in bulk. */
#define CLEAR_AHEAD 24

static ALWAYS_INLINE uint64_t read_value(const struct margay_bucket *bucket,
                                         unsigned slot, bool wide)
{
    return wide ? margay_bucket_value(bucket, slot) : bucket->values[slot];
}

static ALWAYS_INLINE void write_value(struct margay_bucket *bucket,
                                      unsigned slot, uint64_t value, bool wide)
{
    if (wide)
        margay_bucket_set_value(bucket, slot, value);
    else
        bucket->values[slot] = (uint32_t)value;
}

/* The blocks wanted enter the deep stack again (RAISE); they go to the filter,
   and others enter (EXCHANGE); or they go to the filter, and none enters
   (PULL). */
enum motion { RAISE, EXCHANGE, PULL };

/* Up to MARGAY_EXACT_BATCH references to the deep stack: wanted[i] is taken out
   of it, and demoted[i] enters it at the top.  Without the filter both are the
   same array; while the filter is filled or emptied one of them is NULL.  The
   next `ahead` elements of both arrays are prefetched. */
struct margay_exact_batch {
    const uint64_t *wanted;
    const uint64_t *demoted;
    size_t count;
    size_t ahead;
};

/* The buckets where keys belong.  A loop of its own is compiled to vectors. */
static ALWAYS_INLINE void find_homes(const struct margay_hash *hash,
                                     const uint64_t *keys, size_t count,
                                     struct margay_bucket **homes)
{
    for (size_t i = 0; i < count; i++)
        homes[i] = hash->buckets + margay_hash_home(hash, keys[i]);
}

/* Give each block that enters the next timestamp, and write the previous ones
   of the blocks wanted to past[].  A block that goes to the filter is marked in
   the table. */
static ALWAYS_INLINE void look_up(struct margay_exact *e,
                                  const struct margay_exact_batch *batch,
                                  uint64_t *past, enum motion motion, bool wide)
{
    const struct margay_hash hash = e->hash;
    const struct margay_rank rank = e->rank;
    const uint64_t *wanted = batch->wanted, *demoted = batch->demoted;
    size_t count = batch->count;
    /* Near the end of the array, prefetch this batch's again: that costs less
       than a branch. */
    size_t ahead = batch->ahead >= count ? count : 0;
    struct margay_bucket *homes[MARGAY_EXACT_BATCH];
    struct margay_bucket *next_homes[MARGAY_EXACT_BATCH];
    find_homes(&hash, wanted, count, homes);
    find_homes(&hash, wanted + ahead, count, next_homes);
    uint64_t fresh = 0;
    for (size_t i = 0; i < count; i++) {
        __builtin_prefetch(next_homes[i], 1);
        if (motion == EXCHANGE)
            margay_hash_prefetch(&hash, demoted[i + ahead]);
        unsigned slot;
        struct margay_bucket *bucket =
            margay_hash_slot_from(&hash, homes[i], wanted[i], &slot);
        uint64_t timestamp = read_value(bucket, slot, wide);
        uint64_t now = rank.next + i;
        write_value(bucket, slot, motion == RAISE ? now : MARGAY_IN_FILTER,
                    wide);
        bucket->keys[slot] = wanted[i];
        past[i] = timestamp;
        fresh += timestamp == 0;
        margay_rank_prefetch(&rank, timestamp);
        if (motion == EXCHANGE) {
            bucket = margay_hash_slot(&hash, demoted[i], &slot);
            write_value(bucket, slot, now, wide);
        }
    }
    e->hash.entries += fresh;
}

#define LOOK_UP(name, motion, wide)                                   \
    static NOINLINE void name(struct margay_exact *e,                 \
                              const struct margay_exact_batch *batch, \
                              uint64_t *past)                         \
    {                                                                 \
        look_up(e, batch, past, motion, wide);                        \
    }
LOOK_UP(raise, RAISE, false)
LOOK_UP(raise_wide, RAISE, true)
LOOK_UP(exchange, EXCHANGE, false)
LOOK_UP(exchange_wide, EXCHANGE, true)
LOOK_UP(pull, PULL, true) /* rare, and right where they are narrow, too */

/* Blocks of the filter enter, and none is wanted. */
static NOINLINE void push(struct margay_exact *e, const uint64_t *demoted,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned slot;
        struct margay_bucket *bucket =
            margay_hash_slot(&e->hash, demoted[i], &slot);
        margay_bucket_set_value(bucket, slot, e->rank.next + i);
    }
}

static NOINLINE void count_pending(struct margay_exact *e)
{
    uint8_t *counters = e->counters;
    for (unsigned i = 0; i < e->pending_count; i++) {
        if (__builtin_expect(++counters[e->pending[i]] == 0, 0))
            margay_exact_spill(e, e->pending[i]);
    }
    e->pending_count = 0;
}

/* Which sums of the bit vector are changed at the end of a batch only: those of
   groups of 512 leaves and of the top, or in a longer vector those of the top
   alone, or in the longest none.  Lanes have the differences, so there are at
   most MARGAY_LANES sums. */
enum deferred { GROUPS, TOPS };

_Static_assert(MARGAY_EXACT_BATCH <= INT8_MAX, "what a lane can hold");
_Static_assert((uint64_t)MARGAY_LANES
                       << (MARGAY_TOP_SHIFT + MARGAY_LEAF_SHIFT) <
                   UINT32_MAX,
               "what a sum that is deferred can be");

typedef int8_t i8x16 __attribute__((vector_size(16)));
typedef int32_t i32x16 __attribute__((vector_size(64)));

static uint64_t count_tops(const struct margay_rank *rank)
{
    return (rank->leaf_count + (1u << MARGAY_TOP_SHIFT) - 1) >>
           MARGAY_TOP_SHIFT;
}

/* The set bits before the position of each lane. */
static ALWAYS_INLINE void read_deferred(const struct margay_rank *rank,
                                        enum deferred deferred,
                                        uint32_t sums[MARGAY_LANES])
{
    uint64_t tops = count_tops(rank);
    for (uint64_t i = 0; i < tops; i++) {
        uint32_t top = (uint32_t)rank->top[i];
        if (deferred == TOPS)
            sums[i] = top;
        for (unsigned k = 0; deferred == GROUPS && k < 16; k++)
            sums[16 * i + k] = rank->level3[16 * i + k] + top;
    }
}

/* Do the deferred work. */
static NOINLINE void settle_groups(struct margay_rank *rank,
                                   const int8_t *change)
{
    margay_u32x16 *level3 = (margay_u32x16 *)rank->level3;
    uint64_t tops = count_tops(rank);
    for (uint64_t i = 0; i < tops; i++, change += 16) {
        i8x16 changes;
        memcpy(&changes, change, sizeof changes);
        i32x16 wide = __builtin_convertvector(changes, i32x16);
        level3[i] += (margay_u32x16)(wide - change[0]);
        rank->top[i] += (uint64_t)change[0];
    }
}

static NOINLINE void settle_tops(struct margay_rank *rank, const int8_t *change)
{
    uint64_t tops = count_tops(rank);
    for (uint64_t i = 0; i < tops; i++)
        rank->top[i] += (uint64_t)change[i];
}

/* Whether the batch that is pending is counted reference by reference, while
   those of the next batch, `count` of them, take their places. */
static bool start_pending(struct margay_exact *e, size_t count)
{
    bool together = e->pending_count == count;
    if (!together)
        count_pending(e);
    e->pending_count = (unsigned)count;
    return together;
}

/* Count the batch before, and let d + 1 = `index` be pending in its place. */
static ALWAYS_INLINE void exchange_pending(struct margay_exact *e,
                                           uint8_t *counters, size_t i,
                                           uint64_t index, bool count_before)
{
    uint64_t before = e->pending[i];
    e->pending[i] = index;
    __builtin_prefetch(counters + index, 1);
    if (count_before && __builtin_expect(++counters[before] == 0, 0))
        margay_exact_spill(e, before);
}

/* Turn previous timestamps into e->pending (d + 1, or 0 for infinite) and clear
   them: the distance is the number of set bits since.  Earlier pending
   distances are counted. */
static ALWAYS_INLINE void rank_deferred(struct margay_exact *e,
                                        const uint64_t *past, size_t count,
                                        unsigned base, enum deferred deferred)
{
    struct margay_rank rank = e->rank;
    const bool third = deferred == TOPS;
    const unsigned lane_shift =
        MARGAY_LEAF_SHIFT + (third ? MARGAY_TOP_SHIFT : MARGAY_LEVEL3_SHIFT);
    const uint64_t nowhere = margay_rank_nowhere(&rank);
    const bool count_before = start_pending(e, count);
    uint8_t *counters = e->counters;
    uint32_t live = (uint32_t)(rank.live + base);
    uint32_t sums[MARGAY_LANES];
    read_deferred(&rank, deferred, sums);
    margay_lanes lanes = margay_fill_lanes(0);
    union margay_lanes_read change = {lanes};
    for (size_t i = 0; i < count; i++) {
        /* All ones, or 0 for a first reference.  A barrier keeps the compiler
           from a branch, which could not be predicted. */
        uint32_t known = (uint32_t) - (past[i] != 0);
        __asm__("" : "+r"(known));
        uint64_t timestamp = past[i] == 0 ? nowhere : past[i];
        uint64_t lane = timestamp >> lane_shift;
        uint32_t before =
            (uint32_t)margay_rank_before_low(&rank, timestamp, third) +
            sums[lane] + (uint32_t)change.lane[lane];
        uint32_t since = (live - before) & known;
        /* Compute it now; otherwise the compiler spills its terms to memory
           until the bits are cleared. */
        __asm__("" : "+r"(since));
        exchange_pending(e, counters, i, since, count_before);
        margay_rank_clear_low(&rank, timestamp, third);
        lanes = margay_lower_behind(lanes, lane);
        margay_show_lanes(&change, lanes);
        live += 1 + known;
    }
    if (third)
        settle_tops(&e->rank, change.lane);
    else
        settle_groups(&e->rank, change.lane);
    e->rank.live = live - base;
}

/* The same where nothing is deferred. */
static NOINLINE void rank_longest(struct margay_exact *e, const uint64_t *past,
                                  size_t count, unsigned base)
{
    struct margay_rank rank = e->rank;
    const uint64_t nowhere = margay_rank_nowhere(&rank);
    const uint64_t top_vectors = margay_rank_top_vectors(&rank);
    const bool count_before = start_pending(e, count);
    uint64_t live = rank.live + base;
    for (size_t i = 0; i < count; i++) {
        bool cold = past[i] == 0;
        uint64_t timestamp = cold ? nowhere : past[i];
        uint64_t since = live - margay_rank_before(&rank, timestamp, true);
        since &= (uint64_t)cold - 1;
        exchange_pending(e, e->counters, i, since, count_before);
        margay_rank_clear(&rank, timestamp, top_vectors, true);
        live += cold;
    }
    e->rank.live = live - base;
}

static NOINLINE void rank_groups(struct margay_exact *e, const uint64_t *past,
                                 size_t count, unsigned base)
{
    rank_deferred(e, past, count, base, GROUPS);
}

static NOINLINE void rank_tops(struct margay_exact *e, const uint64_t *past,
                               size_t count, unsigned base)
{
    rank_deferred(e, past, count, base, TOPS);
}

static void rank(struct margay_exact *e, const uint64_t *past, size_t count,
                 unsigned base)
{
    uint64_t leaves = e->rank.leaf_count;
    if (leaves <= (uint64_t)MARGAY_LANES << MARGAY_LEVEL3_SHIFT)
        rank_groups(e, past, count, base);
    else if (leaves <= (uint64_t)MARGAY_LANES << MARGAY_TOP_SHIFT)
        rank_tops(e, past, count, base);
    else
        rank_longest(e, past, count, base);
}

/* Every block is written, and kept if it is a first touch: a branch would cost
   more.  Memory for all has been reserved. */
static NOINLINE void note_touches(struct margay_exact *e,
                                  const uint64_t *wanted, const uint64_t *past,
                                  size_t count)
{
    uint64_t noted = e->touch_count;
    for (size_t i = 0; i < count; i++) {
        e->touches[noted] = wanted[i];
        noted += past[i] == 0;
    }
    e->touch_count = noted < e->touch_limit ? noted : e->touch_limit;
}

/* Look the blocks of a batch up, and rank those that are wanted. */
static ALWAYS_INLINE void refer(struct margay_exact *e,
                                const struct margay_exact_batch *batch,
                                unsigned base)
{
    uint64_t past[MARGAY_EXACT_BATCH], entries = e->hash.entries;
    if (batch->wanted == NULL)
        push(e, batch->demoted, batch->count);
    else if (batch->demoted == NULL)
        pull(e, batch, past);
    else if (batch->demoted == batch->wanted)
        (e->wide ? raise_wide : raise)(e, batch, past);
    else
        (e->wide ? exchange_wide : exchange)(e, batch, past);
    if (e->hash.entries != entries && e->touch_count < e->touch_limit)
        note_touches(e, batch->wanted, past, batch->count);
    if (batch->demoted != NULL)
        margay_rank_append(&e->rank, (unsigned)batch->count);
    if (batch->wanted == NULL) {
        e->rank.live += batch->count;
        return;
    }
    rank(e, past, batch->count, base);
    /* rank() counts a block in for each that it takes out, but none entered. */
    if (batch->demoted == NULL)
        e->rank.live -= batch->count;
}

static enum margay_status deep(struct margay_exact *e, const uint64_t *wanted,
                               const uint64_t *demoted, size_t count,
                               unsigned base, uint64_t *indices,
                               struct margay_error *error)
{
    for (size_t done = 0; done < count;) {
        enum margay_status status = margay_exact_prepare(e, error);
        if (status != MARGAY_OK)
            return status;
        size_t left = count - done;
        /* Timestamps that can be given from `next` on within its word. */
        unsigned room = 64 - (unsigned)(e->rank.next & 63);
        struct margay_exact_batch batch = {
            .wanted = wanted == NULL ? NULL : wanted + done,
            .demoted = demoted == NULL ? NULL : demoted + done,
            .count = left < room ? left : room,
        };
        batch.ahead = left - batch.count;
        refer(e, &batch, demoted == NULL ? base + (unsigned)done : base);
        if (indices != NULL)
            memcpy(indices + done, e->pending, batch.count * sizeof *indices);
        done += batch.count;
    }
    return MARGAY_OK;
}

/* ------------------------------------------------------------ compaction -- */

static ALWAYS_INLINE bool in_filter(uint64_t timestamp)
{
    return (uint32_t)timestamp == MARGAY_IN_FILTER;
}

static ALWAYS_INLINE void renumber_buckets(struct margay_exact *e,
                                           uint64_t dropped, bool wide,
                                           bool tall)
{
    const struct margay_rank rank = e->rank;
    struct margay_bucket *buckets = e->hash.buckets;
    uint64_t bucket_count = e->hash.bucket_count;
    /* The oldest timestamp that stays. */
    uint64_t least = dropped == 0 ? 0 : margay_rank_select(&rank, dropped);
    for (uint64_t i = 0; i < bucket_count; i++) {
        const struct margay_bucket *ahead =
            buckets + (i + RENUMBER_AHEAD) % bucket_count;
        for (unsigned j = 0; j < MARGAY_BUCKET_SLOTS; j++) {
            uint64_t timestamp = read_value(ahead, j, wide);
            if (timestamp >= least && !in_filter(timestamp))
                margay_rank_prefetch(&rank, timestamp);
        }
        for (unsigned j = 0; j < MARGAY_BUCKET_SLOTS; j++) {
            uint64_t timestamp = read_value(&buckets[i], j, wide);
            if (timestamp == 0)
                break;
            if (in_filter(timestamp))
                continue;
            if (timestamp >= least)
                timestamp = margay_rank_nth(
                    margay_rank_before(&rank, timestamp, tall) - dropped);
            else
                timestamp = 0;
            write_value(&buckets[i], j, timestamp, wide);
        }
    }
}

static void renumber(struct margay_exact *e, uint64_t dropped)
{
    /* Wide timestamps are on a tall axis. */
    if (e->wide)
        renumber_buckets(e, dropped, true, true);
    else if (e->rank.tall)
        renumber_buckets(e, dropped, false, true);
    else
        renumber_buckets(e, dropped, false, false);
}

/* ---------------------------------------------------- blocks asked about -- */

static void find(const struct margay_exact *e, const uint64_t *blocks,
                 size_t count, uint64_t *timestamps)
{
    for (size_t done = 0; done < count; done += MARGAY_EXACT_BATCH) {
        size_t left = count - done;
        size_t some = left < MARGAY_EXACT_BATCH ? left : MARGAY_EXACT_BATCH;
        size_t ahead = left - some < some ? left - some : some;
        for (size_t i = 0; i < ahead; i++) {
            /* The search for an absent key ends at the next free slot. */
            const struct margay_bucket *bucket =
                e->hash.buckets +
                margay_hash_home(&e->hash, blocks[done + some + i]);
            __builtin_prefetch(bucket);
            __builtin_prefetch(bucket + 1);
        }
        const struct margay_hash hash = e->hash;
        for (size_t i = 0; i < some; i++) {
            unsigned slot;
            struct margay_bucket *bucket =
                margay_hash_slot(&hash, (blocks + done)[i], &slot);
            (timestamps + done)[i] = margay_bucket_value(bucket, slot);
        }
    }
}

/* As rank_longest(), but blocks that are not in the stack, which may be most of
   them, are sorted out first. */
static ALWAYS_INLINE uint64_t rank_found_batch(struct margay_exact *e,
                                               const uint64_t *past,
                                               size_t count, bool tall)
{
    struct margay_rank rank = e->rank;
    const uint64_t top_vectors = margay_rank_top_vectors(&rank);
    const uint8_t *counters = e->counters;
    uint64_t timestamps[MARGAY_EXACT_BATCH], live[MARGAY_EXACT_BATCH];
    uint64_t cold = 0;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        timestamps[found] = past[i];
        live[found] = rank.live + cold;
        found += past[i] != 0;
        cold += past[i] == 0;
    }
    for (size_t i = 0; i < found; i++) {
        uint64_t since =
            live[i] - margay_rank_before(&rank, timestamps[i], tall);
        margay_rank_clear(&rank, timestamps[i], top_vectors, tall);
        e->pending[i] = since;
        __builtin_prefetch(counters + since, 1);
    }
    e->rank.live += cold;
    e->pending_count = (unsigned)found;
    return cold;
}

static NOINLINE uint64_t rank_found(struct margay_exact *e,
                                    const uint64_t *past, size_t count)
{
    return e->rank.tall ? rank_found_batch(e, past, count, true)
                        : rank_found_batch(e, past, count, false);
}

/* -------------------------------------------------------- bits in bulk -- */

static ALWAYS_INLINE bool clear_one(uint64_t *leaves, uint64_t past)
{
    leaves[past >> 6] &= ~(UINT64_C(1) << (past & 63));
    return past == 0;
}

static uint64_t clear(struct margay_rank *rank, const uint64_t *past,
                      size_t count)
{
    uint64_t *leaves = rank->leaves;
    uint64_t cold = 0;
    size_t i = 0;
    for (; i + CLEAR_AHEAD < count; i++) {
        __builtin_prefetch(leaves + (past[i + CLEAR_AHEAD] >> 6), 1);
        cold += clear_one(leaves, past[i]);
    }
    for (; i < count; i++)
        cold += clear_one(leaves, past[i]);
    return cold;
}

static void refresh(struct margay_rank *rank, uint64_t end)
{
    uint64_t sum = 0, top = 0, level3 = 0, level2 = 0;
    uint64_t last = end >> MARGAY_LEAF_SHIFT;
    for (uint64_t leaf = 0; leaf <= last; leaf++) {
        uint64_t *line = rank->leaves + leaf * MARGAY_LEAF_WORDS;
        if (rank->tall && leaf % (1u << MARGAY_TOP_SHIFT) == 0)
            rank->top[leaf >> MARGAY_TOP_SHIFT] = top = sum;
        if (leaf % (1u << MARGAY_LEVEL3_SHIFT) == 0) {
            level3 = sum - top;
            rank->level3[leaf >> MARGAY_LEVEL3_SHIFT] = (uint32_t)level3;
        }
        if (leaf % (1u << MARGAY_LEVEL2_SHIFT) == 0) {
            level2 = sum - top - level3;
            rank->level2[leaf >> MARGAY_LEVEL2_SHIFT] = (uint32_t)level2;
        }
        rank->level1[leaf] = (uint16_t)(sum - top - level3 - level2);
        uint64_t in_leaf = 0, counts = 0;
        for (unsigned word = 0; word < 7; word++) {
            counts |= in_leaf << (9 * word);
            in_leaf += (unsigned)__builtin_popcountll(line[word]);
        }
        line[7] = counts;
        sum += in_leaf;
    }
}

const struct margay_exact_kernel MARGAY_TARGET_NAME(margay_exact_kernel) = {
    .deep = deep,
    .rank = rank,
    .count_pending = count_pending,
    .renumber = renumber,
    .find = find,
    .rank_found = rank_found,
    .clear = clear,
    .refresh = refresh,
};
