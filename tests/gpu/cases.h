/* cases.h - what every backend has to get right */
#ifndef MARGAY_TESTS_GPU_CASES_H
#define MARGAY_TESTS_GPU_CASES_H

#include "tests/chance.h"
#include "tests/stackdist/results.h"
#include "tests/stackdist/shapes.h"
#include "tests/tap.h"

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
    const struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    seed_chance(2012);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        char cpu[80], device[128];
        uint64_t *blocks = malloc((tests[i].count + 1) * sizeof *blocks);
        make_trace(tests[i].shape, blocks, tests[i].count, tests[i].distinct);
        snprintf(cpu, sizeof cpu, "hp-rda:%s", tests[i].parameters);
        snprintf(device, sizeof device, "%s,backend=%s", cpu, backend);
        size_t count = tests[i].count;
        struct margay_result wanted =
            run_engine(cpu, &options, blocks, count, count / 4);
        struct margay_result got =
            run_engine(device, &options, blocks, count, count / 4);
        CHECK(same_results(&wanted, &got),
              "%s, %zu references: as on the processor", device, count);
        margay_result_clear(&wanted);
        margay_result_clear(&got);
        free(blocks);
    }
}

#endif
