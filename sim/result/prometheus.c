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

/* The metrics, in their order. */
static const struct metric {
    const char *name, *help;
    enum { MISSES, MISSED_BYTES, REFERENCES } of;
} metrics[] = {
    {"margay_miss_ratio",
     "Misses over references of a fully associative LRU cache of this size.",
     MISSES},
    {"margay_byte_miss_ratio",
     "Missed bytes over the bytes that the references ask for.", MISSED_BYTES},
    {"margay_references", "The references that the miss ratios are of.",
     REFERENCES},
};

/* Of whose references a sample is, at which block size. */
struct samples {
    struct output *output;
    const struct metric *metric;
    const char *trace;
    uint64_t block_bytes; /* 0 = unknown, or of objects */
};

/* The name of a sample, and its labels but those of a size. */
static void begin_sample(const struct samples *samples)
{
    output_text(samples->output, "%s{trace=\"", samples->metric->name);
    put_label(samples->output, samples->trace);
    output_text(samples->output, "\"");
    if (samples->block_bytes != 0)
        output_text(samples->output, ",block_bytes=\"%" PRIu64 "\"",
                    samples->block_bytes);
}

/* A sample for each size of a series, or one for its references. */
static enum margay_status put_samples(void *context,
                                      const struct margay_series *series,
                                      struct margay_error *error)
{
    const struct samples *samples = context;
    struct output *output = samples->output;
    bool bytes = samples->metric->of == MISSED_BYTES;
    uint64_t all = bytes ? series->reference_bytes : series->references;
    uint64_t unit = samples->block_bytes;
    (void)error;
    if (samples->metric->of == REFERENCES) {
        begin_sample(samples);
        output_text(output, "} %" PRIu64 "\n",
                    margay_round_count(all, series->fraction_bits));
        return MARGAY_OK;
    }
    for (size_t i = 0; i < series->count && all > 0; i++) {
        const struct margay_series_point *point = &series->points[i];
        uint64_t size = point->size;
        begin_sample(samples);
        if (!series->in_bytes)
            output_text(output, ",cache_blocks=\"%" PRIu64 "\"", size);
        if (series->in_bytes)
            output_text(output, ",cache_bytes=\"%" PRIu64 "\"", size);
        else if (unit != 0 && size <= UINT64_MAX / unit)
            output_text(output, ",cache_bytes=\"%" PRIu64 "\"", size * unit);
        output_text(output, "} %.12g\n",
                    (double)(bytes ? point->missed_bytes : point->misses) /
                        (double)all);
    }
    return MARGAY_OK;
}

/* All samples of a metric, of all passes. */
static enum margay_status put_metric(struct output *output,
                                     const struct metric *metric,
                                     const struct margay_job *job,
                                     const struct margay_cache_sizes *sizes,
                                     bool objects, struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    output_text(output, "# HELP %s %s\n# TYPE %s gauge\n", metric->name,
                metric->help, metric->name);
    for (size_t i = 0; i < job->pass_count && status == MARGAY_OK; i++) {
        const struct margay_pass *pass = &job->passes[i];
        struct samples samples = {output, metric, pass->trace,
                                  objects ? 0 : pass->block_bytes};
        struct margay_sizes resolved;
        status = margay_cache_sizes_resolve(
            sizes, objects ? 1 : pass->block_bytes, &resolved, error);
        if (status != MARGAY_OK)
            break;
        status = margay_analysis_series(job->analyses[i], &resolved,
                                        put_samples, &samples, error);
        free((void *)resolved.list_blocks);
    }
    return status;
}

enum margay_status prometheus_write(struct output *output,
                                    const struct margay_job *job,
                                    const struct margay_cache_sizes *sizes,
                                    bool objects, struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0;
         i < sizeof metrics / sizeof *metrics && status == MARGAY_OK; i++) {
        if (objects || metrics[i].of != MISSED_BYTES)
            status =
                put_metric(output, &metrics[i], job, sizes, objects, error);
    }
    return status;
}
