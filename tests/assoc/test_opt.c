/*
 * test_opt.c - optimal replacement against every possible replacement, and
 * against single caches that know when each block is used next
 */
#include "tests/assoc/naive_cache.h"
#include "tests/assoc/shapes.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"

/* Tiny: the number of ways to replace is exponential. */
#define TINY_REFS 11
#define REFS      700

static uint64_t numbers[REFS], blocks[REFS], next_uses[REFS];
static uint8_t kinds[REFS];

static margay_opt *make(const struct margay_opt_options *options)
{
    margay_opt *opt;
    if (margay_opt_create(options, &opt, NULL) != MARGAY_OK)
        exit(1);
    return opt;
}

static void feed(margay_opt *opt, size_t from, size_t to)
{
    if (margay_opt_feed(opt, blocks + from, kinds + from, to - from, NULL) !=
        MARGAY_OK)
        exit(1);
}

/* ---------------------------------------------------------- brute force -- */

struct tiny {
    unsigned ways;
    bool bypass;
    size_t count;
};

/* The fewest misses from reference i on with these blocks in the cache. */
static unsigned fewest(const struct tiny *tiny, size_t i, const uint64_t *held,
                       unsigned filled)
{
    uint64_t next[4];
    if (i == tiny->count)
        return 0;
    for (unsigned w = 0; w < filled; w++) {
        if (held[w] == blocks[i])
            return fewest(tiny, i + 1, held, filled);
    }
    for (unsigned w = 0; w < filled; w++)
        next[w] = held[w];
    if (filled < tiny->ways) {
        next[filled] = blocks[i];
        return 1 + fewest(tiny, i + 1, next, filled + 1);
    }
    unsigned best =
        tiny->bypass ? fewest(tiny, i + 1, held, filled) : UINT32_MAX - 1;
    for (unsigned w = 0; w < filled; w++) {
        next[w] = blocks[i];
        unsigned misses = fewest(tiny, i + 1, next, filled);
        best = misses < best ? misses : best;
        next[w] = held[w];
    }
    return best + 1;
}

static uint64_t misses_of_one(unsigned ways, bool bypass, size_t count)
{
    static const uint64_t one_set = 1;
    const struct margay_opt_options options = {
        .sets = &one_set,
        .set_count = 1,
        .most_ways = ways,
        .bypass = bypass,
        .threads = 1,
    };
    margay_opt *opt = make(&options);
    feed(opt, 0, count);
    uint64_t misses = margay_opt_misses(opt, 0, ways, MARGAY_ALL_KINDS);
    margay_opt_free(opt);
    return misses;
}

static void test_brute_force(bool bypass)
{
    unsigned wrong = 0;
    seed_chance(7);
    for (uint64_t i = 0; i < rounds(3000); i++) {
        struct tiny tiny = {1 + (unsigned)below(3), bypass, TINY_REFS};
        uint64_t distinct = 2 + below(4), held[4] = {0};
        for (size_t j = 0; j < TINY_REFS; j++)
            blocks[j] = below(distinct);
        wrong += misses_of_one(tiny.ways, bypass, TINY_REFS) !=
                 fewest(&tiny, 0, held, 0);
    }
    CHECK_U64(wrong, 0, "bypass=%s: no replacement does better",
              bypass ? "on" : "off");
}

/* -------------------------------------------------------- single caches -- */

static void find_next_uses(void)
{
    for (size_t i = 0; i < REFS; i++) {
        size_t next = i + 1;
        while (next < REFS && blocks[next] != blocks[i])
            next++;
        next_uses[i] = next < REFS ? next : UINT64_MAX;
    }
}

/* Do the misses of each kind differ from those of one cache?  References
   before `warmup` do not count. */
