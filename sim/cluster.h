/*
 * cluster.h - the same command on many ranks
 *
 * Rank 0 is the command that a user sees.  The others, its helpers, have the
 * same command line, do their part of each trace that it tells them to, and
 * leave with its exit status.  Without a cluster there is rank 0 alone.
 */
#ifndef MARGAY_SIM_CLUSTER_H
#define MARGAY_SIM_CLUSTER_H

#include "sim/analysis.h"

struct margay_transport;

/* This process is one of several.  Before anything else. */
void cluster_join(const struct margay_transport *transport);

bool cluster_is_helper(void);

/* Are there helpers, and can they take part in this? */
bool cluster_shares(const struct options *options,
                    const struct analysis_hooks *hooks);

/* On rank 0, if so: analysis_run(). */
enum margay_status cluster_run(const struct options *options,
                               const struct analysis_hooks *hooks,
                               void *context, struct margay_error *error);

/* A helper's work, until it is dismissed; returns the exit status. */
int cluster_serve(const struct options *options);

/* On rank 0, in the end: let helpers leave with this, which is returned. */
int cluster_dismiss(int exit_status);

#endif
