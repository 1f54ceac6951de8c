/*
 * optimal.c - the distances of Belady's optimum
 *
 * Algorithm: a hash table has the time of each block's last reference; from it
 *   to the next is a job, which is given to a machine (machines.h).  The number
 *   of the machine is the distance.  A cache of C blocks has one that is in use
 *   while a block is referenced, so C - 1 machines keep blocks meanwhile;
 *   an immediate repeat needs none and has distance 0.  Where blocks may pass
 *   the cache by, C machines keep blocks, and distances are one less.
 *
 * Source: Belady, "A study of replacement algorithms for a virtual-storage
 *   computer", IBM Systems Journal 5(2), 1966; Mattson, Gecsei, Slutz, Traiger,
 *   "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2),
 *   1970.
 *
 * Guarantee: exact; below the bound, if there is one.
 *
 * Cost: that of the machines, and a look-up in the hash table.  A bound saves
 *   machines, but not entries of the table: a block of any age may be one that
 *   a cache of that size has kept.
 */
#include "stackdist/optimal/optimal.h"

#include <stdlib.h>
#include <string.h>

#include "stackdist/exact/hash.h"
#include "stackdist/histogram.h"
#include "stackdist/optimal/machines.h"
#include "traces/traces_internal.h"

/* References that are looked up before their jobs are given. */
#define BATCH_REFS 1024

/* Buckets of the hash table are asked for this many references ahead. */
#define AHEAD_REFS 24

/* The value in a batch's past[] of a repeat of the reference before. */
#define REPEAT UINT32_MAX

/* Times end before that. */
#define LAST_TIME (UINT32_MAX - 1)

#define FIRST_COUNTERS 4096

struct optimal {
    struct margay_hash last; /* block to the time of its last reference */
    uint32_t now;            /* the time of the reference before */
    struct margay_machines machines;
    bool bypass;
    uint64_t bound; /* UINT64_MAX = none */
    bool exceeded;  /* there were more blocks than the bound */

    /* counters[d] counts distance d; where a byte overflows, 256 are in the
       histogram.  So the counters stay in the cache. */
    uint8_t *counters;
    uint64_t counter_count;
    uint64_t infinite;
    margay_histogram *histogram;

    uint32_t past[BATCH_REFS]; /* of a batch: when a block was referenced before
                                  that, 0 if it was not */
    struct margay_job jobs[BATCH_REFS + 1];
};

static void destroy(void *state)
{
    struct optimal *optimal = state;
    margay_hash_destroy(&optimal->last);
    margay_machines_destroy(&optimal->machines);
    margay_histogram_free(optimal->histogram);
    free(optimal->counters);
}

enum margay_status margay_optimal_create_at(
    const struct margay_engine_setup *setup, uint32_t first, void *state,
    struct margay_error *error)
{
    struct optimal *optimal = state;
    const struct margay_engine_options *options = &setup->options;
    optimal->bypass = options->measure == MARGAY_OPTIMAL_BYPASS_DISTANCES;
    optimal->bound =
        options->bound_blocks == 0 ? UINT64_MAX : options->bound_blocks;
    optimal->now = first - 1;
    margay_machines_create(&optimal->machines,
                           optimal->bound - !optimal->bypass,
                           margay_target_best());
    enum margay_status status = margay_hash_create(&optimal->last, 0, error);
    if (status == MARGAY_OK)
        status = margay_histogram_create(&optimal->histogram, error);
    return status;
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    return margay_optimal_create_at(setup, 1, state, error);
}

/* ------------------------------------------------------------ counting -- */

static enum margay_status reserve_counters(struct optimal *optimal,
                                           struct margay_error *error)
{
    uint64_t wanted = optimal->machines.count + BATCH_REFS + 1;
    uint64_t count = optimal->counter_count;
    if (wanted <= count)
        return MARGAY_OK;
    wanted = wanted < FIRST_COUNTERS ? FIRST_COUNTERS : 2 * wanted;
    uint8_t *counters = realloc(optimal->counters, wanted);
    if (counters == NULL)
        return margay_fail_memory(error, "the counts of the optimum");
    memset(counters + count, 0, wanted - count);
    optimal->counters = counters;
    optimal->counter_count = wanted;
    return MARGAY_OK;
}

