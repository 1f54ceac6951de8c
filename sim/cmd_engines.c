/* cmd_engines.c - margay engines: what there is, and what each is worth */
#include "sim/commands.h"
#include "sim/conclude.h"
#include "sim/engine_trials.h"
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

static enum margay_status check_options(const struct options *options,
                                        struct margay_error *error)
{
    if (options->trace != NULL && options->sweep)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--run and --sweep are two things: one at a time");
    if (options->only != NULL && options->trace == NULL && !options->sweep)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--only goes with --run or --sweep");
    return MARGAY_OK;
}

static enum margay_status write_trials(const struct options *options,
                                       struct csv_writer *csv,
                                       struct margay_error *error)
{
    struct engine_specs specs;
    enum margay_status status = engine_specs_list(options->only, &specs, error);
    if (status == MARGAY_OK)
        status = options->sweep
                     ? engine_trials_sweep(options, &specs, csv, error)
                     : engine_trials_run(options, &specs, csv, error);
    engine_specs_free(&specs);
    return status;
}

int cmd_engines(const struct options *options)
{
    struct csv_writer csv = {0};
    struct output *output = NULL;
    struct margay_error error;
    bool trials = options->trace != NULL || options->sweep;
    enum margay_status status = check_options(options, &error);
    if (status == MARGAY_OK)
        status = output_open(options->output, OUTPUT_HELD, &output, &error);
    if (status == MARGAY_OK) {
        csv_begin(&csv, output,
                  options->sweep ? ENGINES_SWEEP_COLUMNS
                  : trials       ? ENGINES_RUN_COLUMNS
                                 : ENGINES_COLUMNS);
        for (size_t i = 0; !trials && i < margay_engine_count(); i++)
            engine_row(&csv, margay_engine_at(i));
        if (trials)
            status = write_trials(options, &csv, &error);
    }
    return conclude(status, &output, 1, &error);
}
