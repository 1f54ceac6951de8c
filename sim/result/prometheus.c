/*
 * prometheus.c - a miss curve in the text exposition format of Prometheus
 *
 * All samples of a metric stand together, as the format wants them.  A label
 * that would be empty is left out, which means the same there.
 */
#include "sim/result/prometheus.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result/json.h"
#include "sim/result/tables.h"

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

/* Of whose references a sample is, at which block size. */
struct labels {
    struct output *output;
    const char *trace;
    uint64_t block_bytes; /* 0 = unknown, or of objects */
};

static void put_labels(const struct labels *labels)
{
    output_text(labels->output, "{trace=\"");
    put_label(labels->output, labels->trace);
    output_text(labels->output, "\"");
    if (labels->block_bytes != 0)
        output_text(labels->output, ",block_bytes=\"%" PRIu64 "\"",
                    labels->block_bytes);
}

/* A sample for each size of a series. */
static void put_points(const struct labels *labels, const char *metric,
                       const struct margay_series *series, bool bytes)
{
    uint64_t all = bytes ? series->reference_bytes : series->references;
    for (size_t i = 0; i < series->count && all > 0; i++) {
        const struct margay_series_point *point = &series->points[i];
        uint64_t size = point->size, unit = labels->block_bytes;
        output_text(labels->output, "%s", metric);
        put_labels(labels);
        if (!series->in_bytes)
            output_text(labels->output, ",cache_blocks=\"%" PRIu64 "\"", size);
        if (series->in_bytes)
            output_text(labels->output, ",cache_bytes=\"%" PRIu64 "\"", size);
        else if (unit != 0 && size <= UINT64_MAX / unit)
            output_text(labels->output, ",cache_bytes=\"%" PRIu64 "\"",
                        size * unit);
        output_text(labels->output, "} %.12g\n",
                    (double)(bytes ? point->missed_bytes : point->misses) /
                        (double)all);
    }
}

static enum margay_status put_misses(void *context,
                                     const struct margay_series *series,
                                     struct margay_error *error)
{
    (void)error;
    put_points(context, "margay_miss_ratio", series, false);
    return MARGAY_OK;
}

static enum margay_status put_missed_bytes(void *context,
                                           const struct margay_series *series,
                                           struct margay_error *error)
{
    (void)error;
    put_points(context, "margay_byte_miss_ratio", series, true);
    return MARGAY_OK;
}

static enum margay_status put_references(void *context,
                                         const struct margay_series *series,
                                         struct margay_error *error)
{
    const struct labels *labels = context;
    (void)error;
    output_text(labels->output, "margay_references");
    put_labels(labels);
    output_text(labels->output, "} %" PRIu64 "\n",
                margay_round_count(series->references, series->fraction_bits));
    return MARGAY_OK;
}

/* All samples of a metric, of all passes. */
static enum margay_status put_metric(struct output *output,
                                     const struct margay_job *job,
                                     const struct margay_cache_sizes *sizes,
                                     bool objects, margay_series_take *put,
                                     struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < job->pass_count && status == MARGAY_OK; i++) {
        const struct margay_pass *pass = &job->passes[i];
        struct labels labels = {output, pass->trace,
                                objects ? 0 : pass->block_bytes};
        struct margay_sizes resolved;
        status = margay_cache_sizes_resolve(
            sizes, objects ? 1 : pass->block_bytes, &resolved, error);
        if (status != MARGAY_OK)
            break;
        status = margay_analysis_series(job->analyses[i], &resolved, put,
                                        &labels, error);
        free((void *)resolved.list_blocks);
    }
    return status;
}

enum margay_status prometheus_write(struct output *output,
                                    const struct margay_job *job,
                                    const struct margay_cache_sizes *sizes,
                                    bool objects, struct margay_error *error)
{
    output_text(output,
                "# HELP margay_miss_ratio Misses over references of a fully "
                "associative LRU cache of this size.\n"
                "# TYPE margay_miss_ratio gauge\n");
    enum margay_status status =
        put_metric(output, job, sizes, objects, put_misses, error);
    if (status == MARGAY_OK && objects) {
        output_text(output,
                    "# HELP margay_byte_miss_ratio Missed bytes over the bytes "
                    "that the references ask for.\n"
                    "# TYPE margay_byte_miss_ratio gauge\n");
        status = put_metric(output, job, sizes, true, put_missed_bytes, error);
    }
    output_text(output, "# HELP margay_references The references that the miss "
                        "ratios are of.\n"
                        "# TYPE margay_references gauge\n");
    return status == MARGAY_OK
               ? put_metric(output, job, sizes, objects, put_references, error)
               : status;
}
