/*
 * test_estimates.c - engines that sample or infer
 *
 * What they owe whatever the trace: counts that sum to all references, the
 * truth where the sample is everything, and the same result on any number of
 * threads.  What they should reach: errors on the traces they are meant for.
 */
#include <math.h>

#include "stackdist/bars.h"
#include "stackdist/engine.h"
#include "tests/rounds.h"
#include "tests/stackdist/shapes.h"
#include "tests/tap.h"

#define LONGEST_TRACE 5000

static struct margay_result run(const char *spec,
                                const struct margay_engine_options *options,
                                const uint64_t *blocks, size_t count,
                                size_t reset)
{
    struct margay_error error;
    struct margay_result result;
    margay_engine *engine;
    size_t half = reset + (count - reset) / 2;
    if (margay_engine_create(spec, options, &engine, &error) != MARGAY_OK ||
        margay_engine_feed(engine, blocks, reset, NULL, &error) != MARGAY_OK) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    if (reset != 0)
        margay_engine_reset_counts(engine);
    if (margay_engine_feed(engine, blocks + reset, half - reset, NULL,
                           &error) != MARGAY_OK ||
        margay_engine_feed(engine, blocks + half, count - half, NULL, &error) !=
            MARGAY_OK ||
        margay_engine_finish(engine, &result, &error) != MARGAY_OK) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    margay_engine_free(engine);
    return result;
}

static struct margay_result run_plainly(const char *spec,
                                        const uint64_t *blocks, size_t count)
{
    const struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    return run(spec, &options, blocks, count, 0);
}

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

static bool same_histogram(const margay_histogram *a, const margay_histogram *b)
{
    uint64_t from = 0, d1, d2, n1 = 0, n2 = 0;
    bool more1, more2;
    do {
        more1 = margay_histogram_next(a, from, &d1, &n1);
        more2 = margay_histogram_next(b, from, &d2, &n2);
        if (more1 != more2 || (more1 && (d1 != d2 || n1 != n2)))
            return false;
        from = more1 ? d1 + 1 : 0;
    } while (more1);
    return margay_histogram_infinite(a) == margay_histogram_infinite(b);
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
    struct margay_result result = run(spec, &options, blocks, count, reset);
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
    "statstack",
    "statstack:sample=0.1",
    "aet",
    "shen",
    "shen:form=basic",
    "shen:sample=0.2",
    "shards",
    "shards:rate=0.3,adjust=off",
    "shards:rate=0.3",
    "shards:blocks=16",
    "shards-hybrid:front=3,rate=0.2",
    "hp-rda:st=64,nb=2",
    "hp-rda:st=100,nb=3,adjust=off",
};
#define ESTIMATING (sizeof estimating / sizeof estimating[0])

static void test_invariants(struct margay_random *random)
{
    static uint64_t blocks[LONGEST_TRACE];
    uint64_t number = rounds(60), failures[ESTIMATING] = {0};
    for (uint64_t round = 0; round < number; round++) {
        size_t count = round < 3
                           ? (size_t)round
                           : (size_t)margay_random_below(random, LONGEST_TRACE);
        make_trace((enum shape)(round % SHAPES), blocks, count,
                   1 + margay_random_below(random, count / 2 + 3), random);
        size_t reset =
            round % 2 == 0 ? 0 : (size_t)margay_random_below(random, count + 1);
        for (size_t i = 0; i < ESTIMATING; i++)
            failures[i] += !is_sound(estimating[i], blocks, count, reset);
    }
    for (size_t i = 0; i < ESTIMATING; i++)
        CHECK_U64(failures[i], 0, "%" PRIu64 " traces: %s counts all", number,
                  estimating[i]);
}

/* -------------------------------------------- where they must be exact -- */

