/*
 * objects.c - objects with sizes: every size of cache from one pass
 *
 * Algorithm: in a fully associative LRU cache of C bytes, objects leave from
 *   the least recent end until the new one fits, so its content is a prefix of
 *   the stack of all objects by last use.  The byte distance D of an object
 *   grows until the object is used again, and the object leaves when D > C: the
 *   content is exactly {y : D(y) <= C}.  So a histogram of D at the times of
 *   reuse gives the misses of every C, and weighted by size the missed bytes.
 *   D is the sum of sizes since a moment (weights.h), where the exact engine
 *   counts bits.  That holds from the size of the largest object on; for
 *   smaller caches see classes.h.
 *
 *   An object that has expired keeps its room, and its next request misses at
 *   all sizes; so that request has no distance, and nothing else changes.
 * Source: Mattson, Gecsei, Slutz, Traiger, "Evaluation techniques for storage
 *   hierarchies", 1970, for blocks of one size; the argument for bytes, and the
 *   small caches, are our own.
 * Guarantee: exact at every size of the grid, except with samples.
 * Cost: O(log M) per request; see weights.h and classes.h, and 17 to 22 bytes
 *   per object for the table of names.
 */
#include "stackdist/objects/objects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stackdist/engine.h"
#include "stackdist/histogram.h"
#include "traces/traces_internal.h"

/* The axis of a new engine, and moments per object when time begins anew: more
   make that rarer; fewer take less memory. */
#define LEAST_MOMENTS      ((uint64_t)1 << 14)
#define MOMENTS_PER_OBJECT 2

/* Moments whose memory is given back together. */
#define GIVEN_BACK ((uint64_t)1 << 18)

/* ----------------------------------------- memory, which grows with them -- */

/* What else is noted at each moment. */
static enum margay_status create_notes(struct margay_objects *objects,
                                       struct margay_error *error)
{
    uint64_t moments = objects->weights.capacity;
    if (objects->options.ages)
        objects->ages = margay_map(moments * sizeof *objects->ages);
    if (objects->samples)
        objects->kept = margay_map(moments * sizeof *objects->kept);
    return (objects->options.ages && objects->ages == NULL) ||
                   (objects->samples && objects->kept == NULL)
               ? margay_fail_memory(error, "the uses of objects")
               : MARGAY_OK;
}

static void unmap_slack(struct margay_slack *slack)
{
    margay_unmap(slack->sums, slack->capacity * sizeof *slack->sums);
    *slack = (struct margay_slack){.total = 0};
}

enum margay_status margay_objects_make_slack(struct margay_objects *objects,
                                             struct margay_error *error)
{
    struct margay_slack *slack = &objects->slack;
    if (slack->sums != NULL)
        return MARGAY_OK;
    slack->capacity = objects->weights.capacity;
    slack->sums = margay_map(slack->capacity * sizeof *slack->sums);
    return slack->sums == NULL
               ? margay_fail_memory(error, "what smaller objects leave free")
               : MARGAY_OK;
}

/* --------------------------------------------------- a new time for all -- */

/* The old arrays again, or larger ones. */
static enum margay_status make_time(struct margay_objects *objects,
                                    const struct margay_old_time *old,
                                    struct margay_error *error)
{
    struct margay_weights *weights = &objects->weights;
    uint64_t capacity = MOMENTS_PER_OBJECT * old->weights.objects;
    if (capacity <= old->weights.capacity) {
        *weights = old->weights;
        margay_weights_restart(weights);
        objects->ages = old->ages;
        objects->kept = old->kept;
        return MARGAY_OK;
    }
    margay_classes_free_rows(&objects->classes);
    enum margay_status status = margay_weights_create(weights, capacity, error);
    if (status == MARGAY_OK && old->weights.high != NULL)
        status = margay_weights_widen(weights, error);
    return status == MARGAY_OK ? create_notes(objects, error) : status;
}