static enum margay_status count_distance(struct optimal *optimal,
                                         uint64_t distance,
                                         struct margay_error *error)
{
    if (distance == MARGAY_INFINITE)
        optimal->infinite++;
    else if (++optimal->counters[distance] == 0)
        return margay_histogram_add(optimal->histogram, distance, 256, error);
    return MARGAY_OK;
}

static void reset_counts(void *state)
{
    struct optimal *optimal = state;
    if (optimal->counters != NULL)
        memset(optimal->counters, 0, optimal->counter_count);
    optimal->infinite = 0;
    margay_histogram_clear(optimal->histogram);
}

/* ---------------------------------------------------------------- time -- */

/* The times that matter, ascending: of last references, and moments. */
struct times {
    uint32_t *times;
    uint64_t count;
};

static int compare_times(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* A time's new value: its place among all, from 1 on. */
static uint32_t place_of(void *context, uint32_t time)
{
    const struct times *times = context;
    const uint32_t *found =
        bsearch(&time, times->times, times->count, sizeof time, compare_times);
    return (uint32_t)(found - times->times) + 1;
}

static uint32_t note_time(void *context, uint32_t time)
{
    struct times *times = context;
    times->times[times->count++] = time;
    return time;
}

static enum margay_status collect_times(struct optimal *optimal,
                                        struct times *times,
                                        struct margay_error *error)
{
    const struct margay_hash *last = &optimal->last;
    size_t bytes =
        (last->entries + optimal->machines.count + 1) * sizeof *times->times;
    *times = (struct times){malloc(bytes), 0};
    if (times->times == NULL)
        return margay_fail_memory(error, "renumbering times");
    for (uint64_t i = 0; i < last->bucket_count; i++) {
        for (unsigned slot = 0; slot < MARGAY_BUCKET_SLOTS; slot++) {
            if (last->buckets[i].values[slot] != 0)
                times->times[times->count++] = last->buckets[i].values[slot];
        }
    }
    margay_machines_visit_moments(&optimal->machines, note_time, times);
    uint64_t kept = 0;
    qsort(times->times, times->count, sizeof *times->times, compare_times);
    for (uint64_t i = 0; i < times->count; i++) {
        if (kept == 0 || times->times[i] != times->times[kept - 1])
            times->times[kept++] = times->times[i];
    }
    times->count = kept;
    return MARGAY_OK;
}

/* Begin time anew: the times that matter, in their order, are 1, 2, ... */
static enum margay_status renumber(struct optimal *optimal,
                                   struct margay_error *error)
{
    struct times times;
    enum margay_status status = collect_times(optimal, &times, error);
    if (status != MARGAY_OK)
        return status;
    if (times.count > LAST_TIME / 2) {
        free(times.times);
        return margay_fail_memory(error, "that many distinct blocks");
    }
    for (uint64_t i = 0; i < optimal->last.bucket_count; i++) {
        uint32_t *values = optimal->last.buckets[i].values;
        for (unsigned slot = 0; slot < MARGAY_BUCKET_SLOTS; slot++) {
            if (values[slot] != 0)
                values[slot] = place_of(&times, values[slot]);
        }
    }
    margay_machines_visit_moments(&optimal->machines, place_of, &times);
    optimal->now = (uint32_t)times.count;
    free(times.times);
    return MARGAY_OK;
}

/* ------------------------------------------------------------- feeding -- */

/* Fill jobs[] with the jobs that end in the batch, which begins behind time
   `now`; returns how many. */
static size_t list_jobs(struct optimal *optimal, size_t count, uint32_t now)
{
    size_t jobs = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t past = optimal->past[i];
        now += past != REPEAT;
        optimal->jobs[jobs] =
            (struct margay_job){past, now - !optimal->bypass, 0};
        jobs += past != 0 && past != REPEAT;
    }
    return jobs;
}

/* Of a reference whose block was referenced at `past`; *jobs is the number of
   jobs that ended before. */
static uint64_t distance_of(const struct optimal *optimal, uint32_t past,
                            size_t *jobs)
{
    if (past == REPEAT)
        return 0;
    if (past == 0)
        return MARGAY_INFINITE;
    uint32_t machine = optimal->jobs[(*jobs)++].machine;
    return machine == 0 ? MARGAY_INFINITE : machine - optimal->bypass;
}

