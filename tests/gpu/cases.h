/* cases.h - what every backend of the gpu engine has to get right */
#ifndef MARGAY_TESTS_GPU_CASES_H
#define MARGAY_TESTS_GPU_CASES_H

#include "tests/rounds.h"
#include "tests/stackdist/ask.h"
#include "tests/stackdist/engines.h"
#include "tests/stackdist/shapes.h"

static const struct gpu_case {
    const char *name;
    enum shape shape;
    uint64_t refs, distinct, bound;
    const char *transfer; /* "" = as the engine likes */
    bool ask_distances;
} gpu_cases[] = {
    {"an empty trace", UNIFORM, 0, 1, 0, "", false},
    {"one reference", UNIFORM, 1, 1, 0, "", true},
    {"two references", UNIFORM, 2, 2, 0, "", false},
    {"one block only", UNIFORM, 5000, 1, 0, "", true},
    {"all cold", DRIFT, 3000, 1 << 30, 0, "", false},
    {"one tile less a reference", LOOP, 1023, 300, 0, "", true},
    {"one tile", LOOP, 1024, 300, 0, "", false},
    {"one tile and a reference", LOOP, 1025, 300, 0, "", true},
    {"a transfer, exactly", UNIFORM, 4096, 2000, 0, ",transfer=4096", false},
    {"a transfer and a reference", UNIFORM, 4097, 2000, 0, ",transfer=4096",
     false},
    {"many transfers", SKEWED, 20000, 700, 0, ",transfer=333", false},
    {"transfers below the stack", UNIFORM, 20000, 6000, 0, ",transfer=1000",
     false},
    {"a bound", UNIFORM, 20000, 3000, 100, ",transfer=2048", false},
    {"a bound of one", REPEATS, 20000, 50, 1, ",transfer=5000", true},
    {"a bound that is not reached", SKEWED, 20000, 3000, 4000, "", false},
    {"a bound above the transfer", DRIFT, 30000, 9000, 5000, ",transfer=1000",
     false},
    {"a sweep", STRIDED, 200000, 60000, 0, "", false},
    {"transfers that grow", UNIFORM, 200000, 50000, 0, "", false},
    {"the same with distances", SKEWED, 150000, 40000, 20000, "", true},
};

/* One case on a backend, counts forgotten in its middle. */
static inline void test_gpu_case(const char *backend,
                                 const struct gpu_case *test,
                                 struct margay_random *random)
{
    char spec[128];
    size_t count = (size_t)test->refs;
    if (count >= 100000)
        count = (size_t)rounds(count);
    uint64_t *blocks = malloc((count + 1) * sizeof *blocks);
    uint64_t *unbounded = malloc((count + 1) * sizeof *unbounded);
    uint64_t *distances = malloc((count + 1) * sizeof *distances);
    if (blocks == NULL || unbounded == NULL || distances == NULL)
        abort();
    snprintf(spec, sizeof spec, "gpu:backend=%s%s", backend, test->transfer);
    make_trace(test->shape, blocks, count, test->distinct, random);
    /* Both ends of what an id can be, and ids that differ in one bit each. */
    if (count > 2000) {
        blocks[7] = blocks[count / 2] = UINT64_MAX;
        blocks[8] = blocks[count - 1] = 0;
        for (size_t bit = 0; bit < 64; bit++)
            blocks[bit + 10] = blocks[count - 10 - bit] = UINT64_C(1) << bit;
    }
    struct task task = {
        .bound = test->bound,
        .count = count,
        .reset = count / 3,
        .blocks = blocks,
        .distances = distances,
        /* Other tests have tested it. */
        .distinct = ask_distances("olken", blocks, count, unbounded),
    };
    apply_bound(task.bound, unbounded, count, distances);
    add_up(&task);
    CHECK(passes(spec, &task, 50000, test->ask_distances, random),
          "%s: %s, %zu references", backend, test->name, count);
    margay_histogram_free(task.wanted);
    free(blocks);
    free(unbounded);
    free(distances);
}

static inline void test_gpu_cases(const char *backend)
{
    struct margay_random random;
    margay_random_seed(&random, 2009);
    for (size_t i = 0; i < sizeof gpu_cases / sizeof gpu_cases[0]; i++)
        test_gpu_case(backend, &gpu_cases[i], &random);
}

/* ---------------------------------------------------------------- hp-rda -- */

/* The result of a spec, counts forgotten on the way; cleared on failure. */
static inline struct margay_result run_spec(const char *spec,
                                            const struct task *task,
                                            struct margay_random *random)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_result result = {0};
    struct margay_error error = {.message = ""};
    margay_engine *engine;
    if (margay_engine_create(spec, &options, &engine, &error) != MARGAY_OK ||
        feed_chunks(engine, task, NULL, 9000, random, &error) != MARGAY_OK ||
        margay_engine_finish(engine, &result, &error) != MARGAY_OK)
        printf("#   %s: %s\n", spec, error.message);
    margay_engine_free(engine);
    return result;
}

/* hp-rda gives the same on every device. */
static inline void test_hp_rda(const char *backend)
{
    static const struct {
        const char *parameters;
        enum shape shape;
        size_t count;
        uint64_t distinct;
    } tests[] = {
        {"st=64,nb=1", UNIFORM, 3000, 400},
        {"st=64,nb=3,adjust=off", DRIFT, 5000, 3000},
        {"st=100,nb=7", SKEWED, 20000, 5000},
        {"st=64,nb=5,adjust=on", SKEWED, 20000, 5000},
        {"st=2048,nb=64", STRIDED, 150000, 2500},
        {"st=1000,nb=2", REPEATS, 2000, 1},
        {"st=64,nb=64", LOOP, 1, 1},
        {"st=64,nb=64", LOOP, 0, 1},
    };
    struct margay_random random;
    margay_random_seed(&random, 2012);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        char cpu[80], device[128];
        uint64_t *blocks = malloc((tests[i].count + 1) * sizeof *blocks);
        make_trace(tests[i].shape, blocks, tests[i].count, tests[i].distinct,
                   &random);
        struct task task = {.count = tests[i].count,
                            .reset = tests[i].count / 4,
                            .blocks = blocks};
        snprintf(cpu, sizeof cpu, "hp-rda:%s", tests[i].parameters);
        snprintf(device, sizeof device, "%s,backend=%s", cpu, backend);
        struct margay_result wanted = run_spec(cpu, &task, &random);
        struct margay_result got = run_spec(device, &task, &random);
        task.wanted = wanted.histogram;
        task.distinct = wanted.distinct_blocks;
        CHECK(got.histogram != NULL && same_result(&task, &got),
              "%s, %zu references: as on the processor", device, task.count);
        margay_result_clear(&wanted);
        margay_result_clear(&got);
        free(blocks);
    }
}

#endif