static enum margay_status begin_time(struct margay_objects *objects,
                                     struct margay_old_time *old,
                                     struct margay_error *error)
{
    old->words = malloc(old->weights.capacity / 64 * sizeof *old->words);
    if (old->words == NULL)
        return margay_fail_memory(error, "the order of objects");
    objects->kernel->count_live(old);
    enum margay_status status = make_time(objects, old, error);
    if (status == MARGAY_OK && old->slack.total != 0)
        status = margay_objects_make_slack(objects, error);
    if (status != MARGAY_OK)
        return status;
    struct margay_weights weights = objects->weights;
    for (uint64_t word = 0; word < old->weights.capacity / 64; word++) {
        uint64_t live = old->words[word].live;
        for (; live != 0; live &= live - 1) {
            uint64_t moment = 64 * word + (unsigned)__builtin_ctzll(live);
            if ((uint32_t)weights.next == 0)
                margay_weights_skip(&weights);
            uint64_t now = margay_weights_put(
                &weights, margay_weights_size(&old->weights, moment));
            if (objects->ages != NULL)
                objects->ages[now] = old->ages[moment];
            if (objects->kept != NULL)
                objects->kept[now] = old->kept[moment];
        }
        /* Give back the copied parts of old arrays. */
        uint64_t end = 64 * (word + 1);
        if (old->weights.low != weights.low && end % GIVEN_BACK == 0)
            margay_discard(old->weights.low + end - GIVEN_BACK,
                           GIVEN_BACK * sizeof *old->weights.low);
    }
    objects->weights = weights;
    if (weights.low == old->weights.low)
        margay_weights_clear_rest(&objects->weights);
    objects->kernel->renumber(objects, old);
    return objects->has_classes
               ? margay_classes_fit(&objects->classes, &objects->weights, 0,
                                    error)
               : MARGAY_OK;
}

/* At the end of time, the last uses that count get new moments, in their
   order. */
static enum margay_status begin_anew(struct margay_objects *objects,
                                     struct margay_error *error)
{
    enum margay_status status = objects->classes.changes
                                    ? margay_objects_make_slack(objects, error)
                                    : MARGAY_OK;
    struct margay_old_time old = {objects->weights, objects->slack,
                                  objects->ages, objects->kept, NULL};
    objects->weights = (struct margay_weights){.capacity = 0};
    objects->slack = (struct margay_slack){.total = 0};
    objects->ages = NULL;
    objects->kept = NULL;
    objects->refs_to_look = objects->looks = 0;
    uint64_t before = old.weights.objects;
    unsigned classes = objects->has_classes ? MARGAY_CLASSES_MOST : 0;
    for (unsigned i = 0; i < classes && status == MARGAY_OK; i++)
        status =
            margay_classes_settle(&objects->classes, &old.weights, i, error);
    if (status == MARGAY_OK && objects->bound.bytes != 0)
        status = margay_bound_sweep(&objects->bound, &old.weights, &old.slack,
                                    error);
    if (status == MARGAY_OK)
        status = begin_time(objects, &old, error);
    if (status == MARGAY_OK && old.weights.objects < before)
        status = margay_hash_close(&objects->hash, error);
    free(old.words);
    unmap_slack(&old.slack);
    if (objects->weights.low == old.weights.low)
        return status;
    margay_unmap(old.ages, old.weights.capacity * sizeof *old.ages);
    margay_unmap(old.kept, old.weights.capacity * sizeof *old.kept);
    margay_weights_destroy(&old.weights);
    return status;
}

enum margay_status margay_objects_prepare(struct margay_objects *objects,
                                          struct margay_error *error)
{
    struct margay_weights *weights = &objects->weights;
    /* Of a sample, as many as may leave the front. */
    uint64_t refs = MARGAY_OBJECTS_BATCH + objects->front.group;
    uint64_t more = objects->samples ? 3 * objects->hash.entries : 0;
    enum margay_status status =
        margay_hash_reserve(&objects->hash, refs + more, error);
    if (status == MARGAY_OK && weights->capacity - weights->next <= 2 * refs)
        status = begin_anew(objects, error);
    if (status == MARGAY_OK && objects->has_distances)
        status = margay_steps_reserve(&objects->distances, MARGAY_OBJECTS_BATCH,
                                      error);
    return status;
}

/* ----------------------------------------------------- life of an engine -- */

/* log10(1/R) / R objects, as FLOWS has them, and a quarter more. */
static enum margay_status begin_front(
    struct margay_front *front, const struct margay_objects_options *options,
    struct margay_error *error)
{
    double objects = log10(1 / options->rate) / options->rate;
    uint64_t least = objects < MARGAY_OBJECTS_FRONT ? (uint64_t)objects
                                                    : MARGAY_OBJECTS_FRONT;
    unsigned bits = margay_log2_floor(5 * least / 4 + 8) + 2;
    *front = (struct margay_front){
        .rate = options->rate,
        .group = least / 4 + 1,
        .from = 1,
        .next = 1,
        .room = UINT32_C(1) << bits,
        .shift = 62 - bits,
        .places = margay_map(sizeof *front->places),
        .key = margay_sample_of(options->rate, options->seed).key};
    front->most = least + front->group;
    return front->places == NULL
               ? margay_fail_memory(error, "the front of a sample")
               : MARGAY_OK;
}

