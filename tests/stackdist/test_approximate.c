/*
 * test_approximate.c - engines that promise a precision keep it, always
 *
 * Every reference of many random traces is held against the naive stack.
 */
#include <math.h>

#include "stackdist/engines/approximate.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/results.h"
#include "tests/stackdist/shapes.h"
#include "tests/tap.h"

#define LONGEST_TRACE 6000
#define LONG_REFS     300000 /* of one for deep trees */

/* What an engine promises: precision, and how many nodes it needs. */
struct promise {
    char name[40];
    const struct margay_engine_class *class;
    struct margay_engine_setup setup;
    double relative;   /* d - d' <= relative * d ... */
    uint64_t absolute; /* ... + absolute */
};

static struct promise scale(double e)
{
    return (struct promise){.class = &margay_engine_scale_tree,
                            .setup = {.settings = {.fractions = {e}}},
                            .relative = e};
}

static struct promise absolute(uint64_t b, uint64_t c, unsigned tree)
{
    return (struct promise){
        .class = &margay_engine_absolute,
        .setup = {.settings = {.counts = {b, c}, .choices = {0, 0, tree}}},
        .absolute = b};
}

static bool is_kept(const struct promise *promise, uint64_t d, uint64_t got)
{
    if (d == MARGAY_INFINITE || got == MARGAY_INFINITE)
        return d == got;
    return got <= d &&
           (double)(d - got) <= promise->relative * (double)d * (1 + 1e-12) +
                                    (double)promise->absolute;
}

static double most_nodes(const struct promise *promise, double blocks)
{
    if (promise->relative > 0)
        return 4 * log(blocks < 1 ? 1 : blocks) / -log1p(-promise->relative) +
               5;
    double b = (double)promise->setup.settings.counts[0];
    double c = (double)promise->setup.settings.counts[1];
    return 2 * blocks / (b + 1) + 2 * c + 3;
}

/* Feed a trace, times ending at `end`; true if all that is promised holds. */
static bool keeps(const struct promise *promise, const uint64_t *blocks,
                  size_t count, const uint64_t *distances, uint64_t distinct,
                  uint32_t end)
{
    static uint64_t got[LONG_REFS];
    const struct margay_engine_class *class = promise->class;
    struct margay_result result = {0};
    void *state;
    if (margay_engine_make_state(class, &promise->setup, &state, NULL) !=
        MARGAY_OK)
        abort();
    ((struct margay_approximate *)state)->end = end;
    bool good = class->feed(state, blocks, count, got, NULL) == MARGAY_OK &&
                class->finish(state, &result, NULL) == MARGAY_OK;
    margay_engine_free_state(class, state);
    for (size_t i = 0; i < count && good; i++) {
        good = is_kept(promise, distances[i], got[i]);
        if (!good)
            printf("#   reference %zu: %" PRIu64 " instead of %" PRIu64 "\n", i,
                   got[i], distances[i]);
    }
    if (good && (double)result.nodes > most_nodes(promise, (double)distinct)) {
        printf("#   %" PRIu64 " nodes for %" PRIu64 " blocks\n", result.nodes,
               distinct);
        good = false;
    }
    good = good && result.distinct_blocks == distinct &&
           margay_histogram_references(result.histogram) == count;
    margay_histogram_free(result.histogram);
    return good;
}

#define MOST_PROMISES 20

static struct promise promises[MOST_PROMISES];
static size_t promise_count;

static void add(const char *name, struct promise promise)
{
    promises[promise_count] = promise;
    snprintf(promises[promise_count++].name, sizeof promise.name, "%s", name);
}

static void add_absolutes(const char *name, unsigned tree)
{
    static const uint64_t settings[][2] = {{1, 0}, {7, 0},   {100, 0},
                                           {7, 5}, {64, 64}, {20, 300}};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        uint64_t b = settings[i][0], c = settings[i][1];
        char text[40];
        snprintf(text, sizeof text,
                 "absolute:b=%" PRIu64 ",c=%" PRIu64 ",tree=%s", b, c, name);
        add(text, absolute(b, c, tree));
    }
}

