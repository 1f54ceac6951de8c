/* dense.c - the dense table's slow paths: make, fill, grow, close gaps */
#include "stackdist/exact/dense.h"

#include <stdlib.h>
#include <string.h>

#include "traces/traces_internal.h"

#define SMALLEST_HOMES ((uint64_t)512)
#define MOST_HOMES     (UINT64_C(1) << 31) /* rounding: margay_dense_first() */

/* The table grows, by this part of it, when seven of eight slots are used. */
#define GROWTH_PARTS     6
#define LOAD_NUMERATOR   7
#define LOAD_DENOMINATOR 8

static size_t bytes_of(uint64_t home_count)
{
    return (home_count + MARGAY_DENSE_REACH - 1) *
           sizeof(struct margay_dense_bucket);
}

static uint64_t limit_of(uint64_t home_count)
{
    return home_count * MARGAY_DENSE_SLOTS / LOAD_DENOMINATOR * LOAD_NUMERATOR;
}

enum margay_status margay_dense_create(struct margay_dense *dense,
                                       uint64_t entries,
                                       struct margay_error *error)
{
    uint64_t home_count = SMALLEST_HOMES;
    if (entries > limit_of(MOST_HOMES))
        return margay_fail_memory(error, "a table of that many blocks");
    if (limit_of(home_count) < entries)
        home_count =
            entries / (MARGAY_DENSE_SLOTS * LOAD_NUMERATOR) * LOAD_DENOMINATOR +
            LOAD_DENOMINATOR;
    *dense = (struct margay_dense){.home_count = home_count};
    dense->buckets = margay_map(bytes_of(home_count));
    if (dense->buckets == NULL)
        return margay_fail_memory(error, "a table of that many blocks");
    margay_touch(dense->buckets, bytes_of(home_count));
    return MARGAY_OK;
}

void margay_dense_destroy(struct margay_dense *dense)
{
    margay_unmap(dense->buckets, bytes_of(dense->home_count));
    *dense = (struct margay_dense){0};
}

uint64_t margay_dense_limit(const struct margay_dense *dense)
{
    return limit_of(dense->home_count);
}

uint64_t margay_dense_most_timestamps(const struct margay_dense *dense)
{
    /* 2^stored is then eight times 2^64 / home_count at least. */
    return UINT64_C(1) << (6 + margay_log2_floor(dense->home_count));
}

/* ------------------------------------------------------------- entries -- */

struct entry {
    uint64_t mixed, field;
};

/* Entries find places among buckets that are at hand, and of which it is known
   how full they are: reading what was just written costs more. */
struct places {
    struct margay_dense dense;
    uint64_t from, to; /* the buckets at hand */
    uint8_t *fills;
};

struct filling {
    struct margay_dense *dense;
    struct places places;
    struct entry *aside; /* what found no place */
    size_t aside_count, aside_capacity;
};

static bool begin_filling(struct filling *filling, struct margay_dense *dense)
{
    *filling = (struct filling){.dense = dense, .places.dense = *dense};
    filling->places.to = margay_dense_buckets(dense);
    filling->places.fills = margay_map(filling->places.to);
    return filling->places.fills != NULL;
}

/* Places in a variable of their own stay in registers. */
static inline __attribute__((always_inline)) bool place(
    const struct places *places, struct entry entry)
{
    uint64_t home = margay_dense_home(&places->dense, entry.mixed);
    uint64_t index = home;
    if (home < places->from)
        return false;
    while (places->fills[index] == MARGAY_DENSE_SLOTS) {
        if (++index == places->to || index - home == MARGAY_DENSE_REACH)
            return false;
    }
    struct margay_dense_bucket *bucket = &places->dense.buckets[index];
    unsigned slot = places->fills[index]++;
    bucket->tags[slot] = (uint32_t)entry.mixed;
    bucket->words[slot] = (uint32_t)entry.field;
    /* These bits of a free slot are 0. */
    bucket->extras |= entry.field >> 32 << (MARGAY_DENSE_EXTRA_BITS * slot);
    return true;
}

static bool set_aside(struct filling *filling, struct entry entry)
{
    struct entry *aside = margay_grow(filling->aside, filling->aside_count,
                                      &filling->aside_capacity, sizeof *aside);
    if (aside == NULL)
        return false;
    aside[filling->aside_count++] = entry;
    filling->aside = aside;
    return true;
}

/* Move the entries of bucket `index`, as the table `read` says where they are,
   to the buckets at hand, which it is one of from then on. */
static bool move_bucket(struct filling *filling, uint64_t index,
                        const struct margay_dense *read)
{
    const struct places places = filling->places;
    struct margay_dense_bucket *bucket = &places.dense.buckets[index];
    const struct margay_dense_bucket from = *bucket;
    unsigned time_bits = read->time_bits;
    uint64_t first = margay_dense_first(read, index);
    *bucket = (struct margay_dense_bucket){.extras = 0};
    for (unsigned slot = 0; slot < MARGAY_DENSE_SLOTS; slot++) {
        struct entry entry = {.field = margay_dense_field(&from, slot)};
        if (entry.field == 0)
            continue; /* one that is dropped may stand before others */
        entry.mixed =
            margay_dense_mixed(first, from.tags[slot], entry.field, time_bits);
        if (!place(&places, entry) && !set_aside(filling, entry))
            return false;
    }
    return true;
}

