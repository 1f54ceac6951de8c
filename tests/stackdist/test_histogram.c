/* test_histogram.c - exact counts against a plain array, and the extremes */
#include "stackdist/histogram.h"
#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define BEYOND (UINT64_C(1) << 56)

static margay_histogram *new_histogram(void)
{
    margay_histogram *histogram;
    if (margay_histogram_create(&histogram, NULL) != MARGAY_OK)
        abort();
    return histogram;
}

static uint64_t count_at(const margay_histogram *histogram, uint64_t distance)
{
    uint64_t found, count;
    return margay_histogram_next(histogram, distance, &found, &count) &&
                   found == distance
               ? count
               : 0;
}

static void test_empty(void)
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

static void test_limits(void)
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

/* Counters are narrow until they overflow. */
static void test_carry(void)
{
    margay_histogram *h = new_histogram();
    for (unsigned i = 0; i < 200000; i++)
        margay_histogram_add(h, 3, 1, NULL);
    CHECK_U64(count_at(h, 3), 200000, "one by one past 65,535");
    margay_histogram_add(h, 4, 65535, NULL);
    CHECK_U64(count_at(h, 4), 65535, "65,535 at once");
    margay_histogram_add(h, 4, 1, NULL);
    CHECK_U64(count_at(h, 4), 65536, "and one more");
    margay_histogram_add(h, 5, UINT64_C(1) << 40, NULL);
    CHECK_U64(count_at(h, 5), UINT64_C(1) << 40, "2^40 at once");
    CHECK_U64(count_at(h, 2), 0, "the neighbour is untouched");
    margay_histogram_free(h);
}

/* ------------------------------------------------------- against an array --
 */

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

int main(void)
{
    seed_chance(1981);
    test_empty();
    test_powers(false);
    test_powers(true);
    test_limits();
    test_carry();
    test_against_array();
    test_add_counts_limits();
    return tap_done();
}
