/*
 * policies_future.c - bounds of the optimum of objects with sizes
 *
 * Which objects a cache of bytes should hold is costly to find even where the
 * future is known, as an object may make room for several.  Both bounds look at
 * *intervals*: a request, and the next one of its object, which hits if the
 * cache keeps the object for that time.  An interval costs its bytes times its
 * requests of what a cache has, which is its bytes times all requests.
 *
 * Algorithm: pfoo-l takes the cheapest intervals until their costs are all that
 *   the cache has, whenever they are.  pfoo-u takes them in the same order, but
 *   only those that fit all the time, with the object of each request in
 *   between; a tree over time knows the most that is taken in any stretch of
 *   it.  For bytes, the cheapest has the least cost for each byte of the
 *   request that hits.  An interval of more bytes than the cache has is never
 *   taken.  Where objects expire, pfoo-l takes objects that may be valid in
 *   some cache, and pfoo-u those valid in all.
 *
 * Source: Berger, Beckmann and Harchol-Balter, "Practical bounds on optimal
 *   caching with variable object sizes", SIGMETRICS 2018, for the first.  Their
 *   PFOO-U solves flows in windows of time; the second here takes intervals
 *   whole, and takes time logarithmic in their number for each.
 *
 * Guarantee: no cache has fewer misses, or missed bytes, than pfoo-l; one that
 * knows the future can have those of pfoo-u, even if it must store all that it
 * misses and has room for.  Requests and bytes each have a schedule of their
 * own.
 *
 * Cost: sorted once for all sizes.  36 bytes for each request, and for each
 *   thread 10 more with pfoo-u.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "sim/run/policies_replay.h"

#define MOST_REQUESTS ((uint64_t)1 << 31)

/* No sum of bytes in the tree reaches the end of its numbers. */
#define MOST_BYTES ((uint64_t)1 << 61)

struct interval {
    uint32_t from;
    uint32_t to : 31;
    uint32_t certain : 1; /* it has not expired in any cache */
    uint64_t bytes, gain; /* until the request that hits, and of that one */
};

struct margay_future {
    uint64_t requests, counted, counted_bytes; /* without the warm-up */
    uint64_t *sizes, *nexts;                   /* [request]; next one, or -1 */
    struct interval *intervals;                /* by their costs */
    uint32_t *by_bytes; /* their numbers, by their costs for each byte gained */
    size_t count, gaining; /* of these two */
};

void margay_future_free(struct margay_future *future)
{
    if (future == NULL)
        return;
    free(future->sizes);
    free(future->nexts);
    free(future->intervals);
    free(future->by_bytes);
    free(future);
}

const uint64_t *margay_future_nexts(const struct margay_future *future)
{
    return future->nexts;
}

/* ------------------------------------------------------------- intervals -- */

/* An object: its request before, its bytes since, and its expiry in the caches
   that stored it first and last. */
struct known {
    uint64_t last, bytes, early, late;
    bool asked;
};

/* The requests as they are read, with the values of notes. */
struct reading {
    struct margay_future *future;
    struct known *objects;
    uint64_t time, until;
    bool stores, counts;
};

/* Every cache stores an object at its first request, or a set, and if all its
   copies have expired; some caches store it at each request. */
static void expire(struct reading *reading, struct known *object)
{
    bool stores = reading->stores || !object->asked;
    uint64_t until = reading->until;
    if (stores || reading->time > object->early || until < object->early)
        object->early = until;
    if (stores || reading->time > object->late || until > object->late)
        object->late = until;
}

static void add_request(struct reading *reading, uint32_t number,
                        uint64_t new_bytes)
{
    struct margay_future *future = reading->future;
    struct known *object = &reading->objects[number];
    uint64_t now = future->requests++;
    uint64_t bytes = new_bytes == UINT64_MAX ? object->bytes : new_bytes;
    if (object->asked)
        future->nexts[object->last] = now;
    if (object->asked && reading->counts && reading->time <= object->late)
        future->intervals[future->count++] = (struct interval){
            .from = (uint32_t)object->last,
            .to = (uint32_t)now & INT32_MAX,
            .certain = reading->time <= object->early,
            .bytes = object->bytes,
            .gain = bytes,
        };
    expire(reading, object);
    object->asked = true;
    object->last = now;
    object->bytes = future->sizes[now] = bytes;
    future->nexts[now] = UINT64_MAX;
    reading->stores = false;
    future->counted += reading->counts;
    future->counted_bytes += reading->counts ? bytes : 0;
}

