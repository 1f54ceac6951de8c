/*
 * hash.c - the hash table's slow paths: make, grow, close gaps, erase
 *
 * Algorithm: to grow, the memory becomes longer and the entries move up, those
 *   of the last bucket first.  A bucket's share of the table stays the same, so
 *   the new home of an entry is not before its old one: it is among the buckets
 *   that have been emptied, where entries find their places as they do in any
 *   table.  To close gaps, all entries are entered anew, those of the first
 *   bucket first, and none moves up.  Only few are an exception, that spilled
 *   far from their homes near the beginning of the table or around its end:
 *   these are set aside until all buckets have been emptied.
 * Guarantee: no second table; all entries stay.
 * Cost: each entry is written once; a byte per bucket, and 16 for each entry
 *   set aside, while the table grows.
 */
#include "stackdist/exact/hash.h"

#include <stdlib.h>
#include <string.h>

/* The table grows when this share of its slots is used: with more, buckets
   spill more often; with less, the table takes more memory. */
#define SMALL_LOAD(slots)     ((slots) / 10 * 7)
#define LARGE_LOAD(slots)     ((slots) / 4 * 3)
#define STRETCHED_LOAD(slots) ((slots) / 6 * 5) /* no more are expected */

/* The entries of a bucket, at least, if a large table is made for a number of
   entries.  The number may be too low. */
#define LEAST_ENTRIES 3

#define SMALLEST_BUCKETS    64
#define LARGE_BUCKETS       (UINT64_C(1) << 20)
#define LARGE_TIGHT_BUCKETS 4096

/* --------------------------------------------------------------- sizes -- */

/* A quarter of the largest power of two in the number of buckets. */
static uint64_t quarter_of(uint64_t bucket_count)
{
    return UINT64_C(1) << (margay_log2_floor(bucket_count) - 2);
}

static uint64_t limit_of(uint64_t bucket_count, uint64_t large_buckets)
{
    uint64_t slots = bucket_count * MARGAY_BUCKET_SLOTS;
    return bucket_count < large_buckets ? SMALL_LOAD(slots) : LARGE_LOAD(slots);
}

/* Buckets for that many entries; 0 if no table can hold them. */
static uint64_t buckets_for(uint64_t entries, uint64_t large_buckets)
{
    uint64_t bucket_count = SMALLEST_BUCKETS;
    while (limit_of(bucket_count, large_buckets) < entries) {
        if (bucket_count >> 56 != 0)
            return 0;
        bucket_count += bucket_count < large_buckets ? bucket_count
                                                     : quarter_of(bucket_count);
    }
    return bucket_count;
}

static void set_size(struct margay_hash *hash, uint64_t bucket_count)
{
    hash->bucket_count = bucket_count;
    hash->quarters = (unsigned)(bucket_count / quarter_of(bucket_count));
    hash->shift = 63 - margay_log2_floor(bucket_count);
    hash->entry_limit = limit_of(bucket_count, hash->large_buckets);
}

static enum margay_status create(struct margay_hash *hash,
                                 uint64_t bucket_count, uint64_t large_buckets,
                                 struct margay_error *error)
{
    size_t bytes;
    *hash = (struct margay_hash){.large_buckets = large_buckets};
    if (bucket_count != 0 &&
        margay_multiply_size(bucket_count, sizeof *hash->buckets, &bytes))
        hash->buckets = margay_map(bytes);
    if (hash->buckets == NULL)
        return margay_fail_memory(error, "a table of that many blocks");
    set_size(hash, bucket_count);
    return MARGAY_OK;
}

enum margay_status margay_hash_create(struct margay_hash *hash,
                                      uint64_t entries,
                                      struct margay_error *error)
{
    return create(hash, buckets_for(entries, LARGE_BUCKETS), LARGE_BUCKETS,
                  error);
}

enum margay_status margay_hash_create_tight(struct margay_hash *hash,
                                            uint64_t entries,
                                            struct margay_error *error)
{
    return create(hash, buckets_for(entries, LARGE_TIGHT_BUCKETS),
                  LARGE_TIGHT_BUCKETS, error);
}

