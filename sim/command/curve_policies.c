/* curve_policies.c - margay curve --policy */
#include "sim/command/curve_policies.h"

#include <stdlib.h>
#include <string.h>

#include "sim/command/drive.h"
#include "sim/command/objects.h"
#include "sim/tables/tables.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"

struct policies {
    const struct options *options;
    struct csv_writer csv;
};

/* What an engine does before the end of a trace, or beside its curve, no
   simulation of caches does. */
static enum margay_status check(const struct options *options,
                                struct margay_error *error)
{
    const char *needless =
        strcmp(options->engine.spec, "exact") != 0    ? "--engine"
        : options->engine.measure == MARGAY_FOOTPRINT ? "--model"
        : options->run.window_refs != 0               ? "--window"
        : options->run.every.refs != 0                ? "--every"
        : options->run.every.seconds != 0             ? "--every"
        : options->run.save != NULL                   ? "--save"
        : options->run.resume != NULL                 ? "--resume"
        : options->results.writebacks                 ? "--writebacks"
        : options->results.histogram != NULL          ? "--histogram"
        : options->results.from != NULL               ? "--from"
        : options->engine.half_life_refs != 0         ? "--half-life"
        : options->results.prometheus != NULL         ? "--prometheus"
        : options->results.at_most >= 0               ? "--at-most"
        : options->results.knees != 0                 ? "--knees"
        : options->results.at_most_bytes >= 0         ? "--at-most-bytes"
                                                      : NULL;
    return needless == NULL
               ? MARGAY_OK
               : margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "%s does not go with --policy", needless);
}

static enum margay_status open_policies(void *context,
                                        margay_consumer **consumer,
                                        struct margay_error *error)
{
    const struct options *options = ((struct policies *)context)->options;
    const struct margay_policies_request request = {
        .policies = (const char *const *)options->results.policies.specs,
        .policy_count = options->results.policies.count,
        .bound = options->engine.bound,
        .sample_rate = options->results.sample_rate,
        .seed = options->seed,
        .directory = output_temporary_directory(),
    };
    return margay_policies_consumer(&request, consumer, error);
}

static enum margay_status begun(void *context, const struct margay_job *job,
                                struct margay_error *error)
{
    const struct options *options = ((struct policies *)context)->options;
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < job->pass_count && status == MARGAY_OK; i++) {
        const struct margay_pass *pass = &job->passes[i];
        struct margay_sizes sizes;
        status = cache_sizes_resolve(&options->results.sizes, pass->block_bytes,
                                     &sizes, error);
        if (status != MARGAY_OK)
            return status;
        status = margay_policies_consumer_set_sizes(job->consumer, pass, &sizes,
                                                    error);
        free((void *)sizes.list_blocks);
    }
    return status;
}

static enum margay_status write_pass(void *context,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct policies *policies = context;
    const struct policy_list *list = &policies->options->results.policies;
    const struct measured measured = {
        .trace = pass->trace,
        .block_bytes = pass->block_bytes,
        .result = margay_policies_consumer_result(job->consumer, pass),
    };
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < list->count && status == MARGAY_OK; i++) {
        const struct margay_point *points;
        size_t count =
            margay_policies_consumer_curve(job->consumer, pass, i, &points);
        status = table_policy_curve(&policies->csv, &measured, points, count,
                                    list->specs[i], error);
    }
    if (status == MARGAY_OK && !policies->options->quiet)
        table_summarise(pass, measured.result);
    return status;
}

int curve_of_policies(const struct options *options)
{
    struct policies policies = {.options = options};
    const struct drive drive = {
        .options = options,
        .context = &policies,
        .csv = &policies.csv,
        .columns = CURVE_COLUMNS POLICY_COLUMN,
        .open = open_policies,
        .begun = begun,
        .ended = write_pass,
    };
    struct margay_error error;
    enum margay_status status = check(options, &error);
    if (status == MARGAY_OK && options->results.objects)
        return objects_curve(options);
    if (status == MARGAY_OK)
        status = objects_refuse(options, &error);
    return drive_table(&drive, status, &error);
}
