/*
 * dense_kernel.c - the exact engine's loops over the dense table
 *
 * Compiled once per processor level, with MARGAY_TARGET_SUFFIX naming it.
 */
#include "stackdist/exact/exact_state.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NOINLINE      __attribute__((noinline))

/* Buckets ahead whose timestamps' leaves are fetched while renumbering. */
#define RENUMBER_AHEAD 6

/* Bit i of the result tells that slot i has this tag, or is free, or has a
   timestamp that is a multiple of 2^32. */
static ALWAYS_INLINE uint32_t
match_tags(const struct margay_dense_bucket *bucket, uint32_t tag)
{
#if defined(__AVX2__)
    /* Of each vector the last lane is what follows. */
    __m256i tags = _mm256_load_si256((const __m256i *)bucket->tags);
    __m256i words = _mm256_loadu_si256((const __m256i *)bucket->words);
    __m256i same = _mm256_cmpeq_epi32(tags, _mm256_set1_epi32((int)tag));
    __m256i unused = _mm256_cmpeq_epi32(words, _mm256_setzero_si256());
    return (uint32_t)_mm256_movemask_ps(
               _mm256_castsi256_ps(_mm256_or_si256(same, unused))) &
           0x7f;
#else
    uint32_t match = 0;
    for (int i = 0; i < MARGAY_DENSE_SLOTS; i++)
        match |= (uint32_t)((bucket->tags[i] == tag) | (bucket->words[i] == 0))
                 << i;
    return match;
#endif
}

struct place {
    struct margay_dense_bucket *bucket; /* NULL = not in this table */
    unsigned slot;
    uint64_t field; /* 0 = free */
};

/* The slot of a block, or the free one where it belongs. */
static ALWAYS_INLINE struct place find_place(const struct margay_dense *dense,
                                             uint64_t mixed)
{
    struct margay_dense_bucket *bucket =
        dense->buckets + margay_dense_home(dense, mixed);
    uint64_t rest = margay_dense_rest(mixed, dense->time_bits);
    uint32_t tag = (uint32_t)mixed;
    for (unsigned i = 0; i < MARGAY_DENSE_REACH; i++, bucket++) {
        uint32_t match = match_tags(bucket, tag);
        for (; match != 0; match &= match - 1) {
            unsigned slot = (unsigned)__builtin_ctz(match);
            uint64_t field = margay_dense_field(bucket, slot);
            /* Only a word of a longer timestamp is 0 where a slot is used. */
            if (__builtin_expect(dense->time_bits > 32, 0) && field != 0 &&
                bucket->tags[slot] != tag)
                continue;
            /* One branch: which it is can not be predicted. */
            if ((field == 0) | (field >> dense->time_bits == rest))
                return (struct place){bucket, slot, field};
        }
    }
    return (struct place){NULL, 0, 0};
}

/* The previous timestamp of a block that has no place in the dense table, which
   becomes `now`. */
static NOINLINE uint64_t exchange_beside(struct margay_exact *e, uint64_t block,
                                         uint64_t now)
{
    unsigned slot;
    struct margay_bucket *bucket = margay_hash_slot(&e->hash, block, &slot);
    uint64_t timestamp = margay_bucket_value(bucket, slot);
    bucket->keys[slot] = block;
    margay_bucket_set_value(bucket, slot, now);
    e->hash.entries += timestamp == 0;
    return timestamp;
}

/* The previous timestamp of a block, which becomes `now`; of one that is in the
   filter, any number. */
static ALWAYS_INLINE uint64_t exchange(struct margay_exact *e,
                                       struct margay_dense *dense,
                                       uint64_t block, uint64_t now)
{
    uint64_t mixed = margay_dense_mix(block);
    struct place place = find_place(dense, mixed);
    if (__builtin_expect(place.bucket == NULL, 0))
        return exchange_beside(e, block, now);
    place.bucket->tags[place.slot] = (uint32_t)mixed;
    margay_dense_set_field(place.bucket, place.slot, place.field,
                           margay_dense_join(dense, mixed, now));
    dense->entries += place.field == 0;
    return margay_dense_cut(place.field, dense->time_bits);
}

static ALWAYS_INLINE void prefetch(const struct margay_dense *dense,
                                   uint64_t block)
{
    const struct margay_dense_bucket *home =
        dense->buckets + margay_dense_home(dense, margay_dense_mix(block));
    __builtin_prefetch(home, 1);
    __builtin_prefetch(home + 1, 1);
}

