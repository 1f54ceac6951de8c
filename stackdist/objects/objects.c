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
 *   counts bits.  That holds for C of the largest object and more; below,
 *   classes.h says which caches hit.
 *
 *   An object that has expired keeps its room, and its next request misses at
 *   all sizes; so that request has no distance, and nothing else changes.
 * Source: Mattson, Gecsei, Slutz, Traiger, "Evaluation techniques for storage
 *   hierarchies", 1970, for blocks of one size; the argument for bytes, and
 *   what small caches do, are our own.  A sample is chosen as SHARDS does
 *   (engines/shards.c); the bytes of an object itself are not scaled.
 * Guarantee: exact at every size of the grid, but for samples.
 * Cost: O(log M) per request; see weights.h and classes.h, and 17 to 22 bytes
 *   per object for the table of names.
 */
#include "stackdist/objects/objects.h"

#include <stdlib.h>

#include "stackdist/histogram.h"
#include "traces/traces_internal.h"

/* ------------------------------------------------------- life of an engine --
 */

static enum margay_status create(struct margay_objects *objects,
                                 struct margay_error *error)
{
    const struct margay_sizes all = {.kind = MARGAY_SIZES_ALL};
    const struct margay_objects_options *options = &objects->options;
    enum margay_status status = MARGAY_OK;
    objects->sample = margay_sample_of(options->rate, options->seed);
    objects->samples = options->rate < 1;
    objects->scale = margay_sample_scale(&objects->sample);
    if (options->half_life_refs != 0 && objects->samples)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a half-life is for exact curves of objects");
    if (options->bound_bytes != 0 && objects->samples)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a bound is for exact curves of objects");
    /* All objects together have less than the largest number. */
    if (options->bound_bytes != UINT64_MAX)
        objects->bound.bytes = options->bound_bytes;
    if (options->half_life_refs != 0)
        margay_fading_begin(&objects->fading, options->half_life_refs);
    if (objects->has_curve)
        status = margay_steps_create(&objects->curve, options->curve, error);
    if (status == MARGAY_OK && objects->has_distances)
        status = margay_steps_create(&objects->distances, &all, error);
    return status == MARGAY_OK ? margay_objects_create_store(objects, error)
                               : status;
}

static const struct margay_objects_kernel *kernel_here(void)
{
    switch (margay_target_best()) {
#if defined(__x86_64__)
    case MARGAY_TARGET_V4:
        return &margay_objects_kernel_v4;
    case MARGAY_TARGET_V3:
        return &margay_objects_kernel_v3;
#endif
    default:
        return &margay_objects_kernel_portable;
    }
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
    made->kernel = kernel_here();
    made->has_curve = options->curve != NULL;
    /* Which objects are forgotten does not depend on what is asked for. */
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
    margay_objects_destroy_store(objects);
    margay_steps_destroy(&objects->curve);
    margay_steps_destroy(&objects->distances);
    margay_fading_clear(&objects->fading);
    free(objects);
}

void margay_objects_reset_counts(margay_objects *objects)
{
    objects->counts = (struct margay_objects_counts){0};
    margay_fading_clear(&objects->fading);
    if (objects->has_curve)
        margay_steps_clear(&objects->curve);
    if (objects->has_distances)
        margay_steps_clear(&objects->distances);
}

/* --------------------------------------------------------------- feeding -- */

static bool is_sampled(const struct margay_objects *objects, uint64_t name)
{
    return margay_sample_hash(name, objects->sample.key) <=
           objects->sample.limit;
}

/* Forget where the object was used; its bytes stay there. */
static void forget(struct margay_objects *objects, uint64_t name)
{
    objects->counts.deletes++;
    margay_hash_erase(&objects->hash, name);
}

/* The requests that can be looked up together from `from` on: up to a delete or
   the end of a piece that fades, and of a sample those in a row. */
