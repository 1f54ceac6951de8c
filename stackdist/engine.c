/* engine.c - the table of engines and the way to them */
#define _GNU_SOURCE
#include "stackdist/engine.h"

#include <stdlib.h>
#include <string.h>

#include "stackdist/spec.h"
#include "traces/traces_internal.h"

/* In the order in which people see them: the production engine first. */
/* clang-format off */
static const struct margay_engine_class *const classes[] = {
    &margay_engine_exact,
    &margay_engine_naive,
    &margay_engine_olken,
    &margay_engine_bennett_kruskal,
    &margay_engine_holes,
    &margay_engine_bounded,
    &margay_engine_parda,
    &margay_engine_markers,
    &margay_engine_scale_tree,
    &margay_engine_absolute,
    &margay_engine_statstack,
    &margay_engine_aet,
    &margay_engine_shen,
    &margay_engine_shards,
    &margay_engine_shards_hybrid,
    &margay_engine_hp_rda,
    &margay_engine_gpu,
};
/* clang-format on */
#define CLASSES (sizeof classes / sizeof classes[0])

struct margay_engine {
    const struct margay_engine_class *class;
    void *state;
    /* The sizes of the spec, where there are no others. */
    uint64_t sizes[MARGAY_ENGINE_MAX_SIZES];
    size_t size_count;
    uint64_t repeats; /* counted beside what was fed */
};

size_t margay_engine_count(void)
{
    return CLASSES;
}

const struct margay_engine_class *margay_engine_class_at(size_t index)
{
    return index < CLASSES ? classes[index] : NULL;
}

const struct margay_engine_info *margay_engine_at(size_t index)
{
    const struct margay_engine_class *class = margay_engine_class_at(index);
    return class ? &class->info : NULL;
}

const struct margay_engine_info *margay_engine_describe(
    const margay_engine *engine)
{
    return &engine->class->info;
}

const struct margay_engine_part *margay_engine_as_part(margay_engine *engine,
                                                       void **state)
{
    *state = engine->state;
    return engine->class->part;
}

/* ------------------------------------------------------ making engines -- */

static enum margay_status choose_measure(
    const struct margay_engine_class **class, const char *spec,
    enum margay_measure measure, struct margay_error *error)
{
    if (measure == MARGAY_REUSE_DISTANCES)
        return MARGAY_OK;
    if (strcmp(spec, margay_engine_exact.info.name) != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "engine '%s' measures reuse distances only; times "
                           "and footprints are for exact, without parameters",
                           spec);
    *class = measure == MARGAY_REUSE_TIMES ? &margay_engine_times
                                           : &margay_engine_footprint;
    return MARGAY_OK;
}

static enum margay_status check_bound(const struct margay_engine_class *class,
                                      enum margay_measure measure,
                                      uint64_t bound,
                                      struct margay_error *error)
{
    if (class->needs_bound && bound == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "engine %s needs a bound (--bound SIZE)",
                           class->info.name);
    if (bound != 0 && measure != MARGAY_REUSE_DISTANCES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "reuse times and footprints take no bound (reuse "
                           "distances do)");
    if (bound != 0 && class->info.lacks & MARGAY_LACKS_BOUND)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "engine %s takes no bound (exact does)",
                           class->info.name);
    return MARGAY_OK;
}

static enum margay_status make(const struct margay_engine_class *class,
                               const struct margay_engine_setup *setup,
                               margay_engine **engine,
                               struct margay_error *error)
{
    margay_engine *made = calloc(1, sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "an engine");
    made->class = class;
    made->size_count = setup->size_count;
    memcpy(made->sizes, setup->sizes, sizeof made->sizes);
    enum margay_status status = class->create(setup, &made->state, error);
    if (status == MARGAY_OK)
        *engine = made;
    else
        free(made);
    return status;
}

enum margay_status margay_engine_create(
    const char *spec, const struct margay_engine_options *options,
    margay_engine **engine, struct margay_error *error)
{
    const struct margay_engine_class *class;
    struct margay_engine_setup setup = {.options = *options};
    *engine = NULL;
    enum margay_status status = margay_spec_parse(spec, &class, &setup, error);
    if (status == MARGAY_OK)
        status = choose_measure(&class, spec, options->measure, error);
    if (status == MARGAY_OK)
        status =
            check_bound(class, options->measure, options->bound_blocks, error);
    if (status == MARGAY_OK)
        status = make(class, &setup, engine, error);
    return status;
}

void margay_engine_free(margay_engine *engine)
{
    if (engine == NULL)
        return;
    engine->class->free_state(engine->state);
    free(engine);
}

/* ------------------------------------------------------- using engines -- */

static bool has_size(const margay_engine *engine, uint64_t size)
{
    for (size_t i = 0; i < engine->size_count; i++) {
        if (engine->sizes[i] == size)
            return true;
    }
    return false;
}

