/*
 * policies_objects.c - the curves of several policies for objects with sizes
 *
 * Algorithm: the engine of objects (objects.c) is fed, too; its curve is that
 *   of LRU and says which sizes there are.  The other policies are simulated at
 *   each of these in the end, as those of blocks are (policies.c): objects are
 *   numbered on the way, and the requests kept.  Notes among them change an
 *   object's size, delete it, after which it comes back as another one, or set
 *   the time and the expiry of stores: each cache keeps the expiry of its own
 *   copies.  The engine cannot, and deleted objects keep their room there, so
 *   LRU is simulated as well where there are such notes, or more than misses is
 *   counted.  The cost of a miss is noted where it differs from the request
 *   before.
 *
 * Guarantee: exact without a sample.  Results do not depend on threads.
 *
 * Cost: that of the engine; 4 bytes for each request and 12 for each note, kept
 *   as those of blocks are; 16 bytes for each object and the table of numbers;
 *   and the state of one simulation for each thread.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "sim/run/policies_replay.h"
#include "sim/run/series.h"
#include "sim/run/spans.h"
#include <margay/questions.h>

#define REQUEST_WORDS (4 * MARGAY_NOTE_WORDS + 1) /* at most */

struct object_policies_question {
    struct margay_policies_question base;
    struct margay_object_policies_request request;
    struct margay_sizes grid;
    struct margay_sample sample;
    bool ages; /* all objects expire after a number of seconds */
    uint64_t ttl_seconds, half_life_refs;
};

struct object_policies {
    margay_analysis analysis;
    const struct object_policies_question *asked;
    struct margay_replay replay;
    uint64_t *first_bytes, *object_bytes; /* [number]: at first, and now */
    size_t object_count, first_room, object_room;
    uint64_t time, until, cost; /* that were noted last */
    uint64_t all_cost;          /* of all requests */
    uint64_t piece_refs;        /* of a piece that has begun */
    /* The next part of a span. */
    uint64_t picked[MARGAY_SPAN_REFS];
    size_t picked_from[MARGAY_SPAN_REFS]; /* entries of the span */
    uint32_t numbers[MARGAY_SPAN_REFS];
};

static struct object_policies *self(const margay_analysis *analysis)
{
    return (struct object_policies *)analysis;
}

static void object_policies_free(margay_analysis *analysis)
{
    struct object_policies *policies = self(analysis);
    margay_replay_free(&policies->replay);
    free(policies->first_bytes);
    free(policies->object_bytes);
}

/* -------------------------------------------------------------- feeding -- */

static enum margay_status reserve_sizes(struct object_policies *policies,
                                        size_t count,
                                        struct margay_error *error)
{
    if (margay_numbering_count(policies->replay.numbering) + count >
        MARGAY_MOST_OBJECTS)
        return margay_fail(error, MARGAY_NO_MEMORY,
                           "2^31 objects are too many to simulate");
    return MARGAY_MAKE_ROOM(policies->first_bytes, policies->object_count,
                            count, policies->first_room) &&
                   MARGAY_MAKE_ROOM(policies->object_bytes,
                                    policies->object_count, count,
                                    policies->object_room)
               ? MARGAY_OK
               : margay_fail_memory(error, "the sizes of objects");
}

