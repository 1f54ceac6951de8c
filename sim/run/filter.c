/*
 * filter.c - the question of a cache before another question
 *
 * The analysis of the other question is fed the output of the cache, misses and
 * writes.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>

#include "sim/run/spans.h"
#include "traces/traces_internal.h"
#include <margay/questions.h>

struct filter {
    margay_analysis analysis;
    margay_cache *cache;
    struct margay_traffic traffic;
    struct margay_passed_on passed_on;
};

static struct filter *self(const margay_analysis *analysis)
{
    return (struct filter *)analysis;
}

static void filter_free(margay_analysis *analysis)
{
    struct filter *filter = self(analysis);
    margay_cache_free(filter->cache);
    margay_traffic_clear(&filter->traffic);
    free(filter->passed_on.columns);
}

/* The sets and ways of a capacity. */
static enum margay_status divide_capacity(
    const struct margay_filter_request *request, uint64_t block_bytes,
    struct margay_cache_options *cache, struct margay_error *error)
{
    uint64_t blocks;
    if (request->capacity.value == 0)
        return MARGAY_OK;
    enum margay_status status = margay_cache_size_blocks(
        &request->capacity, "--bytes", block_bytes, &blocks, error);
    if (status != MARGAY_OK)
        return status;
    if (blocks > MARGAY_MOST_SLOTS)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--bytes: a cache of %" PRIu64
                           " blocks (expected at most %" PRIu64 ")",
                           blocks, MARGAY_MOST_SLOTS);
    if (cache->ways == 0)
        cache->ways = (uint32_t)blocks;
    if (blocks % cache->ways != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--bytes: %" PRIu64 " block%s in sets of %" PRIu32
                           " (expected a whole number of sets)",
                           blocks, margay_plural(blocks, "s"), cache->ways);
    cache->sets = blocks / cache->ways;
    return MARGAY_OK;
}

static enum margay_status filter_feed(margay_analysis *analysis,
                                      const struct margay_span *span,
                                      struct margay_error *error)
{
    struct filter *filter = self(analysis);
    enum margay_status status = margay_traffic_reserve(
        &filter->traffic, MARGAY_MOST_TRAFFIC * span->count, error);
    if (status != MARGAY_OK)
        return status;
    margay_cache_tell_sites(filter->cache, span->sites);
    margay_cache_feed_through(filter->cache, span->blocks, span->kinds,
                              span->count, &filter->traffic);
    return margay_span_pass_on(span, &filter->traffic, &filter->passed_on,
                               analysis->next, error);
}

static enum margay_status filter_reset(margay_analysis *analysis,
                                       struct margay_error *error)
{
    (void)error;
    margay_cache_reset_counts(self(analysis)->cache);
    return MARGAY_OK;
}

const struct margay_cache_counts *margay_filter_analysis_counts(
    const margay_analysis *analysis)
{
    return margay_cache_counts(self(analysis)->cache);
}

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct filter *filter = self(analysis);
    (void)share;
    const struct margay_filter_request *request = analysis->question->context;
    struct margay_cache_options options = request->cache;
    enum margay_status status =
        divide_capacity(request, analysis->pass->block_bytes, &options, error);
    return status == MARGAY_OK
               ? margay_cache_create(&options, &filter->cache, error)
               : status;
}

static const struct margay_analysis_class functions = {
    .bytes = sizeof(struct filter),
    .begin = begin,
    .feed = filter_feed,
    .reset = filter_reset,
    .free = filter_free,
};

/* Its output has all columns but extents. */
#define LOST_COLUMNS ((unsigned)MARGAY_COLUMN_EXTENTS | MARGAY_COLUMN_NUMBERS)

enum margay_status margay_filter_question(
    const struct margay_filter_request *request, margay_question *next,
    margay_question **question, struct margay_error *error)
{
    const struct margay_policy_info *policy;
    *question = NULL;
    enum margay_status status = MARGAY_OK;
    if ((next->can.needs & LOST_COLUMNS) != 0 || next->can.references)
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "%s: asks for more than the blocks that a cache "
                             "passes on",
                             next->name);
    if (status == MARGAY_OK)
        status = margay_policy_find(
            request->cache.policy == NULL ? "lru" : request->cache.policy,
            &policy, error);
    if (status != MARGAY_OK) {
        margay_question_free(next);
        return status;
    }
    margay_question kind = {
        .functions = &functions,
        .next = next,
        /* A trace without kinds would pass for one without writes. */
        .can = {.needs = next->can.needs,
                .uses = MARGAY_COLUMN_KINDS | (next->can.uses & ~LOST_COLUMNS),
                .passes = next->can.passes,
                .traces = next->can.traces},
        .name = "a cache",
    };
    if (policy->abilities & MARGAY_POLICY_NEEDS_SITES)
        kind.can.needs |= MARGAY_COLUMN_SITES;
    return margay_question_create(&kind, request, sizeof *request, question,
                                  error);
}
