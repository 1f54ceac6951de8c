/*
 * test_optimal.c - the distances of the optimum, against Belady at every size
 */
#include "stackdist/optimal/machines.h"
#include "stackdist/optimal/optimal.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/belady.h"
#include "tests/stackdist/results.h"
#include "tests/stackdist/shapes.h"
#include "tests/tap.h"

#define MOST_REFS 160

static const enum margay_measure measures[] = {MARGAY_OPTIMAL_DISTANCES,
                                               MARGAY_OPTIMAL_BYPASS_DISTANCES};
static const char *const names[] = {"without bypass", "with bypass"};

/* ---------------------------------------------------------- the engine -- */

struct options {
    enum margay_measure measure;
    uint64_t bound;
    size_t reset;         /* counts are forgotten before that reference */
    size_t longest_chunk; /* references per call, at most */
};

static bool add_up(const uint64_t *distances, const struct options *options,
                   size_t count, margay_histogram *histogram)
{
    for (size_t i = options->reset; i < count; i++) {
        bool infinite = options->bound != 0 && distances[i] >= options->bound;
        if (margay_histogram_add(histogram,
                                 infinite ? MARGAY_INFINITE : distances[i], 1,
                                 NULL) != MARGAY_OK)
            return false;
    }
    return true;
}

static bool same_counts(margay_engine *engine, const uint64_t *distances,
                        const struct options *options, size_t count)
{
    struct margay_result result;
    margay_histogram *wanted;
    if (margay_histogram_create(&wanted, NULL) != MARGAY_OK)
        abort();
    bool same = add_up(distances, options, count, wanted) &&
                margay_engine_finish(engine, &result, NULL) == MARGAY_OK &&
                same_histogram(result.histogram, wanted);
    margay_histogram_free(wanted);
    margay_result_clear(&result);
    return same;
}

static bool feed(margay_engine *engine, const uint64_t *trace, size_t count,
                 const struct options *options, uint64_t *distances)
{
    for (size_t at = 0, chunk; at < count; at += chunk) {
        chunk = 1 + (size_t)below(options->longest_chunk);
        if (chunk > count - at)
            chunk = count - at;
        if (at < options->reset && at + chunk > options->reset)
            chunk = options->reset - at;
        if (at == options->reset)
            margay_engine_reset_counts(engine);
        if (margay_engine_feed(engine, trace + at, chunk, distances + at,
                               NULL) != MARGAY_OK)
            return false;
    }
    return true;
}

static bool same_distances(const uint64_t *got, const uint64_t *wanted,
                           size_t count, uint64_t bound)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t expected =
            bound != 0 && wanted[i] >= bound ? MARGAY_INFINITE : wanted[i];
        if (got[i] != expected) {
            printf("#   reference %zu: %" PRIu64 ", expected %" PRIu64 "\n", i,
                   got[i], expected);
            return false;
        }
    }
    return true;
}

/* Is everything that the engine answers as `wanted` says? */
static bool agrees(const uint64_t *trace, size_t count, const uint64_t *wanted,
                   const struct options *options)
{
    struct margay_engine_options made = MARGAY_ENGINE_OPTIONS_DEFAULT;
    margay_engine *engine;
    made.measure = options->measure;
    made.bound_blocks = options->bound;
    if (margay_engine_create("exact", &made, &engine, NULL) != MARGAY_OK)
        return false;
    uint64_t *distances = calloc(count + 1, sizeof *distances);
    bool same = distances != NULL &&
                feed(engine, trace, count, options, distances) &&
                same_distances(distances, wanted, count, options->bound) &&
                same_counts(engine, wanted, options, count);
    free(distances);
    margay_engine_free(engine);
    return same;
}

/* ------------------------------------------------------------ the tests -- */

static void print_trace(const uint64_t *trace, size_t count)
{
    printf("#  ");
    for (size_t i = 0; i < count; i++)
        printf(" %" PRIu64, trace[i]);
    printf("\n");
}

/* A random trace with and without a bound; options are random, too. */
static bool try_trace(enum shape shape, size_t measure)
{
    uint64_t trace[MOST_REFS], wanted[MOST_REFS];
    size_t count = 1 + (size_t)below(MOST_REFS);
    size_t blocks = 1 + (size_t)below(MOST_BLOCKS);
    struct options options = {.measure = measures[measure],
                              .reset = (size_t)below(count),
                              .longest_chunk = 1 + (size_t)below(MOST_REFS)};
    make_trace(shape, trace, count, blocks);
    ask_belady(trace, count, blocks,
               options.measure == MARGAY_OPTIMAL_BYPASS_DISTANCES, wanted);
    bool same = agrees(trace, count, wanted, &options);
    options.bound = 1 + below(blocks + 2);
    same = same && agrees(trace, count, wanted, &options);
    if (!same)
        print_trace(trace, count);
    return same;
}

static void check_belady(void)
{
    for (size_t measure = 0; measure < 2; measure++) {
        for (unsigned shape = 0; shape < SHAPES; shape++) {
            uint64_t tries = rounds(1000), same = 0;
            for (uint64_t i = 0; i < tries; i++)
                same += try_trace((enum shape)shape, measure);
            CHECK_U64(same, tries, "Belady at every size, %s, %s traces",
                      names[measure], shape_names[shape]);
        }
    }
}

/* ------------------------------------------------------- long traces -- */

/* The same from the machines that are compiled for a target, without the rest
   of the engine. */
