/*
 * prefixes_policies.c - the question of requests of blocks, by several policies
 *
 * Algorithm: LRU and the optimum are measured while the trace is read, and give
 *   all sizes.  All other policies are simulated at each size of the grid,
 *   which ends at the largest LRU distance: so the blocks are numbered on the
 *   way and their numbers kept, with the length of each request, and in the end
 *   each simulation goes over them by itself (prefix_cache.h).  A look does all
 *   of that.
 *
 * Guarantee: exact.  Results do not depend on threads.
 *
 * Cost: one reading of the trace; 4 bytes for each reference, at most 128 MiB
 *   of them in memory, and 16 for each request; and the state of one simulation
 *   for each thread.
 */
#define _GNU_SOURCE
#include "sim/run/prefixes_policies.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "assoc/assoc_internal.h"
#include "sim/run/history.h"
#include "sim/run/policies_replay.h"
#include "sim/run/series.h"
#include "sim/run/watching.h"
#include "traces/traces_internal.h"

/* BYPASS is the optimum of a cache that need not keep what misses. */
enum kind { LRU, OPTIMUM, BYPASS, SIMULATED };

static const enum margay_measure measures[SIMULATED] = {
    MARGAY_REUSE_DISTANCES,
    MARGAY_OPTIMAL_DISTANCES,
    MARGAY_OPTIMAL_BYPASS_DISTANCES,
};

struct policies_question {
    margay_question question;
    struct margay_prefixes_request request;
    bool simulates; /* any of the policies */
};

struct asked {
    uint64_t blocks; /* 0: it has tokens alone */
    uint64_t tokens;
};

struct prefix_policies {
    margay_analysis analysis;
    const struct policies_question *question;
    struct margay_share share;
    margay_crew *crew;
    struct margay_sizes sizes_asked; /* the list is owned */
    uint64_t block_tokens;

    /* LRU, of which the sizes and totals follow, and each optimum, or NULL. */
    margay_prefixes *engines[SIMULATED];
    struct margay_prefixes_result results[SIMULATED];

    /* Where a policy is simulated: the requests, of which the last one may go
       on, and the numbers of their blocks. */
    margay_numbering *numbering;
    struct margay_history history;
    struct asked *asked;
    size_t asked_count, asked_room;
    uint64_t request; /* the number of the last one */
    uint64_t *blocks; /* of a span, without entries that have no block */
    size_t block_room;
    uint64_t uncounted_blocks; /* the warm-up */
    size_t uncounted_requests;

    struct margay_sizes sizes;          /* of all curves; the list is owned */
    struct margay_series_point *points; /* [policy][size] of those simulated */
};

static struct prefix_policies *self(const margay_analysis *analysis)
{
    return (struct prefix_policies *)analysis;
}

static enum kind kind_of(const char *policy)
{
    return strcasecmp(policy, "lru") == 0             ? LRU
           : strcasecmp(policy, "opt:bypass=on") == 0 ? BYPASS
           : strncasecmp(policy, "opt", 3) == 0       ? OPTIMUM
                                                      : SIMULATED;
}

/* -------------------------------------------------------------- feeding -- */

/* Keep the requests of a span, and count its blocks. */
static enum margay_status keep_requests(struct prefix_policies *own,
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
            struct asked *asked = margay_grow(own->asked, own->asked_count,
                                              &own->asked_room, sizeof *asked);
            if (asked == NULL)
                return margay_fail_memory(error, "the requests");
            own->asked = asked;
            asked[own->asked_count++] =
                (struct asked){0, tokens & ~MARGAY_NO_BLOCK};
            own->request = span->requests[i];
        }
        if (!empty) {
            own->blocks[(*count)++] = span->blocks[i];
            own->asked[own->asked_count - 1].blocks++;
        }
    }
    return MARGAY_OK;
}

