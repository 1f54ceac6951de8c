/*
 * margay/run.h - questions of traces
 *
 * A run reads traces and asks a question of them.  A request says which traces,
 * which of their references, at which block sizes, with how many threads, and
 * whether the run is looked into before its end.  A question begins analyses,
 * which take spans of block references: distances, a grid of caches, or one of
 * the program's own (<margay/analysis.h>).  The execution of a run follows from
 * the request and the declarations of the question; one function decides
 * (plan.h), and no result depends on the decision.
 *
 *     margay_run_request(&request, question, &host, &outcome, &error);
 *
 * The host has callbacks of the caller for the run, which take the results.
 *
 * Thread safety: one run at a time per request and host; different runs are
 * independent.  A run may call the functions of its host on any of
 * its threads, but one after the other, with these exceptions: `stop` may be
 * called at any time, by several threads together; and where several traces
 * are read at the same time, `begun` and `progress` may be called for one of
 * them while another function runs for another.
 */
#ifndef MARGAY_RUN_H
#define MARGAY_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/analysis.h>
#include <margay/status.h>
#include <margay/traces.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------- request -- */

/* The treatment of references that cover several blocks. */
enum margay_straddle {
    MARGAY_STRADDLE_USUAL, /* as is usual for the trace's format */
    MARGAY_STRADDLE_FIRST, /* one reference, to the block of its first byte */
    MARGAY_STRADDLE_SPLIT, /* a reference to each block that it covers */
};

/* A need of columns that not every trace has. */
struct margay_need {
    const char *asked_by; /* in messages: "--by site" */
    unsigned column;      /* one; 0 = nothing is needed */
    unsigned kinds;       /* and of MARGAY_COLUMN_KINDS at least one of these */
    const char *source; /* a command of ours that makes such traces, or NULL */
};

struct margay_transport;

/* Several traces that are read as one, each as a thread of its own and a core
   of a machine.  Of `reading`, the warm-up is that of all together.  Their
   numbers must mean the same, and either all of them are samples or none.  A
   trace that lacks the times or the kinds that its order needs is refused. */
struct margay_mix_options {
    const char *name;     /* of all, in results */
    bool apart;           /* they share no block: bits 48 to 58 of addresses of
                             thread k are changed by k */
    bool by_time;         /* in the order of their times; */
    bool by_instructions; /* or an instruction of each in turn: a fetch and all
                             up to the next one; else */
    uint64_t turn_refs;   /* they take turns of this length, 1 or more */
};

/* What to read, and how.  Each member explains its value of 0. */
struct margay_request {
    /* The traces, in the order in which their results come; "-" is standard
       input, which can be named once. */
    const char *const *traces;
    size_t trace_count;

    /* The options of each trace, and the references to be analysed.  The first
       `warmup_refs` are fed, and not counted. */
    struct margay_trace_options reading;

    /* The treatment of references that cover several blocks. */
    enum margay_straddle straddle;

    /* A trace that lacks one of these is refused, by the name of its format.
       The needs of the question are added. */
    const struct margay_need *needs;
    size_t need_count;

    /* Powers of two, ascending, distinct.  None: 64 for addresses, and for ids
       the unit of an id. */
    const uint64_t *block_bytes;
    size_t block_count;

    /* The units of blocks of requests: tokens, 0 = those of the trace, and the
       bytes of a token, 0 = unknown.  Where both are known and no id has a size
       of its own, a block has as many bytes. */
    uint64_t block_tokens, token_bytes;

    /* How many threads may analyse; 0 = 1.  Results never depend on it. */
    unsigned threads;

    /* The ranks of a cluster that this process belongs to; NULL = none. */
    const struct margay_transport *ranks;

    /* How engines with threads cut their work; see margay_engine_options. */
    uint64_t chunk_refs, phase_refs;

    /* Results for each `window_refs` references, one after the other, instead
       of one for all; 0 = none. */
    uint64_t window_refs;

    /* Call the host's `look` after each `every_refs` references, and when
       `every_seconds` seconds have passed since the last look; 0 = never. */
    uint64_t every_refs;
    double every_seconds;

    /* The host's `save` is called when all is read, and at each look.  A state
       is of one trace. */
    bool saves;

    /* Go on from this state; NULL = begin anew.  The trace holds the references
       after it: to go on within the same trace, reading.skip_refs leaves out
       the references that the state covers. */
    const char *resume_path;

    /* Read all traces as one; NULL = one after the other. */
    const struct margay_mix_options *mix;

    /* Of temporary files; NULL = /tmp. */
    const char *directory;
};

/* Everything is read from its beginning, by one thread. */
#define MARGAY_REQUEST_DEFAULT                                                 \
    {                                                                          \
        NULL, 0, MARGAY_TRACE_OPTIONS_DEFAULT, MARGAY_STRADDLE_USUAL, NULL, 0, \
            NULL, 0, 0, 0, 0, NULL, 0, 0, 0, 0, 0, false, NULL, NULL, NULL     \
    }

