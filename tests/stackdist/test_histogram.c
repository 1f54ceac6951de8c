/*
 * test_histogram.c - counts, bins and miss curves against a plain array, by
 * their definitions, and the extremes
 */
#include "stackdist/histogram.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/results.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define BEYOND (UINT64_C(1) << 56)

static void test_no_counts(void)
{
    margay_histogram *h = new_histogram();
    uint64_t distance, count;
    CHECK_U64(margay_histogram_references(h), 0, "empty: references");
    CHECK_U64(margay_histogram_infinite(h), 0, "empty: infinite");
    CHECK(!margay_histogram_next(h, 0, &distance, &count), "empty: no row");
    CHECK(!margay_histogram_largest(h, &distance), "empty: no largest");
    margay_histogram_add(h, 5, 0, NULL);
    CHECK(!margay_histogram_largest(h, &distance), "0 more is nothing");
    margay_histogram_add(h, MARGAY_INFINITE, 3, NULL);
    CHECK(!margay_histogram_largest(h, &distance), "infinite is not largest");
    CHECK_U64(margay_histogram_references(h), 3, "infinite counts");
    margay_histogram_free(h);
    margay_histogram_free(NULL);
}

/* Lone distances at every power of two, entered from the far end or not. */
static void test_powers(bool descending)
{
    margay_histogram *h = new_histogram();
    uint64_t from = 0, distance = 0, count = 0;
    bool same = true;
    for (unsigned i = 0; i < 56; i++) {
        unsigned k = descending ? 55 - i : i;
        same = same && margay_histogram_add(h, UINT64_C(1) << k, k + 1, NULL) ==
                           MARGAY_OK;
    }
    for (unsigned k = 0; k < 56; k++) {
        same = same && margay_histogram_next(h, from, &distance, &count) &&
               distance == UINT64_C(1) << k && count == k + 1;
        from = distance + 1;
    }
    CHECK(same && !margay_histogram_next(h, from, &distance, &count),
          "powers of two, %s", descending ? "descending" : "ascending");
    CHECK(margay_histogram_largest(h, &distance) && distance == BEYOND / 2,
          "the largest of them");
    margay_histogram_free(h);
}

static void test_most_counts(void)
{
    struct margay_error error;
    uint64_t distance;
    margay_histogram *h = new_histogram();
    CHECK(margay_histogram_add(h, BEYOND - 1, 1, NULL) == MARGAY_OK,
          "2^56 - 1 is a distance");
    CHECK(margay_histogram_add(h, BEYOND, 1, &error) == MARGAY_BAD_ARGUMENT,
          "2^56 is none");
    CHECK(margay_histogram_add(h, UINT64_MAX - 1, 1, NULL) ==
              MARGAY_BAD_ARGUMENT,
          "2^64 - 2 is none");
    CHECK(margay_histogram_add(h, 7, UINT64_MAX - 1, NULL) == MARGAY_OK,
          "2^64 - 1 references");
    CHECK(margay_histogram_add(h, 9, 1, &error) == MARGAY_BAD_ARGUMENT,
          "2^64 references");
    CHECK(margay_histogram_add(h, MARGAY_INFINITE, 1, &error) ==
              MARGAY_BAD_ARGUMENT,
          "2^64 references, the last one infinite");
    CHECK_U64(margay_histogram_references(h), UINT64_MAX,
              "a failure changes nothing");
    CHECK_U64(count_at(h, 7), UINT64_MAX - 1, "a large count");
    CHECK_U64(count_at(h, 9), 0, "what failed was not counted");
    CHECK(margay_histogram_largest(h, &distance) && distance == BEYOND - 1,
          "what failed is not largest");
    margay_histogram_set_exceeded_bound(h, 100);
    margay_histogram_clear(h);
    CHECK_U64(margay_histogram_references(h), 0, "cleared: references");
    CHECK_U64(margay_histogram_exceeded_bound(h), 0, "cleared: the bound");
    CHECK_U64(count_at(h, 7), 0, "cleared: counts");
    margay_histogram_free(h);
}

/* ------------------------------------------------------ against an array -- */

#define DENSE 10000

static bool equals(const margay_histogram *h, const uint64_t *counts)
{
    uint64_t from = 0, distance, count;
    for (uint64_t i = 0; i < DENSE; i++) {
        if (counts[i] == 0)
            continue;
        if (!margay_histogram_next(h, from, &distance, &count) ||
            distance != i || count != counts[i])
            return false;
        from = i + 1;
    }
    return !margay_histogram_next(h, from, &distance, &count);
}

