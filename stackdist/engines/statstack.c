/*
 * statstack.c - distances and miss ratios expected from reuse times
 *
 * Algorithm: of a window of D - 1 references before a reuse, the one that is
 *   j references before its end is the last to its block within the window if
 *   its own reuse time is longer than j; the expected distance is the sum of
 *   those probabilities, E[d | D] = sum over 0 < j < D of P(T > j) (statstack).
 *   Likewise the blocks of a cache of C blocks have been there for no longer
 *   than t references, where the sum over 0 <= j < t of P(T > j) is C; what
 *   has a longer reuse time misses (aet).  Reuse times are measured for all
 *   references, or for a random sample of them.
 * Source: Eklov, Hagersten, "StatStack: efficient modeling of LRU caches",
 *   ISPASS 2010.  Hu, Wang, Li, Ding et al., "Kinetic modeling of data
 *   eviction in cache", USENIX ATC 2016.
 * Guarantee: none; good where references do not conspire.  Exact on loops and
 *   scans.
 * Cost: O(N) time; O(M) space, of a sample O(M rate).
 */
#include <stdlib.h>

#include "stackdist/engine.h"
#include "stackdist/estimate.h"
#include "stackdist/reuse.h"

#define BAR_BITS 8

static void free_state(void *state)
{
    margay_reuse_destroy(state);
    free(state);
}

static enum margay_status create(double rate, uint64_t seed, void **state,
                                 struct margay_error *error)
{
    struct margay_reuse *reuse = calloc(1, sizeof *reuse);
    if (reuse == NULL)
        return margay_fail_memory(error, "a histogram of reuse times");
    enum margay_status status =
        margay_reuse_create(reuse, BAR_BITS, rate, seed, error);
    if (status == MARGAY_OK)
        *state = reuse;
    else
        free_state(reuse);
    return status;
}

static enum margay_status create_statstack(
    const struct margay_engine_setup *setup, void **state,
    struct margay_error *error)
{
    return create(setup->fractions[0], setup->options.seed, state, error);
}

static enum margay_status create_aet(const struct margay_engine_setup *setup,
                                     void **state, struct margay_error *error)
{
    return create(1, setup->options.seed, state, error);
}

static enum margay_status feed(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error)
{
    (void)distances;
    return margay_reuse_feed(state, blocks, count, error);
}

static void reset_counts(void *state)
{
    margay_reuse_reset_counts(state);
}

/*
 * Where the sum of P(T > j) over 0 <= j < t stands, all of a bar's times
 * taken as their mean.
 */
struct walk {
    const struct margay_reuse *reuse;
    const double *tails;
    size_t bar;
    double sum; /* up to the bar's low end */
};

/* The sum up to the mean time of the bar; steps to the next bar. */
static double step(struct walk *walk)
{
    size_t i = walk->bar++;
    double low = (double)margay_bar_low(i, walk->reuse->bits);
    double high = (double)margay_bar_low(i + 1, walk->reuse->bits);
    double mean = margay_reuse_mean(walk->reuse, i);
    double up_to_mean = walk->sum + (mean - low) * walk->tails[i];
    walk->sum = up_to_mean + (high - mean) * walk->tails[i + 1];
    return up_to_mean;
}

static enum margay_status add_bars(const struct margay_reuse *reuse,
                                   const double *tails, size_t bars,
                                   struct margay_rounder *rounder,
                                   struct margay_error *error)
{
    struct walk walk = {reuse, tails, 0, 0};
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < bars && status == MARGAY_OK; i++) {
        /* Less P(T > 0) = 1, as the sum for a distance begins at j = 1. */
        double distance = step(&walk) - 1;
        if (reuse->counts[i] > 0)
            status = margay_rounder_add(
                rounder, distance > 0 ? (uint64_t)(distance + 0.5) : 0,
                (double)reuse->counts[i], error);
    }
    return status;
}

static enum margay_status finish_statstack(void *state,
                                           struct margay_result *result,
                                           struct margay_error *error)
{
    struct margay_reuse *reuse = state;
    struct margay_rounder rounder;
    size_t bars;
    margay_reuse_end(reuse);
    result->distinct_blocks = margay_reuse_blocks(reuse);
    double *tails = margay_reuse_tails(reuse, &bars);
    if (tails == NULL)
        return margay_fail_memory(error, "the distribution of reuse times");
    enum margay_status status = margay_rounder_begin(
        &rounder, reuse->references, (double)reuse->sampled, error);
    if (status == MARGAY_OK) {
        status = add_bars(reuse, tails, bars, &rounder, error);
        status =
            margay_rounder_end(&rounder, status, &result->histogram, error);
    }
    free(tails);
    return status;
}

static enum margay_status finish_aet(void *state, struct margay_result *result,
                                     struct margay_error *error)
{
    struct margay_reuse *reuse = state;
    size_t bars;
    result->references = reuse->references;
    result->infinite = reuse->endless;
    result->distinct_blocks = margay_reuse_blocks(reuse);
    double *tails = margay_reuse_tails(reuse, &bars);
    struct margay_real_point *real = calloc(2 * bars, sizeof *real);
    enum margay_status status;
    if (tails == NULL || real == NULL) {
        status = margay_fail_memory(error, "the distribution of reuse times");
    } else {
        struct walk walk = {reuse, tails, 0, 0};
        double references = (double)reuse->references;
        for (size_t i = 0; i < bars; i++) {
            double sum = step(&walk);
            real[2 * i] = (struct margay_real_point){
                sum > tails[i] ? sum - tails[i] : 0, tails[i] * references};
            real[2 * i + 1] =
                (struct margay_real_point){sum, tails[i + 1] * references};
        }
        status = margay_estimate_curve(real, 2 * bars, result, error);
    }
    free(tails);
    free(real);
    return status;
}

const struct margay_engine_class margay_engine_statstack = {
    .info =
        {
            .name = "statstack",
            .guarantee = "expected distances; no bound on the error",
            .parameters = "sample=1|0.000001..1",
            .time = "O(N)",
            .space = "O(M), of a sample O(M sample)",
            .source = "Eklov and Hagersten 2010",
            .lacks = MARGAY_LACKS_DISTANCES | MARGAY_LACKS_BOUND,
        },
    .parameters = {{"sample", "1|0.000001..1", MARGAY_FRACTION}},
    .create = create_statstack,
    .feed = feed,
    .reset_counts = reset_counts,
    .finish = finish_statstack,
    .free_state = free_state,
};

const struct margay_engine_class margay_engine_aet = {
    .info =
        {
            .name = "aet",
            .guarantee = "an expected miss curve; no bound on the error",
            .parameters = "",
            .time = "O(N)",
            .space = "O(M)",
            .source = "Hu et al. 2016",
            .lacks = MARGAY_LACKS_DISTANCES | MARGAY_LACKS_HISTOGRAM |
                     MARGAY_LACKS_BOUND,
        },
    .create = create_aet,
    .feed = feed,
    .reset_counts = reset_counts,
    .finish = finish_aet,
    .free_state = free_state,
};
