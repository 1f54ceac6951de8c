/*
 * hash.h - the hash table: block ids to small numbers
 *
 * Algorithm: buckets of one cache line hold five 64-bit keys and five 32-bit
 *   values; one vector compare finds the key or the first free slot.  A full
 *   bucket spills into the next one, around the end of the table.  A key times
 *   2^64 / golden ratio, as a fraction of 2^64, is that of its bucket among all
 *   buckets.  So their order stays when the table grows, and it grows in its
 *   place: its memory becomes longer, and the entries move up (hash.c).  A
 *   large table grows by a quarter of a power of two, a small one doubles.
 * Guarantee: any 64-bit key, 0 and 2^64-1 included.
 * Cost: a cache miss per look-up that was not prefetched; 16 to 22 bytes per
 *   entry of a large table, growth included, and up to 37 of a small one.  An
 *   entry is moved about five times while the table grows to its size.
 *
 * A value of 0 marks a free slot, so a caller stores values other than 0 and
 * sees 0 for a key that was not there.  Five times six bits next to the values
 * extend them to 38 bits for the engine that needs them.
 *
 * The functions are inline as the hot loops are compiled once per processor
 * level.
 */
#ifndef MARGAY_STACKDIST_HASH_H
#define MARGAY_STACKDIST_HASH_H

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "traces/traces_internal.h"

#define MARGAY_BUCKET_SLOTS 5

struct margay_bucket {
    uint64_t keys[MARGAY_BUCKET_SLOTS];
    uint32_t values[MARGAY_BUCKET_SLOTS];
    uint32_t value_extensions; /* bits 6 i to 6 i + 5 belong to value i */
};

struct margay_hash {
    struct margay_bucket *buckets;
    uint64_t bucket_count; /* quarters times a power of two */
    unsigned quarters;     /* 4 to 7: the size, in quarters of a power of two */
    unsigned shift;
    uint64_t large_buckets; /* a table of as many grows by quarters */
    uint64_t entries;
    uint64_t entry_limit; /* entries at which the table must grow */
};

/* An empty table with room for `entries`.  MARGAY_NO_MEMORY: the struct is
   zeroed. */
enum margay_status margay_hash_create(struct margay_hash *hash,
                                      uint64_t entries,
                                      struct margay_error *error);

/* The same where `entries` is an estimate of the final number: the table may
   become a little fuller, and its memory is made to appear at once. */
enum margay_status margay_hash_create_stretched(struct margay_hash *hash,
                                                uint64_t entries,
                                                struct margay_error *error);

/* The same for a table that counts as large early, to save memory. */
enum margay_status margay_hash_create_tight(struct margay_hash *hash,
                                            uint64_t entries,
                                            struct margay_error *error);

/* Release the table; a zeroed struct is fine. */
void margay_hash_destroy(struct margay_hash *hash);

/* Reserve `more` further entries; the table may move, and pointers into it are
   then stale.  A table that MARGAY_NO_MEMORY keeps from growing, here and
   below, can only be destroyed. */
enum margay_status margay_hash_reserve(struct margay_hash *hash, uint64_t more,
                                       struct margay_error *error);

/* No more than `more` further entries will come: let the table take them
   without growing, if it then is only a little fuller than usual. */
void margay_hash_stretch(struct margay_hash *hash, uint64_t more);

/* Remove the entries whose value the caller has set to 0, which is how many are
   erased at once. */
enum margay_status margay_hash_close(struct margay_hash *hash,
                                     struct margay_error *error);

/* Enter a key that is not in the table, without comparing; its entry must have
   been reserved.  A caller that copies one table into another in its order must
   reserve all entries beforehand: a table that grew meanwhile would have all
   entries at one end. */
void margay_hash_put_new(struct margay_hash *hash, uint64_t key,
                         uint64_t value);

/* Remove `key`, which may be absent; pointers into the table are stale. */
void margay_hash_erase(struct margay_hash *hash, uint64_t key);

/* Bytes the table occupies. */
size_t margay_hash_bytes(const struct margay_hash *hash);

#define MARGAY_HASH_MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

/* The product's upper 61 bits, times at most 7, fit 64 bits. */
static inline uint64_t margay_hash_home(const struct margay_hash *hash,
                                        uint64_t key)
{
    uint64_t fraction = key * MARGAY_HASH_MULTIPLIER >> 3;
    return fraction * hash->quarters >> hash->shift;
}

static inline void margay_hash_prefetch(const struct margay_hash *hash,
                                        uint64_t key)
{
    __builtin_prefetch(hash->buckets + margay_hash_home(hash, key), 1);
}

/* Bit i of the result: slot i holds `key` or is free.  Slots fill from the
   front, so the lowest bit is the slot to use. */
