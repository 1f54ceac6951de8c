/* objects_options.c - what --objects makes of the options of a command */
#include "sim/command/objects.h"
#include "sim/command/objects_parts.h"
#include "traces/traces_internal.h"

enum margay_status objects_refuse(const struct options *options,
                                  struct margay_error *error)
{
    const char *needless =
        options->results.objects                              ? NULL
        : options->results.ttl.given                          ? "--ttl"
        : options->reading.sizes_from != MARGAY_SIZES_REQUEST ? "--sizes-from"
        : options->results.at_most_bytes >= 0 ? "--at-most-bytes"
                                              : NULL;
    return needless != NULL
               ? margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "%s is for objects with sizes (--objects)",
                             needless)
               : MARGAY_OK;
}

static const struct margay_sizes every_size = {.kind = MARGAY_SIZES_ALL};

bool objects_asks_for_words(const struct options *options)
{
    return options->results.at_most >= 0 ||
           options->results.at_most_bytes >= 0 || options->results.knees != 0;
}

/* The option that makes no sense for objects, or NULL. */
static const char *find_needless(const struct options *options)
{
    return options->run.blocks.count > 0                    ? "--block"
           : options->reading.unit_bytes != 0               ? "--unit"
           : options->reading.ids                           ? "--ids"
           : options->run.straddle != MARGAY_STRADDLE_USUAL ? "--straddle"
           : options->engine.bound.value != 0 &&
                   options->results.policies.count > 0
               ? "--bound where there are policies"
           : options->engine.measure == MARGAY_FOOTPRINT   ? "--model footprint"
           : options->engine.measure == MARGAY_REUSE_TIMES ? "--of time"
           : options->results.from != NULL                 ? "--from"
           : options->results.sample_rate != 0 &&
                   options->results.policies.count == 0
               ? "--sample"
           : options->results.writebacks ? "--writebacks"
           : options->results.by.given
               ? "--by, which counts distances of blocks, below 2^40"
           : options->run.save != NULL    ? "--save"
           : options->run.resume != NULL  ? "--resume"
           : options->run.chunk_refs != 0 ? "--chunk"
           : options->run.phase_refs != 0 ? "--phase"
                                          : NULL;
}

enum margay_status objects_prepare(struct objects *objects,
                                   struct margay_error *error)
{
    const struct options *options = objects->options;
    struct margay_objects_options *engine = &objects->engine;
    const char *needless = find_needless(options);
    if (needless != NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--objects does not go with %s", needless);
    *engine = (struct margay_objects_options)MARGAY_OBJECTS_OPTIONS_DEFAULT;
    engine->curve = !objects->draws                   ? NULL
                    : objects_asks_for_words(options) ? &every_size
                                                      : &objects->sizes;
    engine->distances = objects->counts;
    engine->seed = options->seed;
    engine->half_life_refs = options->engine.half_life_refs;
    engine->bound_bytes = options->engine.bound.value;
    engine->ages = options->results.ttl.given;
    if (engine->ages)
        engine->ttl_seconds = options->results.ttl.seconds;
    enum margay_status status =
        margay_objects_take_spec(options->engine.spec, engine, error);
    if (options->results.sample_rate != 0)
        engine->rate = options->results.sample_rate;
    if (status == MARGAY_OK && objects->lists && engine->rate < 1)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "engine %s does not tell the distance of each "
                           "reference",
                           options->engine.spec);
    /* Sizes are bytes, whether they have a suffix or not. */
    return status == MARGAY_OK ? cache_sizes_resolve(&options->results.sizes, 1,
                                                     &objects->sizes, error)
                               : status;
}
