/* objects.c - curve, histogram and distances of objects with sizes */
#include "sim/command/objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/command/answers.h"
#include "sim/options/commands.h"
#include "sim/tables/prometheus.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

/* A command with --objects: its table, and the histogram beside a curve. */
struct objects {
    const struct options *options;
    struct margay_objects_options engine;
    struct margay_sizes sizes; /* in bytes; the list is owned */
    bool draws;                /* a curve, */
    bool counts;               /* a histogram, */
    bool lists;                /* or a row for each reference */
    struct output *outputs[3]; /* the last: for Prometheus */
    struct csv_writer csv, histogram_csv;
    bool unreached; /* some trace has no cache for --at-most */
};

enum margay_status objects_refuse(const struct options *options,
                                  struct margay_error *error)
{
    const char *needless = options->results.objects     ? NULL
                           : options->results.ttl.given ? "--ttl"
                           : options->results.at_most_bytes >= 0
                               ? "--at-most-bytes"
                               : NULL;
    return needless != NULL
               ? margay_fail(error, MARGAY_BAD_ARGUMENT,
                             "%s is for objects with sizes (--objects)",
                             needless)
               : MARGAY_OK;
}

static const struct margay_sizes every_size = {.kind = MARGAY_SIZES_ALL};

/* Answers look at every size, and not only at those of the table. */
static bool asks_for_words(const struct options *options)
{
    return options->results.at_most >= 0 ||
           options->results.at_most_bytes >= 0 || options->results.knees != 0;
}

/* The option that makes no sense for objects, or NULL. */
static const char *find_needless(const struct options *options)
{
    return options->run.blocks.count > 0                    ? "--block"
           : options->reading.unit_bytes != 0               ? "--unit"
           : options->reading.ids                           ? "--ids"
           : options->run.straddle != MARGAY_STRADDLE_USUAL ? "--straddle"
           : options->engine.bound.value != 0               ? "--bound"
           : options->engine.measure == MARGAY_FOOTPRINT   ? "--model footprint"
           : options->engine.measure == MARGAY_REUSE_TIMES ? "--of time"
           : options->results.from != NULL                 ? "--from"
           : options->results.sample_rate != 0 &&
                   options->results.policies.count == 0
               ? "--sample"
           : options->results.writebacks         ? "--writebacks"
           : options->results.by.given           ? "--by"
           : options->run.window_refs != 0       ? "--window"
           : options->run.save != NULL           ? "--save"
           : options->run.resume != NULL         ? "--resume"
           : options->engine.half_life_refs != 0 ? "--half-life"
           : options->run.chunk_refs != 0        ? "--chunk"
           : options->run.phase_refs != 0        ? "--phase"
                                                 : NULL;
}

/* Sizes are in bytes, whether they have a suffix or not. */
static enum margay_status resolve_sizes(struct objects *objects,
                                        struct margay_error *error)
{
    const struct cache_sizes *sizes = &objects->options->results.sizes;
    objects->sizes = (struct margay_sizes){.kind = sizes->kind,
                                           .per_octave = sizes->per_octave};
    if (sizes->kind != MARGAY_SIZES_LIST)
        return MARGAY_OK;
    uint64_t *list = calloc(sizes->count, sizeof *list);
    if (list == NULL)
        return margay_fail_memory(error, "the cache sizes");
    for (size_t i = 0; i < sizes->count; i++)
        list[i] = sizes->list[i].value;
    objects->sizes.list_count = sort_unique(list, sizes->count);
    objects->sizes.list_blocks = list;
    return MARGAY_OK;
}

static enum margay_status prepare(struct objects *objects,
                                  struct margay_error *error)
{
    const struct options *options = objects->options;
    struct margay_objects_options *engine = &objects->engine;
    const char *needless = find_needless(options);
    if (needless != NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--objects does not go with %s", needless);
    if (options->results.prometheus != NULL && options->operand_count > 1)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "--prometheus: the file is for one trace at a time");
    *engine = (struct margay_objects_options)MARGAY_OBJECTS_OPTIONS_DEFAULT;
    engine->curve = !objects->draws           ? NULL
                    : asks_for_words(options) ? &every_size
                                              : &objects->sizes;
    engine->distances = objects->counts;
    engine->seed = options->seed;
    engine->ages = options->results.ttl.given;
    if (engine->ages)
        engine->ttl_seconds = options->results.ttl.seconds;
    enum margay_status status =
        margay_objects_take_spec(options->engine.spec, engine, error);
    if (options->results.sample_rate != 0)
        engine->rate = options->results.sample_rate;
    if (status == MARGAY_OK && objects->lists && engine->rate < 1)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "engine %s does not tell the distance of each "
                           "reference",
                           options->engine.spec);
    return status == MARGAY_OK ? resolve_sizes(objects, error) : status;
}

/* --------------------------------------------------------------- tables -- */

