/* sink.h - an output as the place where a writer's bytes go */
#ifndef MARGAY_SIM_SINK_H
#define MARGAY_SIM_SINK_H

#include <margay/traces.h>

#include "sim/output.h"

/* For struct margay_sink: the context is a struct output **, so that the
   output may be opened when all else is known to be right. */
enum margay_status sink_write(void *context, const void *bytes, size_t count,
                              struct margay_error *error);

#endif
