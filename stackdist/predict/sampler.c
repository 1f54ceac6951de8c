/*
 * sampler.c - the input size of a run from its beginning
 *
 * Algorithm: distance-based sampling.  A reference at a distance beyond the
 * qualification threshold makes its block a data sample, unless it is nearer
 * to another one than the spatial threshold.  From then on its references at
 * distances beyond the temporal threshold are access samples, the one that
 * qualified it being the first.  A distance among them that is larger than its
 * neighbours, the one before and the one after, is a peak: in a program that
 * passes over its data repeatedly, the size of the data.  Of equal distances in
 * succession the first is the peak.
 *
 * Thresholds that are not given adapt: when there are more samples than wanted,
 * the qualification threshold rises to half of the largest distance that
 * qualified one; where that does not reject any, the spatial threshold doubles.
 * Samples that the new thresholds reject are removed.
 *
 * Source: Zhong, Shen, Ding, ACM TOPLAS 31(6), 2009, section 3.5, and Ding and
 * Zhong, PLDI 2003; the way that thresholds adapt is ours.
 *
 * Among the peaks that every training run has (the same peak of the same data
 * sample), the one whose distance fits a power of the known sizes best, by
 * least squares of logarithms, gives the size of another run.
 *
 * Cost: a comparison for each reference, and one for each data sample where
 * the distance is beyond the thresholds.
 */
#include <math.h>
#include <stdlib.h>

#include <margay/prediction.h>

#include "traces/traces_internal.h"

/* The first values of thresholds that adapt, in blocks. */
#define FIRST_QUALIFICATION 64
#define FIRST_SPATIAL       1

/* The most access samples of a data sample: the first ones. */
#define MOST_ACCESSES 4096

struct access {
    uint64_t index, distance;
};

struct sample {
    uint64_t block, qualified; /* by that distance */
    struct access *accesses;   /* owned */
    size_t count, capacity;
};

struct margay_sampler {
    struct margay_sampler_options options; /* thresholds as they are now */
    bool qualification_adapts, spatial_adapts, temporal_adapts;
    struct sample *samples; /* in the order in which they qualified */
    size_t count;
    uint64_t references;
};

enum margay_status margay_sampler_create(
    const struct margay_sampler_options *options, margay_sampler **sampler,
    struct margay_error *error)
{
    *sampler = NULL;
    if (options->most_samples == 0 || options->most_peaks == 0 ||
        options->most_samples > MARGAY_MOST_SAMPLES)
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT,
            "%u data sample%s of %u peak%s, expected 1 to %d "
            "of 1 or more",
            options->most_samples, margay_plural(options->most_samples, "s"),
            options->most_peaks, margay_plural(options->most_peaks, "s"),
            MARGAY_MOST_SAMPLES);
    struct margay_sampler *made = calloc(1, sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "a sampler");
    made->options = *options;
    made->qualification_adapts = options->qualification_blocks == 0;
    made->spatial_adapts = options->spatial_blocks == 0;
    made->temporal_adapts = options->temporal_blocks == 0;
    if (made->qualification_adapts)
        made->options.qualification_blocks = FIRST_QUALIFICATION;
    if (made->spatial_adapts)
        made->options.spatial_blocks = FIRST_SPATIAL;
    if (made->temporal_adapts)
        made->options.temporal_blocks = made->options.qualification_blocks;
    made->samples = calloc(options->most_samples, sizeof *made->samples);
    if (made->samples == NULL) {
        free(made);
        return margay_fail_memory(error, "a sampler");
    }
    *sampler = made;
    return MARGAY_OK;
}

void margay_sampler_free(margay_sampler *sampler)
{
    if (sampler == NULL)
        return;
    for (size_t i = 0; i < sampler->count; i++)
        free(sampler->samples[i].accesses);
    free(sampler->samples);
    free(sampler);
}

/* -------------------------------------------------------------- samples -- */

static bool is_far(const struct margay_sampler *sampler, size_t count,
                   uint64_t block)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t other = sampler->samples[i].block;
        uint64_t apart = other > block ? other - block : block - other;
        if (apart < sampler->options.spatial_blocks)
            return false;
    }
    return true;
}

