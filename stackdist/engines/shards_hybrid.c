/*
 * shards_hybrid.c - exact near the top of the stack, a sample below
 *
 * Algorithm: the newest `front` blocks are kept exactly (front.h), so distances
 *   below `front` are exact, and so is the number of all other references, the
 *   tail.  How the tail is distributed is estimated from a share R of the
 *   blocks, as shards does.
 * Source: ours, on Waldspurger et al., "Efficient MRC construction with
 *   SHARDS", FAST 2015.
 * Guarantee: exact for caches of up to `front` blocks; no bound on the error
 *   beyond.
 * Cost: O(N) time, O(front + R M) space.
 */
#include <stdlib.h>

#include "stackdist/engine.h"
#include "stackdist/engines/estimate.h"
#include "stackdist/exact/front.h"
#include "stackdist/histogram.h"
#include "traces/traces_internal.h"

#define PIECE_REFS MARGAY_FRONT_REFS

/* In the order of the class's parameters. */
enum parameter { FRONT, RATE };

struct hybrid {
    struct margay_front front; /* of all references */
    margay_engine *tail;       /* of the sample */
    struct margay_sample sample;
    margay_histogram *sampled; /* distances in the sample, of the tail only */
};

static void destroy(void *state)
{
    struct hybrid *hybrid = state;
    margay_front_destroy(&hybrid->front);
    margay_engine_free(hybrid->tail);
    margay_histogram_free(hybrid->sampled);
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    struct hybrid *hybrid = state;
    hybrid->sample =
        margay_sample_of(setup->settings.fractions[RATE], setup->options.seed);
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    enum margay_status status =
        margay_engine_create("exact", &options, &hybrid->tail, error);
    if (status == MARGAY_OK)
        status = margay_front_create(setup->settings.counts[FRONT],
                                     &hybrid->front, error);
    if (status == MARGAY_OK)
        status = margay_histogram_create(&hybrid->sampled, error);
    return status;
}

/* Count the sampled references that are beyond the front; both lists of
   indices ascend. */
static enum margay_status count_beyond(struct hybrid *hybrid,
                                       const uint16_t *picks, size_t picked,
                                       const uint64_t *distances,
                                       const uint16_t *beyond, size_t found,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0, j = 0; i < picked && status == MARGAY_OK; i++) {
        while (j < found && beyond[j] < picks[i])
            j++;
        if (j < found && beyond[j] == picks[i])
            status =
                margay_histogram_add(hybrid->sampled, distances[i], 1, error);
    }
    return status;
}

static enum margay_status feed_piece(struct hybrid *hybrid,
                                     const uint64_t *blocks, size_t count,
                                     struct margay_error *error)
{
    uint64_t kept[PIECE_REFS + MARGAY_NEAR_SPARE];
    uint64_t sampled[PIECE_REFS], distances[PIECE_REFS];
    uint16_t picks[PIECE_REFS + 1], beyond[PIECE_REFS];
    size_t found;
    size_t n = margay_front_condense(&hybrid->front, blocks, count, kept);
    size_t picked = hybrid->front.kernel->pick(&hybrid->sample, kept, n, picks);
    for (size_t i = 0; i < picked; i++)
        sampled[i] = kept[picks[i]];
    enum margay_status status =
        margay_front_refer(&hybrid->front, kept, n, beyond, &found, error);
    if (status == MARGAY_OK)
        status =
            margay_engine_feed(hybrid->tail, sampled, picked, distances, error);
    if (status == MARGAY_OK)
        status = count_beyond(hybrid, picks, picked, distances, beyond, found,
                              error);
    return status;
}

static enum margay_status feed(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error)
{
    (void)distances;
    enum margay_status status = MARGAY_OK;
    for (size_t done = 0, piece; done < count && status == MARGAY_OK;
         done += piece) {
        piece = count - done < PIECE_REFS ? count - done : PIECE_REFS;
        status = feed_piece(state, blocks + done, piece, error);
    }
    return status;
}

static void reset_counts(void *state)
{
    struct hybrid *hybrid = state;
    margay_front_reset_counts(&hybrid->front);
    margay_engine_reset_counts(hybrid->tail);
    margay_histogram_clear(hybrid->sampled);
}

/* The tail's references, distributed as those of the sample are. */
static enum margay_status estimate_tail(const struct hybrid *hybrid,
                                        uint64_t references,
                                        margay_histogram **tail,
                                        struct margay_error *error)
{
    double scale = margay_sample_scale(&hybrid->sample);
    double front = (double)hybrid->front.blocks;
    struct margay_rounder rounder;
    enum margay_status status = margay_rounder_begin(
        &rounder, references,
        (double)margay_histogram_references(hybrid->sampled), error);
    if (status != MARGAY_OK)
        return status;
    uint64_t distance, count;
    for (uint64_t from = 0;
         status == MARGAY_OK &&
         margay_histogram_next(hybrid->sampled, from, &distance, &count);
         from = distance + 1) {
        double scaled = (double)distance * scale + 0.5;
        status = margay_rounder_add(&rounder,
                                    (uint64_t)(scaled < front ? front : scaled),
                                    (double)count, error);
    }
    return margay_rounder_end(&rounder, status, tail, error);
}

static enum margay_status finish(void *state, struct margay_result *result,
                                 struct margay_error *error)
{
    struct hybrid *hybrid = state;
    struct margay_result sampled = {0};
    margay_histogram *tail = NULL;
    uint64_t distinct = 0, front_blocks = hybrid->front.blocks;
    enum margay_status status = margay_front_finish(
        &hybrid->front, &result->histogram, &distinct, error);
    if (status == MARGAY_OK)
        status = margay_engine_finish(hybrid->tail, &sampled, error);
    if (status == MARGAY_OK)
        status = estimate_tail(
            hybrid, margay_histogram_infinite(result->histogram), &tail, error);
    if (status == MARGAY_OK) {
        /* The references that the front counts as infinite are the tail. */
        margay_histogram_uncount_infinite(
            result->histogram, margay_histogram_infinite(result->histogram));
        margay_histogram_set_exceeded_bound(result->histogram, 0);
        status = margay_histogram_add_all(result->histogram, tail, error);
    }
    double scale = margay_sample_scale(&hybrid->sample);
    result->distinct_blocks =
        distinct <= front_blocks
            ? distinct
            : (uint64_t)((double)sampled.distinct_blocks * scale + 0.5);
    result->nodes = front_blocks + sampled.distinct_blocks;
    margay_histogram_free(tail);
    margay_result_clear(&sampled);
    if (status != MARGAY_OK)
        margay_result_clear(result);
    return status;
}

#define FRONT_VALUES "1024|1..1000000000"

const struct margay_engine_class margay_engine_shards_hybrid = {
    .info =
        {
            .name = "shards-hybrid",
            .guarantee = "exact for caches up to front, a sample beyond",
            .parameters = "front=" FRONT_VALUES ",rate=0.01|0.000001..1",
            .time = "O(N)",
            .space = "O(front + rate M)",
            .source = "after Waldspurger et al. 2015",
        },
    .can = MARGAY_GIVES_COUNTS,
    .parameters = {[FRONT] = {"front", FRONT_VALUES, MARGAY_COUNT},
                   [RATE] = {"rate", "0.01|0.000001..1", MARGAY_FRACTION}},
    MARGAY_ENGINE_FUNCTIONS(struct hybrid),
};
