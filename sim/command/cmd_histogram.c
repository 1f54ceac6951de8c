/* cmd_histogram.c - margay histogram */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/command/objects.h"
#include "sim/options/commands.h"
#include "sim/tables/regions.h"
#include "sim/tables/tables.h"
#include "sim/terminal/message.h"
#include "sim/terminal/output.h"
#include "traces/traces_internal.h"

struct histogram {
    const struct options *options;
    struct csv_writer csv;
    struct regions *regions;         /* NULL unless attributed to regions */
    const struct measured *measured; /* of the pass that ends, with --by */
};

static enum margay_status rows(void *context, struct csv_writer *csv,
                               const struct measured *measured,
                               struct margay_error *error)
{
    const struct options *options = ((struct histogram *)context)->options;
    return table_histogram(csv, measured, &options->results.bins, error);
}

/* ----------------------------------------------------------- attribution -- */

static const char *const attribution_columns[] = {
    [MARGAY_BY_SITE] = "site," HISTOGRAM_COLUMNS,
    [MARGAY_BY_THREAD] = "thread," HISTOGRAM_COLUMNS,
    [MARGAY_BY_REGION] = "region," HISTOGRAM_COLUMNS,
    [MARGAY_BY_OP] = "op," HISTOGRAM_COLUMNS,
};

static uint32_t region_of(void *context, uint64_t address)
{
    return (uint32_t)regions_find(context, address);
}

static enum margay_status open_attribution(void *context,
                                           margay_consumer **consumer,
                                           struct margay_error *error)
{
    struct histogram *histogram = context;
    const struct attribution_option *by = &histogram->options->results.by;
    return by->given ? margay_attribution_consumer(by->by, region_of,
                                                   histogram->regions, consumer,
                                                   error)
                     : MARGAY_OK;
}

static enum margay_status write_part(void *context, uint64_t key,
                                     const margay_histogram *part,
                                     struct margay_error *error)
{
    struct histogram *histogram = context;
    struct csv_writer *csv = &histogram->csv;
    struct margay_result result = *histogram->measured->result;
    struct measured measured = *histogram->measured;
    result.histogram = (margay_histogram *)part; /* only read */
    measured.result = &result;
    if (histogram->regions != NULL)
        csv_label_text(csv, regions_name(histogram->regions, (size_t)key));
    else if (histogram->options->results.by.by == MARGAY_BY_SITE)
        csv_label_hexadecimal(csv, key);
    else if (histogram->options->results.by.by == MARGAY_BY_OP)
        csv_label_text(csv, operation_name((enum margay_op)key));
    else
        csv_label_u64(csv, key);
    return rows(histogram, csv, &measured, error);
}

/* A state, and so a snapshot, holds the distances of all references together.
 */
static enum margay_status prepare_attribution(struct histogram *histogram,
                                              struct margay_error *error)
{
    const struct options *options = histogram->options;
    const char *other =
        options->run.save != NULL     ? "--save"
        : options->run.resume != NULL ? "--resume"
        : options->run.every.refs != 0 || options->run.every.seconds != 0
            ? "--every"
            : NULL;
    if (!options->results.by.given)
        return MARGAY_OK;
    if (other != NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--by does not go with %s: a state has no places",
                           other);
    return options->results.by.by == MARGAY_BY_REGION
               ? regions_read(options->results.by.map, &histogram->regions,
                              error)
               : MARGAY_OK;
}

static enum margay_status write_pass(void *context,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct histogram *histogram = context;
    const struct measured measured = measured_by(job, pass);
    const margay_consumer *next = margay_engine_consumer_next(job->consumer);
    histogram->measured = &measured;
    if (next == NULL)
        return rows(histogram, &histogram->csv, &measured, error);
    return margay_attribution_visit(
        next, pass, margay_histogram_exceeded_bound(measured.result->histogram),
        write_part, histogram, error);
}

static enum margay_status snapshot(void *context, struct csv_writer *csv,
                                   const struct margay_job *job,
                                   const struct margay_pass *pass,
                                   struct margay_error *error)
{
    const struct measured measured = measured_by(job, pass);
    return rows(context, csv, &measured, error);
}

int cmd_histogram(const struct options *options)
{
    struct histogram histogram = {.options = options};
    const struct attribution_option *by = &options->results.by;
    const struct drive drive = {
        .options = options,
        .context = &histogram,
        .measures = true,
        .needs = MARGAY_CAN_GIVE_HISTOGRAM,
        .summarises = true,
        .csv = &histogram.csv,
        .columns = by->given ? attribution_columns[by->by] : HISTOGRAM_COLUMNS,
        .open = open_attribution,
        .ended = write_pass,
        .snapshot = snapshot,
        .snapshot_columns = HISTOGRAM_COLUMNS,
    };
    struct margay_error error;
    if (options->results.objects)
        return objects_histogram(options);
    enum margay_status status = objects_refuse(options, &error);
    if (status == MARGAY_OK)
        status = prepare_attribution(&histogram, &error);
    int exit_status = drive_table(&drive, status, &error);
    regions_free(histogram.regions);
    return exit_status;
}
