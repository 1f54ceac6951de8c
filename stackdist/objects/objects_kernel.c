/*
 * objects_kernel.c - the work of a request for an object
 *
 * Compiled once per processor level, with MARGAY_TARGET_SUFFIX naming it; the
 * table at the end is all that is visible outside.
 */
#include <string.h>

#include "stackdist/objects/objects.h"
#include "traces/traces_internal.h"

/* Requests between two looks for marks, and how many of these check only the
   last rows before one checks all. */
#define REFS_PER_LOOK 256
#define LOOKS_PER_ALL 16

/* ------------------------------------ which small caches hit (classes.h) -- */

/* The sizes of the two smallest that came after `moment`, and have not come
   with another size since. */
static inline void margay_classes_find_smallest(
    const struct margay_candidates *of, const struct margay_weights *weights,
    uint64_t moment, uint64_t smallest[2])
{
    unsigned found = 0;
    smallest[0] = smallest[1] = UINT64_MAX;
    for (size_t i = 0; i < of->count && found < 2; i++) {
        const struct margay_candidate *candidate = &of->list[i];
        if (candidate->moment > moment &&
            margay_weights_size(weights, candidate->moment) == candidate->size)
            smallest[found++] = candidate->size;
    }
}

/* ------------------------------------------------------------------ sums -- */

static inline void margay_classes_add_row(const struct margay_classes *classes,
                                          unsigned level, uint64_t row,
                                          uint64_t *sums)
{
    const uint64_t *from = classes->rows[level] + row * classes->classes;
    for (unsigned i = 0; i < classes->classes; i += 8) {
        for (unsigned k = 0; k < 8; k++)
            sums[i + k] += from[i + k];
    }
}

/* The bytes of each class that came after `moment`. */
static inline void margay_classes_sum_since(
    const struct margay_classes *classes, const struct margay_weights *weights,
    uint64_t moment, uint64_t sums[MARGAY_CLASSES_MOST])
{
    const unsigned fan = 1u << MARGAY_CLASSES_FAN;
    unsigned shift = MARGAY_CLASSES_SHIFT;
    uint64_t end = ((moment >> shift) + 1) << shift;
    memset(sums, 0, MARGAY_CLASSES_MOST * sizeof *sums);
    for (uint64_t i = moment + 1; i < end && i < weights->next; i++) {
        uint64_t size = margay_weights_size(weights, i);
        sums[margay_class_of(size)] += size;
    }
    for (unsigned level = 0; level < classes->levels; level++) {
        uint64_t row = (moment >> shift) + 1;
        uint64_t last = (weights->next - 1) >> shift;
        uint64_t stop = (row + fan - 1) & ~(uint64_t)(fan - 1);
        if (level + 1 == classes->levels || stop > last + 1)
            stop = last + 1;
        for (; row < stop; row++)
            margay_classes_add_row(classes, level, row, sums);
        shift += MARGAY_CLASSES_FAN;
    }
}

/* ----------------------------------------------------------------- marks -- */

/* How many rows of the lowest level the last rows are. */
#define LAST_ROWS 8

/* Find the marks anew, at the present moment: those before the last rows keep
   their old marks unless `all`. */
static inline void margay_classes_mark(struct margay_classes *classes,
                                       const struct margay_weights *weights,
                                       bool all)
{
    uint64_t sums[MARGAY_CLASSES_MOST] = {0}, beyond[MARGAY_CLASSES_MOST] = {0};
    unsigned shift = MARGAY_CLASSES_SHIFT;
    unsigned levels = all ? classes->levels : 1;
    const unsigned fan_mask = (1u << MARGAY_CLASSES_FAN) - 1;
    uint64_t row = (weights->next >> shift) + 1; /* the row after the last */
    uint64_t stop = all || row < LAST_ROWS ? 0 : row - LAST_ROWS;
    for (unsigned level = 0; level < levels; level++) {
        bool to_stop = level + 1 == levels;
        while (row > stop && (to_stop || (row & fan_mask) != 0)) {
            margay_classes_add_row(classes, level, --row, sums);
            /* Nothing before this moment can be in caches of class j: since
               then, 2^(j+1) bytes or more of the classes below have come. */
            uint64_t moment = row << shift;
            uint64_t below = 0;
            for (unsigned j = 0; j <= classes->largest; j++) {
                if (beyond[j] == 0 && below >> 1 >> j != 0)
                    beyond[j] = moment;
                below += sums[j];
            }
        }
        row >>= MARGAY_CLASSES_FAN;
        shift += MARGAY_CLASSES_FAN;
    }
    uint64_t least = UINT64_MAX;
    for (unsigned j = classes->largest + 1; j-- > 0;) {
        if (beyond[j] > classes->beyond[j])
            classes->beyond[j] = beyond[j];
        least = classes->beyond[j] < least ? classes->beyond[j] : least;
        classes->marks[j] = least;
    }
}

