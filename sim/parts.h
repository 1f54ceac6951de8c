/*
 * parts.h - one trace in parts, read and analysed at the same time
 *
 * A file in which the references can be counted need not be read from its
 * begin to its end: each thread takes a part of its own.
 */
#ifndef MARGAY_SIM_PARTS_H
#define MARGAY_SIM_PARTS_H

#include "sim/trace_run.h"

/* Is that possible for a run that has begun, and does it pay? */
bool parts_wanted(const struct trace_run *run);

/* Then: read the trace, and put a result into every pass. */
enum margay_status parts_read(struct trace_run *run,
                              struct margay_error *error);

#endif
