/* test_kept.c - jobs of the optimum that are kept and given together */
/* Its function, as the headers declare it. */
#define margay_optimal_create_at keeping_create_at

#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/belady.h"
#include "tests/stackdist/engines.h"
#include "tests/stackdist/shapes.h"
#include "tests/tap.h"

/* An engine of its own, that keeps jobs all the time. */
#define JUDGED_JOBS           3
#define MANY_PASSED           -1
#define LEAST_KEPT            ((size_t)5)
#define margay_engine_optimal keeping_engine
#include "stackdist/optimal/optimal.c"

#define MOST_REFS 160

/* Feed a trace in pieces, asking for the distances of some; between them look
   at the counts, or reset them. */
static bool agrees(void *state, const struct task *task)
{
    struct margay_result result = {.histogram = NULL};
    bool same = true;
    for (size_t done = 0, some; done < task->count && same; done += some) {
        uint64_t distances[MOST_REFS];
        bool asked = one_in(6);
        if (done == task->reset)
            reset_counts(state);
        else if (one_in(8) && finish(state, &result, NULL) == MARGAY_OK)
            margay_result_clear(&result);
        some = 1 + (size_t)below(
                       (done < task->reset ? task->reset : task->count) - done);
        same = feed(state, task->blocks + done, some, asked ? distances : NULL,
                    NULL) == MARGAY_OK &&
               (!asked || memcmp(distances, task->distances + done,
                                 some * sizeof *distances) == 0);
    }
    same = same && finish(state, &result, NULL) == MARGAY_OK &&
           same_result(task, &result);
    margay_result_clear(&result);
    return same;
}

static bool try_trace(enum shape shape, bool bypass)
{
    const struct margay_engine_class *class = &keeping_engine;
    struct margay_engine_setup setup = {.options =
                                            MARGAY_ENGINE_OPTIONS_DEFAULT};
    uint64_t trace[MOST_REFS], wanted[MOST_REFS], distances[MOST_REFS];
    size_t count = 1 + (size_t)below(MOST_REFS);
    size_t blocks = 1 + (size_t)below(MOST_BLOCKS);
    uint64_t bound = one_in(2) ? 0 : 1 + below(blocks + 2);
    struct task task = {.bound = bound,
                        .reset = (size_t)below(count),
                        .count = count,
                        .blocks = trace,
                        .distances = distances};
    make_trace(shape, trace, count, blocks);
    ask_belady(trace, count, blocks, bypass, wanted);
    for (size_t i = 0; i < count; i++)
        task.distinct += wanted[i] == MARGAY_INFINITE;
    apply_bound(bound, wanted, count, distances);
    add_up(&task);
    setup.options.measure =
        bypass ? MARGAY_OPTIMAL_BYPASS_DISTANCES : MARGAY_OPTIMAL_DISTANCES;
    setup.options.bound_blocks = bound;
    /* Times may end in the middle. */
    uint32_t first = one_in(4) ? UINT32_MAX - 1100 - (uint32_t)below(100) : 1;
    void *state = margay_map(class->state_bytes);
    bool same = state != NULL &&
                keeping_create_at(&setup, first, state, NULL) == MARGAY_OK &&
                agrees(state, &task);
    margay_histogram_free(task.wanted);
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
