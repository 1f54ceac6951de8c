/*
 * test_opt.c - optimal replacement against every possible replacement, and
 * the stack against single caches
 */
#include "tests/assoc/shapes.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"
#include <margay/assoc.h>

/* Tiny: the number of ways to replace is exponential. */
#define TINY_REFS 11
#define REFS      600

static uint64_t numbers[REFS], blocks[REFS], next_uses[REFS];
static uint8_t kinds[REFS];

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

static uint64_t misses_alone(const struct margay_cache_options *options,
                             size_t count)
{
    margay_cache *cache;
    if (margay_cache_create(options, &cache, NULL) != MARGAY_OK)
        exit(1);
    margay_cache_feed(cache, blocks, next_uses, kinds, count);
    const struct margay_cache_counts *counts = margay_cache_counts(cache);
    uint64_t misses = counts->misses[0] + counts->misses[1] + counts->misses[2];
    margay_cache_free(cache);
    return misses;
}

static void test_brute_force(bool bypass)
{
    struct margay_random random;
    unsigned wrong = 0;
    margay_random_seed(&random, 7);
    for (uint64_t i = 0; i < rounds(3000); i++) {
        struct tiny tiny = {1 + (unsigned)margay_random_below(&random, 3),
                            bypass, TINY_REFS};
        uint64_t distinct = 2 + margay_random_below(&random, 4), held[4] = {0};
        for (size_t j = 0; j < TINY_REFS; j++)
            blocks[j] = margay_random_below(&random, distinct);
        if (margay_next_uses(blocks, TINY_REFS, next_uses, NULL) != MARGAY_OK)
            exit(1);
        struct margay_cache_options options = {
            .ways = tiny.ways, .policy = bypass ? "opt:bypass=on" : "opt"};
        wrong += misses_alone(&options, TINY_REFS) != fewest(&tiny, 0, held, 0);
    }
    CHECK_U64(wrong, 0, "bypass=%s: no replacement does better",
              bypass ? "on" : "off");
}

/* ------------------------------------------------------------ the stack -- */

static uint64_t compare_stack(unsigned set_shift, unsigned most_ways,
                              bool bypass, uint64_t *caches)
{
    struct margay_opt_options stack = {set_shift, most_ways, bypass};
    margay_opt *opt;
    uint64_t wrong = 0;
    if (margay_opt_create(&stack, &opt, NULL) != MARGAY_OK)
        exit(1);
    margay_opt_feed(opt, blocks, next_uses, kinds, REFS);
    for (unsigned ways = 1; ways <= most_ways; ways++, ++*caches) {
        struct margay_cache_options options = {
            .sets = UINT64_C(1) << set_shift,
            .ways = ways,
            .policy = bypass ? "opt:bypass=on" : "opt"};
        wrong += margay_opt_misses(opt, ways, MARGAY_ALL_KINDS) !=
                 misses_alone(&options, REFS);
    }
    margay_opt_free(opt);
    return wrong;
}

static void test_stack(enum shape shape)
{
    struct margay_random random;
    uint64_t wrong = 0, caches = 0;
    margay_random_seed(&random, 300 + shape);
    for (uint64_t i = 0; i < rounds(40); i++) {
        shape_fill(shape, &random, numbers, kinds, REFS);
        for (size_t j = 0; j < REFS; j++)
            blocks[j] = numbers[j] >> i % 8;
        if (margay_next_uses(blocks, REFS, next_uses, NULL) != MARGAY_OK)
            exit(1);
        wrong += compare_stack((unsigned)(i % 5), 1 + (unsigned)(i % 18), i % 2,
                               &caches);
    }
    CHECK_U64(wrong, 0,
              "%s traces: all ways from one stack (%" PRIu64 " caches)",
              shape_names[shape], caches);
}

/* Belady's own kind of example, by hand: three ways, bypass or not. */
static void test_example(void)
{
    static const uint64_t trace[] = {1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5};
    size_t count = sizeof trace / sizeof trace[0];
    memcpy(blocks, trace, sizeof trace);
    memset(kinds, 0, sizeof kinds);
    if (margay_next_uses(blocks, count, next_uses, NULL) != MARGAY_OK)
        exit(1);
    CHECK_U64(next_uses[0], 4, "1 is used again at 4");
    CHECK(next_uses[11] == UINT64_MAX, "the last 5 never again");
    struct margay_cache_options options = {.ways = 3, .policy = "opt"};
    CHECK_U64(misses_alone(&options, count), 7, "three ways: 7 misses");
}

int main(void)
{
    test_example();
    test_brute_force(false);
    test_brute_force(true);
    for (int shape = 0; shape < SHAPES; shape++)
        test_stack((enum shape)shape);
    return tap_done();
}