static void test_whole_samples(struct margay_random *random)
{
    static uint64_t blocks[LONGEST_TRACE];
    static const char *const specs[] = {
        "shards:rate=1", "shards:rate=1,adjust=off", "shards-hybrid:rate=1",
        "shards-hybrid:front=10,rate=1", "hp-rda:st=65536,nb=1"};
    uint64_t number = rounds(60), failures[5] = {0}, fixed = 0, front = 0;
    for (uint64_t round = 0; round < number; round++) {
        size_t count = (size_t)margay_random_below(random, LONGEST_TRACE);
        make_trace((enum shape)(round % SHAPES), blocks, count,
                   1 + margay_random_below(random, count / 2 + 3), random);
        struct margay_result naive = run_plainly("naive", blocks, count);
        for (size_t i = 0; i < 5; i++) {
            struct margay_result result = run_plainly(specs[i], blocks, count);
            failures[i] += !same_histogram(naive.histogram, result.histogram) ||
                           result.distinct_blocks != naive.distinct_blocks;
            margay_result_clear(&result);
        }
        struct margay_result result =
            run_plainly("shards:blocks=100000", blocks, count);
        for (uint64_t size = 1; size <= 512; size *= 2)
            fixed += misses_at(&naive, size) != misses_at(&result, size);
        margay_result_clear(&result);
        result = run_plainly("shards-hybrid:front=37,rate=0.05", blocks, count);
        for (uint64_t size = 1; size <= 37; size++)
            front += misses_at(&naive, size) != misses_at(&result, size);
        margay_result_clear(&result);
        margay_result_clear(&naive);
    }
    for (size_t i = 0; i < 5; i++)
        CHECK_U64(failures[i], 0, "%" PRIu64 " traces: %s is exact", number,
                  specs[i]);
    CHECK_U64(fixed, 0, "shards with room for all blocks: small sizes");
    CHECK_U64(front, 0, "shards-hybrid is exact up to its front");
}

/* A bound on blocks is kept, and a loop's rate found, whatever the length. */
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

static void test_threads(struct margay_random *random)
{
    static uint64_t blocks[300000];
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    make_trace(SKEWED, blocks, 300000, 40000, random);
    struct margay_result one =
        run("hp-rda:st=512,nb=16", &options, blocks, 300000, 1234);
    for (unsigned threads = 2; threads <= 7; threads += 5) {
        options.threads = threads;
        struct margay_result several =
            run("hp-rda:st=512,nb=16", &options, blocks, 300000, 1234);
        CHECK(same_histogram(one.histogram, several.histogram),
              "hp-rda on %u threads", threads);
        margay_result_clear(&several);
    }
    margay_result_clear(&one);
}

/* Chunks that do not overlap are added up exactly: a b a, of 64 blocks each,
   within a thread block and across three. */
static void test_chunks(void)
{
    static const char *const specs[] = {"hp-rda:st=64,nb=4",
                                        "hp-rda:st=64,nb=1",
                                        "hp-rda:st=64,nb=1,adjust=off"};
    uint64_t blocks[192];
    for (uint64_t i = 0; i < 192; i++)
        blocks[i] = i % 128;
    for (size_t i = 0; i < 3; i++) {
        struct margay_result result = run_plainly(specs[i], blocks, 192);
        CHECK(misses_at(&result, 127) == 192 && misses_at(&result, 128) == 128,
              "%s: three chunks", specs[i]);
        margay_result_clear(&result);
    }
}

static void test_times(struct margay_random *random)
{
    static uint64_t blocks[LONGEST_TRACE], times[LONGEST_TRACE];
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_result result;
    margay_engine *engine;
    options.measure = MARGAY_REUSE_TIMES;
    make_trace(SKEWED, blocks, LONGEST_TRACE, 500, random);
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
    struct margay_result result = run("exact", &options, blocks, 100000, 0);
    CHECK_U64(misses_at(&result, 1), 100000, "footprint: one block");
    CHECK(misses_at(&result, 990) >= 99900, "footprint: nearly the loop");
    CHECK_U64(misses_at(&result, 1000), 1000, "footprint: the loop");
    margay_result_clear(&result);
}

/* ------------------------------------------------------------- accuracy -- */

struct errors {
    double log2, linear, overlap, bars;
};

static double mean_error(const struct margay_result *exact,
                         const struct margay_result *result,
                         const struct margay_sizes *sizes)
{
    struct margay_point *points;
    size_t count;
    double sum = 0;
    if (margay_result_curve(exact, sizes, &points, &count, NULL) != MARGAY_OK)
        abort();
    for (size_t i = 0; i < count; i++)
        sum += fabs((double)misses_at(result, points[i].cache_blocks) -
                    (double)points[i].misses);
    free(points);
    return sum / (double)count / (double)exact->references;
}

