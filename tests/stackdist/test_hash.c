/*
 * test_hash.c - the hash table against a plain array of entries
 *
 * Random keys rarely fill a bucket, so most keys here are made to meet: the
 * hash function is inverted to give keys of chosen homes, the last buckets of
 * the table among them, from where they spill around its end.
 */
#include "stackdist/exact/hash.h"
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

/* A table of either kind, and a look-up in it. */
static bool create(struct margay_hash *hash, bool tight)
{
    /* Tables that are smaller double, tight or not. */
    return (tight ? margay_hash_create_tight(hash, 15000, NULL)
                  : margay_hash_create(hash, 1, NULL)) == MARGAY_OK;
}

static uint32_t *look_up(const struct margay_hash *hash, uint64_t key,
                         struct margay_bucket **bucket)
{
    unsigned slot;
    *bucket = hash->shift == 0 ? margay_hash_tight_slot(hash, key, &slot)
                               : margay_hash_slot(hash, key, &slot);
    (*bucket)->keys[slot] = key;
    return &(*bucket)->values[slot];
}

/* 0 = it is absent. */
static uint32_t value_of(const struct margay_hash *hash, uint64_t key)
{
    struct margay_bucket *bucket;
    return *look_up(hash, key, &bucket);
}

static uint32_t *enter(struct margay_hash *hash, uint64_t key)
{
    struct margay_bucket *bucket;
    uint32_t *value = look_up(hash, key, &bucket);
    hash->entries += *value == 0;
    return value;
}

struct model {
    uint64_t keys[MAX_ENTRIES];
    uint32_t values[MAX_ENTRIES];
    unsigned count;
};

static bool agrees(const struct margay_hash *hash, const struct model *model)
{
    if (hash->entries != model->count)
        return false;
    for (unsigned i = 0; i < model->count; i++) {
        if (value_of(hash, model->keys[i]) != model->values[i])
            return false;
    }
    return true;
}

