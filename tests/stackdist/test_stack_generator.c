/* test_stack_generator.c - traces with the distances of a histogram */
#include <math.h>

#include <margay/stackdist.h>
#include <margay/traces.h>

#include "stackdist/exact/rank.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/results.h"
#include "tests/tap.h"

/* ------------------------------------------------------------- helpers -- */

static margay_stack_generator *make(const struct margay_bin *bins, size_t count,
                                    uint64_t infinite, uint64_t seed)
{
    struct margay_error error;
    margay_stack_generator *generator;
    if (margay_stack_generator_create(bins, count, infinite, seed, &generator,
                                      &error) == MARGAY_OK)
        return generator;
    printf("Bail out! %s\n", error.message);
    exit(1);
}

static void generate(margay_stack_generator *generator, uint64_t *blocks,
                     size_t count, size_t piece)
{
    struct margay_error error;
    for (size_t done = 0; done < count; done += piece) {
        piece = piece < count - done ? piece : count - done;
        if (margay_stack_generator_next(generator, blocks + done, piece,
                                        &error) != MARGAY_OK)
            printf("Bail out! %s\n", error.message);
    }
    margay_stack_generator_free(generator);
}

static uint64_t *room(size_t count)
{
    uint64_t *numbers = calloc(count, sizeof *numbers);
    if (numbers == NULL)
        abort();
    return numbers;
}

/* ---------------------------------------------------------- chi-square -- */

/* The references that must be expected for a cell of its own. */
#define CELL_REFS 50

struct cells {
    double expected, got; /* of the one that grows */
    double square;
    double freedom;
};

static void add_to_cell(struct cells *cells, double expected, double got,
                        bool last)
{
    cells->expected += expected;
    cells->got += got;
    if ((cells->expected < CELL_REFS && !last) || cells->expected == 0)
        return;
    double off = cells->got - cells->expected;
    cells->square += off * off / cells->expected;
    cells->freedom++;
    cells->expected = cells->got = 0;
}

/* The generated distances against the wanted ones, as standard deviations from
   the mean of chi-square.  Neighbouring distances share cells; the infinite
   ones have their own. */
static double chi_square(const struct margay_bin *bins, size_t count,
                         uint64_t infinite, const margay_histogram *got)
{
    uint64_t end = 0;
    double all = (double)infinite, refs;
    for (size_t i = 0; i < count; i++) {
        all += (double)bins[i].references;
        end = bins[i].to > end ? bins[i].to : end;
    }
    double *expected = calloc(end + 1, sizeof *expected);
    if (expected == NULL)
        abort();
    refs = (double)margay_histogram_references(got);
    for (size_t i = 0; i < count; i++) {
        double each = (double)bins[i].references / all * refs /
                      (double)(bins[i].to - bins[i].from);
        for (uint64_t d = bins[i].from; d < bins[i].to; d++)
            expected[d] += each;
    }
    struct cells cells = {0};
    add_to_cell(&cells, (double)infinite / all * refs,
                (double)margay_histogram_infinite(got), true);
    for (uint64_t d = 0; d < end; d++)
        add_to_cell(&cells, expected[d], (double)count_at(got, d),
                    d + 1 == end);
    free(expected);
    double freedom = cells.freedom > 1 ? cells.freedom - 1 : 1;
    return (cells.square - freedom) / sqrt(2 * freedom);
}

static void check_target(const struct margay_bin *bins, size_t count,
                         uint64_t infinite, size_t refs, const char *name)
{
    uint64_t *blocks = room(refs);
    generate(make(bins, count, infinite, 5), blocks, refs, refs);
    struct margay_result result = ask("exact", blocks, refs, NULL);
    double deviations = chi_square(bins, count, infinite, result.histogram);
    CHECK(fabs(deviations) < 4, "%s: chi-square off by %.2f deviations", name,
          deviations);
    margay_result_clear(&result);
    free(blocks);
}

/* The bins of a Zipf trace.  More first references than it has let the stack
   grow to where the widest bin ends. */
static void test_bins(void)
{
    static const char *const names[] = {"exact", "log2", "loglinear",
                                        "linear:37", "reference:50"};
    size_t refs = rounds(400000), count;
    struct margay_generator_options options = {
        .blocks = 8000, .seed = 3, .exponent = 0.8};
    margay_generator *zipf;
    uint64_t *blocks = room(refs);
    struct margay_bin *bins = calloc(8001, sizeof *bins);
    if (bins == NULL ||
        margay_generator_create("zipf", &options, &zipf, NULL) != MARGAY_OK)
        abort();
    margay_generator_next(zipf, blocks, refs);
    margay_generator_free(zipf);
    struct margay_result result = ask("exact", blocks, refs, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct margay_bins kind;
        struct margay_bin_cursor cursor = {0};
        margay_bins_parse(names[i], &kind, NULL);
        for (count = 0; margay_histogram_next_bin(result.histogram, &kind,
                                                  &cursor, &bins[count]);)
            count++;
        check_target(bins, count, 4 * result.infinite, refs, names[i]);
    }
    margay_result_clear(&result);
    free(bins);
    free(blocks);
}

/* Targets by hand: gaps, overlaps, any order, huge counts. */
static void test_targets(void)
{
    static const struct margay_bin far[] = {{5000, 5001, 900}, {0, 1, 50}};
    check_target(far, 2, 50, 300000, "one long distance");
    static const struct margay_bin loop[] = {{9999, 10000, 29}};
    check_target(loop, 1, 1, 300000, "a loop");
    static const struct margay_bin wide[] = {
        {10, 1000, UINT64_MAX}, {0, 20, UINT64_MAX}, {500, 510, 1}};
    check_target(wide, 3, UINT64_MAX / 4, 100000, "counts of 2^64 - 1");
    static const struct margay_bin none[] = {{7, 8, 0}, {3, 4, 0}};
    check_target(none, 2, 9, 1000, "first references only");
}

