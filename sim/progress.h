/*
 * progress.h - how far a long run is
 *
 * On a terminal a line is kept up to date; SIGUSR1 asks for a line anywhere.
 */
#ifndef MARGAY_SIM_PROGRESS_H
#define MARGAY_SIM_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *name; /* what is being worked on */
    bool quiet, terminal;
    double started, shown; /* seconds */
};

/* Seconds on a clock that only goes forward. */
double progress_clock(void);

/* Begin with `name`, which must outlive the progress. */
void progress_begin(struct progress *progress, const char *name, bool quiet);

/*
 * `references` are done, and `done` of `total` of whatever tells how long it
 * will take; total 0 = nobody knows.  Cheap: call it for every batch.
 */
void progress_update(struct progress *progress, uint64_t references,
                     uint64_t done, uint64_t total);

/* Seconds since progress_begin(). */
double progress_seconds(const struct progress *progress);

#endif