/* ----------------------------------------------------------------- host -- */

/* The processor time of a trace, when its passes end; before, and where several
   traces are analysed at the same time, all is 0. */
struct margay_job_work {
    double all_seconds;     /* of this process; on ranks, of rank 0 */
    double leading_seconds; /* of one thread, except shared work */
    double reading_seconds; /* of the thread that reads ahead of it, if any */
};

/* One trace of a run, as the functions of a host see it. */
struct margay_job {
    size_t index; /* of the trace in the request */
    const char *trace;
    const margay_trace *reader; /* for facts of the trace; NULL where nothing
                                   came, so nothing is known */
    const struct margay_pass *passes;
    margay_analysis *const
        *analyses; /* of the passes; one may be that of all */
    size_t pass_count;
    const char *plan; /* how the trace is analysed, in a line for people */
    struct margay_job_work work;
};

/* How far a run is. */
struct margay_progress {
    const char *trace;
    uint64_t references;
    /* The trace has been read; this is the analysis's work in finish(). */
    bool finishing;
    /* Of the file, or references when finishing; total 0 = unknown. */
    uint64_t bytes_done, bytes_total;
    double seconds; /* since the trace was begun */
};

/* Events of a trace. */
enum margay_news {
    /* The run goes on after `references` references of the trace; of the
       warm-up, `warmup_refs` are still to come.  The writer of a pipe may have
       to know, so this comes before the run waits for the pipe. */
    MARGAY_RESUMED,
    /* It has been read, or cut short; margay_trace_bad_lines() of job->reader,
       which is not NULL, is known. */
    MARGAY_WAS_READ,
    /* `stop` has cut it short after `references` references.  Where its format
       was not yet known, job->pass_count is 0, and no state could be saved. */
    MARGAY_CUT_SHORT,
    /* `stop` has ended the work of its analyses when it was read: `lacking` of
       their `caches` have no results. */
    MARGAY_LEFT_OUT,
    /* It has ended without a reference, and without a byte if it is `empty`. */
    MARGAY_READ_NOTHING,
};

struct margay_notice {
    enum margay_news news;
    uint64_t references, warmup_refs;
    size_t lacking, caches;
    bool empty;
};

/* The callbacks of a run.  All may be NULL.  A function that fails ends the
   run. */
struct margay_host {
    void *context;

    /* The trace is open and its analyses have begun; nothing is fed yet. */
    enum margay_status (*begun)(void *context, const struct margay_job *job,
                                struct margay_error *error);
    /* A pass has ended, or a window of it; passes come in their order, and
       traces in theirs. */
    enum margay_status (*ended)(void *context, const struct margay_job *job,
                                const struct margay_pass *pass,
                                struct margay_error *error);
    /* All passes have results of the first `references` references; the run
       goes on. */
    enum margay_status (*look)(void *context, const struct margay_job *job,
                               uint64_t references, struct margay_error *error);
    /* A state is to be kept: margay_job_save() writes it, of this very job. */
    enum margay_status (*save)(void *context, const struct margay_job *job,
                               struct margay_error *error);
    /* Called now and then: should the run end?  It then ends with the exact
       results of the references read so far. */
    bool (*stop)(void *context);
    void (*tell)(void *context, const struct margay_job *job,
                 const struct margay_notice *notice);
    void (*progress)(void *context, const struct margay_progress *progress);
};

/* Write the state of a job to a sink, within the host's `save`. */
MARGAY_API enum margay_status margay_job_save(const struct margay_job *job,
                                              const struct margay_sink *sink,
                                              struct margay_error *error);

/* --------------------------------------------------------------- the run -- */

/* How a run ended, besides its status. */
struct margay_outcome {
    size_t unread_traces; /* not begun, because of `stop` */
    bool cut_short;       /* a trace was */
};

/* Carry out a request.  An impossible request fails before anything is read:
   MARGAY_BAD_ARGUMENT where it contradicts itself, names an impossible block
   size, or exceeds the abilities of the question; MARGAY_IO for a trace that
   cannot be opened.  A trace fails before its first reference is fed:
   MARGAY_BAD_ARGUMENT where it lacks a column, which the message names.  Later
   MARGAY_BAD_INPUT, MARGAY_IO and MARGAY_NO_MEMORY, and the failures of
   analyses and host.  The results of the traces before one that fails have come
   by then.  *outcome is set in any case. */
MARGAY_API enum margay_status margay_run_request(
    const struct margay_request *request, const margay_question *question,
    const struct margay_host *host, struct margay_outcome *outcome,
    struct margay_error *error);

#ifdef __cplusplus
}
#endif

#endif
