/* test_curve.c - miss curves against their definition, size by size */
#include <margay/stackdist.h>

#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define MOST_ROWS  3000
#define MOST_SIZES 20000

static uint64_t counts[MOST_ROWS];
static uint64_t expected[MOST_SIZES]; /* sizes, in any order, with repeats */
static size_t expected_count;

static margay_histogram *new_histogram(void)
{
    margay_histogram *histogram;
    if (margay_histogram_create(&histogram, NULL) != MARGAY_OK)
        abort();
    return histogram;
}

static void expect(uint64_t size)
{
    if (expected_count == MOST_SIZES)
        abort();
    expected[expected_count++] = size;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort_expected(void)
{
    size_t kept = 0;
    qsort(expected, expected_count, sizeof *expected, ascending);
    for (size_t i = 0; i < expected_count; i++) {
        if (kept == 0 || expected[kept - 1] != expected[i])
            expected[kept++] = expected[i];
    }
    expected_count = kept;
}

static uint64_t misses_at(const margay_histogram *h, uint64_t size)
{
    uint64_t misses = margay_histogram_references(h);
    for (uint64_t d = 0; d < size && d < MOST_ROWS; d++)
        misses -= counts[d];
    return misses;
}

static bool curve_is_right(const margay_histogram *h,
                           const struct margay_sizes *sizes)
{
    struct margay_point *points;
    size_t count;
    if (margay_histogram_curve(h, sizes, &points, &count, NULL) != MARGAY_OK)
        return false;
    bool same = count == expected_count;
    for (size_t i = 0; same && i < count; i++)
        same = points[i].cache_blocks == expected[i] &&
               points[i].misses == misses_at(h, expected[i]);
    free(points);
    return same;
}

/* Fill a histogram with `rows` random counts, a finite one at the end. */
static margay_histogram *make_histogram(uint64_t rows)
{
    margay_histogram *h = new_histogram();
    memset(counts, 0, sizeof counts);
    for (uint64_t d = 0; d < rows; d++)
        counts[d] = one_in(4) ? below(1000) : 0;
    if (rows != 0)
        counts[rows - 1] = 1;
    for (uint64_t d = 0; d < rows; d++)
        margay_histogram_add(h, d, counts[d], NULL);
    margay_histogram_add(h, MARGAY_INFINITE, 17, NULL);
    return h;
}

/* 2^k + floor(i 2^k / N) below `last`, and `last`. */
static void expect_octaves(uint64_t per_octave, uint64_t last)
{
    expected_count = 0;
    for (uint64_t octave = 1; octave < last; octave *= 2) {
        for (uint64_t i = 0; i < per_octave; i++) {
            uint64_t size = octave + i * octave / per_octave;
            if (size < last)
                expect(size);
        }
    }
    expect(last);
    sort_expected();
}

static void expect_powers(uint64_t last, bool bounded)
{
    expected_count = 0;
    uint64_t size = 1;
    for (; size < last; size *= 2)
        expect(size);
    if (size == last || !bounded)
        expect(size);
}

static void expect_steps(uint64_t last)
{
    expected_count = 0;
    expect(1);
    for (uint64_t d = 0; d + 1 < last && d < MOST_ROWS; d++) {
        if (counts[d] != 0)
            expect(d + 1);
    }
    expect(last);
    sort_expected();
}

static void test_random(void)
{
    static const uint64_t per_octave[] = {1, 2, 3, 16, 100, 65536 / 64};
    uint64_t number = rounds(1000);
    bool octave = true, pow2 = true, all = true;
    for (uint64_t round = 0; round < number; round++) {
        uint64_t rows = below(below(3) ? 70 : MOST_ROWS);
        margay_histogram *h = make_histogram(rows);
        bool bounded = !one_in(2);
        uint64_t last = rows == 0 ? 1 : rows;
        if (bounded) {
            last += below(40);
            margay_histogram_set_exceeded_bound(h, last);
        }
        struct margay_sizes sizes = {.kind = MARGAY_SIZES_OCTAVE,
                                     .per_octave = per_octave[round % 6]};
        expect_octaves(sizes.per_octave, last);
        octave &= curve_is_right(h, &sizes);
        sizes.kind = MARGAY_SIZES_POW2;
        expect_powers(last, bounded);
        pow2 &= curve_is_right(h, &sizes);
        sizes.kind = MARGAY_SIZES_ALL;
        expect_steps(last);
        all &= curve_is_right(h, &sizes);
        margay_histogram_free(h);
    }
    CHECK(octave, "octave:N of %" PRIu64 " histograms", number);
    CHECK(pow2, "pow2");
    CHECK(all, "all");
}

static void test_list(void)
{
    static const uint64_t list[] = {1, 5, 100, 101, 5000, UINT64_MAX};
    struct margay_sizes sizes = {
        .kind = MARGAY_SIZES_LIST, .list_blocks = list, .list_count = 6};
    margay_histogram *h = make_histogram(100);
    struct margay_point *points;
    struct margay_error error;
    size_t count;
    memcpy(expected, list, sizeof list);
    expected_count = 6;
    CHECK(curve_is_right(h, &sizes), "a list, sizes above the largest too");
    margay_histogram_set_exceeded_bound(h, 101);
    CHECK(margay_histogram_curve(h, &sizes, &points, &count, &error) ==
              MARGAY_BAD_ARGUMENT,
          "a size above an exceeded bound is refused");
    CHECK(points == NULL && strstr(error.message, "5000") &&
              strstr(error.message, "101"),
          "the message: %s", error.message);
    sizes.list_count = expected_count = 4;
    CHECK(curve_is_right(h, &sizes), "a size at the bound is fine");
    margay_histogram_free(h);
}

static void test_empty(void)
{
    struct margay_sizes sizes = {.kind = MARGAY_SIZES_OCTAVE, .per_octave = 16};
    struct margay_point *points;
    size_t count = 99;
    margay_histogram *h = new_histogram();
    CHECK(margay_histogram_curve(h, &sizes, &points, &count, NULL) ==
                  MARGAY_OK &&
              count == 0 && points == NULL,
          "no references, no points");
    margay_histogram_free(h);
}

/* The last two points of a grid, which is as far as its ends go. */
static void check_end(const margay_histogram *h, enum margay_sizes_kind kind,
                      uint64_t per_octave, uint64_t last_but_one, uint64_t last)
{
    struct margay_sizes sizes = {.kind = kind, .per_octave = per_octave};
    struct margay_point *points;
    size_t count;
    bool done =
        margay_histogram_curve(h, &sizes, &points, &count, NULL) == MARGAY_OK;
    CHECK(done && count >= 2 &&
              points[count - 2].cache_blocks == last_but_one &&
              points[count - 1].cache_blocks == last,
          "grid %d:%" PRIu64 " ends at %" PRIu64 ", %" PRIu64, (int)kind,
          per_octave, last_but_one, last);
    CHECK_U64(done ? points[count - 1].misses : 1, 0, "no misses there");
    free(points);
}

static void test_extremes(void)
{
    uint64_t far = (UINT64_C(1) << 56) - 1, high = UINT64_C(1) << 63;
    margay_histogram *h = new_histogram();
    margay_histogram_add(h, far, UINT64_MAX, NULL);
    check_end(h, MARGAY_SIZES_POW2, 0, (far + 1) / 2, far + 1);
    check_end(h, MARGAY_SIZES_ALL, 0, 1, far + 1);
    check_end(h, MARGAY_SIZES_OCTAVE, 65536, far + 1 - (UINT64_C(1) << 39),
              far + 1);
    margay_histogram_set_exceeded_bound(h, UINT64_MAX);
    check_end(h, MARGAY_SIZES_OCTAVE, 1, high, UINT64_MAX);
    check_end(h, MARGAY_SIZES_OCTAVE, 65536,
              UINT64_MAX - (UINT64_C(1) << 47) + 1, UINT64_MAX);
    check_end(h, MARGAY_SIZES_POW2, 0, high / 2, high);
    check_end(h, MARGAY_SIZES_ALL, 0, far + 1, UINT64_MAX);
    margay_histogram_free(h);
}

int main(void)
{
    seed_chance(1993);
    test_random();
    test_list();
    test_empty();
    test_extremes();
    return tap_done();
}
