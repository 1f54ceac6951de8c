/*
 * prefixes.c - the question of requests of blocks, by LRU or several policies
 *
 * Algorithm: LRU and the optimum are measured while the trace is read, and give
 *   all sizes.  All other policies are simulated at each size of the grid,
 *   which ends at the largest LRU distance: so the blocks are numbered on the
 *   way and their numbers kept, with the length of each request, and in the end
 *   each simulation goes over them by itself (prefix_cache.h).  A look does all
 *   of that.  With a time to live LRU is simulated as well.  Tiers that are not
 *   exclusive are simulated in the same way, once for each split and number of
 *   first tiers, whose hits together count; and groups of layers, once for what
 *   each of them lets a request hit.
 *
 * Guarantee: exact.  Results do not depend on threads.
 *
 * Cost: one reading of the trace; and with a simulation 4 bytes for each
 *   reference, at most 128 MiB of them in memory, and 24 for each request; and
 *   the state of one simulation for each thread.
 */
#include <margay/prefixes.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/run/policies_replay.h"
#include "sim/run/series.h"
#include "sim/run/spans.h"

struct prefixes_question {
    struct margay_policies_question base;
    struct margay_prefixes_request request;
};

struct asked {
    uint64_t blocks;       /* 0: it has tokens alone */
    uint64_t tokens, time; /* the time in microseconds */
};

struct prefixes {
    margay_analysis analysis;
    const struct prefixes_question *question;
    struct margay_sizes sizes_asked; /* the list is owned */

    /* By measure: LRU, of which the sizes and totals follow, and each requested
       optimum. */
    margay_prefixes *engines[MARGAY_POLICY_MEASURES];
    struct margay_prefixes_result results[MARGAY_POLICY_MEASURES];

    /* Where a policy is simulated: the requests, of which the last one may go
       on, and the numbers of their blocks. */
    struct margay_replay replay;
    struct asked *asked;
    size_t asked_count, asked_room;
    uint64_t request; /* the number of the last one */
    /* Of a span, without entries that have no block. */
    uint64_t blocks[MARGAY_SPAN_REFS];

    uint64_t windows[MARGAY_MOST_GROUPS]; /* as margay_prefix_cache's */

    struct margay_sizes sizes; /* of all policies; the list is owned */
    /* Of tiers: the sums of each split, owned. */
    uint64_t *sums;
    size_t split_count;
};

static struct prefixes *self(const margay_analysis *analysis)
{
    return (struct prefixes *)analysis;
}

/* LRU is measured, and nothing else. */
static bool is_alone(const struct prefixes_question *question)
{
    return question->request.policy_count == 0 &&
           !question->base.rows.simulates;
}

/* -------------------------------------------------------------- feeding -- */

/* Keep the requests of a span, and count its blocks. */
static enum margay_status keep_requests(struct prefixes *own,
                                        const struct margay_span *span,
                                        size_t *count,
                                        struct margay_error *error)
{
    *count = 0;
    for (size_t i = 0; i < span->count; i++) {
        uint64_t tokens =
            span->tokens == NULL ? MARGAY_TOKENS_UNKNOWN : span->tokens[i];
        bool empty = tokens >= MARGAY_NO_BLOCK;
        if (empty || own->asked_count == 0 ||
            own->request != span->requests[i]) {
            if (!MARGAY_MAKE_ROOM(own->asked, own->asked_count, 1,
                                  own->asked_room))
                return margay_fail_memory(error, "the requests");
            own->asked[own->asked_count++] =
                (struct asked){0, tokens & ~MARGAY_NO_BLOCK,
                               span->times == NULL ? 0 : span->times[i]};
            own->request = span->requests[i];
        }
        if (!empty) {
            own->blocks[(*count)++] = span->blocks[i];
            own->asked[own->asked_count - 1].blocks++;
        }
    }
    return MARGAY_OK;
}

static enum margay_status prefixes_feed(margay_analysis *analysis,
                                        const struct margay_span *span,
                                        struct margay_error *error)
{
    struct prefixes *own = self(analysis);
    enum margay_status status = MARGAY_OK;
    size_t count;
    for (size_t i = 0; i < MARGAY_POLICY_MEASURES && status == MARGAY_OK; i++) {
        if (own->engines[i] != NULL)
            status = margay_prefixes_feed(own->engines[i], span->blocks,
                                          span->requests, span->tokens,
                                          span->count, error);
    }
    if (status != MARGAY_OK || !own->question->base.rows.simulates)
        return status;
    status = keep_requests(own, span, &count, error);
    return status == MARGAY_OK ? margay_replay_add(&own->replay, own->blocks,
                                                   NULL, count, error)
                               : status;
}