/* -------------------------------------------------------- by other means -- */

/* All wanted distances occur, except those that are too deep. */
static void test_postponed(void)
{
    static const struct margay_bin loop[] = {{999, 1000, 9000}};
    size_t refs = 10000;
    uint64_t *blocks = room(refs);
    generate(make(loop, 1, 1000, 2), blocks, refs, refs);
    struct margay_result result = ask("exact", blocks, refs, NULL);
    CHECK(result.infinite >= 1000 && result.infinite < 1100,
          "a growing stack takes its first references from the later ones: "
          "%" PRIu64,
          result.infinite);
    margay_result_clear(&result);
    generate(make(loop, 1, 0, 2), blocks, refs, refs);
    result = ask("exact", blocks, refs, NULL);
    CHECK_U64(result.infinite, 1000, "without any, it grows as it must");
    CHECK_U64(count_at(result.histogram, 999), 9000, "and no more");
    margay_result_clear(&result);
    free(blocks);
}

static void test_ids(void)
{
    static const struct margay_bin bins[] = {{0, 1, 1}, {1, 3000, 5}};
    size_t refs = 100000;
    uint64_t *blocks = room(refs), next = 0;
    bool ordered = true;
    generate(make(bins, 2, 1, 2), blocks, refs, refs);
    for (size_t i = 0; i < refs; i++) {
        ordered = ordered && blocks[i] <= next;
        next += blocks[i] == next;
    }
    CHECK(ordered && next > 3000, "ids are numbered as they appear");
    free(blocks);
}

/* 64-bit FNV-1a over the ids' bytes, the least significant first. */
static uint64_t checksum(const uint64_t *ids, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < 8 * count; i++) {
        hash ^= ids[i / 8] >> (i % 8 * 8) & 0xff;
        hash *= UINT64_C(0x100000001b3);
    }
    return hash;
}

static void test_reproducible(void)
{
    static const struct margay_bin bins[] = {
        {0, 1, 10}, {1, 64, 5}, {64, 100000, 20}};
    size_t refs = 200000;
    uint64_t *blocks = room(refs);
    generate(make(bins, 3, 20, 7), blocks, refs, refs);
    uint64_t sum = checksum(blocks, refs);
    CHECK(sum == UINT64_C(0x8ea3f05363990b65), "golden: %#" PRIx64, sum);
    generate(make(bins, 3, 20, 7), blocks, refs, 37);
    CHECK_U64(checksum(blocks, refs), sum, "the same in pieces of 37");
    generate(make(bins, 3, 20, 8), blocks, refs, refs);
    CHECK(checksum(blocks, refs) != sum, "another seed, another trace");
    free(blocks);
}

/* ---------------------------------------------------------------- select -- */

/* Set bits by the word; then clear some: select is the inverse of before. */
static void check_select(uint64_t timestamps, uint64_t set, uint64_t cleared)
{
    struct margay_rank rank;
    uint64_t wrong = 0;
    seed_chance(set);
    if (margay_rank_create(&rank, timestamps, 0, NULL) != MARGAY_OK)
        abort();
    margay_rank_fill(&rank, set);
    for (uint64_t i = 0; i < cleared && rank.live > 1; i++) {
        uint64_t n = below(rank.live);
        uint64_t timestamp = margay_rank_select(&rank, n);
        uint64_t word = rank.leaves[timestamp >> 6];
        wrong += (word >> (timestamp & 63) & 1) == 0 ||
                 margay_rank_before(&rank, timestamp, rank.tall) != n;
        margay_rank_clear(&rank, timestamp, margay_rank_top_vectors(&rank),
                          rank.tall);
        rank.live--;
        if (i % 3 != 0)
            continue;
        margay_rank_append(&rank, 1);
        rank.live++;
        if (rank.next % 64 == 0)
            margay_rank_enter(&rank);
    }
    CHECK_U64(wrong, 0, "select among %" PRIu64 " of %" PRIu64, set,
              timestamps);
    margay_rank_destroy(&rank);
}

static void test_select(void)
{
    check_select(1, 2, 10);
    check_select(30000, 64, 200);
    check_select(30000, 10000, 10000);
    check_select(1000000, 448 * 512, 200000);
    check_select(30000000, 448 * 512 * 16 * 3 + 5, rounds(200000));
    struct margay_rank rank;
    CHECK(margay_rank_create(&rank, UINT64_C(1) << 60, 0, NULL) ==
              MARGAY_NO_MEMORY,
          "an axis of 2^60 cannot be had");
}

static void refuse(const struct margay_bin *bins, size_t count,
                   const char *part)
{
    margay_stack_generator *generator;
    struct margay_error error = {.message = ""};
    CHECK(margay_stack_generator_create(bins, count, 0, 1, &generator,
                                        &error) == MARGAY_BAD_ARGUMENT &&
              generator == NULL && strstr(error.message, part) != NULL,
          "refused: %s", error.message);
}

static void test_refusals(void)
{
    static const struct margay_bin empty[] = {{3, 3, 1}}, none[] = {{3, 9, 0}};
    refuse(empty, 1, "from 3 to 3 holds no distance");
    refuse(none, 1, "without references");
    refuse(NULL, 0, "without references");
    margay_stack_generator_free(NULL);
}

int main(void)
{
    test_bins();
    test_targets();
    test_postponed();
    test_ids();
    test_reproducible();
    test_select();
    test_refusals();
    return tap_done();
}