/* Note the time of a request, and the expiry of its store. */
static uint32_t *note_times(struct object_policies *policies,
                            const struct margay_span *span, size_t from,
                            uint32_t *place)
{
    uint64_t time = span->times[from], ttl = policies->asked->ttl_seconds;
    bool stores = span->ops != NULL && span->ops[from] == MARGAY_SET;
    struct margay_noted *noted = &policies->replay.noted;
    if (ttl == UINT64_MAX && span->ttls != NULL)
        ttl = span->ttls[from];
    uint64_t until = margay_time_after(time, ttl);
    if (time != policies->time)
        place += margay_note(place, MARGAY_NOTE_TIME, time);
    if (stores || until != policies->until)
        place += margay_note(
            place, stores ? MARGAY_NOTE_STORE : MARGAY_NOTE_UNTIL, until);
    noted->any = true;
    noted->whole_seconds &= time % MARGAY_SECOND == 0;
    noted->last_time = margay_maximum(noted->last_time, time);
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
    struct margay_noted *noted = &policies->replay.noted;
    if (number == policies->object_count) {
        policies->first_bytes[policies->object_count++] = size;
    } else if (size != policies->object_bytes[number]) {
        place += margay_note(place, MARGAY_NOTE_SIZE, size);
        noted->any = true;
    }
    policies->object_bytes[number] = size;
    noted->most_bytes = margay_maximum(noted->most_bytes, size);
    if (span->times != NULL && (policies->asked->ages || span->ttls != NULL)) {
        place = note_times(policies, span, from, place);
    } else if (span->ops != NULL && span->ops[from] == MARGAY_SET &&
               policies->asked->request.counters != 0) {
        place += margay_note(place, MARGAY_NOTE_STORE, policies->until);
        noted->any = true;
    }
    if (span->costs != NULL && span->costs[from] != policies->cost) {
        policies->cost = span->costs[from];
        place += margay_note(place, MARGAY_NOTE_COST, policies->cost);
        noted->most_cost = margay_maximum(noted->most_cost, policies->cost | 1);
    }
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
        status = margay_history_reserve(&policies->replay.history,
                                        count * REQUEST_WORDS, &place, error);
    if (status == MARGAY_OK)
        status =
            margay_numbering_feed(policies->replay.numbering, policies->picked,
                                  count, policies->numbers, error);
    if (status != MARGAY_OK)
        return status;
    end = place;
    for (size_t i = 0; i < count; i++)
        end = add_request(policies, span, policies->picked_from[i],
                          policies->numbers[i], end);
    margay_history_add(&policies->replay.history, (size_t)(end - place));
    return MARGAY_OK;
}

/* An object is deleted. */
static enum margay_status drop(struct object_policies *policies,
                               uint64_t object, struct margay_error *error)
{
    uint32_t *place;
    uint32_t number =
        margay_numbering_forget(policies->replay.numbering, object);
    if (number == UINT32_MAX)
        return MARGAY_OK;
    enum margay_status status = margay_history_reserve(
        &policies->replay.history, MARGAY_NOTE_WORDS, &place, error);
    if (status != MARGAY_OK)
        return status;
    margay_history_add(&policies->replay.history,
                       margay_note(place, MARGAY_NOTE_DROP, number));
    policies->replay.noted.any = true;
    return MARGAY_OK;
}

static enum margay_status object_policies_feed(margay_analysis *analysis,
                                               const struct margay_span *span,
                                               struct margay_error *error)
{
    struct object_policies *policies = self(analysis);
    const struct margay_sample *sample = &policies->asked->sample;
    enum margay_status status =
        margay_analysis_feed(analysis->next, span, error);
    size_t picked = 0;
    for (size_t i = 0; i < span->count && status == MARGAY_OK; i++) {
        uint64_t object = span->blocks[i];
        bool taken = margay_sample_hash(object, sample->key) <= sample->limit;
        bool deletes = span->ops != NULL && span->ops[i] == MARGAY_DELETE;
        bool ends =
            !deletes && ++policies->piece_refs == policies->replay.piece_refs;
        if (span->costs != NULL &&
            !margay_add_u64(policies->all_cost, span->costs[i],
                            &policies->all_cost))
            return margay_fail(error, MARGAY_BAD_INPUT,
                               "%s: costs that are over 64 bits together",
                               analysis->pass->trace);
        policies->picked[picked] = object;
        policies->picked_from[picked] = i;
        picked += taken && !deletes;
        if (ends || (taken && deletes)) {
            status = keep(policies, span, picked, error);
            picked = 0;
        }
        if (status == MARGAY_OK && taken && deletes)
            status = drop(policies, object, error);
        if (status == MARGAY_OK && ends) {
            status = margay_replay_end_piece(&policies->replay, error);
            policies->piece_refs = 0;
        }
    }
    return status == MARGAY_OK ? keep(policies, span, picked, error) : status;
}

static enum margay_status object_policies_reset(margay_analysis *analysis,
                                                struct margay_error *error)
{
    (void)error;
    margay_replay_reset(&self(analysis)->replay);
    self(analysis)->all_cost = self(analysis)->piece_refs = 0;
    return MARGAY_OK;
}

/* --------------------------------------------------------------- curves -- */

