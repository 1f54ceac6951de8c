/* tenants.c - curve --tenant: in the cache of all, and in one of their own */
#include "sim/command/tenants.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/command/curve_parts.h"
#include "sim/command/drive.h"
#include "sim/command/request.h"
#include "sim/options/commands.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

struct tenants {
    const struct options *options;
    struct curve_tables tables;
};

/* The tenants of a pass that has ended, on the way into the table. */
struct tenants_rows {
    struct tenants *tenants;
    const struct margay_job *job;
    const struct margay_pass *pass;
    const struct margay_point *points; /* of all tenants together */
    size_t count;
};

/* The option that does not go with --tenant, or NULL. */
static const char *find_needless(const struct options *options)
{
    return options->results.objects        ? "--objects"
           : options->results.requests     ? "--requests"
           : options->results.at_most >= 0 ? "--at-most"
           : options->results.knees != 0   ? "--knees"
                                           : curve_find_plain(options);
}

static enum margay_status open_consumer(void *context,
                                        margay_consumer **consumer,
                                        struct margay_error *error)
{
    const struct options *options = ((struct tenants *)context)->options;
    const struct margay_engine_request engine = request_engine(options, 0);
    return margay_tenants_consumer(&engine,
                                   request_tenants_are_threads(options)
                                       ? MARGAY_BY_THREAD
                                       : MARGAY_BY_TENANT,
                                   consumer, error);
}

static enum margay_status begun(void *context, const struct margay_job *job,
                                struct margay_error *error)
{
    return curve_check_sizes(((struct tenants *)context)->options, job, error);
}

static enum margay_status write_tenant(void *context, uint64_t key,
                                       const margay_histogram *shared,
                                       const struct margay_result *alone,
                                       struct margay_error *error)
{
    struct tenants_rows *rows = context;
    struct tenants *tenants = rows->tenants;
    const struct measured measured = {rows->pass->trace,
                                      rows->pass->block_bytes, alone};
    char number[24];
    const char *name = margay_trace_tenant(rows->job->reader, (uint32_t)key);
    if (name == NULL) {
        snprintf(number, sizeof number, "%" PRIu64, key);
        name = number;
    }
    enum margay_status status =
        table_tenant_curve(&tenants->tables.csv, &measured, rows->points,
                           rows->count, name, shared, error);
    if (status != MARGAY_OK || tenants->options->results.histogram == NULL)
        return status;
    csv_label_text(&tenants->tables.histogram_csv, name);
    return table_histogram(&tenants->tables.histogram_csv, &measured,
                           &tenants->options->results.bins, error);
}

static enum margay_status write_pass(void *context,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct tenants *tenants = context;
    const struct measured measured = measured_by(job, pass);
    struct margay_point *points;
    struct tenants_rows rows = {.tenants = tenants, .job = job, .pass = pass};
    enum margay_status status =
        table_points(&measured, &tenants->options->results.sizes, &points,
                     &rows.count, error);
    rows.points = points;
    if (status == MARGAY_OK)
        status = margay_tenants_visit(
            margay_engine_consumer_next(job->consumer), pass,
            margay_histogram_exceeded_bound(measured.result->histogram),
            write_tenant, &rows, error);
    free(points);
    return status;
}

static enum margay_status open_outputs(struct tenants *tenants,
                                       struct margay_error *error)
{
    const struct options *options = tenants->options;
    const char *needless = find_needless(options);
    if (needless != NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--tenant does not go with %s", needless);
    return curve_tables_open(&tenants->tables, options,
                             CURVE_COLUMNS CURVE_TENANT_COLUMNS,
                             "tenant," HISTOGRAM_COLUMNS, error);
}

int tenants_curve(const struct options *options)
{
    struct tenants tenants = {.options = options};
    const struct drive drive = {
        .options = options,
        .context = &tenants,
        .measures = true,
        .needs = MARGAY_CAN_GIVE_HISTOGRAM,
        .summarises = true,
        .open = open_consumer,
        .begun = begun,
        .ended = write_pass,
    };
    struct margay_error error;
    enum margay_status status = open_outputs(&tenants, &error);
    if (status == MARGAY_OK)
        status = drive_run(&drive, &error);
    return curve_tables_end(&tenants.tables, status, &error);
}
