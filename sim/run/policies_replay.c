/*
 * policies_replay.c - the simulations of the policies that have no engine
 *
 * A task simulates one cache or, of FIFO with blocks, up to MARGAY_FIFO_SIZES
 * of them, over all references.  It makes its caches, and frees them in the
 * end, so that there are never more than there are threads.  Where looks may
 * follow, caches of blocks are kept, and go on where they were, as long as all
 * take no more than MOST_KEPT_BYTES.  Where counts fade, those of each cache do
 * so at the end of each piece, as an engine's do (half_life.h).
 */
#include "sim/run/policies_replay.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/run/series.h"

/* References that are simulated at a time. */
#define PIECE_REFS 4096

/* Added to the number of a block that is written. */
#define WRITTEN ((uint32_t)1 << 31)

#define MOST_KEPT_BYTES ((uint64_t)1 << 30)
#define NOT_KEPT        SIZE_MAX

struct margay_kept_cache {
    size_t row;
    uint64_t size;
    margay_cache *cache; /* NULL = begins anew */
    struct margay_point_masses masses;
    uint64_t done, bytes;
};

struct task {
    size_t row;
    size_t first, count; /* of the sizes */
    size_t kept;         /* which of the kept caches, or NOT_KEPT */
};

struct tasks {
    struct margay_replay *replay;
    struct task *list;
    size_t count;
    struct margay_error *failures; /* [task] */
    struct margay_watching watching;
    struct margay_future *future; /* where a policy needs it; owned */
};

/* The simulation of a task's caches: one of these. */
struct simulation {
    margay_fifo *fifo;
    margay_cache *cache;
    margay_object_cache *objects;
    bool marked; /* writes of blocks are */
    struct margay_point_masses masses;
};

void margay_watching_add(struct margay_watching *watching, size_t count)
{
    const struct margay_watch *watch = watching->watch;
    uint64_t done = atomic_fetch_add(&watching->done_refs, count) + count;
    if (watch == NULL || atomic_flag_test_and_set(&watching->telling))
        return;
    watch->progress(watch->context, done, watching->total_refs);
    atomic_flag_clear(&watching->telling);
}

bool margay_watching_is_over(const struct margay_watching *watching)
{
    const struct margay_watch *watch = watching->watch;
    return watch != NULL && watch->stop(watch->context);
}

/* The sizes of such a policy share a table. */
static bool goes_at_once(const struct margay_replay *replay, size_t row)
{
    return replay->object_bytes == NULL && replay->simulate == NULL &&
           !replay->keeps && replay->counters == 0 && replay->piece_refs == 0 &&
           strcmp(replay->rows->list[row].info->name, "fifo") == 0;
}

/* ------------------------------------------------------ one simulation -- */

/* A cache that has room for all blocks never evicts one, however large. */
static enum margay_status make_cache(const struct margay_replay *replay,
                                     const struct task *task,
                                     margay_cache **cache,
                                     struct margay_error *error)
{
    uint32_t blocks = replay->blocks;
    uint64_t ways = replay->sizes[task->first];
    const struct margay_cache_options options = {
        .ways = ways < blocks ? (uint32_t)ways : blocks,
        .policy = replay->rows->list[task->row].spec,
        .seed = replay->seed,
        .dense_blocks = true,
    };
    enum margay_status status = margay_room_check(
        "a cache", margay_cache_bytes(&options) + 4 * (uint64_t)blocks, error);
    if (status == MARGAY_OK)
        status = margay_cache_create(&options, cache, error);
    return status == MARGAY_OK ? margay_cache_reserve(*cache, blocks, error)
                               : status;
}

static enum margay_status make_fifo(const struct margay_replay *replay,
                                    const struct task *task, margay_fifo **fifo,
                                    struct margay_error *error)
{
    const struct margay_fifo_options options = {
        .cache_blocks = replay->sizes + task->first,
        .count = task->count,
        .objects = replay->blocks,
    };
    enum margay_status status = margay_room_check(
        "the caches", margay_fifo_bytes(options.objects), error);
    return status == MARGAY_OK ? margay_fifo_create(&options, fifo, error)
                               : status;
}