static enum margay_status read_all(const struct margay_replay *replay,
                                   struct reading *reading,
                                   struct margay_error *error)
{
    uint64_t from = 0, all = margay_history_count(&replay->history);
    uint64_t new_bytes = UINT64_MAX;
    uint32_t buffer[4096];
    while (from < all) {
        const uint32_t *words;
        size_t count, i = 0, most = all - from < 4096 ? all - from : 4096;
        enum margay_status status = margay_history_read(
            &replay->history, from, most, buffer, &words, &count, error);
        if (status != MARGAY_OK)
            return status;
        while (i < count && ((words[i] & MARGAY_NOTE) == 0 ||
                             count - i >= MARGAY_NOTE_WORDS)) {
            if ((words[i] & MARGAY_NOTE) != 0) {
                uint64_t value = words[i + 1] | (uint64_t)words[i + 2] << 32;
                if (words[i] == MARGAY_NOTE_SIZE)
                    new_bytes = value;
                else if (words[i] == MARGAY_NOTE_TIME)
                    reading->time = value;
                else if (words[i] == MARGAY_NOTE_UNTIL ||
                         words[i] == MARGAY_NOTE_STORE)
                    reading->until = value;
                reading->stores |= words[i] == MARGAY_NOTE_STORE;
                i += MARGAY_NOTE_WORDS;
                continue;
            }
            reading->counts = from + i >= replay->uncounted;
            add_request(reading, words[i++], new_bytes);
            new_bytes = UINT64_MAX;
        }
        from += i;
    }
    return MARGAY_OK;
}

static margay_u128 cost_of(const struct interval *interval)
{
    return (margay_u128)interval->bytes * (interval->to - interval->from);
}

static int compare_costs(const void *a, const void *b)
{
    margay_u128 one = cost_of(a), other = cost_of(b);
    return (one > other) - (one < other);
}

/* Where nothing is gained, the cost is infinite. */
static double cost_of_byte(const struct interval *interval)
{
    return (double)interval->bytes / (double)interval->gain *
           (interval->to - interval->from);
}

static int compare_bytes(const void *a, const void *b, void *intervals)
{
    const struct interval *all = intervals;
    double one = cost_of_byte(&all[*(const uint32_t *)a]);
    double other = cost_of_byte(&all[*(const uint32_t *)b]);
    return (one > other) - (one < other);
}

static void sort_intervals(struct margay_future *future)
{
    qsort(future->intervals, future->count, sizeof *future->intervals,
          compare_costs);
    for (size_t i = 0; i < future->count; i++) {
        if (future->intervals[i].gain > 0)
            future->by_bytes[future->gaining++] = (uint32_t)i;
    }
    qsort_r(future->by_bytes, future->gaining, sizeof *future->by_bytes,
            compare_bytes, future->intervals);
}

enum margay_status margay_future_create(const struct margay_replay *replay,
                                        struct margay_future **result,
                                        struct margay_error *error)
{
    uint64_t words = margay_history_count(&replay->history);
    struct margay_future *future = calloc(1, sizeof *future);
    struct reading reading = {.future = future};
    enum margay_status status = MARGAY_OK;
    *result = future;
    if (future == NULL)
        return margay_fail_memory(error, "the future");
    if (words >= MOST_REQUESTS)
        return margay_fail(error, MARGAY_NO_MEMORY,
                           "2^31 requests are too many to know the future of");
    status = margay_room_check("the future",
                               words * (sizeof(struct interval) + 20), error);
    if (status != MARGAY_OK)
        return status;
    future->sizes = calloc(words + 1, sizeof *future->sizes);
    future->nexts = calloc(words + 1, sizeof *future->nexts);
    future->intervals = calloc(words + 1, sizeof *future->intervals);
    future->by_bytes = calloc(words + 1, sizeof *future->by_bytes);
    reading.objects = calloc((size_t)replay->blocks + 1, sizeof(struct known));
    if (future->sizes == NULL || future->nexts == NULL ||
        future->intervals == NULL || future->by_bytes == NULL ||
        reading.objects == NULL)
        status = margay_fail_memory(error, "the future");
    for (uint32_t i = 0; i < replay->blocks && status == MARGAY_OK; i++)
        reading.objects[i].bytes = replay->object_bytes[i];
    if (status == MARGAY_OK)
        status = read_all(replay, &reading, error);
    free(reading.objects);
    if (status == MARGAY_OK)
        sort_intervals(future);
    return status;
}

