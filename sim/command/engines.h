/*
 * engines.h - margay engines --run and --sweep: engines on trial
 *
 * Each trial of an engine runs in a child process, which measures the engine's
 * time and memory: no engine inherits the heap of another, and an engine that
 * is killed spoils no other trial.
 */
#ifndef MARGAY_SIM_COMMAND_ENGINES_H
#define MARGAY_SIM_COMMAND_ENGINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/options/options.h"
#include "sim/result/csv.h"
#include <margay/stackdist.h>

/* ---- The two tables ---- */

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

/* ---- A trial ---- */

/* References per call of an engine. */
#define TRIAL_PIECE_REFS 8192

/* Where the references come from: each call gives the next of them, and 0 at
   the end. */
struct trial_source {
    size_t (*next)(void *context, const uint64_t **blocks);
    void *context; /* each child begins with the parent's */
};

struct trial {
    const char *spec;
    struct margay_engine_options options;
    struct trial_source source;
    const uint64_t *sizes; /* cache sizes in blocks, ascending */
    size_t size_count;     /* may be 0 */
};

struct trial_result {
    uint64_t references;
    /* Spent in feeding and finishing, not in the source: processor time of an
       engine on one thread, and otherwise elapsed time. */
    double seconds;
    uint64_t peak_bytes;
    uint64_t nodes;
    bool knows_sizes;
    uint64_t *misses; /* the caller's; at each size, with knows_sizes */
};

/* The trial of a spec of these options, which says nothing of references yet.
   A spec that needs a bound gets `bound_blocks`. */
struct trial trial_of(const char *spec, const struct options *options,
                      uint64_t bound_blocks);

/* Would the engine take hours for this number of references to this number of
   blocks?  It would if it searches its whole stack for each new block. */
bool trial_is_too_slow(const char *spec, double references, double blocks);

/*
 * Run the trial.  Fails as the engine does, and with MARGAY_NO_MEMORY when the
 * child was killed.
 */
enum margay_status trial_run(const struct trial *trial,
                             struct trial_result *result,
                             struct margay_error *error);

/* The number of KiB that the first line of this format of a system's file
   names, in bytes; 0 = unknown. */
uint64_t trial_system_bytes(const char *path, const char *format);

#endif
