/* conclude.h - how every command that writes ends */
#ifndef MARGAY_SIM_CONCLUDE_H
#define MARGAY_SIM_CONCLUDE_H

#include <stddef.h>

#include "sim/output.h"

/*
 * If `status` is MARGAY_OK, let the outputs appear (NULL ones are passed
 * over); if it is not, or that fails, print *error.  Frees the outputs.
 * Returns the exit status: 128 + N where signal N cut the run short.
 */
int conclude(enum margay_status status, struct output **outputs, size_t count,
             struct margay_error *error);

#endif