/* The rows of a curve, which names its policy if there is one. */
static void write_points(struct csv_writer *csv, const margay_objects *engine,
                         const struct margay_objects_point *points,
                         size_t count, const char *policy)
{
    const struct margay_objects_counts counts = margay_objects_counted(engine);
    for (size_t i = 0; i < count; i++) {
        csv_key(csv);
        csv_nothing(csv);
        csv_u64(csv, points[i].cache_bytes);
        csv_u64(csv, counts.references);
        csv_u64(csv, points[i].misses);
        csv_share(csv, points[i].misses, counts.references);
        csv_u64(csv, counts.reference_bytes);
        csv_u64(csv, points[i].missed_bytes);
        if (counts.reference_bytes == 0)
            csv_nothing(csv);
        else
            csv_share(csv, points[i].missed_bytes, counts.reference_bytes);
        if (policy != NULL)
            csv_text(csv, policy);
        csv_end_row(csv);
    }
}

static enum margay_status curve_rows(struct objects *objects,
                                     struct csv_writer *csv,
                                     const margay_consumer *consumer,
                                     struct margay_error *error)
{
    const margay_objects *engine = margay_objects_consumer_engine(consumer);
    const struct policy_list *policies = &objects->options->results.policies;
    struct margay_objects_point *points;
    const struct margay_objects_point *curve;
    size_t count;
    for (size_t i = 0; i < policies->count; i++) {
        count = margay_object_policies_consumer_curve(consumer, i, &curve);
        write_points(csv, engine, curve, count, policies->specs[i]);
    }
    if (policies->count > 0)
        return MARGAY_OK;
    enum margay_status status =
        margay_objects_curve(engine, &objects->sizes, &points, &count, error);
    if (status == MARGAY_OK)
        write_points(csv, engine, points, count, NULL);
    free(points);
    return status;
}

static enum margay_status write_prometheus(struct objects *objects,
                                           struct output *output,
                                           const struct margay_job *job,
                                           struct margay_error *error)
{
    const margay_objects *engine =
        margay_objects_consumer_engine(job->consumer);
    const struct margay_objects_counts counts = margay_objects_counted(engine);
    struct margay_objects_point *points;
    size_t count;
    enum margay_status status =
        margay_objects_curve(engine, &objects->sizes, &points, &count, error);
    if (status == MARGAY_OK)
        prometheus_objects(output, job->trace, points, count, &counts);
    free(points);
    return status;
}

/* Answer about requests, or about their bytes, from the curve at every size. */
static enum margay_status answer_about(
    struct objects *objects, const struct margay_pass *pass,
    const struct margay_objects_counts *counts,
    const struct margay_objects_point *every, size_t count, bool bytes,
    struct margay_error *error)
{
    const struct options *options = objects->options;
    double most =
        bytes ? options->results.at_most_bytes : options->results.at_most;
    struct margay_point *points = calloc(count + 1, sizeof *points);
    if (points == NULL)
        return margay_fail_memory(error, "the points of a curve");
    for (size_t i = 0; i < count; i++)
        points[i] = (struct margay_point){every[i].cache_bytes,
                                          bytes ? every[i].missed_bytes
                                                : every[i].misses};
    const struct answer_curve curve = {
        .trace = pass->trace,
        .ratio = bytes ? "byte miss ratio" : "miss ratio",
        .in_bytes = true,
        .points = points,
        .count = count,
        .all = bytes ? counts->reference_bytes : counts->references,
        .cold = bytes ? counts->cold_bytes + counts->expired_bytes
                      : counts->cold + counts->expired,
    };
    if (most >= 0)
        objects->unreached |= !answer_at_most(&curve, most);
    if (!bytes && options->results.knees > 0)
        answer_knees(&curve, options->results.knees);
    free(points);
    return MARGAY_OK;
}

static enum margay_status answer_in_words(struct objects *objects,
                                          const struct margay_pass *pass,
                                          const margay_objects *engine,
                                          struct margay_error *error)
{
    const struct margay_objects_counts counts = margay_objects_counted(engine);
    struct margay_objects_point *every;
    size_t count;
    enum margay_status status =
        margay_objects_curve(engine, NULL, &every, &count, error);
    for (int bytes = 0; bytes <= 1 && status == MARGAY_OK; bytes++)
        status = answer_about(objects, pass, &counts, every, count, bytes != 0,
                              error);
    free(every);
    return status;
}

static enum margay_status histogram_rows(struct objects *objects,
                                         struct csv_writer *csv,
                                         const struct margay_pass *pass,
                                         const margay_objects *engine,
                                         struct margay_error *error)
{
    margay_histogram *histogram;
    enum margay_status status =
        margay_objects_histogram(engine, &histogram, error);
    if (status != MARGAY_OK)
        return status;
    const struct margay_result result = result_of(histogram);
    const struct measured measured = {pass->trace, 0, &result};
    status =
        table_histogram(csv, &measured, &objects->options->results.bins, error);
    margay_histogram_free(histogram);
    return status;
}

