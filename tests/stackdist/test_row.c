/*
 * test_row.c - parts of a trace at the same time give what one engine gives
 *
 * Rows are normally made of long parts, and long lists of first touches are
 * answered with the help of idle threads; here both are short, so that small
 * random traces go through compactions, spills and copies of the bit vector.
 */
#include "stackdist/exact/hash.h"
#include "stackdist/histogram.h"
#include "stackdist/parts/row.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/results.h"
#include "tests/stackdist/shapes.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define MOST_REFS 30000
#define MOST_ROWS 3

static uint64_t blocks[MOST_REFS];

struct trial {
    const char *spec;
    size_t refs;
    unsigned rows, parts, crew;
    size_t least_share;
    uint64_t expected_refs, expected_blocks;
    struct margay_engine_options options;
};

static struct trial make_trial(void)
{
    static const char *const specs[] = {
        "exact",
        "exact:filter=on",
        "exact:filter=off",
        "exact:target=portable",
        "exact:target=portable,filter=on",
    };
    struct trial trial = {
        .spec = specs[below(5)],
        .refs = (size_t)below(2u << below(14)),
        .rows = 1 + (unsigned)below(MOST_ROWS),
        .parts = 1 + (unsigned)below(1u << below(7)),
        .crew = 1 + (unsigned)below(4),
        .least_share = (size_t)below(300),
        .options = MARGAY_ENGINE_OPTIONS_DEFAULT,
    };
    if (trial.parts > MARGAY_ROW_MAX_PARTS)
        trial.parts = MARGAY_ROW_MAX_PARTS;
    make_trace((enum shape)below(SHAPES), blocks, trial.refs,
               1 + below(1u << below(15)));
    if (one_in(2))
        trial.expected_refs = below(trial.refs + 2);
    if (one_in(4))
        trial.expected_blocks = below(100000);
    if (one_in(2))
        trial.options.bound_blocks = 1 + below(2u << below(14));
    return trial;
}

static bool run_naively(const struct trial *trial, struct margay_result *result)
{
    margay_engine *engine;
    if (margay_engine_create("olken", &trial->options, &engine, NULL) !=
        MARGAY_OK)
        return false;
    bool fine = margay_engine_feed(engine, blocks, trial->refs, NULL, NULL) ==
                    MARGAY_OK &&
                margay_engine_finish(engine, result, NULL) == MARGAY_OK;
    margay_engine_free(engine);
    return fine;
}

/* Row `r` gets its share, in parts of any length. */
static bool feed_row(struct margay_row *row, const struct trial *trial,
                     unsigned r)
{
    size_t at = trial->refs * r / trial->rows;
    size_t end = trial->refs * (r + 1) / trial->rows;
    bool fine = true;
    for (unsigned i = 0; i < trial->parts; i++) {
        size_t count = end - at;
        if (i + 1 < trial->parts)
            count = (size_t)below(count + 1) / (1 + below(8));
        size_t first = (size_t)below(count + 1);
        fine = fine &&
               margay_part_feed(&row->parts[i], blocks + at, first, NULL) ==
                   MARGAY_OK &&
               margay_part_feed(&row->parts[i], blocks + at + first,
                                count - first, NULL) == MARGAY_OK;
        at += count;
    }
    return fine && margay_row_close(row, trial->parts, NULL) == MARGAY_OK;
}

/* Each row is asked by later ones, the nearest first. */
static bool join_rows(struct margay_row *rows, const struct trial *trial)
{
    bool fine = true;
    for (unsigned r = 1; r < trial->rows; r++) {
        size_t left = (size_t)rows[r].touch_count;
        for (unsigned k = r; k-- > 0;)
            fine = fine &&
                   margay_row_answer(&rows[k], rows[k].count, rows[r].touches,
                                     &left, NULL) == MARGAY_OK;
        fine = fine && left == 0;
    }
    return fine;
}

/* The stacks of all rows together are that of the whole trace. */
static bool same_stack(struct margay_row *rows, const struct trial *trial)
{
    size_t at = trial->refs;
    struct margay_hash seen;
    bool same = margay_hash_create(&seen, trial->refs + 1, NULL) == MARGAY_OK;
    for (unsigned r = trial->rows; same && r-- > 0;) {
        uint64_t *list, count;
        same = margay_row_list(&rows[r], &list, &count, NULL) == MARGAY_OK;
        while (same && count-- > 0) {
            while (at > 0 && *margay_hash_insert(&seen, blocks[at - 1]) != 0)
                at--;
            same = at > 0 && blocks[--at] == list[count];
            if (same)
                *margay_hash_insert(&seen, blocks[at]) = 1;
        }
        if (same)
            free(list);
    }
    margay_hash_destroy(&seen);
    return same;
}

static bool finish_rows(struct margay_row *rows, const struct trial *trial,
                        struct margay_result *result)
{
    uint64_t bound = trial->options.bound_blocks, left = 0;
    bool exceeded = false;
    if (trial->rows == 1)
        return margay_row_finish(&rows[0], result, NULL) == MARGAY_OK;
    *result = (struct margay_result){0};
    bool fine = margay_histogram_create(&result->histogram, NULL) == MARGAY_OK;
    for (unsigned r = 0; r < trial->rows; r++) {
        left += margay_row_left(&rows[r]);
        fine = fine &&
               margay_row_end(&rows[r], result->histogram, NULL) == MARGAY_OK;
        exceeded = exceeded || rows[r].exceeded;
    }
    margay_row_result(result->histogram, left, bound == 0 ? UINT64_MAX : bound,
                      exceeded, result);
    return fine;
}

