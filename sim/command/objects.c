/* objects.c - curve, histogram and distances of objects with sizes */
#include "sim/command/objects.h"

#include <stdlib.h>

#include "sim/command/objects_parts.h"
#include "sim/options/commands.h"
#include "sim/terminal/message.h"

/* --------------------------------------------------------------- results -- */

static enum margay_status write_pass(void *context,
                                     const struct margay_job *job,
                                     const struct margay_pass *pass,
                                     struct margay_error *error)
{
    struct objects *objects = context;
    const margay_objects *engine =
        margay_objects_consumer_engine(job->consumer);
    enum margay_status status = MARGAY_OK;
    if (objects->draws) {
        if (objects->options->run.window_refs != 0)
            csv_label_u64(&objects->tables.csv, pass->window);
        status = csv_set_key(&objects->tables.csv, pass->trace, 0, error);
        if (status == MARGAY_OK)
            status = objects_curve_rows(objects, &objects->tables.csv,
                                        job->consumer, error);
        if (status == MARGAY_OK && objects_asks_for_words(objects->options))
            status = objects_answer(objects, pass, engine, error);
    }
    if (status == MARGAY_OK && objects->options->results.prometheus != NULL)
        status = objects_write_prometheus(
            objects, objects->tables.outputs[CURVE_PROMETHEUS], job, error);
    if (status == MARGAY_OK && objects->counts)
        status = objects_histogram_rows(objects,
                                        objects->draws
                                            ? &objects->tables.histogram_csv
                                            : &objects->tables.csv,
                                        pass, engine, error);
    if (status == MARGAY_OK && !objects->lists &&
        objects->options->run.window_refs == 0) {
        if (!objects->options->quiet)
            objects_summarise(job, pass, engine, &objects->engine);
        objects_warn(job, engine);
    }
    return objects->lists
               ? output_status(objects->tables.outputs[CURVE_TABLE], error)
               : status;
}

static enum margay_status snapshot(void *context, struct csv_writer *csv,
                                   const struct margay_job *job,
                                   const struct margay_pass *pass,
                                   struct margay_error *error)
{
    struct objects *objects = context;
    if (!objects->draws)
        return objects_histogram_rows(
            objects, csv, pass, margay_objects_consumer_engine(job->consumer),
            error);
    enum margay_status status = csv_set_key(csv, pass->trace, 0, error);
    return status == MARGAY_OK
               ? objects_curve_rows(objects, csv, job->consumer, error)
               : status;
}

static enum margay_status publish(void *context, const struct margay_job *job,
                                  struct margay_error *error)
{
    struct objects *objects = context;
    const char *place = objects->options->results.prometheus;
    struct output *output;
    if (place == NULL)
        return MARGAY_OK;
    enum margay_status status = output_open(place, OUTPUT_HELD, &output, error);
    if (status == MARGAY_OK)
        status = objects_write_prometheus(objects, output, job, error);
    return output_settle(output, status, error);
}

/* -------------------------------------------------------------- commands -- */

static enum margay_status open_objects(void *context,
                                       margay_consumer **consumer,
                                       struct margay_error *error)
{
    struct objects *objects = context;
    const struct options *options = objects->options;
    const struct margay_object_policies_request request = {
        .policies = (const char *const *)options->results.policies.specs,
        .policy_count = options->results.policies.count,
        .seed = options->seed,
        .directory = output_temporary_directory(),
    };
    margay_consumer *next = NULL;
    enum margay_status status = MARGAY_OK;
    if (request.policy_count > 0)
        return margay_object_policies_consumer(&objects->engine, &request,
                                               consumer, error);
    if (objects->lists)
        status = distances_open(&objects->tables.csv, &next, error);
    return status == MARGAY_OK ? margay_objects_consumer(&objects->engine, next,
                                                         consumer, error)
                               : status;
}

static int run(struct objects *objects, const char *columns)
{
    const struct drive drive = {
        .options = objects->options,
        .context = objects,
        .open = open_objects,
        .ended = write_pass,
        .snapshot = snapshot,
        .snapshot_columns = columns,
        .publish = publish,
    };
    struct margay_error error;
    enum margay_status status = objects_prepare(objects, &error);
    if (status == MARGAY_OK)
        status = curve_tables_open(&objects->tables, objects->options, columns,
                                   HISTOGRAM_COLUMNS, &error);
    if (status == MARGAY_OK)
        status = drive_run(&drive, &error);
    free((void *)objects->sizes.list_blocks);
    return curve_tables_end(&objects->tables, status, &error);
}

int objects_curve(const struct options *options)
{
    struct objects objects = {.options = options,
                              .draws = true,
                              .counts = options->results.histogram != NULL};
    return run(&objects, options->results.policies.count > 0
                             ? CURVE_COLUMNS CURVE_OBJECT_COLUMNS POLICY_COLUMN
                         : options->run.window_refs != 0
                             ? WINDOW_COLUMN CURVE_COLUMNS CURVE_OBJECT_COLUMNS
                             : CURVE_COLUMNS CURVE_OBJECT_COLUMNS);
}

int objects_histogram(const struct options *options)
{
    struct objects objects = {.options = options, .counts = true};
    return run(&objects, HISTOGRAM_COLUMNS);
}

int objects_distances(const struct options *options)
{
    struct objects objects = {.options = options, .lists = true};
    return run(&objects, DISTANCES_COLUMNS);
}