static void add_range(margay_histogram *h, uint64_t *counts)
{
    uint8_t range[5000];
    size_t n = (size_t)below(5001);
    uint64_t first = below(DENSE - n + 1);
    uint64_t largest = below(2) ? 256 : 2;
    for (size_t i = 0; i < n; i++) {
        range[i] = (uint8_t)below(largest);
        counts[first + i] += range[i];
    }
    margay_histogram_add_counts(h, first, range, n, NULL);
}

static void test_against_array(void)
{
    static uint64_t counts[DENSE];
    margay_histogram *h = new_histogram();
    uint64_t total = 0, number = rounds(3000);
    bool same = true;
    for (uint64_t i = 0; i < number; i++) {
        uint64_t distance = below(1 + below(DENSE));
        uint64_t count = below(below(70000) + 1);
        counts[distance] += count;
        margay_histogram_add(h, distance, count, NULL);
        if (i % 16 == 0)
            add_range(h, counts);
        if (i % 128 == 0)
            same = same && equals(h, counts);
    }
    CHECK(same && equals(h, counts), "%" PRIu64 " random additions", number);
    for (size_t i = 0; i < DENSE; i++)
        total += counts[i];
    CHECK_U64(margay_histogram_references(h), total, "their total");
    margay_histogram_free(h);
}

static void test_add_counts_limits(void)
{
    static const uint8_t counts[] = {1, 0, 2, 0, 0};
    margay_histogram *h = new_histogram();
    uint64_t largest;
    CHECK(margay_histogram_add_counts(h, 2046, counts, 5, NULL) == MARGAY_OK,
          "a range over a leaf's end");
    CHECK(margay_histogram_largest(h, &largest) && largest == 2048,
          "trailing zeros are not largest");
    CHECK(margay_histogram_add_counts(h, BEYOND - 3, counts, 5, NULL) ==
              MARGAY_OK,
          "zeros may lie beyond 2^56");
    CHECK_U64(count_at(h, BEYOND - 1), 2, "2 at 2^56 - 1");
    CHECK(margay_histogram_add_counts(h, BEYOND - 1, counts, 5, NULL) ==
              MARGAY_BAD_ARGUMENT,
          "counts may not");
    margay_histogram_free(h);
}

/* ---------------------------------------------------------------- bins -- */

#define MOST_ROWS 6000 /* past two log-linear bins of full width */

static uint64_t counts[MOST_ROWS]; /* what the histogram under test holds */
static uint64_t row_count;         /* the largest distance + 1 */

static margay_histogram *make_histogram(void)
{
    margay_histogram *h = new_histogram();
    uint64_t most = below(3) ? 40 : MOST_ROWS;
    uint64_t rows = below(most);
    uint64_t gaps = below(5);
    memset(counts, 0, sizeof counts);
    row_count = 0;
    for (uint64_t d = 0; d < rows; d++) {
        counts[d] = below(gaps + 1) == 0 ? below(5) : 0;
        margay_histogram_add(h, d, counts[d], NULL);
        if (counts[d] != 0)
            row_count = d + 1;
    }
    margay_histogram_add(h, MARGAY_INFINITE, below(9), NULL);
    return h;
}

static uint64_t count_between(uint64_t from, uint64_t to)
{
    uint64_t sum = 0;
    for (uint64_t d = from; d < to && d < row_count; d++)
        sum += counts[d];
    return sum;
}

/* Are the bins those that begin at 0 and are width(from) wide? */
static bool intervals_are_right(const margay_histogram *h,
                                const struct margay_bins *bins, uint64_t bound,
                                uint64_t (*width)(uint64_t from, uint64_t w))
{
    struct margay_bin_cursor cursor = {0};
    struct margay_bin bin;
    uint64_t from = 0;
    while (from < row_count) {
        uint64_t to = from + width(from, bins->parameter);
        if (bound != 0 && to > bound)
            to = bound;
        if (!margay_histogram_next_bin(h, bins, &cursor, &bin) ||
            bin.from != from || bin.to != to ||
            bin.references != count_between(from, to)) {
            printf("#   bin [%" PRIu64 ",%" PRIu64 "): got [%" PRIu64
                   ",%" PRIu64 ") with %" PRIu64 "\n",
                   from, to, bin.from, bin.to, bin.references);
            return false;
        }
        from = to;
    }
    return !margay_histogram_next_bin(h, bins, &cursor, &bin);
}

static uint64_t width_log2(uint64_t from, uint64_t unused)
{
    (void)unused;
    return from == 0 ? 1 : from;
}

static uint64_t width_loglinear(uint64_t from, uint64_t unused)
{
    return from < 2048 ? width_log2(from, unused) : 2048;
}

static uint64_t width_linear(uint64_t from, uint64_t width)
{
    (void)from;
    return width;
}

