/*
 * samples_kernel.c - the work of a request of a sample of objects
 *
 * objects.h describes the sample.  The requests of a piece are found first, and
 * get their moments in front; then those whose object was in front are counted.
 * So no branch depends on anything that cannot be predicted, as whether an
 * object is in front.  A request whose object is kept, or has been deleted, or
 * whose copy may have expired, is taken by itself.
 *
 * Compiled once per processor level, with MARGAY_TARGET_SUFFIX naming it.
 */
#include <string.h>

#include "stackdist/objects/objects.h"
#include "traces/traces_internal.h"

/* ------------------------------------------------------------ the front -- */

/* Add numbers from `first` on of 32, as vectors: nothing depends on chance that
   could be predicted. */
static inline margay_lanes add_from(margay_lanes sums, const uint64_t *numbers,
                                    uint64_t first)
{
    const margay_lanes *before = margay_weights_mask(2 * first);
    for (unsigned i = 0; i < MARGAY_FRONT_LEAF / MARGAY_LANES; i++)
        sums += ((const margay_lanes *)numbers)[i] & ~before[i];
    return sums;
}

/* The bytes of the objects that were last used at `moment` or later. */
static uint64_t bytes_since(const struct margay_front *front, uint32_t moment)
{
    const struct margay_places *places = front->places;
    uint32_t within = moment % MARGAY_FRONT_LEAF;
    uint32_t leaf = moment / MARGAY_FRONT_LEAF + 1;
    margay_lanes sums = {0};
    uint64_t sum = 0;
    sums = add_from(sums, places->sizes + (moment - within), within);
    within = leaf % MARGAY_FRONT_LEAF;
    for (leaf -= within; leaf <= front->next / MARGAY_FRONT_LEAF;
         leaf += MARGAY_FRONT_LEAF) {
        sums = add_from(sums, places->sums + leaf, within);
        within = 0;
    }
    for (unsigned i = 0; i < MARGAY_LANES; i++)
        sum += sums[i];
    return sum;
}

/* An object that has come again leaves its place in front. */
static void take(struct margay_front *front, uint32_t moment)
{
    uint64_t size = front->places->sizes[moment];
    front->places->sums[moment / MARGAY_FRONT_LEAF] -= size;
    front->bytes -= size;
    front->objects--;
    front->places->sizes[moment] = 0;
    front->places->left[moment / 64] |= UINT64_C(1) << moment % 64;
}

/* An object of this hash has this moment. */
static void name(const struct margay_front *front, uint32_t moment,
                 uint64_t object, uint32_t hash)
{
    struct margay_places *places = front->places;
    places->objects[moment] = object;
    places->before[moment] = places->heads[hash];
    places->heads[hash] = (uint16_t)moment;
}

/* Put `count` objects of these sizes on top; there is room.  before[i] becomes
   the bytes of those before the i-th, for i up to `count`. */
static void fill(struct margay_front *front, const uint64_t *sizes,
                 size_t count, uint64_t *before)
{
    uint32_t next = front->next;
    memcpy(front->places->sizes + next, sizes, count * sizeof *sizes);
    before[0] = 0;
    for (size_t i = 0; i < count; i++)
        before[i + 1] = before[i] + sizes[i];
    for (size_t i = 0, to; i < count; i = to) {
        uint32_t leaf = (next + (uint32_t)i) / MARGAY_FRONT_LEAF;
        to = (leaf + 1) * MARGAY_FRONT_LEAF - next;
        to = to < count ? to : count;
        front->places->sums[leaf] += before[to] - before[i];
    }
    front->next += (uint32_t)count;
    front->bytes += before[count];
    front->objects += count;
}

/* Put an object of this hash on top; there is room. */
static void put(struct margay_front *front, uint64_t object, uint64_t size,
                uint32_t hash)
{
    uint64_t before[2];
    name(front, front->next, object, hash);
    fill(front, &size, 1, before);
}

/* List the `count` least recent moments that have an object, and are no longer
   the front's; there are at least as many. */
static void list_oldest(struct margay_front *front, uint32_t moments[],
                        uint64_t count)
{
    const uint64_t *left = front->places->left;
    uint32_t word = front->from / 64, moment = front->from;
    uint64_t here = ~left[word] & UINT64_MAX << moment % 64;
    for (uint64_t i = 0; i < count; i++) {
        while (here == 0)
            here = ~left[++word];
        moment = 64 * word + (uint32_t)__builtin_ctzll(here);
        moments[i] = moment;
        here &= here - 1;
    }
    front->from = moment + 1;
}

