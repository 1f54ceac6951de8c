/*
 * test_plan.c - the plan of a run, over every combination of facts
 *
 * What is expected is written as a table of what each fact rules out, and not
 * as the plan's own conditions are.
 */
#include "sim/run/plan.h"
#include "tests/chance.h"

#include "tests/tap.h"
#include "traces/traces_internal.h"

/* What a fact may rule out. */
enum {
    TRACES = 1,   /* several traces at the same time */
    PARTS = 4,    /* parts of the file */
    RANKS = 8,    /* parts on ranks */
    BARE = 16,    /* a reader that gives numbers alone */
    PASSES = 32,  /* several block sizes at the same time */
    ONCE = 64,    /* numbers, fed once for all block sizes */
    SHARES = 128, /* machines that are simulated together */
    ALL = 253,
};

static const struct {
    size_t offset; /* of a bool in the facts */
    bool value;    /* that rules out */
    unsigned what;
} rules[] = {
#define FACT(name) offsetof(struct margay_plan_facts, name)
    {FACT(windows), true, TRACES | PARTS | RANKS},
    {FACT(looks_by_refs), true, PARTS | RANKS},
    {FACT(looks_by_time), true, PARTS | RANKS},
    {FACT(saves), true, PARTS | RANKS},
    {FACT(resumes), true, PARTS | RANKS},
    {FACT(warms_up), true, PARTS},
    {FACT(has_ranges), false, PARTS},
    {FACT(can.passes), false, PASSES},
    {FACT(can.traces), false, TRACES},
    {FACT(can.parts), false, PARTS},
    {FACT(can.ranks), false, RANKS},
    {FACT(can.shares), false, SHARES},
};

#define SWITCHES 19 /* bools that are tried both ways */

static void set_switches(struct margay_plan_facts *facts, uint32_t bits)
{
    bool *const switches[SWITCHES] = {
        &facts->windows,      &facts->looks_by_refs,  &facts->looks_by_time,
        &facts->saves,        &facts->resumes,        &facts->warms_up,
        &facts->trace_splits, &facts->has_ranges,     &facts->is_named,
        &facts->can.passes,   &facts->can.traces,     &facts->can.parts,
        &facts->can.ranks,    &facts->can.all_blocks, &facts->can.references,
        &facts->is_open,      &facts->by_lines,       &facts->can.shares,
        &facts->has_records,
    };
    for (unsigned i = 0; i < SWITCHES; i++)
        *switches[i] = (bits >> i & 1) != 0;
}

static uint64_t pick(const uint64_t *from, size_t count)
{
    return from[below(count)];
}

static void set_numbers(struct margay_plan_facts *facts)
{
    static const uint64_t threads[] = {0, 1, 2, 3, 8, 64, 1000};
    static const uint64_t traces[] = {1, 1, 2, 5, 100};
    static const uint64_t blocks[] = {0, 1, 2, 3, 20, 64};
    static const uint64_t refs[] = {0,       1,       1 << 18,
                                    1 << 19, 5000000, 1ull << 40};
    static const unsigned columns[] = {0, 0, MARGAY_COLUMN_KINDS,
                                       MARGAY_COLUMN_SITES |
                                           MARGAY_COLUMN_DISTANCES};
    facts->threads = (unsigned)pick(threads, 7);
    facts->trace_count = pick(traces, 5);
    facts->block_count = pick(blocks, 6);
    facts->ranks = (unsigned)(1 + 2 * below(2));
    facts->straddle = (enum margay_straddle)below(3);
    facts->refs = facts->has_ranges ? pick(refs, 6) : 0;
    facts->can.needs = columns[below(4)];
    facts->can.uses = columns[below(4)];
}