static bool agree_machines(const uint64_t *trace, enum margay_target target,
                           const uint64_t *wanted)
{
    static uint32_t last[LONG_BLOCKS];
    struct margay_machines machines;
    bool same = true;
    margay_machines_create(&machines, UINT64_MAX, target);
    memset(last, 0, sizeof last);
    for (uint32_t i = 0; i < LONG_REFS && same; i++) {
        struct margay_job job = {.from = last[trace[i]], .moment = i + 1};
        last[trace[i]] = i + 1;
        if (margay_machines_reserve(&machines, 1, NULL) != MARGAY_OK)
            abort();
        if (job.from != 0)
            machines.kernel->give(&machines, &job, 1);
        same = wanted[i] == (uint64_t)job.machine - 1; /* 0: infinite */
    }
    margay_machines_destroy(&machines);
    return same;
}

static void check_targets(void)
{
    static uint64_t trace[LONG_REFS], wanted[LONG_REFS];
    for (unsigned pattern = 0; pattern < PATTERNS; pattern++) {
        make_long((enum pattern)pattern, trace, LONG_BLOCKS);
        ask_array(trace, LONG_REFS, true, wanted);
        for (unsigned target = 0; target <= MARGAY_TARGET_V4; target++) {
            if (margay_target_available((enum margay_target)target))
                CHECK(agree_machines(trace, (enum margay_target)target, wanted),
                      "machines for %s, %s traces",
                      margay_target_name((enum margay_target)target),
                      pattern_names[pattern]);
        }
    }
}

/* With and without a bound. */
static bool try_long(enum pattern pattern, size_t measure)
{
    static uint64_t trace[LONG_REFS], wanted[LONG_REFS];
    uint64_t blocks = 1 + below(LONG_BLOCKS);
    struct options options = {.measure = measures[measure],
                              .reset = (size_t)below(LONG_REFS),
                              .longest_chunk = 1 + (size_t)below(LONG_REFS)};
    make_long(pattern, trace, blocks);
    ask_array(trace, LONG_REFS, measure == 1, wanted);
    bool same = agrees(trace, LONG_REFS, wanted, &options);
    options.bound = 1 + below(blocks);
    return agrees(trace, LONG_REFS, wanted, &options) && same;
}

static void check_long(void)
{
    for (size_t measure = 0; measure < 2; measure++) {
        for (unsigned pattern = 0; pattern < PATTERNS; pattern++) {
            uint64_t tries = rounds(2), same = 0;
            for (uint64_t i = 0; i < tries; i++)
                same += try_long((enum pattern)pattern, measure);
            CHECK_U64(same, tries, "machines in an array, %s, %s traces",
                      names[measure], pattern_names[pattern]);
        }
    }
}

/* ------------------------------------------------------- the end of time -- */

/* Feed an engine whose time begins with `first`. */
static bool agrees_from(uint32_t first, const uint64_t *trace, size_t count,
                        const uint64_t *wanted, uint64_t *distances)
{
    const struct margay_engine_class *class = &margay_engine_optimal;
    struct margay_engine_setup setup = {.options =
                                            MARGAY_ENGINE_OPTIONS_DEFAULT};
    void *state = margay_map(class->state_bytes);
    setup.options.measure = MARGAY_OPTIMAL_DISTANCES;
    bool same =
        state != NULL &&
        margay_optimal_create_at(&setup, first, state, NULL) == MARGAY_OK &&
        class->feed(state, trace, count, distances, NULL) == MARGAY_OK &&
        same_distances(distances, wanted, count, 0);
    if (state != NULL)
        margay_engine_free_state(class, state);
    return same;
}

/* Times of 32 bits are used up in the middle of the trace. */
static void check_end_of_time(void)
{
    static uint64_t trace[LONG_REFS], wanted[LONG_REFS], distances[LONG_REFS];
    make_long(STEEP, trace, LONG_BLOCKS);
    ask_array(trace, LONG_REFS, false, wanted);
    CHECK(agrees_from(1, trace, LONG_REFS, wanted, distances),
          "time begins with 1");
    CHECK(agrees_from(UINT32_MAX - LONG_REFS / 3, trace, LONG_REFS, wanted,
                      distances),
          "time begins anew");
}

/* ------------------------------------------------------------------------ */

/* Small enough to be followed by hand: of three blocks in a circle, a cache of
   two keeps one for its next use. */
static void check_example(void)
{
    static const uint64_t trace[] = {1, 2, 3, 1, 2, 3, 3, 1};
    static const uint64_t wanted[2][8] = {
        {MARGAY_INFINITE, MARGAY_INFINITE, MARGAY_INFINITE, 1, 2, 1, 0, 2},
        {MARGAY_INFINITE, MARGAY_INFINITE, MARGAY_INFINITE, 0, 1, 2, 0, 1}};
    seed_chance(1);
    for (size_t measure = 0; measure < 2; measure++) {
        struct options options = {.measure = measures[measure],
                                  .longest_chunk = 8};
        uint64_t oracle[8];
        ask_belady(trace, 8, 3, measure == 1, oracle);
        CHECK(same_distances(oracle, wanted[measure], 8, 0),
              "the oracle's example, %s", names[measure]);
        CHECK(agrees(trace, 8, wanted[measure], &options), "the example, %s",
              names[measure]);
    }
}

int main(void)
{
    seed_chance(1);
    check_example();
    check_belady();
    check_long();
    check_targets();
    check_end_of_time();
    return tap_done();
}