static size_t count_piece(const struct margay_objects *objects,
                          const struct margay_requests *requests, size_t from)
{
    size_t most = requests->count - from, i = 0;
    if (most > MARGAY_OBJECTS_BATCH)
        most = MARGAY_OBJECTS_BATCH;
    if (objects->fading.piece_refs != 0 && most > objects->fading.refs_left)
        most = (size_t)objects->fading.refs_left;
    if (requests->ops == NULL && !objects->samples)
        return most;
    while (
        i < most &&
        (requests->ops == NULL || requests->ops[from + i] != MARGAY_DELETE) &&
        (!objects->samples || is_sampled(objects, requests->objects[from + i])))
        i++;
    return i;
}

/* A request that is no reference of an object of the sample: a delete, or
   another object's. */
static enum margay_status pass_by(struct margay_objects *objects,
                                  const struct margay_requests *requests,
                                  size_t i, uint64_t *distance,
                                  struct margay_error *error)
{
    bool deletes = requests->ops != NULL && requests->ops[i] == MARGAY_DELETE;
    if (distance != NULL)
        *distance = MARGAY_INFINITE;
    if (deletes)
        forget(objects, requests->objects[i]);
    else if (!margay_add_u64(objects->counts.reference_bytes,
                             requests->sizes[i],
                             &objects->counts.reference_bytes))
        return margay_fail(error, MARGAY_BAD_INPUT,
                           "reference %llu: all references together have 2^64 "
                           "bytes or more",
                           (unsigned long long)(objects->fed + i + 1));
    objects->counts.references += !deletes;
    return MARGAY_OK;
}

static enum margay_status refer(struct margay_objects *objects,
                                const struct margay_objects_piece *piece,
                                struct margay_error *error)
{
    struct margay_objects_counts *counts = &objects->counts;
    uint64_t bytes = counts->sampled_bytes;
    enum margay_status status = objects->kernel->refer(objects, piece, error);
    counts->references += piece->count;
    if (status == MARGAY_OK &&
        !margay_add_u64(counts->reference_bytes, counts->sampled_bytes - bytes,
                        &counts->reference_bytes))
        status = margay_fail(error, MARGAY_BAD_INPUT,
                             "all references together have 2^64 bytes or more");
    return status;
}

static enum margay_status fade(struct margay_objects *objects, size_t refs,
                               struct margay_error *error)
{
    struct margay_fading *fading = &objects->fading;
    if (fading->piece_refs == 0)
        return MARGAY_OK;
    fading->refs_left -= refs;
    return fading->refs_left > 0
               ? MARGAY_OK
               : margay_fading_end_piece(fading, &objects->counts,
                                         &objects->curve, &objects->distances,
                                         error);
}

enum margay_status margay_objects_feed(margay_objects *objects,
                                       const struct margay_requests *requests,
                                       uint64_t *distances,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t done = 0; done < requests->count && status == MARGAY_OK;) {
        uint64_t *at = distances == NULL ? NULL : distances + done;
        const struct margay_objects_piece piece = {
            requests, done, count_piece(objects, requests, done), at};
        if (piece.count > 0)
            status = refer(objects, &piece, error);
        else
            status = pass_by(objects, requests, done, at, error);
        if (status == MARGAY_OK)
            status = fade(objects, piece.count, error);
        done += piece.count + (piece.count == 0);
    }
    objects->fed += requests->count;
    return status;
}

/* --------------------------------------------------------------- results -- */

static uint64_t rounded(double value)
{
    return value <= 0       ? 0
           : value < 0x1p63 ? (uint64_t)(value + 0.5)
                            : UINT64_MAX;
}

/* The bytes of all objects, when they were most: no cache needs more. */
static uint64_t most_bytes(const struct margay_objects *objects)
{
    uint64_t now = objects->weights.total;
    return now > objects->most_bytes ? now : objects->most_bytes;
}

static bool is_exceeded(const struct margay_objects *objects)
{
    return objects->bound.bytes != 0 &&
           (objects->bound.exceeded ||
            most_bytes(objects) > objects->bound.bytes);
}

struct margay_objects_counts margay_objects_counted(
    const margay_objects *objects)
{
    struct margay_objects_counts counts = objects->counts;
    margay_fading_add(&objects->fading, &counts);
    counts.objects = objects->weights.objects;
    counts.object_bytes = most_bytes(objects);
    if (is_exceeded(objects)) {
        counts.exceeded_bound = objects->bound.bytes;
        counts.objects = counts.object_bytes = 0;
    }
    if (objects->samples) {
        counts.objects = rounded((double)counts.objects * objects->scale);
        counts.object_bytes =
            rounded((double)counts.object_bytes * objects->scale);
    }
    return counts;
}

