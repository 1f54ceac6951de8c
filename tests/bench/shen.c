/*
 * shen.c - distances inferred from times, on synthetic distributions
 *
 * The table of Shen and Shaw, LCPC 2008: accuracy, which is the overlap of the
 * log2 histograms, on traces with normal and exponential distances.  Both
 * forms, with our repairs and as the paper has it.  As they do not give their
 * mean there are three; traces full of repeats are ours.  Written as a CSV, in
 * percent.
 */
#include "tests/stackdist/estimates.h"
#include "tests/stackdist/stochastic.h"

#define REFS 1000000

static const struct distribution {
    const char *name;
    double variance;  /* 0: exponential */
    double repeats;   /* of all references, a share */
    double published; /* 0: not by them */
} distributions[] = {
    {"normal variance 20", 20, 0, 92.8},
    {"normal variance 100", 100, 0, 96.3},
    {"normal variance 200", 200, 0, 95.8},
    {"exponential", 0, 0, 96.9},
    {"exponential with half repeats", 0, 0.5, 0},
    {"exponential with nine in ten repeats", 0, 0.9, 0},
};
#define DISTRIBUTIONS (sizeof distributions / sizeof distributions[0])
#define PUBLISHED     4 /* the first of them */

static const char *const specs[] = {
    "shen",
    "shen:repair=off",
    "shen:form=basic",
    "shen:form=basic,repair=off",
};
#define SPECS (sizeof specs / sizeof specs[0])

static const double means[] = {30, 100, 300};
#define MEANS (sizeof means / sizeof means[0])

static double accuracy(const char *spec, const struct margay_result *exact,
                       const uint64_t *blocks)
{
    struct margay_result result = run_plainly(spec, blocks, REFS);
    uint64_t largest = 0;
    double bars;
    margay_histogram_largest(exact->histogram, &largest);
    double share = overlap(exact, &result, largest, &bars);
    margay_result_clear(&result);
    return 100 * share;
}

int main(void)
{
    uint64_t *blocks = malloc(REFS * sizeof *blocks);
    double sums[SPECS] = {0}, published = 0;
    if (blocks == NULL)
        return 1;
    printf("distances,mean,shen,unrepaired,basic,basic_unrepaired,the_paper\n");
    for (size_t i = 0; i < DISTRIBUTIONS * MEANS; i++) {
        const struct distribution *distribution = &distributions[i / MEANS];
        double mean = means[i % MEANS];
        make_stochastic(mean, distribution->variance, distribution->repeats,
                        1 + i, blocks, REFS);
        struct margay_result exact = run_plainly("exact", blocks, REFS);
        printf("%s,%g", distribution->name, mean);
        for (size_t k = 0; k < SPECS; k++) {
            double share = accuracy(specs[k], &exact, blocks);
            if (distribution->published > 0)
                sums[k] += share / (double)(PUBLISHED * MEANS);
            printf(",%.1f", share);
        }
        published += distribution->published / (double)(PUBLISHED * MEANS);
        if (distribution->published > 0)
            printf(",%.1f\n", distribution->published);
        else
            printf(",\n");
        margay_result_clear(&exact);
    }
    printf("mean of the paper's,");
    for (size_t k = 0; k < SPECS; k++)
        printf(",%.1f", sums[k]);
    printf(",%.1f\n", published);
    free(blocks);
    return 0;
}
