/* cmd_engines.c - margay engines: the list of engines, and their trials */
#define _GNU_SOURCE
#include "sim/command/engines.h"

#include <stdlib.h>
#include <string.h>

#include "sim/options/commands.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"

static void engine_row(struct csv_writer *csv,
                       const struct margay_engine_info *engine)
{
    csv_text(csv, engine->name);
    csv_text(csv, engine->exact ? "yes" : "no");
    csv_text(csv, engine->guarantee);
    csv_text(csv, engine->parameters);
    csv_text(csv, engine->time);
    csv_text(csv, engine->space);
    csv_text(csv, engine->source);
    csv_end_row(csv);
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

/* A misspelt spec fails before the first trial. */
static enum margay_status check_specs(const struct engine_specs *specs,
                                      struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < specs->count && status == MARGAY_OK; i++) {
        struct margay_engine_abilities engine;
        status = margay_engine_abilities(specs->list[i], MARGAY_REUSE_DISTANCES,
                                         &engine, error);
    }
    return status;
}

/* ---------------------------------------------------------- the command -- */

static enum margay_status check_options(const struct options *options,
                                        struct margay_error *error)
{
    if (options->trials.trace != NULL && options->trials.sweep)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--run and --sweep are two things: one at a time");
    if (options->trials.only != NULL && options->trials.trace == NULL &&
        !options->trials.sweep)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--only goes with --run or --sweep");
    return MARGAY_OK;
}

static enum margay_status write_trials(const struct options *options,
                                       struct csv_writer *csv,
                                       struct margay_error *error)
{
    struct engine_specs specs;
    enum margay_status status = list_specs(options->trials.only, &specs, error);
    if (status == MARGAY_OK)
        status = check_specs(&specs, error);
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
    struct output *output = NULL;
    struct margay_error error;
    bool trials = options->trials.trace != NULL || options->trials.sweep;
    enum margay_status status = check_options(options, &error);
    if (status == MARGAY_OK)
        status = output_open(options->output, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK) {
        csv_begin(&csv, output, options->json,
                  options->trials.sweep ? ENGINES_SWEEP_COLUMNS
                  : trials              ? ENGINES_RUN_COLUMNS
                                        : ENGINES_COLUMNS);
        for (size_t i = 0; !trials && i < margay_engine_count(); i++)
            engine_row(&csv, margay_engine_at(i));
        if (trials)
            status = write_trials(options, &csv, &error);
    }
    return conclude(status, &output, 1, &error);
}
