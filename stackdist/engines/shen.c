/*
 * shen.c - distances inferred from reuse times
 *
 * Algorithm: of the M - 1 other blocks each is in an interval of D - 1
 *   references with probability p(D), all independently, so their number, the
 *   distance, is binomial; p(D) is the sum over 1 <= t < D of p'(t), the
 *   probability that a block's last reference before the interval's end is t
 *   before it: p'(t) = sum over D > t of P_T(D) / (M - 1).  The binomial
 *   distribution is taken as a normal one, by table. form=basic computes one p
 *   per bar by that definition; form=optimised from per-bar sums of p' in which
 *   the sums of 1 / (t - 1) are logarithms.
 * Source: Shen, Shaw, "Efficient locality approximation from time", LCPC 2008;
 *   Shen, Shaw, Meeker, Ding, "Locality approximation using time", POPL 2007.
 *   The last references to the M blocks count as infinite times; there are
 *   M - 1 other blocks; t = 1, which would divide by 0, adds nothing; p is at
 *   most 1.  Repairs, which repair=off leaves out: p(D) is summed to D - 1, not
 *   D, and half a bar of width w counts (w - 1) / 2w of its sum; a distance is
 *   at least 1 and at most D - 1, unless D = 1.
 * Guarantee: none.
 * Cost: O(N) time and O(M) space for the reuse times, then O(L^3) (basic) or
 *   O(L^2) for L bars of time and distance.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stackdist/engine.h"
#include "stackdist/engines/clock.h"
#include "stackdist/engines/estimate.h"

#define BAR_BITS 5

enum form { BASIC, OPTIMISED };

/* In the order of the class's parameters. */
enum parameter { FORM, SAMPLE, REPAIR };

struct shen {
    enum form form;
    bool repaired;
    struct margay_clock clock; /* of all blocks; with a sample, of the blocks
                                  whose sampled references await a reuse */
    uint64_t counts[MARGAY_BARS(BAR_BITS)]; /* of reuse times */
    uint64_t references;                    /* since the counts were reset */
    uint64_t endless; /* first references; sampled ones that were not reused */
    uint64_t sampled; /* counted references */
    uint64_t threshold; /* a reference is sampled if its random number is below
                           this; 0 = all are */
    uint64_t seed;
};

static void destroy(void *state)
{
    struct shen *shen = state;
    margay_hash_destroy(&shen->clock.last);
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    struct shen *shen = state;
    double rate = setup->settings.fractions[SAMPLE];
    shen->form = setup->settings.choices[FORM] == 0 ? OPTIMISED : BASIC;
    shen->repaired = setup->settings.choices[REPAIR] == 0;
    shen->seed = setup->options.seed;
    if (rate < 1)
        shen->threshold = (uint64_t)ldexp(rate, 64);
    return margay_hash_create(&shen->clock.last, 0, error);
}

/* ----------------------------------------- how reuse times are distributed */

static enum margay_status feed_all(struct shen *shen, const uint64_t *blocks,
                                   size_t count, struct margay_error *error)
{
    struct margay_clock *clock = &shen->clock;
    for (size_t i = 0; i < count; i++) {
        if (count - i > MARGAY_CLOCK_AHEAD)
            margay_hash_prefetch(&clock->last, blocks[i + MARGAY_CLOCK_AHEAD]);
        enum margay_status status = margay_clock_reserve(clock, error);
        if (status != MARGAY_OK)
            return status;
        uint64_t time = margay_clock_refer(clock, blocks[i]);
        if (time == 0)
            shen->endless++;
        else
            shen->counts[margay_bar_of(time, BAR_BITS)]++;
    }
    shen->sampled += count;
    return MARGAY_OK;
}

/* With a sample, a sampled reference is watched until the next one to its
   block. */
static enum margay_status feed(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error)
{
    (void)distances;
    struct shen *shen = state;
    shen->references += count;
    if (shen->threshold == 0)
        return feed_all(shen, blocks, count, error);
    struct margay_clock *clock = &shen->clock;
    struct margay_hash *watched = &clock->last;
    for (size_t i = 0; i < count; i++) {
        enum margay_status status = margay_clock_reserve(clock, error);
        if (status != MARGAY_OK)
            return status;
        unsigned slot;
        const struct margay_bucket *bucket =
            margay_hash_slot(watched, blocks[i], &slot);
        uint64_t value = margay_bucket_value(bucket, slot);
        if (value != 0)
            shen->counts[margay_bar_of(clock->now - margay_clock_decode(value),
                                       BAR_BITS)]++;
        uint64_t random = shen->seed + clock->now;
        if (margay_splitmix64(&random) < shen->threshold) {
            margay_clock_refer(clock, blocks[i]);
            shen->sampled++;
        } else {
            if (value != 0)
                margay_hash_erase(watched, blocks[i]);
            clock->now++;
        }
    }
    return MARGAY_OK;
}

