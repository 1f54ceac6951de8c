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

/* A key whose home is `bucket` in a table of that shift. */
static uint64_t key_at(uint64_t bucket, unsigned shift, uint64_t low)
{
    return (bucket << shift | (low & ((UINT64_C(1) << shift) - 1))) *
           inverse_multiplier();
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
        uint32_t *value = margay_hash_find(hash, model->keys[i]);
        if (value == NULL || *value != model->values[i])
            return false;
    }
    return true;
}

static bool put(struct margay_hash *hash, struct model *model, uint64_t key,
                uint32_t value)
{
    if (margay_hash_reserve(hash, 1, NULL) != MARGAY_OK)
        return false;
    uint32_t *place = margay_hash_insert(hash, key);
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
    bool gone = margay_hash_find(hash, model->keys[i]) == NULL;
    model->count--;
    model->keys[i] = model->keys[model->count];
    model->values[i] = model->values[model->count];
    return gone;
}

/* Entries come and go around a few homes, the last of the table included. */
static bool churn(struct margay_random *random, unsigned most)
{
    struct margay_hash hash;
    struct model model = {.count = 0};
    if (margay_hash_create(&hash, 1, NULL) != MARGAY_OK)
        return false;
    bool right = true;
    for (int step = 0; right && step < 2000; step++) {
        uint64_t home =
            (hash.bucket_count - 2 + margay_random_below(random, 4)) %
            hash.bucket_count;
        uint64_t key =
            margay_random_below(random, 8) == 0
                ? margay_random_below(random, 4) - 2
                : key_at(home, hash.shift, margay_random_below(random, 40));
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
        right += churn(&random, 1 + 5 * i);
    CHECK_U64(right, all, "entries that meet come and go");
}

static void test_growth(void)
{
    struct margay_hash hash;
    struct margay_random random;
    margay_random_seed(&random, 12);
    CHECK(margay_hash_create(&hash, 1, NULL) == MARGAY_OK, "a table");
    bool right = true;
    for (uint32_t i = 1; i <= 300000; i++) {
        right = right && margay_hash_reserve(&hash, 1, NULL) == MARGAY_OK;
        *margay_hash_insert(&hash, margay_random_u64(&random)) = i;
    }
    margay_random_seed(&random, 12);
    for (uint32_t i = 1; i <= 300000; i++) {
        uint32_t *value = margay_hash_find(&hash, margay_random_u64(&random));
        right = right && value != NULL && *value == i;
    }
    CHECK(right, "300,000 keys survive the growths");
    CHECK(margay_hash_bytes(&hash) <= 300000 * 40, "in 40 bytes each");
    margay_hash_destroy(&hash);
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
    CHECK(margay_hash_create(&hash, UINT64_MAX, &error) == MARGAY_NO_MEMORY,
          "a table of 2^64 entries cannot be had");
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
    test_growth();
    test_wide_values();
    test_impossible();
    return tap_done();
}
