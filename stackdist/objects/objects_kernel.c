/*
 * objects_kernel.c - what a request of an object does
 *
 * Compiled once per processor level, with MARGAY_TARGET_SUFFIX naming it; the
 * table at the end is all that is visible outside.
 */
#include "stackdist/objects/classes_loops.h"
#include "stackdist/objects/objects.h"
#include "traces/traces_internal.h"

/* Requests between two looks for marks, and how many of these look at the last
   rows alone before one looks at all. */
#define REFS_PER_LOOK 256
#define LOOKS_PER_ALL 16

/* ------------------------------------------------------------- look-ups -- */

/*
 * The moments of the last uses, 0 for none, which become those of this piece.
 * What the next piece looks up, and what ranking will look at, is fetched; near
 * the end of the requests this piece's names are, which costs less than a
 * branch.
 */
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
        margay_hash_tight_prefetch(&hash, names[i + ahead]);
        struct margay_bucket *bucket =
            margay_hash_tight_slot(&hash, names[i], &slot);
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
    return margay_fail(error, MARGAY_BAD_INPUT,
                       "reference %llu of those analysed: all %s together "
                       "have 2^64 - 1 bytes or more",
                       (unsigned long long)(objects->fed + i + 1), what);
}

static void count(struct margay_steps *steps, uint64_t position, uint64_t bytes)
{
    struct margay_step *step = margay_steps_at(steps, position);
    step->refs++;
    step->bytes += bytes;
}

static void uncount(struct margay_steps *steps, uint64_t position,
                    uint64_t bytes)
{
    struct margay_step *step = margay_steps_at(steps, position);
    step->refs--;
    step->bytes -= bytes;
}

/* The distance in the trace, by that in the sample: what others have there is
   larger by the scale. */
static uint64_t scaled(const struct margay_objects *objects, uint64_t distance,
                       uint64_t size)
{
    double all = (double)(distance - size) * objects->scale + (double)size;
    return all < 0x1p63 ? (uint64_t)(all + 0.5) : UINT64_C(1) << 63;
}

/* Where a request hits: in caches of [distance, end) bytes, and in those of
   some intervals below, which larger objects pass by. */
struct hits {
    uint64_t distance, end;
    bool far; /* the distance is above the bound */
    size_t small_count;
    struct margay_interval small[2 * MARGAY_CLASSES_MOST];
};

/* No cache beyond the reach of the object hits, and none beyond the bound is
   asked for. */
static void bound_hits(const struct margay_bound *bound, uint64_t moment,
                       struct hits *hits)
{
    uint64_t reach = margay_bound_reach(bound, moment);
    size_t count = 0;
    hits->far =
        hits->distance > reach || reach < bound->bytes || moment < bound->large;
    hits->end = reach + 1;
    for (size_t i = 0; i < hits->small_count; i++) {
        struct margay_interval interval = hits->small[i];
        if (interval.to > hits->end)
            interval.to = hits->end;
        if (interval.from < interval.to)
            hits->small[count++] = interval;
    }
    hits->small_count = count;
}

static enum margay_status find_hits(struct margay_objects *objects,
                                    uint64_t moment, uint64_t size,
                                    struct hits *hits,
                                    struct margay_error *error)
{
    const struct margay_weights *weights = &objects->weights;
    struct margay_classes *classes = &objects->classes;
    uint64_t distance = weights->total - margay_weights_before(weights, moment);
    unsigned class = margay_class_of(size);
    uint64_t asked = 0;
    enum margay_status status = MARGAY_OK;
    hits->end = UINT64_MAX;
    hits->far = false;
    hits->small_count = 0;
    if (objects->samples)
        distance = scaled(objects, distance, size);
    hits->distance = distance;
    if (objects->has_classes && distance != size &&
        moment >= classes->marks[class])
        asked = margay_classes_asked(classes, moment, class);
    if (asked != 0)
        status =
            margay_classes_hits(classes, weights, moment, size, distance, asked,
                                hits->small, &hits->small_count, error);
    if (objects->bound.bytes != 0)
        bound_hits(&objects->bound, moment, hits);
    return status;
}

/* Hits from this size on, and in caches that are asked for no more from `to`
   on. */
static void count_between(struct margay_objects *objects, uint64_t from,
                          uint64_t to, uint64_t size)
{
    count(&objects->curve, from, size);
    if (objects->bound.bytes == 0 || to <= objects->bound.bytes)
        uncount(&objects->curve, to, size);
}