static enum margay_status make_objects(const struct tasks *tasks,
                                       const struct task *task,
                                       margay_object_cache **objects,
                                       struct margay_error *error)
{
    const struct margay_replay *replay = tasks->replay;
    const struct margay_object_cache_options options = {
        .bytes = replay->sizes[task->first],
        .sizes = replay->object_bytes,
        .noted = replay->noted,
        .nexts =
            tasks->future == NULL ? NULL : margay_future_nexts(tasks->future),
        .objects = replay->blocks,
        .policy = replay->rows->list[task->row].spec,
        .scale = margay_sample_scale(&replay->sample),
        .seed = replay->seed,
    };
    return margay_object_cache_create(&options, objects, error);
}

/* Returns how many have been taken; a note at the end comes again, whole. */
static size_t simulate(const struct simulation *simulation,
                       const uint32_t *numbers, size_t count)
{
    uint64_t blocks[PIECE_REFS];
    uint8_t kinds[PIECE_REFS];
    if (simulation->objects != NULL)
        return margay_object_cache_feed(simulation->objects, numbers, count);
    if (simulation->fifo != NULL) {
        margay_fifo_feed(simulation->fifo, numbers, count);
    } else {
        for (size_t i = 0; i < count; i++)
            blocks[i] = numbers[i];
        for (size_t i = 0; simulation->marked && i < count; i++) {
            blocks[i] &= ~(uint64_t)WRITTEN;
            kinds[i] = numbers[i] < WRITTEN ? MARGAY_READ : MARGAY_WRITE;
        }
        margay_cache_feed(simulation->cache, blocks,
                          simulation->marked ? kinds : NULL, count);
    }
    return count;
}

static void reset_counts(const struct simulation *simulation)
{
    if (simulation->objects != NULL)
        margay_object_cache_reset_counts(simulation->objects);
    else if (simulation->fifo != NULL)
        margay_fifo_reset_counts(simulation->fifo);
    else
        margay_cache_reset_counts(simulation->cache);
}

/* The references from `from` on that are before `to`, or fewer if there is no
   more time. */
static enum margay_status simulate_between(struct tasks *tasks,
                                           const struct simulation *simulation,
                                           uint64_t from, uint64_t to,
                                           struct margay_error *error)
{
    const struct margay_replay *replay = tasks->replay;
    uint32_t buffer[PIECE_REFS];
    while (from < to && !margay_watching_is_over(&tasks->watching)) {
        const uint32_t *numbers;
        size_t count, most = margay_minimum(to - from, PIECE_REFS);
        enum margay_status status = margay_history_read(
            &replay->history, from, most, buffer, &numbers, &count, error);
        if (status != MARGAY_OK)
            return status;
        count = simulate(simulation, numbers, count);
        margay_watching_add(&tasks->watching, count);
        from += count;
    }
    return MARGAY_OK;
}

static void take_misses(const struct task *task,
                        const struct simulation *simulation,
                        struct margay_series_point *points)
{
    if (simulation->objects != NULL) {
        const struct margay_object_counts counts =
            margay_object_cache_counts(simulation->objects);
        points->misses = counts.misses;
        points->missed_bytes = counts.missed_bytes;
        points->missed_cost = counts.missed_cost;
        points->written_bytes = counts.written_bytes;
        points->memory_hits = counts.memory_hits;
        return;
    }
    for (size_t i = 0; simulation->fifo != NULL && i < task->count; i++)
        points[i].misses = margay_fifo_misses(simulation->fifo, i);
    if (simulation->fifo != NULL)
        return;
    const struct margay_cache_counts *counts =
        margay_cache_counts(simulation->cache);
    points->misses = counts->misses[MARGAY_READ] + counts->misses[MARGAY_WRITE];
    points->writebacks = counts->writebacks;
}

static void end(struct simulation *simulation)
{
    margay_fifo_free(simulation->fifo);
    margay_cache_free(simulation->cache);
    margay_object_cache_free(simulation->objects);
}

static struct margay_kept_cache *kept_of(const struct margay_replay *replay,
                                         const struct task *task)
{
    return task->kept == NOT_KEPT ? NULL : &replay->kept.list[task->kept];
}

