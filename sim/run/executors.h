/*
 * executors.h - the ways to carry out a plan
 *
 * Each takes a trace that has begun, feeds its analyses or does their work, and
 * finishes all passes, or returns why it cannot.  A request to stop sets
 * running->interrupted; what has been read until then is finished as usual.
 * On ranks, nothing asks whether to stop: a trace is read to its end.
 */
#ifndef MARGAY_SIM_RUN_EXECUTORS_H
#define MARGAY_SIM_RUN_EXECUTORS_H

#include "sim/run/running.h"
#include "stackdist/stackdist_internal.h"

/* Batches in their order; windows, looks and states on the way. */
enum margay_status margay_read_in_order(struct margay_running *running,
                                        struct margay_error *error);

/* Nothing came before a request to stop: the results are those of the state
   that goes on. */
enum margay_status margay_end_with_state(struct margay_running *running,
                                         struct margay_error *error);

/* Parts of a file, each read and analysed by a thread, and put together. */
enum margay_status margay_read_in_parts(struct margay_running *running,
                                        struct margay_error *error);

/* On rank 0: the parts of a trace on all ranks. */
enum margay_status margay_read_on_ranks(struct margay_running *running,
                                        struct margay_error *error);

/* On the others: do a part of each trace until rank 0 dismisses them; returns
   the exit status that it tells.  The request is that of rank 0. */
int margay_ranks_serve(const struct margay_request *request);

/* On rank 0, in the end: let helpers leave with this, which is returned.  NULL:
   there are none. */
int margay_ranks_dismiss(const struct margay_transport *ranks, int exit_status);

#endif