static enum margay_status count_hits(struct margay_objects *objects,
                                     const struct hits *hits, uint64_t size,
                                     struct margay_error *error)
{
    objects->counts.far += hits->far;
    if (objects->has_distances && !hits->far)
        count(&objects->distances, hits->distance, size);
    if (!objects->has_curve)
        return MARGAY_OK;
    enum margay_status status =
        margay_steps_reserve(&objects->curve, 2 * hits->small_count + 2, error);
    if (status != MARGAY_OK)
        return status;
    uint64_t from = hits->distance == 0 ? 1 : hits->distance;
    if (hits->end == UINT64_MAX)
        count(&objects->curve, from, size);
    else if (from < hits->end)
        count_between(objects, from, hits->end, size);
    for (size_t i = 0; i < hits->small_count; i++)
        count_between(objects, hits->small[i].from, hits->small[i].to, size);
    return MARGAY_OK;
}

/* --------------------------------------------------------------- storing -- */

/* Put the object in its place as the latest. */
static enum margay_status put(struct margay_objects *objects, uint64_t size,
                              uint64_t past, struct margay_error *error)
{
    struct margay_classes *classes = &objects->classes;
    uint64_t moment = margay_weights_put(&objects->weights, size);
    if (!objects->has_classes || size == 0)
        return MARGAY_OK;
    unsigned class = margay_class_of(size);
    margay_classes_add(classes, moment, class, size);
    if (past != 0 && margay_classes_asks(classes, past, class))
        margay_classes_add(classes, past, class, -size);
    return margay_classes_arrive(classes, class, size, past, moment, error);
}

/* A first request: the size is settled. */
static enum margay_status admit(struct margay_objects *objects, uint64_t size,
                                size_t i, struct margay_error *error)
{
    struct margay_weights *weights = &objects->weights;
    struct margay_bound *bound = &objects->bound;
    enum margay_status status = MARGAY_OK;
    if (bound->bytes != 0 && size > bound->bytes)
        bound->large = weights->next;
    if (size >= UINT64_MAX - weights->total)
        return fail_total(objects, "objects", i, error);
    if (size >> 32 != 0 && weights->high == NULL)
        status = margay_weights_widen(weights, error);
    if (status == MARGAY_OK && objects->has_classes &&
        margay_class_of(size) > objects->classes.largest)
        status = margay_classes_fit(&objects->classes, weights,
                                    margay_class_of(size), error);
    objects->counts.cold++;
    objects->counts.cold_bytes += size;
    return status;
}

/* Is the object that was last used at `past` no longer valid?  What the request
   stores gets its expiry. */
static bool expires(struct margay_objects *objects,
                    const struct margay_requests *requests, size_t i,
                    uint64_t past)
{
    if (objects->expiries == NULL)
        return false;
    uint64_t time = requests->times[i];
    uint64_t ttl = objects->options.ttl_seconds;
    uint64_t expiry = past == 0 ? 0 : objects->expiries[past];
    bool late = past != 0 && time > expiry;
    if (ttl == UINT64_MAX && requests->ttls != NULL)
        ttl = requests->ttls[i];
    if (past == 0 || late ||
        (requests->ops != NULL && requests->ops[i] == MARGAY_SET))
        expiry = ttl > UINT64_MAX - time ? UINT64_MAX : time + ttl;
    objects->expiries[objects->weights.next] = expiry;
    return late;
}

/* A request of an object that was last used at `past`: where it hits.  An
   object that no cache up to a bound has is forgotten: its bytes stay where
   they are, and *past becomes 0. */
static enum margay_status find_object(struct margay_objects *objects,
                                      uint64_t *past, uint64_t *size,
                                      struct hits *hits,
                                      struct margay_error *error)
{
    uint64_t own = margay_weights_size(&objects->weights, *past);
    enum margay_status status = find_hits(objects, *past, own, hits, error);
    if (objects->bound.bytes != 0 && hits->small_count == 0 &&
        hits->distance >= hits->end)
        *past = 0;
    else
        *size = own;
    return status;
}