/* ------------------------------------------------------------------ hits -- */

/* The sizes in [from, to), after those that are in the list already. */
static inline size_t margay_classes_append(struct margay_interval *intervals,
                                           size_t count, uint64_t from,
                                           uint64_t to)
{
    if (from >= to)
        return count;
    if (count > 0 && intervals[count - 1].to == from) {
        intervals[count - 1].to = to;
        return count;
    }
    intervals[count] = (struct margay_interval){from, to};
    return count + 1;
}

/* The classes, as bits, of the caches that may hit an object of class `own`
   whose last use was at `moment` at a size below its distance: not beyond it,
   and an object of this class or a larger one has come since. */
static inline uint64_t margay_classes_asked(
    const struct margay_classes *classes, uint64_t moment, unsigned own)
{
    uint64_t asked = 0, latest = 0;
    for (unsigned j = classes->largest + 1; j-- > own;) {
        latest = margay_maximum(latest, classes->latest[j]);
        asked |= (uint64_t)(moment < latest && moment >= classes->beyond[j])
                 << j;
    }
    return asked;
}

/* The sizes of caches below `distance` of the classes `asked` that hit an
   object of this size whose last use was at `moment`, which still counts as
   such: writes *count intervals, ascending, to `intervals`, which has room for
   2 * MARGAY_CLASSES_MOST. */
static inline enum margay_status margay_classes_hits(
    struct margay_classes *classes, const struct margay_weights *weights,
    uint64_t moment, uint64_t size, uint64_t distance, uint64_t asked,
    struct margay_interval *intervals, size_t *count,
    struct margay_error *error)
{
    uint64_t sums[MARGAY_CLASSES_MOST];
    unsigned own = margay_class_of(size);
    uint64_t below = 0;
    enum margay_status status = MARGAY_OK;
    *count = 0;
    margay_classes_sum_since(classes, weights, moment, sums);
    for (unsigned j = 0; j < own; j++)
        below += sums[j];
    /* The sizes of class j end before `distance`, which is below 2^64. */
    for (unsigned j = own; asked >> j != 0 && distance >> j != 0; j++) {
        uint64_t first = UINT64_C(1) << j, end = distance;
        if (j < 63)
            end = margay_minimum(distance, first << 1);
        bool among = j == own && size > 0;
        uint64_t held = among ? below + size : below;
        if (held < end && (asked >> j & 1) != 0) {
            uint64_t smallest[2];
            status = margay_classes_settle(classes, j, error);
            if (status != MARGAY_OK)
                return status;
            margay_classes_find_smallest(&classes->candidates[j], weights,
                                         moment, smallest);
            *count = margay_classes_append(intervals, *count,
                                           margay_maximum(first, held),
                                           margay_minimum(end, smallest[0]));
            if (!among && smallest[0] < end)
                *count = margay_classes_append(
                    intervals, *count, smallest[0] + below,
                    margay_minimum(end, smallest[1]));
        }
        below = held + sums[j];
        if (j == 63)
            break;
    }
    return status;
}

/* ------------------------------------------------------------- look-ups -- */

/* Look up the moments of the last uses, 0 for none, and replace them by those
   of this piece.  Entries of the next piece, and memory for ranking, are
   prefetched; near the end of the requests this piece's entries are, which
   costs less than a branch. */