static enum margay_status prefixes_reset(margay_analysis *analysis,
                                         struct margay_error *error)
{
    struct prefixes *own = self(analysis);
    (void)error;
    for (size_t i = 0; i < MARGAY_POLICY_MEASURES; i++) {
        if (own->engines[i] != NULL)
            margay_prefixes_reset_counts(own->engines[i]);
    }
    if (own->question->base.rows.simulates)
        margay_replay_reset(&own->replay);
    return MARGAY_OK;
}

/* ------------------------------------------------------ one simulation -- */

/* The numbers of a request, which begin at `from`. */
static enum margay_status read_request(const struct margay_history *history,
                                       uint64_t from, size_t count,
                                       uint32_t **blocks, size_t *room,
                                       struct margay_error *error)
{
    if (!MARGAY_MAKE_ROOM(*blocks, 0, count, *room))
        return margay_fail_memory(error, "the blocks of a request");
    for (size_t done = 0, got; done < count; done += got) {
        const uint32_t *numbers;
        uint32_t *place = *blocks + done;
        size_t most = margay_minimum(count - done, MARGAY_HISTORY_HELD - 1);
        enum margay_status status = margay_history_read(
            history, from + done, most, place, &numbers, &got, error);
        if (status != MARGAY_OK)
            return status;
        if (numbers != place)
            memcpy(place, numbers, got * sizeof *place);
    }
    return MARGAY_OK;
}

/* The tokens of the first blocks of a request. */
static uint64_t tokens_of(const struct prefixes *own, const struct asked *asked,
                          uint64_t blocks)
{
    uint64_t tokens;
    if (!margay_multiply_u64(blocks, own->analysis.pass->block_tokens,
                             &tokens) ||
        tokens > asked->tokens)
        tokens = asked->tokens;
    return tokens;
}

/* Count a request, of which the first `hits` blocks hit, and the first
   `uncounted` are of a warm-up. */
static void count_request(const struct prefixes *own, const struct asked *asked,
                          uint64_t hits, uint64_t uncounted,
                          struct margay_series_point *point)
{
    if (uncounted >= asked->blocks)
        return;
    uint64_t first = hits > uncounted ? hits : uncounted;
    point->misses += asked->blocks - first;
    point->missed_requests += hits < asked->blocks;
    point->missed_tokens -=
        tokens_of(own, asked, first) - tokens_of(own, asked, uncounted);
}

/* End the pieces before the last block of a request, which fades as a whole,
   from that block on. */
static void end_pieces(const struct margay_replay *replay, uint64_t block,
                       struct margay_point_masses *masses,
                       struct margay_series_point *counts)
{
    if (replay->piece_refs != 0 && block >= replay->uncounted)
        margay_replay_fade(replay,
                           (block - replay->uncounted) / replay->piece_refs,
                           masses, counts);
}

/* All requests, by a cache that is empty at first. */
static enum margay_status ask_all(const struct prefixes *own,
                                  margay_prefix_cache *cache,
                                  struct margay_watching *watching,
                                  struct margay_series_point *point,
                                  struct margay_error *error)
{
    const margay_histogram *tokens = own->results[0].tokens;
    uint64_t from = 0, uncounted = own->replay.uncounted;
    struct margay_point_masses masses = {.pieces = 0};
    uint32_t *blocks = NULL;
    size_t room = 0, i = 0;
    enum margay_status status = MARGAY_OK;
    struct margay_series_point found = {.size = point->size};
    for (; i < own->asked_count && status == MARGAY_OK &&
           !margay_watching_is_over(watching);
         i++) {
        const struct asked *asked = &own->asked[i];
        size_t hits = 0;
        end_pieces(&own->replay, from + asked->blocks - (asked->blocks > 0),
                   &masses, &found);
        if (asked->blocks == 0)
            continue;
        status = read_request(&own->replay.history, from, (size_t)asked->blocks,
                              &blocks, &room, error);
        if (status == MARGAY_OK)
            status = margay_prefix_cache_request(cache, blocks,
                                                 (size_t)asked->blocks,
                                                 asked->time, &hits, error);
        count_request(own, asked, hits, from < uncounted ? uncounted - from : 0,
                      &found);
        from += asked->blocks;
        margay_watching_add(watching, (size_t)asked->blocks);
    }
    if (i < own->asked_count)
        found.size = 0;
    margay_replay_settle(&own->replay, &masses, &found);
    /* All tokens miss but those that were found to hit. */
    if (tokens != NULL)
        found.missed_tokens += margay_histogram_references(tokens);
    if (own->replay.piece_refs != 0 && (int64_t)found.missed_tokens < 0)
        found.missed_tokens = 0;
    *point = found;
    free(blocks);
    return status;
}