/* "12 expired", where there are any. */
static void add_part(char *text, size_t bytes, uint64_t count, const char *what)
{
    size_t used = strlen(text);
    if (count > 0)
        snprintf(text + used, bytes - used, ", %" PRIu64 " %s", count, what);
}

static void summarise(const struct margay_pass *pass,
                      const margay_objects *engine, bool sampled)
{
    const struct margay_objects_counts counts = margay_objects_counted(engine);
    char parts[160] = "";
    double rate =
        pass->seconds > 0 ? (double)pass->fed_refs / pass->seconds * 1e-6 : 0;
    add_part(parts, sizeof parts, counts.expired, "expired");
    add_part(parts, sizeof parts, counts.deletes, "deleted");
    add_part(parts, sizeof parts, counts.other_sizes,
             "named another size than their object's first");
    message_keep("%s: %" PRIu64 " reference%s, %s%" PRIu64
                 " object%s of %" PRIu64 " byte%s in all, %" PRIu64
                 " cold miss%s%s%s, %.1f M refs/s",
                 pass->trace, counts.references,
                 margay_plural(counts.references, "s"), sampled ? "about " : "",
                 counts.objects, margay_plural(counts.objects, "s"),
                 counts.object_bytes, margay_plural(counts.object_bytes, "s"),
                 counts.cold, margay_plural(counts.cold, "es"),
                 sampled ? " in the sample" : "", parts, rate);
}

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
        status = csv_set_key(&objects->csv, pass->trace, 0, error);
        if (status == MARGAY_OK)
            status = curve_rows(objects, &objects->csv, job->consumer, error);
        if (status == MARGAY_OK && asks_for_words(objects->options))
            status = answer_in_words(objects, pass, engine, error);
    }
    if (status == MARGAY_OK && objects->outputs[2] != NULL)
        status = write_prometheus(objects, objects->outputs[2], job, error);
    if (status == MARGAY_OK && objects->counts)
        status = histogram_rows(
            objects, objects->draws ? &objects->histogram_csv : &objects->csv,
            pass, engine, error);
    if (status == MARGAY_OK && !objects->options->quiet && !objects->lists)
        summarise(pass, engine, objects->engine.rate < 1);
    return objects->lists ? output_status(objects->outputs[0], error) : status;
}

static enum margay_status snapshot(void *context, struct csv_writer *csv,
                                   const struct margay_job *job,
                                   const struct margay_pass *pass,
                                   struct margay_error *error)
{
    struct objects *objects = context;
    if (!objects->draws)
        return histogram_rows(objects, csv, pass,
                              margay_objects_consumer_engine(job->consumer),
                              error);
    enum margay_status status = csv_set_key(csv, pass->trace, 0, error);
    return status == MARGAY_OK ? curve_rows(objects, csv, job->consumer, error)
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
        status = write_prometheus(objects, output, job, error);
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
        status = distances_open(&objects->csv, &next, error);
    return status == MARGAY_OK ? margay_objects_consumer(&objects->engine, next,
                                                         consumer, error)
                               : status;
}

static enum margay_status open_outputs(struct objects *objects,
                                       const char *columns,
                                       struct margay_error *error)
{
    const struct options *options = objects->options;
    const char *place = options->output == NULL ? "-" : options->output;
    enum margay_status status =
        output_open(place, OUTPUT_HELD, &objects->outputs[0], error);
    if (status != MARGAY_OK)
        return status;
    csv_begin(&objects->csv, objects->outputs[0], options->json, columns);
    if (options->results.prometheus != NULL)
        status = output_open(options->results.prometheus, OUTPUT_HELD,
                             &objects->outputs[2], error);
    if (status != MARGAY_OK || options->results.histogram == NULL)
        return status;
    status = output_open(options->results.histogram, OUTPUT_HELD,
                         &objects->outputs[1], error);
    if (status == MARGAY_OK)
        csv_begin(&objects->histogram_csv, objects->outputs[1], options->json,
                  HISTOGRAM_COLUMNS);
    return status;
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
    enum margay_status status = prepare(objects, &error);
    if (status == MARGAY_OK)
        status = open_outputs(objects, columns, &error);
    if (status == MARGAY_OK)
        status = drive_run(&drive, &error);
    csv_end(&objects->csv);
    csv_end(&objects->histogram_csv);
    free((void *)objects->sizes.list_blocks);
    int exit_status = conclude(status, objects->outputs, 3, &error);
    return exit_status == EXIT_DONE && objects->unreached ? EXIT_DENIED
                                                          : exit_status;
}

int objects_curve(const struct options *options)
{
    struct objects objects = {.options = options,
                              .draws = true,
                              .counts = options->results.histogram != NULL};
    return run(&objects, options->results.policies.count > 0
                             ? CURVE_COLUMNS CURVE_OBJECT_COLUMNS POLICY_COLUMN
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