static __attribute__((noinline)) void look_up(
    struct margay_objects *objects, const struct margay_objects_piece *piece,
    uint64_t *past)
{
    const struct margay_requests *requests = piece->requests;
    const uint64_t *names = requests->objects + piece->from;
    const struct margay_hash hash = objects->hash;
    const struct margay_weights weights = objects->weights;
    size_t count = piece->count, fresh = 0;
    size_t ahead = requests->count - piece->from >= 2 * count ? count : 0;
    for (size_t i = 0; i < count; i++) {
        unsigned slot;
        margay_hash_prefetch(&hash, names[i + ahead]);
        struct margay_bucket *bucket = margay_hash_slot(&hash, names[i], &slot);
        uint64_t moment = margay_bucket_value(bucket, slot);
        past[i] = moment;
        fresh += moment == 0;
        bucket->keys[slot] = names[i];
        margay_bucket_set_value(bucket, slot, weights.next + i);
        __builtin_prefetch(&weights.low[moment], 1);
        __builtin_prefetch(&weights.low[moment ^ 16], 1);
        __builtin_prefetch(&weights.sums[0][moment >> 5], 1);
        __builtin_prefetch(&weights.sums[0][moment >> 5 ^ 8], 1);
    }
    objects->hash.entries += fresh;
}

/* Fetch the rows of classes, which depend on sizes that lie far apart. */
static __attribute__((noinline)) void fetch_rows(
    const struct margay_objects *objects, const uint64_t *past, size_t count)
{
    const struct margay_weights weights = objects->weights;
    const struct margay_classes *classes = &objects->classes;
    for (size_t i = 0; i < count; i++) {
        uint64_t row = past[i] >> MARGAY_CLASSES_SHIFT;
        unsigned class =
            margay_class_of(margay_weights_size(&weights, past[i]));
        if (margay_classes_asks(classes, past[i], class))
            __builtin_prefetch(
                &classes->rows[0][row * classes->classes + class], 1);
    }
}

/* -------------------------------------------------------------- counting -- */

static enum margay_status fail_total(const struct margay_objects *objects,
                                     const char *what, size_t i,
                                     struct margay_error *error)
{
    return margay_fail_total(what, objects->fed + i + 1, error);
}

static void count(struct margay_steps *steps, uint64_t position, uint64_t refs,
                  uint64_t bytes)
{
    struct margay_step *step = margay_steps_at(steps, position);
    step->refs += refs;
    step->bytes += bytes;
}

#define INTERVALS (2 * MARGAY_CLASSES_MOST + 1 + MARGAY_OBJECTS_AGES)

/* Count hits in caches of these intervals, ascending and apart.  Without ages,
   one reaches from the distance on; the others are of caches that larger
   objects bypass. */
struct hits {
    uint64_t distance;
    uint64_t stand; /* requests that it stands for */
    bool far;       /* the distance is above the bound */
    bool doubtful;
    size_t count;
    struct margay_interval list[INTERVALS];
};

/* No cache beyond the reach of the object hits, and none beyond the bound is
   wanted. */
static void bound_hits(const struct margay_bound *bound, uint64_t moment,
                       struct hits *hits)
{
    uint64_t reach = bound->count == 0 || moment > bound->reaches[0].moment
                         ? bound->bytes
                         : margay_bound_find_reach(bound, moment);
    size_t count = 0;
    hits->far =
        hits->distance > reach || reach < bound->bytes || moment < bound->large;
    for (size_t i = 0; i < hits->count; i++) {
        struct margay_interval interval = hits->list[i];
        if (interval.to > reach)
            interval.to = reach + 1;
        if (interval.from < interval.to)
            hits->list[count++] = interval;
    }
    hits->count = count;
}

/* Where sizes have changed, hits below the distance may be misses, but not in
   caches that no object is larger than: these are misses. */