static enum margay_status simulate(const struct margay_replay *replay,
                                   const struct margay_policy_row *row,
                                   struct margay_watching *watching,
                                   struct margay_series_point *point,
                                   struct margay_error *error)
{
    const struct prefixes *own = replay->context;
    const struct margay_prefixes_request *request = &own->question->request;
    const struct margay_tiers *tiers = request->tiers;
    struct margay_prefix_cache_options options = {
        .sums = &point->size,
        .tiers = 1,
        .counted = 1,
        .policy = row->spec,
        .group = row->group,
        .seed = replay->seed,
        .blocks = replay->blocks,
        .back = request->touch == MARGAY_BACK_TO_FRONT,
        .expires = request->expires,
        .ttl_seconds = request->ttl_seconds,
    };
    margay_prefix_cache *cache;
    if (request->groups != NULL) {
        options.windows = own->windows;
        options.groups = request->groups->count;
    }
    if (tiers != NULL) {
        /* The point has its number, from 1 on. */
        size_t i = (size_t)point->size - 1;
        options.sums = own->sums + i / tiers->count * tiers->count;
        options.counted = i % tiers->count + 1;
        options.inclusive = tiers->inclusion == MARGAY_INCLUSIVE;
        options.exclusive = tiers->inclusion == MARGAY_EXCLUSIVE;
        options.tiers = options.inclusive || request->expires ? tiers->count
                                                              : options.counted;
    }
    enum margay_status status =
        margay_prefix_cache_create(&options, &cache, error);
    if (status == MARGAY_OK)
        status = ask_all(own, cache, watching, point, error);
    margay_prefix_cache_free(cache);
    return status;
}

/* ----------------------------------------------------------- all of them -- */

/* Find the points of those policies that are simulated; all have the sizes of
   LRU. */
static enum margay_status replay(struct prefixes *own,
                                 struct margay_error *error)
{
    bool simulates = own->question->base.rows.simulates;
    const struct margay_sizes asked =
        margay_policies_sizes(own->sizes_asked, simulates);
    struct margay_series all;
    struct margay_series_point *points;
    enum margay_status status = margay_result_series(
        &own->results[0].blocks, &asked, &all, &points, error);
    uint64_t *list =
        status == MARGAY_OK ? margay_series_sizes(&all, error) : NULL;
    free((void *)own->sizes.list_blocks);
    own->sizes =
        (struct margay_sizes){.kind = MARGAY_SIZES_LIST,
                              .list_blocks = list,
                              .list_count = list == NULL ? 0 : all.count};
    if (status == MARGAY_OK && list == NULL)
        status = MARGAY_NO_MEMORY;
    if (status == MARGAY_OK && simulates)
        status = margay_replay_run(&own->replay, &all, error);
    free(points);
    return status;
}

/* Find the points of tiers, [split][tier]. */
static enum margay_status replay_tiers(struct prefixes *own,
                                       struct margay_error *error)
{
    size_t count = own->split_count * own->question->request.tiers->count;
    struct margay_series all = margay_result_describe(&own->results[0].blocks);
    struct margay_series_point *points = margay_series_room(count, error);
    if (points == NULL)
        return MARGAY_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        points[i].size = i + 1;
    all.points = points;
    all.count = count;
    enum margay_status status = margay_replay_run(&own->replay, &all, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (own->replay.points[i].size != 0)
            own->replay.points[i].size = own->sums[i];
    }
    free(points);
    return status;
}

