/*
 * engine.c - the table of engines, and the public functions that call them
 */
#define _GNU_SOURCE
#include "stackdist/engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS(name) &margay_engine_##name,
static const struct margay_engine_class *const classes[] = {
    MARGAY_ENGINES(ADDRESS)};
#define CLASSES (sizeof classes / sizeof classes[0])

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

/* ----------------------------------------------------------------- specs -- */

static struct margay_spec_row row_of(const struct margay_engine_info *info)
{
    return info == NULL
               ? (struct margay_spec_row){NULL, NULL}
               : (struct margay_spec_row){info->name, info->parameters};
}

static struct margay_spec_row row_at(size_t index)
{
    return row_of(margay_engine_at(index));
}

enum margay_status margay_engine_parse(const char *spec,
                                       const struct margay_engine_class **class,
                                       struct margay_settings *settings,
                                       struct margay_error *error)
{
    static const struct margay_spec_table table = {"engine", "the engines are",
                                                   row_at, false, false};
    size_t index;
    enum margay_status status =
        margay_spec_parse(&table, spec, &index, settings, error);
    *class = status == MARGAY_OK ? classes[index] : NULL;
    return status;
}

enum margay_status margay_engine_fail_parameter(
    const struct margay_engine_class *class, const char *key, const char *why,
    struct margay_error *error)
{
    struct margay_spec_row row = row_of(&class->info);
    return margay_spec_refuse("engine", &row, key, "...", why, error);
}

/* ------------------------------------------------------------- abilities -- */

/* The rows of "exact", by measure. */
static const struct margay_engine_class *const measures[] = {
    [MARGAY_REUSE_DISTANCES] = &margay_engine_exact,
    [MARGAY_REUSE_TIMES] = &margay_engine_times,
    [MARGAY_FOOTPRINT] = &margay_engine_footprint,
    [MARGAY_OPTIMAL_DISTANCES] = &margay_engine_optimal,
    [MARGAY_OPTIMAL_BYPASS_DISTANCES] = &margay_engine_optimal,
};

/* The abilities of the class, and those that its functions imply. */
static unsigned abilities_of(const struct margay_engine_class *class)
{
    unsigned can = class->can;
    if (class->peek != NULL)
        can |= MARGAY_CAN_PEEK;
    if (class->list_stack != NULL && class->adopt != NULL)
        can |= MARGAY_CAN_SAVE;
    /* If the engine does not answer other parts, the exact one does (part.h).
     */
    if ((can & MARGAY_CAN_SAVE) && (can & MARGAY_CAN_TELL_DISTANCES))
        can |= MARGAY_CAN_SHARE_RANKS;
    return can;
}

/* The row of a spec, and the class for a measure, with its settings. */
static enum margay_status find(const char *spec, enum margay_measure measure,
                               const struct margay_engine_info **info,
                               const struct margay_engine_class **class,
                               struct margay_engine_setup *setup,
                               struct margay_error *error)
{
    enum margay_status status =
        margay_engine_parse(spec, class, &setup->settings, error);
    setup->options.measure = measure;
    *info = status == MARGAY_OK ? &(*class)->info : NULL;
    if (status == MARGAY_OK && measure != MARGAY_REUSE_DISTANCES &&
        (*class != &margay_engine_shards ||
         measure != MARGAY_FADING_DISTANCES)) {
        if (strcmp(spec, margay_engine_exact.info.name) != 0)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "engine '%s' measures reuse distances only; "
                               "times, footprints and the optimum are for "
                               "exact, without parameters, and a half-life is "
                               "for that and shards",
                               spec);
        *class =
            measure & MARGAY_FADING ? &margay_engine_fading : measures[measure];
    }
    if (status == MARGAY_OK && (*class)->check != NULL)
        status = (*class)->check(setup, error);
    return status;
}

