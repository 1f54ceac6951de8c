/* test_fading.c - reuse distances that fade, against weights added one by one
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>

#include "tests/rounds.h"
#include "tests/stackdist/same.h"
#include "tests/tap.h"
#include "traces/base/random.h"
#include <margay/stackdist.h>

#define MOST_REFS 4000

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

static double weight_of(size_t at, size_t from, size_t count, uint64_t half)
{
    uint64_t piece = half < 16 ? 1 : half / 16;
    uint64_t ended = (count - from) / piece - (at - from) / piece;
    return exp2(-(double)ended * (double)piece / (double)half);
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

/* How far the counts up to each distance are from the weights' sum, at most. */
static double worst(const struct margay_result *result, size_t from,
                    size_t count, uint64_t half)
{
    double mass[MOST_REFS + 1] = {0}, all = 0, sum = 0, difference = 0;
    uint64_t counted = 0, distance, number;
    for (size_t i = from; i < count; i++) {
        double weight = weight_of(i, from, count, half);
        all += weight;
        if (distances[i] != MARGAY_INFINITE)
            mass[distances[i]] += weight;
    }
    for (uint64_t d = 0; d < MOST_REFS; d++) {
        sum += mass[d];
        if (margay_histogram_next(result->histogram, d, &distance, &number) &&
            distance == d)
            counted += number;
        difference = fmax(difference, fabs(sum - (double)counted));
    }
    return fmax(difference, fabs(all - (double)result->references));
}

static void check_random(struct margay_random *random)
{
    size_t count = 1 + margay_random_below(random, 300);
    size_t warm = margay_random_below(random, 2) * (count / 3);
    uint64_t different = 1 + margay_random_below(random, 40);
    uint64_t half = 1 + margay_random_below(random, 200);
    uint64_t bound = margay_random_below(random, 3) == 0 ? 5 : 0;
    size_t piece = 1 + margay_random_below(random, 50);
    struct margay_result early, result, other;
    for (size_t i = 0; i < count; i++) {
        blocks[i] = margay_random_below(random, different) *
                    UINT64_C(0x9e3779b97f4a7c15);
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
    CHECK(looked && ended && worst(&result, warm, count, half) < 1 &&
              same_results(&result, &early) && same_results(&result, &other),
          "%zu references from %zu on, half-life %" PRIu64 ", bound %" PRIu64
          ", %g off",
          count, warm, half, bound, worst(&result, warm, count, half));
    margay_result_clear(&early);
    margay_result_clear(&result);
    margay_result_clear(&other);
    margay_engine_free(one);
    margay_engine_free(two);
}

int main(void)
{
    struct margay_random random;
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_error error;
    margay_engine *engine;
    margay_random_seed(&random, 20);
    for (uint64_t i = 0; i < rounds(300); i++)
        check_random(&random);
    options.measure = MARGAY_FADING_DISTANCES;
    CHECK(margay_engine_create("exact", &options, &engine, &error) ==
                  MARGAY_BAD_ARGUMENT &&
              engine == NULL,
          "a half-life of 0: %s", error.message);
    return tap_done();
}
