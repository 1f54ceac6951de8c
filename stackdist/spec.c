/* spec.c - the engine that a spec names */
#include "stackdist/engine.h"

static struct margay_spec_row row_of(const struct margay_engine_class *class)
{
    return (struct margay_spec_row){class->info.name, class->info.parameters,
                                    class->parameters};
}

static struct margay_spec_row row_at(size_t index)
{
    const struct margay_engine_class *class = margay_engine_class_at(index);
    return class == NULL ? (struct margay_spec_row){NULL, NULL, NULL}
                         : row_of(class);
}

enum margay_status margay_engine_parse(const char *spec,
                                       const struct margay_engine_class **class,
                                       struct margay_settings *settings,
                                       struct margay_error *error)
{
    static const struct margay_spec_table table = {"engine", "engines", row_at};
    size_t index;
    enum margay_status status =
        margay_spec_parse(&table, spec, &index, settings, error);
    *class = status == MARGAY_OK ? margay_engine_class_at(index) : NULL;
    return status;
}

enum margay_status margay_engine_fail_parameter(
    const struct margay_engine_class *class, const char *key, const char *value,
    const char *why, struct margay_error *error)
{
    struct margay_spec_row row = row_of(class);
    return margay_spec_refuse("engine", &row, key, value, why, error);
}
