/* cmd_engines.c - margay engines: the list of engines, and their trials */
#include "sim/command/engines.h"

#include <stdlib.h>

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

/* ---------------------------------------------------------- the command -- */

/* All engines, unless --only says which. */
static enum margay_status write_trials(const struct options *options,
                                       struct csv_writer *csv,
                                       struct margay_error *error)
{
    struct policy_list specs = options->trials.only;
    char **all = calloc(margay_engine_count(), sizeof *all);
    enum margay_status status = MARGAY_OK;
    if (all == NULL)
        return margay_fail_memory(error, "the engines");
    for (size_t i = 0; i < margay_engine_count(); i++)
        all[i] = (char *)margay_engine_at(i)->name; /* only read */
    if (specs.count == 0)
        specs = (struct policy_list){all, margay_engine_count(), 0};
    /* A misspelt spec fails before the first trial. */
    for (size_t i = 0; i < specs.count && status == MARGAY_OK; i++) {
        struct margay_engine_abilities engine;
        status = margay_engine_abilities(specs.specs[i], MARGAY_REUSE_DISTANCES,
                                         &engine, error);
    }
    if (status == MARGAY_OK)
        status = options->trials.sweep
                     ? engines_sweep(options, &specs, csv, error)
                     : engines_run(options, &specs, csv, error);
    free(all);
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
    else if (options->trials.only.count > 0 && !trials)
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
