/*
 * sampled_size.c - which peak is the input size
 *
 * Of all peaks that every training run has, the same one of the same data
 * sample, the one whose distance goes with the known sizes best, as a power of
 * them: by the least squares of logarithms.  From a run of unknown size the
 * same peak then tells it.
 */
#include <math.h>

#include <margay/stackdist.h>

#include "traces/traces_internal.h"

/* Mean square of a logarithm: 1%. */
#define GOOD_ENOUGH 1e-4

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
    return rule->exponent > 0;
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
        /* Of those that are good enough the first one counts, as it is known
           first. */
        misfit = fmax(misfit, GOOD_ENOUGH);
        if (misfit < 0.99 * least) {
            least = misfit;
            *rule = candidate;
        }
    }
    if (least < HUGE_VAL)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "no peak of the runs of known size grows with it, so "
                       "none can tell another size");
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
