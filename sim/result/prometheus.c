/*
 * prometheus.c - miss curves in the text exposition format of Prometheus
 *
 * All samples of a metric stand together, as the format wants them.  A label
 * that would be empty is left out, which means the same there.
 */
#include "sim/result/tables.h"

#include <inttypes.h>
#include <string.h>

#include "sim/result/json.h"

/* A value of a label.  The format is UTF-8. */
static void put_label(struct output *output, const char *text)
{
    static const struct escapes escapes = {
        .invalid = JSON_NO_CHARACTER,
        .list = {{"\n", "\\n"}, {"\"", "\\\""}, {"\\", "\\\\"}},
    };
    escaped_text(output, text, strlen(text), &escapes);
}

/* One of the labels; NULL is none. */
static void put_text(struct output *output, const char *name, const char *text)
{
    if (text == NULL)
        return;
    output_text(output, ",%s=\"", name);
    put_label(output, text);
    output_text(output, "\"");
}

static void put_number(struct output *output, const char *name, uint64_t number)
{
    output_text(output, ",%s=\"%" PRIu64 "\"", name, number);
}

static void put_labels(struct output *output, const char *gauge,
                       const struct series_labels *labels,
                       const struct margay_series *series)
{
    output_text(output, "%s{trace=\"", gauge);
    put_label(output, labels->trace);
    output_text(output, "\"");
    if (labels->block_bytes != 0 && !series->in_bytes)
        put_number(output, "block_bytes", labels->block_bytes);
    if (labels->window != NULL)
        put_number(output, "window", *labels->window);
    put_text(output, "tenant", labels->tenant);
    put_text(output, "policy", series->policy);
    if (labels->sampled != NULL && *labels->sampled != '\0')
        put_text(output, "sampled", "1");
}

/* A gauge is misses over references, each of a kind. */
struct gauge {
    const char *name, *help;
    unsigned counters; /* that a series has to have */
    size_t misses;     /* where they are in a point, */
    size_t all;        /* and the whole that they are a share of, in a series */
};

#define POINT(member)  offsetof(struct margay_series_point, member)
#define SERIES(member) offsetof(struct margay_series, member)
#define NO_POINT       SIZE_MAX /* a gauge of the series, which `all` is */

static const struct gauge gauges[PROMETHEUS_GAUGES] = {
    {"margay_miss_ratio",
     "Misses over references of a fully associative cache of this size, LRU "
     "unless a policy is named.",
     0, POINT(misses), SERIES(references)},
    {"margay_byte_miss_ratio",
     "Missed bytes over the bytes that the references ask for.",
     MARGAY_COUNTS_BYTES, POINT(missed_bytes), SERIES(reference_bytes)},
    {"margay_request_miss_ratio",
     "Requests of which some block misses over all requests.",
     MARGAY_COUNTS_REQUESTS, POINT(missed_requests), SERIES(requests)},
    {"margay_token_miss_ratio", "Tokens of prompts that miss over all of them.",
     MARGAY_COUNTS_TOKENS, POINT(missed_tokens), SERIES(request_tokens)},
    {"margay_shared_miss_ratio",
     "Misses over references where all tenants share a cache of this size.",
     MARGAY_COUNTS_SHARED, POINT(shared_misses), SERIES(references)},
    {"margay_references", "The references that the miss ratios are of.", 0,
     NO_POINT, SERIES(references)},
};

static uint64_t number_at(const void *structure, size_t offset)
{
    return *(const uint64_t *)((const char *)structure + offset);
}

/* A sample for each size of a series, or of the series. */
static void put_points(struct output *output, const struct gauge *gauge,
                       const struct series_labels *labels,
                       const struct margay_series *series)
{
    uint64_t all = number_at(series, gauge->all);
    uint64_t unit = series->in_bytes ? 1 : labels->block_bytes;
    if (gauge->misses == NO_POINT) {
        put_labels(output, gauge->name, labels, series);
        output_text(output, "} %" PRIu64 "\n",
                    margay_round_count(all, series->fraction_bits));
        return;
    }
    for (size_t i = 0; i < series->count && all > 0; i++) {
        const struct margay_series_point *point = &series->points[i];
        uint64_t size = point->size;
        put_labels(output, gauge->name, labels, series);
        if (!series->in_bytes)
            put_number(output, "cache_blocks", size);
        if (unit != 0 && size <= UINT64_MAX / unit)
            put_number(output, "cache_bytes", size * unit);
        if (size < series->unsure_below)
            put_text(output, "no_guide", "1");
        output_text(output, "} %.12g\n",
                    (double)number_at(point, gauge->misses) / (double)all);
    }
}

enum margay_status prometheus_take(struct prometheus *prometheus,
                                   const struct series_labels *labels,
                                   const struct margay_series *series,
                                   struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < PROMETHEUS_GAUGES && status == MARGAY_OK; i++) {
        const struct gauge *gauge = &gauges[i];
        struct output **samples = &prometheus->samples[i];
        if ((gauge->counters & ~series->counters) != 0)
            continue;
        if (*samples == NULL)
            status = output_open(NULL, OUTPUT_HELD, samples, error);
        if (status == MARGAY_OK)
            put_points(*samples, gauge, labels, series);
    }
    return status;
}

void prometheus_end(struct prometheus *prometheus, struct output *output)
{
    for (size_t i = 0; i < PROMETHEUS_GAUGES; i++) {
        const struct gauge *gauge = &gauges[i];
        struct output **samples = &prometheus->samples[i];
        if (output != NULL && (gauge->counters == 0 || *samples != NULL))
            output_text(output, "# HELP %s %s\n# TYPE %s gauge\n", gauge->name,
                        gauge->help, gauge->name);
        if (output != NULL && *samples != NULL)
            output_append(output, *samples);
        output_free(*samples);
        *samples = NULL;
    }
}