/* Give the objects in front the first moments. */
static void make_room(struct margay_front *front, bool has_ages)
{
    struct margay_places *places = front->places;
    uint32_t moments[MARGAY_FRONT_MOST / 3], end = front->next;
    uint64_t count = front->objects;
    front->objects = front->bytes = 0;
    memset(places->heads, 0, 4 * front->room * sizeof *places->heads);
    memset(places->sums, 0,
           (front->room / MARGAY_FRONT_LEAF + 1) * sizeof *places->sums);
    list_oldest(front, moments, count);
    front->next = 1;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t from = moments[i], to = front->next;
        uint64_t object = places->objects[from];
        if (has_ages)
            places->ages[to] = places->ages[from];
        places->gone[to] = places->gone[from];
        put(front, object, places->sizes[from],
            margay_front_hash(front, object));
    }
    front->from = 1;
    memset(places->left, 0, sizeof places->left);
    memset(places->gone + front->next, 0, end - front->next);
    memset(places->sizes + front->next, 0,
           (end - front->next) * sizeof *places->sizes);
}

/* ---------------------------------------------------- leaving the front -- */

/* A sample may have too many bytes where its trace has fewer. */
#define ESTIMATED(what) what ", by the estimate of the sample,"

/* Objects that leave together: as many are drawn, as vectors. */
#define DRAWS 64

/* One of `stand` objects is kept, and stands for all; 0 = this one is not. */
static uint32_t kept_of(uint64_t draw, uint64_t stand)
{
    return (margay_u128)draw * stand >> 64 == 0 ? (uint32_t)stand : 0;
}

/* How many objects an object stands for that leaves, by a draw; 0 = it is not
   kept. */
static uint32_t stand_of(uint64_t draw, double twice)
{
    /* Twice the chance is more than the rounded one: most are done here. */
    if ((double)(draw >> 11) * 0x1p-53 > twice)
        return 0;
    return kept_of(draw, twice > 4.0 / 3 ? 1 : (uint64_t)(2 / twice + 0.5));
}

/* The same where copies expire, by the name: an object whose last use is not
   known has an unknown age, even in front. */
static uint32_t stand_by_name(const struct margay_front *front, uint64_t object)
{
    return kept_of(margay_sample_hash(object, front->key),
                   (uint64_t)(1 / front->rate + 0.5));
}

/* Draw for objects of these sizes, which become twice their chances.
   `per_byte`: the rate over the mean size. */
static void draw_all(const struct margay_front *front, double per_byte,
                     double *sizes, uint64_t *draws)
{
    for (uint64_t k = 0; k < DRAWS; k++) {
        /* Draws past the last size are not used. */
        /* cppcheck-suppress uninitvar */
        double by_bytes = per_byte * (sizes[k] + 1);
        draws[k] = margay_sample_hash(front->draws + k, front->key);
        sizes[k] = front->rate + by_bytes;
    }
}

/* An object leaves the front, and stands for `stand` of them from now on. */
static enum margay_status keep(struct margay_objects *objects, uint32_t moment,
                               uint32_t stand, size_t i,
                               struct margay_error *error)
{
    struct margay_front *front = &objects->front;
    struct margay_weights *weights = &objects->weights;
    uint64_t size = front->places->sizes[moment], weight;
    if (__builtin_mul_overflow(size, stand, &weight) ||
        weight >= UINT64_MAX - weights->total - front->bytes)
        return margay_fail_total(ESTIMATED("objects"), objects->fed + i + 1,
                                 error);
    if (weight >> 32 != 0 && weights->high == NULL &&
        margay_weights_widen(weights, error) != MARGAY_OK)
        return MARGAY_NO_MEMORY;
    if ((uint32_t)weights->next == 0)
        margay_weights_skip(weights);
    if (!front->places->gone[moment])
        margay_hash_put_new(&objects->hash, front->places->objects[moment],
                            weights->next);
    if (objects->ages != NULL)
        objects->ages[weights->next] = front->places->ages[moment];
    objects->kept[weights->next] = stand;
    front->stands += stand;
    margay_weights_put(weights, weight);
    return MARGAY_OK;
}

