/*
 * engines.h - every exact engine in every setting, and its answers
 *
 * The specs are made from the table of engines, so that an engine or a
 * parameter is tested as soon as it is there.
 */
#ifndef MARGAY_TESTS_STACKDIST_ENGINES_H
#define MARGAY_TESTS_STACKDIST_ENGINES_H

#include "stackdist/engine.h"
#include "tests/chance.h"
#include "tests/stackdist/results.h"
#include "tests/tap.h"
#include "traces/traces_internal.h"

#define MAX_SPECS 256

struct spec {
    char text[128];
    bool needs_bound;
};

static struct spec specs[MAX_SPECS];
static size_t spec_count;

/* False for a target="..." that this processor cannot run, and for devices,
   which have tests of their own. */
static inline bool is_runnable(const char *key, const char *value)
{
    if (strcmp(key, "backend") == 0)
        return strcmp(value, "emulate") == 0;
    if (strcmp(key, "target") != 0)
        return true;
    for (unsigned target = 0; target <= MARGAY_TARGET_V4; target++) {
        if (strcmp(value, margay_target_name(target)) == 0)
            return margay_target_available(target);
    }
    return true;
}

static inline void add_spec(const char *text, bool needs_bound)
{
    if (spec_count == MAX_SPECS)
        abort();
    snprintf(specs[spec_count].text, sizeof specs[0].text, "%s", text);
    specs[spec_count++].needs_bound = needs_bound;
}

/* Add `prefix` with each combination of the values of the parameters, which are
   words. */
static inline void add_combinations(const struct margay_engine_class *class,
                                    const char *parameters, const char *prefix)
{
    size_t bytes = strcspn(parameters, ",");
    const char *next = parameters + bytes + (parameters[bytes] == ',');
    char key[32], value[32], text[128];
    if (bytes == 0) {
        add_spec(prefix, class->needs_bound);
        return;
    }
    snprintf(key, sizeof key, "%.*s", (int)strcspn(parameters, "="),
             parameters);
    for (const char *at = parameters + strlen(key); at < parameters + bytes;
         at += strlen(value) + 1) {
        snprintf(value, sizeof value, "%.*s", (int)strcspn(at + 1, "|,"),
                 at + 1);
        snprintf(text, sizeof text, "%s%c%s=%s", prefix,
                 strchr(prefix, ':') == NULL ? ':' : ',', key, value);
        if (is_runnable(key, value))
            add_combinations(class, next, text);
    }
}

/* Fill `specs`: each exact engine plainly, then with all that it takes. */
static inline void list_specs(void)
{
    const struct margay_engine_class *class;
    for (size_t i = 0; (class = margay_engine_class_at(i)) != NULL; i++) {
        if (!class->info.exact)
            continue;
        if (*class->info.parameters != '\0')
            add_spec(class->info.name, class->needs_bound);
        add_combinations(class, class->info.parameters, class->info.name);
    }
}

/* A trace, how to run it, and the truth about it. */
struct task {
    enum margay_measure measure;
    uint64_t bound; /* 0 = none */
    size_t reset;   /* counts are forgotten before this reference */
    size_t count;
    const uint64_t *blocks;
    const uint64_t *distances; /* with the bound */
    uint64_t distinct;         /* without */
    margay_histogram *wanted;  /* of the distances from the reset on */
};

/* Add up what is wanted; to be freed. */
static inline void add_up(struct task *task)
{
    task->wanted = new_histogram();
    for (size_t i = task->reset; i < task->count; i++)
        margay_histogram_add(task->wanted, task->distances[i], 1, NULL);
}

/* Give the state to an engine of any kind that takes it. */
static inline enum margay_status hand_over(
    margay_engine **engine, const struct margay_engine_options *options,
    struct margay_error *error)
{
    struct margay_engine_abilities abilities;
    struct margay_engine_state state;
    const struct spec *spec;
    do {
        spec = &specs[below(spec_count)];
        margay_engine_abilities(spec->text, options->measure, &abilities, NULL);
    } while (!(abilities.can & MARGAY_CAN_SAVE) ||
             (spec->needs_bound && options->bound_blocks == 0));
    enum margay_status status = margay_engine_export(*engine, &state, error);
    margay_engine_free(*engine);
    *engine = NULL;
    if (status == MARGAY_OK)
        status = margay_engine_create(spec->text, options, engine, error);
    if (status == MARGAY_OK)
        status = margay_engine_import(*engine, &state, error);
    margay_engine_state_clear(&state);
    return status;
}

/* Feed in chunks of random length; the status of the first failure.  Without
   distances, the engine of a short trace may be replaced by others on the
   way. */