static inline __attribute__((always_inline)) uint32_t margay_bucket_match(
    const struct margay_bucket *bucket, uint64_t key)
{
#if defined(__AVX512BW__) && defined(__AVX512DQ__)
    __m512i line = _mm512_load_si512(bucket);
    __asm__("" : "+v"(line)); /* or it is loaded twice */
    uint32_t same = margay_mask8_bits(_mm512_mask_cmpeq_epi64_mask(
        0x1f, line, _mm512_set1_epi64((long long)key)));
    uint32_t unused =
        margay_mask16_bits(_mm512_mask_testn_epi32_mask(0x7c00, line, line));
    return same | unused >> 10;
#elif defined(__AVX2__)
    const __m256i wanted = _mm256_set1_epi64x((long long)key);
    __m256i keys = _mm256_load_si256((const __m256i *)bucket->keys);
    __m128i values = _mm_loadu_si128((const __m128i *)bucket->values);
    uint32_t same = (uint32_t)_mm256_movemask_pd(
        _mm256_castsi256_pd(_mm256_cmpeq_epi64(keys, wanted)));
    uint32_t unused = (uint32_t)_mm_movemask_ps(
        _mm_castsi128_ps(_mm_cmpeq_epi32(values, _mm_setzero_si128())));
    uint32_t last = (bucket->keys[4] == key) | (bucket->values[4] == 0);
    return same | unused | last << 4;
#elif defined(__SSE2__)
    /* Halves of keys are compared; low and high halves are then gathered. */
    const __m128i wanted = _mm_set1_epi64x((long long)key);
    const __m128i *keys = (const __m128i *)bucket->keys;
    __m128i values = _mm_loadu_si128((const __m128i *)bucket->values);
    __m128 first = _mm_castsi128_ps(_mm_cmpeq_epi32(keys[0], wanted));
    __m128 second = _mm_castsi128_ps(_mm_cmpeq_epi32(keys[1], wanted));
    __m128 same = _mm_and_ps(_mm_shuffle_ps(first, second, 0x88),
                             _mm_shuffle_ps(first, second, 0xdd));
    __m128 unused =
        _mm_castsi128_ps(_mm_cmpeq_epi32(values, _mm_setzero_si128()));
    uint32_t last = (bucket->keys[4] == key) | (bucket->values[4] == 0);
    return (uint32_t)_mm_movemask_ps(_mm_or_ps(same, unused)) | last << 4;
#else
    uint32_t match = 0;
    for (int i = 0; i < MARGAY_BUCKET_SLOTS; i++)
        match |= (uint32_t)((bucket->keys[i] == key) | (bucket->values[i] == 0))
                 << i;
    return match;
#endif
}

/* The bucket after this one, around the end. */
static inline struct margay_bucket *margay_hash_next(
    const struct margay_hash *hash, struct margay_bucket *bucket)
{
    return bucket + 1 == hash->buckets + hash->bucket_count ? hash->buckets
                                                            : bucket + 1;
}

/* The same as below, from the bucket that is the key's home on. */
static inline __attribute__((always_inline)) struct margay_bucket *
margay_hash_slot_from(const struct margay_hash *hash,
                      struct margay_bucket *bucket, uint64_t key,
                      unsigned *slot)
{
    uint32_t match;
    while (__builtin_expect((match = margay_bucket_match(bucket, key)) == 0, 0))
        bucket = margay_hash_next(hash, bucket);
    *slot = (unsigned)__builtin_ctzll(match);
    return bucket;
}

/* The bucket and slot that hold `key`, or the free ones where it belongs (value
   0 there; the key is not yet written). */
static inline __attribute__((always_inline)) struct margay_bucket *
margay_hash_slot(const struct margay_hash *hash, uint64_t key, unsigned *slot)
{
    return margay_hash_slot_from(
        hash, hash->buckets + margay_hash_home(hash, key), key, slot);
}

/* The value of `key`, NULL if it is absent.  Valid until the table changes. */
static inline uint32_t *margay_hash_find(const struct margay_hash *hash,
                                         uint64_t key)
{
    unsigned slot;
    struct margay_bucket *bucket = margay_hash_slot(hash, key, &slot);
    return bucket->values[slot] == 0 ? NULL : &bucket->values[slot];
}

/* The value of `key`, which is entered if it is absent: the value is then 0,
   and the caller must set it to another before the next call.  The entry must
   have been reserved. */
static inline uint32_t *margay_hash_insert(struct margay_hash *hash,
                                           uint64_t key)
{
    unsigned slot;
    struct margay_bucket *bucket = margay_hash_slot(hash, key, &slot);
    hash->entries += bucket->values[slot] == 0;
    bucket->keys[slot] = key;
    return &bucket->values[slot];
}

/* ------------------------------------------- values of more than 32 bits -- */

#define MARGAY_VALUE_EXTENSION_BITS 6

static inline uint64_t margay_bucket_value(const struct margay_bucket *bucket,
                                           unsigned slot)
{
    uint64_t extension =
        bucket->value_extensions >> (MARGAY_VALUE_EXTENSION_BITS * slot) & 63;
    return bucket->values[slot] | extension << 32;
}

static inline void margay_bucket_set_value(struct margay_bucket *bucket,
                                           unsigned slot, uint64_t value)
{
    unsigned at = MARGAY_VALUE_EXTENSION_BITS * slot;
    bucket->values[slot] = (uint32_t)value;
    bucket->value_extensions = (bucket->value_extensions & ~(63u << at)) |
                               (uint32_t)(value >> 32 & 63) << at;
}

#endif
