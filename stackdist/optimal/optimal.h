/* optimal.h - the engine of Belady's optimum, for its tests */
#ifndef MARGAY_STACKDIST_OPTIMAL_OPTIMAL_H
#define MARGAY_STACKDIST_OPTIMAL_OPTIMAL_H

#include "stackdist/engine.h"

/* As the engine's create(), but references will have the times from `first` on,
   which is 1 or more. */
enum margay_status margay_optimal_create_at(
    const struct margay_engine_setup *setup, uint32_t first, void *state,
    struct margay_error *error);

#endif
