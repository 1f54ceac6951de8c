/*
 * test_estimates.c - engines that sample or infer
 *
 * What they owe for every trace: counts that sum to all references, the
 * truth where the sample is everything, and the same result on any number of
 * threads.  How close they come to the truth is for test_accuracy.c.
 */
#include <math.h>

#include "stackdist/engine.h"
#include "stackdist/engines/estimate.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/results.h"
#include "tests/stackdist/shapes.h"
#include "tests/tap.h"

#define LONGEST_TRACE 5000

static uint64_t misses_at(const struct margay_result *result, uint64_t size)
{
    const struct margay_sizes sizes = {
        .kind = MARGAY_SIZES_LIST, .list_blocks = &size, .list_count = 1};
    struct margay_point *point;
    size_t count;
    if (margay_result_curve(result, &sizes, &point, &count, NULL) != MARGAY_OK)
        abort();
    uint64_t misses = count == 0 ? 0 : point->misses;
    free(point);
    return misses;
}

/* ---------------------------------------------------------------- bars -- */

static void test_bars(void)
{
    bool consecutive = true, inside = true;
    for (unsigned bits = 4; bits <= 8; bits += 4) {
        for (size_t bar = 0; bar + 2 < MARGAY_BARS(bits); bar++) {
            uint64_t low = margay_bar_low(bar, bits);
            uint64_t next = margay_bar_low(bar + 1, bits);
            consecutive = consecutive && next > low;
            inside = inside && margay_bar_of(low, bits) == bar &&
                     margay_bar_of(next - 1, bits) == bar;
            if (next == UINT64_MAX)
                break;
        }
    }
    CHECK(consecutive, "bars follow each other");
    CHECK(inside, "both ends of a bar are in it");
}

/* ---------------------------------------------------------- invariants -- */

static bool is_sound(const char *spec, const uint64_t *blocks, size_t count,
                     size_t reset)
{
    const struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_result result =
        run_engine(spec, &options, blocks, count, reset);
    bool sound = result.references == count - reset;
    uint64_t before = result.references;
    for (size_t i = 0; i < result.point_count; i++) {
        sound = sound && result.points[i].misses <= before &&
                result.points[i].misses >= result.infinite &&
                (i == 0 || result.points[i].cache_blocks >
                               result.points[i - 1].cache_blocks);
        before = result.points[i].misses;
    }
    if (!sound)
        printf("#   %s: %" PRIu64 " references of %zu\n", spec,
               result.references, count - reset);
    margay_result_clear(&result);
    return sound;
}

static const char *const estimating[] = {
    "shen",
    "shen:form=basic",
    "shen:sample=0.2",
    "shards",
    "shards:rate=0.3,adjust=off",
    "shards:rate=0.3",
    "shards:blocks=16",
    "hp-rda:st=64,nb=2",
    "hp-rda:st=64,nb=2,adjust=on",
    "hp-rda:st=100,nb=3,adjust=off",
};
#define ESTIMATING (sizeof estimating / sizeof estimating[0])

static void test_invariants(void)
{
    static uint64_t blocks[LONGEST_TRACE];
    uint64_t number = rounds(60), failures[ESTIMATING] = {0};
    for (uint64_t round = 0; round < number; round++) {
        size_t count = round < 3 ? (size_t)round : (size_t)below(LONGEST_TRACE);
        make_trace((enum shape)(round % SHAPES), blocks, count,
                   1 + below(count / 2 + 3));
        size_t reset = round % 2 == 0 ? 0 : (size_t)below(count + 1);
        for (size_t i = 0; i < ESTIMATING; i++)
            failures[i] += !is_sound(estimating[i], blocks, count, reset);
    }
    for (size_t i = 0; i < ESTIMATING; i++)
        CHECK_U64(failures[i], 0, "%" PRIu64 " traces: %s counts all", number,
                  estimating[i]);
}

/* -------------------------------------------- where they must be exact -- */

/* A spec of markers at random sizes. */
static void list_sizes(char *spec, size_t bytes)
{
    uint64_t size = 0, number = 1 + below(6);
    size_t used = (size_t)snprintf(spec, bytes, "markers:at=");
    for (uint64_t i = 0; i < number; i++) {
        size += 1 + below(i % 2 == 0 ? 4 : 300);
        used += (size_t)snprintf(spec + used, bytes - used, "%s%" PRIu64,
                                 i == 0 ? "" : "+", size);
    }
}

/* Does it say what the naive stack says, at the sizes that it knows? */
static bool is_exact(const char *spec, const struct margay_result *naive,
                     const uint64_t *blocks, size_t count, size_t reset)
{
    const struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_result result =
        run_engine(spec, &options, blocks, count, reset);
    bool same = result.references == naive->references &&
                result.infinite == naive->infinite &&
                result.distinct_blocks == naive->distinct_blocks &&
                (result.histogram == NULL ||
                 same_histogram(naive->histogram, result.histogram));
    for (size_t i = 0; i < result.point_count && count > reset; i++)
        same = same &&
               misses_of(naive->histogram, result.points[i].cache_blocks) ==
                   result.points[i].misses;
    margay_result_clear(&result);
    return same;
}