static bool put(struct margay_hash *hash, struct model *model, uint64_t key,
                uint32_t value)
{
    if (margay_hash_reserve(hash, 1, NULL) != MARGAY_OK)
        return false;
    uint32_t *place = enter(hash, key);
    unsigned i = 0;
    while (i < model->count && model->keys[i] != key)
        i++;
    bool right = *place == (i < model->count ? model->values[i] : 0);
    *place = model->values[i] = value;
    model->keys[i] = key;
    model->count += i == model->count;
    return right;
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

/* Entries come and go around a few homes, the last of the table included. */
static bool churn(struct margay_random *random, unsigned most, bool tight)
{
    struct margay_hash hash;
    struct model model = {.count = 0};
    if (!create(&hash, tight))
        return false;
    bool right = true;
    for (int step = 0; right && step < 2000; step++) {
        uint64_t home =
            (hash.bucket_count - 2 + margay_random_below(random, 4)) %
            hash.bucket_count;
        uint64_t key =
            margay_random_below(random, 8) == 0
                ? margay_random_below(random, 4) - 2
                : key_at(&hash, home, margay_random_below(random, 40));
        if (model.count < most && margay_random_below(random, 3) != 0)
            right = put(&hash, &model, key, 1 + (uint32_t)step);
        else if (model.count > 0)
            right = take(&hash, &model,
                         (unsigned)margay_random_below(random, model.count));
        if (step % 50 == 0)
            right = right && agrees(&hash, &model);
    }
    right = right && agrees(&hash, &model);
    margay_hash_destroy(&hash);
    return right;
}

static void test_churn(void)
{
    struct margay_random random;
    margay_random_seed(&random, 11);
    unsigned all = (unsigned)rounds(40), right = 0;
    for (unsigned i = 0; i < all; i++)
        right += churn(&random, 1 + 5 * i, i % 2 == 1);
    CHECK_U64(right, all, "entries that meet come and go");
}

/* Keys enter until there are 300,000: each finds its value, and the table has
   at most `most_bytes` bytes for each from 20,000 on. */
static void test_growth(bool tight, uint64_t most_bytes)
{
    struct margay_hash hash;
    struct margay_random random;
    uint32_t right = 0, wide = 0;
    margay_random_seed(&random, 12);
    CHECK(create(&hash, tight), "a table");
    for (uint32_t i = 1; i <= 300000; i++) {
        if (margay_hash_reserve(&hash, 1, NULL) != MARGAY_OK)
            break;
        *enter(&hash, margay_random_u64(&random)) = i;
        wide += i >= 20000 && margay_hash_bytes(&hash) > i * most_bytes;
    }
    margay_random_seed(&random, 12);
    for (uint32_t i = 1; i <= 300000; i++)
        right += value_of(&hash, margay_random_u64(&random)) == i;
    CHECK_U64(right, 300000, "300,000 keys survive the growths");
    CHECK_U64(wide, 0, "in %llu bytes each", (unsigned long long)most_bytes);
    margay_hash_destroy(&hash);
}

/* Keys of a few homes near both ends of a tight table, so that they spill far,
   and around its end; others anywhere. */
static void crowd(struct margay_hash *hash, struct model *model,
                  struct margay_random *random, unsigned most)
{
    while (model->count < most) {
        uint64_t low = margay_random_below(random, 1000);
        uint64_t home = margay_random_below(random, hash->bucket_count);
        if (margay_random_below(random, 4) != 0)
            home = (hash->bucket_count - 3 + margay_random_below(random, 8)) %
                   hash->bucket_count;
        uint64_t key = key_at(hash, home, low);
        uint32_t *place = enter(hash, key);
        if (*place != 0)
            continue;
        *place = model->values[model->count] = model->count + 1;
        model->keys[model->count++] = key;
    }
}

/* A crowded table grows in its place, twice, and loses entries then. */
static void test_spreading(void)
{
    struct margay_random random;
    margay_random_seed(&random, 13);
    unsigned all = (unsigned)rounds(60), right = 0;
    for (unsigned i = 0; i < all; i++) {
        static struct model model;
        struct margay_hash hash;
        model.count = 0;
        if (!create(&hash, true))
            break;
        crowd(&hash, &model, &random, 40 * i % MAX_ENTRIES);
        bool spread = margay_hash_spread(&hash, hash.bucket_count + 1, NULL) ==
                          MARGAY_OK &&
                      agrees(&hash, &model) &&
                      margay_hash_spread(&hash, hash.bucket_count * 5 / 4,
                                         NULL) == MARGAY_OK &&
                      agrees(&hash, &model);
        while (spread && model.count > 20 * i % MAX_ENTRIES)
            spread = take(&hash, &model,
                          (unsigned)margay_random_below(&random, model.count));
        right += spread && agrees(&hash, &model);
        margay_hash_destroy(&hash);
    }
    CHECK_U64(right, all, "crowded tables grow in their place");
}

/* Values of 38 bits, all five of a bucket, through a growth; then dropping. */
static void test_wide_values(void)
{
    struct margay_hash hash;
    CHECK(margay_hash_create(&hash, 1, NULL) == MARGAY_OK, "a table");
    for (uint64_t i = 0; i < 200; i++) {
        unsigned slot;
        struct margay_bucket *bucket = margay_hash_slot(&hash, i, &slot);
        bucket->keys[slot] = i;
        margay_bucket_set_value(bucket, slot, (i % 64) << 32 | (i + 1));
        hash.entries++;
    }
    CHECK(margay_hash_reserve(&hash, 100000, NULL) == MARGAY_OK, "it grows");
    bool right = true;
    for (uint64_t i = 0; i < 200; i++) {
        unsigned slot;
        struct margay_bucket *bucket = margay_hash_slot(&hash, i, &slot);
        right = right &&
                margay_bucket_value(bucket, slot) == ((i % 64) << 32 | (i + 1));
        if (i % 2 == 0)
            margay_bucket_set_value(bucket, slot, 0);
    }
    CHECK(right, "values keep their upper six bits");
    CHECK(margay_hash_rebuild(&hash, 100, NULL) == MARGAY_OK, "rebuilt");
    CHECK_U64(hash.entries, 100, "without the entries set to 0");
    for (uint64_t i = 0; i < 200; i++)
        right = right && (margay_hash_find(&hash, i) != NULL) == (i % 2 == 1);
    CHECK(right, "the others are there");
    margay_hash_destroy(&hash);
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
    test_churn();
    test_growth(false, 37);
    test_growth(true, 23);
    test_spreading();
    test_wide_values();
    test_impossible();
    return tap_done();
}
