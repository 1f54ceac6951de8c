/* test_kept.c - jobs of the optimum that are kept and given together */
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/belady.h"
#include "tests/stackdist/results.h"
#include "tests/stackdist/shapes.h"
#include "tests/tap.h"

/* An engine of its own, that keeps jobs all the time. */
#define JUDGED_JOBS                  3
#define MANY_PASSED                  -1
#define LEAST_KEPT                   ((size_t)5)
#define margay_optimal_create_at     keeping_create_at
#define margay_engine_optimal        keeping_engine
#define margay_engine_optimal_bypass keeping_engine_bypass
#include "stackdist/optimal/optimal.c"

#define MOST_REFS 160

static bool add_some(margay_histogram *histogram, const uint64_t *distances,
                     size_t count, uint64_t bound)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t distance =
            distances[i] >= bound ? MARGAY_INFINITE : distances[i];
        if (margay_histogram_add(histogram, distance, 1, NULL) != MARGAY_OK)
            return false;
    }
    return true;
}

static bool is_counted(void *state, const margay_histogram *wanted)
{
    struct margay_result result = {.histogram = NULL};
    bool same = peek(state, &result, NULL) == MARGAY_OK &&
                same_histogram(result.histogram, wanted);
    margay_result_clear(&result);
    return same;
}

/* Feed a trace in pieces; between them look at the counts, or reset them, and
   ask for distances of some pieces. */
static bool agrees(void *state, const uint64_t *trace, size_t count,
                   const uint64_t *wanted, uint64_t bound)
{
    margay_histogram *counts;
    bool same = margay_histogram_create(&counts, NULL) == MARGAY_OK;
    for (size_t done = 0, some; done < count && same; done += some) {
        uint64_t distances[MOST_REFS];
        bool asked = one_in(6);
        some = 1 + (size_t)below(count - done);
        same = feed(state, trace + done, some, asked ? distances : NULL,
                    NULL) == MARGAY_OK &&
               add_some(counts, wanted + done, some, bound);
        for (size_t i = 0; asked && i < some && same; i++)
            same =
                distances[i] == (wanted[done + i] >= bound ? MARGAY_INFINITE
                                                           : wanted[done + i]);
        if (one_in(8)) {
            reset_counts(state);
            margay_histogram_clear(counts);
        }
        if (one_in(8))
            same = same && is_counted(state, counts);
    }
    same = same && is_counted(state, counts);
    margay_histogram_free(counts);
    return same;
}

static bool try_trace(enum shape shape, bool bypass)
{
    const struct margay_engine_class *class =
        bypass ? &keeping_engine_bypass : &keeping_engine;
    struct margay_engine_setup setup = {.options =
                                            MARGAY_ENGINE_OPTIONS_DEFAULT};
    uint64_t trace[MOST_REFS], wanted[MOST_REFS];
    size_t count = 1 + (size_t)below(MOST_REFS);
    size_t blocks = 1 + (size_t)below(MOST_BLOCKS);
    uint64_t bound = one_in(2) ? 0 : 1 + below(blocks + 2);
    make_trace(shape, trace, count, blocks);
    ask_belady(trace, count, blocks, bypass, wanted);
    setup.options.measure =
        bypass ? MARGAY_OPTIMAL_BYPASS_DISTANCES : MARGAY_OPTIMAL_DISTANCES;
    setup.options.bound_blocks = bound;
    /* Times may end in the middle. */
    uint32_t first = one_in(4) ? UINT32_MAX - 1100 - (uint32_t)below(100) : 1;
    void *state = margay_map(class->state_bytes);
    bool same =
        state != NULL &&
        keeping_create_at(&setup, first, state, NULL) == MARGAY_OK &&
        agrees(state, trace, count, wanted, bound == 0 ? UINT64_MAX : bound);
    if (state != NULL)
        margay_engine_free_state(class, state);
    return same;
}

int main(void)
{
    seed_chance(1);
    for (unsigned i = 0; i < 2 * SHAPES; i++) {
        uint64_t tries = rounds(800), same = 0;
        for (uint64_t k = 0; k < tries; k++)
            same += try_trace((enum shape)(i / 2), i % 2 != 0);
        CHECK_U64(same, tries, "Belady at every size, %s, %s traces",
                  i % 2 != 0 ? "with bypass" : "without bypass",
                  shape_names[i / 2]);
    }
    return tap_done();
}