static void doubt_hits(const struct margay_classes *classes, uint64_t moment,
                       struct hits *hits)
{
    struct margay_interval *last = &hits->list[hits->count - 1];
    unsigned largest = margay_class_of(last->to - 1);
    bool doubted = false;
    for (unsigned j = 0; j <= largest; j++)
        doubted |= classes->changed[j] > moment;
    if (!doubted)
        return;
    while (hits->count > 0 && last->from >= classes->largest_size) {
        hits->count--;
        last--;
    }
    hits->doubtful = hits->count > 0;
    if (hits->doubtful && last->to > classes->largest_size)
        last->to = classes->largest_size;
}

static enum margay_status find_hits(struct margay_objects *objects,
                                    uint64_t moment, uint64_t size,
                                    struct hits *hits,
                                    struct margay_error *error)
{
    const struct margay_weights *weights = &objects->weights;
    struct margay_classes *classes = &objects->classes;
    uint64_t distance = weights->total -
                        margay_weights_before(weights, moment) +
                        margay_slack_of(&objects->slack, moment);
    unsigned class = margay_class_of(size);
    uint64_t asked = 0;
    enum margay_status status = MARGAY_OK;
    hits->far = hits->doubtful = false;
    hits->count = 0;
    if (objects->samples)
        /* The object itself is there once, and not as often as it stands. */
        distance -= size * (objects->kept[moment].stand - UINT64_C(1));
    hits->distance = distance;
    if (objects->has_classes && distance != size &&
        moment >= classes->marks[class])
        asked = margay_classes_asked(classes, moment, class);
    if (asked != 0)
        status = margay_classes_hits(classes, weights, moment, size, distance,
                                     asked, hits->list, &hits->count, error);
    if (hits->count > 0 && classes->changes)
        doubt_hits(classes, moment, hits);
    hits->list[hits->count++] =
        (struct margay_interval){distance == 0 ? 1 : distance, UINT64_MAX};
    if (objects->bound.bytes != 0)
        bound_hits(&objects->bound, moment, hits);
    return status;
}

/* ------------------------------------------------------------------ ages -- */

/* Ages that are being made, with room for one too many. */
struct new_ages {
    uint64_t from[MARGAY_OBJECTS_AGES + 1], until[MARGAY_OBJECTS_AGES + 1];
    size_t count;
    bool merged;
};

/* From caches of this size on, copies are valid up to then.  Where that is one
   too many, the two neighbours that are nearest in time get the age that the
   larger caches have: that of the largest is always right. */
static void add_age(struct new_ages *ages, uint64_t from, uint64_t until)
{
    size_t nearest = 0;
    uint64_t least = UINT64_MAX;
    if (ages->count > 0 && ages->until[ages->count - 1] == until)
        return;
    ages->from[ages->count] = from;
    ages->until[ages->count++] = until;
    if (ages->count <= MARGAY_OBJECTS_AGES)
        return;
    for (size_t i = 0; i < MARGAY_OBJECTS_AGES; i++) {
        uint64_t a = ages->until[i], b = ages->until[i + 1];
        uint64_t apart = a > b ? a - b : b - a;
        nearest = apart < least ? i : nearest;
        least = apart < least ? apart : least;
    }
    ages->merged = true;
    ages->count--;
    for (size_t i = nearest; i < MARGAY_OBJECTS_AGES; i++) {
        ages->until[i] = ages->until[i + 1];
        if (i > nearest)
            ages->from[i] = ages->from[i + 1];
    }
}

/* Find the part of `hits` whose copies are valid at this time; a copy that is
   stored anew, or by a set, is valid until `fresh`. */
