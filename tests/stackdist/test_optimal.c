/*
 * test_optimal.c - the distances of the optimum, against Belady at every size
 */
#include "stackdist/optimal/machines.h"
#include "stackdist/stackdist_internal.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/belady.h"
#include "tests/stackdist/engines.h"
#include "tests/stackdist/shapes.h"
#include "tests/tap.h"

#define MOST_REFS 160

static const enum margay_measure measures[] = {MARGAY_OPTIMAL_DISTANCES,
                                               MARGAY_OPTIMAL_BYPASS_DISTANCES};
static const char *const names[] = {"without bypass", "with bypass"};

/* Is everything that the engine answers as `wanted` says, cut at a bound? */
static bool agrees(size_t measure, uint64_t bound, const uint64_t *trace,
                   size_t count, const uint64_t *wanted)
{
    static uint64_t distances[LONG_REFS];
    struct task task = {.measure = measures[measure],
                        .bound = bound,
                        .reset = (size_t)below(count),
                        .count = count,
                        .blocks = trace,
                        .distances = distances};
    for (size_t i = 0; i < count; i++)
        task.distinct += wanted[i] == MARGAY_INFINITE;
    apply_bound(bound, wanted, count, distances);
    add_up(&task);
    bool same = passes("exact", &task, 1 + below(count), !one_in(4));
    margay_histogram_free(task.wanted);
    return same;
}

/* ------------------------------------------------------------ the tests -- */

/* A random trace with and without a bound. */
static bool try_trace(unsigned shape, size_t measure)
{
    uint64_t trace[MOST_REFS], wanted[MOST_REFS];
    size_t count = 1 + (size_t)below(MOST_REFS);
    size_t blocks = 1 + (size_t)below(MOST_BLOCKS);
    make_trace((enum shape)shape, trace, count, blocks);
    ask_belady(trace, count, blocks, measure == 1, wanted);
    bool same = agrees(measure, 0, trace, count, wanted) &&
                agrees(measure, 1 + below(blocks + 2), trace, count, wanted);
    for (size_t i = 0; i < count && !same; i++)
        printf("%s%" PRIu64 "%s", i == 0 ? "#   " : " ", trace[i],
               i + 1 == count ? "\n" : "");
    return same;
}

/* Traces of each kind, with either measure. */
static void check_kinds(bool try(unsigned kind, size_t measure), uint64_t tries,
                        const char *const *kinds, unsigned kind_count,
                        const char *oracle)
{
    for (unsigned i = 0; i < 2 * kind_count; i++) {
        uint64_t same = 0;
        for (uint64_t k = 0; k < tries; k++)
            same += try(i / 2, i % 2);
        CHECK_U64(same, tries, "%s, %s, %s traces", oracle, names[i % 2],
                  kinds[i / 2]);
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
static bool try_long(unsigned pattern, size_t measure)
{
    static uint64_t trace[LONG_REFS], wanted[LONG_REFS];
    uint64_t blocks = 1 + below(LONG_BLOCKS);
    make_long((enum pattern)pattern, trace, blocks);
    ask_array(trace, LONG_REFS, measure == 1, wanted);
    bool same = agrees(measure, 0, trace, LONG_REFS, wanted);
    return agrees(measure, 1 + below(blocks), trace, LONG_REFS, wanted) && same;
}

/* ------------------------------------------------------- the end of time -- */

/* Feed an engine whose time begins with `first`. */
static bool agrees_from(uint32_t first, const struct task *task)
{
    static uint64_t distances[LONG_REFS];
    const struct margay_engine_class *class = &margay_engine_optimal;
    struct margay_engine_setup setup = {.options =
                                            MARGAY_ENGINE_OPTIONS_DEFAULT};
    void *state = margay_map(class->state_bytes);
    setup.options.measure = MARGAY_OPTIMAL_DISTANCES;
    bool same =
        state != NULL &&
        margay_optimal_create_at(&setup, first, state, NULL) == MARGAY_OK &&
        class->feed(state, task->blocks, task->count, distances, NULL) ==
            MARGAY_OK &&
        same_distances(task, distances);
    if (state != NULL)
        margay_engine_free_state(class, state);
    return same;
}

/* Times of 32 bits are used up in the middle of the trace. */
static void check_end_of_time(void)
{
    static uint64_t trace[LONG_REFS], wanted[LONG_REFS];
    const struct task task = {
        .count = LONG_REFS, .blocks = trace, .distances = wanted};
    make_long(STEEP, trace, LONG_BLOCKS);
    ask_array(trace, LONG_REFS, false, wanted);
    CHECK(agrees_from(1, &task), "time begins with 1");
    CHECK(agrees_from(UINT32_MAX - LONG_REFS / 3, &task), "time begins anew");
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
    for (size_t measure = 0; measure < 2; measure++) {
        uint64_t oracle[8];
        ask_belady(trace, 8, 3, measure == 1, oracle);
        CHECK(memcmp(oracle, wanted[measure], sizeof oracle) == 0,
              "the oracle's example, %s", names[measure]);
        CHECK(agrees(measure, 0, trace, 8, wanted[measure]), "the example, %s",
              names[measure]);
    }
}

int main(void)
{
    seed_chance(1);
    add_spec("exact", false);
    check_example();
    check_kinds(try_trace, rounds(1000), shape_names, SHAPES,
                "Belady at every size");
    check_kinds(try_long, rounds(2), pattern_names, PATTERNS,
                "machines in an array");
    check_targets();
    check_end_of_time();
    return tap_done();
}