/* The curves at the sizes of the points of LRU. */
static enum margay_status make_curves(void *context,
                                      const struct margay_series *lru,
                                      struct margay_error *error)
{
    struct object_policies *policies = context;
    struct margay_replay *replay = &policies->replay;
    struct margay_series all = *lru;
    all.reference_cost = policies->all_cost;
    replay->object_bytes = policies->first_bytes;
    enum margay_status status = margay_replay_run(replay, &all, error);
    for (size_t i = 0; i < replay->rows->count && status == MARGAY_OK; i++) {
        if (!margay_replay_simulates(replay, i))
            memcpy(replay->points + i * lru->count, lru->points,
                   lru->count * sizeof *lru->points);
    }
    return status;
}

static enum margay_status object_policies_look(margay_analysis *analysis,
                                               struct margay_error *error)
{
    struct object_policies *policies = self(analysis);
    return margay_analysis_series(analysis->next, &policies->asked->grid,
                                  make_curves, policies, error);
}

static enum margay_status object_policies_series(
    margay_analysis *analysis, const struct margay_sizes *sizes,
    margay_series_take *take, void *context, struct margay_error *error)
{
    const struct object_policies *policies = self(analysis);
    enum margay_status status = MARGAY_OK;
    (void)sizes;
    for (size_t i = 0;
         i < policies->asked->base.rows.count && status == MARGAY_OK; i++) {
        struct margay_series series;
        margay_objects_describe(margay_objects_analysis_engine(analysis->next),
                                &series);
        series.policy = policies->asked->base.rows.list[i].spec;
        series.counters |= policies->asked->request.counters;
        status = margay_replay_give(&policies->replay, i, &series, take,
                                    context, error);
    }
    return status;
}

/* --------------------------------------------------------------- making -- */

static enum margay_status begin(margay_analysis *analysis,
                                const struct margay_share *share,
                                struct margay_error *error)
{
    struct object_policies *own = self(analysis);
    own->asked = (const struct object_policies_question *)analysis->question;
    own->replay.rows = &own->asked->base.rows;
    own->replay.sample = own->asked->sample;
    own->replay.seed = own->asked->request.seed;
    own->replay.counters = own->asked->request.counters;
    own->replay.half_life_refs = own->asked->half_life_refs;
    own->replay.noted.whole_seconds = true;
    own->cost = 1;
    return margay_replay_begin(&own->replay, share,
                               own->asked->request.directory, error);
}

static const struct margay_analysis_class functions = {
    .bytes = sizeof(struct object_policies),
    .begin = begin,
    .feed = object_policies_feed,
    .reset = object_policies_reset,
    .look = object_policies_look,
    .finish = object_policies_look,
    .series = object_policies_series,
    .free = object_policies_free,
};

enum margay_status margay_object_policies_question(
    const struct margay_objects_options *options,
    const struct margay_object_policies_request *request,
    margay_question **question, struct margay_error *error)
{
    struct object_policies_question *made = calloc(1, sizeof *made);
    struct margay_objects_options measured = *options;
    *question = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "the policies");
    margay_question *own = &made->base.question;
    own->functions = &functions;
    own->free = margay_policies_question_free;
    made->request = *request;
    made->sample = margay_sample_of(options->rate, options->seed);
    made->ages = options->ages;
    made->ttl_seconds = options->ttl_seconds;
    made->half_life_refs = options->half_life_refs;
    measured.curve = &made->grid;
    enum margay_status status =
        margay_policies_read(request->policies, request->policy_count,
                             MARGAY_CACHES_OF_OBJECTS, &made->base.rows, error);
    for (size_t i = 0; i < made->base.rows.count && status == MARGAY_OK; i++) {
        if (made->half_life_refs != 0 &&
            margay_policy_row_is_bound(&made->base.rows.list[i]))
            status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                                 "--policy %s: its bound holds where all "
                                 "requests count alike, not with --half-life",
                                 request->policies[i]);
    }
    made->grid = margay_policies_sizes(
        *options->curve, made->base.rows.simulates || request->counters != 0);
    if (status == MARGAY_OK)
        status = margay_objects_question(&measured, NULL, &own->next, error);
    if (status != MARGAY_OK) {
        margay_question_free(own);
        return status;
    }
    own->can = own->next->can;
    own->can.uses |= MARGAY_COLUMN_COSTS;
    if (request->counters & MARGAY_COUNTS_COSTS)
        own->can.needs |= MARGAY_COLUMN_COSTS;
    own->name = own->next->name;
    *question = own;
    return MARGAY_OK;
}
