/* hash.c - the hash table's slow paths: make, grow, erase */
#include "stackdist/exact/hash.h"

#include "traces/traces_internal.h"

/*
 * The table grows when seven of ten slots are used: with more, buckets spill
 * more often; with fewer, the table takes more memory.
 */
#define LOAD_NUMERATOR   7
#define LOAD_DENOMINATOR 10
#define LOAD_STRETCHED   8 /* when no more entries are expected */
#define SMALLEST_BUCKETS 64
#define QUARTERS_BUCKETS 4096 /* from there on a tight table does so */

/* Memory of the old table is released in steps of this while it is moved. */
#define RELEASE_BUCKETS ((uint64_t)1 << 15)

static uint64_t limit_of(uint64_t bucket_count)
{
    return bucket_count * MARGAY_BUCKET_SLOTS / LOAD_DENOMINATOR *
           LOAD_NUMERATOR;
}

static enum margay_status allocate(struct margay_hash *hash,
                                   uint64_t bucket_count, bool tight,
                                   struct margay_error *error)
{
    size_t bytes;
    struct margay_bucket *buckets = NULL;
    if (margay_multiply_size(bucket_count, sizeof *buckets, &bytes))
        buckets = margay_map(bytes);
    if (buckets == NULL)
        return margay_fail(error, MARGAY_NO_MEMORY,
                           "out of memory: no room for a table of %llu blocks",
                           (unsigned long long)limit_of(bucket_count));
    hash->buckets = buckets;
    hash->bucket_count = bucket_count;
    hash->shift = tight ? 0 : 64 - margay_log2_floor(bucket_count);
    hash->entries = 0;
    hash->entry_limit = limit_of(bucket_count);
    return MARGAY_OK;
}

/* Buckets for that many entries; 0 if no table can hold them. */
static uint64_t buckets_for(uint64_t entries, bool tight)
{
    uint64_t bucket_count = SMALLEST_BUCKETS;
    while (limit_of(bucket_count) < entries) {
        if (bucket_count >> 57 != 0)
            return 0;
        bucket_count += tight && bucket_count >= QUARTERS_BUCKETS
                            ? bucket_count / 4
                            : bucket_count;
    }
    return bucket_count;
}

static enum margay_status create(struct margay_hash *hash, uint64_t entries,
                                 bool tight, struct margay_error *error)
{
    uint64_t bucket_count = buckets_for(entries, tight);
    *hash = (struct margay_hash){0};
    if (bucket_count == 0)
        return margay_fail_memory(error, "a table of that many blocks");
    return allocate(hash, bucket_count, tight, error);
}

enum margay_status margay_hash_create(struct margay_hash *hash,
                                      uint64_t entries,
                                      struct margay_error *error)
{
    return create(hash, entries, false, error);
}

enum margay_status margay_hash_create_tight(struct margay_hash *hash,
                                            uint64_t entries,
                                            struct margay_error *error)
{
    return create(hash, entries, true, error);
}

enum margay_status margay_hash_create_stretched(struct margay_hash *hash,
                                                uint64_t entries,
                                                struct margay_error *error)
{
    uint64_t least = entries / LOAD_STRETCHED * LOAD_NUMERATOR;
    enum margay_status status = margay_hash_create(hash, least, error);
    if (status != MARGAY_OK)
        return status;
    margay_hash_stretch(hash, entries);
    margay_touch(hash->buckets, margay_hash_bytes(hash));
    return MARGAY_OK;
}

void margay_hash_destroy(struct margay_hash *hash)
{
    margay_unmap(hash->buckets, margay_hash_bytes(hash));
    *hash = (struct margay_hash){0};
}

size_t margay_hash_bytes(const struct margay_hash *hash)
{
    return hash->bucket_count * sizeof *hash->buckets;
}

static uint64_t home_of(const struct margay_hash *hash, uint64_t key)
{
    return hash->shift == 0 ? margay_hash_tight_home(hash, key)
                            : margay_hash_home(hash, key);
}

static unsigned bucket_fill(const struct margay_bucket *bucket)
{
    unsigned fill = 0;
    while (fill < MARGAY_BUCKET_SLOTS && bucket->values[fill] != 0)
        fill++;
    return fill;
}

void margay_hash_put_new(struct margay_hash *hash, uint64_t key, uint64_t value)
{
    struct margay_bucket *bucket = hash->buckets + home_of(hash, key);
    unsigned slot;
    while ((slot = bucket_fill(bucket)) == MARGAY_BUCKET_SLOTS)
        bucket = margay_hash_next(hash, bucket);
    bucket->keys[slot] = key;
    margay_bucket_set_value(bucket, slot, value);
    hash->entries++;
}

/* How full the buckets of a new table are, apart from them: reading a bucket
   that was just written costs more. */
struct filling {
    struct margay_hash *hash;
    uint8_t *fills;
    struct margay_bucket nowhere; /* where free slots are copied to */
};

/* Without a branch on free slots, which half of all are: it could not be
   predicted. */
static inline __attribute__((always_inline)) void copy_entries(
    struct filling *to, const struct margay_bucket *from, bool tight)
{
    for (unsigned i = 0; i < MARGAY_BUCKET_SLOTS; i++) {
        bool there = from->values[i] != 0;
        uint64_t home = tight ? margay_hash_tight_home(to->hash, from->keys[i])
                              : margay_hash_home(to->hash, from->keys[i]);
        while (__builtin_expect(to->fills[home] == MARGAY_BUCKET_SLOTS, 0))
            home = margay_hash_after(to->hash, home);
        struct margay_bucket *bucket =
            there ? to->hash->buckets + home : &to->nowhere;
        unsigned slot = to->fills[home];
        bucket->keys[slot] = from->keys[i];
        margay_bucket_set_value(bucket, slot, margay_bucket_value(from, i));
        to->fills[home] = (uint8_t)(slot + there);
        to->hash->entries += there;
    }
}

