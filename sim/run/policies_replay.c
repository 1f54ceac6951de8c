/*
 * policies_replay.c - the simulations of the policies that have no engine
 *
 * A task simulates one cache or, of FIFO, up to MARGAY_FIFO_SIZES of them, over
 * all references.  It makes its caches, and frees them in the end, so that
 * there are never more than there are threads.
 */
#include "sim/run/policies.h"

#include <stdlib.h>
#include <string.h>

/* References that are simulated at a time. */
#define PIECE_REFS 4096

struct task {
    size_t policy;
    size_t first, count; /* of the sizes in the sample */
};

struct replay {
    const struct margay_policies *policies;
    const struct margay_policies_pass *own;
    struct task *tasks;
    size_t task_count;
    struct margay_error *failures; /* [task] */
};

/* What simulates the caches of a task. */
struct simulation {
    margay_fifo *fifo;   /* NULL unless the policy is FIFO */
    margay_cache *cache; /* otherwise */
};

static bool is_fifo(const struct margay_policy_row *row)
{
    return strcmp(row->info->name, "fifo") == 0;
}

/* ------------------------------------------------------ one simulation -- */

/* A cache that has room for all blocks never evicts one, however large. */
static enum margay_status make_cache(const struct replay *replay,
                                     const struct task *task,
                                     margay_cache **cache,
                                     struct margay_error *error)
{
    const struct margay_policies *policies = replay->policies;
    uint32_t blocks = margay_numbering_count(replay->own->numbering);
    uint64_t ways = replay->own->sampled[task->first];
    const struct margay_cache_options options = {
        .ways = ways < blocks ? (uint32_t)ways : blocks,
        .policy = policies->rows[task->policy].spec,
        .seed = policies->request.seed,
        .dense_blocks = true,
    };
    enum margay_status status = margay_room_check(
        "a cache", margay_cache_bytes(&options) + 4 * (uint64_t)blocks, error);
    if (status == MARGAY_OK)
        status = margay_cache_create(&options, cache, error);
    return status == MARGAY_OK ? margay_cache_reserve(*cache, blocks, error)
                               : status;
}

static enum margay_status make_fifo(const struct replay *replay,
                                    const struct task *task, margay_fifo **fifo,
                                    struct margay_error *error)
{
    const struct margay_fifo_options options = {
        .cache_blocks = replay->own->sampled + task->first,
        .count = task->count,
        .objects = margay_numbering_count(replay->own->numbering),
    };
    enum margay_status status = margay_room_check(
        "the caches", margay_fifo_bytes(options.objects), error);
    return status == MARGAY_OK ? margay_fifo_create(&options, fifo, error)
                               : status;
}

static void simulate(const struct simulation *simulation,
                     const uint32_t *numbers, size_t count)
{
    uint64_t blocks[PIECE_REFS];
    if (simulation->fifo != NULL) {
        margay_fifo_feed(simulation->fifo, numbers, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        blocks[i] = numbers[i];
    margay_cache_feed(simulation->cache, blocks, NULL, NULL, count);
}

/* The references from `from` on that are before `to`. */
static enum margay_status simulate_between(const struct replay *replay,
                                           const struct simulation *simulation,
                                           uint64_t from, uint64_t to,
                                           struct margay_error *error)
{
    uint32_t buffer[PIECE_REFS];
    while (from < to) {
        const uint32_t *numbers;
        size_t count,
            most = to - from < PIECE_REFS ? (size_t)(to - from) : PIECE_REFS;
        enum margay_status status = margay_history_read(
            &replay->own->history, from, most, buffer, &numbers, &count, error);
        if (status != MARGAY_OK)
            return status;
        simulate(simulation, numbers, count);
        from += count;
    }
    return MARGAY_OK;
}

static void take_misses(const struct replay *replay, const struct task *task,
                        const struct simulation *simulation)
{
    const struct margay_policies_pass *own = replay->own;
    uint64_t *misses =
        own->misses + task->policy * own->sampled_count + task->first;
    for (size_t i = 0; i < task->count; i++)
        misses[i] =
            simulation->fifo != NULL
                ? margay_fifo_misses(simulation->fifo, i)
                : margay_cache_counts(simulation->cache)->misses[MARGAY_READ];
}

static enum margay_status run_task(const struct replay *replay,
                                   const struct task *task,
                                   struct margay_error *error)
{
    const struct margay_policies_pass *own = replay->own;
    struct simulation simulation = {NULL, NULL};
    enum margay_status status =
        is_fifo(&replay->policies->rows[task->policy])
            ? make_fifo(replay, task, &simulation.fifo, error)
            : make_cache(replay, task, &simulation.cache, error);
    if (status == MARGAY_OK)
        status =
            simulate_between(replay, &simulation, 0, own->uncounted, error);
    if (status == MARGAY_OK && simulation.fifo != NULL)
        margay_fifo_reset_counts(simulation.fifo);
    else if (status == MARGAY_OK)
        margay_cache_reset_counts(simulation.cache);
    if (status == MARGAY_OK)
        status = simulate_between(replay, &simulation, own->uncounted,
                                  margay_history_count(&own->history), error);
    if (status == MARGAY_OK)
        take_misses(replay, task, &simulation);
    margay_fifo_free(simulation.fifo);
    margay_cache_free(simulation.cache);
    return status;
}

static void run_one(void *context, size_t i)
{
    const struct replay *replay = context;
    struct margay_error *failure = &replay->failures[i];
    failure->status = run_task(replay, &replay->tasks[i], failure);
}

/* -------------------------------------------------------------- all tasks --
 */

/* Larger caches take longer: they come first, so that no thread is left alone
   with one in the end. */
static void list_tasks(struct replay *replay)
{
    const struct margay_policies *policies = replay->policies;
    size_t left = replay->own->sampled_count;
    while (left > 0) {
        left--;
        for (size_t i = 0; i < policies->request.policy_count; i++) {
            const struct margay_policy_row *row = &policies->rows[i];
            struct task task = {i, left, 1};
            if (!row->simulated ||
                (is_fifo(row) && left % MARGAY_FIFO_SIZES != 0))
                continue;
            if (is_fifo(row)) {
                size_t to = left + MARGAY_FIFO_SIZES;
                size_t end = replay->own->sampled_count;
                task.count = (to < end ? to : end) - left;
            }
            replay->tasks[replay->task_count++] = task;
        }
    }
}

enum margay_status margay_policies_replay(struct margay_policies *policies,
                                          struct margay_policies_pass *own,
                                          struct margay_error *error)
{
    struct replay replay = {.policies = policies, .own = own};
    size_t most = policies->request.policy_count * own->sampled_count;
    enum margay_status status = MARGAY_OK;
    if (!policies->simulates || margay_history_count(&own->history) == 0)
        return MARGAY_OK;
    replay.tasks = calloc(most, sizeof *replay.tasks);
    replay.failures = calloc(most, sizeof *replay.failures);
    if (replay.tasks == NULL || replay.failures == NULL) {
        status = margay_fail_memory(error, "the simulations");
    } else {
        list_tasks(&replay);
        margay_crew_start(policies->crew, run_one, &replay, replay.task_count);
        margay_crew_finish(policies->crew);
        status =
            margay_policies_failure(replay.failures, replay.task_count, error);
    }
    free(replay.tasks);
    free(replay.failures);
    return status;
}