static inline enum margay_status feed_chunks(
    margay_engine **engine, const struct margay_engine_options *options,
    unsigned can, const struct task *task, uint64_t *distances,
    uint64_t longest_chunk, struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t at = 0, chunk; at < task->count && status == MARGAY_OK;
         at += chunk) {
        if (at == task->reset)
            margay_engine_reset_counts(*engine);
        size_t end = at < task->reset && task->reset < task->count
                         ? task->reset
                         : task->count;
        chunk = 1 + (size_t)below(longest_chunk);
        if (chunk > end - at)
            chunk = end - at;
        status = margay_engine_feed(*engine, task->blocks + at, chunk,
                                    distances ? distances + at : NULL, error);
        if (status == MARGAY_OK && (can & MARGAY_CAN_SAVE) &&
            distances == NULL && task->count < 5000 && one_in(8))
            status = hand_over(engine, options, error);
    }
    return status;
}

static inline bool same_distances(const struct task *task,
                                  const uint64_t *distances)
{
    for (size_t i = 0; i < task->count; i++) {
        if (distances[i] != task->distances[i]) {
            printf("#   reference %zu: distance %" PRIu64 ", expected %" PRIu64
                   "\n",
                   i, distances[i], task->distances[i]);
            return false;
        }
    }
    return true;
}

/* Is `result` what the distances from the reset on add up to? */
static inline bool same_result(const struct task *task,
                               const struct margay_result *result)
{
    bool exceeded = task->bound != 0 && task->distinct > task->bound;
    const margay_histogram *got = result->histogram, *wanted = task->wanted;
    bool same =
        same_histogram(got, wanted) &&
        margay_histogram_references(got) == margay_histogram_references(wanted);
    if (!same)
        printf("#   the histograms differ\n");
    uint64_t exceeded_bound = margay_histogram_exceeded_bound(got);
    if (exceeded_bound != (exceeded ? task->bound : 0)) {
        printf("#   exceeded bound %" PRIu64 "\n", exceeded_bound);
        same = false;
    }
    if (result->distinct_blocks !=
        (exceeded ? task->bound + 1 : task->distinct)) {
        printf("#   %" PRIu64 " distinct blocks of %" PRIu64 "\n",
               result->distinct_blocks, task->distinct);
        same = false;
    }
    return same;
}

/* A look before the end has the results of the end. */
static inline bool peek_is_same(const struct task *task, margay_engine *engine)
{
    struct margay_result result;
    bool same = margay_engine_peek(engine, &result, NULL) == MARGAY_OK &&
                same_result(task, &result);
    margay_result_clear(&result);
    return same;
}

/* Run `spec` on the task and compare everything that it answers, of short ones
   by several threads in small pieces, too. */
static inline bool passes(const char *spec, const struct task *task,
                          uint64_t longest_chunk, bool ask_distances)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    struct margay_error error = {0};
    struct margay_result result;
    margay_engine *engine;
    options.measure = task->measure;
    options.bound_blocks = task->bound;
    if (!ask_distances && task->count < 5000 && one_in(2)) {
        options.threads = 1 + (unsigned)below(1u << below(6));
        options.chunk_refs = below(200);
        options.phase_refs = below(2) * below(1000);
    }
    if (margay_engine_create(spec, &options, &engine, &error) != MARGAY_OK) {
        printf("#   %s\n", error.message);
        return false;
    }
    struct margay_engine_abilities abilities;
    margay_engine_abilities(spec, options.measure, &abilities, NULL);
    if (!(abilities.can & MARGAY_CAN_TELL_DISTANCES))
        ask_distances = false;
    uint64_t *distances =
        ask_distances ? malloc((task->count + 1) * sizeof *distances) : NULL;
    bool passed =
        feed_chunks(&engine, &options, abilities.can, task, distances,
                    longest_chunk, &error) == MARGAY_OK &&
        (!(abilities.can & MARGAY_CAN_PEEK) || peek_is_same(task, engine)) &&
        margay_engine_finish(engine, &result, &error) == MARGAY_OK;
    margay_engine_free(engine);
    if (passed) {
        passed = (distances == NULL || same_distances(task, distances)) &&
                 same_result(task, &result);
        margay_histogram_free(result.histogram);
    } else {
        printf("#   %s\n", error.message);
    }
    free(distances);
    if (!passed)
        printf("#   %s, bound %" PRIu64 ", %zu references, reset at %zu\n",
               spec, task->bound, task->count, task->reset);
    return passed;
}

/* What a bound makes of unbounded distances. */
static inline void apply_bound(uint64_t bound, const uint64_t *unbounded,
                               size_t count, uint64_t *distances)
{
    for (size_t i = 0; i < count; i++)
        distances[i] = bound != 0 && unbounded[i] >= bound ? MARGAY_INFINITE
                                                           : unbounded[i];
}

#endif