/* Take the kept caches of the task, or begin it. */
static enum margay_status take_up(const struct tasks *tasks,
                                  const struct task *task,
                                  struct simulation *simulation, uint64_t *done,
                                  struct margay_error *error)
{
    const struct margay_replay *replay = tasks->replay;
    struct margay_kept_cache *kept = kept_of(replay, task);
    if (replay->object_bytes != NULL)
        return make_objects(tasks, task, &simulation->objects, error);
    if (goes_at_once(replay, task->row))
        return make_fifo(replay, task, &simulation->fifo, error);
    if (kept == NULL || kept->cache == NULL)
        return make_cache(replay, task, &simulation->cache, error);
    simulation->cache = kept->cache;
    simulation->masses = kept->masses;
    *done = kept->done;
    kept->cache = NULL;
    return margay_cache_reserve(simulation->cache, replay->blocks, error);
}

/* A cache that had room for all blocks was made no larger than they are, and
   has to begin anew where more have come. */
static void keep(struct margay_replay *replay, const struct task *task,
                 struct simulation *simulation)
{
    struct margay_kept_cache *kept = kept_of(replay, task);
    if (kept == NULL || kept->size >= replay->blocks)
        return;
    const struct margay_cache_options options = {
        .ways = (uint32_t)kept->size,
        .policy = replay->rows->list[task->row].spec,
        .dense_blocks = true};
    uint64_t before = kept->bytes;
    kept->bytes = margay_cache_bytes(&options) + 4 * (uint64_t)replay->blocks;
    if (atomic_fetch_add(&replay->kept.bytes, kept->bytes - before) >
        MOST_KEPT_BYTES)
        return;
    kept->cache = simulation->cache;
    kept->masses = simulation->masses;
    kept->done = margay_history_count(&replay->history);
    simulation->cache = NULL;
}

/* Simulate the references that count, from `done` on.  Counts fade at the end
   of each piece. */
static enum margay_status simulate_counted(struct tasks *tasks,
                                           const struct task *task,
                                           struct simulation *simulation,
                                           uint64_t done,
                                           struct margay_error *error)
{
    const struct margay_replay *replay = tasks->replay;
    while (simulation->masses.pieces < replay->end_count) {
        uint64_t end = replay->ends[simulation->masses.pieces];
        struct margay_series_point counts = {.size = 0};
        enum margay_status status =
            simulate_between(tasks, simulation, done, end, error);
        if (status != MARGAY_OK)
            return status;
        take_misses(task, simulation, &counts);
        margay_replay_fade(replay, simulation->masses.pieces + 1,
                           &simulation->masses, &counts);
        reset_counts(simulation);
        done = end;
    }
    return simulate_between(tasks, simulation, done,
                            margay_history_count(&replay->history), error);
}

/* Without time for all of it, the task leaves points of size 0. */
static enum margay_status run_task(struct tasks *tasks, const struct task *task,
                                   struct margay_error *error)
{
    struct margay_replay *replay = tasks->replay;
    const struct margay_policy_row *row = &replay->rows->list[task->row];
    struct margay_series_point *points =
        replay->found + task->row * replay->size_count + task->first;
    struct simulation simulation = {.marked = replay->counters &
                                              MARGAY_COUNTS_WRITEBACKS};
    uint64_t done = 0;
    for (size_t i = 0; i < task->count; i++)
        points[i].size = replay->sizes[task->first + i];
    if (replay->simulate != NULL)
        return replay->simulate(replay, row, &tasks->watching, points, error);
    if (margay_policy_row_is_bound(row)) {
        margay_watching_add(&tasks->watching,
                            margay_history_count(&replay->history));
        return margay_future_bound(tasks->future,
                                   strcmp(row->info->name, "pfoo-u") == 0,
                                   points, error);
    }
    enum margay_status status = take_up(tasks, task, &simulation, &done, error);
    if (status == MARGAY_OK && done <= replay->uncounted) {
        status = simulate_between(tasks, &simulation, done, replay->uncounted,
                                  error);
        reset_counts(&simulation);
        simulation.masses = (struct margay_point_masses){.pieces = 0};
        done = replay->uncounted;
    }
    if (status == MARGAY_OK)
        status = simulate_counted(tasks, task, &simulation, done, error);
    if (status == MARGAY_OK && !margay_watching_is_over(&tasks->watching)) {
        take_misses(task, &simulation, points);
        margay_replay_settle(replay, &simulation.masses, points);
        keep(replay, task, &simulation);
    } else {
        for (size_t i = 0; i < task->count; i++)
            points[i].size = 0;
    }
    end(&simulation);
    return status;
}