static enum margay_status feed_batch(struct optimal *optimal,
                                     const uint64_t *blocks, size_t count,
                                     size_t ahead, uint64_t *distances,
                                     struct margay_error *error)
{
    enum margay_status status =
        margay_hash_reserve(&optimal->last, BATCH_REFS, error);
    if (status == MARGAY_OK)
        status = margay_machines_reserve(&optimal->machines, BATCH_REFS, error);
    if (status == MARGAY_OK)
        status = reserve_counters(optimal, error);
    if (status == MARGAY_OK && LAST_TIME - optimal->now < BATCH_REFS)
        status = renumber(optimal, error);
    if (status != MARGAY_OK)
        return status;
    uint32_t now = optimal->now;
    /* Fill past[], and let time go on. */
    struct margay_hash *last = &optimal->last;
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD_REFS < count + ahead)
            margay_hash_prefetch(last, blocks[i + AHEAD_REFS]);
        uint32_t *value = margay_hash_insert(last, blocks[i]);
        uint32_t past = *value;
        bool repeat = past == optimal->now && past != 0 && !optimal->bypass;
        optimal->past[i] = repeat ? REPEAT : past;
        optimal->now += !repeat;
        *value = optimal->now;
    }
    optimal->machines.kernel->give(&optimal->machines, optimal->jobs,
                                   list_jobs(optimal, count, now));
    size_t jobs = 0;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        uint64_t distance = distance_of(optimal, optimal->past[i], &jobs);
        status = count_distance(optimal, distance, error);
        if (distances != NULL)
            distances[i] = distance;
    }
    optimal->exceeded |= optimal->last.entries > optimal->bound;
    return status;
}

static enum margay_status feed(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t done = 0; done < count && status == MARGAY_OK;) {
        size_t batch = count - done < BATCH_REFS ? count - done : BATCH_REFS;
        status = feed_batch(state, blocks + done, batch, count - done - batch,
                            distances == NULL ? NULL : distances + done, error);
        done += batch;
    }
    return status;
}

/* ------------------------------------------------------------- results -- */

static enum margay_status peek(void *state, struct margay_result *result,
                               struct margay_error *error)
{
    const struct optimal *optimal = state;
    margay_histogram *histogram;
    enum margay_status status =
        margay_histogram_copy(optimal->histogram, &histogram, error);
    if (status == MARGAY_OK && optimal->counters != NULL)
        status = margay_histogram_add_counts(histogram, 0, optimal->counters,
                                             optimal->counter_count, error);
    if (status == MARGAY_OK)
        status = margay_histogram_add(histogram, MARGAY_INFINITE,
                                      optimal->infinite, error);
    if (status != MARGAY_OK) {
        margay_histogram_free(histogram);
        return status;
    }
    if (optimal->exceeded)
        margay_histogram_set_exceeded_bound(histogram, optimal->bound);
    result->histogram = histogram;
    result->distinct_blocks =
        optimal->exceeded ? optimal->bound + 1 : optimal->last.entries;
    result->nodes = optimal->machines.count;
    return MARGAY_OK;
}

#define OPTIMAL_ENGINE(promise, abilities)                                   \
    {                                                                        \
        .info = {.name = "exact",                                            \
                 .exact = true,                                              \
                 .guarantee = promise,                                       \
                 .parameters = "",                                           \
                 .time = "O(N M) at worst",                                  \
                 .space = "O(M)",                                            \
                 .source = "Belady 1966; Mattson et al. 1970"},              \
        .can = MARGAY_GIVES_DISTANCES | MARGAY_CAN_TAKE_BOUND | (abilities), \
        .state_bytes = sizeof(struct optimal), .create = create,             \
        .destroy = destroy, .feed = feed, .reset_counts = reset_counts,      \
        .finish = peek, .peek = peek,                                        \
    }

const struct margay_engine_class margay_engine_optimal =
    OPTIMAL_ENGINE("exact distances of the optimum", MARGAY_CAN_COUNT_REPEATS);

/* Two references in a row to a block keep others from it while one does not. */
const struct margay_engine_class margay_engine_optimal_bypass =
    OPTIMAL_ENGINE("exact distances of the optimum with bypass", 0);