static void raise_thresholds(struct margay_sampler *sampler, uint64_t distance)
{
    struct margay_sampler_options *options = &sampler->options;
    uint64_t largest = distance;
    for (size_t i = 0; i < sampler->count; i++)
        largest = margay_maximum(largest, sampler->samples[i].qualified);
    if (sampler->qualification_adapts &&
        largest / 2 > options->qualification_blocks) {
        options->qualification_blocks = largest / 2;
        if (sampler->temporal_adapts)
            options->temporal_blocks = largest / 2;
    } else if (sampler->spatial_adapts && options->spatial_blocks < UINT64_C(1)
                                                                        << 62) {
        options->spatial_blocks *= 2;
    }
    /* Remove the samples that the thresholds reject. */
    size_t kept = 0;
    for (size_t i = 0; i < sampler->count; i++) {
        struct sample sample = sampler->samples[i];
        if (sample.qualified > sampler->options.qualification_blocks &&
            is_far(sampler, kept, sample.block))
            sampler->samples[kept++] = sample;
        else
            free(sample.accesses);
    }
    sampler->count = kept;
}

/* Make this reference's block a data sample, if it qualifies; otherwise
   NULL. */
static struct sample *admit(struct margay_sampler *sampler, uint64_t block,
                            uint64_t distance)
{
    unsigned tries = 0;
    bool adapts = sampler->qualification_adapts || sampler->spatial_adapts;
    while (distance > sampler->options.qualification_blocks &&
           is_far(sampler, sampler->count, block)) {
        if (sampler->count < sampler->options.most_samples) {
            struct sample *sample = &sampler->samples[sampler->count++];
            *sample = (struct sample){.block = block, .qualified = distance};
            return sample;
        }
        if (!adapts || tries++ > 128)
            return NULL;
        raise_thresholds(sampler, distance);
    }
    return NULL;
}

static enum margay_status note(struct sample *sample, uint64_t index,
                               uint64_t distance, struct margay_error *error)
{
    if (sample->count == MOST_ACCESSES)
        return MARGAY_OK;
    if (!MARGAY_MAKE_ROOM(sample->accesses, sample->count, 1, sample->capacity))
        return margay_fail_memory(error, "access samples");
    sample->accesses[sample->count++] = (struct access){index, distance};
    return MARGAY_OK;
}

enum margay_status margay_sampler_feed(margay_sampler *sampler,
                                       const uint64_t *blocks,
                                       const uint64_t *distances, size_t count,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    const struct margay_sampler_options *options = &sampler->options;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        uint64_t distance = distances[i];
        if (distance == MARGAY_INFINITE ||
            (distance <= options->temporal_blocks &&
             distance <= options->qualification_blocks))
            continue;
        size_t known = 0;
        while (known < sampler->count &&
               sampler->samples[known].block != blocks[i])
            known++;
        struct sample *sample =
            known == sampler->count ? admit(sampler, blocks[i], distance)
            : distance > options->temporal_blocks ? &sampler->samples[known]
                                                  : NULL;
        if (sample != NULL)
            status = note(sample, sampler->references + i, distance, error);
    }
    sampler->references += count;
    return status;
}

/* ---------------------------------------------------------------- peaks -- */

enum margay_status margay_sampler_finish(const margay_sampler *sampler,
                                         struct margay_sampler_options *options,
                                         struct margay_peak **peaks,
                                         size_t *count,
                                         struct margay_error *error)
{
    size_t most = 1;
    for (size_t i = 0; i < sampler->count; i++)
        most += sampler->samples[i].count;
    *count = 0;
    *peaks = calloc(most, sizeof **peaks);
    if (*peaks == NULL)
        return margay_fail_memory(error, "the peaks");
    for (size_t k = 0; k < sampler->count; k++) {
        const struct sample *sample = &sampler->samples[k];
        uint64_t before = 0;
        unsigned found = 0;
        struct access at = {0, 0}; /* the access that may be a peak */
        for (size_t i = 0;
             i < sample->count && found < sampler->options.most_peaks; i++) {
            struct access next = sample->accesses[i];
            /* The temporal threshold may have risen since. */
            if (next.distance <= sampler->options.temporal_blocks)
                continue;
            if (at.distance > before && at.distance >= next.distance)
                (*peaks)[(*count)++] = (struct margay_peak){
                    .sample = (unsigned)k,
                    .peak = found++,
                    .block = sample->block,
                    .distance = at.distance,
                    .index = at.index,
                    .known_index = next.index,
                };
            before = at.distance;
            at = next;
        }
    }
    *options = sampler->options;
    return MARGAY_OK;
}

