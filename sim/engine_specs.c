/* engine_specs.c - which engines are on trial */
#define _GNU_SOURCE
#include "sim/engine_specs.h"

#include <stdlib.h>
#include <string.h>

#include "sim/message.h"
#include "traces/traces_internal.h"

/* The next spec of a list joined by commas, taken out of it.  Specs have
   commas themselves: what is KEY=VALUE belongs to the one before. */
static char *next_spec(char **rest)
{
    char *spec = *rest, *end = spec;
    if (spec == NULL)
        return NULL;
    for (;;) {
        end += strcspn(end, ",");
        if (*end == '\0') {
            *rest = NULL;
            return spec;
        }
        size_t name = strcspn(end + 1, ":,");
        bool goes_on = memchr(end + 1, '=', name) != NULL;
        if (!goes_on)
            break;
        end++;
    }
    *end = '\0';
    *rest = end + 1;
    return spec;
}

static enum margay_status list_specs(const char *only,
                                     struct engine_specs *specs,
                                     struct margay_error *error)
{
    size_t most = margay_engine_count() + (only == NULL ? 0 : strlen(only));
    *specs =
        (struct engine_specs){.list = calloc(most + 1, sizeof *specs->list)};
    if (only != NULL)
        specs->text = strdup(only);
    if (specs->list == NULL || (only != NULL && specs->text == NULL))
        return margay_fail_memory(error, "the engines");
    const struct margay_engine_info *engine;
    char *rest = specs->text, *spec;
    if (only != NULL) {
        while ((spec = next_spec(&rest)) != NULL)
            specs->list[specs->count++] = spec;
        return MARGAY_OK;
    }
    for (size_t i = 0; (engine = margay_engine_at(i)) != NULL; i++) {
        /* Not every machine has a device. */
        if (strcmp(engine->name, "gpu") != 0)
            specs->list[specs->count++] = engine->name;
    }
    message_print("gpu is left out: it needs a device (--only gpu runs it)");
    return MARGAY_OK;
}

/* What is misspelt should not come out after the first ten trials. */
static enum margay_status check_specs(const struct engine_specs *specs,
                                      struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < specs->count && status == MARGAY_OK; i++) {
        struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
        margay_engine *engine = NULL;
        options.bound_blocks = strncmp(specs->list[i], "bounded", 7) == 0;
        status = margay_engine_create(specs->list[i], &options, &engine, error);
        margay_engine_free(engine);
    }
    return status;
}

enum margay_status engine_specs_list(const char *only,
                                     struct engine_specs *specs,
                                     struct margay_error *error)
{
    enum margay_status status = list_specs(only, specs, error);
    if (status == MARGAY_OK)
        status = check_specs(specs, error);
    return status;
}

void engine_specs_free(struct engine_specs *specs)
{
    free(specs->text);
    free(specs->list);
}

bool engine_spec_is(const char *spec, const char *name)
{
    size_t bytes = strcspn(spec, ":");
    return bytes == strlen(name) && strncmp(spec, name, bytes) == 0;
}