static void reset_counts(void *state)
{
    struct shen *shen = state;
    memset(shen->counts, 0, sizeof shen->counts);
    shen->references = shen->endless = 0;
    /* The references that are watched now will be counted. */
    shen->sampled = shen->threshold == 0 ? 0 : shen->clock.last.entries;
}

/* ------------------------------------------- p, the chance to be within -- */

/* Bars of reuse times: where each begins, and its share of the references. */
struct bars {
    size_t count;
    double *low;   /* count + 1 of them: low[i + 1] is bar i's end */
    double *share; /* P_T */
    double *p;     /* p at each bar's mean */
    double others; /* M - 1, at least 1 */
    double endless;
};

static double width(const struct bars *bars, size_t i)
{
    return bars->low[i + 1] - bars->low[i];
}

/* The sum of 1 / i for from <= i <= to, where from >= 1. */
static double harmonic(double from, double to)
{
    return to < from ? 0 : log((to + 0.5) / (from - 0.5));
}

/* The addition of bar j to p'(t) for each t of all earlier bars. */
static double adds_to_earlier(const struct bars *bars, size_t j)
{
    double low = bars->low[j], high = bars->low[j + 1], w = high - low;
    double first = (low + high - 3) / (2 * bars->others) * bars->share[j];
    double from = low < 2 ? 2 : low; /* t = 1 adds nothing */
    if (w <= 1)
        return bars->share[j] / bars->others;
    return first / w * harmonic(from - 1, high - 2);
}

static void find_p_optimised(struct bars *bars, bool repaired, double *sums)
{
    double later = bars->endless / bars->others;
    for (size_t i = bars->count; i-- > 0;) {
        /* P2(b_i), the sum of p'(t) over a bar's t: the additions of later
           bars, each of their times D by a factor of 1 / (t - 1), and of the
           bar itself. */
        double low = bars->low[i], high = bars->low[i + 1], w = high - low;
        double own = 0;
        if (w > 1) {
            /* sum over low < t < high of (t - low) / (t - 1) */
            double terms = w - 1;
            double sum = terms - (low - 1) * harmonic(low, high - 2);
            double first =
                (low + high - 3) / (2 * bars->others) * bars->share[i];
            own = first / w * sum;
        }
        sums[i] = w * later + own;
        later += adds_to_earlier(bars, i);
    }
    /* Bar 0 is a time of 0, which does not occur. */
    double before = 0;
    for (size_t i = 1; i < bars->count; i++) {
        double w = width(bars, i);
        double half = repaired ? (w - 1) / (2 * w) : 0.5;
        bars->p[i] = before + sums[i] * half;
        before += sums[i];
    }
}

/* ----------------------------------------------- from p to the distances -- */

/* The normal distribution function, from a table of erfc. */
#define TABLE_STEPS 64 /* per standard deviation */
#define TABLE_REACH 6  /* beyond, it is 0 or 1 */
#define TABLE_SIZE  (2 * TABLE_REACH * TABLE_STEPS + 1)

static double normal(const double *table, double z)
{
    double at = (z + TABLE_REACH) * TABLE_STEPS;
    if (!(at > 0))
        return 0;
    if (at >= TABLE_SIZE - 1)
        return 1;
    size_t i = (size_t)at;
    return table[i] + (table[i + 1] - table[i]) * (at - (double)i);
}

/* Spread the mass of a time bar over the distance bars: a binomial number of
   `others` blocks, but least <= d <= most. */
static void spread(double *masses, const double *table, double others, double p,
                   double least, double most, double mass)
{
    double mean = others * p, deviation = sqrt(mean * (1 - p));
    size_t first = margay_bar_of((uint64_t)least, BAR_BITS);
    size_t last = margay_bar_of((uint64_t)fmin(most, others), BAR_BITS);
    double below = 0;
    for (size_t k = first; k < last; k++) {
        double end = (double)margay_bar_low(k + 1, BAR_BITS) - 0.5;
        /* Without deviation, all is at the mean. */
        double up_to = deviation > 1e-9
                           ? normal(table, (end - mean) / deviation)
                           : (double)(mean < end);
        masses[k] += mass * (up_to - below);
        below = up_to;
        if (below >= 1)
            return;
    }
    masses[last] += mass * (1 - below);
}

static void find_masses(const struct shen *shen, const struct bars *bars,
                        double *masses)
{
    double table[TABLE_SIZE];
    for (int i = 0; i < TABLE_SIZE; i++) {
        double z = (double)i / TABLE_STEPS - TABLE_REACH;
        table[i] = erfc(-z / sqrt(2)) / 2;
    }
    for (size_t i = 0; i < bars->count; i++) {
        if (shen->counts[i] == 0)
            continue;
        double p = bars->p[i] < 1 ? bars->p[i] : 1;
        double least = 0, most = bars->others;
        if (shen->repaired) {
            least = bars->low[i] > 1 ? 1 : 0;
            most = bars->low[i + 1] - 2;
        }
        spread(masses, table, bars->others, p, least, most,
               (double)shen->counts[i]);
    }
}

