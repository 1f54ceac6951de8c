/*
 * test_binomial.c - the prediction against values computed exactly
 *
 * The expected probabilities come from rational arithmetic (distances up to
 * 100,000) and from decimals of 80 digits, each rounded once to a double.
 */
#include <math.h>

#include "tests/tap.h"
#include <margay/assoc.h>

static const struct {
    uint64_t distance;
    unsigned set_shift, ways;
    double hit;
} golden[] = {
    {UINT64_C(0), 0, 1, 1},
    {UINT64_C(0), 5, 1, 1},
    {UINT64_C(1), 0, 1, 0},
    {UINT64_C(1), 0, 2, 1},
    {UINT64_C(5), 0, 5, 0},
    {UINT64_C(5), 0, 6, 1},
    {UINT64_C(1), 1, 1, 0.5},
    {UINT64_C(2), 1, 2, 0.75},
    {UINT64_C(3), 1, 2, 0.5},
    {UINT64_C(10), 2, 3, 0.52559280395507812},
    {UINT64_C(63), 1, 64, 1},
    {UINT64_C(64), 1, 64, 1},
    {UINT64_C(64), 0, 64, 0},
    {UINT64_C(100), 3, 16, 0.81994001210781087},
    {UINT64_C(1000), 4, 64, 0.55936023315595551},
    {UINT64_C(1500), 1, 64, 0},
    {UINT64_C(1000), 1, 1, 9.3326361850321888e-302},
    {UINT64_C(900), 0, 64, 0},
    {UINT64_C(4096), 7, 8, 1.0123390251696632e-07},
    {UINT64_C(60000), 10, 64, 0.7434790422475902},
    {UINT64_C(70000), 6, 64, 0},
    {UINT64_C(45000), 6, 64, 5.5440822377632659e-216},
    {UINT64_C(1000000), 14, 64, 0.63105570684204659},
    {UINT64_C(1048576), 10, 64, 0},
    {UINT64_C(1048576), 9, 64, 0},
    {UINT64_C(11184810), 14, 64, 6.5175426784412725e-206},
    {UINT64_C(1073741824), 24, 64, 0.48337601101193151},
    {UINT64_C(1073754169), 24, 33, 7.4401641004058712e-06},
    {UINT64_C(8589934592), 24, 64, 1.2158483061499366e-139},
    {UINT64_C(17179869184), 24, 64, 0},
    {UINT64_C(12000000000), 24, 64, 8.7534634652460824e-219},
    {UINT64_C(1099511627776), 24, 64, 0},
    {UINT64_C(1099511627776), 24, 1, 0},
    {UINT64_C(1099511627775), 12, 64, 0},
    {UINT64_C(16000000), 24, 1, 0.38532261103918142},
    {UINT64_C(16777216), 24, 2, 0.73575888234288478},
    {UINT64_C(700), 0, 1, 0},
    {UINT64_C(1330), 1, 2, 0},
    {UINT64_C(665), 1, 1, 6.5321008831513019e-201},
    {UINT64_C(963), 1, 64, 8.134098198167424e-191},
    {UINT64_C(1024), 1, 64, 1.908273496969518e-207},
    {UINT64_C(1074), 1, 1, 4.9406564584124654e-324},
};

static void test_golden(void)
{
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        double hits[MARGAY_MOST_WAYS];
        margay_binomial_hits(golden[i].distance, golden[i].set_shift,
                             golden[i].ways, hits);
        double got = hits[golden[i].ways - 1], expected = golden[i].hit;
        bool near = expected < 1e-300
                        ? got < 1e-300
                        : fabs(got - expected) <= 1e-12 * expected;
        if (!CHECK(near, "d %" PRIu64 ", 2^%u sets, %u ways: %.17g",
                   golden[i].distance, golden[i].set_shift, golden[i].ways,
                   got))
            printf("#   expected %.17g\n", expected);
    }
}

/* More ways hit more, larger distances less; all are probabilities. */
static void test_monotony(void)
{
    unsigned wrong = 0;
    for (unsigned set_shift = 0; set_shift <= 24; set_shift++) {
        double before[MARGAY_MOST_WAYS], hits[MARGAY_MOST_WAYS];
        for (unsigned w = 0; w < MARGAY_MOST_WAYS; w++)
            before[w] = 1;
        for (uint64_t d = 0; d < UINT64_C(1) << 41; d += 1 + d / 8) {
            margay_binomial_hits(d, set_shift, MARGAY_MOST_WAYS, hits);
            for (unsigned w = 0; w < MARGAY_MOST_WAYS; w++) {
                double smaller = w == 0 ? 0 : hits[w - 1];
                wrong += !(hits[w] >= 0 && hits[w] <= 1 + 1e-15);
                wrong += !(hits[w] >= smaller * (1 - 1e-12));
                wrong += !(hits[w] <= before[w] * (1 + 1e-12));
                before[w] = hits[w];
            }
        }
    }
    CHECK_U64(wrong, 0, "probabilities, rising with ways, falling with d");
}

static void test_histogram(void)
{
    margay_histogram *histogram;
    double misses[2], infinite[2];
    if (margay_histogram_create(&histogram, NULL) != MARGAY_OK)
        exit(1);
    margay_histogram_add(histogram, 0, 10, NULL);
    margay_histogram_add(histogram, 1, 8, NULL);
    margay_histogram_add(histogram, 2, 16, NULL);
    margay_histogram_add(histogram, MARGAY_INFINITE, 5, NULL);
    margay_binomial_misses(histogram, 1, 2, misses);
    /* One way: half of the 8 miss and three quarters of the 16; two ways:
       a quarter of the 16. */
    CHECK(misses[0] == 5 + 4 + 12, "one way: %g", misses[0]);
    CHECK(misses[1] == 5 + 4, "two ways: %g", misses[1]);
    margay_binomial_hits(MARGAY_INFINITE, 3, 2, infinite);
    CHECK(infinite[0] == 0 && infinite[1] == 0, "infinite never hits");
    margay_histogram_free(histogram);
}

int main(void)
{
    test_golden();
    test_monotony();
    test_histogram();
    return tap_done();
}