static enum margay_status keep(struct prefix_policies *own,
                               const struct margay_span *span,
                               struct margay_error *error)
{
    size_t count;
    uint32_t *place;
    if (span->count > own->block_room) {
        free(own->blocks);
        own->block_room = 0;
        own->blocks = calloc(span->count, sizeof *own->blocks);
        if (own->blocks == NULL)
            return margay_fail_memory(error, "the requests");
        own->block_room = span->count;
    }
    enum margay_status status = keep_requests(own, span, &count, error);
    if (status == MARGAY_OK)
        status = margay_history_reserve(&own->history, count, &place, error);
    if (status == MARGAY_OK)
        status = margay_numbering_feed(own->numbering, own->blocks, count,
                                       place, error);
    if (status == MARGAY_OK)
        margay_history_add(&own->history, count);
    return status;
}

static enum margay_status policies_feed(margay_analysis *analysis,
                                        const struct margay_span *span,
                                        struct margay_error *error)
{
    struct prefix_policies *own = self(analysis);
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < SIMULATED && status == MARGAY_OK; i++) {
        if (own->engines[i] != NULL)
            status = margay_prefixes_feed(own->engines[i], span->blocks,
                                          span->requests, span->tokens,
                                          span->count, error);
    }
    return status == MARGAY_OK && own->numbering != NULL
               ? keep(own, span, error)
               : status;
}

static enum margay_status policies_reset(margay_analysis *analysis,
                                         struct margay_error *error)
{
    struct prefix_policies *own = self(analysis);
    (void)error;
    for (size_t i = 0; i < SIMULATED; i++) {
        if (own->engines[i] != NULL)
            margay_prefixes_reset_counts(own->engines[i]);
    }
    own->uncounted_blocks = margay_history_count(&own->history);
    own->uncounted_requests = own->asked_count;
    return MARGAY_OK;
}

/* ------------------------------------------------------ one simulation -- */

/* A policy at a size, for a thread of the crew. */
struct task {
    struct prefix_policies *own;
    const char *policy;
    uint64_t size;
    struct margay_series_point *point;
    struct margay_watching *watching;
    bool done;
    struct margay_error failure;
};

/* The numbers of a request, which begin at `from`. */
static enum margay_status read_request(const struct prefix_policies *own,
                                       uint64_t from, size_t count,
                                       uint32_t **blocks, size_t *room,
                                       struct margay_error *error)
{
    if (count > *room) {
        free(*blocks);
        *blocks = calloc(2 * count, sizeof **blocks);
        if (*blocks == NULL)
            return margay_fail_memory(error, "the blocks of a request");
        *room = 2 * count;
    }
    for (size_t done = 0, got; done < count; done += got) {
        const uint32_t *numbers;
        uint32_t *place = *blocks + done;
        size_t left = count - done;
        size_t most =
            left < MARGAY_HISTORY_HELD ? left : MARGAY_HISTORY_HELD - 1;
        enum margay_status status = margay_history_read(
            &own->history, from + done, most, place, &numbers, &got, error);
        if (status != MARGAY_OK)
            return status;
        if (numbers != place)
            memcpy(place, numbers, got * sizeof *place);
    }
    return MARGAY_OK;
}

/* The tokens of the first blocks of a request. */
static uint64_t tokens_of(const struct prefix_policies *own,
                          const struct asked *asked, uint64_t blocks)
{
    uint64_t tokens;
    if (!margay_multiply_u64(blocks, own->block_tokens, &tokens) ||
        tokens > asked->tokens)
        tokens = asked->tokens;
    return tokens;
}

/* Count a request, of which the first `hits` blocks hit, and the first
   `uncounted` are of a warm-up. */
static void count_request(const struct task *task, const struct asked *asked,
                          uint64_t hits, uint64_t uncounted)
{
    struct margay_series_point *point = task->point;
    if (uncounted >= asked->blocks)
        return;
    uint64_t first = hits > uncounted ? hits : uncounted;
    point->misses += asked->blocks - first;
    point->missed_requests += hits < asked->blocks;
    point->missed_tokens -= tokens_of(task->own, asked, first) -
                            tokens_of(task->own, asked, uncounted);
}

