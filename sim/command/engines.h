/* engines.h - margay engines --run and --sweep: engines on trial */
#ifndef MARGAY_SIM_COMMAND_ENGINES_H
#define MARGAY_SIM_COMMAND_ENGINES_H

#include "sim/options/options.h"
#include "sim/result/csv.h"

/* Rows of ENGINES_RUN_COLUMNS: each engine on the trace of --run, compared with
   the exact engine. */
enum margay_status engines_run(const struct options *options,
                               const struct policy_list *specs,
                               struct csv_writer *csv,
                               struct margay_error *error);

/* Rows of ENGINES_SWEEP_COLUMNS: each engine on one pattern of more and more
   distinct blocks. */
enum margay_status engines_sweep(const struct options *options,
                                 const struct policy_list *specs,
                                 struct csv_writer *csv,
                                 struct margay_error *error);

#endif
