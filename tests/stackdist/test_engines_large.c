/*
 * test_engines_large.c - exact engines beyond what the naive stack can check
 *
 * Uniform traces long enough for several compactions of the time axis and
 * growths of the tables; only such traces fill every bucket and every part of
 * the axis.  The truth comes from olken, which test_engines.c has tested.
 */
#include "tests/rounds.h"
#include "tests/stackdist/engines.h"

static void make_uniform(uint64_t *blocks, size_t count, uint64_t distinct,
                         struct margay_random *random)
{
    for (size_t i = 0; i < count; i++)
        blocks[i] = margay_random_below(random, distinct);
}

/* A working set that moves on: everything old dies, the axis moves along. */
static void make_drift(uint64_t *blocks, size_t count, uint64_t distinct,
                       struct margay_random *random)
{
    for (size_t i = 0; i < count; i++)
        blocks[i] = (i / 4 + margay_random_below(random, distinct)) << 20;
}

/* Bursts near the stack's top and long jumps: the filter comes and goes. */
static void make_phases(uint64_t *blocks, size_t count, uint64_t distinct,
                        struct margay_random *random)
{
    for (size_t i = 0; i < count; i++) {
        bool burst = i / 40000 % 2 == 0;
        blocks[i] = burst && margay_random_below(random, 50) != 0
                        ? UINT64_MAX - margay_random_below(random, 12)
                        : margay_random_below(random, distinct);
    }
}

static void make_sweep(uint64_t *blocks, size_t count, uint64_t distinct,
                       struct margay_random *random)
{
    (void)random;
    for (size_t i = 0; i < count; i++)
        blocks[i] = i % distinct;
}

static const struct large {
    const char *name;
    void (*make)(uint64_t *blocks, size_t count, uint64_t distinct,
                 struct margay_random *random);
    uint64_t count, distinct, bound;
} larges[] = {
    {"uniform", make_uniform, 3000000, 400000, 100000},
    {"uniform", make_uniform, 1200000, 30000, 29000},
    {"mostly cold", make_uniform, 2000000, 1000000, 3000},
    {"drift", make_drift, 1000000, 20000, 5000},
    {"phases", make_phases, 1500000, 100000, 10},
    {"sweep", make_sweep, 900000, 200000, 200000},
};

/* Unbounded distances from olken; returns the distinct blocks. */
static uint64_t ask_olken(const uint64_t *blocks, size_t count,
                          uint64_t *distances)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_result result;
    margay_engine *engine;
    if (margay_engine_create("olken", &options, &engine, NULL) != MARGAY_OK ||
        margay_engine_feed(engine, blocks, count, distances, NULL) !=
            MARGAY_OK ||
        margay_engine_finish(engine, &result, NULL) != MARGAY_OK)
        abort();
    margay_engine_free(engine);
    margay_histogram_free(result.histogram);
    return result.distinct_blocks;
}

static bool is_slow(const char *spec)
{
    return strncmp(spec, "naive", 5) == 0 || strncmp(spec, "olken", 5) == 0;
}

static void test_large(const struct large *large, struct margay_random *random)
{
    size_t count = (size_t)rounds(large->count);
    uint64_t distinct = rounds(large->distinct), bound = rounds(large->bound);
    uint64_t *blocks = malloc(count * sizeof *blocks);
    uint64_t *unbounded = malloc(count * sizeof *unbounded);
    uint64_t *bounded = malloc(count * sizeof *bounded);
    if (blocks == NULL || unbounded == NULL || bounded == NULL)
        abort();
    large->make(blocks, count, distinct, random);
    struct task task = {
        .count = count, .blocks = blocks, .distances = unbounded};
    task.distinct = ask_olken(blocks, count, unbounded);
    apply_bound(bound, unbounded, count, bounded);
    for (size_t i = 0; i < spec_count; i++) {
        if (is_slow(specs[i].text))
            continue;
        task.reset = (size_t)margay_random_below(random, count);
        task.bound = bound;
        task.distances = bounded;
        CHECK(passes(specs[i].text, &task, 100000, i % 2, random),
              "%s, %zu over %" PRIu64 ", bound %" PRIu64 ": %s", large->name,
              count, distinct, bound, specs[i].text);
        if (specs[i].needs_bound)
            continue;
        task.bound = 0;
        task.distances = unbounded;
        CHECK(passes(specs[i].text, &task, 100000, true, random),
              "%s, %zu over %" PRIu64 ": %s", large->name, count, distinct,
              specs[i].text);
    }
    free(blocks);
    free(unbounded);
    free(bounded);
}

int main(void)
{
    struct margay_random random;
    margay_random_seed(&random, 2012);
    list_specs();
    for (size_t i = 0; i < sizeof larges / sizeof larges[0]; i++)
        test_large(&larges[i], &random);
    return tap_done();
}