static enum margay_status simulate(struct task *task,
                                   margay_prefix_cache *cache,
                                   struct margay_error *error)
{
    const struct prefix_policies *own = task->own;
    const margay_histogram *tokens = own->results[LRU].tokens;
    uint64_t from = 0;
    uint32_t *blocks = NULL;
    size_t room = 0, i = 0;
    enum margay_status status = MARGAY_OK;
    /* All tokens miss but those that are found to hit. */
    *task->point = (struct margay_series_point){
        .size = task->size,
        .missed_tokens =
            tokens == NULL ? 0 : margay_histogram_references(tokens)};
    for (; i < own->asked_count && status == MARGAY_OK &&
           !margay_watching_is_over(task->watching);
         i++) {
        const struct asked *asked = &own->asked[i];
        size_t hits = 0;
        if (asked->blocks == 0)
            continue;
        status = read_request(own, from, (size_t)asked->blocks, &blocks, &room,
                              error);
        if (status == MARGAY_OK)
            status = margay_prefix_cache_request(
                cache, blocks, (size_t)asked->blocks, &hits, error);
        count_request(
            task, asked, hits,
            from < own->uncounted_blocks ? own->uncounted_blocks - from : 0);
        from += asked->blocks;
        margay_watching_add(task->watching, (size_t)asked->blocks);
    }
    task->done = i == own->asked_count;
    free(blocks);
    return status;
}

static void run_task(void *context, size_t i)
{
    struct task *task = (struct task *)context + i;
    const struct margay_prefixes_request *request =
        &task->own->question->request;
    const struct margay_prefix_cache_options options = {
        .room = task->size,
        .policy = task->policy,
        .seed = request->engine.seed,
        .blocks = margay_numbering_count(task->own->numbering),
        .back = request->touch == MARGAY_BACK_TO_FRONT,
    };
    margay_prefix_cache *cache;
    struct margay_error *failure = &task->failure;
    if (margay_watching_is_over(task->watching))
        return;
    failure->status = margay_prefix_cache_create(&options, &cache, failure);
    if (failure->status != MARGAY_OK)
        return;
    failure->status = simulate(task, cache, failure);
    margay_prefix_cache_free(cache);
}

/* ------------------------------------------------------------ all of them --
 */

/* The sizes of all curves: those of LRU. */
static enum margay_status find_sizes(struct prefix_policies *own,
                                     struct margay_error *error)
{
    const struct margay_sizes sizes =
        margay_policies_sizes(own->sizes_asked, own->question->simulates);
    struct margay_point *curve = NULL;
    size_t count = 0;
    enum margay_status status = margay_result_curve(
        &own->results[LRU].blocks, &sizes, &curve, &count, error);
    uint64_t *list = calloc(count + 1, sizeof *list);
    free((void *)own->sizes.list_blocks);
    own->sizes = (struct margay_sizes){.kind = MARGAY_SIZES_LIST,
                                       .list_blocks = list,
                                       .list_count = list == NULL ? 0 : count};
    for (size_t i = 0; i < own->sizes.list_count; i++)
        list[i] = curve[i].cache_blocks;
    free(curve);
    return status == MARGAY_OK && list == NULL
               ? margay_fail_memory(error, "the sizes")
               : status;
}