static void describe(const struct margay_engine_info *info,
                     const struct margay_engine_class *class,
                     enum margay_measure measure,
                     const struct margay_settings *settings,
                     struct margay_engine_abilities *abilities)
{
    *abilities = (struct margay_engine_abilities){
        .info = info,
        .measure = measure,
        .can = abilities_of(class),
        .needs_bound = class->needs_bound,
    };
    if (abilities->can & MARGAY_CAN_GIVE_ALL_SIZES)
        return;
    _Static_assert(MARGAY_ENGINE_MAX_SIZES == MARGAY_SPEC_SIZES,
                   "all sizes of a spec have room");
    abilities->size_count = settings->size_count;
    memcpy(abilities->sizes, settings->sizes, sizeof abilities->sizes);
}

enum margay_status margay_engine_abilities(
    const char *spec, enum margay_measure measure,
    struct margay_engine_abilities *abilities, struct margay_error *error)
{
    const struct margay_engine_info *info;
    const struct margay_engine_class *class;
    struct margay_engine_setup setup = {.options =
                                            MARGAY_ENGINE_OPTIONS_DEFAULT};
    *abilities = (struct margay_engine_abilities){.info = NULL};
    enum margay_status status =
        find(spec, measure, &info, &class, &setup, error);
    if (status == MARGAY_OK)
        describe(info, class, measure, &setup.settings, abilities);
    return status;
}

enum margay_status margay_engine_check_bound(
    const struct margay_engine_abilities *abilities, uint64_t bound_blocks,
    struct margay_error *error)
{
    const char *name = abilities->info->name;
    if (bound_blocks == 0 && abilities->needs_bound)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "engine %s needs a bound (--bound SIZE)", name);
    if (bound_blocks == 0 || abilities->can & MARGAY_CAN_TAKE_BOUND)
        return MARGAY_OK;
    if (abilities->measure != MARGAY_REUSE_DISTANCES)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "reuse times and footprints take no bound (reuse "
                           "distances do)");
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "engine %s takes no bound (exact does)", name);
}

enum margay_status margay_engine_check_sizes(
    const struct margay_engine_abilities *abilities,
    const struct margay_sizes *sizes, struct margay_error *error)
{
    const struct margay_engine_info *info = abilities->info;
    if (abilities->can & MARGAY_CAN_GIVE_ALL_SIZES ||
        sizes->kind == MARGAY_SIZES_USUAL || sizes->kind == MARGAY_SIZES_ALL)
        return MARGAY_OK;
    if (sizes->kind != MARGAY_SIZES_LIST)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "engine %s knows no other cache sizes than those in "
                           "its spec (%s)",
                           info->name, info->parameters);
    for (size_t i = 0; i < sizes->list_count; i++) {
        size_t k = 0;
        while (k < abilities->size_count &&
               abilities->sizes[k] != sizes->list_blocks[i])
            k++;
        if (k == abilities->size_count)
            return margay_fail(error, MARGAY_BAD_ARGUMENT,
                               "engine %s knows nothing of a cache of %llu "
                               "blocks, which is not in its spec (%s)",
                               info->name,
                               (unsigned long long)sizes->list_blocks[i],
                               info->parameters);
    }
    return MARGAY_OK;
}

/* ------------------------------------------------------ making engines -- */

enum margay_status margay_engine_make_state(
    const struct margay_engine_class *class,
    const struct margay_engine_setup *setup, void **state,
    struct margay_error *error)
{
    *state = margay_map(class->state_bytes);
    if (*state == NULL)
        return margay_fail_memory(error, "an engine");
    enum margay_status status = class->create(setup, *state, error);
    if (status != MARGAY_OK) {
        margay_engine_free_state(class, *state);
        *state = NULL;
    }
    return status;
}

void margay_engine_free_state(const struct margay_engine_class *class,
                              void *state)
{
    class->destroy(state);
    margay_unmap(state, class->state_bytes);
}

