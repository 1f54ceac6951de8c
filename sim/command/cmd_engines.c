/* cmd_engines.c - margay engines: the list of engines, and their trials */
#define _GNU_SOURCE
#include "sim/command/engines.h"

#include <stdlib.h>
#include <string.h>

#include "sim/options/commands.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"

static void list_engines(struct csv_writer *csv)
{
    const struct margay_engine_info *engine;
    for (size_t i = 0; (engine = margay_engine_at(i)) != NULL; i++) {
        csv_text(csv, engine->name);
        csv_text(csv, engine->exact ? "yes" : "no");
        csv_text(csv, engine->guarantee);
        csv_text(csv, engine->parameters);
        csv_text(csv, engine->time);
        csv_text(csv, engine->space);
        csv_text(csv, engine->source);
        csv_end_row(csv);
    }
}

/* ------------------------------------------------- the specs of --only -- */

/* Cut the next spec off a list joined by commas.  Specs have commas themselves:
   KEY=VALUE belongs to the spec before it. */
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
    for (size_t i = 0; (engine = margay_engine_at(i)) != NULL; i++)
        specs->list[specs->count++] = engine->name;
    return MARGAY_OK;
}

/* ---------------------------------------------------------- the command -- */

static enum margay_status write_trials(const struct options *options,
                                       struct csv_writer *csv,
                                       struct margay_error *error)
{
    struct engine_specs specs;
    enum margay_status status = list_specs(options->trials.only, &specs, error);
    /* A misspelt spec fails before the first trial. */
    for (size_t i = 0; i < specs.count && status == MARGAY_OK; i++) {
        struct margay_engine_abilities engine;
        status = margay_engine_abilities(specs.list[i], MARGAY_REUSE_DISTANCES,
                                         &engine, error);
    }
    if (status == MARGAY_OK)
        status = options->trials.sweep
                     ? engines_sweep(options, &specs, csv, error)
                     : engines_run(options, &specs, csv, error);
    free(specs.text);
    free(specs.list);
    return status;
}

int cmd_engines(const struct options *options)
{
    struct csv_writer csv = {0};
    struct margay_error error;
    bool trials = options->trials.trace != NULL || options->trials.sweep;
    enum margay_status status = MARGAY_OK;
    if (options->trials.trace != NULL && options->trials.sweep)
        status = margay_fail(&error, MARGAY_BAD_ARGUMENT,
                             "--run and --sweep are two things: one at a time");
    else if (options->trials.only != NULL && !trials)
        status = margay_fail(&error, MARGAY_BAD_ARGUMENT,
                             "--only goes with --run or --sweep");
    if (status == MARGAY_OK)
        status = csv_open(&csv, options->output, options->json,
                          options->trials.sweep ? ENGINES_SWEEP_COLUMNS
                          : trials              ? ENGINES_RUN_COLUMNS
                                                : ENGINES_COLUMNS,
                          &error);
    if (status == MARGAY_OK && trials)
        status = write_trials(options, &csv, &error);
    else if (status == MARGAY_OK)
        list_engines(&csv);
    return csv_conclude(status, &csv, 1, &error);
}