static bool exact_is_right(const margay_histogram *h)
{
    struct margay_bins bins = {MARGAY_BINS_EXACT, 0};
    struct margay_bin_cursor cursor = {0};
    struct margay_bin bin;
    for (uint64_t d = 0; d < row_count; d++) {
        if (counts[d] == 0)
            continue;
        if (!margay_histogram_next_bin(h, &bins, &cursor, &bin) ||
            bin.from != d || bin.to != d + 1 || bin.references != counts[d])
            return false;
    }
    return !margay_histogram_next_bin(h, &bins, &cursor, &bin);
}

/* Group g of the sorted finite distances, all written out. */
static bool groups_are_right(const margay_histogram *h, uint64_t groups)
{
    static uint64_t sorted[MOST_ROWS * 5];
    struct margay_bins bins = {MARGAY_BINS_REFERENCE, groups};
    struct margay_bin_cursor cursor = {0};
    struct margay_bin bin;
    uint64_t finite = 0;
    for (uint64_t d = 0; d < row_count; d++) {
        for (uint64_t i = 0; i < counts[d]; i++)
            sorted[finite++] = d;
    }
    for (uint64_t g = 0; g < groups; g++) {
        uint64_t first = g * finite / groups, end = (g + 1) * finite / groups;
        if (first == end)
            continue;
        if (!margay_histogram_next_bin(h, &bins, &cursor, &bin) ||
            bin.from != sorted[first] || bin.to != sorted[end - 1] + 1 ||
            bin.references != end - first)
            return false;
    }
    return !margay_histogram_next_bin(h, &bins, &cursor, &bin);
}

static void test_bins(void)
{
    static const uint64_t groups[] = {1, 2, 7, 1000, 100000};
    struct margay_bins log2 = {MARGAY_BINS_LOG2, 0};
    struct margay_bins loglinear = {MARGAY_BINS_LOGLINEAR, 0};
    uint64_t number = rounds(300);
    bool exact = true, logs = true, logs_linear = true, linear = true,
         reference = true;
    for (uint64_t round = 0; round < number; round++) {
        margay_histogram *h = make_histogram();
        uint64_t bound = 0;
        if (!one_in(2))
            bound = row_count + below(10);
        margay_histogram_set_exceeded_bound(h, bound);
        struct margay_bins width = {MARGAY_BINS_LINEAR,
                                    1 + below(round % 2 ? 5 : 5000)};
        exact &= exact_is_right(h);
        logs &= intervals_are_right(h, &log2, bound, width_log2);
        logs_linear &=
            intervals_are_right(h, &loglinear, bound, width_loglinear);
        linear &= intervals_are_right(h, &width, bound, width_linear);
        reference &= groups_are_right(h, groups[round % 5]);
        margay_histogram_free(h);
    }
    CHECK(exact, "exact bins of %" PRIu64 " histograms", number);
    CHECK(logs, "log2 bins");
    CHECK(logs_linear, "log-linear bins");
    CHECK(linear, "linear bins");
    CHECK(reference, "reference bins");
}

static void check_bin(const margay_histogram *h, const struct margay_bins *bins,
                      struct margay_bin_cursor *cursor, struct margay_bin want)
{
    struct margay_bin bin = {0};
    CHECK(margay_histogram_next_bin(h, bins, cursor, &bin) &&
              bin.from == want.from && bin.to == want.to &&
              bin.references == want.references,
          "bins %d:%" PRIu64 ": [%" PRIu64 ",%" PRIu64 ")", (int)bins->kind,
          bins->parameter, want.from, want.to);
}

static void test_far_bins(void)
{
    uint64_t far = (UINT64_C(1) << 56) - 1, half = UINT64_C(1) << 63;
    margay_histogram *h = new_histogram();
    struct margay_bin bin;
    margay_histogram_add(h, 1, half, NULL);
    margay_histogram_add(h, far, half - 1, NULL);

    struct margay_bins two = {MARGAY_BINS_REFERENCE, 2};
    struct margay_bin_cursor cursor = {0};
    check_bin(h, &two, &cursor, (struct margay_bin){1, 2, half - 1});
    check_bin(h, &two, &cursor, (struct margay_bin){1, far + 1, half});
    CHECK(!margay_histogram_next_bin(h, &two, &cursor, &bin), "no third");

    struct margay_bins many = {MARGAY_BINS_REFERENCE, UINT64_MAX};
    cursor = (struct margay_bin_cursor){0};
    check_bin(h, &many, &cursor, (struct margay_bin){1, 2, 1});
    CHECK_U64(cursor.group, 1, "as many groups as references");

    struct margay_bins wide = {MARGAY_BINS_LINEAR, UINT64_MAX};
    cursor = (struct margay_bin_cursor){0};
    check_bin(h, &wide, &cursor,
              (struct margay_bin){0, UINT64_MAX, UINT64_MAX});
    CHECK(!margay_histogram_next_bin(h, &wide, &cursor, &bin), "one wide bin");

    struct margay_bins log2 = {MARGAY_BINS_LOG2, 0};
    cursor = (struct margay_bin_cursor){0};
    unsigned bins = 0;
    while (margay_histogram_next_bin(h, &log2, &cursor, &bin))
        bins++;
    CHECK(bins == 57 && bin.to == far + 1 && bin.references == half - 1,
          "57 log2 bins to 2^56");
    margay_histogram_free(h);
}

