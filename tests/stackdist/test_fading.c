/* test_fading.c - reuse distances that fade, against weights added one by one
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/stackdist/results.h"
#include "tests/tap.h"
#include <margay/stackdist.h>

#define MOST_REFS 300

static uint64_t blocks[MOST_REFS], distances[MOST_REFS];

/* The distance of a reference, and how many pieces end behind it. */
static uint64_t distance_of(size_t at, uint64_t bound)
{
    uint64_t distance = 0;
    for (size_t i = at; i-- > 0;) {
        bool seen = false;
        if (blocks[i] == blocks[at])
            return bound != 0 && distance >= bound ? MARGAY_INFINITE : distance;
        for (size_t k = i + 1; k < at && !seen; k++)
            seen = blocks[k] == blocks[i];
        distance += !seen;
    }
    return MARGAY_INFINITE;
}

/* A 64-bit mantissa holds all the weights of a small trace. */
static long double weight_of(size_t at, size_t from, size_t count,
                             uint64_t half)
{
    uint64_t piece = half < 16 ? 1 : half / 16;
    uint64_t ended = (count - from) / piece - (at - from) / piece;
    return exp2l(-(long double)(ended * piece) / (long double)half);
}

static margay_engine *make(uint64_t half, uint64_t bound, unsigned threads)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    margay_engine *engine;
    options.measure = MARGAY_FADING_DISTANCES;
    options.half_life_refs = half;
    options.bound_blocks = bound;
    options.threads = threads;
    if (margay_engine_create("exact", &options, &engine, NULL) != MARGAY_OK)
        abort();
    return engine;
}

static void feed(margay_engine *engine, size_t from, size_t to, size_t piece)
{
    for (size_t at = from; at < to; at += piece) {
        size_t some = to - at < piece ? to - at : piece;
        if (margay_engine_feed(engine, blocks + at, some, NULL, NULL) !=
            MARGAY_OK)
            abort();
    }
}

/* Where a half is just missed, both neighbours are right. */
static bool is_rounded(uint64_t mass, unsigned bits, long double sum)
{
    uint64_t count = margay_round_count(mass, bits);
    return (long double)count == floorl(sum + 0.5L) ||
           (long double)count == floorl(sum + 0.5L + 1e-12L);
}

/* A mass is the sum of these weights, its ratio theirs, and its count theirs
   rounded. */
static bool is_sum(const struct margay_result *result, uint64_t mass,
                   long double sum, long double all)
{
    return is_rounded(mass, result->fraction_bits, sum) &&
           fabsl((long double)mass / (long double)result->references -
                 sum / all) < 2e-12L;
}

/* The sum of masses from a distance on to another. */
static long double between(const long double *masses, uint64_t from,
                           uint64_t to)
{
    long double sum = 0;
    for (uint64_t d = from; d < to && d <= MOST_REFS; d++)
        sum += masses[d];
    return sum;
}

/* Bins that are laid out beforehand, and those of equal masses. */
static size_t wrong_bins(const struct margay_result *result,
                         const long double *masses, long double all)
{
    static const char *const texts[] = {"exact", "log2", "loglinear",
                                        "linear:3", "reference:5"};
    uint64_t infinite = result->infinite;
    long double finite = between(masses, 0, MOST_REFS);
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct margay_bins bins;
        struct margay_bin_cursor cursor = {0, 0, 0};
        struct margay_bin bin;
        uint64_t binned = 0;
        (void)margay_bins_parse(texts[i], &bins, NULL);
        for (;
             margay_histogram_next_bin(result->histogram, &bins, &cursor, &bin);
             binned += bin.references)
            wrong += !is_sum(result, bin.references,
                             bins.kind == MARGAY_BINS_REFERENCE
                                 ? finite / 5
                                 : between(masses, bin.from, bin.to),
                             all);
        wrong += binned + infinite != result->references;
    }
    return wrong;
}

/* How many masses are not what the weights come to. */
static size_t count_wrong(const struct margay_result *result, size_t from,
                          size_t count, uint64_t half)
{
    static const struct margay_sizes sizes = {.kind = MARGAY_SIZES_ALL};
    long double masses[MOST_REFS + 1] = {0}, all = 0;
    struct margay_point *points;
    size_t point_count, wrong = 0;
    for (size_t i = from; i < count; i++) {
        long double weight = weight_of(i, from, count, half);
        all += weight;
        masses[distances[i] == MARGAY_INFINITE ? MOST_REFS : distances[i]] +=
            weight;
    }
    if (margay_result_curve(result, &sizes, &points, &point_count, NULL) !=
        MARGAY_OK)
        abort();
    for (size_t i = 0; i < point_count; i++)
        wrong += !is_sum(result, points[i].misses,
                         between(masses, points[i].cache_blocks, MOST_REFS + 1),
                         all);
    free(points);
    return wrong + wrong_bins(result, masses, all) +
           !is_rounded(result->references, result->fraction_bits, all) +
           !is_sum(result, result->infinite, masses[MOST_REFS], all);
}

static void check_random(void)
{
    size_t count = 1 + below(300);
    size_t warm = below(2) * (count / 3);
    uint64_t different = 1 + below(40);
    uint64_t half = 1 + below(200);
    uint64_t bound = one_in(3) ? 5 : 0;
    size_t piece = 1 + below(50);
    struct margay_result early, result, other;
    for (size_t i = 0; i < count; i++) {
        blocks[i] = below(different) * UINT64_C(0x9e3779b97f4a7c15);
        distances[i] = distance_of(i, bound);
    }
    margay_engine *one = make(half, bound, 1), *two = make(half, bound, 3);
    feed(one, 0, warm, piece);
    margay_engine_reset_counts(one);
    feed(two, 0, warm, count);
    margay_engine_reset_counts(two);
    feed(one, warm, count, piece);
    bool looked = margay_engine_peek(one, &early, NULL) == MARGAY_OK;
    feed(two, warm, count, count);
    bool ended = margay_engine_finish(one, &result, NULL) == MARGAY_OK &&
                 margay_engine_finish(two, &other, NULL) == MARGAY_OK;
    size_t wrong = count_wrong(&result, warm, count, half);
    CHECK(looked && ended && wrong == 0 && same_results(&result, &early) &&
              same_results(&result, &other),
          "%zu references from %zu on, half-life %" PRIu64 ", bound %" PRIu64
          ", %zu masses wrong",
          count, warm, half, bound, wrong);
    margay_result_clear(&early);
    margay_result_clear(&result);
    margay_result_clear(&other);
    margay_engine_free(one);
    margay_engine_free(two);
}

int main(void)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_error error;
    margay_engine *engine;
    seed_chance(20);
    for (uint64_t i = 0; i < rounds(1000); i++)
        check_random();
    options.measure = MARGAY_FADING_DISTANCES;
    CHECK(margay_engine_create("exact", &options, &engine, &error) ==
                  MARGAY_BAD_ARGUMENT &&
              engine == NULL,
          "a half-life of 0: %s", error.message);
    return tap_done();
}