/* ----------------------------------------------------------- the result -- */

static enum margay_status round_masses(const struct shen *shen,
                                       const double *masses, size_t count,
                                       struct margay_result *result,
                                       struct margay_error *error)
{
    struct margay_rounder rounder;
    enum margay_status status = margay_rounder_begin(
        &rounder, shen->references, (double)shen->sampled, error);
    for (size_t k = 0; k < count && status == MARGAY_OK; k++) {
        /* A bar's mass evenly at a few of its distances. */
        uint64_t low = margay_bar_low(k, BAR_BITS);
        uint64_t distances = margay_bar_low(k + 1, BAR_BITS) - low;
        uint64_t parts = distances < 8 ? distances : 8;
        for (uint64_t i = 0; i < parts && status == MARGAY_OK; i++)
            status = margay_rounder_add(
                &rounder, low + (2 * i + 1) * distances / (2 * parts),
                masses[k] / (double)parts, error);
    }
    return margay_rounder_end(&rounder, status, &result->histogram, error);
}

/* By the definition: for each bar the sum over all t before its middle of the
   sum over all longer times. */
static void find_p_basic(struct bars *bars, bool repaired)
{
    for (size_t i = 0; i < bars->count; i++) {
        double middle = (bars->low[i] + bars->low[i + 1] - 1) / 2, p = 0;
        for (size_t j = 1; j <= i; j++) {
            double last = repaired ? middle : middle + 1;
            double end = j < i ? bars->low[j + 1] : last;
            double later = bars->endless + bars->share[j] / 2;
            if (width(bars, j) <= 1)
                later -= bars->share[j] / 2; /* no D > t in a single time */
            for (size_t k = j + 1; k < bars->count; k++)
                later += bars->share[k];
            p += (end - bars->low[j]) * later / bars->others;
        }
        bars->p[i] = p;
    }
}

static enum margay_status infer(struct shen *shen, struct bars *bars,
                                double *memory, struct margay_result *result,
                                struct margay_error *error)
{
    bars->low = memory;
    bars->share = bars->low + bars->count + 1;
    bars->p = bars->share + bars->count;
    double *sums = bars->p + bars->count, *masses = sums + bars->count;
    if (shen->sampled > 0) {
        double sampled = (double)shen->sampled;
        uint64_t blocks = result->distinct_blocks;
        bars->others = blocks > 1 ? (double)(blocks - 1) : 1;
        bars->endless = (double)shen->endless / sampled;
        for (size_t i = 0; i <= bars->count; i++)
            bars->low[i] = (double)margay_bar_low(i, BAR_BITS);
        for (size_t i = 0; i < bars->count; i++)
            bars->share[i] = (double)shen->counts[i] / sampled;
        if (shen->form == BASIC)
            find_p_basic(bars, shen->repaired);
        else
            find_p_optimised(bars, shen->repaired, sums);
        find_masses(shen, bars, masses);
    }
    return round_masses(shen, masses, bars->count + 1, result, error);
}

static enum margay_status finish(void *state, struct margay_result *result,
                                 struct margay_error *error)
{
    struct shen *shen = state;
    struct bars bars = {.count = MARGAY_BARS(BAR_BITS) - 1};
    uint64_t entries = shen->clock.last.entries;
    while (bars.count > 1 && shen->counts[bars.count - 1] == 0)
        bars.count--;
    result->distinct_blocks = entries;
    if (shen->threshold != 0) {
        /* An estimate; sampled references that wait now are not reused. */
        shen->endless = entries;
        result->distinct_blocks =
            (uint64_t)((double)entries / ldexp((double)shen->threshold, -64) +
                       0.5);
    }
    /* low, share, p, sums, masses: infer(). */
    double *memory = calloc(5 * bars.count + 8, sizeof *memory);
    if (memory == NULL)
        return margay_fail_memory(error, "the bars of reuse times");
    enum margay_status status = infer(shen, &bars, memory, result, error);
    free(memory);
    return status;
}

const struct margay_engine_class margay_engine_shen = {
    .info = {.name = "shen",
             .guarantee = "a binomial model; no bound on the error",
             .parameters = "form=optimised|basic,sample=1|0.000001..1,"
                           "repair=on|off",
             .time = "O(N + L^2) for L bars; basic O(N + L^3)",
             .space = "O(M)",
             .source = "Shen and Shaw 2008"},
    .can = MARGAY_GIVES_COUNTS,
    MARGAY_ENGINE_FUNCTIONS(struct shen),
};