/* The least recent of the front leave.  All sizes count a byte more, so that
   one of 0 is no smaller than none. */
static __attribute__((noinline)) enum margay_status leave(
    struct margay_objects *objects, size_t i, struct margay_error *error)
{
    struct margay_front *front = &objects->front;
    uint64_t all = objects->weights.total + front->bytes, leaves;
    double mean = (double)all / (double)front->stands;
    double per_byte = front->rate / (mean + 1);
    enum margay_status status = MARGAY_OK;
    objects->most_bytes = margay_maximum(objects->most_bytes, all);
    front->objects -= front->group;
    front->stands -= front->group;
    for (uint64_t left = front->group; left > 0; left -= leaves) {
        uint32_t moments[DRAWS];
        uint64_t draws[DRAWS];
        double twice[DRAWS];
        leaves = margay_minimum(left, DRAWS);
        list_oldest(front, moments, leaves);
        for (uint64_t k = 0; k < leaves; k++) {
            uint64_t size = front->places->sizes[moments[k]];
            twice[k] = (double)size;
            front->bytes -= size;
        }
        draw_all(front, per_byte, twice, draws);
        front->draws += leaves;
        for (uint64_t k = 0; k < leaves && status == MARGAY_OK; k++) {
            uint64_t object = front->places->objects[moments[k]];
            uint32_t stand = objects->ages == NULL
                                 ? stand_of(draws[k], twice[k])
                                 : stand_by_name(front, object);
            if (stand != 0)
                status = keep(objects, moments[k], stand, i, error);
        }
    }
    return status;
}

/* Count a request of an object that stood for `stand`. */
static enum margay_status count_hits(struct margay_objects *objects,
                                     const struct margay_hits *hits,
                                     uint64_t stand, uint64_t size,
                                     uint64_t *distance, size_t i,
                                     struct margay_error *error)
{
    struct margay_objects_counts *counts = &objects->counts;
    uint64_t bytes;
    if (__builtin_mul_overflow(stand, size, &bytes) ||
        !margay_add_u64(counts->cold_bytes, bytes, &counts->cold_bytes))
        return margay_fail_total(ESTIMATED("references"), objects->fed + i + 1,
                                 error);
    counts->cold += stand;
    if (hits->distance == MARGAY_INFINITE) {
        counts->expired += stand;
        counts->expired_bytes += bytes;
    } else {
        *distance = hits->distance;
        if (objects->has_distances)
            margay_steps_count(&objects->distances, *distance, stand, bytes);
    }
    if (!objects->has_curve)
        return MARGAY_OK;
    enum margay_status status =
        margay_steps_reserve(&objects->curve, 2 * hits->count, error);
    for (size_t k = 0; k < hits->count && status == MARGAY_OK; k++)
        margay_steps_count_in(&objects->curve, hits->list[k], stand, bytes);
    return status;
}

/* Take a known object from its place, `recent` in front or `past`, and count
   its request.  *stand becomes the number that it stood for. */
static __attribute__((noinline)) enum margay_status count_known(
    struct margay_objects *objects, const struct margay_requests *requests,
    size_t i, uint32_t recent, uint64_t past, uint64_t *stand,
    uint64_t *distance, struct margay_error *error)
{
    struct margay_front *front = &objects->front;
    struct margay_weights *weights = &objects->weights;
    uint64_t size = requests->sizes[i], own,
             all = weights->total + front->bytes;
    struct margay_hits hits;
    if (recent != 0) {
        *stand = 1;
        own = front->places->sizes[recent];
        hits.distance = bytes_since(front, recent);
        take(front, recent);
    } else {
        *stand = objects->kept[past];
        uint64_t weight = margay_weights_size(weights, past);
        own = weight / *stand;
        /* The object itself is there once, and not as often as it stands. */
        hits.distance =
            all - margay_weights_before(weights, past) - weight + own;
        margay_weights_take(weights, past, weight);
        margay_hash_erase(&objects->hash, requests->objects[i]);
    }
    objects->most_bytes = margay_maximum(objects->most_bytes, all);
    uint64_t counted = objects->ages == NULL
                           ? *stand
                           : stand_by_name(front, requests->objects[i]);
    if (counted == 0)
        return MARGAY_OK;
    objects->counts.resized += size != own ? counted : 0;
    objects->counts.shrunk += size < own ? counted : 0;
    hits.count = 1;
    hits.list[0] = (struct margay_interval){
        hits.distance + (hits.distance == 0), UINT64_MAX};
    if (objects->ages != NULL)
        margay_hits_expire(objects, requests, i,
                           recent != 0 ? &front->places->ages[recent]
                                       : &objects->ages[past],
                           &front->places->ages[front->next], &hits);
    return count_hits(objects, &hits, counted, size, distance, i, error);
}