static inline void keep_valid(const struct margay_ages *old,
                              const struct hits *hits, uint64_t time, bool sets,
                              uint64_t fresh, struct hits *valid,
                              struct new_ages *now)
{
    uint64_t end = 0;
    valid->count = 0;
    for (size_t k = 0; k < hits->count; k++) {
        const struct margay_interval *all = &hits->list[k];
        if (end < all->from)
            add_age(now, end, fresh);
        end = all->to;
        for (size_t a = 0; a < MARGAY_OBJECTS_AGES && old->from[a] < end; a++) {
            bool last = a + 1 == MARGAY_OBJECTS_AGES;
            uint64_t from = margay_maximum(old->from[a], all->from);
            uint64_t to =
                margay_minimum(last ? UINT64_MAX : old->from[a + 1], end);
            if (from >= to)
                continue;
            bool is_valid = time <= old->until[a];
            add_age(now, from, is_valid && !sets ? old->until[a] : fresh);
            if (is_valid)
                valid->list[valid->count++] =
                    (struct margay_interval){from, to};
        }
    }
    if (end != UINT64_MAX)
        add_age(now, end, fresh);
}

/* Remove the hits of copies that are no longer valid at this moment.  A stored
   object gets the ages of the request. */
static void expire(struct margay_objects *objects,
                   const struct margay_requests *requests, size_t i,
                   uint64_t past, struct hits *hits)
{
    struct margay_ages *stored = &objects->ages[objects->weights.next];
    struct new_ages now = {.count = 0};
    struct hits valid;
    uint64_t time = requests->times[i], ttl = objects->options.ttl_seconds;
    bool sets = requests->ops != NULL && requests->ops[i] == MARGAY_SET;
    if (ttl == UINT64_MAX && requests->ttls != NULL)
        ttl = requests->ttls[i];
    uint64_t fresh = ttl > UINT64_MAX - time ? UINT64_MAX : time + ttl;
    if (past == 0)
        hits->count = 0;
    keep_valid(&objects->ages[past], hits, time, sets, fresh, &valid, &now);
    for (size_t k = 0; k < MARGAY_OBJECTS_AGES; k++) {
        stored->from[k] = k < now.count ? now.from[k] : UINT64_MAX;
        stored->until[k] = now.until[k];
    }
    objects->counts.merged += now.merged;
    if (past == 0)
        return;
    /* The distance is the smallest cache from the old one on that hits. */
    uint64_t distance = hits->distance;
    hits->distance = MARGAY_INFINITE;
    hits->count = valid.count;
    for (size_t k = valid.count; k-- > 0;) {
        hits->list[k] = valid.list[k];
        if (valid.list[k].to > distance)
            hits->distance =
                valid.list[k].from > 1 ? valid.list[k].from : distance;
    }
}

/* -------------------------------------------------------------- samples -- */

/* The object of request i, which stood for `stand` at `past`, is in front. */
static enum margay_status pass_front(struct margay_objects *objects,
                                     const struct margay_requests *requests,
                                     size_t i, uint64_t past, uint64_t stand,
                                     struct margay_error *error)
{
    struct margay_front *front = &objects->front;
    objects->kept[objects->weights.next - 1] =
        (struct margay_kept){requests->objects[i], 1, false};
    front->stands += 1 - stand;
    front->objects += past < front->from;
    return front->objects > front->most
               ? margay_front_leave(front, objects->kept, &objects->weights,
                                    objects->fed + i + 1, error)
               : MARGAY_OK;
}

/* --------------------------------------------------------------- storing -- */

/* Put the object in its place as the latest, where it had `own` bytes at
   `past`. */
static enum margay_status put(struct margay_objects *objects, uint64_t size,
                              uint64_t past, uint64_t own,
                              struct margay_error *error)
{
    struct margay_classes *classes = &objects->classes;
    uint64_t moment = margay_weights_put(&objects->weights, size);
    if (!objects->has_classes)
        return MARGAY_OK;
    unsigned class = margay_class_of(own);
    if (own != 0 && margay_classes_asks(classes, past, class))
        margay_classes_add(classes, past, class, -own);
    if (size == 0)
        return MARGAY_OK;
    class = margay_class_of(size);
    margay_classes_add(classes, moment, class, size);
    enum margay_status status = MARGAY_OK;
    if (classes->arrived[class] == MARGAY_CLASSES_ARRIVALS)
        status = margay_classes_settle(classes, class, error);
    classes->arrivals[MARGAY_CLASSES_ARRIVALS * class +
                      classes->arrived[class]++] =
        (struct margay_arrival){size, past, moment};
    classes->latest[class] = moment;
    return status;
}