enum margay_status margay_engine_check_sizes(const margay_engine *engine,
                                             const struct margay_sizes *sizes,
                                             struct margay_error *error)
{
    const struct margay_engine_info *info = &engine->class->info;
    if (!(info->lacks & MARGAY_LACKS_SIZES) ||
        sizes->kind == MARGAY_SIZES_USUAL || sizes->kind == MARGAY_SIZES_ALL)
        return MARGAY_OK;
    if (sizes->kind != MARGAY_SIZES_LIST)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "engine %s knows no other cache sizes than those in "
                           "its spec (%s)",
                           info->name, info->parameters);
    for (size_t i = 0; i < sizes->list_count; i++) {
        if (!has_size(engine, sizes->list_blocks[i]))
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "engine %s knows nothing of a cache of %llu "
                               "blocks, which is not in its spec (%s)",
                               info->name,
                               (unsigned long long)sizes->list_blocks[i],
                               info->parameters);
    }
    return MARGAY_OK;
}

enum margay_status margay_engine_feed(margay_engine *engine,
                                      const uint64_t *blocks, size_t count,
                                      uint64_t *distances,
                                      struct margay_error *error)
{
    const struct margay_engine_class *class = engine->class;
    if (distances != NULL && class->info.lacks & MARGAY_LACKS_DISTANCES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "engine %s does not know the distance of a single "
                           "reference",
                           class->info.name);
    return class->feed(engine->state, blocks, count, distances, error);
}

bool margay_engine_takes_repeats(const margay_engine *engine)
{
    return engine->class->takes_repeats;
}

void margay_engine_add_repeats(margay_engine *engine, uint64_t count)
{
    engine->repeats += count;
}

void margay_engine_reset_counts(margay_engine *engine)
{
    engine->repeats = 0;
    engine->class->reset_counts(engine->state);
}

static enum margay_status count_references(const margay_engine *engine,
                                           struct margay_result *result,
                                           struct margay_error *error)
{
    if (result->histogram == NULL)
        return MARGAY_OK;
    if (engine->repeats > 0) {
        enum margay_status status =
            margay_histogram_add(result->histogram, 0, engine->repeats, error);
        if (status != MARGAY_OK) {
            margay_result_clear(result);
            return status;
        }
    }
    result->references = margay_histogram_references(result->histogram);
    result->infinite = margay_histogram_infinite(result->histogram);
    return MARGAY_OK;
}

enum margay_status margay_engine_finish(margay_engine *engine,
                                        struct margay_result *result,
                                        struct margay_error *error)
{
    *result = (struct margay_result){0};
    enum margay_status status =
        engine->class->finish(engine->state, result, error);
    if (status == MARGAY_OK)
        status = count_references(engine, result, error);
    return status;
}

/* ----------------------------------------------- looking in, going on -- */

bool margay_engine_has_state(const margay_engine *engine)
{
    return engine->class->list_stack != NULL;
}

static enum margay_status check_state(const margay_engine *engine,
                                      struct margay_error *error)
{
    if (margay_engine_has_state(engine))
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "engine %s cannot be looked into before the end, nor "
                       "its state be saved",
                       engine->class->info.name);
}

enum margay_status margay_engine_peek(margay_engine *engine,
                                      struct margay_result *result,
                                      struct margay_error *error)
{
    *result = (struct margay_result){0};
    enum margay_status status = check_state(engine, error);
    if (status == MARGAY_OK)
        status = engine->class->peek(engine->state, result, error);
    if (status == MARGAY_OK)
        status = count_references(engine, result, error);
    return status;
}

enum margay_status margay_engine_export(margay_engine *engine,
                                        struct margay_engine_state *state,
                                        struct margay_error *error)
{
    struct margay_result result;
    *state = (struct margay_engine_state){0};
    enum margay_status status = margay_engine_peek(engine, &result, error);
    if (status != MARGAY_OK)
        return status;
    state->counts = result.histogram;
    status = engine->class->list_stack(engine->state, &state->blocks,
                                       &state->block_count, error);
    if (status != MARGAY_OK)
        margay_engine_state_clear(state);
    return status;
}

enum margay_status margay_engine_import(margay_engine *engine,
                                        const struct margay_engine_state *state,
                                        struct margay_error *error)
{
    const struct margay_engine_class *class = engine->class;
    enum margay_status status = check_state(engine, error);
    if (status == MARGAY_OK)
        status = class->feed(engine->state, state->blocks,
                             (size_t)state->block_count, NULL, error);
    if (status != MARGAY_OK)
        return status;
    class->reset_counts(engine->state);
    return class->adopt(engine->state, state->counts, error);
}

void margay_engine_state_clear(struct margay_engine_state *state)
{
    free(state->blocks);
    margay_histogram_free(state->counts);
    *state = (struct margay_engine_state){0};
}

void margay_result_clear(struct margay_result *result)
{
    margay_histogram_free(result->histogram);
    free(result->points);
    result->histogram = NULL;
    result->points = NULL;
    result->point_count = 0;
}
