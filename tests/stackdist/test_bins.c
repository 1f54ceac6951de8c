/* test_bins.c - binned histograms against their definitions */
#include <margay/stackdist.h>

#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define MOST_ROWS 6000 /* past two log-linear bins of full width */

static uint64_t counts[MOST_ROWS]; /* what the histogram under test holds */
static uint64_t row_count;         /* the largest distance + 1 */

static margay_histogram *make_histogram(void)
{
    margay_histogram *h;
    if (margay_histogram_create(&h, NULL) != MARGAY_OK)
        abort();
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

static void test_random(void)
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

/* ------------------------------------------------------------- extremes -- */

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

static void test_extremes(void)
{
    uint64_t far = (UINT64_C(1) << 56) - 1, half = UINT64_C(1) << 63;
    margay_histogram *h;
    struct margay_bin bin;
    if (margay_histogram_create(&h, NULL) != MARGAY_OK)
        abort();
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
    margay_histogram *h;
    struct margay_bins bins = {MARGAY_BINS_REFERENCE, UINT64_MAX};
    struct margay_bin_cursor cursor = {0};
    struct margay_bin bin;
    if (margay_histogram_create(&h, NULL) != MARGAY_OK)
        abort();
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

/* ---------------------------------------------------------------- words -- */

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

int main(void)
{
    seed_chance(2009);
    test_random();
    test_extremes();
    test_empty_groups();
    test_parse();
    return tap_done();
}
