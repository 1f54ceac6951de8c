/*
 * test_policies.c - caches of every policy against caches made of lists and
 * loops, with few ways, many, and all of them in one set
 */
#include "assoc/policies/policy.h"
#include "tests/assoc/naive_cache.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/shapes.h"
#include "tests/tap.h"

#define REFS       2000
#define LARGE_REFS 30000

static uint64_t numbers[LARGE_REFS];
static uint64_t sites[LARGE_REFS];
static uint8_t kinds[LARGE_REFS];
static uint64_t left_out; /* references that would have done nothing */

static const char *const specs[] = {
    "lru",
    "fifo",
    "plru",
    "random",
    "clock",
    "clock:max=5,new=1",
    "nru",
    "nru:clear=use",
    "nru:clear=full",
    "qlru", /* in any variant */
    "sieve",
    "lfu",
    "s3fifo",
    "s3fifo:small=0.4",
    "2q",
    "2q:in=0.5,out=2",
    "arc",
    "lirs",
    "lirs:hir=0.3",
    "tinylfu",
    "tinylfu:window=0.3,protected=0.5",
    "slru",
    "slru:protected=0.4",
    "lfuda",
    "gdsf",
    "srrip",
    "brrip",
    "drrip",
    "ship",
};
#define SPECS (sizeof specs / sizeof specs[0])

/* Make room for a portion of dense blocks, as far as they are known by now. */
static void reserve(margay_cache *cache, size_t done, size_t now)
{
    for (size_t i = done; i < done + now; i++) {
        if (margay_cache_reserve(cache, numbers[i] + 1, NULL) != MARGAY_OK)
            exit(1);
    }
}

/* Feed both in portions, or the cache without what does nothing there; returns
   after how many of these they differ. */
static uint64_t compare(const struct margay_cache_options *options,
                        size_t count, size_t portion)
{
    static uint64_t left[LARGE_REFS];
    static uint8_t left_kinds[LARGE_REFS];
    struct naive_cache naive;
    margay_cache *cache;
    uint64_t wrong = 0;
    naive_create(&naive, options);
    if (margay_cache_create(options, &cache, NULL) != MARGAY_OK)
        exit(1);
    for (size_t done = 0; done < count; done += portion) {
        size_t now = count - done < portion ? count - done : portion;
        for (size_t i = done; i < done + now; i++) {
            naive.site = sites[i];
            naive_reference(&naive, numbers[i], 0, (enum margay_kind)kinds[i]);
        }
        margay_cache_tell_sites(cache, sites + done);
        if (options->dense_blocks)
            reserve(cache, done, now);
        if (options->notes_latest) {
            size_t count_left = margay_cache_condense(
                cache, numbers + done, kinds + done, now, left, left_kinds);
            margay_cache_feed(cache, left, left_kinds, count_left);
            left_out += now - count_left;
            wrong +=
                memcmp(margay_cache_counts(cache)->misses, naive.counts.misses,
                       sizeof naive.counts.misses) != 0;
        } else {
            margay_cache_feed(cache, numbers + done, kinds + done, now);
            wrong += memcmp(margay_cache_counts(cache), &naive.counts,
                            sizeof naive.counts) != 0;
        }
        if (done == portion) {
            naive.counts = (struct margay_cache_counts){0};
            margay_cache_reset_counts(cache);
        }
    }
    margay_cache_free(cache);
    naive_free(&naive);
    return wrong;
}

/* The spec itself, or any variant of qlru as nanoBench names it. */
static const char *policy_of(const char *spec)
{
    static const char *const hits[] = {"H00", "H10", "H11", "H20", "H21"};
    static char variant[80];
    char rare[2] = "";
    uint64_t miss = below(4);
    if (strcmp(spec, "qlru") != 0)
        return spec;
    if (miss > 0 && one_in(3))
        rare[0] = (char)('0' + below(miss));
    snprintf(variant, sizeof variant,
             "qlru:hit=%s,miss=M%s%d%s,replace=R%d,update=U%d,umo=%s",
             hits[below(5)], rare[0] == '\0' ? "" : "R", (int)miss, rare,
             (int)below(3), (int)below(4), one_in(2) ? "on" : "off");
    return variant;
}

/* Of plru: one tree, or several. */
static uint32_t make_even(uint32_t ways)
{
    return ways == 1 ? 1 : ways + ways % 2;
}

static struct margay_cache_options any_options(const char *spec)
{
    struct margay_cache_options options = {
        .sets = 1 + below(100),
        .ways = 1 + (uint32_t)below(200),
        .policy = policy_of(spec),
        .seed = any_u64(),
        .write_through = one_in(4),
        .no_allocate = one_in(4),
    };
    /* Small sets, and a single one, more often than chance has it. */
    if (one_in(2))
        options.ways = 1 + options.ways % 20;
    if (one_in(3))
        options.sets = 1;
    if (one_in(3)) {
        options.index = MARGAY_INDEX_XOR;
        options.sets = UINT64_C(1) << options.sets % 8;
    }
    if (one_in(4)) {
        options.slices = 2u << below(3);
        options.sets = options.slices << options.sets % 4;
        options.block_shift = (unsigned)below(8);
    }
    options.dense_blocks = options.sets == 1 && one_in(2);
    options.notes_latest =
        !options.write_through && !options.no_allocate && one_in(2);
    if (strcmp(spec, "plru") == 0)
        options.ways = make_even(options.ways);
    return options;
}