/* ------------------------------------------------- the size of an input -- */

/* Mean square of a logarithm: 1%. */
#define GOOD_ENOUGH 1e-4

/* A peak that goes with the data grows as one of these powers of the size, or
   nearly: that of rows, planes and all, and of sides. */
#define POWER_TOLERANCE 0.06
static const double powers[] = {1.0 / 3, 0.5, 2.0 / 3, 1, 1.5, 2, 3};

static const struct margay_peak *find_peak(const struct margay_sampled_run *run,
                                           unsigned sample, unsigned peak)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->peaks[i].sample == sample && run->peaks[i].peak == peak)
            return &run->peaks[i];
    }
    return NULL;
}

/* Fit log d = a + b log s to one peak of all runs; false if it is missing in
   one, or does not grow.  *error: the mean square. */
static bool fit(const struct margay_sampled_run *runs, size_t count,
                struct margay_size_rule *rule, double *error)
{
    double x = 0, y = 0, xx = 0, xy = 0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        const struct margay_peak *peak =
            find_peak(&runs[i], rule->sample, rule->peak);
        if (peak == NULL)
            return false;
        double s = log(runs[i].size), d = log((double)peak->distance);
        x += s;
        y += d;
        xx += s * s;
        xy += s * d;
    }
    double determinant = n * xx - x * x;
    if (!(determinant > 0))
        return false;
    rule->exponent = (n * xy - x * y) / determinant;
    rule->offset = (y - rule->exponent * x) / n;
    *error = 0;
    for (size_t i = 0; i < count; i++) {
        const struct margay_peak *peak =
            find_peak(&runs[i], rule->sample, rule->peak);
        double off = rule->offset + rule->exponent * log(runs[i].size) -
                     log((double)peak->distance);
        *error += off * off / n;
    }
    for (size_t i = 0; i < sizeof powers / sizeof powers[0]; i++) {
        if (fabs(rule->exponent - powers[i]) <= POWER_TOLERANCE * powers[i])
            return true;
    }
    return false;
}

enum margay_status margay_size_rule_fit(const struct margay_sampled_run *runs,
                                        size_t count,
                                        struct margay_size_rule *rule,
                                        struct margay_error *error)
{
    double least = HUGE_VAL, misfit;
    struct margay_size_rule candidate = {0};
    if (count < 2)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%zu run%s of known size, expected 2 or more", count,
                           margay_plural(count, "s"));
    for (size_t i = 0; i < runs[0].count; i++) {
        candidate.sample = runs[0].peaks[i].sample;
        candidate.peak = runs[0].peaks[i].peak;
        if (!fit(runs, count, &candidate, &misfit))
            continue;
        /* Of peaks that fit well enough the first is taken, as it is found
           earliest in a run. */
        misfit = fmax(misfit, GOOD_ENOUGH);
        if (misfit < 0.99 * least) {
            least = misfit;
            *rule = candidate;
        }
    }
    if (least < HUGE_VAL)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "no peak of the runs of known size grows with it as "
                       "data do, so none can tell another size");
}

bool margay_size_rule_apply(const struct margay_size_rule *rule,
                            const struct margay_sampled_run *run, double *size)
{
    const struct margay_peak *peak = find_peak(run, rule->sample, rule->peak);
    if (peak == NULL)
        return false;
    *size = exp((log((double)peak->distance) - rule->offset) / rule->exponent);
    return isfinite(*size);
}
