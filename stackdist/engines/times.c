/*
 * times.c - reuse times themselves, and the footprint that follows from them
 *
 * Algorithm: a hash table remembers when each block was last referenced.  Times
 *   are counted exactly where the measure is times.  For the footprint, the
 *   average number of distinct blocks in all windows of w references, a block
 *   is missing from those windows that fit between two references to it, before
 *   its first or after its last: a gap of g references holds g - w windows of
 *   length w.  Gaps are counted in narrow bars with their sums, so fp is exact
 *   where a bar begins.  A cache of fp(w) blocks misses as often as the
 *   footprint grows from w to w + 1.
 * Source: Denning, "The working set model for program behavior", CACM 11(5),
 *   1968; Xiang, Bao, Ding, Gao, "Linear-time modeling of program working set
 *   in shared cache", PACT 2011; Xiang, Ding, Luo, Bao, "HOTL: a higher order
 *   theory of locality", ASPLOS 2013.
 * Guarantee: times are exact.  The footprint is exact at the beginnings of
 *   bars; the curve is a model, good where references mix well.
 * Cost: O(N) time, O(M) space; times also take the space of their histogram.
 */
#include <stdlib.h>
#include <string.h>

#include "stackdist/engine.h"
#include "stackdist/engines/clock.h"
#include "stackdist/engines/estimate.h"
#include "stackdist/histogram.h"

#define BAR_BITS 8
#define BARS     MARGAY_BARS(BAR_BITS)

struct times {
    struct margay_clock clock;
    uint64_t first;              /* the time of the last reset of counts */
    uint64_t cold;               /* first references since then */
    margay_histogram *histogram; /* times only */
    /* The footprint's gaps. */
    uint64_t gaps[BARS];
    double gap_sums[BARS];
};

static void destroy(void *state)
{
    struct times *times = state;
    margay_hash_destroy(&times->clock.last);
    margay_histogram_free(times->histogram);
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    struct times *times = state;
    enum margay_status status =
        margay_hash_create(&times->clock.last, 0, error);
    if (status == MARGAY_OK && setup->options.measure == MARGAY_REUSE_TIMES)
        status = margay_histogram_create(&times->histogram, error);
    return status;
}

static void count_gap(struct times *times, uint64_t gap)
{
    size_t bar = margay_bar_of(gap, BAR_BITS);
    times->gaps[bar]++;
    times->gap_sums[bar] += (double)gap;
}

static enum margay_status feed(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error)
{
    struct times *times = state;
    struct margay_clock *clock = &times->clock;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (count - i > MARGAY_CLOCK_AHEAD)
            margay_hash_prefetch(&clock->last, blocks[i + MARGAY_CLOCK_AHEAD]);
        status = margay_clock_reserve(clock, error);
        if (status != MARGAY_OK)
            return status;
        uint64_t gap = margay_clock_refer(clock, blocks[i]);
        bool is_first = gap == 0;
        uint64_t time = is_first ? MARGAY_INFINITE : gap;
        times->cold += is_first;
        if (times->histogram != NULL)
            status = margay_histogram_add(times->histogram, time, 1, error);
        else /* The gap before a first reference is all references so far. */
            count_gap(times, is_first ? clock->now - times->first : gap);
        if (distances != NULL)
            distances[i] = time;
    }
    return status;
}

static void reset_counts(void *state)
{
    struct times *times = state;
    times->first = times->clock.now;
    times->cold = 0;
    if (times->histogram != NULL)
        margay_histogram_clear(times->histogram);
    memset(times->gaps, 0, sizeof times->gaps);
    memset(times->gap_sums, 0, sizeof times->gap_sums);
}

static enum margay_status peek_times(void *state, struct margay_result *result,
                                     struct margay_error *error)
{
    const struct times *times = state;
    result->distinct_blocks = times->clock.last.entries;
    return margay_histogram_copy(times->histogram, &result->histogram, error);
}

/* Once the gaps after the last references to all blocks are counted, too, the
   footprint where each bar begins, from the longest window to the shortest:
   fp(w) = M - sum over gaps g > w of (g - w) / (N - w + 1). */
static void sum_gaps(struct times *times, double *footprints,
                     uint64_t references)
{
    const struct margay_hash *last = &times->clock.last;
    double count = 0, sum = 0, blocks = (double)last->entries;
    for (uint64_t i = 0; i < last->bucket_count * MARGAY_BUCKET_SLOTS; i++) {
        uint64_t value =
            margay_bucket_value(&last->buckets[i / MARGAY_BUCKET_SLOTS],
                                (unsigned)(i % MARGAY_BUCKET_SLOTS));
        if (value != 0)
            count_gap(times, times->clock.now - margay_clock_decode(value));
    }
    for (size_t bar = BARS; bar-- > 0;) {
        double window = (double)margay_bar_low(bar, BAR_BITS) - 1;
        count += (double)times->gaps[bar];
        sum += times->gap_sums[bar];
        footprints[bar] = blocks;
        if (window <= (double)references)
            footprints[bar] -=
                (sum - window * count) / ((double)references - window + 1);
    }
}

static enum margay_status peek_footprint(void *state,
                                         struct margay_result *result,
                                         struct margay_error *error)
{
    const struct times *times = state;
    struct times *ended = malloc(sizeof *ended);
    struct margay_real_point *real = calloc(BARS, sizeof *real);
    double *footprints = calloc(BARS, sizeof *footprints);
    enum margay_status status;
    result->references = times->clock.now - times->first;
    result->infinite = times->cold;
    result->distinct_blocks = times->clock.last.entries;
    if (ended == NULL || real == NULL || footprints == NULL) {
        status = margay_fail_memory(error, "the footprint");
    } else {
        size_t count = 0;
        *ended = *times;
        sum_gaps(ended, footprints, result->references);
        /* Bar 1 begins with a window of 0. */
        for (size_t bar = 1; bar + 1 < BARS; bar++) {
            double window = (double)margay_bar_low(bar, BAR_BITS) - 1;
            double next = (double)margay_bar_low(bar + 1, BAR_BITS) - 1;
            if (next > (double)result->references)
                break;
            real[count++] = (struct margay_real_point){
                footprints[bar], (double)result->references *
                                     (footprints[bar + 1] - footprints[bar]) /
                                     (next - window)};
        }
        real[count++] = (struct margay_real_point){
            (double)result->distinct_blocks, (double)result->infinite};
        status = margay_estimate_curve(real, count, result, error);
    }
    free(ended);
    free(real);
    free(footprints);
    return status;
}

#define TIMES_FUNCTIONS                                                        \
    .state_bytes = sizeof(struct times), .create = create, .destroy = destroy, \
    .feed = feed, .reset_counts = reset_counts

const struct margay_engine_class margay_engine_times = {
    .can = MARGAY_GIVES_DISTANCES,
    TIMES_FUNCTIONS,
    .finish = peek_times,
    .peek = peek_times,
};

const struct margay_engine_class margay_engine_footprint = {
    .can = MARGAY_CAN_GIVE_ALL_SIZES,
    TIMES_FUNCTIONS,
    .finish = peek_footprint,
    .peek = peek_footprint,
};
