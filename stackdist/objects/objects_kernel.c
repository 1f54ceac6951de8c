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
        __builtin_prefetch(&weights.low[moment], 1);
        __builtin_prefetch(&weights.low[moment ^ 16], 1);
        __builtin_prefetch(&weights.sums[0][moment >> 5], 1);
        __builtin_prefetch(&weights.sums[0][moment >> 5 ^ 8], 1);
    }
    objects->hash.entries += fresh;
}

/* -------------------------------------------------------------- counting -- */

/* No cache beyond the reach of the object hits, and none beyond the bound is
   wanted. */
static void bound_hits(const struct margay_bound *bound, uint64_t moment,
                       struct margay_hits *hits)
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
                       struct margay_hits *hits)
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
                      uint64_t *own, struct margay_hits *hits)
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
    if (size > own && size - own >= UINT64_MAX - weights->total)
        return margay_fail_total("objects", objects->fed + i + 1, error);
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

/* Count a request of an object that is known, and its distance. */
static enum margay_status count_known(struct margay_objects *objects,
                                      const struct margay_hits *hits,
                                      uint64_t size, uint64_t *distance,
                                      struct margay_error *error)
{
    struct margay_objects_counts *counts = &objects->counts;
    uint64_t bound = objects->bound.bytes;
    counts->doubtful += hits->doubtful;
    if (hits->far) {
        counts->far++;
    } else if (hits->distance == MARGAY_INFINITE) {
        counts->expired++;
        counts->expired_bytes += size;
    } else {
        *distance = hits->distance;
        if (objects->has_distances)
            margay_steps_count(&objects->distances, hits->distance, 1, size);
    }
    if (!objects->has_curve)
        return MARGAY_OK;
    enum margay_status status =
        margay_steps_reserve(&objects->curve, 2 * hits->count, error);
    for (size_t k = 0; k < hits->count && status == MARGAY_OK; k++) {
        struct margay_interval interval = hits->list[k];
        /* No cache larger than the bound is wanted. */
        if (bound != 0 && interval.to > bound)
            interval.to = UINT64_MAX;
        margay_steps_count_in(&objects->curve, interval, 1, size);
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
    struct margay_hits hits;
    hits.count = 0;
    enum margay_status status = MARGAY_OK;
    if (past != 0)
        find_hits(objects, &past, &own, &hits);
    if (objects->ages != NULL)
        margay_hits_expire(objects, piece->requests, i,
                           past == 0 ? NULL : &objects->ages[past],
                           &objects->ages[objects->weights.next], &hits);
    if (past == 0) {
        objects->counts.cold++;
        objects->counts.cold_bytes += size;
        status = fit_size(objects, 0, size, i, error);
    } else {
        status = count_known(objects, &hits, size, &distance, error);
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
        status = margay_fail_total("references", objects->fed + i + 1, error);
    if (piece->distances != NULL)
        piece->distances[k] = distance;
    return status == MARGAY_OK ? put(objects, size, past, own, error) : status;
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

static void count_live(struct margay_old_time *old)
{
    uint64_t live = 0;
    for (uint64_t i = 0; i < old->weights.capacity / 64; i++) {
        old->words[i] = (struct margay_live_word){
            margay_weights_live(&old->weights, i), live};
        live += (uint64_t)__builtin_popcountll(old->words[i].live);
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
    .count_live = count_live,
    .renumber = renumber,
};