/* Count a request that is in the sample, and put its object on top. */
static enum margay_status refer(struct margay_objects *objects,
                                const struct margay_objects_piece *piece,
                                size_t k, uint64_t past,
                                struct margay_error *error)
{
    const struct margay_requests *requests = piece->requests;
    size_t i = piece->from + k;
    uint64_t size = requests->sizes[i], distance = MARGAY_INFINITE;
    struct hits hits;
    enum margay_status status = MARGAY_OK;
    if (past != 0)
        status = find_object(objects, &past, &size, &hits, error);
    bool late = expires(objects, requests, i, past);
    if (past == 0) {
        if (status == MARGAY_OK)
            status = admit(objects, size, i, error);
    } else {
        objects->counts.other_sizes += size != requests->sizes[i];
        if (late) {
            objects->counts.expired++;
            objects->counts.expired_bytes += size;
        } else if (status == MARGAY_OK) {
            distance = hits.far ? MARGAY_INFINITE : hits.distance;
            status = count_hits(objects, &hits, size, error);
        }
        margay_weights_take(&objects->weights, past, size);
    }
    objects->counts.sampled_refs++;
    if (!margay_add_u64(objects->counts.sampled_bytes, size,
                        &objects->counts.sampled_bytes))
        status = fail_total(objects, "references", i, error);
    if (piece->distances != NULL)
        piece->distances[k] = distance;
    return status == MARGAY_OK ? put(objects, size, past, error) : status;
}

static void look_for_marks(struct margay_objects *objects, size_t count)
{
    if (!objects->has_classes)
        return;
    if (objects->refs_to_look < count) {
        margay_classes_mark(&objects->classes, &objects->weights,
                            objects->looks++ % LOOKS_PER_ALL == 0);
        objects->refs_to_look = REFS_PER_LOOK;
    }
    objects->refs_to_look -= count;
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
    look_for_marks(objects, piece->count);
    look_up(objects, piece, past);
    if (objects->has_classes)
        fetch_rows(objects, past, piece->count);
    for (size_t k = 0; k < piece->count && status == MARGAY_OK; k++)
        status = refer(objects, piece, k, past[k], error);
    return status;
}

/* -------------------------------------------------------------- new time -- */

/* The moments from 1 on, without those whose low half is 0. */
static uint64_t nth_moment(uint64_t n)
{
    return 1 + n + n / UINT32_MAX;
}

static uint64_t new_moment(const struct margay_old_time *old, uint64_t moment)
{
    const struct margay_live_word *word = &old->words[moment >> 6];
    uint64_t below = word->live & ((UINT64_C(1) << (moment & 63)) - 1);
    return nth_moment(word->before + (uint64_t)__builtin_popcountll(below));
}

/* Without a branch on free slots and objects that are forgotten, which could
   not be predicted: the value of both is then 0. */
static void renumber_hash(struct margay_hash *hash,
                          const struct margay_old_time *old)
{
    for (uint64_t i = 0; i < hash->bucket_count; i++) {
        struct margay_bucket *bucket = &hash->buckets[i];
        for (unsigned slot = 0; slot < MARGAY_BUCKET_SLOTS; slot++) {
            uint64_t moment = margay_bucket_value(bucket, slot);
            uint64_t live = old->words[moment >> 6].live >> (moment & 63) & 1;
            margay_bucket_set_value(bucket, slot,
                                    new_moment(old, moment) & -live);
        }
    }
}

/* A candidate that is no longer live is beyond the mark of its class, and stays
   so: its moment becomes that of the next live one. */
static void renumber_candidates(struct margay_classes *classes,
                                const struct margay_old_time *old)
{
    for (unsigned i = 0; i < MARGAY_CLASSES_MOST; i++) {
        struct margay_candidates *of = &classes->candidates[i];
        for (size_t k = 0; k < of->count; k++)
            of->list[k].moment = new_moment(old, of->list[k].moment);
        if (classes->latest[i] != 0)
            classes->latest[i] = new_moment(old, classes->latest[i]);
    }
}

static void renumber_bound(struct margay_bound *bound,
                           const struct margay_old_time *old)
{
    for (size_t i = 0; i < bound->count; i++)
        bound->reaches[i].moment = new_moment(old, bound->reaches[i].moment);
    if (bound->large != 0)
        bound->large = new_moment(old, bound->large);
}

static void renumber(struct margay_objects *objects,
                     const struct margay_old_time *old)
{
    renumber_hash(&objects->hash, old);
    renumber_bound(&objects->bound, old);
    renumber_candidates(&objects->classes, old);
}

#define PASTE_(a, b)      a##b
#define PASTE(a, b)       PASTE_(a, b)
#define KERNEL_OF(suffix) PASTE(margay_objects_kernel_, suffix)

const struct margay_objects_kernel KERNEL_OF(MARGAY_TARGET_SUFFIX) = {
    .refer = refer_piece,
    .renumber = renumber,
};
