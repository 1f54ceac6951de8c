/*
 * test_exact.c - the exact engine where a trace would not easily take it
 *
 * Timestamps pass 2^32 only after billions of references over hundreds of
 * millions of blocks, so time is made to begin shortly before.
 */
#include "stackdist/exact/exact_state.h"
#include "tests/chance.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define REFS 400000

/* Where the vector is tall: so low that all its sums above a group of leaves
   have a lane each, where only those of its top have, */
#define DECADE      (UINT64_C(1) << 23)
#define LATE_DECADE (UINT64_C(1) << 26)
/* and so high that the top is long, and slow. */
#define CENTURY      (UINT64_C(1) << 32)
#define LATE_CENTURY (3 * CENTURY)
#define LATE_REFS    40000

/* In the order of the engine's parameter. */
static const enum margay_target targets[] = {
    [1] = MARGAY_TARGET_V4, MARGAY_TARGET_V3, MARGAY_TARGET_PORTABLE};

static uint64_t blocks[REFS], expected[REFS], got[REFS];

static void fill_blocks(uint64_t distinct, uint64_t near_share)
{
    seed_chance(distinct);
    for (size_t i = 0; i < REFS; i++)
        blocks[i] = below(100) < near_share ? below(10) : below(distinct);
}

/* Distances with time beginning at `first`; false if the engine fails. */
static bool run_from(uint64_t first, size_t count, unsigned filter,
                     unsigned target, uint64_t bound, uint64_t *distances)
{
    struct margay_engine_setup setup = {
        .settings = {.choices = {filter, target}},
        .options = MARGAY_ENGINE_OPTIONS_DEFAULT,
    };
    setup.options.bound_blocks = bound;
    void *state = margay_map(sizeof(struct margay_exact));
    bool fine = margay_exact_create_at(&setup, first, state, NULL) == MARGAY_OK;
    for (size_t i = 0; fine && i < count; i += 10000)
        fine = margay_engine_exact.feed(state, blocks + i, 10000, distances + i,
                                        NULL) == MARGAY_OK;
    margay_engine_free_state(&margay_engine_exact, state);
    return fine;
}

static void compare_from(uint64_t first, size_t count, const char *what,
                         uint64_t bound)
{
    static const char *const filters[] = {"auto", "on", "off"};
    for (unsigned filter = 0; filter <= 2; filter++) {
        for (unsigned target = 1; target <= 3; target++) {
            if (!margay_target_available(targets[target]))
                continue;
            bool same = run_from(first, count, filter, target, bound, got) &&
                        memcmp(got, expected, count * sizeof *got) == 0;
            CHECK(same, "%s, filter %s, target %s, bound %" PRIu64, what,
                  filters[filter], margay_target_name(targets[target]), bound);
        }
    }
}

static void test_late_times(uint64_t distinct, uint64_t near_share)
{
    fill_blocks(distinct, near_share);
    for (uint64_t bound = 0; bound <= 6000; bound += 6000) {
        CHECK(run_from(0, REFS, 2, 3, bound, expected), "time from 0");
        compare_from(DECADE - 30 * 512, REFS / 2, "time through 2^23", bound);
        compare_from(LATE_DECADE - 30 * 512, REFS / 2, "time through 2^26",
                     bound);
        compare_from(CENTURY - 30 * 512, REFS / 2, "time through 2^32", bound);
        compare_from(LATE_CENTURY - 30 * 512, LATE_REFS,
                     "time through 3 x 2^32", bound);
    }
}

/* Few blocks and many take turns, so that the filter comes and goes. */
static void test_phases(void)
{
    seed_chance(3);
    for (size_t i = 0; i < REFS; i++)
        blocks[i] = below(i / 23000 % 2 ? 20000 : 900);
    for (uint64_t bound = 0; bound <= 6000; bound += 500 + bound * 10) {
        CHECK(run_from(0, REFS, 2, 3, bound, expected), "phases");
        compare_from(0, REFS, "phases", bound);
    }
}

