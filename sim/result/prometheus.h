/* prometheus.h - miss curves in the text exposition format of Prometheus */
#ifndef MARGAY_SIM_RESULT_PROMETHEUS_H
#define MARGAY_SIM_RESULT_PROMETHEUS_H

#include "sim/result/tables.h"
#include "sim/terminal/output.h"

/* What is to be written: the samples of each gauge, which stand together. */
#define PROMETHEUS_GAUGES 6
struct prometheus {
    struct output *samples[PROMETHEUS_GAUGES]; /* owned; NULL = none yet */
};

/*
 * Take a series: the gauge margay_miss_ratio at each of its sizes, and
 * margay_references; where it counts bytes, requests or misses in a cache that
 * others use, the ratios of these, too.  MARGAY_NO_MEMORY, MARGAY_IO.
 */
enum margay_status prometheus_take(struct prometheus *prometheus,
                                   const struct series_labels *labels,
                                   const struct margay_series *series,
                                   struct margay_error *error);

/* Write what was taken; the output keeps failures. */
void prometheus_write(const struct prometheus *prometheus,
                      struct output *output);

/* A zeroed one is fine. */
void prometheus_clear(struct prometheus *prometheus);

#endif
