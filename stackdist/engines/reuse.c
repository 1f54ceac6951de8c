/* reuse.c - how reuse times are distributed */
#include "stackdist/engines/reuse.h"

#include <math.h>
#include <stdlib.h>

#include "traces/traces_internal.h"

enum margay_status margay_clock_fail_end(struct margay_error *error)
{
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "reuse times are measured over at most %llu references",
                       (unsigned long long)MARGAY_CLOCK_END);
}

enum margay_status margay_reuse_create(struct margay_reuse *reuse,
                                       unsigned bits, double rate,
                                       uint64_t seed,
                                       struct margay_error *error)
{
    *reuse = (struct margay_reuse){.bits = bits, .seed = seed};
    if (rate < 1)
        reuse->threshold = (uint64_t)ldexp(rate, 64);
    reuse->counts = calloc(MARGAY_BARS(bits), sizeof *reuse->counts);
    reuse->sums = calloc(MARGAY_BARS(bits), sizeof *reuse->sums);
    if (reuse->counts == NULL || reuse->sums == NULL)
        return margay_fail_memory(error, "a histogram of reuse times");
    return margay_clock_create(&reuse->clock, error);
}

void margay_reuse_destroy(struct margay_reuse *reuse)
{
    margay_clock_destroy(&reuse->clock);
    free(reuse->counts);
    free(reuse->sums);
    *reuse = (struct margay_reuse){0};
}

static void count_time(struct margay_reuse *reuse, uint64_t time)
{
    size_t bar = margay_bar_of(time, reuse->bits);
    reuse->counts[bar]++;
    reuse->sums[bar] += (double)time;
}

static enum margay_status feed_all(struct margay_reuse *reuse,
                                   const uint64_t *blocks, size_t count,
                                   struct margay_error *error)
{
    struct margay_clock *clock = &reuse->clock;
    for (size_t i = 0; i < count; i++) {
        if (count - i > MARGAY_CLOCK_AHEAD)
            margay_hash_prefetch(&clock->last, blocks[i + MARGAY_CLOCK_AHEAD]);
        enum margay_status status = margay_clock_reserve(clock, error);
        if (status != MARGAY_OK)
            return status;
        uint64_t time = margay_clock_refer(clock, blocks[i]);
        if (time == 0)
            reuse->endless++;
        else
            count_time(reuse, time);
    }
    reuse->sampled += count;
    return MARGAY_OK;
}

/* A sampled reference is watched until the next one to its block. */
static enum margay_status feed_sample(struct margay_reuse *reuse,
                                      const uint64_t *blocks, size_t count,
                                      struct margay_error *error)
{
    struct margay_clock *clock = &reuse->clock;
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
            count_time(reuse, clock->now - margay_clock_decode(value));
        uint64_t state = reuse->seed + clock->now;
        if (margay_splitmix64(&state) < reuse->threshold) {
            margay_clock_refer(clock, blocks[i]);
            reuse->sampled++;
        } else {
            if (value != 0)
                margay_hash_erase(watched, blocks[i]);
            clock->now++;
        }
    }
    return MARGAY_OK;
}

enum margay_status margay_reuse_feed(struct margay_reuse *reuse,
                                     const uint64_t *blocks, size_t count,
                                     struct margay_error *error)
{
    enum margay_status status = reuse->threshold == 0
                                    ? feed_all(reuse, blocks, count, error)
                                    : feed_sample(reuse, blocks, count, error);
    reuse->references += count;
    return status;
}

void margay_reuse_reset_counts(struct margay_reuse *reuse)
{
    for (size_t i = 0; i < MARGAY_BARS(reuse->bits); i++) {
        reuse->counts[i] = 0;
        reuse->sums[i] = 0;
    }
    reuse->references = reuse->endless = 0;
    /* The references that are watched now will be counted. */
    reuse->sampled = reuse->threshold == 0 ? 0 : reuse->clock.last.entries;
}

void margay_reuse_end(struct margay_reuse *reuse)
{
    if (reuse->threshold != 0)
        reuse->endless = reuse->clock.last.entries;
}

uint64_t margay_reuse_blocks(const struct margay_reuse *reuse)
{
    double entries = (double)reuse->clock.last.entries;
    if (reuse->threshold == 0)
        return reuse->clock.last.entries;
    return (uint64_t)(entries / ldexp((double)reuse->threshold, -64) + 0.5);
}

double margay_reuse_mean(const struct margay_reuse *reuse, size_t bar)
{
    if (reuse->counts[bar] > 0)
        return reuse->sums[bar] / (double)reuse->counts[bar];
    double low = (double)margay_bar_low(bar, reuse->bits);
    double high = (double)margay_bar_low(bar + 1, reuse->bits) - 1;
    return (low + high) / 2;
}

double *margay_reuse_tails(const struct margay_reuse *reuse, size_t *bars)
{
    size_t last = MARGAY_BARS(reuse->bits) - 1;
    while (last > 0 && reuse->counts[last] == 0)
        last--;
    *bars = last + 1;
    double *tails = calloc(*bars + 1, sizeof *tails);
    if (tails == NULL || reuse->sampled == 0)
        return tails;
    uint64_t sum = reuse->endless;
    tails[*bars] = (double)sum / (double)reuse->sampled;
    for (size_t i = *bars; i-- > 0;) {
        sum += reuse->counts[i];
        tails[i] = (double)sum / (double)reuse->sampled;
    }
    return tails;
}
