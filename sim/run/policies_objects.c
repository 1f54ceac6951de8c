/*
 * policies_objects.c - the curves of several policies for objects with sizes
 *
 * Algorithm: the engine of objects (objects.c) is fed, too; its curve is that
 *   of LRU and says which sizes there are.  The other policies are simulated at
 *   each of these in the end, as those of blocks are (policies.c): objects are
 *   numbered on the way, and the requests kept.  Notes among them say where an
 *   object's size changes, where it is deleted, after which it comes back as
 *   another one, what time it is, and when that expires which is stored now:
 *   each cache knows by itself what it stored when.  The engine does not, nor
 *   has it the room of what was deleted, so that LRU is simulated as well where
 *   there are notes.
 *
 * Guarantee: exact without a sample.  Results do not depend on threads.
 *
 * Cost: that of the engine; 4 bytes for each request and 12 for each note, kept
 *   as those of blocks are; 16 bytes for each object and the table of numbers;
 *   and the state of one simulation for each thread.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "sim/run/policies_replay.h"
#include "sim/run/series.h"
#include "sim/run/spans.h"
#include <margay/questions.h>

#define REQUEST_WORDS (3 * MARGAY_NOTE_WORDS + 1) /* at most */

struct object_policies_question {
    margay_question question;
    struct margay_object_policies_request request;
    struct margay_policy_rows rows; /* the list is owned */
    struct margay_sizes grid;
    struct margay_sample sample;
    bool ages; /* all objects expire after a number of seconds */
    uint64_t ttl_seconds;
};

struct object_policies {
    margay_analysis analysis;
    const struct object_policies_question *asked;
    margay_crew *crew;
    const struct margay_watch *watch;

    margay_numbering *numbering;
    uint64_t *first_bytes, *object_bytes; /* [number]: at first, and now */
    size_t object_count, object_room;
    struct margay_history history;
    uint64_t uncounted; /* of its words, those of a warm-up */
    bool noted;         /* anything, and last of times: */
    uint64_t time, until;
    /* What of a span goes there next. */
    uint64_t picked[MARGAY_SPAN_REFS];
    size_t picked_from[MARGAY_SPAN_REFS]; /* entries of the span */
    uint32_t numbers[MARGAY_SPAN_REFS];

    struct margay_series_point *points; /* [policy][size] */
    size_t size_count;
};

static struct object_policies *self(const margay_analysis *analysis)
{
    return (struct object_policies *)analysis;
}

static void object_policies_free(margay_analysis *analysis)
{
    struct object_policies *policies = self(analysis);
    free(policies->points);
    margay_crew_free(policies->crew);
    margay_numbering_free(policies->numbering);
    margay_history_end(&policies->history);
    free(policies->first_bytes);
    free(policies->object_bytes);
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
    uint64_t time = span->times[from], ttl = policies->asked->ttl_seconds;
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
    if (span->times != NULL && (policies->asked->ages || span->ttls != NULL))
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

/* An object is deleted. */
static enum margay_status drop(struct object_policies *policies,
                               uint64_t object, struct margay_error *error)
{
    uint32_t *place;
    uint32_t number = margay_numbering_forget(policies->numbering, object);
    if (number == UINT32_MAX)
        return MARGAY_OK;
    enum margay_status status = margay_history_reserve(
        &policies->history, MARGAY_NOTE_WORDS, &place, error);
    if (status != MARGAY_OK)
        return status;
    add_note(place, MARGAY_NOTE_DROP, number);
    margay_history_add(&policies->history, MARGAY_NOTE_WORDS);
    policies->noted = true;
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
        if (margay_sample_hash(object, sample->key) > sample->limit)
            continue;
        if (span->ops != NULL && span->ops[i] == MARGAY_DELETE) {
            status = keep(policies, span, picked, error);
            if (status == MARGAY_OK)
                status = drop(policies, object, error);
            picked = 0;
            continue;
        }
        policies->picked[picked] = object;
        policies->picked_from[picked++] = i;
    }
    return status == MARGAY_OK ? keep(policies, span, picked, error) : status;
}

static enum margay_status object_policies_reset(margay_analysis *analysis,
                                                struct margay_error *error)
{
    struct object_policies *policies = self(analysis);
    policies->uncounted = margay_history_count(&policies->history);
    (void)error;
    return MARGAY_OK;
}

