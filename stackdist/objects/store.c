/* store.c - the memory of the engine of objects, which grows with them */
#include <stdlib.h>
#include <string.h>

#include "stackdist/objects/objects.h"
#include "traces/traces_internal.h"

/* The axis of a new engine, and moments per object when time begins anew: with
   more, that is rarer; with fewer, it takes less memory. */
#define LEAST_MOMENTS      ((uint64_t)1 << 14)
#define MOMENTS_PER_OBJECT 2

static enum margay_status create_ages(struct margay_objects *objects,
                                      struct margay_error *error)
{
    if (!objects->options.ages)
        return MARGAY_OK;
    objects->ages =
        margay_map(objects->weights.capacity * sizeof *objects->ages);
    return objects->ages == NULL
               ? margay_fail_memory(error, "the ages of objects")
               : MARGAY_OK;
}

enum margay_status margay_objects_create_store(struct margay_objects *objects,
                                               struct margay_error *error)
{
    enum margay_status status =
        margay_hash_create_tight(&objects->hash, LEAST_MOMENTS / 4, error);
    if (status == MARGAY_OK)
        status = margay_weights_create(&objects->weights, LEAST_MOMENTS, error);
    if (status == MARGAY_OK)
        status = create_ages(objects, error);
    if (status == MARGAY_OK && objects->has_classes)
        status =
            margay_classes_create(&objects->classes, &objects->weights, error);
    return status;
}

static void unmap_ages(struct margay_ages *ages,
                       const struct margay_weights *weights)
{
    margay_unmap(ages, weights->capacity * sizeof *ages);
}

void margay_objects_destroy_store(struct margay_objects *objects)
{
    unmap_ages(objects->ages, &objects->weights);
    margay_objects_unmap_slack(&objects->slack);
    margay_bound_destroy(&objects->bound);
    margay_classes_destroy(&objects->classes);
    margay_weights_destroy(&objects->weights);
    margay_hash_destroy(&objects->hash);
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

void margay_objects_unmap_slack(struct margay_slack *slack)
{
    margay_unmap(slack->sums, slack->capacity * sizeof *slack->sums);
    *slack = (struct margay_slack){.total = 0};
}

/* --------------------------------------------------- a new time for all -- */

static bool count_live(struct margay_old_time *old)
{
    size_t words = old->weights.capacity / 64;
    uint64_t live = 0;
    old->words = malloc(words * sizeof *old->words);
    for (size_t i = 0; old->words != NULL && i < words; i++) {
        old->words[i] = (struct margay_live_word){old->weights.live[i], live};
        live += (uint64_t)__builtin_popcountll(old->weights.live[i]);
    }
    return old->words != NULL;
}

/* Give back what has been copied out of arrays that are not used again. */
static void release(struct margay_objects *objects,
                    const struct margay_old_time *old, uint64_t end)
{
    const uint64_t most = (uint64_t)1 << 18;
    if (old->weights.low == objects->weights.low || end % most != 0)
        return;
    margay_discard(old->weights.low + end - most,
                   most * sizeof *old->weights.low);
}

static void copy_live(struct margay_objects *objects,
                      const struct margay_old_time *old)
{
    struct margay_weights *weights = &objects->weights;
    for (uint64_t word = 0; word < old->weights.capacity / 64; word++) {
        uint64_t live = old->words[word].live;
        for (; live != 0; live &= live - 1) {
            uint64_t moment = 64 * word + (unsigned)__builtin_ctzll(live);
            if ((uint32_t)weights->next == 0)
                margay_weights_skip(weights);
            uint64_t now = margay_weights_put(
                weights, margay_weights_size(&old->weights, moment));
            if (objects->ages != NULL)
                objects->ages[now] = old->ages[moment];
        }
        release(objects, old, 64 * (word + 1));
    }
}

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
        return MARGAY_OK;
    }
    margay_classes_free_rows(&objects->classes);
    enum margay_status status = margay_weights_create(weights, capacity, error);
    if (status == MARGAY_OK && old->weights.high != NULL)
        status = margay_weights_widen(weights, error);
    return status == MARGAY_OK ? create_ages(objects, error) : status;
}

static enum margay_status renumber(struct margay_objects *objects,
                                   struct margay_old_time *old,
                                   struct margay_error *error)
{
    enum margay_status status =
        count_live(old) ? MARGAY_OK
                        : margay_fail_memory(error, "the order of objects");
    if (status == MARGAY_OK)
        status = make_time(objects, old, error);
    if (status == MARGAY_OK && old->slack.total != 0)
        status = margay_objects_make_slack(objects, error);
    if (status != MARGAY_OK)
        return status;
    copy_live(objects, old);
    if (objects->weights.low == old->weights.low)
        margay_weights_clear_rest(&objects->weights);
    objects->kernel->renumber(objects, old);
    return objects->has_classes
               ? margay_classes_fit(&objects->classes, &objects->weights, 0,
                                    error)
               : MARGAY_OK;
}

/* Time has come to its end: the last uses that count get new moments, in their
   order. */
static enum margay_status begin_anew(struct margay_objects *objects,
                                     struct margay_error *error)
{
    enum margay_status status = objects->classes.changes
                                    ? margay_objects_make_slack(objects, error)
                                    : MARGAY_OK;
    struct margay_old_time old = {objects->weights, objects->slack,
                                  objects->ages, NULL};
    objects->weights = (struct margay_weights){.capacity = 0};
    objects->slack = (struct margay_slack){.total = 0};
    objects->ages = NULL;
    objects->refs_to_look = objects->looks = 0;
    uint64_t before = old.weights.objects;
    if (status == MARGAY_OK)
        status = margay_classes_settle_all(&objects->classes, error);
    if (status == MARGAY_OK && objects->bound.bytes != 0)
        status = margay_bound_sweep(&objects->bound, &old.weights, &old.slack,
                                    error);
    if (status == MARGAY_OK)
        status = renumber(objects, &old, error);
    if (status == MARGAY_OK && old.weights.objects < before)
        status = margay_hash_close(&objects->hash, error);
    free(old.words);
    margay_objects_unmap_slack(&old.slack);
    if (objects->weights.low == old.weights.low)
        return status;
    unmap_ages(old.ages, &old.weights);
    margay_weights_destroy(&old.weights);
    return status;
}

enum margay_status margay_objects_prepare(struct margay_objects *objects,
                                          struct margay_error *error)
{
    struct margay_weights *weights = &objects->weights;
    enum margay_status status =
        margay_hash_reserve(&objects->hash, MARGAY_OBJECTS_BATCH, error);
    if (status == MARGAY_OK &&
        weights->capacity - weights->next <= 2 * MARGAY_OBJECTS_BATCH)
        status = begin_anew(objects, error);
    if (status == MARGAY_OK && objects->has_distances)
        status = margay_steps_reserve(&objects->distances, MARGAY_OBJECTS_BATCH,
                                      error);
    return status;
}
