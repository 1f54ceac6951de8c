/*
 * policies_objects.c - the curves of several policies for objects with sizes
 *
 * Algorithm: the consumer stands behind the engine of objects (objects.c),
 * whose curve is that of LRU and says which sizes there are.  The other
 * policies are simulated at each of these in the end, as those of blocks are
 *   (policies.c): objects are numbered on the way, and the requests kept.  What
 *   has been deleted keeps its place in the caches and comes back as another
 *   object, so that no cache needs to know of it.  The engine says which
 *   requests are too late, by an infinite distance of an object that is known;
 *   a policy takes such a request as a hit, whose count is that of a miss.
 *
 * Guarantee: exact without a sample.  Results do not depend on threads.
 *
 * Cost: that of the engine; 4 bytes for each request, kept as those of blocks
 *   are; 8 bytes for each object and the table of numbers; and the state of one
 *   simulation for each thread.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>

#include "sim/run/consumer.h"
#include "sim/run/policies_replay.h"
#include "sim/run/spans.h"
#include <margay/run.h>

#define USUAL_SIMULATED_PER_OCTAVE 2

struct object_policies {
    margay_consumer consumer;
    struct margay_object_policies_request request;
    struct margay_policy_rows rows;
    struct margay_sizes grid;
    struct margay_sample sample;
    const margay_consumer *engine; /* what this stands behind, its owner */
    margay_crew *crew;
    const struct margay_watch *watch;

    margay_numbering *numbering;
    uint64_t *object_bytes; /* [number] */
    size_t object_count, object_room;
    struct margay_history history;
    uint64_t uncounted; /* the first requests, a warm-up */
    /* What of a span goes there next. */
    uint64_t picked[MARGAY_SPAN_REFS];
    size_t picked_from[MARGAY_SPAN_REFS]; /* entries of the span */

    struct margay_objects_point *points; /* [policy][size], */
    size_t size_count;
    size_t *point_counts; /* [policy]: without those not simulated */
};

static struct object_policies *self(const margay_consumer *consumer)
{
    return (struct object_policies *)consumer;
}

static void object_policies_free(margay_consumer *consumer)
{
    struct object_policies *policies = self(consumer);
    margay_crew_free(policies->crew);
    margay_numbering_free(policies->numbering);
    margay_history_end(&policies->history);
    free(policies->object_bytes);
    free(policies->points);
    free(policies->point_counts);
    free(policies->rows.list);
    free(policies);
}

static enum margay_status object_policies_begin(
    margay_consumer *consumer, const struct margay_pass *passes, size_t count,
    const struct margay_share *share, struct margay_error *error)
{
    struct object_policies *policies = self(consumer);
    (void)passes, (void)count;
    policies->watch = share->watch;
    enum margay_status status =
        margay_numbering_create(&policies->numbering, error);
    return status == MARGAY_OK
               ? margay_crew_create(share->threads, &policies->crew, error)
               : status;
}

/* -------------------------------------------------------------- feeding -- */

static enum margay_status reserve_sizes(struct object_policies *policies,
                                        size_t count,
                                        struct margay_error *error)
{
    size_t room = policies->object_room;
    if (margay_numbering_count(policies->numbering) + count >
        MARGAY_MOST_OBJECTS)
        return margay_fail(error, MARGAY_NO_MEMORY,
                           "2^31 objects are too many to simulate");
    if (policies->object_count + count <= room)
        return MARGAY_OK;
    room += room / 2 + MARGAY_SPAN_REFS;
    uint64_t *sizes = reallocarray(policies->object_bytes, room, sizeof *sizes);
    if (sizes == NULL)
        return margay_fail_memory(error, "the sizes of objects");
    policies->object_bytes = sizes;
    policies->object_room = room;
    return MARGAY_OK;
}