/* Samples of all, and markers, which know the misses at some sizes. */
static void test_whole_samples(void)
{
    const struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    static uint64_t blocks[LONGEST_TRACE];
    char just_room[64], markers[256];
    const char *const specs[] = {"shards:rate=1",
                                 "shards:rate=1,adjust=off",
                                 "shards:blocks=100000",
                                 "shards:blocks=100000,adjust=off",
                                 "hp-rda:st=65536,nb=1,adjust=on",
                                 "hp-rda:st=64,nb=1",
                                 just_room,
                                 markers};
    enum { WHOLE = sizeof specs / sizeof *specs };
    uint64_t number = rounds(200), failures[WHOLE] = {0};
    for (uint64_t round = 0; round < number; round++) {
        size_t count = (size_t)below(LONGEST_TRACE);
        make_trace((enum shape)(round % SHAPES), blocks, count,
                   1 + below(count / 2 + 3));
        size_t reset = round % 3 == 0 ? count / 3 : 0;
        struct margay_result naive =
            run_engine("naive", &options, blocks, count, reset);
        uint64_t room = naive.distinct_blocks < 16 ? 16 : naive.distinct_blocks;
        snprintf(just_room, sizeof just_room, "shards:blocks=%" PRIu64, room);
        list_sizes(markers, sizeof markers);
        for (size_t i = 0; i < WHOLE; i++) {
            /* A reset would cut its one chunk. */
            if (reset == 0 || strstr(specs[i], "st=65536") == NULL)
                failures[i] +=
                    !is_exact(specs[i], &naive, blocks, count, reset);
        }
        margay_result_clear(&naive);
    }
    for (size_t i = 0; i < WHOLE; i++)
        CHECK_U64(failures[i], 0, "%" PRIu64 " traces: %s is exact", number,
                  specs[i]);
}

/* A bound on blocks is kept, and a loop's rate found, for any length. */
static void test_fixed_size(void)
{
    static uint64_t blocks[400000];
    for (size_t i = 0; i < 400000; i++)
        blocks[i] = i % 100000;
    struct margay_result result =
        run_plainly("shards:blocks=1000", blocks, 400000);
    CHECK_U64(result.nodes, 1000, "shards:blocks=1000 keeps 1000");
    CHECK(fabs((double)result.distinct_blocks / 100000 - 1) < 0.12,
          "and knows how many there are: %" PRIu64, result.distinct_blocks);
    CHECK(misses_at(&result, 70000) > 390000 &&
              misses_at(&result, 130000) < 130000,
          "and where the loop fits");
    margay_result_clear(&result);
}

static void test_threads(void)
{
    static uint64_t blocks[300000];
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    make_trace(SKEWED, blocks, 300000, 40000);
    struct margay_result one =
        run_engine("hp-rda:st=512,nb=16", &options, blocks, 300000, 1234);
    for (unsigned threads = 2; threads <= 7; threads += 5) {
        options.threads = threads;
        struct margay_result several =
            run_engine("hp-rda:st=512,nb=16", &options, blocks, 300000, 1234);
        CHECK(same_histogram(one.histogram, several.histogram),
              "hp-rda on %u threads", threads);
        margay_result_clear(&several);
    }
    margay_result_clear(&one);
}

static void test_times(void)
{
    static uint64_t blocks[LONGEST_TRACE], times[LONGEST_TRACE];
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_result result;
    margay_engine *engine;
    options.measure = MARGAY_REUSE_TIMES;
    make_trace(SKEWED, blocks, LONGEST_TRACE, 500);
    if (margay_engine_create("exact", &options, &engine, NULL) != MARGAY_OK ||
        margay_engine_feed(engine, blocks, LONGEST_TRACE, times, NULL) !=
            MARGAY_OK ||
        margay_engine_finish(engine, &result, NULL) != MARGAY_OK)
        abort();
    margay_engine_free(engine);
    uint64_t wrong = 0;
    for (size_t i = 0; i < LONGEST_TRACE; i++) {
        uint64_t time = 1;
        while (time <= i && blocks[i - time] != blocks[i])
            time++;
        wrong += times[i] != (time > i ? MARGAY_INFINITE : time);
    }
    CHECK_U64(wrong, 0, "reuse times");
    CHECK(result.references == LONGEST_TRACE &&
              result.infinite == result.distinct_blocks,
          "all counted, first ones apart");
    margay_result_clear(&result);
}

/* In a loop of M every window of w < M has w blocks. */
static void test_footprint(void)
{
    static uint64_t blocks[100000];
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    options.measure = MARGAY_FOOTPRINT;
    for (size_t i = 0; i < 100000; i++)
        blocks[i] = i % 1000;
    struct margay_result result =
        run_engine("exact", &options, blocks, 100000, 0);
    CHECK_U64(misses_at(&result, 1), 100000, "footprint: one block");
    CHECK(misses_at(&result, 990) >= 99900, "footprint: nearly the loop");
    CHECK_U64(misses_at(&result, 1000), 1000, "footprint: the loop");
    margay_result_clear(&result);
}

int main(void)
{
    seed_chance(2015);
    test_bars();
    test_invariants();
    test_whole_samples();
    test_fixed_size();
    test_threads();
    test_times();
    test_footprint();
    return tap_done();
}
