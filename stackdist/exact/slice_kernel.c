/*
 * slice_kernel.c - the loops of one thread of a team
 *
 * Compiled once per processor level like exact_kernel.c, whose loop over
 * ranks they use.
 */
#include <string.h>

#include "stackdist/exact/slice.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Marks, in the work list, a block wanted: its past is to be published. */
#define WANTED (UINT64_C(1) << 63)

/* The hash table takes the top bits of another product. */
static void assign(const uint64_t *blocks, size_t count, unsigned threads,
                   uint8_t *owners)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t mixed = blocks[i] * UINT64_C(0xd6e8feb86659fd93) >> 32;
        owners[i] = (uint8_t)(mixed * threads >> 32);
    }
}

/* Which of 64 references are this thread's. */
static ALWAYS_INLINE uint64_t own_mask(const uint8_t *owners, unsigned index)
{
    uint64_t mask = 0;
#if defined(__AVX2__)
    const __m256i wanted = _mm256_set1_epi8((char)index);
    for (int half = 0; half < 2; half++) {
        __m256i bytes =
            _mm256_loadu_si256((const __m256i *)(owners + 32 * half));
        uint32_t equal =
            (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, wanted));
        mask |= (uint64_t)equal << 32 * half;
    }
#else
    for (int i = 0; i < 64; i++)
        mask |= (uint64_t)(owners[i] == index) << i;
#endif
    return mask;
}

static ALWAYS_INLINE uint64_t valid_mask(size_t count, size_t word)
{
    size_t left = count - 64 * word;
    return left >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1;
}

static ALWAYS_INLINE size_t words_of(const struct margay_slice_batch *batch)
{
    return (batch->count + 63) / 64;
}

/* ------------------------------------------------------------ look-ups -- */

/* Append one word's references to own blocks to the work list. */
static ALWAYS_INLINE size_t list_word(struct margay_slice *slice,
                                      const struct margay_slice_batch *batch,
                                      size_t word, size_t listed,
                                      size_t *wanted_listed)
{
    uint64_t valid = valid_mask(batch->count, word), wanted = 0, demoted = 0;
    size_t at = 64 * word;
    uint64_t time = margay_rank_nth(slice->now + at);
    if (batch->pulls)
        wanted = own_mask(batch->wanted_owners + at, slice->index) & valid;
    if (batch->pushes && !batch->same)
        demoted = own_mask(batch->demoted_owners + at, slice->index) & valid;
    *wanted_listed += (unsigned)__builtin_popcountll(wanted);
    for (uint64_t both = wanted | demoted; both != 0; both &= both - 1) {
        unsigned i = (unsigned)__builtin_ctzll(both);
        if (wanted >> i & 1) {
            slice->blocks[listed] = batch->wanted[at + i];
            slice->values[listed++] =
                WANTED | (batch->same ? time + i : MARGAY_IN_FILTER);
        }
        if (demoted >> i & 1) {
            slice->blocks[listed] = batch->demoted[at + i];
            slice->values[listed++] = time + i;
        }
    }
    return listed;
}

static size_t list_own(struct margay_slice *slice,
                       const struct margay_slice_batch *batch)
{
    size_t words = words_of(batch), listed = 0, wanted = 0;
    size_t *before = batch->past[slice->index].before_slice;
    unsigned part = 0;
    for (size_t word = 0; word < words; word++) {
        while (words * part / slice->threads == word)
            before[part++] = wanted;
        listed = list_word(slice, batch, word, listed, &wanted);
    }
    while (part <= slice->threads)
        before[part++] = wanted;
    return listed;
}

/* One batch's worth of the work list; returns how many were published. */
static ALWAYS_INLINE size_t look_up_some(struct margay_slice *slice,
                                         const uint64_t *blocks,
                                         const uint64_t *values, size_t count,
                                         uint64_t *published, bool wide)
{
    const struct margay_hash hash = slice->e.hash;
    uint64_t fresh = 0;
    size_t wanted = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned slot;
        margay_hash_prefetch(&hash, blocks[i + MARGAY_EXACT_BATCH]);
        struct margay_bucket *bucket =
            margay_hash_slot(&hash, blocks[i], &slot);
        uint64_t past =
            wide ? margay_bucket_value(bucket, slot) : bucket->values[slot];
        uint64_t value = values[i] & ~WANTED;
        if (wide)
            margay_bucket_set_value(bucket, slot, value);
        else
            bucket->values[slot] = (uint32_t)value;
        bucket->keys[slot] = blocks[i];
        published[wanted] = past;
        wanted += values[i] >> 63;
        fresh += past == 0;
    }
    slice->e.hash.entries += fresh;
    return wanted;
}

static enum margay_status look_up(struct margay_slice *slice,
                                  const struct margay_slice_batch *batch)
{
    size_t listed = list_own(slice, batch);
    uint64_t *published = batch->past[slice->index].timestamps;
    /* Look-ups fetch ahead, past the end of the list too. */
    memset(slice->blocks + listed, 0,
           MARGAY_EXACT_BATCH * sizeof *slice->blocks);
    for (size_t done = 0; done < listed;) {
        size_t count = listed - done;
        if (count > MARGAY_EXACT_BATCH)
            count = MARGAY_EXACT_BATCH;
        if (margay_hash_reserve(&slice->e.hash, count, NULL) != MARGAY_OK)
            return MARGAY_NO_MEMORY;
        if (slice->e.wide)
            published +=
                look_up_some(slice, slice->blocks + done, slice->values + done,
                             count, published, true);
        else
            published +=
                look_up_some(slice, slice->blocks + done, slice->values + done,
                             count, published, false);
        done += count;
    }
    slice->now += 64 * words_of(batch);
    return MARGAY_OK;
}

