/*
 * test_hash.c - the hash table against a plain array of entries
 *
 * Random keys rarely fill a bucket, so most keys here are made to meet: the
 * hash function is inverted to give keys of chosen homes, the last buckets of
 * the table among them, from where they spill around its end.
 */
#include "stackdist/exact/hash.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define MAX_ENTRIES 4000

/* The inverse of the hash function's multiplier, modulo 2^64. */
static uint64_t inverse_multiplier(void)
{
    uint64_t multiplier = UINT64_C(0x9e3779b97f4a7c15), inverse = 1;
    for (int i = 0; i < 6; i++) /* Newton: doubles the right bits */
        inverse *= 2 - multiplier * inverse;
    return inverse;
}

/* A key whose home is `bucket`: one of those, by a small number. */
static uint64_t key_at(const struct margay_hash *hash, uint64_t bucket,
                       uint64_t low)
{
    uint64_t fraction =
        (uint64_t)(((margay_u128)bucket << 64) / hash->bucket_count);
    return (fraction + 1 + low) * inverse_multiplier();
}

/* A table that is large already, or is not yet. */
static bool create(struct margay_hash *hash, bool large)
{
    return (large ? margay_hash_create_tight(hash, 15000, NULL)
                  : margay_hash_create(hash, 1, NULL)) == MARGAY_OK;
}

/* 0 = it is absent. */
static uint32_t value_of(const struct margay_hash *hash, uint64_t key)
{
    const uint32_t *value = margay_hash_find(hash, key);
    return value == NULL ? 0 : *value;
}

struct model {
    uint64_t keys[MAX_ENTRIES];
    uint64_t values[MAX_ENTRIES];
    unsigned count;
};

static bool agrees(const struct margay_hash *hash, const struct model *model)
{
    if (hash->entries != model->count)
        return false;
    for (unsigned i = 0; i < model->count; i++) {
        unsigned slot;
        struct margay_bucket *bucket =
            margay_hash_slot(hash, model->keys[i], &slot);
        if (margay_bucket_value(bucket, slot) != model->values[i])
            return false;
    }
    return true;
}

static bool take(struct margay_hash *hash, struct model *model, unsigned i)
{
    margay_hash_erase(hash, model->keys[i]);
    bool gone = value_of(hash, model->keys[i]) == 0;
    model->count--;
    model->keys[i] = model->keys[model->count];
    model->values[i] = model->values[model->count];
    return gone;
}

/* Keys enter until there are `most`: each finds its value, and the table has
   at most `most_bytes` bytes for each from the `from`-th on. */
static void test_growth(bool tight, uint32_t most, uint32_t from,
                        uint64_t most_bytes)
{
    struct margay_hash hash;
    uint32_t right = 0, wide = 0;
    seed_chance(12);
    CHECK(create(&hash, tight), "a table");
    for (uint32_t i = 1; i <= most; i++) {
        if (margay_hash_reserve(&hash, 1, NULL) != MARGAY_OK)
            break;
        *margay_hash_insert(&hash, any_u64()) = i;
        wide += i >= from && margay_hash_bytes(&hash) > i * most_bytes;
    }
    seed_chance(12);
    for (uint32_t i = 1; i <= most; i++)
        right += value_of(&hash, any_u64()) == i;
    CHECK_U64(right, most, "%" PRIu32 " keys survive the growths", most);
    CHECK_U64(wide, 0, "in %" PRIu64 " bytes each", most_bytes);
    margay_hash_destroy(&hash);
}

/* Keys of a few homes near both ends of a table, so that they spill far, and
   around its end; others anywhere.  Some values are wide. */
