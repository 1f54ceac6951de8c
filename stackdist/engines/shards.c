/*
 * shards.c - distances from a sample of the blocks
 *
 * Algorithm: a share R of all blocks, chosen by the hash of their ids, is
 *   analysed exactly; each sampled distance stands for 1 / R times as many
 *   blocks.  The sample rarely has exactly R N of the N references, and the
 *   difference is counted at distance 0 (adjust=on): it comes from blocks that
 *   are referenced very often, and these are near the top of the stack.  With
 *   blocks=K the share is lowered so that K blocks are enough (shards_fixed.c).
 * Source: Waldspurger, Park, Garthwaite, Ahmad, "Efficient MRC construction
 *   with SHARDS", FAST 2015.
 * Guarantee: none; errors of about 0.01 on linear cache sizes where R M is
 *   thousands.  The adjustment harms scans and caches of less than 1 / R
 *   blocks.
 * Cost: O(N) to choose, R N references analysed; O(R M) or O(K) space.
 */
#include "stackdist/engines/shards.h"

#include <stdlib.h>

#include "stackdist/engines/estimate.h"
#include "traces/traces_internal.h"

#define PIECE_REFS 4096

/* In the order of the class's parameters. */
enum parameter { RATE, ADJUST, BLOCKS };

struct shards {
    struct margay_fixed_size *fixed; /* NULL without blocks=; otherwise, none of
                                        the following is used */
    struct margay_sample sample;
    margay_engine *engine;
    bool adjust;
    uint64_t references, sampled_refs;
};

static void destroy(void *state)
{
    struct shards *shards = state;
    margay_fixed_size_free(shards->fixed);
    margay_engine_free(shards->engine);
}

static enum margay_status check(const struct margay_engine_setup *setup,
                                struct margay_error *error)
{
    const struct margay_engine_class *class = &margay_engine_shards;
    if (!(setup->settings.given & 1u << BLOCKS))
        return MARGAY_OK;
    if (setup->settings.given & 1u << RATE)
        return margay_engine_fail_parameter(
            class, "rate", "...", "has no meaning beside blocks", error);
    return MARGAY_OK;
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    enum margay_status status;
    struct shards *shards = state;
    uint64_t seed = setup->options.seed;
    shards->adjust = setup->settings.choices[ADJUST] == 0;
    if (setup->settings.counts[BLOCKS] != 0) {
        status = margay_fixed_size_create(setup->settings.counts[BLOCKS],
                                          shards->adjust, seed, &shards->fixed,
                                          error);
    } else {
        struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
        shards->sample =
            margay_sample_of(setup->settings.fractions[RATE], seed);
        status =
            margay_engine_create("exact", &options, &shards->engine, error);
    }
    return status;
}

static enum margay_status feed(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error)
{
    (void)distances;
    struct shards *shards = state;
    if (shards->fixed != NULL)
        return margay_fixed_size_feed(shards->fixed, blocks, count, error);
    enum margay_status status = MARGAY_OK;
    for (size_t done = 0, piece; done < count; done += piece) {
        uint64_t sampled[PIECE_REFS + 1];
        piece = count - done < PIECE_REFS ? count - done : PIECE_REFS;
        size_t picked =
            margay_sample_pick(&shards->sample, blocks + done, piece, sampled);
        status =
            margay_engine_feed(shards->engine, sampled, picked, NULL, error);
        if (status != MARGAY_OK)
            return status;
        shards->sampled_refs += picked;
    }
    shards->references += count;
    return MARGAY_OK;
}

static void reset_counts(void *state)
{
    struct shards *shards = state;
    if (shards->fixed != NULL) {
        margay_fixed_size_reset_counts(shards->fixed);
        return;
    }
    margay_engine_reset_counts(shards->engine);
    shards->references = shards->sampled_refs = 0;
}

static enum margay_status scale_rows(const struct shards *shards,
                                     const margay_histogram *sampled,
                                     struct margay_rounder *rounder,
                                     struct margay_error *error)
{
    double scale = margay_sample_scale(&shards->sample);
    enum margay_status status = MARGAY_OK;
    if (shards->adjust)
        status = margay_rounder_add(
            rounder, 0, rounder->total - (double)shards->sampled_refs, error);
    uint64_t distance, count;
    for (uint64_t from = 0;
         status == MARGAY_OK &&
         margay_histogram_next(sampled, from, &distance, &count);
         from = distance + 1)
        status = margay_rounder_add(rounder,
                                    (uint64_t)((double)distance * scale + 0.5),
                                    (double)count, error);
    return status;
}

static enum margay_status finish(void *state, struct margay_result *result,
                                 struct margay_error *error)
{
    struct shards *shards = state;
    if (shards->fixed != NULL)
        return margay_fixed_size_finish(shards->fixed, result, error);
    double scale = margay_sample_scale(&shards->sample);
    struct margay_result sampled;
    enum margay_status status =
        margay_engine_finish(shards->engine, &sampled, error);
    if (status != MARGAY_OK)
        return status;
    struct margay_rounder rounder;
    status =
        margay_rounder_begin(&rounder, shards->references,
                             shards->adjust ? (double)shards->references / scale
                                            : (double)shards->sampled_refs,
                             error);
    if (status == MARGAY_OK) {
        status = scale_rows(shards, sampled.histogram, &rounder, error);
        status =
            margay_rounder_end(&rounder, status, &result->histogram, error);
    }
    result->distinct_blocks =
        (uint64_t)((double)sampled.distinct_blocks * scale + 0.5);
    result->nodes = sampled.distinct_blocks;
    margay_result_clear(&sampled);
    return status;
}

const struct margay_engine_class margay_engine_shards = {
    .info =
        {
            .name = "shards",
            .guarantee = "a sample of the blocks; no bound on the error",
            .parameters = "rate=0.01|0.000001..1,adjust=on|off,"
                          "blocks=none|16..1000000000",
            .time = "O(N)",
            .space = "O(rate M), or O(blocks)",
            .source = "Waldspurger et al. 2015",
        },
    .can = MARGAY_GIVES_COUNTS,
    .parameters = {[RATE] = {"rate", "0.01|0.000001..1", MARGAY_FRACTION},
                   [ADJUST] = {"adjust", "on|off", MARGAY_CHOICE},
                   [BLOCKS] = {"blocks", "none|16..1000000000", MARGAY_COUNT}},
    .check = check,
    MARGAY_ENGINE_FUNCTIONS(struct shards),
};