/* The moment of an object that has left the front and is kept, 0 for none. */
static inline uint64_t find_kept(const struct margay_hash *hash, uint64_t home,
                                 uint64_t object)
{
    unsigned slot;
    const struct margay_bucket *bucket =
        margay_hash_slot_from(hash, hash->buckets + home, object, &slot);
    return bucket->values[slot] == 0 ? 0 : margay_bucket_value(bucket, slot);
}

/* Could the totals of the sample, or those of requests, come near 2^64 within
   a piece of requests that are smaller than 2^56? */
static inline bool is_near_limit(const struct margay_objects *objects)
{
    return (objects->weights.total | objects->front.bytes |
            objects->counts.cold_bytes | objects->counts.reference_bytes) >>
               62 !=
           0;
}

/* The requests of a piece: their hashes in front, and homes in the table; and
   which of them, `known` so far, are of objects in front, and at which moments.
 */
struct looks {
    uint32_t hashes[MARGAY_OBJECTS_BATCH];
    uint64_t homes[MARGAY_OBJECTS_BATCH];
    uint64_t largest; /* of all sizes */
    size_t known;
    uint32_t at[MARGAY_OBJECTS_BATCH], recent[MARGAY_OBJECTS_BATCH];
};

static void look_ahead(const struct margay_objects *objects,
                       const struct margay_objects_piece *piece,
                       struct looks *looks)
{
    const uint64_t *names = piece->requests->objects + piece->from;
    const uint64_t *sizes = piece->requests->sizes + piece->from;
    const struct margay_hash hash = objects->hash;
    const struct margay_front front = objects->front;
    looks->largest = 0;
    for (size_t k = 0; k < piece->count; k++) {
        looks->hashes[k] = margay_front_hash(&front, names[k]);
        looks->homes[k] = margay_hash_home(&hash, names[k]);
        looks->largest = margay_maximum(looks->largest, sizes[k]);
    }
    for (size_t k = 0; k < piece->count; k++)
        __builtin_prefetch(hash.buckets + looks->homes[k], 1);
}

/* Find requests from `k` on, up to `end` or one whose object is kept or
   deleted, and give them their moments: the result is that request.  Objects in
   front and others take the same path, as that could not be predicted. */
static size_t find_recent(struct margay_objects *objects,
                          const struct margay_objects_piece *piece, size_t k,
                          size_t end, struct looks *looks)
{
    const uint64_t *names = piece->requests->objects + piece->from;
    const struct margay_hash hash = objects->hash;
    const struct margay_front front = objects->front;
    uint32_t next = front.next;
    size_t count = 0;
    for (; k < end; k++) {
        uint32_t recent = margay_front_find(&front, names[k], looks->hashes[k]);
        if (find_kept(&hash, looks->homes[k], names[k]) != 0 ||
            front.places->gone[recent])
            break;
        looks->at[count] = (uint32_t)k;
        looks->recent[count] = recent;
        count += recent != 0;
        name(&front, next++, names[k], looks->hashes[k]);
    }
    looks->known = count;
    return k;
}

/* Count the requests from `from` to `to`, which have been found.  Copies are
   valid without end, and no total comes near its limit. */