static enum margay_status create(struct margay_objects *objects,
                                 struct margay_error *error)
{
    const struct margay_sizes all = {.kind = MARGAY_SIZES_ALL};
    const struct margay_objects_options *options = &objects->options;
    enum margay_status status = MARGAY_OK;
    if (objects->samples && options->bound_bytes != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a bound is for exact curves of objects");
    /* The bytes of all objects stay below the largest number. */
    if (options->bound_bytes != UINT64_MAX)
        objects->bound.bytes = options->bound_bytes;
    if (options->half_life_refs != 0)
        margay_fading_begin(&objects->fading, options->half_life_refs);
    if (objects->samples)
        status = begin_front(&objects->front, options, error);
    if (status == MARGAY_OK && objects->has_curve)
        status = margay_steps_create(&objects->curve, options->curve, error);
    if (status == MARGAY_OK && objects->has_distances)
        status = margay_steps_create(&objects->distances, &all, error);
    if (status == MARGAY_OK)
        status = objects->samples
                     ? margay_hash_create(&objects->hash, 0, error)
                     : margay_hash_create_tight(&objects->hash,
                                                LEAST_MOMENTS / 4, error);
    if (status == MARGAY_OK)
        status = margay_weights_create(&objects->weights, LEAST_MOMENTS, error);
    if (status == MARGAY_OK)
        status = create_notes(objects, error);
    if (status == MARGAY_OK && objects->has_classes)
        status =
            margay_classes_create(&objects->classes, &objects->weights, error);
    return status;
}

enum margay_status margay_objects_create(
    const struct margay_objects_options *options, margay_objects **objects,
    struct margay_error *error)
{
    struct margay_objects *made = calloc(1, sizeof *made);
    *objects = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "an engine of objects");
    made->options = *options;
    made->kernel =
        MARGAY_FOR_TARGET(&margay_objects_kernel, margay_target_best());
    made->samples = options->rate < 1;
    made->refer = made->samples ? MARGAY_FOR_TARGET(&margay_refer_sampled,
                                                    margay_target_best())
                                : made->kernel->refer;
    made->has_curve = options->curve != NULL;
    /* Forgetting does not depend on the wanted sizes. */
    made->has_classes =
        (made->has_curve || options->bound_bytes != 0) && options->rate >= 1;
    made->has_distances = options->distances;
    enum margay_status status = create(made, error);
    if (status == MARGAY_OK)
        *objects = made;
    else
        margay_objects_free(made);
    return status;
}

void margay_objects_free(margay_objects *objects)
{
    if (objects == NULL)
        return;
    margay_unmap(objects->ages,
                 objects->weights.capacity * sizeof *objects->ages);
    margay_unmap(objects->kept,
                 objects->weights.capacity * sizeof *objects->kept);
    margay_unmap(objects->front.places, sizeof *objects->front.places);
    unmap_slack(&objects->slack);
    free(objects->bound.reaches);
    margay_classes_destroy(&objects->classes);
    margay_weights_destroy(&objects->weights);
    margay_hash_destroy(&objects->hash);
    margay_steps_destroy(&objects->curve);
    margay_steps_destroy(&objects->distances);
    margay_fading_clear(&objects->fading);
    free(objects);
}

void margay_objects_reset_counts(margay_objects *objects)
{
    /* Ages that have been merged stay so. */
    objects->counts =
        (struct margay_objects_counts){.merged = objects->counts.merged};
    margay_fading_clear(&objects->fading);
    if (objects->has_curve)
        margay_steps_clear(&objects->curve);
    if (objects->has_distances)
        margay_steps_clear(&objects->distances);
}

enum margay_status margay_objects_take_spec(
    const char *spec, struct margay_objects_options *options,
    struct margay_error *error)
{
    const struct margay_engine_class *class;
    struct margay_settings settings = {.given = 0};
    enum margay_status status =
        margay_engine_parse(spec, &class, &settings, error);
    if (status != MARGAY_OK)
        return status;
    if (class == &margay_engine_exact)
        return MARGAY_OK;
    if (class != &margay_engine_shards)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "engine %s knows nothing of sizes (expected exact "
                           "or shards)",
                           class->info.name);
    unsigned others = settings.given & ~(1u << MARGAY_SHARDS_RATE);
    options->rate = settings.fractions[MARGAY_SHARDS_RATE];
    return others == 0
               ? MARGAY_OK
               : margay_engine_fail_parameter(
                     class,
                     others & 1u << MARGAY_SHARDS_ADJUST ? "adjust" : "blocks",
                     "has no meaning for objects with sizes", error);
}

