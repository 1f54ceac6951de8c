/* spec.c - which engines there are for objects */
#include <string.h>

#include "stackdist/engine.h"
#include "traces/traces_internal.h"
#include <margay/objects.h>

/* The place of a parameter among those of its class. */
static unsigned place_of(const struct margay_engine_class *class,
                         const char *key)
{
    unsigned place = 0;
    while (strcmp(class->parameters[place].key, key) != 0)
        place++;
    return place;
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
    if (settings.given & 1u << place_of(class, "blocks"))
        return margay_engine_fail_parameter(
            class, "blocks", "...", "has no meaning for objects with sizes",
            error);
    options->rate = settings.fractions[place_of(class, "rate")];
    options->adjust = settings.choices[place_of(class, "adjust")] == 0;
    return MARGAY_OK;
}