enum margay_status margay_engine_create(
    const char *spec, const struct margay_engine_options *options,
    margay_engine **engine, struct margay_error *error)
{
    const struct margay_engine_info *info;
    const struct margay_engine_class *class;
    struct margay_engine_setup setup = {.options = *options};
    struct margay_engine_abilities abilities;
    *engine = NULL;
    enum margay_status status =
        find(spec, options->measure, &info, &class, &setup, error);
    if (status != MARGAY_OK)
        return status;
    describe(info, class, options->measure, &setup.settings, &abilities);
    status =
        margay_engine_check_bound(&abilities, options->bound_blocks, error);
    if (status != MARGAY_OK)
        return status;
    margay_engine *made = calloc(1, sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "an engine");
    made->info = info;
    made->class = class;
    made->bound_blocks = options->bound_blocks;
    status = margay_engine_make_state(class, &setup, &made->state, error);
    if (status == MARGAY_OK)
        *engine = made;
    else
        free(made);
    return status;
}

void margay_engine_free(margay_engine *engine)
{
    if (engine == NULL)
        return;
    margay_engine_free_state(engine->class, engine->state);
    free(engine);
}

/* ------------------------------------------------------- using engines -- */

enum margay_status margay_engine_feed(margay_engine *engine,
                                      const uint64_t *blocks, size_t count,
                                      uint64_t *distances,
                                      struct margay_error *error)
{
    const struct margay_engine_class *class = engine->class;
    if (distances != NULL && !(class->can & MARGAY_CAN_TELL_DISTANCES))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "engine %s does not know the distance of a single "
                           "reference",
                           engine->info->name);
    return class->feed(engine->state, blocks, count, distances, error);
}

void margay_engine_reset_counts(margay_engine *engine)
{
    engine->class->reset_counts(engine->state);
}

static void count_references(struct margay_result *result)
{
    if (result->histogram == NULL)
        return;
    if (result->references == 0) /* and others were not in a sample */
        result->references = margay_histogram_references(result->histogram);
    result->infinite = margay_histogram_infinite(result->histogram);
}

enum margay_status margay_engine_finish(margay_engine *engine,
                                        struct margay_result *result,
                                        struct margay_error *error)
{
    *result = (struct margay_result){0};
    enum margay_status status =
        engine->class->finish(engine->state, result, error);
    if (status == MARGAY_OK)
        count_references(result);
    return status;
}

/* -------------------------------------------------- peeking and saving -- */

static enum margay_status check_ability(const margay_engine *engine,
                                        enum margay_engine_ability ability,
                                        struct margay_error *error)
{
    if (abilities_of(engine->class) & ability)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "engine %s cannot be looked into before the end, nor "
                       "its state be saved",
                       engine->info->name);
}

enum margay_status margay_engine_peek(margay_engine *engine,
                                      struct margay_result *result,
                                      struct margay_error *error)
{
    *result = (struct margay_result){0};
    enum margay_status status = check_ability(engine, MARGAY_CAN_PEEK, error);
    if (status == MARGAY_OK)
        status = engine->class->peek(engine->state, result, error);
    if (status == MARGAY_OK)
        count_references(result);
    return status;
}

enum margay_status margay_engine_export(margay_engine *engine,
                                        struct margay_engine_state *state,
                                        struct margay_error *error)
{
    struct margay_result result;
    *state = (struct margay_engine_state){0};
    enum margay_status status = check_ability(engine, MARGAY_CAN_SAVE, error);
    if (status == MARGAY_OK)
        status = margay_engine_peek(engine, &result, error);
    if (status != MARGAY_OK)
        return status;
    state->counts = result.histogram;
    state->bound_blocks = engine->bound_blocks;
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
    enum margay_status status = check_ability(engine, MARGAY_CAN_SAVE, error);
    if (status == MARGAY_OK && state->bound_blocks != engine->bound_blocks)
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "its bound in blocks (0 = none) is %" PRIu64
                             ", and here it is %" PRIu64,
                             state->bound_blocks, engine->bound_blocks);
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
