/*
 * trial.h - engines on trial: their speed, memory and accuracy
 *
 * Each trial of an engine runs in a child process, which measures the engine's
 * time and memory: no engine inherits the heap of another, and an engine that
 * is killed spoils no other trial.
 */
#ifndef MARGAY_SIM_COMMAND_TRIAL_H
#define MARGAY_SIM_COMMAND_TRIAL_H

#include "sim/options/options.h"
#include "sim/result/csv.h"

/* The references of one call of an engine, at most. */
#define TRIAL_PIECE_REFS 8192

/* Curves are compared at powers of two, between which lie the bars of the
   log2 histogram; on octaves; and in equal steps. */
enum { GRID_POWERS, GRID_OCTAVES, GRID_STEPS, GRIDS };
#define GRID_PER_OCTAVE 16
#define GRID_MOST_SIZES (64 + 64 * GRID_PER_OCTAVE)

/* Misses at ascending sizes, in blocks. */
struct grid {
    size_t count;
    uint64_t sizes[GRID_MOST_SIZES], misses[GRID_MOST_SIZES];
};

struct trial {
    const char *spec;
    struct margay_engine_options options;
    /* Gives the next references, and 0 at the end. */
    size_t (*next)(void *context, const uint64_t **blocks);
    void *context;            /* each child begins with the parent's */
    const struct grid *grids; /* GRIDS, at whose sizes misses are asked; or NULL
                               */
};

/* The result of a child, in memory that it shares with its parent. */
struct report {
    enum margay_status status;
    struct margay_error error;
    uint64_t references;
    /* Spent in feeding and finishing, not in the source: processor time of an
       engine on one thread, and otherwise elapsed time. */
    double seconds;
    uint64_t peak_bytes, nodes;
    bool knows_sizes;
    uint64_t misses[GRIDS][GRID_MOST_SIZES]; /* with knows_sizes */
};

/* Would the engine take hours for this number of references to this number of
   blocks?  It would if it searches its whole stack for each new block. */
bool trial_is_too_slow(const char *spec, double references, double blocks);

/* The trial of a spec of these options, still without references.  A spec that
   needs a bound gets `bound_blocks`. */
struct trial trial_of(const char *spec, const struct options *options,
                      uint64_t bound_blocks);

/* Spec `index` of those on trial: all engines, unless --only says which; NULL
   beyond the last. */
const char *trial_spec(const struct options *options, size_t index);

/* Memory of zeros that children share with their parent; NULL = there is
   none. */
void *trial_share(size_t bytes);

/* Run the trial in a child.  Fails as the engine does, and with
   MARGAY_NO_MEMORY when the child was killed. */
enum margay_status trial_run(const struct trial *trial, struct report *report,
                             struct margay_error *error);

/* The bytes of the KiB that a line of a system's file names, in this format; 0
   = unknown. */
uint64_t trial_system_bytes(const char *path, const char *format);

/* Rows of ENGINES_RUN_COLUMNS: the engines on the trace of --run. */
enum margay_status trials_on_trace(const struct options *options,
                                   struct csv_writer *csv,
                                   struct margay_error *error);

#endif
