/*
 * policies_objects.c - the curves of several policies for objects with sizes
 *
 * Algorithm: the consumer stands behind the engine of objects (objects.c),
 * whose curve is that of LRU and says which sizes there are.  The other
 * policies are simulated at each of these in the end, as those of blocks are
 *   (policies.c): objects are numbered on the way, and the requests kept.  What
 *   has been deleted keeps its place in the caches and comes back as another
 *   object, so that no cache needs to know of it.  Notes among the requests say
 *   where an object's size changes, what time it is and when that expires which
 *   is stored now: each cache knows by itself what it stored when.  The engine
 *   does not, so that LRU is simulated as well where there are notes.
 *
 * Guarantee: exact without a sample.  Results do not depend on threads.
 *
 * Cost: that of the engine; 4 bytes for each request and 12 for each note, kept
 *   as those of blocks are; 16 bytes for each object and the table of numbers;
 *   and the state of one simulation for each thread.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>

#include "sim/run/consumer.h"
#include "sim/run/policies_replay.h"
#include "sim/run/spans.h"
#include <margay/run.h>

#define USUAL_SIMULATED_PER_OCTAVE 2
#define REQUEST_WORDS              (3 * MARGAY_NOTE_WORDS + 1) /* at most */

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
    uint64_t *first_bytes, *object_bytes; /* [number]: at first, and now */
    size_t object_count, object_room;
    struct margay_history history;
    uint64_t uncounted; /* of its words, those of a warm-up */
    bool ages;          /* all objects expire, after so many seconds */
    uint64_t ttl_seconds;
    bool noted; /* anything, and last of times: */
    uint64_t time, until;
    /* What of a span goes there next. */
    uint64_t picked[MARGAY_SPAN_REFS];
    size_t picked_from[MARGAY_SPAN_REFS]; /* entries of the span */
    uint32_t numbers[MARGAY_SPAN_REFS];

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
    free(policies->first_bytes);
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
    uint64_t *first = reallocarray(policies->first_bytes, room, sizeof *first);
    if (first != NULL)
        policies->first_bytes = first;
    uint64_t *now = reallocarray(policies->object_bytes, room, sizeof *now);
    if (now != NULL)
        policies->object_bytes = now;
    if (first == NULL || now == NULL)
        return margay_fail_memory(error, "the sizes of objects");
    policies->object_room = room;
    return MARGAY_OK;
}

static uint32_t *add_note(uint32_t *place, uint32_t note, uint64_t value)
{
    place[0] = note;
    place[1] = (uint32_t)value;
    place[2] = (uint32_t)(value >> 32);
    return place + MARGAY_NOTE_WORDS;
}

/* Note the time of a request, and when what it stores expires. */
static uint32_t *note_times(struct object_policies *policies,
                            const struct margay_span *span, size_t from,
                            uint32_t *place)
{
    uint64_t time = span->times[from], ttl = policies->ttl_seconds;
    bool stores = span->ops != NULL && span->ops[from] == MARGAY_SET;
    if (ttl == UINT64_MAX && span->ttls != NULL)
        ttl = span->ttls[from];
    uint64_t until = ttl > UINT64_MAX - time ? UINT64_MAX : time + ttl;
    if (time != policies->time)
        place = add_note(place, MARGAY_NOTE_TIME, time);
    if (stores || until != policies->until)
        place = add_note(place, stores ? MARGAY_NOTE_STORE : MARGAY_NOTE_UNTIL,
                         until);
    policies->noted = true;
    policies->time = time;
    policies->until = until;
    return place;
}

/* Add a request with its notes, at most REQUEST_WORDS. */
static uint32_t *add_request(struct object_policies *policies,
                             const struct margay_span *span, size_t from,
                             uint32_t number, uint32_t *place)
{
    uint64_t size = span->sizes[from];
    if (number == policies->object_count) {
        policies->first_bytes[policies->object_count++] = size;
    } else if (size != policies->object_bytes[number]) {
        place = add_note(place, MARGAY_NOTE_SIZE, size);
        policies->noted = true;
    }
    policies->object_bytes[number] = size;
    if (span->times != NULL && (policies->ages || span->ttls != NULL))
        place = note_times(policies, span, from, place);
    *place = number;
    return place + 1;
}

/* Number the first `count` requests that have been picked, and keep them. */
static enum margay_status keep(struct object_policies *policies,
                               const struct margay_span *span, size_t count,
                               struct margay_error *error)
{
    uint32_t *place, *end;
    enum margay_status status = reserve_sizes(policies, count, error);
    if (status == MARGAY_OK)
        status = margay_history_reserve(&policies->history,
                                        count * REQUEST_WORDS, &place, error);
    if (status == MARGAY_OK)
        status = margay_numbering_feed(policies->numbering, policies->picked,
                                       count, policies->numbers, error);
    if (status != MARGAY_OK)
        return status;
    end = place;
    for (size_t i = 0; i < count; i++)
        end = add_request(policies, span, policies->picked_from[i],
                          policies->numbers[i], end);
    margay_history_add(&policies->history, (size_t)(end - place));
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
        .object_bytes = policies->first_bytes,
        .noted = policies->noted,
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
    for (size_t i = 0; i < policies->rows.count; i++)
        policies->rows.list[i].simulated |= policies->noted;
    policies->rows.simulates |= policies->noted;
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
    policies->ages = options->ages;
    policies->ttl_seconds = options->ttl_seconds;
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
