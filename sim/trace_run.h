/*
 * trace_run.h - the analysis of one trace
 *
 * The trace is read to its end, or until a signal, and on the way its passes
 * are looked into as the command line wants: for windows and snapshots.
 * Several traces may be read at the same time; their ends come one after the
 * other.
 */
#ifndef MARGAY_SIM_TRACE_RUN_H
#define MARGAY_SIM_TRACE_RUN_H

#include <stdatomic.h>

#include "sim/analysis.h"
#include "sim/batch_pieces.h"
#include "sim/progress.h"

/* A block size, or none that is known, is a pass. */
#define MAX_PASSES 64

struct feeding;

struct trace_run {
    /* Set by the owner, the rest zeroed. */
    const struct options *options;
    const struct analysis_hooks *hooks;
    void *context;
    const char *name;
    unsigned threads;        /* for this trace */
    atomic_bool leads;       /* all traces before it have ended */
    const atomic_bool *stop; /* all is in vain */

    /* The outcome of the reading. */
    enum margay_status status;
    struct margay_error error;
    bool interrupted;

    margay_trace *trace;
    struct progress progress;
    struct feeding *feeding;
    uint64_t read_refs;    /* those of a resumed state included */
    uint64_t counted_refs; /* of these, without the warm-up; of this run */
    bool cut;              /* after them comes a part of another */
    uint64_t shown_refs;   /* read_refs, with those that are split in parts */
    uint64_t window;       /* windows ended */
    uint64_t snapshot_refs;
    double snapshot_seconds;
    size_t pass_count;
    struct analysis_pass passes[MAX_PASSES];
};

/* Is there no point in going on? */
bool trace_run_is_over(const struct trace_run *run);

/* To be called now and then with the references read. */
void trace_run_show_progress(struct trace_run *run, uint64_t read_refs);

/* Can counts of repeats be added up? */
bool trace_run_takes_counts(const struct trace_run *run);

/* Open the trace and begin its passes.  MARGAY_AGAIN: a signal came first. */
enum margay_status trace_run_begin(struct trace_run *run,
                                   struct margay_error *error);

/* Do that and read the trace, into run->status. */
void trace_run_read(struct trace_run *run);

/* If that went well: the end of every pass. */
enum margay_status trace_run_end(struct trace_run *run,
                                 struct margay_error *error);

/* A batch, to be fed in pieces. */
struct batch_pieces trace_run_pieces(const struct trace_run *run,
                                     const struct margay_batch *batch);

/* Whether its format lets ranges be read from anywhere. */
bool trace_run_has_ranges(const struct trace_run *run);

/* Release what reading has left. */
void trace_run_release(struct trace_run *run);

#endif