static void crowd(struct margay_hash *hash, struct model *model, unsigned most)
{
    while (model->count < most) {
        uint64_t low = below(1000);
        uint64_t home = below(hash->bucket_count);
        if (!one_in(4))
            home = (hash->bucket_count - 3 + below(8)) % hash->bucket_count;
        uint64_t key = one_in(8) ? below(4) - 2 : key_at(hash, home, low);
        unsigned slot;
        struct margay_bucket *bucket = margay_hash_slot(hash, key, &slot);
        if (bucket->values[slot] != 0)
            continue;
        uint64_t value = model->count + 1;
        if (one_in(3))
            value |= below(64) << 32;
        bucket->keys[slot] = key;
        margay_bucket_set_value(bucket, slot, value);
        hash->entries++;
        model->values[model->count] = value;
        model->keys[model->count++] = key;
    }
}

/* Set some values to 0 and close the gaps. */
static bool drop(struct margay_hash *hash, struct model *model)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < model->count; i++) {
        unsigned slot;
        struct margay_bucket *bucket =
            margay_hash_slot(hash, model->keys[i], &slot);
        if (!one_in(3)) {
            model->keys[kept] = model->keys[i];
            model->values[kept++] = model->values[i];
        } else {
            /* Its place stays taken until all are marked. */
            bucket->values[slot] = UINT32_MAX;
        }
    }
    for (uint64_t i = 0; i < hash->bucket_count; i++) {
        for (unsigned k = 0; k < MARGAY_BUCKET_SLOTS; k++) {
            if (hash->buckets[i].values[k] == UINT32_MAX)
                margay_bucket_set_value(&hash->buckets[i], k, 0);
        }
    }
    model->count = kept;
    return margay_hash_close(hash, NULL) == MARGAY_OK;
}

/* A crowded table grows in its place, twice, and loses entries then, many at
   once and one by one. */
static void test_spreading(void)
{
    seed_chance(13);
    unsigned all = (unsigned)rounds(60), right = 0;
    for (unsigned i = 0; i < all; i++) {
        static struct model model;
        struct margay_hash hash;
        model.count = 0;
        if (!create(&hash, i % 3 != 0))
            break;
        crowd(&hash, &model, 40 * i % (i % 3 == 0 ? 200 : MAX_ENTRIES));
        bool fine = true;
        for (int growth = 0; growth < 2 && fine; growth++)
            fine =
                margay_hash_reserve(&hash, hash.entry_limit - hash.entries + 1,
                                    NULL) == MARGAY_OK &&
                agrees(&hash, &model);
        fine = fine && drop(&hash, &model) && agrees(&hash, &model);
        while (fine && model.count > 20 * i % MAX_ENTRIES)
            fine = take(&hash, &model, (unsigned)below(model.count));
        right += fine && agrees(&hash, &model);
        margay_hash_destroy(&hash);
    }
    CHECK_U64(right, all, "crowded tables grow in their place");
}

static void test_impossible(void)
{
    struct margay_hash hash;
    struct margay_error error;
    memset(&hash, 0xff, sizeof hash);
    CHECK(margay_hash_create(&hash, UINT64_MAX, &error) == MARGAY_NO_MEMORY,
          "a table of 2^64 entries cannot be had");
    CHECK(hash.buckets == NULL && margay_hash_bytes(&hash) == 0,
          "there is nothing to release then");
    CHECK(margay_hash_create(&hash, 1, NULL) == MARGAY_OK, "a small one can");
    CHECK(margay_hash_reserve(&hash, UINT64_MAX, &error) == MARGAY_NO_MEMORY,
          "it does not grow to 2^64");
    *margay_hash_insert(&hash, 7) = 1;
    CHECK(margay_hash_reserve(&hash, UINT64_MAX, &error) == MARGAY_NO_MEMORY,
          "nor beyond");
    CHECK(margay_hash_find(&hash, 7) != NULL, "and is as it was");
    margay_hash_destroy(&hash);
}

int main(void)
{
    test_growth(false, 300000, 20000, 37);
    test_growth(true, 300000, 20000, 22);
    test_growth(false, 5000000, 4000000, 22);
    test_spreading();
    test_impossible();
    return tap_done();
}