/* An object that had `own` bytes has others: is there room to count them? */
static enum margay_status fit_size(struct margay_objects *objects, uint64_t own,
                                   uint64_t size, size_t i,
                                   struct margay_error *error)
{
    struct margay_weights *weights = &objects->weights;
    struct margay_bound *bound = &objects->bound;
    enum margay_status status = MARGAY_OK;
    if (bound->bytes != 0 && size > bound->bytes)
        bound->large = weights->next;
    if (size > own && size - own >= UINT64_MAX - weights->total)
        return fail_total(
            objects, objects->samples ? MARGAY_ESTIMATED("objects") : "objects",
            i, error);
    if (size > objects->classes.largest_size)
        objects->classes.largest_size = size;
    if (size >> 32 != 0 && weights->high == NULL)
        status = margay_weights_widen(weights, error);
    if (status == MARGAY_OK && objects->has_classes &&
        margay_class_of(size) > objects->classes.largest)
        status = margay_classes_fit(&objects->classes, weights,
                                    margay_class_of(size), error);
    return status;
}

/* Another size than at `past`.  A sample takes distances as they are, and has
   no slack. */
static enum margay_status resize(struct margay_objects *objects, uint64_t past,
                                 uint64_t own, uint64_t size, uint64_t stand,
                                 size_t i, struct margay_error *error)
{
    struct margay_classes *classes = &objects->classes;
    uint64_t *changed = &classes->changed[margay_class_of(own)];
    enum margay_status status = fit_size(objects, own, size, i, error);
    objects->counts.resized += stand;
    objects->counts.shrunk += size < own ? stand : 0;
    if (objects->samples)
        return status;
    classes->changes = true;
    *changed = margay_maximum(*changed, past);
    if (size > own || status != MARGAY_OK)
        return status;
    objects->most_bytes =
        margay_maximum(objects->most_bytes, objects->weights.total);
    return margay_objects_make_slack(objects, error);
}

/* Find the hits of a request of an object that was last used at `past`.  An
   object that no cache up to a bound has is forgotten: its bytes stay where
   they are, and *past becomes 0. */
static enum margay_status find_object(struct margay_objects *objects,
                                      uint64_t *past, uint64_t *own,
                                      struct hits *hits,
                                      struct margay_error *error)
{
    *own = margay_weights_size(&objects->weights, *past);
    hits->stand = 1;
    if (objects->samples) {
        hits->stand = objects->kept[*past].stand;
        if (hits->stand > 1)
            *own /= hits->stand;
        objects->most_bytes =
            margay_maximum(objects->most_bytes, objects->weights.total);
    }
    enum margay_status status = find_hits(objects, *past, *own, hits, error);
    if (hits->count == 0) {
        *past = *own = 0;
        objects->bound.exceeded = true;
    }
    return status;
}

/* Count a request of an object that is known, and its distance. */
static enum margay_status count_known(struct margay_objects *objects,
                                      const struct hits *hits, uint64_t size,
                                      uint64_t *distance, size_t i,
                                      struct margay_error *error)
{
    struct margay_objects_counts *counts = &objects->counts;
    struct margay_front *front = &objects->front;
    uint64_t stand = hits->stand, bytes;
    if (__builtin_mul_overflow(stand, size, &bytes) ||
        (objects->samples &&
         !margay_add_u64(front->known_bytes, bytes, &front->known_bytes)))
        return fail_total(objects, MARGAY_ESTIMATED("references"), i, error);
    front->known += stand;
    counts->doubtful += hits->doubtful;
    if (hits->far) {
        counts->far++;
    } else if (hits->distance == MARGAY_INFINITE) {
        counts->expired += stand;
        counts->expired_bytes += bytes;
    } else {
        *distance = hits->distance;
        if (objects->has_distances)
            count(&objects->distances, hits->distance, stand, bytes);
    }
    uint64_t bound = objects->bound.bytes;
    if (!objects->has_curve)
        return MARGAY_OK;
    enum margay_status status =
        margay_steps_reserve(&objects->curve, 2 * hits->count, error);
    for (size_t k = 0; k < hits->count && status == MARGAY_OK; k++) {
        uint64_t to = hits->list[k].to;
        count(&objects->curve, hits->list[k].from, stand, bytes);
        /* No cache larger than the bound is wanted. */
        if (to != UINT64_MAX && (bound == 0 || to <= bound)) {
            struct margay_step *step = margay_steps_at(&objects->curve, to);
            step->refs -= stand;
            step->bytes -= bytes;
        }
    }
    return status;
}