/* Simulate what is to be, the largest caches first. */
static enum margay_status replay(struct prefix_policies *own,
                                 struct margay_error *error)
{
    const struct margay_prefixes_request *request = &own->question->request;
    size_t sizes = own->sizes.list_count, count = 0, lacking = 0;
    size_t most = sizes * request->policy_count;
    struct margay_watching watching = MARGAY_WATCHING(own->share.watch, 0);
    struct task *tasks = calloc(most + 1, sizeof *tasks);
    free(own->points);
    own->points = margay_series_room(most, error);
    if (tasks == NULL || own->points == NULL) {
        free(tasks);
        return margay_fail_memory(error, "the simulations");
    }
    for (size_t size = sizes; size-- > 0;) {
        for (size_t i = 0; i < request->policy_count; i++) {
            if (kind_of(request->policies[i]) == SIMULATED)
                tasks[count++] = (struct task){
                    .own = own,
                    .policy = request->policies[i],
                    .size = own->sizes.list_blocks[size],
                    .point = &own->points[i * sizes + size],
                    .watching = &watching,
                };
        }
    }
    watching.total_refs = count * margay_history_count(&own->history);
    margay_crew_start(own->crew, run_task, tasks, count);
    margay_crew_finish(own->crew);
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        status = tasks[i].failure.status;
        if (status != MARGAY_OK && error != NULL)
            *error = tasks[i].failure;
        if (!tasks[i].done) {
            lacking++;
            tasks[i].point->size = 0; /* there is no such point */
        }
    }
    if (status == MARGAY_OK && count > 0)
        margay_watching_end(&watching, lacking, count);
    free(tasks);
    return status;
}

/* What has come so far is what it would be in the end. */
static enum margay_status policies_look(margay_analysis *analysis,
                                        struct margay_error *error)
{
    struct prefix_policies *own = self(analysis);
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < SIMULATED && status == MARGAY_OK; i++) {
        margay_prefixes_result_clear(&own->results[i]);
        if (own->engines[i] != NULL)
            status =
                margay_prefixes_peek(own->engines[i], &own->results[i], error);
    }
    if (status == MARGAY_OK)
        status = find_sizes(own, error);
    return status == MARGAY_OK ? replay(own, error) : status;
}

/* What is known of LRU is true of each, but for the counts at a size. */
static enum margay_status give_simulated(const struct prefix_policies *own,
                                         size_t policy,
                                         margay_series_take *take,
                                         void *context,
                                         struct margay_error *error)
{
    const struct margay_prefixes_result *lru = &own->results[LRU];
    size_t sizes = own->sizes.list_count, count = 0;
    struct margay_series_point *points = margay_series_room(sizes, error);
    if (points == NULL)
        return MARGAY_NO_MEMORY;
    for (size_t i = 0; own->points != NULL && i < sizes; i++) {
        if (own->points[policy * sizes + i].size != 0)
            points[count++] = own->points[policy * sizes + i];
    }
    struct margay_series series = margay_result_describe(&lru->blocks);
    series.histogram = NULL;
    series.policy = own->question->request.policies[policy];
    series.counters = MARGAY_COUNTS_REQUESTS;
    series.points = points;
    series.count = count;
    if (lru->requests != NULL) {
        series.requests = margay_histogram_references(lru->requests);
        series.infinite_requests = margay_histogram_infinite(lru->requests);
    }
    if (lru->tokens != NULL) {
        series.counters |= MARGAY_COUNTS_TOKENS;
        series.request_tokens = margay_histogram_references(lru->tokens);
    }
    enum margay_status status = take(context, &series, error);
    free(points);
    return status;
}

/* The sizes are those of the question, unless all are asked for. */
static enum margay_status policies_series(margay_analysis *analysis,
                                          const struct margay_sizes *sizes,
                                          margay_series_take *take,
                                          void *context,
                                          struct margay_error *error)
{
    const struct prefix_policies *own = self(analysis);
    const struct margay_prefixes_request *request = &own->question->request;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < request->policy_count && status == MARGAY_OK; i++) {
        enum kind kind = kind_of(request->policies[i]);
        status = kind == SIMULATED
                     ? give_simulated(own, i, take, context, error)
                     : margay_prefixes_give(&own->results[kind],
                                            sizes == NULL ? NULL : &own->sizes,
                                            request->policies[i], take, context,
                                            error);
    }
    return status;
}

/* -------------------------------------------------------- begin and end -- */