/* Number the first `count` requests that have been picked, and keep them. */
static enum margay_status keep(struct object_policies *policies,
                               const struct margay_span *span, size_t count,
                               struct margay_error *error)
{
    uint32_t *place;
    enum margay_status status = reserve_sizes(policies, count, error);
    if (status == MARGAY_OK)
        status =
            margay_history_reserve(&policies->history, count, &place, error);
    if (status == MARGAY_OK)
        status = margay_numbering_feed(policies->numbering, policies->picked,
                                       count, place, error);
    if (status != MARGAY_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        size_t from = policies->picked_from[i];
        if (place[i] == policies->object_count)
            policies->object_bytes[policies->object_count++] =
                span->sizes[from];
        else if (span->distances[from] == MARGAY_INFINITE)
            place[i] |= MARGAY_REQUEST_LATE;
    }
    margay_history_add(&policies->history, count);
    return MARGAY_OK;
}

static enum margay_status object_policies_feed(margay_consumer *consumer,
                                               const struct margay_pass *pass,
                                               const struct margay_span *span,
                                               struct margay_error *error)
{
    struct object_policies *policies = self(consumer);
    enum margay_status status = MARGAY_OK;
    size_t picked = 0;
    (void)pass;
    if (!policies->rows.simulates)
        return MARGAY_OK;
    for (size_t i = 0; i < span->count && status == MARGAY_OK; i++) {
        uint64_t object = span->blocks[i];
        if (margay_sample_hash(object, policies->sample.key) >
            policies->sample.limit)
            continue;
        if (span->ops != NULL && span->ops[i] == MARGAY_DELETE) {
            status = keep(policies, span, picked, error);
            margay_numbering_forget(policies->numbering, object);
            picked = 0;
            continue;
        }
        policies->picked[picked] = object;
        policies->picked_from[picked++] = i;
    }
    return status == MARGAY_OK ? keep(policies, span, picked, error) : status;
}

static enum margay_status object_policies_reset(margay_consumer *consumer,
                                                const struct margay_pass *pass,
                                                struct margay_error *error)
{
    struct object_policies *policies = self(consumer);
    (void)pass, (void)error;
    policies->uncounted = margay_history_count(&policies->history);
    return MARGAY_OK;
}

/* --------------------------------------------------------------- curves -- */

/* What `misses` of the sample are of all. */
static uint64_t scaled(const struct object_policies *policies, uint64_t misses,
                       uint64_t all)
{
    if (policies->sample.limit == UINT64_MAX)
        return misses;
    double scale = margay_sample_scale(&policies->sample);
    double estimate = (double)misses * scale + 0.5;
    return estimate < (double)all ? (uint64_t)estimate : all;
}

/* The size in the sample of a cache of `bytes`. */
static uint64_t sampled(const struct object_policies *policies, uint64_t bytes)
{
    if (policies->sample.limit == UINT64_MAX)
        return bytes;
    double share = (double)bytes / margay_sample_scale(&policies->sample);
    return share < 1 ? 1 : (uint64_t)llround(share);
}

static void take_points(struct object_policies *policies,
                        const struct margay_objects_point *lru,
                        const struct margay_replay *replay)
{
    const struct margay_objects_counts counts = margay_objects_counted(
        margay_objects_consumer_engine(policies->engine));
    for (size_t i = 0; i < replay->rows->count * replay->size_count; i++) {
        size_t row = i / replay->size_count;
        struct margay_objects_point point = lru[i % replay->size_count];
        bool simulated = replay->rows->list[row].simulated;
        if (simulated && replay->misses[i] == MARGAY_NOT_SIMULATED)
            continue;
        if (simulated) {
            point.misses =
                scaled(policies, replay->misses[i], counts.references);
            point.missed_bytes = scaled(policies, replay->missed_bytes[i],
                                        counts.reference_bytes);
        }
        policies
            ->points[row * replay->size_count + policies->point_counts[row]++] =
            point;
    }
}