/* 1 - sum |y - x| / 2 over log2 bars; *bars: the sum over their number. */
static double overlap(const struct margay_result *exact,
                      const struct margay_result *result, uint64_t largest,
                      double *bars)
{
    double sum = 0, number = 0;
    uint64_t left = exact->references, left_too = left;
    for (uint64_t size = 1; size / 2 <= largest; size *= 2, number++) {
        uint64_t next = misses_at(exact, size);
        uint64_t next_too = misses_at(result, size);
        sum += fabs((double)(left - next) - (double)(left_too - next_too));
        left = next;
        left_too = next_too;
    }
    sum += fabs((double)left - (double)left_too);
    *bars = sum / (double)exact->references / (number + 1);
    return 1 - sum / 2 / (double)exact->references;
}

static struct errors errors_of(const char *spec,
                               const struct margay_result *exact,
                               const uint64_t *blocks, size_t count)
{
    struct margay_result result = run_plainly(spec, blocks, count);
    uint64_t steps[200], largest = 0;
    margay_histogram_largest(exact->histogram, &largest);
    size_t step_count = largest < 200 ? 1 : 200;
    for (size_t i = 0; i < step_count; i++)
        steps[i] = 1 + largest * i / 200;
    const struct margay_sizes octaves = {.kind = MARGAY_SIZES_OCTAVE,
                                         .per_octave = 16};
    const struct margay_sizes linear = {.kind = MARGAY_SIZES_LIST,
                                        .list_blocks = steps,
                                        .list_count = step_count};
    struct errors errors;
    errors.log2 = mean_error(exact, &result, &octaves);
    errors.linear = mean_error(exact, &result, &linear);
    errors.overlap = overlap(exact, &result, largest, &errors.bars);
    margay_result_clear(&result);
    return errors;
}

static const struct kernel {
    const char *name;
    uint64_t blocks;
    unsigned shift; /* from what is generated to blocks */
    /* What is allowed: the mean error on octaves, and per log2 bar.  Averages
       of all reference times are what phases defeat, and blocks that overlap
       as a matrix's columns do defeat hp-rda's factor. */
    double statstack, hp_rda;
} kernels[] = {
    {"zipf", 500000, 0, 0.02, 0.01}, {"phases", 200000, 0, 0.04, 0.03},
    {"scan", 1, 0, 0.02, 0.01},      {"matmul", 270000, 3, 0.02, 0.06},
    {"fft", 262144, 3, 0.02, 0.02},
};

static uint64_t *generate(const struct kernel *kernel, size_t count)
{
    struct margay_generator_options options = {
        .blocks = kernel->blocks, .seed = 1, .exponent = 1};
    margay_generator *generator;
    uint64_t *blocks = malloc(count * sizeof *blocks);
    if (blocks == NULL ||
        margay_generator_create(kernel->name, &options, &generator, NULL) !=
            MARGAY_OK)
        abort();
    margay_generator_next(generator, blocks, count);
    margay_generator_free(generator);
    for (size_t i = 0; i < count; i++)
        blocks[i] >>= kernel->shift;
    return blocks;
}

