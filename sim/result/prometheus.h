/* prometheus.h - a miss curve in the text exposition format of Prometheus */
#ifndef MARGAY_SIM_TABLES_PROMETHEUS_H
#define MARGAY_SIM_TABLES_PROMETHEUS_H

#include "sim/options/sizes.h"
#include "sim/terminal/output.h"
#include <margay/run.h>

/*
 * Write the series of all passes of a job that have ended or been looked into:
 * the gauge margay_miss_ratio at each of the sizes, and margay_references; of
 * objects also margay_byte_miss_ratio, where the trace asks for any bytes.
 * Fails as margay_analysis_series() does.
 */
enum margay_status prometheus_write(struct output *output,
                                    const struct margay_job *job,
                                    const struct margay_cache_sizes *sizes,
                                    bool objects, struct margay_error *error);

#endif