static void run_one(void *context, size_t i)
{
    struct tasks *tasks = context;
    struct margay_error *failure = &tasks->failures[i];
    if (!margay_watching_is_over(&tasks->watching))
        failure->status = run_task(tasks, &tasks->list[i], failure);
}

/* ------------------------------------------------------------- all tasks -- */

/* Larger caches take longer: they come first, so that no thread is left alone
   with one in the end. */
static void list_tasks(struct tasks *tasks)
{
    const struct margay_replay *replay = tasks->replay;
    for (size_t left = replay->size_count; left-- > 0;) {
        for (size_t i = 0; i < replay->rows->count; i++) {
            size_t most = goes_at_once(replay, i) ? MARGAY_FIFO_SIZES : 1;
            size_t count = margay_minimum(most, replay->size_count - left);
            if (margay_replay_simulates(replay, i) && left % most == 0)
                tasks->list[tasks->count++] =
                    (struct task){i, left, count, NOT_KEPT};
        }
    }
}

/* Find the kept caches of the tasks, or make places for them. */
static enum margay_status find_kept(struct tasks *tasks,
                                    struct margay_error *error)
{
    struct margay_kept_caches *kept = &tasks->replay->kept;
    for (size_t i = 0; i < tasks->count && tasks->replay->keeps; i++) {
        struct task *task = &tasks->list[i];
        uint64_t size = tasks->replay->sizes[task->first];
        size_t at = 0;
        while (at < kept->count &&
               (kept->list[at].row != task->row || kept->list[at].size != size))
            at++;
        if (at == kept->count) {
            if (!MARGAY_MAKE_ROOM(kept->list, kept->count, 1, kept->capacity))
                return margay_fail_memory(error, "the simulations");
            kept->list[kept->count++] =
                (struct margay_kept_cache){.row = task->row, .size = size};
        }
        task->kept = at;
    }
    return MARGAY_OK;
}

static void tell_lacking(const struct tasks *tasks)
{
    const struct margay_replay *replay = tasks->replay;
    size_t lacking = 0, caches = 0;
    for (size_t i = 0; i < replay->rows->count * replay->size_count; i++) {
        bool simulated =
            margay_replay_simulates(replay, i / replay->size_count);
        caches += simulated;
        lacking += simulated && replay->found[i].size == 0;
    }
    if (replay->watch != NULL && lacking > 0)
        replay->watch->leave(replay->watch->context, lacking, caches);
}

/* Carry out all tasks. */
static enum margay_status simulate_all(struct margay_replay *replay,
                                       struct margay_error *error)
{
    struct tasks tasks = {
        .replay = replay,
        .watching = {.watch = replay->watch, .telling = ATOMIC_FLAG_INIT}};
    size_t most = replay->rows->count * replay->size_count;
    enum margay_status status = MARGAY_OK;
    if (!replay->rows->simulates && !margay_replay_simulates(replay, 0))
        return MARGAY_OK;
    tasks.list = calloc(most + 1, sizeof *tasks.list);
    tasks.failures = calloc(most + 1, sizeof *tasks.failures);
    if (tasks.list == NULL || tasks.failures == NULL) {
        status = margay_fail_memory(error, "the simulations");
    } else {
        list_tasks(&tasks);
        status = find_kept(&tasks, error);
    }
    for (size_t i = 0; i < replay->rows->count && status == MARGAY_OK &&
                       replay->object_bytes != NULL;
         i++) {
        if ((replay->rows->list[i].info->abilities &
             MARGAY_POLICY_ONLY_OBJECTS) &&
            tasks.future == NULL)
            status = margay_future_create(replay, &tasks.future, error);
    }
    if (status == MARGAY_OK) {
        tasks.watching.total_refs =
            tasks.count * margay_history_count(&replay->history);
        margay_crew_run(replay->crew, run_one, &tasks, tasks.count);
        status = margay_first_failure(tasks.failures, tasks.count, error);
        if (status == MARGAY_OK)
            tell_lacking(&tasks);
    }
    margay_future_free(tasks.future);
    free(tasks.list);
    free(tasks.failures);
    return status;
}

