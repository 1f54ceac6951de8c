/* prefixes.c - curve --requests: a block hits if all before it do */
#include "sim/command/prefixes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sim/command/answers.h"
#include "sim/command/curve_parts.h"
#include "sim/command/drive.h"
#include "sim/command/request.h"
#include "sim/options/commands.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

struct prefixes {
    const struct options *options;
    struct curve_tables tables;
};

static enum margay_status open_consumer(void *context,
                                        margay_consumer **consumer,
                                        struct margay_error *error)
{
    const struct options *options = ((struct prefixes *)context)->options;
    const struct margay_engine_request engine = request_engine(options, 0);
    return margay_prefixes_consumer(&engine, options->results.touch, consumer,
                                    error);
}

static enum margay_status begun(void *context, const struct margay_job *job,
                                struct margay_error *error)
{
    return curve_check_sizes(((struct prefixes *)context)->options, job, error);
}

static void summarise(const struct margay_pass *pass,
                      const struct margay_prefixes_result *result)
{
    const struct margay_result *blocks = &result->blocks;
    uint64_t requests = margay_histogram_references(result->requests);
    uint64_t bound = margay_histogram_exceeded_bound(blocks->histogram);
    double rate =
        pass->seconds > 0 ? (double)pass->fed_refs / pass->seconds * 1e-6 : 0;
    message_keep(
        "%s: %" PRIu64 " reference%s of %" PRIu64
        " request%s, distinct%s %" PRIu64 " block%s, %" PRIu64
        " reference%s and %" PRIu64
        " request%s miss in every cache%s, %.1f M refs/s",
        pass->trace, blocks->references, margay_plural(blocks->references, "s"),
        requests, margay_plural(requests, "s"), bound == 0 ? "" : " >",
        bound == 0 ? blocks->distinct_blocks : bound,
        margay_plural(bound == 0 ? blocks->distinct_blocks : bound, "s"),
        blocks->infinite, margay_plural(blocks->infinite, "s"),
        margay_histogram_infinite(result->requests),
        margay_plural(margay_histogram_infinite(result->requests), "s"),
        bound == 0 ? "" : " up to the bound", rate);
}

static enum margay_status write_pass(void *context,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct prefixes *prefixes = context;
    const struct options *options = prefixes->options;
    const struct margay_prefixes_result *result =
        margay_prefixes_consumer_result(job->consumer, pass);
    const struct measured measured = {pass->trace, pass->block_bytes,
                                      &result->blocks};
    enum margay_status status =
        table_request_curve(&prefixes->tables.csv, &measured,
                            &options->results.sizes, result->requests, error);
    if (status == MARGAY_OK && options->results.histogram != NULL)
        status = table_histogram(&prefixes->tables.histogram_csv, &measured,
                                 &options->results.bins, error);
    if (status == MARGAY_OK)
        status = answer_result(options, &measured, &prefixes->tables.unreached,
                               error);
    if (status == MARGAY_OK && !options->quiet)
        summarise(pass, result);
    return status;
}

static enum margay_status open_outputs(struct prefixes *prefixes,
                                       struct margay_error *error)
{
    const struct options *options = prefixes->options;
    const char *needless =
        options->results.objects ? "--objects" : curve_find_plain(options);
    if (needless != NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--requests does not go with %s", needless);
    return curve_tables_open(&prefixes->tables, options,
                             CURVE_COLUMNS CURVE_REQUEST_COLUMNS,
                             HISTOGRAM_COLUMNS, error);
}

int prefixes_curve(const struct options *options)
{
    struct prefixes prefixes = {.options = options};
    const struct drive drive = {
        .options = options,
        .context = &prefixes,
        .open = open_consumer,
        .begun = begun,
        .ended = write_pass,
    };
    struct margay_error error;
    enum margay_status status = open_outputs(&prefixes, &error);
    if (status == MARGAY_OK)
        status = drive_run(&drive, &error);
    return curve_tables_end(&prefixes.tables, status, &error);
}
