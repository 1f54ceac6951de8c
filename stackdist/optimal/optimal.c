/*
 * optimal.c - the distances of Belady's optimum
 *
 * Algorithm: a hash table has the time of each block's last reference; from it
 *   to the next is a job, which is given to a machine (machines.h).  The number
 *   of the machine is the distance.  A cache of C blocks has one that is in use
 *   while a block is referenced, so C - 1 machines keep blocks meanwhile; an
 *   immediate repeat needs none and has distance 0.  Where blocks may pass the
 *   cache by, C machines keep blocks, and distances are one less.  Where
 *   machines would take long for a job, jobs are kept and given to them
 *   together (batch.c), unless each distance is wanted.
 *
 * Source: Belady, "A study of replacement algorithms for a virtual-storage
 *   computer", IBM Systems Journal 5(2), 1966; Mattson, Gecsei, Slutz, Traiger,
 *   "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2),
 *   1970.
 *
 * Guarantee: exact; below the bound, if there is one.
 *
 * Cost: that of the machines, and a look-up in the hash table; O(log M) per
 *   reference, but for a constant, if distances are only counted.  A bound
 *   saves machines, but not entries of the table: a cache of that size may have
 *   kept a block of any age.
 */
#include "stackdist/engine.h"

#include <stdlib.h>
#include <string.h>

#include "stackdist/exact/hash.h"
#include "stackdist/histogram.h"
#include "stackdist/optimal/machines.h"

/* References that are looked up before their jobs are given. */
#define BATCH_REFS 1024

/* Buckets of the hash table are prefetched this many references ahead. */
#define AHEAD_REFS 24

/* The value in a batch's past[] of a repeat of the reference before. */
#define REPEAT UINT32_MAX

/* Times end before that. */
#define LAST_TIME (UINT32_MAX - 1)

#define FIRST_COUNTERS 4096

/* After JUDGED_JOBS it is decided whether the next ones are kept to be given
   together: if a job passes by MANY_PASSED short stretches, or spends as much
   time, for each bit of the number of machines.  That is its cost then. */
#ifndef JUDGED_JOBS
#define JUDGED_JOBS 4096
#define MANY_PASSED 30
#define LEAST_KEPT  ((size_t)1 << 16)
#endif

/* Jobs that are kept, per machine.  Of fewer than one for FEW_PER_MACHINE
   machines, each is given by itself. */
#define KEPT_PER_MACHINE 2
#define FEW_PER_MACHINE  16

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

    /* Jobs to be given together, of which the first `uncounted` came before the
       counts were reset. */
    struct margay_job *kept;
    size_t kept_count, kept_most, uncounted;
    uint64_t judged_jobs, judged_work; /* jobs given since the last decision,
                                          and the machines' work then */

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
    free(optimal->kept);
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
    optimal->uncounted = optimal->kept_count;
    margay_histogram_clear(optimal->histogram);
}

/* ---------------------------------------------------- jobs that are kept -- */

static uint64_t distance_of_job(const struct optimal *optimal,
                                const struct margay_job *job)
{
    return job->machine == 0 ? MARGAY_INFINITE : job->machine - optimal->bypass;
}

/* Give the jobs that were kept, and keep no more for now. */
static enum margay_status give_kept(struct optimal *optimal,
                                    struct margay_error *error)
{
    struct margay_machines *machines = &optimal->machines;
    struct margay_job *jobs = optimal->kept;
    size_t count = optimal->kept_count, done = 0;
    enum margay_status status = MARGAY_OK;
    if (count > machines->count / FEW_PER_MACHINE) {
        status = margay_machines_give_batch(machines, jobs, count, error);
        done = count;
    }
    while (done < count && status == MARGAY_OK) {
        size_t some = count - done < BATCH_REFS ? count - done : BATCH_REFS;
        status = margay_machines_reserve(machines, BATCH_REFS, error);
        if (status == MARGAY_OK)
            machines->kernel->give(machines, jobs + done, some);
        done += some;
    }
    if (status == MARGAY_OK)
        status = reserve_counters(optimal, error);
    for (size_t i = optimal->uncounted; i < count && status == MARGAY_OK; i++)
        status =
            count_distance(optimal, distance_of_job(optimal, &jobs[i]), error);
    free(jobs);
    optimal->kept = NULL;
    optimal->kept_count = optimal->kept_most = optimal->uncounted = 0;
    return status;
}

/* After `given` jobs more: would it be better to keep the next ones? */
static enum margay_status consider_keeping(struct optimal *optimal,
                                           size_t given,
                                           struct margay_error *error)
{
    const struct margay_machines *machines = &optimal->machines;
    optimal->judged_jobs += given;
    if (optimal->judged_jobs < JUDGED_JOBS)
        return MARGAY_OK;
    uint64_t work = machines->work - optimal->judged_work;
    size_t most =
        margay_maximum((size_t)machines->count * KEPT_PER_MACHINE, LEAST_KEPT);
    int64_t many =
        (int64_t)MANY_PASSED * margay_log2_floor(machines->count + 1);
    if ((int64_t)(work / optimal->judged_jobs) > many &&
        machines->count + most + BATCH_REFS < MARGAY_BATCH_MOST) {
        optimal->kept = malloc((most + BATCH_REFS) * sizeof *optimal->kept);
        if (optimal->kept == NULL)
            return margay_fail_memory(error, "the jobs of the optimum");
        optimal->kept_most = most;
    }
    optimal->judged_jobs = 0;
    optimal->judged_work = machines->work;
    return MARGAY_OK;
}