/* The results so far are as if the trace ended here. */
static enum margay_status prefixes_look(margay_analysis *analysis,
                                        struct margay_error *error)
{
    struct prefixes *own = self(analysis);
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < MARGAY_POLICY_MEASURES && status == MARGAY_OK; i++) {
        margay_prefixes_result_clear(&own->results[i]);
        if (own->engines[i] != NULL)
            status =
                margay_prefixes_peek(own->engines[i], &own->results[i], error);
    }
    if (status != MARGAY_OK || is_alone(own->question))
        return status;
    return own->sums == NULL ? replay(own, error) : replay_tiers(own, error);
}

/* LRU alone may be measured by an engine that cannot be looked into. */
static enum margay_status prefixes_finish(margay_analysis *analysis,
                                          struct margay_error *error)
{
    struct prefixes *own = self(analysis);
    if (!is_alone(own->question))
        return prefixes_look(analysis, error);
    margay_prefixes_result_clear(&own->results[0]);
    return margay_prefixes_finish(own->engines[0], &own->results[0], error);
}

/* -------------------------------------------------------------- results -- */

/* The totals of LRU hold for each policy; only the counts at a size differ. */
static struct margay_series describe(
    const struct margay_prefixes_result *result, const char *policy)
{
    struct margay_series series = margay_result_describe(&result->blocks);
    series.policy = policy;
    series.counters = MARGAY_COUNTS_REQUESTS;
    if (result->requests != NULL) {
        series.requests = margay_histogram_references(result->requests);
        series.infinite_requests = margay_histogram_infinite(result->requests);
    }
    if (result->tokens != NULL) {
        series.counters |= MARGAY_COUNTS_TOKENS;
        series.request_tokens = margay_histogram_references(result->tokens);
    }
    return series;
}

static enum margay_status give_measured(
    const struct margay_prefixes_result *result,
    const struct margay_sizes *sizes, const char *policy,
    margay_series_take *take, void *context, struct margay_error *error)
{
    struct margay_series found, series = describe(result, policy);
    struct margay_series_point *points;
    enum margay_status status =
        margay_result_series(&result->blocks, sizes, &found, &points, error);
    series.points = points;
    series.count = found.count;
    if (status == MARGAY_OK && result->requests != NULL) {
        struct margay_misses missed = margay_misses_of(result->requests);
        for (size_t i = 0; i < series.count; i++)
            points[i].missed_requests =
                margay_misses_at(&missed, points[i].size);
    }
    if (status == MARGAY_OK && result->tokens != NULL) {
        struct margay_misses missed = margay_misses_of(result->tokens);
        for (size_t i = 0; i < series.count; i++)
            points[i].missed_tokens = margay_misses_at(&missed, points[i].size);
    }
    if (status == MARGAY_OK)
        status = take(context, &series, error);
    free(points);
    return status;
}

static enum margay_status give_tiers(const struct prefixes *own,
                                     margay_series_take *take, void *context,
                                     struct margay_error *error)
{
    struct margay_series series = describe(&own->results[0], NULL);
    enum margay_status status = MARGAY_OK;
    series.histogram = NULL;
    series.count = own->question->request.tiers->count;
    for (size_t i = 0; i < own->split_count && status == MARGAY_OK; i++) {
        series.points = own->replay.points + i * series.count;
        status = take(context, &series, error);
    }
    return status;
}

#define LABEL_BYTES   256
#define NOT_OF_GROUPS "it is not known of several groups of layers (--groups)"

/* "lru", or "lru:window=1024" in `text`: without a blank, at which gnuplot
   would cut it. */
static const char *label_row(const struct prefixes_question *question,
                             const struct margay_policy_row *row, char *text)
{
    const struct margay_layer_groups *groups = question->request.groups;
    if (row->group == 0)
        return question->request.policy_count == 0 && groups == NULL
                   ? NULL
                   : row->spec;
    uint64_t tokens = groups->tokens[row->group - 1];
    char before = strchr(row->spec, ':') == NULL ? ':' : ',';
    if (tokens == 0)
        snprintf(text, LABEL_BYTES, "%s%cfull", row->spec, before);
    else
        snprintf(text, LABEL_BYTES, "%s%cwindow=%" PRIu64, row->spec, before,
                 tokens);
    return text;
}