/* --------------------------------------------------------------- ranks -- */

/* What the slices from `from` to before `to` do to the bits. */
static void apply_slices(struct margay_slice *slice,
                         const struct margay_slice_batch *batch, unsigned from,
                         unsigned to)
{
    size_t words = words_of(batch);
    size_t first = words * from / slice->threads;
    size_t last = words * to / slice->threads;
    struct margay_rank *rank = &slice->e.rank;
    if (batch->pushes) {
        for (size_t word = first; word < last; word++) {
            uint64_t ones = valid_mask(batch->count, word);
            uint64_t time = margay_rank_nth(slice->ranked + 64 * word);
            rank->leaves[time >> 6] = ones;
            rank->live += (unsigned)__builtin_popcountll(ones);
        }
    }
    if (!batch->pulls)
        return;
    for (unsigned i = 0; i < slice->threads; i++) {
        const struct margay_slice_past *past = &batch->past[i];
        size_t begin = past->before_slice[from];
        size_t count = past->before_slice[to] - begin;
        uint64_t cold =
            slice->e.kernel->clear(rank, past->timestamps + begin, count);
        rank->live -= count - cold;
    }
}

static void refresh(struct margay_slice *slice)
{
    slice->e.kernel->refresh(&slice->e.rank, margay_rank_nth(slice->ranked));
}

/* Collect the published previous timestamps of a word's references. */
static ALWAYS_INLINE void gather_past(const struct margay_slice *slice,
                                      const struct margay_slice_batch *batch,
                                      size_t word, const uint64_t **cursors,
                                      uint64_t *past)
{
    const uint8_t *owners = batch->wanted_owners + 64 * word;
    size_t left = batch->count - 64 * word;
    size_t count = left < 64 ? left : 64;
    for (size_t i = 0; i < count; i++) {
        past[i] = *cursors[owners[i]]++;
        margay_rank_prefetch(&slice->e.rank, past[i]);
    }
}

static void rank_word(struct margay_slice *slice,
                      const struct margay_slice_batch *batch, size_t word,
                      const uint64_t *past)
{
    struct margay_exact *e = &slice->e;
    size_t left = batch->count - 64 * word;
    unsigned count = left < 64 ? (unsigned)left : 64;
    e->rank.next = margay_rank_nth(slice->ranked + 64 * word);
    margay_rank_enter(&e->rank);
    if (batch->pushes)
        margay_rank_append(&e->rank, count);
    if (!batch->pulls) {
        e->rank.live += count;
        return;
    }
    unsigned base = batch->base;
    if (!batch->pushes)
        base += 64 * (unsigned)word;
    e->kernel->rank(e, past, count, base);
    if (!batch->pushes)
        e->rank.live -= count;
    if (batch->wants_indices)
        memcpy(batch->indices + 64 * word, e->pending,
               count * sizeof *e->pending);
}

static void rank_own(struct margay_slice *slice,
                     const struct margay_slice_batch *batch, size_t first,
                     size_t last)
{
    const uint64_t *cursors[MARGAY_SLICE_MAX_THREADS];
    uint64_t past[2][64];
    for (unsigned i = 0; i < slice->threads; i++) {
        const struct margay_slice_past *published = &batch->past[i];
        cursors[i] =
            published->timestamps + published->before_slice[slice->index];
    }
    if (batch->pulls)
        gather_past(slice, batch, first, cursors, past[first % 2]);
    for (size_t word = first; word < last; word++) {
        if (batch->pulls && word + 1 < last)
            gather_past(slice, batch, word + 1, cursors, past[(word + 1) % 2]);
        rank_word(slice, batch, word, past[word % 2]);
    }
}

static enum margay_status rank(struct margay_slice *slice,
                               const struct margay_slice_batch *batch)
{
    size_t words = words_of(batch);
    size_t first = words * slice->index / slice->threads;
    size_t last = words * (slice->index + 1) / slice->threads;
    struct margay_exact *e = &slice->e;
    apply_slices(slice, batch, 0, slice->index);
    if (first < last) {
        uint64_t most_live = e->rank.live + batch->count;
        if (margay_exact_reserve_counters(e, most_live, NULL) != MARGAY_OK)
            return MARGAY_NO_MEMORY;
        e->kernel->refresh(&e->rank,
                           margay_rank_nth(slice->ranked + 64 * first));
        rank_own(slice, batch, first, last);
    }
    apply_slices(slice, batch, slice->index + 1, slice->threads);
    slice->ranked += 64 * words;
    e->rank.next = margay_rank_nth(slice->ranked);
    return MARGAY_OK;
}

#define PASTE(a, b)       a##b
#define KERNEL_OF(suffix) PASTE(margay_slice_kernel_, suffix)

const struct margay_slice_kernel KERNEL_OF(MARGAY_TARGET_SUFFIX) = {
    .assign = assign,
    .look_up = look_up,
    .rank = rank,
    .refresh = refresh,
};