void margay_hash_stretch(struct margay_hash *hash, uint64_t more)
{
    uint64_t limit = hash->bucket_count * MARGAY_BUCKET_SLOTS /
                     LOAD_DENOMINATOR * LOAD_STRETCHED;
    if (hash->entry_limit < limit && hash->entries <= limit &&
        more <= limit - hash->entries)
        hash->entry_limit = limit;
}

enum margay_status margay_hash_reserve(struct margay_hash *hash, uint64_t more,
                                       struct margay_error *error)
{
    uint64_t wanted;
    if (!margay_add_u64(hash->entries, more, &wanted))
        return margay_fail_memory(error, "a table of that many blocks");
    if (wanted <= hash->entry_limit)
        return MARGAY_OK;
    if (hash->shift != 0)
        return margay_hash_rebuild(hash, wanted, error);
    uint64_t bucket_count = buckets_for(wanted, true);
    if (bucket_count == 0)
        return margay_fail_memory(error, "a table of that many blocks");
    enum margay_status status = margay_hash_spread(hash, bucket_count, error);
    if (status == MARGAY_OK)
        hash->entry_limit = limit_of(bucket_count);
    return status;
}

/* About where the entries in bucket i of the old table go. */
static uint64_t moved_to(const struct margay_hash *from,
                         const struct margay_hash *to, uint64_t i)
{
    return (uint64_t)((margay_u128)i * to->bucket_count / from->bucket_count);
}

/* Make the memory appear that the next step of the old table goes to. */
static void touch_step(const struct margay_hash *from, struct margay_hash *to,
                       uint64_t i)
{
    uint64_t left = from->bucket_count - i;
    uint64_t step = left < RELEASE_BUCKETS ? left : RELEASE_BUCKETS;
    uint64_t begin = moved_to(from, to, i);
    margay_touch(to->buckets + begin,
                 (moved_to(from, to, i + step) - begin) * sizeof *to->buckets);
}

enum margay_status margay_hash_rebuild(struct margay_hash *hash,
                                       uint64_t entries,
                                       struct margay_error *error)
{
    struct margay_hash fresh;
    enum margay_status status =
        create(&fresh, entries, hash->shift == 0, error);
    if (status != MARGAY_OK)
        return status;
    struct filling filling = {.hash = &fresh,
                              .fills = margay_map(fresh.bucket_count)};
    if (filling.fills == NULL) {
        margay_hash_destroy(&fresh);
        return margay_fail_memory(error, "a table that grows");
    }
    for (uint64_t i = 0; i < hash->bucket_count; i++) {
        if (i % RELEASE_BUCKETS == 0)
            touch_step(hash, &fresh, i);
        if (hash->shift == 0)
            copy_entries(&filling, &hash->buckets[i], true);
        else
            copy_entries(&filling, &hash->buckets[i], false);
        if ((i + 1) % RELEASE_BUCKETS == 0)
            margay_discard(&hash->buckets[i + 1 - RELEASE_BUCKETS],
                           RELEASE_BUCKETS * sizeof *hash->buckets);
    }
    margay_unmap(filling.fills, fresh.bucket_count);
    margay_hash_destroy(hash);
    *hash = fresh;
    return MARGAY_OK;
}

/*
 * An entry of a later bucket of the run that may move to bucket `hole`: its
 * home must not lie behind the hole.  False if the run has none.  Differences
 * modulo 2^64 are in the order of the ways around the end of the table.
 */
static bool find_spilled(const struct margay_hash *hash, uint64_t hole,
                         uint64_t *index, unsigned *slot)
{
    for (uint64_t i = margay_hash_after(hash, hole); i != hole;
         i = margay_hash_after(hash, i)) {
        const struct margay_bucket *bucket = &hash->buckets[i];
        unsigned fill = bucket_fill(bucket);
        for (unsigned j = 0; j < fill; j++) {
            uint64_t home = home_of(hash, bucket->keys[j]);
            if (i - home >= i - hole) {
                *index = i;
                *slot = j;
                return true;
            }
        }
        if (fill < MARGAY_BUCKET_SLOTS)
            return false;
    }
    return false;
}

void margay_hash_erase(struct margay_hash *hash, uint64_t key)
{
    unsigned slot;
    struct margay_bucket *bucket = margay_hash_slot_from(
        hash, hash->buckets + home_of(hash, key), key, &slot);
    if (bucket->values[slot] == 0)
        return;
    hash->entries--;
    for (;;) {
        unsigned last = bucket_fill(bucket) - 1;
        bool was_full = last == MARGAY_BUCKET_SLOTS - 1;
        bucket->keys[slot] = bucket->keys[last];
        margay_bucket_set_value(bucket, slot,
                                margay_bucket_value(bucket, last));
        margay_bucket_set_value(bucket, last, 0);
        /* Only a full bucket has spilled: pull an entry back into it. */
        uint64_t hole = (uint64_t)(bucket - hash->buckets), index;
        if (!was_full || !find_spilled(hash, hole, &index, &slot))
            return;
        bucket->keys[last] = hash->buckets[index].keys[slot];
        margay_bucket_set_value(
            bucket, last, margay_bucket_value(&hash->buckets[index], slot));
        bucket = &hash->buckets[index];
    }
}