/* Of policies the sizes are those of the question, unless it has all. */
static enum margay_status prefixes_series(margay_analysis *analysis,
                                          const struct margay_sizes *sizes,
                                          margay_series_take *take,
                                          void *context,
                                          struct margay_error *error)
{
    const struct prefixes *own = self(analysis);
    const struct margay_policy_rows *rows = &own->question->base.rows;
    enum margay_status status = MARGAY_OK;
    if (own->sums != NULL)
        return sizes == NULL || own->replay.points == NULL
                   ? give_measured(&own->results[0], NULL, NULL, take, context,
                                   error)
                   : give_tiers(own, take, context, error);
    if (sizes != NULL && !is_alone(own->question))
        sizes = &own->sizes;
    for (size_t i = 0; i < rows->count && status == MARGAY_OK; i++) {
        const struct margay_policy_row *row = &rows->list[i];
        char text[LABEL_BYTES];
        const char *label = label_row(own->question, row, text);
        struct margay_series series = describe(&own->results[0], label);
        series.histogram = NULL;
        status = row->simulated
                     ? margay_replay_give(&own->replay, i, &series, take,
                                          context, error)
                     : give_measured(&own->results[row->measure], sizes, label,
                                     take, context, error);
    }
    return status;
}

/* -------------------------------------------------------- begin and end -- */

static void prefixes_free(margay_analysis *analysis)
{
    struct prefixes *own = self(analysis);
    for (size_t i = 0; i < MARGAY_POLICY_MEASURES; i++) {
        margay_prefixes_free(own->engines[i]);
        margay_prefixes_result_clear(&own->results[i]);
    }
    margay_replay_free(&own->replay);
    free((void *)own->sizes_asked.list_blocks);
    free((void *)own->sizes.list_blocks);
    free(own->sums);
    free(own->asked);
}

static enum margay_status make_engine(struct prefixes *own,
                                      enum margay_measure measure,
                                      const struct margay_share *share,
                                      struct margay_error *error)
{
    const struct margay_prefixes_request *asked = &own->question->request;
    const struct margay_pass *pass = own->analysis.pass;
    struct margay_prefixes_options options = {
        .engine = asked->engine.spec == NULL ? "exact" : asked->engine.spec,
        .engine_options = {.measure = measure,
                           .seed = asked->engine.seed,
                           .half_life_refs = asked->engine.half_life_refs,
                           .threads = share->threads,
                           .chunk_refs = share->chunk_refs,
                           .phase_refs = share->phase_refs},
        .touch = asked->touch,
        .block_tokens = pass->block_tokens,
    };
    enum margay_status status = MARGAY_OK;
    if (own->engines[measure] != NULL)
        return MARGAY_OK;
    if (asked->engine.bound.value != 0)
        status = margay_cache_size_blocks(
            &asked->engine.bound, "--bound", pass->block_bytes,
            &options.engine_options.bound_blocks, error);
    return status == MARGAY_OK
               ? margay_prefixes_create(&options, &own->engines[measure], error)
               : status;
}

/* The blocks of a window: the token that attends to it is its last one. */
static enum margay_status find_windows(struct prefixes *own,
                                       const struct margay_layer_groups *groups,
                                       struct margay_error *error)
{
    uint64_t tokens = own->analysis.pass->block_tokens;
    for (size_t i = 0; i < groups->count; i++) {
        bool is_full = groups->tokens[i] == 0;
        if (tokens == 0 && !is_full)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--groups window=%" PRIu64
                               ": %s does not say how many tokens a block "
                               "stands for (--tokens-per-block)",
                               groups->tokens[i], own->analysis.pass->trace);
        own->windows[i] =
            is_full ? UINT64_MAX : (groups->tokens[i] - 2) / tokens + 1;
    }
    return MARGAY_OK;
}

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct prefixes *own = self(analysis);
    const struct prefixes_question *asked =
        (const struct prefixes_question *)analysis->question;
    own->question = asked;
    own->replay.rows = &asked->base.rows;
    own->replay.sample = margay_sample_of(1, 1); /* all */
    own->replay.seed = asked->request.engine.seed;
    own->replay.half_life_refs = asked->request.engine.half_life_refs;
    own->replay.simulate = simulate;
    own->replay.context = own;
    enum margay_status status = margay_cache_sizes_resolve(
        asked->request.engine.sizes, analysis->pass->block_bytes,
        &own->sizes_asked, error);
    if (status == MARGAY_OK && asked->request.tiers != NULL)
        status = margay_tiers_resolve(asked->request.tiers,
                                      analysis->pass->block_bytes, &own->sums,
                                      &own->split_count, error);
    if (status == MARGAY_OK && asked->request.groups != NULL)
        status = find_windows(own, asked->request.groups, error);
    if (status == MARGAY_OK)
        status = make_engine(own, MARGAY_REUSE_DISTANCES, share, error);
    for (size_t i = 0; i < asked->base.rows.count && status == MARGAY_OK; i++) {
        if (!asked->base.rows.list[i].simulated)
            status = make_engine(own, asked->base.rows.list[i].measure, share,
                                 error);
    }
    return status == MARGAY_OK && asked->base.rows.simulates
               ? margay_replay_begin(&own->replay, share,
                                     asked->request.directory, error)
               : status;
}

