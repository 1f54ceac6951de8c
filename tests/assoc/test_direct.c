/*
 * test_direct.c - single caches on traces worked out by hand, and what must
 * hold for all of them
 */
#include "tests/assoc/shapes.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"
#include <margay/assoc.h>

enum { R = MARGAY_READ, W = MARGAY_WRITE };

#define REFS 3000
static uint64_t numbers[REFS];
static uint8_t kinds[REFS];

static struct margay_cache_counts run(struct margay_cache_options options,
                                      const uint64_t *blocks,
                                      const uint8_t *of_kind, size_t count)
{
    margay_cache *cache;
    if (margay_cache_create(&options, &cache, NULL) != MARGAY_OK)
        exit(1);
    margay_cache_feed(cache, blocks, of_kind, count);
    struct margay_cache_counts counts = *margay_cache_counts(cache);
    margay_cache_free(cache);
    return counts;
}

static uint64_t all(const uint64_t *of_kind)
{
    return of_kind[0] + of_kind[1] + of_kind[2];
}

/* 1 2 3 1 4 1 2: after 1 2 3 and a second 1, LRU loses 2, FIFO loses 1. */
static void test_policies(void)
{
    static const uint64_t trace[] = {1, 2, 3, 1, 4, 1, 2};
    struct margay_cache_options options = {.ways = 3};
    CHECK_U64(all(run(options, trace, NULL, 7).misses), 5, "lru: 1 stays");
    options.policy = "fifo";
    CHECK_U64(all(run(options, trace, NULL, 7).misses), 6, "fifo: 1 goes");

    /* Four ways filled in order: the root points to the left pair, that to 0;
       using 0 turns the root to the right pair, which points to 2. */
    static const uint64_t tree[] = {0, 1, 2, 3, 0, 4, 2, 1};
    options = (struct margay_cache_options){.ways = 4, .policy = "plru"};
    CHECK_U64(all(run(options, tree, NULL, 6).misses), 5, "plru: 4 misses");
    CHECK_U64(all(run(options, tree, NULL, 7).misses), 6, "plru: 2 went");
    CHECK_U64(all(run(options, tree, NULL, 8).misses), 7,
              "plru: then 1, for the left pair points away from 0");
}

static void test_sets(void)
{
    static const uint64_t trace[] = {0, 2, 0, 1, 0, UINT64_MAX, 1};
    struct margay_cache_options options = {.sets = 2, .ways = 1};
    CHECK_U64(all(run(options, trace, NULL, 7).misses), 6,
              "0 and 2 take turns, 2^64 - 1 is in the set of 1");
}

static void test_writes(void)
{
    /* One block only: write 1, read 1, read 2, write 3, write 3, read 4. */
    static const uint64_t trace[] = {1, 1, 2, 3, 3, 4};
    static const uint8_t of_kind[] = {W, R, R, W, W, R};
    struct margay_cache_options options = {.ways = 1};
    struct margay_cache_counts back = run(options, trace, of_kind, 6);
    CHECK_U64(back.writebacks, 2, "1 and 3 are written back");
    CHECK_U64(back.blocks_fetched, 4, "four blocks come in");
    CHECK_U64(back.blocks_written, 2, "and two go out");
    CHECK_U64(back.misses[W], 2, "write misses");
    CHECK_U64(back.misses[R], 2, "read misses");

    options.write_through = true;
    struct margay_cache_counts through = run(options, trace, of_kind, 6);
    CHECK_U64(through.writebacks, 0, "through: nothing is dirty");
    CHECK_U64(through.blocks_fetched, 4, "through: four come in");
    CHECK_U64(through.blocks_written, 3, "through: each write goes out");

    options.write_through = false;
    options.no_allocate = true;
    struct margay_cache_counts around = run(options, trace, of_kind, 6);
    CHECK_U64(all(around.misses), 6, "around: 1 is not there when it is read");
    CHECK_U64(around.blocks_fetched, 3, "around: 1, 2, 4 come in");
    CHECK_U64(around.blocks_written, 3, "around: each write goes out");
    CHECK_U64(around.writebacks, 0, "around: nothing is dirty");
}

/* With as many sets and ways as there are blocks, every policy has cold
   misses only; with one way, all are alike. */
static void test_all_policies(void)
{
    struct margay_random random;
    unsigned wrong_large = 0, wrong_direct = 0;
    margay_random_seed(&random, 17);
    for (uint64_t i = 0; i < rounds(100); i++) {
        for (size_t j = 0; j < REFS; j++)
            numbers[j] = margay_random_below(&random, 256);
        uint64_t expected = 0;
        const struct margay_policy_info *info;
        for (size_t p = 0; (info = margay_policy_at(p)) != NULL; p++) {
            if ((info->abilities & MARGAY_POLICY_NEEDS_FUTURE) != 0)
                continue;
            struct margay_cache_options options = {
                .sets = 32, .ways = 8, .policy = info->name, .seed = i};
            wrong_large += all(run(options, numbers, NULL, REFS).misses) != 256;
            options.ways = 1;
            uint64_t misses = all(run(options, numbers, NULL, REFS).misses);
            expected = p == 0 ? misses : expected;
            wrong_direct += misses != expected;
        }
    }
    CHECK_U64(wrong_large, 0, "everything fits: cold misses only");
    CHECK_U64(wrong_direct, 0, "one way: no policy has a choice");
}

static void test_seeds(void)
{
    struct margay_random random;
    margay_random_seed(&random, 23);
    shape_fill(SHAPE_UNIFORM, &random, numbers, kinds, REFS);
    for (size_t i = 0; i < REFS; i++)
        numbers[i] %= 64;
    struct margay_cache_options options = {
        .ways = 32, .policy = "random", .seed = 1};
    uint64_t first = all(run(options, numbers, kinds, REFS).misses);
    CHECK_U64(all(run(options, numbers, kinds, REFS).misses), first,
              "the same seed, the same misses");
    unsigned different = 0;
    for (options.seed = 2; options.seed < 12; options.seed++)
        different += all(run(options, numbers, kinds, REFS).misses) != first;
    CHECK(different > 0, "other seeds, others");
}

static void test_refusals(void)
{
    static const struct margay_cache_options bad[] = {
        {.ways = 0},
        {.sets = 1 << 24, .ways = 256},
        {.sets = 1 << 25, .ways = 1},
        {.ways = 3, .policy = "plru"},
        {.sets = 6, .ways = 1, .index = MARGAY_INDEX_XOR},
        {.ways = 1, .policy = "mru"},
        {.ways = 1, .policy = "lru:ways=4"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        margay_cache *cache;
        struct margay_error error;
        CHECK(margay_cache_create(&bad[i], &cache, &error) ==
                      MARGAY_BAD_ARGUMENT &&
                  cache == NULL,
              "refused: %s", error.message);
        CHECK(margay_cache_bytes(&bad[i]) == UINT64_MAX, "and has no size");
    }
}

int main(void)
{
    test_policies();
    test_sets();
    test_writes();
    test_all_policies();
    test_seeds();
    test_refusals();
    return tap_done();
}