/* The same as below, where a sample does not have the object: most requests,
   which take 7% more instructions without this. */
static inline enum margay_status meet(struct margay_objects *objects,
                                      const struct margay_objects_piece *piece,
                                      size_t k, struct margay_error *error)
{
    const struct margay_requests *requests = piece->requests;
    size_t i = piece->from + k;
    uint64_t size = requests->sizes[i];
    enum margay_status status = MARGAY_OK;
    if (size > objects->classes.largest_size ||
        (size | objects->weights.total) >> 63 != 0)
        status = fit_size(objects, 0, size, i, error);
    if (piece->distances != NULL)
        piece->distances[k] = MARGAY_INFINITE;
    objects->counts.references++;
    if (!margay_add_u64(objects->counts.reference_bytes, size,
                        &objects->counts.reference_bytes))
        return fail_total(objects, "references", i, error);
    if (status != MARGAY_OK)
        return status;
    margay_weights_put(&objects->weights, size);
    return pass_front(objects, requests, i, 0, 0, error);
}

/* Count a request, and put its object on top. */
static enum margay_status refer(struct margay_objects *objects,
                                const struct margay_objects_piece *piece,
                                size_t k, uint64_t past,
                                struct margay_error *error)
{
    size_t i = piece->from + k;
    uint64_t size = piece->requests->sizes[i], own = 0;
    uint64_t distance = MARGAY_INFINITE;
    struct hits hits;
    hits.count = 0;
    hits.stand = 0;
    enum margay_status status = MARGAY_OK;
    if (objects->samples && !margay_weights_has(&objects->weights, past)) {
        past = 0; /* it has been dropped */
        if (objects->ages == NULL)
            return meet(objects, piece, k, error);
    }
    if (past != 0)
        status = find_object(objects, &past, &own, &hits, error);
    if (objects->ages != NULL)
        expire(objects, piece->requests, i, past, &hits);
    if (status == MARGAY_OK && past == 0) {
        objects->counts.cold++;
        objects->counts.cold_bytes += size;
        status = fit_size(objects, 0, size, i, error);
    } else if (status == MARGAY_OK) {
        status = count_known(objects, &hits, size, &distance, i, error);
        if (status == MARGAY_OK && size != own)
            status = resize(objects, past, own, size, hits.stand, i, error);
        margay_weights_take(&objects->weights, past, own * hits.stand);
    }
    if (objects->slack.sums != NULL &&
        (objects->slack.total != 0 || size < own))
        margay_slack_pass(&objects->slack, past, own, size);
    objects->counts.references++;
    if (!margay_add_u64(objects->counts.reference_bytes, size,
                        &objects->counts.reference_bytes))
        status = fail_total(objects, "references", i, error);
    if (piece->distances != NULL)
        piece->distances[k] = distance;
    if (status == MARGAY_OK)
        status = put(objects, size, past, own, error);
    return status == MARGAY_OK && objects->samples
               ? pass_front(objects, piece->requests, i, past, hits.stand,
                            error)
               : status;
}

static enum margay_status refer_piece(struct margay_objects *objects,
                                      const struct margay_objects_piece *piece,
                                      struct margay_error *error)
{
    uint64_t past[MARGAY_OBJECTS_BATCH];
    enum margay_status status = margay_objects_prepare(objects, error);
    if (status != MARGAY_OK)
        return status;
    margay_weights_pass(&objects->weights);
    if (objects->has_classes) {
        if (objects->refs_to_look < piece->count) {
            margay_classes_mark(&objects->classes, &objects->weights,
                                objects->looks++ % LOOKS_PER_ALL == 0);
            objects->refs_to_look = REFS_PER_LOOK;
        }
        objects->refs_to_look -= piece->count;
    }
    look_up(objects, piece, past);
    if (objects->has_classes)
        fetch_rows(objects, past, piece->count);
    for (size_t k = 0; k < piece->count && status == MARGAY_OK; k++)
        status = refer(objects, piece, k, past[k], error);
    return status;
}