/* ------------------------------------------------------------ a replay -- */

enum margay_status margay_replay_begin(struct margay_replay *replay,
                                       const struct margay_share *share,
                                       const char *directory,
                                       struct margay_error *error)
{
    replay->watch = share->watch;
    if (replay->half_life_refs != 0)
        replay->piece_refs =
            margay_half_life_piece(replay->half_life_refs, &replay->factor);
    margay_history_begin(&replay->history, directory, MARGAY_HISTORY_HELD);
    enum margay_status status =
        margay_crew_create(share->threads, &replay->crew, error);
    return status == MARGAY_OK
               ? margay_numbering_create(&replay->numbering, error)
               : status;
}

enum margay_status margay_replay_add(struct margay_replay *replay,
                                     const uint64_t *blocks,
                                     const uint8_t *kinds, size_t count,
                                     struct margay_error *error)
{
    bool counts = replay->counters & MARGAY_COUNTS_WRITEBACKS;
    uint32_t *place;
    enum margay_status status =
        margay_history_reserve(&replay->history, count, &place, error);
    if (status == MARGAY_OK)
        status = margay_numbering_feed(replay->numbering, blocks, count, place,
                                       error);
    if (status == MARGAY_OK && counts &&
        margay_numbering_count(replay->numbering) > WRITTEN)
        status = margay_fail(error, MARGAY_NO_MEMORY,
                             "2^31 blocks are too many to simulate");
    for (size_t i = 0; counts && status == MARGAY_OK && i < count; i++)
        place[i] |= kinds[i] == MARGAY_WRITE ? WRITTEN : 0;
    if (status == MARGAY_OK)
        margay_history_add(&replay->history, count);
    return status;
}

enum margay_status margay_replay_end_piece(struct margay_replay *replay,
                                           struct margay_error *error)
{
    if (!MARGAY_MAKE_ROOM(replay->ends, replay->end_count, 1, replay->end_room))
        return margay_fail_memory(error, "counts that fade");
    replay->ends[replay->end_count++] = margay_history_count(&replay->history);
    return MARGAY_OK;
}

void margay_replay_reset(struct margay_replay *replay)
{
    replay->uncounted = margay_history_count(&replay->history);
    replay->uncounted_blocks = margay_numbering_count(replay->numbering);
    replay->end_count = 0;
}

/* Scale the counts of caches in a sample. */
static void scale_row(const struct margay_replay *replay, size_t row,
                      const struct margay_series *all)
{
    const struct margay_sample *sample = &replay->sample;
    size_t at = 0;
    for (size_t i = 0; i < all->count; i++) {
        uint64_t size = all->points[i].size;
        at += replay->sizes[at] != margay_policies_sampled(sample, size);
        struct margay_series_point point =
            replay->found[row * replay->size_count + at];
        if (point.size == 0)
            continue;
        point.size = size;
        point.misses =
            margay_policies_scaled(sample, point.misses, all->references);
        point.writebacks =
            margay_policies_scaled(sample, point.writebacks, all->references);
        point.missed_bytes = margay_policies_scaled(sample, point.missed_bytes,
                                                    all->reference_bytes);
        if (point.missed_cost != MARGAY_NO_COUNT) {
            point.missed_cost = margay_policies_scaled(
                sample, point.missed_cost, all->reference_cost);
            point.written_bytes =
                margay_policies_scaled(sample, point.written_bytes, INT64_MAX);
            point.memory_hits = margay_policies_scaled(
                sample, point.memory_hits, all->references);
        }
        replay->points[row * all->count + i] = point;
    }
}