/* --------------------------------------------------------------- feeding -- */

/* How many requests can be looked up together from `from` on: up to a delete or
   the end of a fading piece. */
static size_t count_piece(const struct margay_objects *objects,
                          const struct margay_requests *requests, size_t from)
{
    size_t i = 0,
           most = margay_minimum(requests->count - from, MARGAY_OBJECTS_BATCH);
    if (objects->fading.piece_refs != 0)
        most = margay_minimum(most, objects->fading.refs_left);
    if (requests->ops == NULL)
        return most;
    while (i < most && requests->ops[from + i] != MARGAY_DELETE)
        i++;
    return i;
}

/* A sample's object is deleted, if it is in front. */
static void mark_gone(struct margay_objects *objects, uint64_t object)
{
    struct margay_front *front = &objects->front;
    uint32_t hash = margay_front_hash(front, object);
    uint32_t recent = margay_front_find(front, object, hash);
    if (recent != 0)
        front->places->gone[recent] = true;
}

enum margay_status margay_objects_feed(margay_objects *objects,
                                       const struct margay_requests *requests,
                                       uint64_t *distances,
                                       struct margay_error *error)
{
    struct margay_objects_counts *counts = &objects->counts;
    enum margay_status status = MARGAY_OK;
    for (size_t done = 0; done < requests->count && status == MARGAY_OK;) {
        uint64_t *at = distances == NULL ? NULL : distances + done;
        const struct margay_objects_piece piece = {
            requests, done, count_piece(objects, requests, done), at};
        if (piece.count > 0) {
            status = objects->refer(objects, &piece, error);
        } else {
            /* A delete: forget where the object was used; its bytes stay. */
            counts->deletes++;
            uint64_t object = requests->objects[done];
            if (objects->samples)
                mark_gone(objects, object);
            margay_hash_erase(&objects->hash, object);
            if (at != NULL)
                *at = MARGAY_INFINITE;
        }
        if (status == MARGAY_OK && objects->fading.piece_refs != 0)
            status = margay_fading_pass(&objects->fading, piece.count,
                                        &objects->counts, &objects->curve,
                                        &objects->distances, error);
        done += piece.count + (piece.count == 0);
    }
    objects->fed += requests->count;
    return status;
}

/* --------------------------------------------------------------- results -- */

/* The most bytes that all objects had: no cache needs more. */
static uint64_t most_bytes(const struct margay_objects *objects)
{
    return margay_maximum(objects->most_bytes,
                          objects->weights.total + objects->front.bytes);
}

/* What is left where estimates are taken from what there is, or masses that
   fade, each of which is rounded. */
static uint64_t left_of(const struct margay_objects *objects, uint64_t all,
                        uint64_t taken)
{
    bool fades = objects->fading.piece_refs != 0;
    bool none =
        objects->samples ? taken > all : fades && (all - taken) >> 63 != 0;
    return none ? 0 : all - taken;
}

/* What misses where so much hits.  Where bytes of a sample miss, a reference
   does. */
static struct margay_step missed_of(const struct margay_objects *objects,
                                    const struct margay_objects_counts *counts,
                                    struct margay_step hits)
{
    struct margay_step missed = {
        left_of(objects, counts->references, hits.refs),
        left_of(objects, counts->reference_bytes, hits.bytes)};
    if (objects->samples && missed.refs == 0 && missed.bytes > 0)
        missed.refs = 1;
    return missed;
}

struct margay_objects_counts margay_objects_counted(
    const margay_objects *objects)
{
    struct margay_objects_counts counts = objects->counts;
    margay_fading_add(&objects->fading, &counts);
    counts.objects = objects->weights.objects;
    counts.object_bytes = most_bytes(objects);
    if (objects->samples) {
        counts.objects = objects->front.stands;
        counts.object_bytes = objects->weights.total + objects->front.bytes;
        counts.unsure_below = objects->classes.largest_size;
        /* So far these are of requests of known objects, as they stand. */
        const struct margay_step known = {counts.cold, counts.cold_bytes},
                                 cold = missed_of(objects, &counts, known);
        counts.cold = cold.refs;
        counts.cold_bytes = cold.bytes;
    }
    if (objects->bound.bytes != 0 &&
        (objects->bound.exceeded ||
         most_bytes(objects) > objects->bound.bytes)) {
        counts.exceeded_bound = objects->bound.bytes;
        counts.objects = counts.object_bytes = 0;
    }
    return counts;
}

