/* prometheus.h - a miss curve in the text exposition format of Prometheus */
#ifndef MARGAY_SIM_TABLES_PROMETHEUS_H
#define MARGAY_SIM_TABLES_PROMETHEUS_H

#include "sim/options/sizes.h"
#include "sim/terminal/output.h"
#include <margay/run.h>

/*
 * Write the curves of all passes of a job, whose consumer is an engine that has
 * ended or was looked into: the gauge margay_miss_ratio at each of the sizes,
 * and the gauge margay_references.  Fails as margay_result_curve() does.
 */
enum margay_status prometheus_curves(struct output *output,
                                     const struct margay_job *job,
                                     const struct cache_sizes *sizes,
                                     struct margay_error *error);

/*
 * The same of one trace of objects with sizes, beside which the gauge
 * margay_byte_miss_ratio stands where the trace asks for any bytes.
 */
void prometheus_objects(struct output *output, const char *trace,
                        const struct margay_objects_point *points, size_t count,
                        const struct margay_objects_counts *counts);

#endif
