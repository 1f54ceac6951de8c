/*
 * aet.c - a miss curve expected from reuse times
 *
 * Algorithm: a block stays in a cache of C blocks for t references after its
 *   last one, where the sum over 0 <= j < t of P(T > j) is C; a reference with
 *   a longer reuse time T misses.
 * Source: Hu, Wang, Li, Ding et al., "Kinetic modeling of data eviction in
 *   cache", USENIX ATC 2016.
 * Guarantee: none; good where reuse times are independent of each other.  Exact
 *   on loops and scans.
 * Cost: O(N) time; O(M) space.
 */
#include <stdlib.h>

#include "stackdist/engine.h"
#include "stackdist/engines/estimate.h"
#include "stackdist/engines/reuse.h"

#define BAR_BITS 8

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    return margay_reuse_create(state, BAR_BITS, 1, setup->options.seed, error);
}

static void destroy(void *state)
{
    margay_reuse_destroy(state);
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
 * The sum of P(T > j) over 0 <= j < t, from bar to bar; all times of a bar are
 * taken to be their mean.
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

static enum margay_status finish(void *state, struct margay_result *result,
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

const struct margay_engine_class margay_engine_aet = {
    .info =
        {
            .name = "aet",
            .guarantee = "an expected miss curve; no bound on the error",
            .parameters = "",
            .time = "O(N)",
            .space = "O(M)",
            .source = "Hu et al. 2016",
        },
    .can = MARGAY_CAN_GIVE_ALL_SIZES,
    MARGAY_ENGINE_FUNCTIONS(struct margay_reuse),
};