/* Interval i in the order for requests, or for bytes; NULL = no more. */
static const struct interval *interval_at(const struct margay_future *future,
                                          size_t i, bool of_bytes)
{
    if (i == (of_bytes ? future->gaining : future->count))
        return NULL;
    return &future->intervals[of_bytes ? future->by_bytes[i] : i];
}

/* ------------------------------------------------------------ the bounds -- */

/* The most that hit, of requests or bytes.  Of the last interval for bytes a
   part may be taken. */
static uint64_t hits_below(const struct margay_future *future, uint64_t bytes,
                           bool of_bytes)
{
    margay_u128 left = (margay_u128)bytes * future->requests;
    const struct interval *at;
    uint64_t hits = 0;
    for (size_t i = 0; (at = interval_at(future, i, of_bytes)) != NULL; i++) {
        margay_u128 cost = cost_of(at);
        if (at->bytes > bytes)
            continue;
        if (cost > left) {
            double part = (double)left / (double)cost * (double)at->gain;
            return hits + (of_bytes ? (uint64_t)part + 1 : 0);
        }
        left -= cost;
        hits += of_bytes ? at->gain : 1;
    }
    return hits;
}

/* The bytes taken at each time, under levels of places, each of which stands
   for WIDTH of the level below.  A place has the difference of its maximum from
   that of its group of WIDTH, so the bytes at a time are the sum of its places
   from the top, which is one, and an interval is added to few places. */
#define WIDTH  8
#define LEVELS 12 /* WIDTH to the 11th is more than MOST_REQUESTS */

struct schedule {
    int64_t *places; /* owned */
    int64_t *levels[LEVELS];
    size_t counts[LEVELS], all; /* multiples of WIDTH */
    unsigned top;
};

static int64_t most_of(const int64_t *places, size_t from, size_t to,
                       int64_t most)
{
    for (size_t i = from; i < to; i++)
        most = places[i] > most ? places[i] : most;
    return most;
}

static void add_to(int64_t *places, size_t from, size_t to, int64_t bytes)
{
    for (size_t i = from; i < to; i++)
        places[i] += bytes;
}

/* Move the most of WIDTH places into the one above them; returns it. */
static int64_t raise(struct schedule *schedule, unsigned level, size_t above)
{
    int64_t *places = schedule->levels[level] + above * WIDTH;
    int64_t most = most_of(places, 0, WIDTH, INT64_MIN);
    add_to(places, 0, WIDTH, -most);
    schedule->levels[level + 1][above] += most;
    return most;
}

/* Is at most `room` taken at any time between two, exclusive? */
static bool fits(const struct schedule *schedule, size_t left, size_t right,
                 int64_t room)
{
    int64_t from_left = INT64_MIN / 2, from_right = INT64_MIN / 2;
    unsigned level = 0;
    if (schedule->levels[schedule->top][0] <= room)
        return true;
    for (; left / WIDTH != right / WIDTH; level++) {
        const int64_t *places = schedule->levels[level];
        from_left =
            most_of(places, left + 1, (left / WIDTH + 1) * WIDTH, from_left);
        from_right = most_of(places, right / WIDTH * WIDTH, right, from_right);
        left /= WIDTH;
        right /= WIDTH;
        from_left += schedule->levels[level + 1][left];
        from_right += schedule->levels[level + 1][right];
    }
    int64_t most = most_of(schedule->levels[level], left + 1, right,
                           from_left > from_right ? from_left : from_right);
    while (level < schedule->top) {
        left /= WIDTH;
        most += schedule->levels[++level][left];
    }
    return most <= room;
}