/* -------------------------------------------------------------- new time -- */

static uint64_t new_moment(const struct margay_old_time *old, uint64_t moment)
{
    const struct margay_live_word *word = &old->words[moment >> 6];
    uint64_t below = word->live & ((UINT64_C(1) << (moment & 63)) - 1);
    /* The moments from 1 on, without those whose low half is 0. */
    uint64_t n = word->before + (uint64_t)__builtin_popcountll(below);
    return 1 + n + n / UINT32_MAX;
}

/* A candidate that is no longer live came again with another size, or is beyond
   the mark of its class, and stays so. */
static void renumber_classes(struct margay_classes *classes,
                             const struct margay_old_time *old)
{
    for (unsigned i = 0; i < MARGAY_CLASSES_MOST; i++) {
        struct margay_candidates *of = &classes->candidates[i];
        size_t count = 0;
        for (size_t k = 0; k < of->count; k++) {
            uint64_t moment = of->list[k].moment;
            if ((old->words[moment >> 6].live >> (moment & 63) & 1) == 0)
                continue;
            of->list[count] = of->list[k];
            of->list[count++].moment = new_moment(old, moment);
        }
        of->count = count;
        if (classes->latest[i] != 0)
            classes->latest[i] = new_moment(old, classes->latest[i]);
        if (classes->changed[i] != 0)
            classes->changed[i] = new_moment(old, classes->changed[i]);
    }
}

/* Enter all that the new time has, as most of what a sample has entered has
   been dropped since. */
static void enter_kept(struct margay_objects *objects)
{
    struct margay_hash *hash = &objects->hash;
    memset(hash->buckets, 0, hash->bucket_count * sizeof *hash->buckets);
    hash->entries = 0;
    for (uint64_t moment = 1; moment < objects->weights.next; moment++) {
        if (margay_weights_has(&objects->weights, moment) &&
            !objects->kept[moment].gone)
            margay_hash_put_new(hash, objects->kept[moment].object, moment);
    }
}

static void renumber(struct margay_objects *objects,
                     struct margay_old_time *old)
{
    if (objects->samples)
        enter_kept(objects);
    /* Without a branch on free slots and objects that are forgotten, which
       could not be predicted: the value of both is then 0. */
    for (uint64_t i = 0; i < objects->hash.bucket_count && !objects->samples;
         i++) {
        struct margay_bucket *bucket = &objects->hash.buckets[i];
        for (unsigned slot = 0; slot < MARGAY_BUCKET_SLOTS; slot++) {
            uint64_t moment = margay_bucket_value(bucket, slot);
            uint64_t live = old->words[moment >> 6].live >> (moment & 63) & 1;
            margay_bucket_set_value(bucket, slot,
                                    new_moment(old, moment) & -live);
        }
    }
    for (size_t i = 0; i < objects->bound.count; i++)
        objects->bound.reaches[i].moment =
            new_moment(old, objects->bound.reaches[i].moment);
    if (objects->bound.large != 0)
        objects->bound.large = new_moment(old, objects->bound.large);
    renumber_classes(&objects->classes, old);
    objects->front.from = new_moment(old, objects->front.from);
    while (old->slack.total != 0) {
        uint64_t bytes, moment = margay_slack_latest(&old->slack, &bytes);
        margay_slack_add(&old->slack, moment, -bytes);
        margay_slack_add(&objects->slack, new_moment(old, moment), bytes);
    }
}

const struct margay_objects_kernel MARGAY_TARGET_NAME(margay_objects_kernel) = {
    .refer = refer_piece,
    .renumber = renumber,
};
