/*
 * hash_spread.c - a tight table grows in its place
 *
 * Algorithm: the memory behind the buckets becomes larger, and the entries move
 *   up, those of the last bucket first.  A bucket's share of the table stays
 *   the same, so the new home of an entry is not before its old one: it is
 *   among the buckets that have been emptied, where entries find their places
 *   as they do in any table.  Only few are an exception, that spilled far from
 *   their homes near the beginning of the table or would spill around its end:
 *   these are set aside until all buckets have been emptied.
 * Guarantee: no second table; all entries stay.
 * Cost: each entry is written once; a byte per bucket, and 16 for each entry
 *   set aside, while the table grows.
 */
#include <stdlib.h>

#include "stackdist/exact/hash.h"
#include "traces/traces_internal.h"

struct entry {
    uint64_t key, value;
};

struct spreading {
    struct margay_hash *hash; /* with its new number of buckets */
    uint64_t emptied;         /* the first bucket that has been */
    uint8_t *fills; /* of these buckets: reading what was just written costs
                       more */
    struct entry *aside;
    size_t aside_count, aside_capacity;
};

static bool set_aside(struct spreading *spreading, struct entry entry)
{
    struct entry *aside =
        margay_grow(spreading->aside, spreading->aside_count,
                    &spreading->aside_capacity, sizeof *aside);
    if (aside == NULL)
        return false;
    aside[spreading->aside_count++] = entry;
    spreading->aside = aside;
    return true;
}

static bool move(struct spreading *spreading, struct entry entry)
{
    const struct margay_hash *hash = spreading->hash;
    uint64_t home = margay_hash_tight_home(hash, entry.key);
    if (home < spreading->emptied)
        return set_aside(spreading, entry);
    while (spreading->fills[home] == MARGAY_BUCKET_SLOTS) {
        if (++home == hash->bucket_count)
            return set_aside(spreading, entry);
    }
    struct margay_bucket *bucket = &hash->buckets[home];
    unsigned slot = spreading->fills[home]++;
    bucket->keys[slot] = entry.key;
    margay_bucket_set_value(bucket, slot, entry.value);
    return true;
}

static bool spread(struct spreading *spreading, uint64_t old_count)
{
    struct margay_hash *hash = spreading->hash;
    bool moved = true;
    for (uint64_t i = old_count; i-- > 0 && moved;) {
        const struct margay_bucket from = hash->buckets[i];
        hash->buckets[i] = (struct margay_bucket){.value_extensions = 0};
        spreading->emptied = i;
        for (unsigned slot = 0; slot < MARGAY_BUCKET_SLOTS && moved; slot++) {
            if (from.values[slot] != 0)
                moved = move(spreading,
                             (struct entry){from.keys[slot],
                                            margay_bucket_value(&from, slot)});
        }
    }
    if (!moved)
        return false;
    hash->entries -= spreading->aside_count;
    for (size_t i = 0; i < spreading->aside_count; i++)
        margay_hash_put_new(hash, spreading->aside[i].key,
                            spreading->aside[i].value);
    return true;
}

enum margay_status margay_hash_spread(struct margay_hash *hash,
                                      uint64_t bucket_count,
                                      struct margay_error *error)
{
    uint64_t old_count = hash->bucket_count;
    struct spreading spreading = {.hash = hash,
                                  .fills = margay_map(bucket_count)};
    struct margay_bucket *buckets = NULL;
    size_t bytes;
    if (spreading.fills != NULL &&
        margay_multiply_size(bucket_count, sizeof *buckets, &bytes))
        buckets = margay_remap(hash->buckets, margay_hash_bytes(hash), bytes);
    bool moved = false;
    if (buckets != NULL) {
        hash->buckets = buckets;
        hash->bucket_count = bucket_count;
        moved = spread(&spreading, old_count);
    }
    free(spreading.aside);
    margay_unmap(spreading.fills, bucket_count);
    return moved ? MARGAY_OK : margay_fail_memory(error, "a table that grows");
}
