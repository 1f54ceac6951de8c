/* objects_tables.c - what is measured of objects with sizes, as rows and lines
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/command/objects_parts.h"
#include "sim/tables/prometheus.h"
#include "sim/terminal/message.h"
#include "traces/traces_internal.h"

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

enum margay_status objects_curve_rows(struct objects *objects,
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

enum margay_status objects_write_prometheus(struct objects *objects,
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

enum margay_status objects_histogram_rows(struct objects *objects,
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

/* How wide the curve may be where sizes have changed. */
static void add_bracket(char *text, size_t bytes,
                        const struct margay_objects_counts *counts)
{
    size_t used = strlen(text);
    snprintf(text + used, bytes - used,
             ", in caches smaller than the largest object at most %" PRIu64
             " misses (%.2g%% of references) more",
             counts->doubtful,
             100 * (double)counts->doubtful / (double)counts->references);
}

/* "12 objects of 3456 bytes in all", or that these are more than the bound. */
static void name_objects(char *text, size_t bytes,
                         const struct margay_objects_counts *counts)
{
    if (counts->exceeded_bound != 0)
        snprintf(text, bytes, "objects of more than %" PRIu64 " byte%s",
                 counts->exceeded_bound,
                 margay_plural(counts->exceeded_bound, "s"));
    else
        snprintf(text, bytes, "%" PRIu64 " object%s of %" PRIu64 " byte%s",
                 counts->objects, margay_plural(counts->objects, "s"),
                 counts->object_bytes,
                 margay_plural(counts->object_bytes, "s"));
}

static bool is_more_than_a_hundredth(uint64_t part, uint64_t all)
{
    return part > all / 100;
}

void objects_warn(const struct margay_job *job, const margay_objects *engine)
{
    const struct margay_objects_counts counts = margay_objects_counted(engine);
    uint64_t never;
    (void)margay_trace_unknown_sizes(job->reader, &never);
    if (is_more_than_a_hundredth(counts.resized, counts.sampled_refs))
        message_keep("%s: %" PRIu64 " requests (%.3g%%) have another size than "
                     "their object had before; each size counts from its "
                     "request on (--sizes-from takes one for all)",
                     job->trace, counts.resized,
                     100 * (double)counts.resized /
                         (double)counts.sampled_refs);
    if (is_more_than_a_hundredth(never, counts.references))
        message_keep("%s: %" PRIu64 " requests count 0 bytes, as the size of "
                     "their object is never said%s",
                     job->trace, never,
                     strcmp(job->trace, "-") == 0 ? " before them" : "");
}

void objects_summarise(const struct margay_job *job,
                       const struct margay_pass *pass,
                       const margay_objects *engine,
                       const struct margay_objects_options *options)
{
    bool sampled = options->rate < 1;
    const struct margay_objects_counts counts = margay_objects_counted(engine);
    uint64_t never, unknown = margay_trace_unknown_sizes(job->reader, &never);
    char objects[80], parts[320] = "";
    double rate =
        pass->seconds > 0 ? (double)pass->fed_refs / pass->seconds * 1e-6 : 0;
    add_part(parts, sizeof parts, counts.expired, "expired");
    add_part(parts, sizeof parts, counts.deletes, "deleted");
    add_part(parts, sizeof parts, counts.resized, "with another size");
    /* Ages leave nothing in doubt that could be counted. */
    if (counts.doubtful > 0 || (counts.shrunk > 0 && !options->ages))
        add_bracket(parts, sizeof parts, &counts);
    add_part(parts, sizeof parts, counts.merged,
             "with an approximate time to live");
    add_part(parts, sizeof parts, unknown, "without a size of their own");
    add_part(parts, sizeof parts, never,
             "of these 0 bytes, as no size was known");
    name_objects(objects, sizeof objects, &counts);
    message_keep("%s: %" PRIu64 " reference%s, %s%s in all, %" PRIu64
                 " %s%s%s, %.1f M refs/s",
                 pass->trace, counts.references,
                 margay_plural(counts.references, "s"), sampled ? "about " : "",
                 objects, counts.cold,
                 counts.exceeded_bound != 0 ? "hit in no cache up to there"
                 : counts.cold == 1         ? "cold miss"
                                            : "cold misses",
                 sampled ? " in the sample" : "", parts, rate);
}