enum margay_status margay_hash_create_stretched(struct margay_hash *hash,
                                                uint64_t entries,
                                                struct margay_error *error)
{
    /* Buckets for about as many entries and no more. */
    uint64_t bucket_count = entries / LEAST_ENTRIES;
    if (bucket_count >= LARGE_BUCKETS) {
        bucket_count -= bucket_count % quarter_of(bucket_count);
    } else {
        bucket_count = SMALLEST_BUCKETS;
        while (STRETCHED_LOAD(bucket_count * MARGAY_BUCKET_SLOTS) < entries)
            bucket_count *= 2;
    }
    enum margay_status status =
        create(hash, bucket_count, LARGE_BUCKETS, error);
    if (status != MARGAY_OK)
        return status;
    margay_hash_stretch(hash, entries);
    /* Each page is written before it is read, and so appears only once. */
    for (uint64_t i = 0; i < bucket_count; i += 4096 / sizeof *hash->buckets)
        hash->buckets[i].value_extensions = 0;
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

void margay_hash_stretch(struct margay_hash *hash, uint64_t more)
{
    uint64_t limit = STRETCHED_LOAD(hash->bucket_count * MARGAY_BUCKET_SLOTS);
    if (hash->entry_limit < limit && hash->entries <= limit &&
        more <= limit - hash->entries)
        hash->entry_limit = limit;
}

/* ---------------------------------------------------- entries that move -- */

static unsigned bucket_fill(const struct margay_bucket *bucket)
{
    unsigned fill = 0;
    while (fill < MARGAY_BUCKET_SLOTS && bucket->values[fill] != 0)
        fill++;
    return fill;
}

void margay_hash_put_new(struct margay_hash *hash, uint64_t key, uint64_t value)
{
    struct margay_bucket *bucket = hash->buckets + margay_hash_home(hash, key);
    unsigned slot;
    while ((slot = bucket_fill(bucket)) == MARGAY_BUCKET_SLOTS)
        bucket = margay_hash_next(hash, bucket);
    bucket->keys[slot] = key;
    margay_bucket_set_value(bucket, slot, value);
    hash->entries++;
}

struct entry {
    uint64_t key, value;
};

struct aside {
    struct entry *entries;
    size_t count, capacity;
};

static bool set_aside(struct aside *aside, uint64_t key, uint64_t value)
{
    if (!MARGAY_MAKE_ROOM(aside->entries, aside->count, 1, aside->capacity))
        return false;
    aside->entries[aside->count++] = (struct entry){key, value};
    return true;
}

/* Enter the entries set aside, if all could be. */
static enum margay_status finish_move(struct margay_hash *hash,
                                      struct aside *aside, bool complete,
                                      struct margay_error *error)
{
    for (size_t i = 0; i < aside->count && complete; i++)
        margay_hash_put_new(hash, aside->entries[i].key,
                            aside->entries[i].value);
    free(aside->entries);
    return complete ? MARGAY_OK
                    : margay_fail_memory(error, "a table that grows");
}

/* An entry of the first buckets may have spilled as far as this from its home,
   and more of them must be cleared if it is further. */
#define USUAL_SPILL 8

/* A table that moves up.  Buckets from `cleared` on are those of the new table,
   with fills[] entries each: reading what was just written costs more.  Those
   below `emptied` are still of the old one. */
struct spreading {
    struct margay_hash *hash; /* with its new number of buckets */
    uint64_t emptied, cleared;
    uint64_t growth; /* times 2^32 */
    uint8_t *fills;  /* of all buckets, and 0 for none */
    struct aside aside;
};

/* Clear down to bucket `to` at least, unless it is still of the old table. */
static void clear_to(struct spreading *spreading, uint64_t to)
{
    uint64_t last = to > spreading->emptied ? to : spreading->emptied;
    while (spreading->cleared > last) {
        spreading->hash->buckets[--spreading->cleared] =
            (struct margay_bucket){.value_extensions = 0};
        /* Written before it is read, its page appears only once. */
        spreading->fills[spreading->cleared] = 0;
    }
}

/* Move an entry, wherever its home is. */
static bool move(struct spreading *spreading, uint64_t key, uint64_t value)
{
    const struct margay_hash *hash = spreading->hash;
    uint64_t home = margay_hash_home(hash, key);
    if (home < spreading->emptied)
        return set_aside(&spreading->aside, key, value);
    clear_to(spreading, home);
    while (spreading->fills[home] == MARGAY_BUCKET_SLOTS)
        home++;
    if (home == hash->bucket_count)
        return set_aside(&spreading->aside, key, value);
    unsigned slot = spreading->fills[home]++;
    hash->buckets[home].keys[slot] = key;
    margay_bucket_set_value(&hash->buckets[home], slot, value);
    return true;
}

/* The same for a bucket of narrow values, without a branch on free slots, which
   a third of all are: it could not be predicted. */
static bool move_narrow(struct spreading *spreading,
                        const struct margay_bucket *from)
{
    const struct margay_hash hash = *spreading->hash;
    const uint64_t cleared = spreading->cleared;
    uint8_t *fills = spreading->fills;
    struct margay_bucket nowhere; /* where free slots are copied to */
    for (unsigned k = 0; k < MARGAY_BUCKET_SLOTS; k++) {
        bool there = from->values[k] != 0;
        uint64_t key = from->keys[k];
        uint64_t home =
            there ? margay_hash_home(&hash, key) : hash.bucket_count;
        unsigned slot = fills[home];
        if (__builtin_expect((home < cleared) | (slot == MARGAY_BUCKET_SLOTS),
                             0)) {
            if (!move(spreading, key, from->values[k]))
                return false;
            continue;
        }
        /* cppcheck-suppress uninitvar */
        struct margay_bucket *to = there ? hash.buckets + home : &nowhere;
        to->keys[slot] = key;
        to->values[slot] = from->values[k];
        fills[home] = (uint8_t)(slot + there);
    }
    return true;
}

static bool spread_bucket(struct spreading *spreading, uint64_t i)
{
    const struct margay_bucket from = spreading->hash->buckets[i];
    uint64_t to = (uint64_t)((margay_u128)i * spreading->growth >> 32);
    spreading->emptied = i;
    clear_to(spreading, to < USUAL_SPILL ? 0 : to - USUAL_SPILL);
    if (from.value_extensions == 0)
        return move_narrow(spreading, &from);
    for (unsigned k = 0; k < MARGAY_BUCKET_SLOTS; k++) {
        if (from.values[k] != 0 &&
            !move(spreading, from.keys[k], margay_bucket_value(&from, k)))
            return false;
    }
    return true;
}

static enum margay_status spread(struct margay_hash *hash,
                                 uint64_t bucket_count,
                                 struct margay_error *error)
{
    uint64_t old_count = hash->bucket_count;
    struct spreading spreading = {
        .hash = hash,
        .cleared = bucket_count,
        .growth = (uint64_t)(((margay_u128)bucket_count << 32) / old_count),
        .fills = margay_map(bucket_count + 1),
    };
    struct margay_bucket *buckets = NULL;
    size_t bytes;
    if (spreading.fills != NULL &&
        margay_multiply_size(bucket_count, sizeof *buckets, &bytes))
        buckets = margay_remap(hash->buckets, margay_hash_bytes(hash), bytes);
    bool moved = buckets != NULL;
    if (moved) {
        hash->buckets = buckets;
        set_size(hash, bucket_count);
        for (uint64_t i = old_count; i-- > 0 && moved;)
            moved = spread_bucket(&spreading, i);
        memset(buckets, 0, spreading.cleared * sizeof *buckets);
    }
    margay_unmap(spreading.fills, bucket_count + 1);
    hash->entries -= spreading.aside.count;
    return finish_move(hash, &spreading.aside, moved, error);
}

enum margay_status margay_hash_reserve(struct margay_hash *hash, uint64_t more,
                                       struct margay_error *error)
{
    uint64_t wanted, bucket_count = 0;
    if (margay_add_u64(hash->entries, more, &wanted)) {
        if (wanted <= hash->entry_limit)
            return MARGAY_OK;
        bucket_count = buckets_for(wanted, hash->large_buckets);
    }
    return bucket_count == 0
               ? margay_fail_memory(error, "a table of that many blocks")
               : spread(hash, bucket_count, error);
}

enum margay_status margay_hash_close(struct margay_hash *hash,
                                     struct margay_error *error)
{
    struct aside aside = {.count = 0};
    bool moved = true;
    hash->entries = 0;
    for (uint64_t i = 0; i < hash->bucket_count && moved; i++) {
        const struct margay_bucket from = hash->buckets[i];
        hash->buckets[i] = (struct margay_bucket){0};
        for (unsigned k = 0; k < MARGAY_BUCKET_SLOTS && moved; k++) {
            uint64_t value = margay_bucket_value(&from, k);
            if (from.values[k] == 0)
                continue;
            if (margay_hash_home(hash, from.keys[k]) > i)
                moved = set_aside(&aside, from.keys[k], value);
            else
                margay_hash_put_new(hash, from.keys[k], value);
        }
    }
    return finish_move(hash, &aside, moved, error);
}

/* ----------------------------------------------------------------- erase -- */

/* The bucket of an entry, later in the run, that may move to bucket `hole`, and
   its slot: its home must not lie after the hole.  NULL if the run has none.
   Differences modulo 2^64 are in the order of the ways around the end of the
   table. */
static struct margay_bucket *find_spilled(const struct margay_hash *hash,
                                          struct margay_bucket *hole,
                                          unsigned *slot)
{
    uint64_t to = (uint64_t)(hole - hash->buckets);
    for (struct margay_bucket *bucket = margay_hash_next(hash, hole);
         bucket != hole; bucket = margay_hash_next(hash, bucket)) {
        uint64_t i = (uint64_t)(bucket - hash->buckets);
        unsigned fill = bucket_fill(bucket);
        for (*slot = 0; *slot < fill; ++*slot) {
            if (i - margay_hash_home(hash, bucket->keys[*slot]) >= i - to)
                return bucket;
        }
        if (fill < MARGAY_BUCKET_SLOTS)
            return NULL;
    }
    return NULL;
}

void margay_hash_erase(struct margay_hash *hash, uint64_t key)
{
    unsigned slot;
    struct margay_bucket *bucket = margay_hash_slot(hash, key, &slot), *from;
    if (bucket->values[slot] == 0)
        return;
    hash->entries--;
    for (;; bucket = from) {
        unsigned last = bucket_fill(bucket) - 1;
        bucket->keys[slot] = bucket->keys[last];
        margay_bucket_set_value(bucket, slot,
                                margay_bucket_value(bucket, last));
        margay_bucket_set_value(bucket, last, 0);
        /* Only a full bucket has spilled: pull an entry back into it. */
        if (last < MARGAY_BUCKET_SLOTS - 1 ||
            (from = find_spilled(hash, bucket, &slot)) == NULL)
            return;
        bucket->keys[last] = from->keys[slot];
        margay_bucket_set_value(bucket, last, margay_bucket_value(from, slot));
    }
}