static void test_accuracy(const struct kernel *kernel)
{
    size_t count = 2000000;
    if (rounds(100) < 100)
        return; /* errors of shorter traces say nothing, and tests are slow */
    uint64_t *blocks = generate(kernel, count);
    const char *name = kernel->name;
    struct margay_result exact = run_plainly("exact", blocks, count);
    struct errors e = errors_of("scale-tree", &exact, blocks, count);
    CHECK(e.overlap >= 0.999, "%s: scale-tree overlaps by %g", name, e.overlap);
    e = errors_of("statstack", &exact, blocks, count);
    CHECK(e.log2 <= kernel->statstack, "%s: statstack errs by %g", name,
          e.log2);
    e = errors_of("aet", &exact, blocks, count);
    CHECK(e.log2 <= kernel->statstack, "%s: aet errs by %g", name, e.log2);
    e = errors_of("shards-hybrid", &exact, blocks, count);
    CHECK(e.log2 <= 0.02, "%s: shards-hybrid errs by %g", name, e.log2);
    e = errors_of("hp-rda", &exact, blocks, count);
    /* A part of the references, far more than its per-bar mean suggests. */
    printf("# %s: hp-rda %g per bar, overlap %g\n", name, e.bars, e.overlap);
    CHECK(e.bars <= kernel->hp_rda, "%s: hp-rda errs by %g per bar", name,
          e.bars);
    if (strcmp(name, "zipf") == 0) {
        e = errors_of("shards", &exact, blocks, count);
        CHECK(e.linear <= 0.01, "%s: shards errs by %g", name, e.linear);
        e = errors_of("shards:blocks=8192", &exact, blocks, count);
        CHECK(e.linear <= 0.01, "%s: shards in a fixed size errs by %g", name,
              e.linear);
        e = errors_of("statstack:sample=0.01", &exact, blocks, count);
        CHECK(e.log2 <= 0.02, "%s: statstack of a sample errs by %g", name,
              e.log2);
    }
    margay_result_clear(&exact);
    free(blocks);
}

/* ----------------------------------------------- SHEN's synthetic traces -- */

#define STACK 1000

/* A normal deviate: the sum of twelve uniform ones. */
static double normal_deviate(struct margay_random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += ldexp((double)(margay_random_u64(random) >> 11), -53);
    return sum;
}

/* variance 0: exponential, with the same mean. */
static uint64_t draw_distance(double mean, double variance,
                              struct margay_random *random)
{
    double uniform =
        ldexp((double)(margay_random_u64(random) >> 11) + 0.5, -53);
    double distance = variance > 0
                          ? mean + sqrt(variance) * normal_deviate(random)
                          : -mean * log(uniform);
    if (!(distance > 0))
        return 0;
    return distance < STACK - 1 ? (uint64_t)(distance + 0.5) : STACK - 1;
}

/* Draw depths of an LRU stack that is full at the beginning. */
static void make_stochastic(double mean, double variance, uint64_t *blocks,
                            size_t count, struct margay_random *random)
{
    static uint64_t stack[STACK];
    for (size_t i = 0; i < STACK; i++)
        blocks[i] = stack[STACK - 1 - i] = i;
    for (size_t i = STACK; i < count; i++) {
        uint64_t depth = draw_distance(mean, variance, random);
        uint64_t block = stack[depth];
        memmove(stack + 1, stack, depth * sizeof *stack);
        stack[0] = blocks[i] = block;
    }
}

static void test_shen(struct margay_random *random)
{
    static const double variances[] = {20, 100, 200, 0};
    static const double published[] = {92.8, 96.3, 95.8, 96.9};
    size_t count = 200000;
    uint64_t *blocks = malloc(count * sizeof *blocks);
    double sum[2] = {0, 0};
    if (blocks == NULL)
        abort();
    for (size_t i = 0; i < 4; i++) {
        make_stochastic(100, variances[i], blocks, count, random);
        struct margay_result exact = run_plainly("exact", blocks, count);
        struct errors optimised = errors_of("shen", &exact, blocks, count);
        struct errors basic =
            errors_of("shen:form=basic", &exact, blocks, count);
        sum[0] += optimised.overlap / 4;
        sum[1] += basic.overlap / 4;
        printf("# %s %g: optimised %.1f%%, basic %.1f%%, the paper %.1f%%\n",
               variances[i] > 0 ? "normal, variance" : "exponential",
               variances[i], 100 * optimised.overlap, 100 * basic.overlap,
               published[i]);
        margay_result_clear(&exact);
    }
    CHECK(sum[0] >= 0.95, "shen on the synthetic mix: %g", sum[0]);
    CHECK(sum[1] >= 0.95, "shen:form=basic on the synthetic mix: %g", sum[1]);
    free(blocks);
}

int main(void)
{
    struct margay_random random;
    margay_random_seed(&random, 2015);
    test_bars();
    test_invariants(&random);
    test_whole_samples(&random);
    test_fixed_size();
    test_threads(&random);
    test_chunks();
    test_times(&random);
    test_footprint();
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        test_accuracy(&kernels[i]);
    test_shen(&random);
    return tap_done();
}
