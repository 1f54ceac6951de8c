/*
 * progress.h - the progress of a long run
 *
 * On a terminal, a status line shows it; SIGUSR1 asks for a message anywhere.
 */
#ifndef MARGAY_SIM_TERMINAL_PROGRESS_H
#define MARGAY_SIM_TERMINAL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *name; /* of the trace or the program */
    bool quiet, terminal;
    bool simulates;        /* references that have been read */
    double started, shown; /* seconds */
};

/* Begin with `name`, which must outlive the progress. */
void progress_begin(struct progress *progress, const char *name, bool quiet);

/* Note that `references` references are done, and `done` of `total` steps, by
   which the time left is estimated; total 0 = unknown.  Cheap enough to be
   called for every batch. */
void progress_update(struct progress *progress, uint64_t references,
                     uint64_t done, uint64_t total);

#endif