static void drop_filling(struct filling *filling)
{
    free(filling->aside);
    margay_unmap(filling->places.fills, margay_dense_buckets(filling->dense));
}

/* --------------------------------------------------------- the changes -- */

static void take_entries(struct filling *filling, struct margay_hash *hash)
{
    const struct places places = filling->places;
    struct margay_dense *dense = filling->dense;
    for (uint64_t i = 0; i < hash->bucket_count; i++) {
        struct margay_bucket *bucket = &hash->buckets[i];
        for (unsigned slot = 0; slot < MARGAY_BUCKET_SLOTS; slot++) {
            uint64_t time = margay_bucket_value(bucket, slot);
            uint64_t mixed = margay_dense_mix(bucket->keys[slot]);
            struct entry entry = {
                mixed, margay_dense_join(&places.dense, mixed, time)};
            if (time == 0 || !place(&places, entry))
                continue;
            margay_bucket_set_value(bucket, slot, 0);
            hash->entries--;
            dense->entries++;
        }
    }
}

/* What was set aside finds its place now, or goes to the other table. */
static enum margay_status put_aside(struct filling *filling,
                                    struct margay_hash *hash,
                                    struct margay_error *error)
{
    struct margay_dense *dense = filling->dense;
    enum margay_status status =
        margay_hash_reserve(hash, filling->aside_count, error);
    if (status != MARGAY_OK)
        return status;
    for (size_t i = 0; i < filling->aside_count; i++) {
        struct entry entry = filling->aside[i];
        if (place(&filling->places, entry))
            continue;
        margay_hash_put_new(hash, margay_dense_unmix(entry.mixed),
                            margay_dense_time(dense, entry.field));
        dense->entries--;
    }
    return MARGAY_OK;
}

/* All buckets are at hand: those of the other table and those set aside. */
static enum margay_status end_filling(struct filling *filling,
                                      struct margay_hash *hash,
                                      struct margay_error *error)
{
    filling->places.from = 0;
    filling->places.to = margay_dense_buckets(filling->dense);
    if (hash->entries > 0)
        take_entries(filling, hash);
    enum margay_status status = margay_hash_rebuild(hash, hash->entries, error);
    return status == MARGAY_OK ? put_aside(filling, hash, error) : status;
}

enum margay_status margay_dense_take(struct margay_dense *dense,
                                     struct margay_hash *hash,
                                     struct margay_error *error)
{
    struct filling filling;
    enum margay_status status =
        begin_filling(&filling, dense)
            ? end_filling(&filling, hash, error)
            : margay_fail_memory(error, "a table that grows");
    drop_filling(&filling);
    return status;
}

static bool spread(struct filling *filling, const struct margay_dense *read)
{
    bool moved = true;
    for (uint64_t i = margay_dense_buckets(read); i-- > 0 && moved;) {
        filling->places.from = i;
        moved = move_bucket(filling, i, read);
    }
    return moved;
}

enum margay_status margay_dense_grow(struct margay_dense *dense,
                                     struct margay_hash *hash,
                                     struct margay_error *error)
{
    const struct margay_dense old = *dense;
    uint64_t home_count = old.home_count + old.home_count / GROWTH_PARTS;
    struct margay_dense_bucket *buckets = NULL;
    if (home_count <= MOST_HOMES)
        buckets = margay_remap(old.buckets, bytes_of(old.home_count),
                               bytes_of(home_count));
    if (buckets == NULL)
        return margay_fail_memory(error, "a table that grows");
    dense->buckets = buckets;
    dense->home_count = home_count;
    struct filling filling;
    enum margay_status status =
        begin_filling(&filling, dense) && spread(&filling, &old)
            ? end_filling(&filling, hash, error)
            : margay_fail_memory(error, "a table that grows");
    drop_filling(&filling);
    return status;
}

/* Entries move forward, into gaps of buckets that have been gone through, or
   stay in their bucket: none is set aside. */
static bool close_gaps(struct filling *filling)
{
    struct margay_dense *dense = filling->dense;
    const struct margay_dense read = *dense;
    bool moved = true;
    uint64_t bucket_count = margay_dense_buckets(&read);
    for (uint64_t i = 0; i < bucket_count && moved; i++) {
        filling->places.to = i + 1;
        moved = move_bucket(filling, i, &read);
    }
    dense->entries = 0;
    for (uint64_t i = 0; i < bucket_count; i++)
        dense->entries += filling->places.fills[i];
    return moved;
}

enum margay_status margay_dense_close(struct margay_dense *dense,
                                      struct margay_hash *hash,
                                      struct margay_error *error)
{
    struct filling filling;
    enum margay_status status = margay_hash_rebuild(hash, hash->entries, error);
    if (status != MARGAY_OK)
        return status;
    status = begin_filling(&filling, dense) && close_gaps(&filling)
                 ? end_filling(&filling, hash, error)
                 : margay_fail_memory(error, "the blocks that are kept");
    drop_filling(&filling);
    return status;
}