static void policies_free(margay_analysis *analysis)
{
    struct prefix_policies *own = self(analysis);
    for (size_t i = 0; i < SIMULATED; i++) {
        margay_prefixes_free(own->engines[i]);
        margay_prefixes_result_clear(&own->results[i]);
    }
    margay_crew_free(own->crew);
    margay_numbering_free(own->numbering);
    margay_history_end(&own->history);
    free((void *)own->sizes_asked.list_blocks);
    free((void *)own->sizes.list_blocks);
    free(own->asked);
    free(own->blocks);
    free(own->points);
    free(own);
}

static enum margay_status begin(const margay_question *question,
                                const struct margay_pass *passes, size_t count,
                                const struct margay_share *share,
                                margay_analysis **analysis,
                                struct margay_error *error)
{
    static const struct margay_analysis_class functions = {
        .feed = policies_feed,
        .reset = policies_reset,
        .look = policies_look,
        .finish = policies_look,
        .series = policies_series,
        .free = policies_free,
    };
    struct prefix_policies *own = calloc(1, sizeof *own);
    (void)count;
    if (own == NULL)
        return margay_fail_memory(error, "the policies");
    own->analysis.functions = &functions;
    *analysis = &own->analysis;
    own->question = (const struct policies_question *)question;
    own->share = *share;
    own->block_tokens = passes->block_tokens;
    const struct margay_prefixes_request *request = &own->question->request;
    margay_history_begin(&own->history, request->directory,
                         MARGAY_HISTORY_HELD);
    enum margay_status status = margay_cache_sizes_resolve(
        request->engine.sizes, passes->block_bytes, &own->sizes_asked, error);
    if (status == MARGAY_OK)
        status = margay_crew_create(share->threads, &own->crew, error);
    if (status == MARGAY_OK)
        status = margay_prefixes_begin(request, measures[LRU], passes, share,
                                       &own->engines[LRU], error);
    for (size_t i = 0; i < request->policy_count && status == MARGAY_OK; i++) {
        enum kind kind = kind_of(request->policies[i]);
        if (kind < SIMULATED && own->engines[kind] == NULL)
            status = margay_prefixes_begin(request, measures[kind], passes,
                                           share, &own->engines[kind], error);
    }
    return status == MARGAY_OK && own->question->simulates
               ? margay_numbering_create(&own->numbering, error)
               : status;
}

/* Is the policy one that this question knows? */
static enum margay_status check_policy(const char *policy,
                                       struct margay_error *error)
{
    static const char *const known[] = {"lru",  "opt", MARGAY_LEAF_LRU,
                                        "slru", "lfu", "arc"};
    const struct margay_policy_info *info;
    size_t length = strcspn(policy, ":");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strlen(known[i]) != length ||
            strncasecmp(known[i], policy, length) != 0)
            continue;
        if (strcasecmp(policy, MARGAY_LEAF_LRU) == 0)
            return MARGAY_OK;
        return margay_policy_find(policy, &info, error);
    }
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "--policy %s: it is not defined for requests of blocks "
                       "(lru, leaf-lru, slru, lfu, arc and opt are)",
                       policy);
}

enum margay_status margay_prefix_policies_question(
    const struct margay_prefixes_request *request, margay_question **question,
    struct margay_error *error)
{
    struct policies_question *made = calloc(1, sizeof *made);
    *question = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the policies");
    made->request = *request;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < request->policy_count && status == MARGAY_OK; i++) {
        status = check_policy(request->policies[i], error);
        made->simulates |= kind_of(request->policies[i]) == SIMULATED;
        if (status == MARGAY_OK)
            status = margay_policies_check_new(request->policies, i, error);
    }
    made->question = (margay_question){
        .begin = begin,
        .can = {.needs = MARGAY_COLUMN_REQUESTS,
                .uses = MARGAY_COLUMN_TOKENS,
                .traces = !made->simulates,
                .curves = true,
                .looks = true},
        .name = "requests",
    };
    if (status == MARGAY_OK)
        *question = &made->question;
    else
        free(made);
    return status;
}