/* More groups than can be visited one by one. */
static void test_empty_groups(void)
{
    margay_histogram *h = new_histogram();
    struct margay_bins bins = {MARGAY_BINS_REFERENCE, UINT64_MAX};
    struct margay_bin_cursor cursor = {0};
    struct margay_bin bin;
    CHECK(!margay_histogram_next_bin(h, &bins, &cursor, &bin),
          "no groups of nothing");
    margay_histogram_add(h, MARGAY_INFINITE, 5, NULL);
    CHECK(!margay_histogram_next_bin(h, &bins, &cursor, &bin),
          "no groups of cold references");
    margay_histogram_add(h, 10, 2, NULL);
    margay_histogram_add(h, 30, 1, NULL);
    check_bin(h, &bins, &cursor, (struct margay_bin){10, 11, 1});
    check_bin(h, &bins, &cursor, (struct margay_bin){10, 11, 1});
    check_bin(h, &bins, &cursor, (struct margay_bin){30, 31, 1});
    CHECK(!margay_histogram_next_bin(h, &bins, &cursor, &bin),
          "three references, three groups");
    margay_histogram_free(h);
}

static void test_parse(void)
{
    static const struct {
        const char *text;
        struct margay_bins bins;
    } good[] = {
        {"exact", {MARGAY_BINS_EXACT, 0}},
        {"log2", {MARGAY_BINS_LOG2, 0}},
        {"loglinear", {MARGAY_BINS_LOGLINEAR, 0}},
        {"linear:1", {MARGAY_BINS_LINEAR, 1}},
        {"linear:18446744073709551615", {MARGAY_BINS_LINEAR, UINT64_MAX}},
        {"reference:1000", {MARGAY_BINS_REFERENCE, 1000}},
    };
    static const char *const bad[] = {
        "",          "log",
        "log22",     "exact:1",
        "linear",    "linear:",
        "linear:0",  "linear:x",
        "linear:1 ", "linear:-1",
        "reference", "reference:0",
        ":5",        "linear:18446744073709551616",
    };
    struct margay_bins bins;
    struct margay_error error;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        CHECK(margay_bins_parse(good[i].text, &bins, NULL) == MARGAY_OK &&
                  bins.kind == good[i].bins.kind &&
                  bins.parameter == good[i].bins.parameter,
              "'%s'", good[i].text);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK(margay_bins_parse(bad[i], &bins, &error) == MARGAY_BAD_ARGUMENT,
              "'%s' is refused", bad[i]);
    margay_bins_parse("logs", &bins, &error);
    CHECK(strstr(error.message, "'logs'") && strstr(error.message, "log2"),
          "the message: %s", error.message);
}

/* --------------------------------------------------------------- curves -- */

#define MOST_SIZES 20000

static uint64_t expected[MOST_SIZES]; /* sizes, in any order, with repeats */
static size_t expected_count;

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
    for (uint64_t d = 0; d < size && d < row_count; d++)
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

static void test_curves(void)
{
    static const uint64_t per_octave[] = {1, 2, 3, 16, 100, 65536 / 64};
    uint64_t number = rounds(1000);
    bool octave = true, pow2 = true, all = true;
    for (uint64_t round = 0; round < number; round++) {
        margay_histogram *h = make_histogram();
        bool bounded = !one_in(2);
        uint64_t last = row_count == 0 ? 1 : row_count;
        margay_histogram_add(h, MARGAY_INFINITE, 1, NULL);
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
    margay_histogram *h = make_histogram();
    struct margay_point *points;
    struct margay_error error;
    size_t count;
    while (row_count == 0 || row_count > 100) {
        margay_histogram_free(h);
        h = make_histogram();
    }
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

static void test_no_curve(void)
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

static void test_far_curves(void)
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
    seed_chance(1981);
    test_no_counts();
    test_powers(false);
    test_powers(true);
    test_most_counts();
    test_against_array();
    test_add_counts_limits();
    test_bins();
    test_far_bins();
    test_empty_groups();
    test_parse();
    test_curves();
    test_list();
    test_no_curve();
    test_far_curves();
    return tap_done();
}