/* --------------------------------------------------------------- curves -- */

/* Of a sample, what caches have that are larger by as much. */
static void scale_points(const struct margay_replay *replay,
                         const struct margay_sample *sample,
                         const struct margay_series *lru)
{
    for (size_t i = 0; i < replay->rows->count * replay->size_count; i++) {
        const struct margay_series_point *of_lru =
            &lru->points[i % replay->size_count];
        struct margay_series_point *point = &replay->points[i];
        bool simulated = replay->noted ||
                         replay->rows->list[i / replay->size_count].simulated;
        if (!simulated) {
            *point = *of_lru;
        } else if (point->size != 0) {
            point->size = of_lru->size;
            point->misses =
                margay_policies_scaled(sample, point->misses, lru->references);
            point->missed_bytes = margay_policies_scaled(
                sample, point->missed_bytes, lru->reference_bytes);
        }
    }
}

/* The curves at the sizes of the points of LRU.  With notes LRU is simulated,
   too. */
static enum margay_status make_curves(void *context,
                                      const struct margay_series *lru,
                                      struct margay_error *error)
{
    struct object_policies *policies = context;
    const struct margay_policy_rows *rows = &policies->asked->rows;
    size_t count = lru->count;
    uint64_t *sizes = calloc(count + 1, sizeof *sizes);
    policies->points = margay_series_room(count * rows->count, error);
    policies->size_count = count;
    const struct margay_replay replay = {
        .history = &policies->history,
        .uncounted = policies->uncounted,
        .blocks = margay_numbering_count(policies->numbering),
        .object_bytes = policies->first_bytes,
        .noted = policies->noted,
        .rows = rows,
        .sizes = sizes,
        .size_count = count,
        .seed = policies->asked->request.seed,
        .crew = policies->crew,
        .watch = policies->watch,
        .points = policies->points,
    };
    enum margay_status status = MARGAY_OK;
    if (sizes == NULL || policies->points == NULL)
        status = margay_fail_memory(error, "the curves");
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        sizes[i] = margay_policies_sampled(&policies->asked->sample,
                                           lru->points[i].size);
    if (status == MARGAY_OK)
        status = margay_policies_replay(&replay, error);
    if (status == MARGAY_OK)
        scale_points(&replay, &policies->asked->sample, lru);
    free(sizes);
    return status;
}

static enum margay_status object_policies_look(margay_analysis *analysis,
                                               struct margay_error *error)
{
    struct object_policies *policies = self(analysis);
    free(policies->points);
    policies->points = NULL;
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
    for (size_t i = 0; i < policies->asked->rows.count && status == MARGAY_OK;
         i++) {
        struct margay_series series;
        margay_objects_describe(margay_objects_analysis_engine(analysis->next),
                                &series);
        series.policy = policies->asked->rows.list[i].spec;
        status = margay_series_give(&series,
                                    policies->points == NULL
                                        ? NULL
                                        : policies->points +
                                              i * policies->size_count,
                                    policies->size_count, take, context, error);
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
    own->watch = share->watch;
    margay_history_begin(&own->history, own->asked->request.directory,
                         MARGAY_HISTORY_HELD);
    enum margay_status status = margay_numbering_create(&own->numbering, error);
    return status == MARGAY_OK
               ? margay_crew_create(share->threads, &own->crew, error)
               : status;
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

static void question_free(margay_question *question)
{
    free(((struct object_policies_question *)question)->rows.list);
    free(question);
}

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
    made->question.functions = &functions;
    made->question.free = question_free;
    made->request = *request;
    made->sample = margay_sample_of(options->rate, options->seed);
    made->ages = options->ages;
    made->ttl_seconds = options->ttl_seconds;
    made->grid = *options->curve;
    measured.curve = &made->grid;
    enum margay_status status =
        margay_policies_read(request->policies, request->policy_count,
                             MARGAY_CACHES_OF_OBJECTS, &made->rows, error);
    made->grid = margay_policies_sizes(made->grid, made->rows.simulates);
    if (status == MARGAY_OK)
        status = margay_objects_question(&measured, NULL, &made->question.next,
                                         error);
    if (status == MARGAY_OK) {
        made->question.can = made->question.next->can;
        made->question.name = made->question.next->name;
        *question = &made->question;
    } else {
        margay_question_free(&made->question);
    }
    return status;
}