static void count_recent(struct margay_objects *objects,
                         const struct margay_objects_piece *piece, size_t from,
                         size_t to, const struct looks *looks)
{
    const uint64_t *sizes = piece->requests->sizes + piece->from;
    struct margay_front *front = &objects->front;
    uint64_t before[MARGAY_OBJECTS_BATCH + 1]; /* bytes of those before */
    fill(front, sizes + from, to - from, before);
    for (size_t i = 0; i < looks->known; i++) {
        uint32_t k = looks->at[i], recent = looks->recent[i];
        uint64_t own = front->places->sizes[recent], size = sizes[k];
        uint64_t later = before[to - from] - before[k - from];
        uint64_t distance = bytes_since(front, recent) - later;
        if (size != own) {
            objects->counts.resized++;
            objects->counts.shrunk += size < own;
            objects->most_bytes =
                margay_maximum(objects->most_bytes,
                               objects->weights.total + front->bytes - later);
        }
        take(front, recent);
        objects->counts.cold_bytes += size;
        if (piece->distances != NULL)
            piece->distances[k] = distance;
        if (objects->has_distances)
            margay_steps_count(&objects->distances, distance, 1, size);
        if (objects->has_curve)
            margay_steps_count(&objects->curve, distance + (distance == 0), 1,
                               size);
    }
    objects->counts.cold += looks->known;
    front->stands += to - from - looks->known;
    objects->counts.references += to - from;
    objects->counts.reference_bytes += before[to - from];
}

/* Count any request, and put its object in front. */
static enum margay_status refer_one(struct margay_objects *objects,
                                    const struct margay_objects_piece *piece,
                                    const struct looks *looks, size_t k,
                                    struct margay_error *error)
{
    const struct margay_requests *requests = piece->requests;
    struct margay_front *front = &objects->front;
    size_t i = piece->from + k;
    uint64_t object = requests->objects[i], size = requests->sizes[i];
    uint64_t distance = MARGAY_INFINITE, past = 0;
    uint32_t hash = looks->hashes[k];
    uint32_t recent = margay_front_find(front, object, hash);
    enum margay_status status = MARGAY_OK;
    if (recent == 0)
        past = find_kept(&objects->hash, looks->homes[k], object);
    else if (front->places->gone[recent])
        recent = 0;
    uint64_t stand = recent != 0;
    struct margay_hits none;
    none.count = 0;
    if (recent != 0 || past != 0)
        status = count_known(objects, requests, i, recent, past, &stand,
                             &distance, error);
    else if (objects->ages != NULL)
        margay_hits_expire(objects, requests, i, NULL,
                           &front->places->ages[front->next], &none);
    if (piece->distances != NULL)
        piece->distances[k] = distance;
    objects->counts.references++;
    if (!margay_add_u64(objects->counts.reference_bytes, size,
                        &objects->counts.reference_bytes))
        return margay_fail_total("references", objects->fed + i + 1, error);
    if (size >= UINT64_MAX - objects->weights.total - front->bytes)
        return margay_fail_total(ESTIMATED("objects"), objects->fed + i + 1,
                                 error);
    put(front, object, size, hash);
    front->stands += 1 - stand;
    return status;
}

/* Requests of a sample: most are of objects that it does not know, which are
   counted as the rest. */
enum margay_status MARGAY_TARGET_NAME(margay_refer_sampled)(
    struct margay_objects *objects, const struct margay_objects_piece *piece,
    struct margay_error *error)
{
    struct margay_front *front = &objects->front;
    struct looks looks;
    enum margay_status status = margay_objects_prepare(objects, error);
    if (status == MARGAY_OK && objects->has_curve)
        status =
            margay_steps_reserve(&objects->curve, MARGAY_OBJECTS_BATCH, error);
    look_ahead(objects, piece, &looks);
    objects->classes.largest_size =
        margay_maximum(objects->classes.largest_size, looks.largest);
    for (size_t k = 0; k < piece->count && piece->distances != NULL; k++)
        piece->distances[k] = MARGAY_INFINITE;
    for (size_t k = 0; k < piece->count && status == MARGAY_OK;) {
        size_t end =
            margay_minimum(piece->count - k, front->most + 1 - front->objects);
        end = k + margay_minimum(end, front->room - front->next);
        bool each = objects->ages != NULL || looks.largest >> 56 != 0 ||
                    is_near_limit(objects);
        if (!each) {
            size_t from = k;
            k = find_recent(objects, piece, from, end, &looks);
            count_recent(objects, piece, from, k, &looks);
        }
        if (k < end)
            status = refer_one(objects, piece, &looks, k++, error);
        if (front->objects > front->most && status == MARGAY_OK)
            status = leave(objects, piece->from + k, error);
        if (front->next == front->room)
            make_room(front, objects->ages != NULL);
    }
    return status;
}
