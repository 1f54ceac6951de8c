/*
 * test_engines_large.c - exact engines beyond what the naive stack can check
 *
 * Uniform traces long enough for several compactions of the time axis and
 * growths of the tables; only such traces fill every bucket and every part of
 * the axis.  The truth comes from olken, which test_engines.c has tested.
 * Engines with trees get shorter ones, unless MARGAY_TEST_ROUNDS asks for more.
 */
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/engines.h"

static void make_uniform(uint64_t *blocks, size_t count, uint64_t distinct)
{
    for (size_t i = 0; i < count; i++)
        blocks[i] = below(distinct);
}

/* A working set that moves on: everything old dies, the axis moves along. */
static void make_drift(uint64_t *blocks, size_t count, uint64_t distinct)
{
    for (size_t i = 0; i < count; i++)
        blocks[i] = (i / 4 + below(distinct)) << 20;
}

/* Bursts near the stack's top and long jumps: the filter comes and goes. */
static void make_phases(uint64_t *blocks, size_t count, uint64_t distinct)
{
    for (size_t i = 0; i < count; i++) {
        bool burst = i / 40000 % 2 == 0;
        blocks[i] =
            burst && !one_in(50) ? UINT64_MAX - below(12) : below(distinct);
    }
}

static void make_sweep(uint64_t *blocks, size_t count, uint64_t distinct)
{
    for (size_t i = 0; i < count; i++)
        blocks[i] = i % distinct;
}

/* By what the slower engines' traces are shorter. */
#define SLOWER 40

static const struct large {
    const char *name;
    void (*make)(uint64_t *blocks, size_t count, uint64_t distinct);
    uint64_t count, distinct, bound;
} larges[] = {
    {"uniform", make_uniform, 1200000, 160000, 60000},
    {"uniform", make_uniform, 500000, 20000, 19000},
    {"mostly cold", make_uniform, 600000, 400000, 3000},
    {"drift", make_drift, 600000, 20000, 5000},
    {"phases", make_phases, 600000, 60000, 10},
    {"sweep", make_sweep, 500000, 110000, 110000},
};

static bool is_quick(const char *spec)
{
    return strncmp(spec, "exact", 5) == 0 ||
           strcmp(spec, "bennett-kruskal:k=16") == 0 ||
           strcmp(spec, "holes:form=vector") == 0;
}

/* Engines that would take minutes, and that are the truth or its check. */
static bool is_left_out(const char *spec)
{
    return strncmp(spec, "naive", 5) == 0 || strncmp(spec, "olken", 5) == 0;
}

/* All engines that are as quick as that, with the task's bound. */
static void test_task(struct task *task, const char *name, bool quick)
{
    task->reset = (size_t)below(task->count);
    add_up(task);
    for (size_t i = 0; i < spec_count; i++) {
        const char *spec = specs[i].text;
        if (is_left_out(spec) || is_quick(spec) != quick ||
            (specs[i].needs_bound && task->bound == 0))
            continue;
        CHECK(passes(spec, task, 100000, i % 2 == 0 || task->bound == 0),
              "%s, %zu over %" PRIu64 ", bound %" PRIu64 ": %s", name,
              task->count, task->distinct, task->bound, spec);
    }
    margay_histogram_free(task->wanted);
}

static void test_large(const struct large *large, bool quick)
{
    uint64_t scale = quick ? 1 : SLOWER;
    size_t count = (size_t)rounds(large->count / scale);
    uint64_t bound = rounds((large->bound + scale - 1) / scale);
    uint64_t *blocks = malloc(count * sizeof *blocks);
    uint64_t *unbounded = malloc(count * sizeof *unbounded);
    uint64_t *bounded = malloc(count * sizeof *bounded);
    if (blocks == NULL || unbounded == NULL || bounded == NULL)
        abort();
    large->make(blocks, count, rounds(large->distinct / scale));
    struct task task = {
        .count = count, .blocks = blocks, .distances = unbounded};
    /* The quick ones' truth has had its own checked before. */
    task.distinct = ask_distances(quick ? "bennett-kruskal:k=2" : "olken",
                                  blocks, count, unbounded);
    test_task(&task, large->name, quick);
    apply_bound(bound, unbounded, count, bounded);
    task.bound = bound;
    task.distances = bounded;
    test_task(&task, large->name, quick);
    free(blocks);
    free(unbounded);
    free(bounded);
}

int main(void)
{
    seed_chance(2012);
    list_specs();
    for (size_t i = 0; i < sizeof larges / sizeof larges[0]; i++) {
        test_large(&larges[i], false);
        test_large(&larges[i], true);
    }
    return tap_done();
}