/* The sizes of the options, or others. */
static enum margay_status make_rows(const margay_objects *objects,
                                    const struct margay_sizes *sizes,
                                    const struct margay_objects_counts *counts,
                                    struct margay_step_row **rows,
                                    size_t *count, struct margay_error *error)
{
    struct margay_steps steps;
    uint64_t bound = counts->exceeded_bound;
    enum margay_status status = margay_masses_settle(
        &objects->fading.curve, &objects->curve, counts, &steps, error);
    if (status == MARGAY_OK)
        status = margay_steps_rows_at(&steps, sizes,
                                      bound != 0 ? bound : most_bytes(objects),
                                      rows, count, error);
    free(steps.steps);
    if (sizes == NULL || steps.sizes.kind != MARGAY_SIZES_ALL)
        sizes = &steps.sizes;
    if (status != MARGAY_OK || bound == 0)
        return status;
    /* An exceeded bound ends the rows. */
    uint64_t last = *count == 0 ? 0 : (*rows)[*count - 1].cache_bytes;
    if (last > bound && sizes->kind == MARGAY_SIZES_LIST)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a cache of %llu bytes is above the bound of %llu, "
                           "which the objects exceed",
                           (unsigned long long)last, (unsigned long long)bound);
    while (*count > 0 && (*rows)[*count - 1].cache_bytes > bound)
        --*count;
    return MARGAY_OK;
}

enum margay_status margay_objects_curve(const margay_objects *objects,
                                        const struct margay_sizes *sizes,
                                        struct margay_objects_point **points,
                                        size_t *count,
                                        struct margay_error *error)
{
    const struct margay_objects_counts counts = margay_objects_counted(objects);
    struct margay_step_row *rows = NULL;
    *points = NULL;
    *count = 0;
    if (counts.references == 0)
        return MARGAY_OK;
    enum margay_status status =
        make_rows(objects, sizes, &counts, &rows, count, error);
    if (status == MARGAY_OK)
        *points = calloc(*count + 1, sizeof **points);
    if (status == MARGAY_OK && *points == NULL)
        status = margay_fail_memory(error, "the points of a curve");
    for (size_t i = 0; i < *count && status == MARGAY_OK; i++) {
        struct margay_step missed = missed_of(objects, &counts, rows[i].hits);
        (*points)[i] = (struct margay_objects_point){rows[i].cache_bytes,
                                                     missed.refs, missed.bytes};
    }
    free(rows);
    return status;
}

/* Make rows of sums of hits; returns the last sum, of the trace. */
static uint64_t fill_rows(const struct margay_objects *objects,
                          const struct margay_objects_counts *counts,
                          const struct margay_step_row *sums, size_t count,
                          struct margay_histogram_row *rows)
{
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t hits = sums[i].hits.refs;
        if (objects->samples)
            hits = counts->references -
                   missed_of(objects, counts, sums[i].hits).refs;
        rows[i] =
            (struct margay_histogram_row){sums[i].cache_bytes, hits - before};
        before = hits;
    }
    return before;
}

enum margay_status margay_objects_histogram(const margay_objects *objects,
                                            margay_histogram **histogram,
                                            struct margay_error *error)
{
    const struct margay_objects_counts counts = margay_objects_counted(objects);
    struct margay_step_row *sums = NULL;
    struct margay_steps steps;
    size_t count = 0;
    *histogram = NULL;
    enum margay_status status =
        margay_masses_settle(&objects->fading.distances, &objects->distances,
                             &counts, &steps, error);
    if (status == MARGAY_OK)
        status = margay_steps_rows(&steps, 0, &sums, &count, error);
    free(steps.steps);
    struct margay_histogram_row *rows = NULL;
    if (status == MARGAY_OK)
        rows = calloc(count + 1, sizeof *rows);
    if (rows == NULL)
        status = margay_fail_memory(error, "a histogram");
    if (status == MARGAY_OK) {
        uint64_t hits = fill_rows(objects, &counts, sums, count, rows);
        status = margay_histogram_of_rows(
            rows, count,
            objects->samples ? counts.references - hits
                             : counts.cold + counts.expired + counts.far,
            histogram, error);
    }
    if (status == MARGAY_OK && counts.exceeded_bound != 0)
        margay_histogram_set_exceeded_bound(*histogram,
                                            counts.exceeded_bound + 1);
    if (status != MARGAY_OK)
        free(rows);
    free(sums);
    return status;
}
