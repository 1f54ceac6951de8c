/* curve_question.c - the questions of curve, histogram and distances */
#include "sim/command/curve.h"

#include <string.h>

#include "sim/command/drive.h"
#include "traces/traces_internal.h"

enum margay_status objects_options(const struct options *options,
                                   struct margay_objects_options *engine,
                                   struct margay_error *error)
{
    *engine = (struct margay_objects_options)MARGAY_OBJECTS_OPTIONS_DEFAULT;
    engine->seed = options->seed;
    engine->half_life_refs = options->engine.half_life_refs;
    engine->bound_bytes = options->engine.bound.value;
    engine->ages = options->results.ttl.given;
    if (engine->ages)
        engine->ttl_seconds = options->results.ttl.number;
    return margay_objects_take_spec(drive_engine(options, 0).spec, engine,
                                    error);
}

unsigned curve_object_counters(const struct options *options)
{
    const struct policy_list *policies = &options->results.policies;
    const char *column = options->reading.column;
    unsigned counters = options->results.written ? MARGAY_COUNTS_WRITTEN : 0;
    if (!options->results.objects || policies->count == 0)
        return 0;
    const char *cost = column == NULL ? NULL : strstr(column, "cost=");
    if (cost != NULL && (cost == column || cost[-1] == ','))
        counters |= MARGAY_COUNTS_COSTS;
    for (size_t i = 0; i < policies->count; i++)
        counters |= strstr(policies->specs[i], "tier=") != NULL
                        ? MARGAY_COUNTS_WRITTEN | MARGAY_COUNTS_TIERS
                        : 0u;
    return counters;
}

enum margay_status objects_question(const struct options *options,
                                    const struct objects_wanted *wanted,
                                    margay_question **question,
                                    struct margay_error *error)
{
    static const struct margay_sizes every_size = {.kind = MARGAY_SIZES_ALL};
    const struct margay_object_policies_request request = {
        .policies = (const char *const *)options->results.policies.specs,
        .policy_count = options->results.policies.count,
        .counters = curve_object_counters(options),
        .seed = options->seed,
        .directory = output_temporary_directory(),
    };
    struct margay_objects_options engine;
    enum margay_status status = objects_options(options, &engine, error);
    /* Sizes are bytes, whether they have a suffix or not. */
    if (status == MARGAY_OK && wanted->sizes != NULL)
        status = margay_cache_sizes_resolve(&options->results.sizes, 1,
                                            wanted->sizes, error);
    if (status == MARGAY_OK && wanted->distances && engine.rate < 1)
        status = margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "engine %s does not tell the distance of each "
                             "reference",
                             options->engine.spec);
    if (status != MARGAY_OK) {
        margay_question_free(wanted->next);
        return status;
    }
    engine.distances = wanted->histogram;
    /* A policy is simulated at the sizes of the table. */
    bool steps = answers_are_asked(options) && request.policy_count == 0;
    if (wanted->sizes != NULL)
        engine.curve = steps ? &every_size : wanted->sizes;
    return request.policy_count > 0
               ? margay_object_policies_question(&engine, &request, question,
                                                 error)
               : margay_objects_question(&engine, wanted->next, question,
                                         error);
}

/* The question of one cache that all tenants share. */
static enum margay_status question_of_all(
    const struct options *options, const struct margay_engine_request *engine,
    struct margay_sizes *sizes, margay_question **question,
    struct margay_error *error)
{
    const struct margay_tiers *tiers = &options->results.tiers;
    const struct margay_layer_groups *groups = &options->results.groups;
    const bool is_one_stack =
        tiers->inclusion == MARGAY_EXCLUSIVE && !options->results.ttl.given;
    const struct objects_wanted objects = {
        .sizes = sizes, .histogram = options->results.histogram != NULL};
    if (options->results.objects)
        return objects_question(options, &objects, question, error);
    const struct margay_prefixes_request requests = {
        .engine = *engine,
        .touch = options->results.touch,
        .expires = options->results.ttl.given,
        .ttl_seconds = options->results.ttl.number,
        .policies = (const char *const *)options->results.policies.specs,
        .policy_count = options->results.policies.count,
        .directory = output_temporary_directory(),
        .tiers = tiers->count == 0 || is_one_stack ? NULL : tiers,
        .groups = groups->count == 0 ? NULL : groups,
    };
    const struct margay_policies_request policies = {
        .policies = requests.policies,
        .policy_count = requests.policy_count,
        .bound = engine->bound,
        .sample_rate = options->results.sample.rate,
        .half_life_refs = engine->half_life_refs,
        .seed = engine->seed,
        .directory = requests.directory,
        .writebacks = engine->writebacks,
        .sizes = engine->sizes,
    };
    if (options->results.requests)
        return margay_prefixes_question(&requests, question, error);
    return policies.policy_count > 0
               ? margay_policies_question(&policies, question, error)
               : margay_engine_question(engine, NULL, question, error);
}

enum margay_status curve_question(const struct options *options,
                                  struct margay_sizes *sizes,
                                  margay_question **question,
                                  struct margay_error *error)
{
    const enum margay_attribution by = drive_tenants_are_threads(options)
                                           ? MARGAY_BY_THREAD
                                           : MARGAY_BY_TENANT;
    margay_question *inner;
    struct margay_engine_request engine = drive_engine(
        options,
        options->results.histogram == NULL ? 0 : MARGAY_CAN_GIVE_HISTOGRAM);
    engine.sizes = &options->results.sizes;
    engine.writebacks = options->results.writebacks;
    if (curve_shares(options) && options->results.sample.rate != 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--tenant: a cache that tenants share takes exact "
                           "distances, and --sample estimates them (--policy "
                           "lru simulates caches of their own)");
    if (curve_shares(options))
        return margay_tenants_question(&engine, by, question, error);
    enum margay_status status =
        question_of_all(options, &engine, sizes, &inner, error);
    if (status == MARGAY_OK && options->reading.tenant != NULL)
        return margay_split_question(by, inner, question, error);
    *question = inner;
    return status;
}

bool curve_shares(const struct options *options)
{
    return options->reading.tenant != NULL && !options->results.requests &&
           !options->results.objects && options->results.policies.count == 0 &&
           options->results.tiers.count == 0 &&
           drive_engine(options, 0).measure == MARGAY_REUSE_DISTANCES;
}
