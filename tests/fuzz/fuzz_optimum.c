/* fuzz_optimum.c - Belady's optimum on any trace, against Belady's rule */
#include <inttypes.h>

#include "tests/fuzz/fuzz.h"
#include "tests/stackdist/belady.h"
#include "tests/stackdist/small_stretches.h"

/* Belady's rule takes the time of their number times the blocks' squared. */
#define BELADY_REFS 96

struct trace {
    size_t count;
    uint64_t blocks[LONG_REFS];
};

static void check_distance(const char *what, size_t i, uint64_t got,
                           uint64_t wanted)
{
    if (got != wanted)
        fuzz_fail("%s: reference %zu: %" PRIu64 ", expected %" PRIu64, what, i,
                  got, wanted);
}

static void try_machines(const struct trace *trace, const uint64_t *wanted)
{
    static uint32_t last[LONG_BLOCKS];
    struct margay_machines machines;
    create_small(&machines, UINT64_MAX);
    memset(last, 0, sizeof last);
    for (uint32_t i = 0; i < trace->count; i++) {
        struct margay_job job = {.from = last[trace->blocks[i]],
                                 .moment = i + 1};
        last[trace->blocks[i]] = i + 1;
        if (job.from != 0)
            check_distance("machines", i,
                           (uint64_t)give_to_small(&machines, job) - 1,
                           wanted[i]);
    }
    small_machines_destroy(&machines);
}

static void try_engine(const struct trace *trace, bool bypass, uint64_t bound,
                       const uint64_t *wanted)
{
    static uint64_t distances[LONG_REFS];
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    margay_engine *engine;
    options.measure =
        bypass ? MARGAY_OPTIMAL_BYPASS_DISTANCES : MARGAY_OPTIMAL_DISTANCES;
    options.bound_blocks = bound;
    if (margay_engine_create("exact", &options, &engine, NULL) != MARGAY_OK ||
        margay_engine_feed(engine, trace->blocks, trace->count, distances,
                           NULL) != MARGAY_OK)
        fuzz_fail("the engine fails");
    for (size_t i = 0; i < trace->count; i++)
        check_distance("engine", i, distances[i],
                       bound != 0 && wanted[i] >= bound ? MARGAY_INFINITE
                                                        : wanted[i]);
    margay_engine_free(engine);
}

/* The first byte chooses how many bytes a block has, and the number of blocks;
   the second, whether they may pass the cache by, and a bound. */
void fuzz_optimum(const char *name, const uint8_t *data, size_t bytes)
{
    static struct trace trace;
    static uint64_t wanted[LONG_REFS], belady[BELADY_REFS];
    (void)name;
    if (bytes < 2)
        return;
    size_t width = 1 + data[0] % 2, most = 1 + (data[0] >> 1) * 16u;
    bool bypass = data[1] % 2;
    trace.count = 0;
    for (size_t i = 2; i + width <= bytes && trace.count < LONG_REFS;
         i += width)
        trace.blocks[trace.count++] =
            (data[i] + (width > 1 ? data[i + 1] * UINT64_C(256) : 0)) % most;
    ask_array(trace.blocks, trace.count, bypass, wanted);
    if (most <= MOST_BLOCKS && trace.count <= BELADY_REFS) {
        ask_belady(trace.blocks, trace.count, most, bypass, belady);
        for (size_t i = 0; i < trace.count; i++)
            check_distance("array", i, wanted[i], belady[i]);
    }
    try_engine(&trace, bypass, data[1] >> 1, wanted);
    if (bypass)
        try_machines(&trace, wanted);
}
