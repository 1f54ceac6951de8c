/* engine_trials.h - the tables of margay engines --run and --sweep */
#ifndef MARGAY_SIM_ENGINE_TRIALS_H
#define MARGAY_SIM_ENGINE_TRIALS_H

#include "sim/csv.h"
#include "sim/engine_specs.h"
#include "sim/options.h"

/* References per call of an engine. */
#define TRIAL_PIECE_REFS 8192

/* Steps of the naive stack that nobody wants to wait for. */
#define MOST_NAIVE_STEPS 4e10

/* All on a trace, held against the exact engine. */
enum margay_status engine_trials_run(const struct options *options,
                                     const struct engine_specs *specs,
                                     struct csv_writer *csv,
                                     struct margay_error *error);

/* Each on the paper's pattern, for more and more blocks. */
enum margay_status engine_trials_sweep(const struct options *options,
                                       const struct engine_specs *specs,
                                       struct csv_writer *csv,
                                       struct margay_error *error);

#endif