/* A policy's row becomes one of all groups, and one of each that is unlike
   those before it. */
static enum margay_status show_groups(const struct margay_layer_groups *groups,
                                      struct margay_policy_rows *rows,
                                      struct margay_error *error)
{
    size_t count = 0;
    struct margay_policy_row *list =
        calloc(rows->count * (1 + groups->count), sizeof *list);
    if (list == NULL)
        return margay_fail_memory(error, "the policies");
    for (size_t i = 0; i < rows->count; i++) {
        if (strcasecmp(rows->list[i].spec, MARGAY_LEAF_LRU) == 0) {
            free(list);
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--policy %s: " NOT_OF_GROUPS,
                               rows->list[i].spec);
        }
        for (size_t group = 0, like = 0; group <= groups->count;
             group++, like = 1) {
            while (like < group &&
                   groups->tokens[like - 1] != groups->tokens[group - 1])
                like++;
            if (like < group)
                continue;
            list[count] = rows->list[i];
            list[count++].group = group;
        }
    }
    free(rows->list);
    rows->list = list;
    rows->count = count;
    return MARGAY_OK;
}

static const struct margay_analysis_class functions = {
    .bytes = sizeof(struct prefixes),
    .begin = begin,
    .feed = prefixes_feed,
    .reset = prefixes_reset,
    .look = prefixes_look,
    .finish = prefixes_finish,
    .series = prefixes_series,
    .free = prefixes_free,
};

/* Why hits do not follow from distances: where blocks expire, in tiers that are
   not exclusive, and with several groups; else NULL. */
static const char *why_unknown(const struct margay_prefixes_request *request)
{
    return request->groups != NULL  ? NOT_OF_GROUPS
           : request->tiers != NULL ? "it is not known in tiers (--tiers)"
           : request->expires ? "it is not known where blocks expire (--ttl)"
                              : NULL;
}

enum margay_status margay_prefixes_question(
    const struct margay_prefixes_request *request, margay_question **question,
    struct margay_error *error)
{
    static const char *const lru[] = {"lru"};
    struct margay_engine_abilities engine = {.can = MARGAY_CAN_PEEK};
    struct prefixes_question *made = calloc(1, sizeof *made);
    bool labelled = request->policy_count > 0;
    *question = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the requests");
    made->request = *request;
    enum margay_status status = margay_policies_read(
        labelled ? request->policies : lru,
        labelled ? request->policy_count : 1, MARGAY_CACHES_OF_REQUESTS,
        &made->base.rows, error);
    const char *unknown = why_unknown(request);
    if (status == MARGAY_OK && unknown != NULL)
        status = margay_policies_simulate(&made->base.rows, unknown, error);
    if (status == MARGAY_OK && request->groups != NULL)
        status = show_groups(request->groups, &made->base.rows, error);
    if (status == MARGAY_OK && is_alone(made))
        status = margay_engine_abilities(
            request->engine.spec == NULL ? "exact" : request->engine.spec,
            MARGAY_REUSE_DISTANCES, &engine, error);
    made->base.question = (margay_question){
        .functions = &functions,
        .free = margay_policies_question_free,
        .can = {.needs = MARGAY_COLUMN_REQUESTS |
                         (request->expires ? MARGAY_COLUMN_TIMES : 0),
                .uses = MARGAY_COLUMN_TOKENS,
                .passes = is_alone(made),
                .traces = !made->base.rows.simulates,
                .curves = true,
                .looks = engine.can & MARGAY_CAN_PEEK},
        .name = "requests",
    };
    if (status == MARGAY_OK)
        *question = &made->base.question;
    else
        margay_question_free(&made->base.question);
    return status;
}