/* Number the blocks from 0 in the order of their first use. */
static void make_dense(size_t count)
{
    static uint64_t raw[LARGE_REFS];
    uint64_t distinct = 0;
    memcpy(raw, numbers, count * sizeof *raw);
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (raw[first] != raw[i])
            first++;
        numbers[i] = first == i ? distinct++ : numbers[first];
    }
}

static void test_policy(const char *spec)
{
    uint64_t wrong = 0, caches = rounds(150);
    seed_chance(77);
    for (uint64_t i = 0; i < caches; i++) {
        make_accesses((enum shape)(i % SHAPES), numbers, kinds, REFS);
        uint64_t few = 1 + below(700);
        for (size_t j = 0; j < REFS; j++)
            numbers[j] = i % 3 == 0 ? numbers[j] % few : numbers[j];
        struct margay_cache_options options = any_options(spec);
        if (options.dense_blocks)
            make_dense(REFS);
        wrong += compare(&options, REFS, 1 + (size_t)below(700)) != 0;
    }
    CHECK_U64(wrong, 0, "%s: as lists and loops have it (%" PRIu64 " caches)",
              spec, caches);
}

/* One set of thousands of ways: levels over levels, and long chains. */
static void test_large(const char *spec)
{
    static const uint32_t ways[] = {65, 4097};
    uint64_t wrong = 0;
    seed_chance(99);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        size_t count = rounds(LARGE_REFS);
        count = count > LARGE_REFS ? LARGE_REFS : count;
        for (size_t j = 0; j < count; j++) {
            uint64_t any = below(12000);
            numbers[j] = any * any / 12000 << i * 16;
            kinds[j] = (uint8_t)below(3);
        }
        struct margay_cache_options options = {.ways = ways[i],
                                               .policy = policy_of(spec)};
        if (strcmp(spec, "plru") == 0)
            options.ways = make_even(ways[i]);
        wrong += compare(&options, count, 10000);
    }
    CHECK_U64(wrong, 0, "%s: a single set of thousands of ways", spec);
}

/* Steps of arc's target that are fractions and add up to whole numbers. */
static void test_fractions(void)
{
    uint64_t wrong = 0, traces = rounds(5000);
    seed_chance(35);
    for (uint64_t i = 0; i < traces; i++) {
        const struct margay_cache_options options = {
            .ways = 1 + (uint32_t)below(40), .policy = "arc"};
        size_t count = 20 + below(200);
        uint64_t blocks = 2 + below(3 * options.ways);
        for (size_t j = 0; j < count; j++) {
            uint64_t some = 1 + below(blocks);
            numbers[j] = below(some);
        }
        wrong += compare(&options, count, count) != 0;
    }
    CHECK_U64(wrong, 0,
              "arc: the target of exact fractions (%" PRIu64 " traces)",
              traces);
}

static void test_table(void)
{
    const struct margay_policy_info *info;
    struct margay_error error;
    for (size_t i = 0; (info = margay_policy_at(i)) != NULL; i++) {
        const struct margay_policy_info *found;
        CHECK(info->name && info->parameters && info->help && info->source,
              "%s says what it is", info->name);
        CHECK(margay_policy_find(info->name, &found, NULL) == MARGAY_OK &&
                  found == info,
              "%s is found by its name", info->name);
    }
    CHECK(margay_policy_named("opt:bypass=on") == margay_policy_named("opt") &&
              margay_policy_named("op") == NULL &&
              margay_policy_named("opts") == NULL,
          "a spec names its policy");
    CHECK(margay_policy_find("mru", &info, &error) == MARGAY_BAD_ARGUMENT &&
              info == NULL,
          "refused: %s", error.message);
    CHECK(margay_policy_find("opt:bypass=no", &info, &error) ==
                  MARGAY_BAD_ARGUMENT &&
              strstr(error.message, "off|on"),
          "refused: %s", error.message);
    CHECK(margay_policy_find("clock:new=2", &info, &error) ==
                  MARGAY_BAD_ARGUMENT &&
              strstr(error.message, "clock: new=2 is more than max=1"),
          "refused: %s", error.message);
    CHECK(margay_policy_find("clock:new=2,max=2", &info, &error) == MARGAY_OK,
          "not refused: %s", error.message);
    CHECK(margay_policy_find("lru:bypass=on", &info, &error) ==
              MARGAY_BAD_ARGUMENT,
          "refused: %s", error.message);
}

static void test_refusals(void)
{
    static const struct margay_cache_options bad[] = {
        {.ways = 0},
        {.sets = 1 << 24, .ways = 256},
        {.sets = 1 << 25, .ways = 1},
        {.ways = 3, .policy = "plru"},
        {.sets = 6, .ways = 1, .index = MARGAY_INDEX_XOR},
        {.sets = 12, .ways = 1, .slices = 4, .index = MARGAY_INDEX_XOR},
        {.sets = 12, .ways = 1, .slices = 3},
        {.sets = 16, .ways = 1, .slices = 16},
        {.sets = 2, .ways = 1, .slices = 4},
        {.ways = 1, .policy = "mru"},
        {.ways = 1, .policy = "lru:ways=4"},
        {.sets = 2, .ways = 4, .dense_blocks = true},
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
    test_table();
    test_refusals();
    test_fractions();
    for (size_t i = 0; i < LARGE_REFS; i++)
        sites[i] = 0x400000 + i * i % 29 * i % 11 * 7;
    for (size_t i = 0; i < SPECS; i++) {
        test_policy(specs[i]);
        test_large(specs[i]);
    }
    /* A single round may have no cache that leaves anything out. */
    CHECK(left_out > 0 || rounds(2) < 2, "%" PRIu64 " references were left out",
          left_out);
    return tap_done();
}
