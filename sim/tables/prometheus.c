/*
 * prometheus.c - a miss curve in the text exposition format of Prometheus
 *
 * All samples of a metric stand together, as the format wants them.  A label
 * that would be empty is left out, which means the same there.
 */
#include "sim/tables/prometheus.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/tables/json.h"
#include "sim/tables/tables.h"

/* A value of a label, in which three characters are escaped.  The format is
   UTF-8: each byte that is no part of a character becomes U+FFFD. */
static void put_label(struct output *output, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        size_t length = json_character_bytes(text, left);
        if (*text == '\n')
            output_text(output, "\\n");
        else if (*text == '"' || *text == '\\')
            output_text(output, "\\%c", *text);
        else if (length == 0)
            output_text(output, JSON_NO_CHARACTER);
        else
            output_bytes(output, text, length);
        length += length == 0;
        text += length;
        left -= length;
    }
}

static void put_labels(struct output *output, const struct measured *measured)
{
    output_text(output, "{trace=\"");
    put_label(output, measured->trace);
    output_text(output, "\"");
    if (measured->block_bytes != 0)
        output_text(output, ",block_bytes=\"%" PRIu64 "\"",
                    measured->block_bytes);
}

static void put_points(struct output *output, const struct measured *measured,
                       const struct margay_point *points, size_t count)
{
    uint64_t references = measured->result->references;
    for (size_t i = 0; i < count; i++) {
        uint64_t blocks = points[i].cache_blocks;
        output_text(output, "margay_miss_ratio");
        put_labels(output, measured);
        output_text(output, ",cache_blocks=\"%" PRIu64 "\"", blocks);
        if (measured->block_bytes != 0 &&
            blocks <= UINT64_MAX / measured->block_bytes)
            output_text(output, ",cache_bytes=\"%" PRIu64 "\"",
                        blocks * measured->block_bytes);
        output_text(output, "} %.12g\n",
                    (double)points[i].misses / (double)references);
    }
}

static enum margay_status put_curve(struct output *output,
                                    const struct measured *measured,
                                    const struct cache_sizes *sizes,
                                    struct margay_error *error)
{
    struct margay_sizes resolved;
    struct margay_point *points = NULL;
    size_t count = 0;
    if (measured->result->references == 0)
        return MARGAY_OK;
    enum margay_status status =
        cache_sizes_resolve(sizes, measured->block_bytes, &resolved, error);
    if (status != MARGAY_OK)
        return status;
    status = margay_result_curve(measured->result, &resolved, &points, &count,
                                 error);
    if (status == MARGAY_OK)
        put_points(output, measured, points, count);
    free(points);
    free((void *)resolved.list_blocks);
    return status;
}

static const char miss_ratio_header[] =
    "# HELP margay_miss_ratio Misses over references of a fully associative "
    "LRU cache of this size.\n"
    "# TYPE margay_miss_ratio gauge\n";
static const char references_header[] =
    "# HELP margay_references The references that the miss ratios are of.\n"
    "# TYPE margay_references gauge\n";

enum margay_status prometheus_curves(struct output *output,
                                     const struct margay_job *job,
                                     const struct cache_sizes *sizes,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    output_text(output, "%s", miss_ratio_header);
    for (size_t i = 0; i < job->pass_count && status == MARGAY_OK; i++) {
        const struct measured measured = measured_by(job, &job->passes[i]);
        status = put_curve(output, &measured, sizes, error);
    }
    output_text(output, "%s", references_header);
    for (size_t i = 0; i < job->pass_count; i++) {
        const struct measured measured = measured_by(job, &job->passes[i]);
        output_text(output, "margay_references");
        put_labels(output, &measured);
        output_text(output, "} %" PRIu64 "\n", measured.result->references);
    }
    return status;
}

/* ---------------------------------------------------- objects with sizes -- */

static void put_ratio(struct output *output, const char *metric,
                      const struct measured *measured, uint64_t cache_bytes,
                      uint64_t misses, uint64_t all)
{
    output_text(output, "%s", metric);
    put_labels(output, measured);
    output_text(output, ",cache_bytes=\"%" PRIu64 "\"} %.12g\n", cache_bytes,
                (double)misses / (double)all);
}

void prometheus_objects(struct output *output, const char *trace,
                        const struct margay_objects_point *points, size_t count,
                        const struct margay_objects_counts *counts)
{
    const struct measured measured = {.trace = trace};
    output_text(output, "%s", miss_ratio_header);
    for (size_t i = 0; i < count && counts->references > 0; i++)
        put_ratio(output, "margay_miss_ratio", &measured, points[i].cache_bytes,
                  points[i].misses, counts->references);
    output_text(output,
                "# HELP margay_byte_miss_ratio Missed bytes over the bytes "
                "that the references ask for.\n"
                "# TYPE margay_byte_miss_ratio gauge\n");
    for (size_t i = 0; i < count && counts->reference_bytes > 0; i++)
        put_ratio(output, "margay_byte_miss_ratio", &measured,
                  points[i].cache_bytes, points[i].missed_bytes,
                  counts->reference_bytes);
    output_text(output, "%s", references_header);
    output_text(output, "margay_references");
    put_labels(output, &measured);
    output_text(output, "} %" PRIu64 "\n", counts->references);
}
