/*
 * test_engines.c - every exact engine on worked examples and small traces
 *
 * The truth about a random trace comes from the naive stack without a bound;
 * the naive stack itself is tested on the worked examples of the literature.
 */
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/engines.h"
#include "tests/stackdist/shapes.h"

#define X MARGAY_INFINITE

/* ------------------------------------------------------------ examples -- */

static const struct example {
    const char *source;
    const char *trace; /* a letter is a block */
    uint64_t bound;
    uint64_t distances[32];
} examples[] = {
    {"PARDA, Table I", "dacbccgefa", 0, {X, X, X, X, 1, 0, X, X, X, 5}},
    {"PARDA, Table II",
     "dacbccgefafbc",
     0,
     {X, X, X, X, 1, 0, X, X, X, 5, 1, 5, 5}},
    {"PARDA, Table III",
     "dacbccgefafbcmtmacfbdcac",
     0,
     {X, X, X, X, 1, 0, X, X, X, 5, 1, 5, 5, X, X, 1, 5, 3, 5, 5, 8, 3, 4, 1}},
    {"PARDA, Table III, bound 4",
     "dacbccgefafbcmtmacfbdcac",
     4,
     {X, X, X, X, 1, 0, X, X, X, X, 1, X, X, X, X, 1, X, 3, X, X, X, 3, X, 1}},
    {"Fu, Fig. 1, bound 7",
     "dcabbfegafhe",
     7,
     {X, X, X, X, 0, X, X, X, 4, 3, X, 4}},
    {"Zhong, Fig. 2 and Cui, Fig. 1",
     "dacbccgefafb",
     0,
     {X, X, X, X, 1, 0, X, X, X, 5, 1, 5}},
    /* Index 13 is the paper's; the others follow from the definition. */
    {"Cui, Fig. 5b",
     "cabcdedgbcbda",
     0,
     {X, X, X, 2, X, X, 1, X, 4, 4, 1, 3, 5}},
    {"an empty trace", "", 0, {0}},
    {"one reference", "a", 0, {X}},
    {"one block, bound 1", "aaa", 1, {X, 0, 0}},
    {"two blocks in turn, bound 1", "abab", 1, {X, X, X, X}},
};

static uint64_t count_distinct(const char *trace)
{
    uint64_t distinct = 0;
    for (const char *c = trace; *c != '\0'; c++)
        distinct += strchr(trace, *c) == c;
    return distinct;
}

static void test_example(const struct example *example)
{
    uint64_t blocks[32];
    size_t count = strlen(example->trace);
    for (size_t i = 0; i < count; i++)
        blocks[i] = (uint64_t)example->trace[i];
    struct task task = {
        .bound = example->bound,
        .count = count,
        .blocks = blocks,
        .distances = example->distances,
        .distinct = count_distinct(example->trace),
    };
    add_up(&task);
    for (size_t i = 0; i < spec_count; i++) {
        if (specs[i].needs_bound && task.bound == 0)
            task.bound = task.distinct + 1;
        CHECK(passes(specs[i].text, &task, 32, true), "%s: %s", example->source,
              specs[i].text);
        task.bound = example->bound;
    }
    margay_histogram_free(task.wanted);
}

/* -------------------------------------------------------- differential -- */

#define LONGEST_TRACE 4096

/* Mostly short, as that is where the boundaries are. */
static size_t random_length(void)
{
    static const uint64_t longest[] = {8, 70, 300, 300, 1000, LONGEST_TRACE};
    return (size_t)below(1 + longest[below(6)]);
}

static uint64_t random_bound(void)
{
    switch (below(8)) {
    case 0:
    case 1:
        return 0;
    case 2:
    case 3:
        return 1 + below(400);
    case 4:
        return UINT64_MAX - below(2);
    default:
        return 1 + below(20);
    }
}

/* One random trace through all specs; counts failures per spec. */
static void run_round(enum shape shape, unsigned *failures)
{
    static uint64_t blocks[LONGEST_TRACE], unbounded[LONGEST_TRACE],
        distances[LONGEST_TRACE];
    size_t count = random_length();
    make_trace(shape, blocks, count, 1 + below(count / 2 + 3));
    struct task task = {
        .bound = random_bound(),
        .count = count,
        .blocks = blocks,
        .distances = distances,
        .distinct = ask_distances("naive", blocks, count, unbounded),
    };
    if (count != 0 && one_in(3))
        task.reset = (size_t)below(count);
    apply_bound(task.bound, unbounded, count, distances);
    add_up(&task);
    uint64_t longest_chunk = 1 + below(count + 1);
    for (size_t i = 0; i < spec_count; i++) {
        if (specs[i].needs_bound && task.bound == 0)
            continue;
        bool ask_distances = !one_in(4);
        failures[i] += failures[i] < 3 && !passes(specs[i].text, &task,
                                                  longest_chunk, ask_distances);
    }
    margay_histogram_free(task.wanted);
}

static void test_shape(enum shape shape)
{
    unsigned failures[MAX_SPECS] = {0};
    uint64_t number = rounds(200);
    for (uint64_t round = 0; round < number; round++)
        run_round(shape, failures);
    for (size_t i = 0; i < spec_count; i++)
        CHECK_U64(failures[i], 0, "%" PRIu64 " %s traces: %s", number,
                  shape_names[shape], specs[i].text);
}

int main(void)
{
    seed_chance(1970);
    list_specs();
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
        test_example(&examples[i]);
    for (enum shape shape = 0; shape < SHAPES; shape++)
        test_shape(shape);
    return tap_done();
}