static void take_between(struct schedule *schedule, size_t left, size_t right,
                         int64_t bytes)
{
    unsigned level = 0;
    for (; left / WIDTH != right / WIDTH; level++) {
        int64_t *places = schedule->levels[level];
        add_to(places, left + 1, (left / WIDTH + 1) * WIDTH, bytes);
        add_to(places, right / WIDTH * WIDTH, right, bytes);
        left /= WIDTH;
        right /= WIDTH;
        raise(schedule, level, left);
        raise(schedule, level, right);
    }
    add_to(schedule->levels[level], left + 1, right, bytes);
    for (; level < schedule->top; level++) {
        left /= WIDTH;
        if (raise(schedule, level, left) == 0)
            return;
    }
}

static enum margay_status make_schedule(uint64_t requests,
                                        struct schedule *schedule,
                                        struct margay_error *error)
{
    size_t count = (size_t)requests;
    *schedule = (struct schedule){.top = 0};
    for (;; schedule->top++) {
        schedule->counts[schedule->top] = (count / WIDTH + 1) * WIDTH;
        schedule->all += schedule->counts[schedule->top];
        if (count <= 1)
            break;
        count = (count + WIDTH - 1) / WIDTH;
    }
    size_t bytes = schedule->all * sizeof(int64_t);
    enum margay_status status = margay_room_check("a schedule", bytes, error);
    if (status != MARGAY_OK)
        return status;
    schedule->places = malloc(bytes);
    if (schedule->places == NULL)
        return margay_fail_memory(error, "a schedule");
    int64_t *at = schedule->places;
    for (unsigned i = 0; i <= schedule->top; i++) {
        schedule->levels[i] = at;
        at += schedule->counts[i];
    }
    return MARGAY_OK;
}

/* At each request at least its own object takes room, if it is stored at
   all. */
static void plant(const struct margay_future *future, struct schedule *schedule,
                  uint64_t bytes)
{
    memset(schedule->places, 0, schedule->all * sizeof(int64_t));
    for (size_t i = 0; i < future->requests; i++)
        schedule->places[i] =
            future->sizes[i] <= bytes ? (int64_t)future->sizes[i] : 0;
    for (unsigned level = 0; level < schedule->top; level++) {
        for (size_t i = 0; i < schedule->counts[level] / WIDTH; i++)
            raise(schedule, level, i);
    }
}

/* The hits of a possible schedule. */
static uint64_t hits_of_schedule(const struct margay_future *future,
                                 struct schedule *schedule, uint64_t bytes,
                                 bool of_bytes)
{
    const struct interval *at;
    uint64_t hits = 0;
    plant(future, schedule, bytes);
    for (size_t i = 0; (at = interval_at(future, i, of_bytes)) != NULL; i++) {
        if (at->bytes > bytes || !at->certain)
            continue;
        if (at->to - at->from > 1) {
            if (!fits(schedule, at->from, at->to, (int64_t)(bytes - at->bytes)))
                continue;
            take_between(schedule, at->from, at->to, (int64_t)at->bytes);
        }
        hits += of_bytes ? at->gain : 1;
    }
    return hits;
}

enum margay_status margay_future_bound(const struct margay_future *future,
                                       bool upper,
                                       struct margay_series_point *point,
                                       struct margay_error *error)
{
    const uint64_t bytes =
        upper ? margay_minimum(point->size, MOST_BYTES) : point->size;
    uint64_t hits, hit_bytes;
    struct schedule schedule;
    if (!upper) {
        hits = hits_below(future, bytes, false);
        hit_bytes = hits_below(future, bytes, true);
    } else {
        enum margay_status status =
            make_schedule(future->requests, &schedule, error);
        if (status != MARGAY_OK)
            return status;
        hits = hits_of_schedule(future, &schedule, bytes, false);
        hit_bytes = hits_of_schedule(future, &schedule, bytes, true);
        free(schedule.places);
    }
    point->missed_cost = point->written_bytes = point->memory_hits =
        MARGAY_NO_COUNT;
    point->misses = future->counted - hits;
    point->missed_bytes = hit_bytes < future->counted_bytes
                              ? future->counted_bytes - hit_bytes
                              : 0;
    return MARGAY_OK;
}