enum margay_status margay_replay_run(struct margay_replay *replay,
                                     const struct margay_series *all,
                                     struct margay_error *error)
{
    size_t rows = replay->rows->count;
    bool empty = margay_history_count(&replay->history) == 0;
    enum margay_status status = MARGAY_OK;
    free(replay->points);
    replay->all = all;
    replay->blocks = margay_numbering_count(replay->numbering);
    replay->sizes = calloc(all->count + 1, sizeof *replay->sizes);
    replay->found = margay_series_room(rows * all->count, error);
    replay->points = margay_series_room(rows * all->count, error);
    replay->point_count = replay->points == NULL ? 0 : all->count;
    replay->size_count = 0;
    if (replay->sizes == NULL || replay->found == NULL ||
        replay->points == NULL)
        status = margay_fail_memory(error, "the curves");
    for (size_t i = 0; i < all->count && status == MARGAY_OK; i++) {
        uint64_t size =
            margay_policies_sampled(&replay->sample, all->points[i].size);
        if (i == 0 || replay->sizes[replay->size_count - 1] != size)
            replay->sizes[replay->size_count++] = size;
    }
    /* A sample may be empty, and then misses nothing. */
    for (size_t i = 0; i < rows * replay->size_count && empty; i++)
        replay->found[i].size = replay->sizes[i % replay->size_count];
    if (status == MARGAY_OK && !empty)
        status = simulate_all(replay, error);
    for (size_t i = 0; i < rows && status == MARGAY_OK; i++) {
        if (margay_replay_simulates(replay, i))
            scale_row(replay, i, all);
    }
    free(replay->sizes);
    free(replay->found);
    return status;
}

enum margay_status margay_replay_give(const struct margay_replay *replay,
                                      size_t row, struct margay_series *series,
                                      margay_series_take *take, void *context,
                                      struct margay_error *error)
{
    size_t count = replay->point_count;
    struct margay_series_point *known = margay_series_room(count, error);
    if (known == NULL)
        return MARGAY_NO_MEMORY;
    series->points = known;
    series->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (replay->points[row * count + i].size != 0)
            known[series->count++] = replay->points[row * count + i];
    }
    enum margay_status status = take(context, series, error);
    free(known);
    return status;
}

void margay_replay_end(struct margay_replay *replay)
{
    margay_numbering_free(replay->numbering);
    margay_history_end(&replay->history);
    for (size_t i = 0; i < replay->kept.count; i++)
        margay_cache_free(replay->kept.list[i].cache);
    free(replay->kept.list);
    replay->numbering = NULL;
    replay->kept = (struct margay_kept_caches){.list = NULL};
}

void margay_replay_free(struct margay_replay *replay)
{
    /* The history has no file where nothing has begun. */
    if (replay->crew != NULL)
        margay_replay_end(replay);
    margay_crew_free(replay->crew);
    free(replay->points);
    free(replay->ends);
}

uint64_t margay_policies_sampled(const struct margay_sample *sample,
                                 uint64_t size)
{
    double share = (double)size / margay_sample_scale(sample);
    return sample->limit == UINT64_MAX ? size
           : share < 1                 ? 1
                                       : (uint64_t)llround(share);
}

uint64_t margay_policies_scaled(const struct margay_sample *sample,
                                uint64_t count, uint64_t most)
{
    double scaled = (double)count * margay_sample_scale(sample);
    return sample->limit == UINT64_MAX || count == MARGAY_NO_COUNT ? count
           : scaled < (double)most ? (uint64_t)llround(scaled)
                                   : most;
}

/* -------------------------------------------------- what specs ask for -- */

