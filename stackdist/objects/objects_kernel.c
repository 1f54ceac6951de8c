/*
 * objects_kernel.c - the work of a request for an object
 *
 * Compiled once per processor level, with MARGAY_TARGET_SUFFIX naming it; the
 * table at the end is all that is visible outside.
 */
#include "stackdist/objects/objects.h"
#include "traces/traces_internal.h"

/* Requests between two looks for marks, and how far back each of these looks;
   every second one twice as far, and so on. */
#define REFS_PER_LOOK 256
#define LEAST_REACH   1024

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
        __builtin_prefetch(&weights.live[moment >> 6], 1);
        __builtin_prefetch(&weights.low[moment], 1);
        __builtin_prefetch(&weights.low[moment ^ 16], 1);
        __builtin_prefetch(&weights.sums[0][moment >> 5], 1);
        __builtin_prefetch(&weights.sums[0][moment >> 5 ^ 8], 1);
    }
    objects->hash.entries += fresh;
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
    bool far; /* the distance is above the bound */
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

/* Find the hits of a request of an object that was last used at *past.  One
   that no cache up to a bound has is forgotten: its bytes stay where they are,
   and *past becomes 0, as the size that it had, *own. */
static void find_hits(struct margay_objects *objects, uint64_t *past,
                      uint64_t *own, struct hits *hits)
{
    const struct margay_weights *weights = &objects->weights;
    struct margay_classes *classes = &objects->classes;
    uint64_t moment = *past, size = margay_weights_size(weights, moment);
    uint64_t distance = weights->total -
                        margay_weights_before(weights, moment) +
                        margay_slack_of(&objects->slack, moment);
    hits->far = hits->doubtful = false;
    hits->count = 0;
    hits->distance = distance;
    if (objects->has_classes && distance != size &&
        moment >= classes->marks[margay_class_of(size)])
        hits->count = margay_classes_hits(classes, weights, moment, size,
                                          distance, hits->list);
    if (hits->count > 0 && classes->changes)
        doubt_hits(classes, moment, hits);
    hits->list[hits->count++] =
        (struct margay_interval){distance == 0 ? 1 : distance, UINT64_MAX};
    if (objects->bound.bytes != 0)
        bound_hits(&objects->bound, moment, hits);
    *own = size;
    if (hits->count == 0) {
        *past = *own = 0;
        objects->bound.exceeded = true;
    }
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

/* Remove the hits of copies that are no longer valid at this moment.  The
   object had the ages `old`, NULL for none, and gets those of the request. */
static void expire(struct margay_objects *objects,
                   const struct margay_requests *requests, size_t i,
                   const struct margay_ages *old, struct margay_ages *stored,
                   struct hits *hits)
{
    struct new_ages now = {.count = 0};
    struct hits valid;
    uint64_t time = requests->times[i], ttl = objects->options.ttl_seconds;
    bool sets = requests->ops != NULL && requests->ops[i] == MARGAY_SET;
    if (ttl == UINT64_MAX && requests->ttls != NULL)
        ttl = requests->ttls[i];
    uint64_t fresh = ttl > UINT64_MAX - time ? UINT64_MAX : time + ttl;
    if (old == NULL)
        hits->count = 0;
    keep_valid(old, hits, time, sets, fresh, &valid, &now);
    for (size_t k = 0; k < MARGAY_OBJECTS_AGES; k++) {
        stored->from[k] = k < now.count ? now.from[k] : UINT64_MAX;
        stored->until[k] = now.until[k];
    }
    objects->counts.merged += now.merged;
    if (old == NULL)
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
        margay_classes_take(classes, past, class, own);
    if (size == 0)
        return MARGAY_OK;
    class = margay_class_of(size);
    margay_classes_put(classes, moment, class, size);
    enum margay_status status = MARGAY_OK;
    if (classes->arrived[class] == MARGAY_CLASSES_ARRIVALS)
        status =
            margay_classes_settle(classes, &objects->weights, class, error);
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
    if (size > own &&
        size - own >= UINT64_MAX - weights->total - objects->front.bytes)
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

/* Another size than at `past`. */
static enum margay_status resize(struct margay_objects *objects, uint64_t past,
                                 uint64_t own, uint64_t size, size_t i,
                                 struct margay_error *error)
{
    struct margay_classes *classes = &objects->classes;
    uint64_t *changed = &classes->changed[margay_class_of(own)];
    enum margay_status status = fit_size(objects, own, size, i, error);
    objects->counts.resized++;
    objects->counts.shrunk += size < own;
    classes->changes = true;
    *changed = margay_maximum(*changed, past);
    if (size > own || status != MARGAY_OK)
        return status;
    objects->most_bytes =
        margay_maximum(objects->most_bytes, objects->weights.total);
    return margay_objects_make_slack(objects, error);
}

/* Count a request of an object that is known, as `stand` of them, and its
   distance. */
static inline __attribute__((always_inline)) enum margay_status count_known(
    struct margay_objects *objects, const struct hits *hits, uint64_t stand,
    uint64_t size, uint64_t *distance, size_t i, struct margay_error *error)
{
    struct margay_objects_counts *counts = &objects->counts;
    struct margay_front *front = &objects->front;
    uint64_t bytes;
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

/* -------------------------------------------------------------- samples -- */

/* An object leaves the front, and stands for `stand` of them from now on. */
static enum margay_status keep(struct margay_objects *objects, uint32_t moment,
                               uint32_t stand, size_t i,
                               struct margay_error *error)
{
    struct margay_front *front = &objects->front;
    struct margay_weights *weights = &objects->weights;
    uint64_t object = front->places->recent[moment].object;
    uint64_t size = front->places->sizes[moment], weight;
    bool gone = front->places->recent[moment].state == MARGAY_RECENT_GONE;
    if (__builtin_mul_overflow(size, stand, &weight) ||
        weight - size >= UINT64_MAX - weights->total - front->bytes)
        return fail_total(objects, MARGAY_ESTIMATED("objects"), i, error);
    if (weight >> 32 != 0 && weights->high == NULL &&
        margay_weights_widen(weights, error) != MARGAY_OK)
        return MARGAY_NO_MEMORY;
    if ((uint32_t)weights->next == 0)
        margay_weights_skip(weights);
    if (!gone)
        margay_hash_put_new(&objects->hash, object, weights->next);
    if (objects->ages != NULL)
        objects->ages[weights->next] = front->places->ages[moment];
    objects->kept[weights->next] = (struct margay_kept){object, stand, gone};
    front->stands += stand;
    margay_weights_put(weights, weight);
    return MARGAY_OK;
}

/* The least recent of the front leave. */
static __attribute__((noinline)) enum margay_status leave(
    struct margay_objects *objects, size_t i, struct margay_error *error)
{
    struct margay_front *front = &objects->front;
    double bytes = (double)(objects->weights.total + front->bytes);
    double per_byte = front->rate / (bytes / (double)front->stands + 1);
    enum margay_status status = MARGAY_OK;
    front->objects -= front->group;
    front->stands -= front->group;
    for (uint64_t left = front->group; left > 0; front->from++) {
        uint64_t size = front->places->sizes[front->from];
        if (front->places->recent[front->from].state == 0)
            continue;
        uint32_t stand = margay_front_draw(front, per_byte, size);
        if (stand != 0 && status == MARGAY_OK)
            status = keep(objects, front->from, stand, i, error);
        front->bytes -= size;
        left--;
    }
    return status;
}

/* Take a known object from its place, `recent` in front or `past`, and count
   its request.  *stand becomes the number that it stood for. */
static __attribute__((noinline)) enum margay_status count_sampled(
    struct margay_objects *objects, const struct margay_requests *requests,
    size_t i, uint32_t recent, uint64_t past, uint64_t *stand,
    uint64_t *distance, struct margay_error *error)
{
    struct margay_front *front = &objects->front;
    struct margay_weights *weights = &objects->weights;
    uint64_t size = requests->sizes[i], own,
             all = weights->total + front->bytes;
    struct hits hits;
    hits.far = hits.doubtful = false;
    if (recent != 0) {
        *stand = 1;
        own = front->places->sizes[recent];
        hits.distance = margay_front_since(front, recent);
        margay_front_take(front, recent);
    } else {
        *stand = objects->kept[past].stand;
        uint64_t weight = margay_weights_size(weights, past);
        own = weight / *stand;
        /* The object itself is there once, and not as often as it stands. */
        hits.distance =
            all - margay_weights_before(weights, past) - weight + own;
        margay_weights_take(weights, past, weight);
        margay_hash_erase(&objects->hash, requests->objects[i]);
    }
    objects->most_bytes = margay_maximum(objects->most_bytes, all);
    objects->counts.resized += size != own ? *stand : 0;
    objects->counts.shrunk += size < own ? *stand : 0;
    hits.count = 1;
    hits.list[0] = (struct margay_interval){
        hits.distance + (hits.distance == 0), UINT64_MAX};
    if (objects->ages != NULL)
        expire(objects, requests, i,
               recent != 0 ? &front->places->ages[recent]
                           : &objects->ages[past],
               &front->places->ages[front->next], &hits);
    return count_known(objects, &hits, *stand, size, distance, i, error);
}

/* Where a sample has an object: the result is a moment in front, or *past one
   of the engine; both are 0 where it has none. */
static inline uint32_t find_sampled(const struct margay_objects *objects,
                                    uint64_t object, uint64_t *past)
{
    const struct margay_front *front = &objects->front;
    uint32_t recent = margay_front_find(front, object);
    unsigned slot;
    *past = 0;
    if (recent != 0)
        return front->places->recent[recent].state == MARGAY_RECENT ? recent
                                                                    : 0;
    const struct margay_bucket *bucket =
        margay_hash_slot(&objects->hash, object, &slot);
    *past = margay_bucket_value(bucket, slot);
    return 0;
}

/* A request of an object that the sample may know is counted: put the object in
   front, where it had stood for `stand`. */
static inline enum margay_status put_sampled(struct margay_objects *objects,
                                             uint64_t object, uint64_t size,
                                             uint64_t stand, size_t i,
                                             struct margay_error *error)
{
    struct margay_front *front = &objects->front;
    enum margay_status status = MARGAY_OK;
    if (size > objects->classes.largest_size ||
        (size | (objects->weights.total + front->bytes)) >> 63 != 0)
        status = fit_size(objects, 0, size, i, error);
    margay_front_put(front, object, size, MARGAY_RECENT);
    front->bytes += size;
    front->stands += 1 - stand;
    if (++front->objects > front->most && status == MARGAY_OK)
        status = leave(objects, i, error);
    if (front->next == front->room)
        margay_front_make_room(front, objects->ages != NULL);
    return status;
}

/* Requests ahead of one that is looked up. */
#define AHEAD 8

/* Requests of a sample: most are of objects that it does not know, which are
   counted as the rest. */
static enum margay_status refer_sampled(
    struct margay_objects *objects, const struct margay_objects_piece *piece,
    struct margay_error *error)
{
    const struct margay_requests *requests = piece->requests;
    struct margay_front *front = &objects->front;
    struct hits none;
    none.count = 0;
    enum margay_status status = margay_objects_prepare(objects, error);
    for (size_t k = 0; k < piece->count && status == MARGAY_OK; k++) {
        size_t i = piece->from + k;
        uint64_t object = requests->objects[i], size = requests->sizes[i];
        margay_hash_prefetch(
            &objects->hash,
            requests->objects[k + AHEAD < piece->count ? i + AHEAD : i]);
        uint64_t stand = 0, distance = MARGAY_INFINITE, past;
        uint32_t recent = find_sampled(objects, object, &past);
        if (recent != 0 || past != 0)
            status = count_sampled(objects, requests, i, recent, past, &stand,
                                   &distance, error);
        else if (objects->ages != NULL)
            expire(objects, requests, i, NULL,
                   &front->places->ages[front->next], &none);
        if (piece->distances != NULL)
            piece->distances[k] = distance;
        objects->counts.references++;
        if (!margay_add_u64(objects->counts.reference_bytes, size,
                            &objects->counts.reference_bytes))
            return fail_total(objects, "references", i, error);
        if (status == MARGAY_OK)
            status = put_sampled(objects, object, size, stand, i, error);
    }
    return status;
}

/* ------------------------------------------------------------------- all -- */

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
    enum margay_status status = MARGAY_OK;
    if (past != 0)
        find_hits(objects, &past, &own, &hits);
    if (objects->ages != NULL)
        expire(objects, piece->requests, i,
               past == 0 ? NULL : &objects->ages[past],
               &objects->ages[objects->weights.next], &hits);
    if (past == 0) {
        objects->counts.cold++;
        objects->counts.cold_bytes += size;
        status = fit_size(objects, 0, size, i, error);
    } else {
        status = count_known(objects, &hits, 1, size, &distance, i, error);
        if (status == MARGAY_OK && size != own)
            status = resize(objects, past, own, size, i, error);
        margay_weights_take(&objects->weights, past, own);
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
    return status == MARGAY_OK ? put(objects, size, past, own, error) : status;
}

static enum margay_status refer_piece(struct margay_objects *objects,
                                      const struct margay_objects_piece *piece,
                                      struct margay_error *error)
{
    uint64_t past[MARGAY_OBJECTS_BATCH];
    if (objects->samples)
        return refer_sampled(objects, piece, error);
    enum margay_status status = margay_objects_prepare(objects, error);
    if (status != MARGAY_OK)
        return status;
    margay_weights_pass(&objects->weights);
    if (objects->has_classes) {
        if (objects->refs_to_look < piece->count) {
            margay_classes_mark(&objects->classes, &objects->weights,
                                LEAST_REACH
                                    << __builtin_ctzll(++objects->looks));
            objects->refs_to_look = REFS_PER_LOOK;
        }
        objects->refs_to_look -= piece->count;
    }
    look_up(objects, piece, past);
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
        classes->beyond[i] = new_moment(old, classes->beyond[i]);
        if (classes->latest[i] != 0)
            classes->latest[i] = new_moment(old, classes->latest[i]);
        if (classes->changed[i] != 0)
            classes->changed[i] = new_moment(old, classes->changed[i]);
    }
}

static void renumber(struct margay_objects *objects,
                     struct margay_old_time *old)
{
    /* Without a branch on free slots and objects that are forgotten, which
       could not be predicted: the value of both is then 0. */
    for (uint64_t i = 0; i < objects->hash.bucket_count; i++) {
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