static bool run_rows(const struct trial *trial, struct margay_result *result)
{
    static struct margay_row rows[MOST_ROWS];
    margay_crew *crew;
    bool fine = margay_crew_create(trial->crew, &crew, NULL) == MARGAY_OK;
    for (unsigned r = 0; r < trial->rows && fine; r++) {
        const struct margay_part_setup setup = {
            .spec = trial->spec,
            .options = &trial->options,
            .first = r == 0,
            .refs = trial->expected_refs,
            .expected_blocks = trial->expected_blocks,
        };
        fine = margay_row_begin(&rows[r], &setup, trial->parts, crew, NULL) ==
               MARGAY_OK;
        rows[r].least_share = trial->least_share;
        fine = fine && feed_row(&rows[r], trial, r);
    }
    fine = fine && join_rows(rows, trial);
    if (trial->options.bound_blocks == 0)
        fine = fine && same_stack(rows, trial);
    fine = fine && finish_rows(rows, trial, result);
    for (unsigned r = 0; r < trial->rows; r++)
        margay_row_free(&rows[r]);
    margay_crew_free(crew);
    return fine;
}

static bool try_once(void)
{
    struct trial trial = make_trial();
    struct margay_result expected, got;
    if (!run_naively(&trial, &expected))
        return false;
    bool same = run_rows(&trial, &got);
    if (same) {
        same = same_results(&expected, &got);
        margay_result_clear(&got);
    }
    margay_result_clear(&expected);
    if (!same)
        printf("# %s: %zu references, bound %" PRIu64 ", %u rows of %u parts, "
               "%u threads, helped from %zu\n",
               trial.spec, trial.refs, trial.options.bound_blocks, trial.rows,
               trial.parts, trial.crew, trial.least_share);
    return same;
}

static void test_random(void)
{
    seed_chance(5);
    unsigned all = (unsigned)rounds(400), right = 0;
    for (unsigned i = 0; i < all; i++)
        right += try_once();
    CHECK_U64(right, all, "random traces in rows of 1 to 64 parts");
}

/* Parts that are left out, as after an interrupt. */
static void test_cut_short(void)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    const struct margay_part_setup setup = {
        .spec = "exact", .options = &options, .first = true};
    static struct margay_row row;
    struct margay_result expected, got;
    margay_crew *crew;
    struct trial trial = {.refs = 2000, .options = options};
    seed_chance(6);
    make_trace(SKEWED, blocks, 4000, 1000);
    margay_crew_create(2, &crew, NULL);
    margay_row_begin(&row, &setup, 4, crew, NULL);
    for (unsigned i = 0; i < 4; i++)
        margay_part_feed(&row.parts[i], blocks + 1000 * i, 1000, NULL);
    margay_row_close(&row, 2, NULL);
    CHECK(margay_row_finish(&row, &got, NULL) == MARGAY_OK,
          "a row that is cut short");
    run_naively(&trial, &expected);
    CHECK(same_results(&expected, &got), "is that of the parts that are left");
    margay_result_clear(&expected);
    margay_result_clear(&got);
    margay_row_free(&row);
    margay_crew_free(crew);
}

static void test_footprint(void)
{
    seed_chance(7);
    for (size_t i = 0; i < 20000; i++)
        blocks[i] = below(50000);
    uint64_t expected = margay_expect_blocks(blocks, 20000, 100, 1000000);
    CHECK(expected > 45000 && expected < 55000,
          "50,000 blocks, all alike: %" PRIu64 " expected", expected);
    expected = margay_expect_blocks(blocks, 20000, 100, 50000);
    CHECK(expected > 30000 && expected < 33000,
          "as many references touch 0.632 of them: %" PRIu64, expected);
    for (size_t i = 0; i < 20000; i++)
        blocks[i] = i;
    expected = margay_expect_blocks(blocks, 20000, 100, 1000000);
    CHECK(expected > 700000 && expected < 800000,
          "none met again: what one run more would tell: %" PRIu64, expected);
    /* Runs of 100 from anywhere in a loop: two that overlap are one event. */
    for (size_t i = 0; i < 20000; i += 100) {
        uint64_t place = below(200000);
        for (size_t k = 0; k < 100; k++)
            blocks[i + k] = (place + k) % 200000;
    }
    expected = margay_expect_blocks(blocks, 20000, 100, 10000000);
    CHECK(expected > 100000 && expected < 210000,
          "a loop over 200,000 blocks: %" PRIu64, expected);
    for (size_t i = 0; i < 20000; i++)
        blocks[i] = 3;
    expected = margay_expect_blocks(blocks, 20000, 100, 1000000);
    CHECK(expected <= 1, "always the same: %" PRIu64, expected);
    CHECK_U64(margay_expect_blocks(blocks, 0, 100, 1000000), 0, "no sample");
}

int main(void)
{
    test_random();
    test_cut_short();
    test_footprint();
    return tap_done();
}