static bool differs(const margay_opt *opt, size_t set,
                    const struct margay_cache_options *options, size_t warmup)
{
    struct naive_cache naive;
    bool wrong = false;
    naive_create(&naive, options);
    for (size_t i = 0; i < REFS; i++) {
        if (i == warmup)
            naive.counts = (struct margay_cache_counts){0};
        naive_reference(&naive, blocks[i], next_uses[i],
                        (enum margay_kind)kinds[i]);
    }
    for (unsigned kind = 0; kind < MARGAY_KINDS; kind++)
        wrong |=
            margay_opt_misses(opt, set, options->ways, MARGAY_KIND_BIT(kind)) !=
            naive.counts.misses[kind];
    naive_free(&naive);
    return wrong;
}

/* Of some numbers of sets, up to a number of ways that is large for some. */
static uint64_t compare(uint64_t *caches)
{
    bool fold = one_in(3);
    uint64_t sets[3], wrong = 0;
    for (size_t i = 0; i < 3; i++)
        sets[i] = fold ? UINT64_C(1) << below(10) : 1 + below(i == 0 ? 4 : 300);
    const struct margay_opt_options options = {
        .sets = sets,
        .set_count = 3,
        .index = fold ? MARGAY_INDEX_XOR : MARGAY_INDEX_MODULO,
        .most_ways = 1 + (unsigned)below(2) * 125 + (unsigned)below(20),
        .bypass = one_in(2),
        .threads = 1 + (unsigned)below(3),
    };
    margay_opt *opt = make(&options);
    size_t warmup = (size_t)below(REFS);
    feed(opt, 0, warmup);
    margay_opt_reset_counts(opt);
    feed(opt, warmup, REFS);
    for (size_t i = 0; i < 6; i++, ++*caches) {
        const struct margay_cache_options alone = {
            .sets = sets[i % 3],
            .index = options.index,
            .ways = 1 + (uint32_t)below(options.most_ways),
            .policy = options.bypass ? "opt:bypass=on" : "opt",
        };
        wrong += differs(opt, i % 3, &alone, warmup);
    }
    margay_opt_free(opt);
    return wrong;
}

static void test_caches(enum shape shape)
{
    uint64_t wrong = 0, caches = 0;
    seed_chance(300 + shape);
    for (uint64_t i = 0; i < rounds(100); i++) {
        shape_fill(shape, numbers, kinds, REFS);
        uint64_t few = 1 + below(400);
        for (size_t j = 0; j < REFS; j++)
            blocks[j] = i % 3 == 0 ? numbers[j] % few : numbers[j] >> i % 8;
        find_next_uses();
        wrong += compare(&caches);
    }
    CHECK_U64(wrong, 0, "%s traces: as single caches (%" PRIu64 " caches)",
              shape_names[shape], caches);
}

/* Belady's own kind of example, by hand: three ways. */
static void test_example(void)
{
    static const uint64_t trace[] = {1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5};
    memcpy(blocks, trace, sizeof trace);
    CHECK_U64(misses_of_one(3, false, sizeof trace / sizeof trace[0]), 7,
              "three ways: 7 misses");
}

static void test_refused(void)
{
    static const uint64_t sets[] = {1, 3, 0};
    const struct margay_opt_options good = {
        .sets = sets, .set_count = 2, .most_ways = 4, .threads = 1};
    struct margay_opt_options bad[4] = {good, good, good, good};
    bad[0].index = MARGAY_INDEX_XOR;
    bad[1].set_count = 3;
    bad[2].set_count = 0;
    bad[3].most_ways = 0;
    for (size_t i = 0; i < 4; i++) {
        margay_opt *opt;
        struct margay_error error;
        CHECK(margay_opt_create(&bad[i], &opt, &error) == MARGAY_BAD_ARGUMENT &&
                  opt == NULL,
              "refused: %s", error.message);
    }
    const struct margay_cache_options alone = {.ways = 4, .policy = "opt"};
    margay_cache *cache;
    struct margay_error error;
    CHECK(margay_cache_create(&alone, &cache, &error) == MARGAY_BAD_ARGUMENT &&
              cache == NULL,
          "refused: %s", error.message);
}

int main(void)
{
    test_example();
    test_refused();
    test_brute_force(false);
    test_brute_force(true);
    for (int shape = 0; shape < SHAPES; shape++)
        test_caches((enum shape)shape);
    return tap_done();
}