/* What is left when each fact has ruled out its own. */
static unsigned allowed(const struct margay_plan_facts *facts)
{
    unsigned left = ALL;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        bool value;
        memcpy(&value, (const char *)facts + rules[i].offset, sizeof value);
        if (value == rules[i].value)
            left &= ~rules[i].what;
    }
    if (facts->ranks == 1)
        left &= ~(unsigned)RANKS;
    if (left & RANKS)
        left &= ~(unsigned)(TRACES | BARE);
    if (facts->straddle == MARGAY_STRADDLE_SPLIT)
        left &= ~(unsigned)BARE;
    if ((facts->can.needs | facts->can.uses) != 0)
        left &= ~(unsigned)BARE;
    bool split = facts->straddle == MARGAY_STRADDLE_USUAL
                     ? facts->trace_splits
                     : facts->straddle == MARGAY_STRADDLE_SPLIT;
    bool keeps = facts->saves || facts->resumes;
    if (!facts->can.references && (split || keeps || !facts->can.all_blocks))
        left &= ~(unsigned)ONCE;
    return left;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool is_as_expected(const struct margay_plan_facts *facts,
                           const struct margay_plan *plan)
{
    unsigned left = allowed(facts);
    uint64_t threads = facts->threads == 0 ? 1 : facts->threads;
    uint64_t passes = facts->block_count == 0 ? 1 : facts->block_count;
    uint64_t traces = left & TRACES ? least(facts->trace_count, threads) : 1;
    uint64_t each = threads / traces;
    bool right = plan->traces == traces && plan->threads == each &&
                 plan->numbers_only == ((left & BARE) != 0);
    if (!facts->is_open)
        return right;
    uint64_t parts = least(
        least(facts->refs >> (facts->by_lines ? 20 : 18), each / passes), 64);
    enum margay_executor executor =
        left & RANKS ? MARGAY_ON_RANKS
        : left & PARTS && parts >= (facts->has_records ? 1 : 2)
            ? MARGAY_IN_PARTS
            : MARGAY_ONE_READER;
    uint64_t at_once = left & PASSES ? least(passes, each) : 1;
    return right && plan->executor == executor && plan->passes == at_once &&
           plan->pass_threads == each / at_once &&
           plan->all_blocks == ((left & ONCE) != 0) &&
           plan->shares == ((left & SHARES) != 0) &&
           (executor != MARGAY_IN_PARTS || plan->most_parts == parts) &&
           (executor != MARGAY_ON_RANKS ||
            plan->ranks_read ==
                (facts->has_ranges && !facts->by_lines && facts->is_named));
}

static void test_combinations(void)
{
    uint64_t wrong = 0, seen[3] = {0};
    seed_chance(15);
    for (uint32_t bits = 0; bits < UINT32_C(1) << SWITCHES; bits++) {
        struct margay_plan_facts facts = {0};
        struct margay_plan plan;
        set_switches(&facts, bits);
        set_numbers(&facts);
        margay_plan_make(&facts, &plan);
        if (!is_as_expected(&facts, &plan) && wrong++ < 3)
            printf("# switches %05x\n", bits);
        seen[plan.executor] += facts.is_open;
    }
    CHECK_U64(wrong, 0, "%u combinations are planned as the table says",
              1u << SWITCHES);
    CHECK(seen[0] > 1000 && seen[1] > 20 && seen[2] > 100,
          "each executor is among them");
}

/* The reader leaves out exactly the unused columns. */
static void test_columns(void)
{
    struct margay_plan plan;
    struct margay_plan_facts facts = {.ranks = 1};
    margay_plan_make(&facts, &plan);
    CHECK_U64(plan.columns, 0, "nothing is read that nothing looks at");
    facts.can.needs = MARGAY_COLUMN_SITES;
    facts.can.uses = MARGAY_COLUMN_KINDS;
    facts.straddle = MARGAY_STRADDLE_SPLIT;
    margay_plan_make(&facts, &plan);
    CHECK_U64(plan.columns,
              MARGAY_COLUMN_SITES | MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS,
              "what is needed, used, or split by is read");
}

static void test_texts(void)
{
    const struct margay_abilities engine = {
        .passes = true, .traces = true, .parts = true};
    const struct {
        struct margay_plan_facts facts;
        const char *text;
    } rows[] = {
        {{.trace_count = 1,
          .threads = 1,
          .ranks = 1,
          .is_open = true,
          .can = engine},
         "analysed in one piece, with 1 thread"},
        {{.trace_count = 1,
          .block_count = 2,
          .threads = 8,
          .ranks = 1,
          .can = engine,
          .is_open = true,
          .has_ranges = true,
          .refs = 10000000},
         "analysed in parts of the file, a thread each, at most 4 of them, "
         "with 8 threads; 2 block sizes, at the same time"},
        {{.trace_count = 1,
          .threads = 1,
          .ranks = 1,
          .can = engine,
          .is_open = true,
          .has_ranges = true,
          .has_records = true,
          .refs = 10000000},
         "analysed as it is read, without a reading thread, with 1 thread"},
        {{.trace_count = 1,
          .block_count = 3,
          .threads = 2,
          .ranks = 1,
          .is_open = true,
          .can = {.all_blocks = true}},
         "analysed in one piece, with 2 threads; 3 block sizes, in one "
         "structure"},
        {{.trace_count = 1,
          .block_count = 3,
          .threads = 2,
          .ranks = 1,
          .is_open = true,
          .trace_splits = true,
          .can = {.all_blocks = true}},
         "analysed in one piece, with 2 threads; 3 block sizes, one after the "
         "other"},
        {{.trace_count = 4,
          .threads = 2,
          .ranks = 3,
          .is_open = true,
          .can = {.ranks = true}},
         "analysed on ranks that one of them reads for, with 2 threads"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct margay_plan plan;
        char text[MARGAY_PLAN_TEXT_BYTES];
        margay_plan_make(&rows[i].facts, &plan);
        margay_plan_describe(&rows[i].facts, &plan, text);
        CHECK_TEXT(text, rows[i].text, "plan %zu, for people", i);
    }
}

int main(void)
{
    test_combinations();
    test_columns();
    test_texts();
    return tap_done();
}