/* What misses, of `all`, where `hits` of `sampled` hit.  Counts that fade are
   rounded one by one. */
static uint64_t estimate(const struct margay_objects *objects, uint64_t all,
                         uint64_t sampled, uint64_t hits)
{
    if (!objects->samples)
        return hits < all ? all - hits : 0;
    if (!objects->options.adjust)
        return sampled == 0 ? all
                            : rounded((double)all * ((double)(sampled - hits) /
                                                     (double)sampled));
    uint64_t misses = rounded((double)(sampled - hits) * objects->scale);
    return misses < all ? misses : all;
}

/* An exceeded bound ends the rows. */
static enum margay_status cut_rows(const struct margay_sizes *sizes,
                                   const struct margay_step_row *rows,
                                   uint64_t bound, size_t *count,
                                   struct margay_error *error)
{
    uint64_t last = *count == 0 ? 0 : rows[*count - 1].cache_bytes;
    if (last > bound && sizes->kind == MARGAY_SIZES_LIST)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "a cache of %llu bytes is above the bound of %llu, "
                           "which the objects exceed",
                           (unsigned long long)last, (unsigned long long)bound);
    while (*count > 0 && rows[*count - 1].cache_bytes > bound)
        --*count;
    return MARGAY_OK;
}

/* The sizes that the options ask for, or others. */
static enum margay_status make_rows(const margay_objects *objects,
                                    const struct margay_sizes *sizes,
                                    const struct margay_objects_counts *counts,
                                    struct margay_step_row **rows,
                                    size_t *count, struct margay_error *error)
{
    struct margay_steps steps;
    uint64_t bound = counts->exceeded_bound;
    enum margay_status status = margay_masses_settle(
        &objects->fading.curve, &objects->curve, &steps, error);
    if (status == MARGAY_OK)
        status = margay_steps_rows_at(&steps, sizes,
                                      bound != 0 ? bound : counts->object_bytes,
                                      rows, count, error);
    free(steps.steps);
    if (sizes == NULL || steps.sizes.kind != MARGAY_SIZES_ALL)
        sizes = &steps.sizes;
    return status == MARGAY_OK && bound != 0
               ? cut_rows(sizes, *rows, bound, count, error)
               : status;
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
    for (size_t i = 0; i < *count && status == MARGAY_OK; i++)
        (*points)[i] = (struct margay_objects_point){
            rows[i].cache_bytes,
            estimate(objects, counts.references, counts.sampled_refs,
                     rows[i].hits.refs),
            estimate(objects, counts.reference_bytes, counts.sampled_bytes,
                     rows[i].hits.bytes)};
    free(rows);
    return status;
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
    enum margay_status status = margay_masses_settle(
        &objects->fading.distances, &objects->distances, &steps, error);
    if (status == MARGAY_OK)
        status = margay_steps_rows(&steps, 0, &sums, &count, error);
    free(steps.steps);
    struct margay_histogram_row *rows = NULL;
    if (status == MARGAY_OK)
        rows = calloc(count + 1, sizeof *rows);
    if (rows == NULL)
        status = margay_fail_memory(error, "a histogram");
    for (size_t i = 0; i < count && status == MARGAY_OK; i++)
        rows[i] = (struct margay_histogram_row){
            sums[i].cache_bytes,
            sums[i].hits.refs - (i > 0 ? sums[i - 1].hits.refs : 0)};
    if (status == MARGAY_OK)
        status = margay_histogram_of_rows(
            rows, count, counts.cold + counts.expired + counts.far, histogram,
            error);
    if (status == MARGAY_OK && counts.exceeded_bound != 0)
        margay_histogram_set_exceeded_bound(*histogram,
                                            counts.exceeded_bound + 1);
    if (status != MARGAY_OK)
        free(rows);
    free(sums);
    return status;
}
