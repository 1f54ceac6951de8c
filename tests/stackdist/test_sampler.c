/* test_sampler.c - input sizes from peaks of distances */
#include <math.h>

#include <margay/prediction.h>

#include "tests/tap.h"

static struct margay_sampler_options usual = {0, 0, 0, 16, 8};

static margay_sampler *new_sampler(struct margay_sampler_options options)
{
    margay_sampler *sampler;
    if (margay_sampler_create(&options, &sampler, NULL) != MARGAY_OK)
        abort();
    return sampler;
}

static void feed(margay_sampler *sampler, uint64_t block, uint64_t distance)
{
    if (margay_sampler_feed(sampler, &block, &distance, 1, NULL) != MARGAY_OK)
        abort();
}

struct found {
    struct margay_peak *peaks;
    size_t count;
    struct margay_sampler_options thresholds;
};

static struct found finish(margay_sampler *sampler)
{
    struct found found;
    if (margay_sampler_finish(sampler, &found.thresholds, &found.peaks,
                              &found.count, NULL) != MARGAY_OK)
        abort();
    margay_sampler_free(sampler);
    return found;
}

/* `sweeps` over n blocks, in order. */
static struct found sweep(struct margay_sampler_options options, uint64_t n,
                          unsigned sweeps)
{
    margay_sampler *sampler = new_sampler(options);
    for (unsigned i = 0; i < sweeps; i++) {
        for (uint64_t block = 0; block < n; block++)
            feed(sampler, block, i == 0 ? MARGAY_INFINITE : n - 1);
    }
    return finish(sampler);
}

static void test_peaks(void)
{
    static const uint64_t distances[] = {500, 200, 900, 50,  900, 300,
                                         300, 400, 400, 100, 600};
    const struct margay_sampler_options options = {150, 90, 10, 4, 8};
    margay_sampler *sampler = new_sampler(options);
    feed(sampler, 7, MARGAY_INFINITE);
    feed(sampler, 7, 120); /* qualifies nothing */
    for (size_t i = 0; i < sizeof distances / sizeof distances[0]; i++) {
        feed(sampler, 7, distances[i]);
        feed(sampler, 8, 1000); /* too near */
    }
    struct found found = finish(sampler);
    CHECK_U64(found.count, 3, "peaks: 500, the first 900, the first 400");
    CHECK(found.peaks[0].distance == 500 && found.peaks[0].index == 2 &&
              found.peaks[0].known_index == 4,
          "the first reference that qualifies may be one");
    CHECK(found.peaks[1].distance == 900 && found.peaks[1].index == 6 &&
              found.peaks[1].known_index == 10,
          "distances below the temporal threshold do not count");
    CHECK(found.peaks[2].distance == 400 && found.peaks[2].peak == 2,
          "of equal ones the first; the last has no neighbour");
    bool alone = true;
    for (size_t i = 0; i < found.count; i++)
        alone =
            alone && found.peaks[i].block == 7 && found.peaks[i].sample == 0;
    CHECK(alone, "no data sample within the spatial threshold of another");
    free(found.peaks);
}

static void test_adapting(void)
{
    struct found found = sweep(usual, 100000, 3);
    bool all = found.count >= 8 && found.count <= 16;
    for (size_t i = 0; i < found.count; i++)
        all = all && found.peaks[i].distance == 99999;
    CHECK(all, "the data's size is found without thresholds: %zu peaks",
          found.count);
    CHECK(found.thresholds.qualification_blocks >= 49999 &&
              found.thresholds.spatial_blocks >= 100000 / 32,
          "which adapt");
    free(found.peaks);
    struct margay_sampler_options fixed = {10, 10, 1000, 3, 8};
    found = sweep(fixed, 100000, 3);
    CHECK(found.count == 3 && found.thresholds.spatial_blocks == 1000 &&
              found.peaks[2].block == 2000,
          "given ones stay: the first three data samples");
    free(found.peaks);
    found = sweep(usual, 100000, 2);
    CHECK_U64(found.count, 0, "one pass behind the first shows no peak yet");
    free(found.peaks);
}

static void test_rule(void)
{
    struct margay_sampled_run runs[2];
    struct margay_size_rule rule;
    struct found found[3];
    double size = 0;
    static const uint64_t elements[] = {1000, 4000, 50000};
    for (size_t i = 0; i < 3; i++)
        found[i] = sweep(usual, elements[i], 4);
    for (size_t i = 0; i < 2; i++)
        runs[i] = (struct margay_sampled_run){sqrt((double)elements[i]),
                                              found[i].peaks, found[i].count};
    CHECK(margay_size_rule_fit(runs, 2, &rule, NULL) == MARGAY_OK,
          "a rule from two runs");
    const struct margay_sampled_run other = {0, found[2].peaks, found[2].count};
    bool applied = margay_size_rule_apply(&rule, &other, &size);
    CHECK(applied && fabs(size / sqrt(50000) - 1) < 0.002,
          "tells the size of a third, in the unit of the first: %g", size);
    const struct margay_sampled_run none = {0, NULL, 0};
    CHECK(!margay_size_rule_apply(&rule, &none, &size),
          "but not that of one without peaks");
    CHECK(margay_size_rule_fit(runs, 1, &rule, NULL) == MARGAY_BAD_ARGUMENT,
          "one run of known size is too few");
    runs[0].size = 1000;
    runs[1].size = 5656; /* of an exponent of 0.8 */
    CHECK(margay_size_rule_fit(runs, 2, &rule, NULL) == MARGAY_BAD_INPUT,
          "no power of the size by which data grow");
    runs[1].peaks = runs[0].peaks;
    runs[1].count = runs[0].count;
    CHECK(margay_size_rule_fit(runs, 2, &rule, NULL) == MARGAY_BAD_INPUT,
          "peaks that do not grow tell nothing");
    for (size_t i = 0; i < 3; i++)
        free(found[i].peaks);
}

int main(void)
{
    margay_sampler *sampler;
    test_peaks();
    test_adapting();
    test_rule();
    usual.most_samples = 0;
    CHECK(margay_sampler_create(&usual, &sampler, NULL) == MARGAY_BAD_ARGUMENT,
          "no data samples at all are refused");
    return tap_done();
}