/* Feed from `from` to before `to`; how many references were filtered. */
static size_t count_filtered(struct margay_exact *e, size_t from, size_t to,
                             size_t piece)
{
    size_t filtered = 0;
    for (size_t i = from; i < to; i += piece) {
        size_t some = to - i < piece ? to - i : piece;
        if (margay_exact_feed(e, blocks + i, some, NULL, NULL) == MARGAY_OK &&
            e->filtering)
            filtered += some;
    }
    return filtered;
}

/* However few references come at a time, it is found out what they are. */
static void test_pieces(size_t piece)
{
    struct margay_engine_setup setup = {.options =
                                            MARGAY_ENGINE_OPTIONS_DEFAULT};
    const size_t few = REFS / 5, settled = REFS / 10 * 6;
    void *state;
    for (size_t i = 0; i < REFS; i++)
        blocks[i] = i < few ? i * i % 901 : i;
    CHECK(margay_engine_make_state(&margay_engine_exact, &setup, &state,
                                   NULL) == MARGAY_OK,
          "an engine for pieces of %zu", piece);
    count_filtered(state, 0, few / 2, piece);
    CHECK_U64(count_filtered(state, few / 2, few, piece), few - few / 2,
              "few blocks are filtered in pieces of %zu", piece);
    count_filtered(state, few, settled, piece);
    CHECK(count_filtered(state, settled, REFS, piece) < (REFS - settled) / 8,
          "new ones are not, in pieces of %zu", piece);
    margay_engine_free_state(&margay_engine_exact, state);
}

#define PICKS 3000

/* How many of the numbers before the i-th are below it. */
static uint64_t cleared_below(const uint64_t *numbers, size_t i)
{
    uint64_t below = 0;
    for (size_t k = 0; k < i; k++)
        below += numbers[k] < numbers[i];
    return below;
}

/* Random bits of a filled vector, ranked and cleared in batches. */
static bool ranks_are_right(unsigned target, uint64_t live, uint64_t axis)
{
    static uint64_t numbers[PICKS];
    struct margay_engine_setup setup = {
        .settings = {.choices = {2, target}},
        .options = MARGAY_ENGINE_OPTIONS_DEFAULT,
    };
    void *state;
    seed_chance(live);
    if (margay_engine_make_state(&margay_engine_exact, &setup, &state, NULL) !=
        MARGAY_OK)
        return false;
    struct margay_exact *e = state;
    margay_rank_destroy(&e->rank);
    bool right = margay_rank_create(&e->rank, axis, 0, NULL) == MARGAY_OK;
    margay_rank_fill(&e->rank, live);
    /* Each in a part of its own, so that none comes twice. */
    for (size_t i = 0; i < PICKS; i++)
        numbers[i] = i * 1237 % PICKS * (live / PICKS) + below(live / PICKS);
    for (size_t done = 0; right && done < PICKS;) {
        uint64_t past[MARGAY_EXACT_BATCH];
        size_t some = 1 + (size_t)below(64), i;
        for (i = 0; i < some && done + i < PICKS; i++)
            past[i] = margay_rank_nth(numbers[done + i]);
        e->kernel->rank(e, past, i, 0);
        e->rank.live -= i;
        e->pending_count = 0; /* No counters were made for these blocks. */
        for (size_t k = 0; k < i; k++) {
            uint64_t before =
                numbers[done + k] - cleared_below(numbers, done + k);
            right = right && e->pending[k] == live - done - before;
        }
        done += i;
    }
    margay_engine_free_state(&margay_engine_exact, state);
    return right;
}

/* Axes of all heights, with blocks everywhere on them. */
static void test_ranks_in_batches(void)
{
    static const uint64_t lives[] = {100000, 6000000, 60000000, 250000000};
    for (unsigned target = 1; target <= 3; target++) {
        if (!margay_target_available(targets[target]))
            continue;
        for (size_t i = 0; i < sizeof lives / sizeof lives[0]; i++)
            CHECK(ranks_are_right(target, lives[i], lives[i] / 7 * 8 + 1000),
                  "ranks of %" PRIu64 " bits, target %s", lives[i],
                  margay_target_name(targets[target]));
    }
}

int main(void)
{
    test_ranks_in_batches();
    test_late_times(300000, 0);
    test_late_times(5000, 60);
    test_phases();
    test_pieces(64);
    test_pieces(1500);
    test_pieces(10000);
    return tap_done();
}
