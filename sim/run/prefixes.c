/* prefixes.c - the question of requests of blocks, and what beginnings hit */
#include <stdlib.h>

#include "sim/run/prefixes_policies.h"
#include "sim/run/series.h"
#include "traces/traces_internal.h"
#include <margay/questions.h>

struct prefixes_question {
    margay_question question;
    struct margay_prefixes_request request;
};

struct prefixes_analysis {
    margay_analysis analysis;
    margay_prefixes *prefixes;
    struct margay_prefixes_result result;
};

static struct prefixes_analysis *self(const margay_analysis *analysis)
{
    return (struct prefixes_analysis *)analysis;
}

static void prefixes_free(margay_analysis *analysis)
{
    margay_prefixes_free(self(analysis)->prefixes);
    margay_prefixes_result_clear(&self(analysis)->result);
    free(analysis);
}

static enum margay_status prefixes_feed(margay_analysis *analysis,
                                        const struct margay_span *span,
                                        struct margay_error *error)
{
    return margay_prefixes_feed(self(analysis)->prefixes, span->blocks,
                                span->requests, span->tokens, span->count,
                                error);
}

static enum margay_status prefixes_reset(margay_analysis *analysis,
                                         struct margay_error *error)
{
    (void)error;
    margay_prefixes_reset_counts(self(analysis)->prefixes);
    return MARGAY_OK;
}

/* What has come so far is what it would be in the end. */
static enum margay_status prefixes_look(margay_analysis *analysis,
                                        struct margay_error *error)
{
    margay_prefixes_result_clear(&self(analysis)->result);
    return margay_prefixes_peek(self(analysis)->prefixes,
                                &self(analysis)->result, error);
}

static enum margay_status prefixes_finish(margay_analysis *analysis,
                                          struct margay_error *error)
{
    margay_prefixes_result_clear(&self(analysis)->result);
    return margay_prefixes_finish(self(analysis)->prefixes,
                                  &self(analysis)->result, error);
}

enum margay_status margay_prefixes_give(
    const struct margay_prefixes_result *result,
    const struct margay_sizes *sizes, const char *policy,
    margay_series_take *take, void *context, struct margay_error *error)
{
    struct margay_series series;
    struct margay_series_point *points;
    enum margay_status status =
        margay_result_series(&result->blocks, sizes, &series, &points, error);
    series.policy = policy;
    series.counters = MARGAY_COUNTS_REQUESTS;
    if (status == MARGAY_OK && result->requests != NULL) {
        struct margay_misses missed = margay_misses_of(result->requests);
        for (size_t i = 0; i < series.count; i++)
            points[i].missed_requests =
                margay_misses_at(&missed, points[i].size);
        series.requests = margay_histogram_references(result->requests);
        series.infinite_requests = margay_histogram_infinite(result->requests);
    }
    if (status == MARGAY_OK && result->tokens != NULL) {
        struct margay_misses missed = margay_misses_of(result->tokens);
        for (size_t i = 0; i < series.count; i++)
            points[i].missed_tokens = margay_misses_at(&missed, points[i].size);
        series.counters |= MARGAY_COUNTS_TOKENS;
        series.request_tokens = margay_histogram_references(result->tokens);
    }
    if (status == MARGAY_OK)
        status = take(context, &series, error);
    free(points);
    return status;
}

static enum margay_status prefixes_series(margay_analysis *analysis,
                                          const struct margay_sizes *sizes,
                                          margay_series_take *take,
                                          void *context,
                                          struct margay_error *error)
{
    return margay_prefixes_give(&self(analysis)->result, sizes, NULL, take,
                                context, error);
}

enum margay_status margay_prefixes_begin(
    const struct margay_prefixes_request *asked, enum margay_measure measure,
    const struct margay_pass *pass, const struct margay_share *share,
    margay_prefixes **prefixes, struct margay_error *error)
{
    struct margay_prefixes_options options = {
        .engine = asked->engine.spec == NULL ? "exact" : asked->engine.spec,
        .engine_options = {.measure = measure,
                           .seed = asked->engine.seed,
                           .threads = share->threads,
                           .chunk_refs = share->chunk_refs,
                           .phase_refs = share->phase_refs},
        .touch = asked->touch,
        .block_tokens = pass->block_tokens,
    };
    enum margay_status status = MARGAY_OK;
    if (asked->engine.bound.value != 0)
        status = margay_cache_size_blocks(
            &asked->engine.bound, "--bound", pass->block_bytes,
            &options.engine_options.bound_blocks, error);
    if (status == MARGAY_OK && asked->engine.sizes != NULL)
        status = margay_cache_sizes_check(asked->engine.sizes,
                                          pass->block_bytes, error);
    return status == MARGAY_OK
               ? margay_prefixes_create(&options, prefixes, error)
               : status;
}

static enum margay_status begin(const margay_question *question,
                                const struct margay_pass *passes, size_t count,
                                const struct margay_share *share,
                                margay_analysis **analysis,
                                struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .feed = prefixes_feed,
        .reset = prefixes_reset,
        .look = prefixes_look,
        .finish = prefixes_finish,
        .free = prefixes_free,
        .series = prefixes_series,
    };
    struct prefixes_analysis *own = calloc(1, sizeof *own);
    (void)count;
    if (own == NULL)
        return margay_fail_memory(error, "the requests");
    own->analysis.functions = &functions;
    *analysis = &own->analysis;
    return margay_prefixes_begin(
        &((const struct prefixes_question *)question)->request,
        MARGAY_REUSE_DISTANCES, passes, share, &own->prefixes, error);
}

enum margay_status margay_prefixes_question(
    const struct margay_prefixes_request *request, margay_question **question,
    struct margay_error *error)
{
    if (request->policy_count > 0)
        return margay_prefix_policies_question(request, question, error);
    struct margay_engine_abilities abilities;
    struct prefixes_question *made = calloc(1, sizeof *made);
    *question = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the requests");
    made->question = (margay_question){
        .begin = begin,
        .can = {.needs = MARGAY_COLUMN_REQUESTS,
                .uses = MARGAY_COLUMN_TOKENS,
                .passes = true,
                .traces = true,
                .curves = true},
        .name = "requests",
    };
    made->request = *request;
    enum margay_status status = margay_engine_abilities(
        request->engine.spec == NULL ? "exact" : request->engine.spec,
        MARGAY_REUSE_DISTANCES, &abilities, error);
    if (status != MARGAY_OK) {
        margay_question_free(&made->question);
        return status;
    }
    made->question.can.looks = abilities.can & MARGAY_CAN_PEEK;
    *question = &made->question;
    return MARGAY_OK;
}
