/* cases.h - what every backend has to get right */
#ifndef MARGAY_TESTS_GPU_CASES_H
#define MARGAY_TESTS_GPU_CASES_H

#include "tests/chance.h"
#include "tests/stackdist/engines.h"
#include "tests/stackdist/shapes.h"

/* The result of a spec, counts forgotten on the way; cleared on failure. */
static inline struct margay_result run_spec(const char *spec,
                                            const struct task *task)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_result result = {0};
    struct margay_error error = {.message = ""};
    margay_engine *engine;
    if (margay_engine_create(spec, &options, &engine, &error) != MARGAY_OK ||
        feed_chunks(&engine, &options, 0, task, NULL, 9000, &error) !=
            MARGAY_OK ||
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
    seed_chance(2012);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        char cpu[80], device[128];
        uint64_t *blocks = malloc((tests[i].count + 1) * sizeof *blocks);
        make_trace(tests[i].shape, blocks, tests[i].count, tests[i].distinct);
        struct task task = {.count = tests[i].count,
                            .reset = tests[i].count / 4,
                            .blocks = blocks};
        snprintf(cpu, sizeof cpu, "hp-rda:%s", tests[i].parameters);
        snprintf(device, sizeof device, "%s,backend=%s", cpu, backend);
        struct margay_result wanted = run_spec(cpu, &task);
        struct margay_result got = run_spec(device, &task);
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