/* The curves at the sizes of the points of LRU. */
static enum margay_status make_curves(struct object_policies *policies,
                                      const struct margay_objects_point *lru,
                                      size_t count, struct margay_error *error)
{
    size_t all = count * policies->request.policy_count;
    uint64_t *sizes = calloc(count + 1, sizeof *sizes);
    uint64_t *misses = calloc(2 * all + 1, sizeof *misses);
    const struct margay_replay replay = {
        .history = &policies->history,
        .uncounted = policies->uncounted,
        .blocks = margay_numbering_count(policies->numbering),
        .object_bytes = policies->object_bytes,
        .rows = &policies->rows,
        .sizes = sizes,
        .size_count = count,
        .seed = policies->request.seed,
        .crew = policies->crew,
        .watch = policies->watch,
        .misses = misses,
        .missed_bytes = misses + all,
    };
    enum margay_status status = MARGAY_OK;
    policies->points = calloc(all + 1, sizeof *policies->points);
    policies->point_counts =
        calloc(replay.rows->count, sizeof *policies->point_counts);
    policies->size_count = count;
    if (sizes == NULL || misses == NULL || policies->points == NULL ||
        policies->point_counts == NULL)
        status = margay_fail_memory(error, "the curves");
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        sizes[i] = sampled(policies, lru[i].cache_bytes);
    if (status == MARGAY_OK)
        status = margay_policies_replay(&replay, error);
    if (status == MARGAY_OK)
        take_points(policies, lru, &replay);
    free(sizes);
    free(misses);
    return status;
}

static enum margay_status object_policies_finish(margay_consumer *consumer,
                                                 const struct margay_pass *pass,
                                                 struct margay_error *error)
{
    struct object_policies *policies = self(consumer);
    struct margay_objects_point *lru;
    size_t count;
    (void)pass;
    enum margay_status status =
        margay_objects_curve(margay_objects_consumer_engine(policies->engine),
                             &policies->grid, &lru, &count, error);
    if (status != MARGAY_OK)
        return status;
    status = make_curves(policies, lru, count, error);
    free(lru);
    return status;
}

size_t margay_object_policies_consumer_curve(
    const margay_consumer *consumer, size_t policy,
    const struct margay_objects_point **points)
{
    const struct object_policies *policies =
        self(margay_objects_consumer_next(consumer));
    *points = policies->points + policy * policies->size_count;
    return policies->point_counts[policy];
}

/* --------------------------------------------------------------- making -- */

/* What the command line asks for, behind no engine as yet. */
static enum margay_status make(
    const struct margay_objects_options *options,
    const struct margay_object_policies_request *request,
    struct object_policies *policies, struct margay_error *error)
{
    policies->request = *request;
    policies->sample = margay_sample_of(options->rate, options->seed);
    margay_history_begin(&policies->history, request->directory,
                         MARGAY_HISTORY_HELD);
    enum margay_status status = margay_policies_read(
        request->policies, request->policy_count, true, &policies->rows, error);
    policies->grid = *options->curve;
    if (policies->rows.simulates && policies->grid.kind == MARGAY_SIZES_USUAL)
        policies->grid = (struct margay_sizes){
            .kind = MARGAY_SIZES_OCTAVE,
            .per_octave = USUAL_SIMULATED_PER_OCTAVE,
        };
    return status;
}

enum margay_status margay_object_policies_consumer(
    const struct margay_objects_options *options,
    const struct margay_object_policies_request *request,
    margay_consumer **consumer, struct margay_error *error)
{
    static const struct margay_consumer_class functions = {
        .begin = object_policies_begin,
        .feed = object_policies_feed,
        .reset = object_policies_reset,
        .finish = object_policies_finish,
        .free = object_policies_free,
    };
    struct margay_objects_options measured = *options;
    struct object_policies *made = calloc(1, sizeof *made);
    *consumer = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the policies");
    made->consumer.functions = &functions;
    enum margay_status status = make(options, request, made, error);
    if (status != MARGAY_OK) {
        object_policies_free(&made->consumer);
        return status;
    }
    measured.curve = &made->grid;
    status =
        margay_objects_consumer(&measured, &made->consumer, consumer, error);
    if (status == MARGAY_OK)
        made->engine = *consumer;
    return status;
}
