/*
 * running.h - one trace of a run, while it is analysed
 *
 * A trace is begun (opened, planned, its analyses begun), read by
 * one of the executors, and ended.  Several traces may be read at the same
 * time; their ends come one after the other.
 */
#ifndef MARGAY_SIM_RUN_RUNNING_H
#define MARGAY_SIM_RUN_RUNNING_H

#include <stdatomic.h>

#include "sim/run/plan.h"
#include "sim/run/state.h"
#include "stackdist/stackdist_internal.h"

/* How long a request to stop may go unnoticed while a pipe is silent. */
#define MARGAY_WAIT_MS 100

struct margay_running {
    /* Set by the owner, the rest zeroed. */
    const struct margay_request *request;
    const struct margay_host *host;
    size_t index; /* of the trace */
    const margay_question *question;
    atomic_bool leads;       /* all traces before it have ended */
    const atomic_bool *stop; /* another trace has failed */

    /* The outcome of the reading. */
    enum margay_status status;
    struct margay_error error;
    bool interrupted;       /* by the host, before the end of the trace */
    bool looking;           /* which is worked through, as no other shows it */
    size_t lacking, caches; /* what analyses have left out, of how many */

    struct margay_plan_facts facts;
    struct margay_plan plan;
    char plan_text[MARGAY_PLAN_TEXT_BYTES];
    margay_trace *trace;
    struct margay_mix *mix; /* that it is the first of; NULL = none */
    struct margay_job job;
    struct margay_watch watch;
    struct margay_state state; /* that goes on here; zeroed if there is none */
    bool state_told;           /* the host knows from where on */
    bool stands_in; /* its trace is one without references: nothing came */
    struct margay_state_head head; /* of the next state */
    uint64_t warmup_refs;          /* of this run */
    double begun;          /* on a clock that only goes forward, in seconds */
    uint64_t read_refs;    /* those of a resumed state included */
    uint64_t counted_refs; /* of these, without the warm-up */
    uint64_t window;       /* windows ended */
    size_t pass_count;
    struct margay_pass passes[MARGAY_MOST_BLOCK_SIZES];
    /* Of the passes; with plan.all_blocks, the first is that of all. */
    margay_analysis *analyses[MARGAY_MOST_BLOCK_SIZES];
    /* What those are fed that have no state of their own, if one is saved. */
    struct margay_fed fed[MARGAY_MOST_BLOCK_SIZES];
};

/* The analyses that are fed, and finished: one, or that of each pass. */
size_t margay_running_analyses(const struct margay_running *running);

/* Open the trace, plan, and begin the analyses.  MARGAY_AGAIN: the host wants
   an end, and the format is not yet known. */
enum margay_status margay_running_begin(struct margay_running *running,
                                        struct margay_error *error);

/* After that, where a state is to go on: give it to the passes. */
enum margay_status margay_running_resume(struct margay_running *running,
                                         struct margay_error *error);

/* References of this run's trace, those of kinds that are left out too; and
   those of the warm-up that are still to come. */
uint64_t margay_running_refs(const struct margay_running *running);
uint64_t margay_running_warmup_left(const struct margay_running *running);

/* Do batches lack kinds or operations of the trace? */
bool margay_running_leaves_out(const struct margay_running *running);

/* Is there no point in going on? */
bool margay_running_is_over(const struct margay_running *running);

/* To be called now and then with the references read. */
void margay_running_show(struct margay_running *running, uint64_t read_refs);

/* Seconds since the trace was begun. */
double margay_running_seconds(const struct margay_running *running);

/* A part of a batch, from entry `from` on, to be fed at once: at most `most`
   entries, and so few that a request to stop is met soon after them.
   MARGAY_BAD_INPUT where a reference touches too many blocks. */
enum margay_status margay_running_take(const struct margay_running *running,
                                       const struct margay_batch *batch,
                                       size_t from, uint64_t most,
                                       struct margay_batch *part,
                                       struct margay_error *error);

/* The references of the file that are to be analysed. */
void margay_running_range(const struct margay_running *running, uint64_t *first,
                          uint64_t *count);

/* Tell the host of each pass that ends. */
enum margay_status margay_running_end(struct margay_running *running,
                                      struct margay_error *error);

/* Release what reading has left. */
void margay_running_release(struct margay_running *running);

/* ---------------------------------------------------------- executors -- */

/* The ways to carry out a plan.  Each takes a trace that has begun, feeds its
   analyses or does their work, and finishes all passes, or returns why it
   cannot.  A request to stop sets running->interrupted; references read until
   then are finished as usual.  On ranks, nothing asks whether to stop: a trace
   is read to its end. */

/* Batches in their order; windows, looks and states on the way. */
enum margay_status margay_read_in_order(struct margay_running *running,
                                        struct margay_error *error);

/* Parts of a file, each read and analysed by a thread, and put together. */
enum margay_status margay_read_in_parts(struct margay_running *running,
                                        struct margay_error *error);

/* On rank 0: the parts of a trace on all ranks. */
enum margay_status margay_read_on_ranks(struct margay_running *running,
                                        struct margay_error *error);

/* On the others: do a part of each trace until rank 0 dismisses them; returns
   its exit status.  The request is that of rank 0. */
int margay_ranks_serve(const struct margay_request *request);

/* On rank 0, in the end: let helpers leave with this, which is returned.  NULL:
   there are none. */
int margay_ranks_dismiss(const struct margay_transport *ranks, int exit_status);

/* ------------------------------------------------------------- needs -- */

/* Not every trace has all columns that a run needs, and a missing one must not
   look like an answer: no writes, one thread.  The trace, called `name`, is
   ready.  MARGAY_BAD_ARGUMENT if it does not say what one of these asks
   (needs.c). */
enum margay_status margay_needs_check(const struct margay_need *needs,
                                      size_t count, const char *name,
                                      const margay_trace *trace,
                                      struct margay_error *error);

#endif