/* Blocks are wanted, or demoted, or both: as in exact_kernel.c. */
static ALWAYS_INLINE void look_up_blocks(struct margay_exact *e,
                                         const struct margay_exact_batch *batch,
                                         uint64_t *past, bool takes,
                                         bool enters)
{
    struct margay_dense dense = e->dense;
    const struct margay_rank rank = e->rank;
    const uint64_t *wanted = batch->wanted, *demoted = batch->demoted;
    size_t count = batch->count;
    size_t ahead = batch->ahead >= count ? count : 0;
    bool raises = wanted == demoted;
    for (size_t i = 0; i < count; i++) {
        uint64_t now = rank.next + i;
        if (takes) {
            prefetch(&dense, wanted[i + ahead]);
            past[i] =
                exchange(e, &dense, wanted[i], raises ? now : MARGAY_IN_FILTER);
            margay_rank_prefetch(&rank, past[i]);
        }
        if (enters) {
            prefetch(&dense, demoted[i + ahead]);
            exchange(e, &dense, demoted[i], now);
        }
    }
    e->dense.entries = dense.entries;
}

static NOINLINE void raise(struct margay_exact *e,
                           const struct margay_exact_batch *batch,
                           uint64_t *past)
{
    look_up_blocks(e, batch, past, true, false);
}

static NOINLINE void exchange_both(struct margay_exact *e,
                                   const struct margay_exact_batch *batch,
                                   uint64_t *past)
{
    look_up_blocks(e, batch, past, true, true);
}

static NOINLINE void push(struct margay_exact *e,
                          const struct margay_exact_batch *batch,
                          uint64_t *past)
{
    look_up_blocks(e, batch, past, false, true);
}

static void look_up(struct margay_exact *e,
                    const struct margay_exact_batch *batch, uint64_t *past)
{
    if (batch->wanted == NULL)
        push(e, batch, past);
    else if (batch->demoted == NULL || batch->demoted == batch->wanted)
        raise(e, batch, past);
    else
        exchange_both(e, batch, past);
}

/* ------------------------------------------------------------ compaction -- */

static void prefetch_times(const struct margay_dense *dense, uint64_t index,
                           const struct margay_rank *rank)
{
    if (index >= dense->home_count)
        return;
    const struct margay_dense_bucket *bucket = &dense->buckets[index];
    for (unsigned slot = 0; slot < MARGAY_DENSE_SLOTS; slot++) {
        uint64_t time =
            margay_dense_time(dense, margay_dense_field(bucket, slot));
        if (time != MARGAY_IN_FILTER)
            margay_rank_prefetch(rank, time);
    }
}

static void renumber(struct margay_exact *e, uint64_t dropped,
                     unsigned time_bits)
{
    const struct margay_rank rank = e->rank;
    const struct margay_dense from = e->dense;
    uint64_t bucket_count = margay_dense_buckets(&from);
    e->dense.time_bits = time_bits;
    for (uint64_t i = 0; i < bucket_count && from.entries > 0; i++) {
        struct margay_dense_bucket *bucket = &from.buckets[i];
        uint64_t first = margay_dense_first(&from, i);
        prefetch_times(&from, i + RENUMBER_AHEAD, &rank);
        for (unsigned slot = 0; slot < MARGAY_DENSE_SLOTS; slot++) {
            uint64_t field = margay_dense_field(bucket, slot);
            if (field == 0)
                break;
            uint64_t mixed = margay_dense_mixed(first, bucket->tags[slot],
                                                field, from.time_bits);
            uint64_t time = margay_dense_time(&from, field);
            if (time != MARGAY_IN_FILTER)
                time = margay_rank_renumbered(&rank, time, dropped, rank.tall);
            margay_dense_set_field(
                bucket, slot, field,
                time == 0 ? 0 : margay_dense_join(&e->dense, mixed, time));
        }
    }
}

/* ---------------------------------------------------- blocks asked about -- */

static uint64_t find_beside(const struct margay_exact *e, uint64_t block)
{
    unsigned slot;
    struct margay_bucket *bucket = margay_hash_slot(&e->hash, block, &slot);
    return margay_bucket_value(bucket, slot);
}

static void find(const struct margay_exact *e, const uint64_t *blocks,
                 size_t count, uint64_t *timestamps)
{
    const struct margay_dense dense = e->dense;
    for (size_t i = 0; i < count; i++) {
        if (i + MARGAY_EXACT_BATCH < count)
            prefetch(&dense, blocks[i + MARGAY_EXACT_BATCH]);
        struct place place = find_place(&dense, margay_dense_mix(blocks[i]));
        timestamps[i] = place.bucket == NULL
                            ? find_beside(e, blocks[i])
                            : margay_dense_cut(place.field, dense.time_bits);
    }
}

#define PASTE(a, b)       a##b
#define KERNEL_OF(suffix) PASTE(margay_dense_kernel_, suffix)

const struct margay_dense_kernel KERNEL_OF(MARGAY_TARGET_SUFFIX) = {
    .look_up = look_up, .renumber = renumber, .find = find};