static enum margay_status check(const char *spec,
                                const struct margay_policy_info *info,
                                enum margay_caches_of caches,
                                struct margay_error *error)
{
    const unsigned can = info->abilities;
    const bool of_objects = caches == MARGAY_CACHES_OF_OBJECTS;
    const bool of_requests = caches == MARGAY_CACHES_OF_REQUESTS;
    const struct {
        bool refused;
        const char *why;
    } rules[] = {
        {of_requests && !(can & MARGAY_POLICY_FOR_REQUESTS),
         "it is not defined for requests of blocks (margay help policies says "
         "which are)"},
        {!of_requests && (can & MARGAY_POLICY_ONLY_REQUESTS),
         "it is for requests of blocks (--requests)"},
        {can & MARGAY_POLICY_FOR_SETS,
         "it is defined for sets of some ways only (margay assoc takes it)"},
        {!of_objects && (can & MARGAY_POLICY_ONLY_OBJECTS),
         "it is defined for objects with sizes only (--objects)"},
        {of_objects && !(can & MARGAY_POLICY_FOR_OBJECTS),
         "it is not defined for objects with sizes (margay help policies says "
         "which are)"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].refused)
            return margay_fail(error, MARGAY_BAD_ARGUMENT, "--policy %s: %s",
                               spec, rules[i].why);
    }
    return MARGAY_OK;
}

static enum margay_status read_spec(const char *spec,
                                    enum margay_caches_of caches,
                                    struct margay_policy_row *row,
                                    struct margay_error *error)
{
    enum margay_status status = margay_policy_find(spec, &row->info, error);
    if (status == MARGAY_OK)
        status = check(spec, row->info, caches, error);
    if (status != MARGAY_OK)
        return status;
    bool needs_future = caches != MARGAY_CACHES_OF_OBJECTS &&
                        (row->info->abilities & MARGAY_POLICY_NEEDS_FUTURE);
    row->spec = spec;
    row->simulated = !needs_future && (margay_spec_of_objects(spec) ||
                                       strcmp(row->info->name, "lru") != 0);
    row->measure = !needs_future ? MARGAY_REUSE_DISTANCES
                   : strcasecmp(spec, "opt:bypass=on") == 0
                       ? MARGAY_OPTIMAL_BYPASS_DISTANCES
                       : MARGAY_OPTIMAL_DISTANCES;
    return MARGAY_OK;
}

struct margay_sizes margay_policies_sizes(struct margay_sizes asked,
                                          bool simulates)
{
    return simulates && asked.kind == MARGAY_SIZES_USUAL
               ? (struct margay_sizes){.kind = MARGAY_SIZES_OCTAVE,
                                       .per_octave = 2}
               : asked;
}

enum margay_status margay_policies_check_new(const char *const *specs, size_t i,
                                             bool of_objects,
                                             struct margay_error *error)
{
    if (margay_spec_of_objects(specs[i]) && !of_objects)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--policy %s: admit= and tier= are for objects with "
                           "sizes (margay curve --objects)",
                           specs[i]);
    for (size_t j = 0; j < i; j++) {
        if (strcasecmp(specs[i], specs[j]) == 0)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "--policy %s: given twice", specs[i]);
    }
    return MARGAY_OK;
}

enum margay_status margay_policies_read(const char *const *specs, size_t count,
                                        enum margay_caches_of caches,
                                        struct margay_policy_rows *rows,
                                        struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    *rows = (struct margay_policy_rows){
        .list = calloc(count, sizeof *rows->list),
        .count = count,
    };
    if (rows->list == NULL)
        return margay_fail_memory(error, "the policies");
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        status = read_spec(specs[i], caches, &rows->list[i], error);
        rows->simulates |= rows->list[i].simulated;
        if (status == MARGAY_OK)
            status = margay_policies_check_new(
                specs, i, caches == MARGAY_CACHES_OF_OBJECTS, error);
    }
    return status;
}

enum margay_status margay_policies_simulate(struct margay_policy_rows *rows,
                                            const char *reason,
                                            struct margay_error *error)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct margay_policy_row *row = &rows->list[i];
        if (!row->simulated && row->measure != MARGAY_REUSE_DISTANCES)
            return margay_fail(error, MARGAY_BAD_ARGUMENT, "--policy %s: %s",
                               row->spec, reason);
        row->simulated = rows->simulates = true;
    }
    return MARGAY_OK;
}

void margay_policies_question_free(margay_question *question)
{
    free(((struct margay_policies_question *)question)->rows.list);
    free(question);
}