/* ---------------------------------------------------------------- time -- */

/* Begin time anew: moments become 2, 4, 6, ..., and of a last reference nothing
   matters but how many are up to it, and whether it was the very last. */
static enum margay_status renumber(struct optimal *optimal,
                                   struct margay_error *error)
{
    uint32_t count = optimal->machines.count, now = 2 * count + 3;
    uint32_t *moments = malloc((2 * (size_t)count + 1) * sizeof *moments);
    if (moments == NULL || count > LAST_TIME / 4) {
        free(moments);
        return margay_fail_memory(error, "renumbering times");
    }
    uint32_t *numbers = moments + count;
    margay_machines_list(&optimal->machines, moments, numbers);
    for (uint64_t i = 0; i < optimal->last.bucket_count; i++) {
        uint32_t *values = optimal->last.buckets[i].values;
        for (unsigned slot = 0; slot < MARGAY_BUCKET_SLOTS; slot++) {
            if (values[slot] == optimal->now)
                values[slot] = now;
            else if (values[slot] != 0)
                values[slot] =
                    2 * margay_moments_until(moments, count, values[slot]) + 1;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        moments[i] = 2 * i + 2;
    optimal->now = now;
    enum margay_status status =
        margay_machines_set(&optimal->machines, moments, numbers, count, error);
    free(moments);
    return status;
}

/* ------------------------------------------------------------- feeding -- */

/* Count the references of a batch.  Jobs that end there are in jobs[], and have
   their machines unless they are kept. */
static enum margay_status count_batch(struct optimal *optimal, size_t count,
                                      bool keep, uint64_t *distances,
                                      struct margay_error *error)
{
    const struct margay_job *job = optimal->jobs;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        uint32_t past = optimal->past[i];
        uint64_t distance = past == REPEAT ? 0 : MARGAY_INFINITE;
        if (past != 0 && past != REPEAT) {
            if (keep)
                continue;
            distance = distance_of_job(optimal, job++);
        }
        status = count_distance(optimal, distance, error);
        if (distances != NULL)
            distances[i] = distance;
    }
    return status;
}

/* Give jobs, or keep them if no distances are wanted. */
static enum margay_status give_jobs(struct optimal *optimal, size_t count,
                                    uint32_t now, uint64_t *distances,
                                    struct margay_error *error)
{
    bool keep = optimal->kept_most > 0;
    enum margay_status status = MARGAY_OK;
    size_t jobs = 0; /* that end in the batch, which begins after time `now` */
    for (size_t i = 0; i < count; i++) {
        uint32_t past = optimal->past[i];
        now += past != REPEAT;
        optimal->jobs[jobs] =
            (struct margay_job){past, now - !optimal->bypass, 0};
        jobs += past != 0 && past != REPEAT;
    }
    if (keep) {
        memcpy(optimal->kept + optimal->kept_count, optimal->jobs,
               jobs * sizeof *optimal->jobs);
        optimal->kept_count += jobs;
    } else {
        optimal->machines.kernel->give(&optimal->machines, optimal->jobs, jobs);
    }
    status = count_batch(optimal, count, keep, distances, error);
    if (status == MARGAY_OK && keep &&
        optimal->kept_count >= optimal->kept_most)
        status = give_kept(optimal, error);
    else if (status == MARGAY_OK && !keep && distances == NULL)
        status = consider_keeping(optimal, jobs, error);
    return status;
}

static enum margay_status feed_batch(struct optimal *optimal,
                                     const uint64_t *blocks, size_t count,
                                     size_t ahead, uint64_t *distances,
                                     struct margay_error *error)
{
    bool ends = LAST_TIME - optimal->now < BATCH_REFS;
    enum margay_status status = MARGAY_OK;
    if (optimal->kept_most > 0 && (ends || distances != NULL))
        status = give_kept(optimal, error);
    if (status == MARGAY_OK)
        status = margay_hash_reserve(&optimal->last, BATCH_REFS, error);
    if (status == MARGAY_OK)
        status = margay_machines_reserve(&optimal->machines, BATCH_REFS, error);
    if (status == MARGAY_OK)
        status = reserve_counters(optimal, error);
    if (status == MARGAY_OK && ends)
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
        /* With bypass, two references in a row keep others from the block while
           one does not. */
        bool repeat = past == optimal->now && past != 0 && !optimal->bypass;
        optimal->past[i] = repeat ? REPEAT : past;
        optimal->now += !repeat;
        *value = optimal->now;
    }
    optimal->exceeded |= last->entries > optimal->bound;
    return give_jobs(optimal, count, now, distances, error);
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

static enum margay_status finish(void *state, struct margay_result *result,
                                 struct margay_error *error)
{
    struct optimal *optimal = state;
    margay_histogram *histogram;
    enum margay_status status = give_kept(optimal, error);
    if (status != MARGAY_OK)
        return status;
    status = margay_histogram_copy(optimal->histogram, &histogram, error);
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

const struct margay_engine_class margay_engine_optimal = {
    .can = MARGAY_GIVES_DISTANCES | MARGAY_CAN_TAKE_BOUND,
    MARGAY_ENGINE_FUNCTIONS(struct optimal),
    .peek = finish,
};