/* Each trace for all of them, as it is and with time that runs out again and
   again. */
static void test_promises(void)
{
    static uint64_t blocks[LONGEST_TRACE], distances[LONGEST_TRACE];
    uint64_t number = rounds(60), failures[MOST_PROMISES][2] = {{0}};
    for (uint64_t round = 0; round < number; round++) {
        size_t count = (size_t)below(LONGEST_TRACE);
        enum shape shape = (enum shape)(round % SHAPES);
        make_trace(shape, blocks, count, 1 + below(count / 2 + 3));
        uint64_t distinct = ask_distances("naive", blocks, count, distances);
        for (size_t i = 0; i < promise_count; i++) {
            failures[i][0] += !keeps(&promises[i], blocks, count, distances,
                                     distinct, UINT32_MAX);
            failures[i][1] += !keeps(&promises[i], blocks, count, distances,
                                     distinct, LONGEST_TRACE / 2 + 2000);
        }
    }
    for (size_t i = 0; i < promise_count; i++) {
        CHECK_U64(failures[i][0], 0, "%" PRIu64 " traces: %s", number,
                  promises[i].name);
        CHECK_U64(failures[i][1], 0, "%" PRIu64 " traces, time renewed: %s",
                  number, promises[i].name);
    }
}

static void test_long(void)
{
    static uint64_t blocks[LONG_REFS], distances[LONG_REFS];
    size_t count = (size_t)rounds(LONG_REFS);
    count = count < LONG_REFS ? count : LONG_REFS;
    make_trace(SKEWED, blocks, count, count / 4 + 1);
    uint64_t distinct = ask_distances("exact", blocks, count, distances);
    for (size_t i = 0; i < promise_count; i++)
        CHECK(
            keeps(&promises[i], blocks, count, distances, distinct, UINT32_MAX),
            "%zu references: %s", count, promises[i].name);
}

/* Zhong et al., Fig. 2(d): a query on the tree that the figure shows. */
static void test_figure_query(void)
{
    struct margay_ranges ranges;
    if (margay_ranges_create(&ranges, NULL) != MARGAY_OK)
        abort();
    static const uint32_t ends[] = {7, 10, 11}, sizes[] = {4, 2, 1};
    for (uint32_t i = 0; i < 3; i++) {
        ranges.ends[i] = ends[i];
        margay_ranges_sizes(&ranges)[i] = sizes[i];
    }
    margay_ranges_rewrite(&ranges, 3);
    CHECK_U64(margay_ranges_newer(&ranges, margay_ranges_find(&ranges, 4)), 3,
              "TOPLAS, Fig. 2(d): b is 3 from the top by the drawn tree");
    margay_ranges_destroy(&ranges);
}

/* The figure's trace never fills the tree, so the answer is exact. */
static void test_figure_trace(void)
{
    struct promise promise = scale(0.67);
    const char *trace = "dacbccgefafb";
    uint64_t blocks[12], distances[12];
    struct margay_result result;
    void *state;
    for (size_t i = 0; i < 12; i++)
        blocks[i] = (uint64_t)trace[i];
    if (margay_engine_make_state(promise.class, &promise.setup, &state, NULL) !=
        MARGAY_OK)
        abort();
    promise.class->feed(state, blocks, 12, distances, NULL);
    promise.class->finish(state, &result, NULL);
    margay_engine_free_state(promise.class, state);
    margay_histogram_free(result.histogram);
    CHECK_U64(distances[11], 5, "TOPLAS, Fig. 2(d): fed the trace, b is at 5");
}

int main(void)
{
    seed_chance(2009);
    test_figure_query();
    test_figure_trace();
    add("scale-tree:e=0.5", scale(0.5));
    add("scale-tree:e=0.1", scale(0.1));
    add("scale-tree:e=0.05", scale(0.05));
    add("absolute:b=0,c=0", absolute(0, 0, 0));
    add("absolute:b=0,c=3,tree=splay", absolute(0, 3, 1));
    add_absolutes("btree", 0);
    add_absolutes("splay", 1);
    test_promises();
    test_long();
    return tap_done();
}
