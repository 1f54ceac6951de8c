/*
 * plan.h - all decisions about the execution of a run
 *
 * Algorithm: a pure function from facts (the request, the question's declared
 *   abilities, and the facts of an open trace) to a complete plan.  Before a
 *   trace is open the plan says how many traces are analysed at the same time
 *   and how this one is read; once it is open, who feeds whom.  The rules stand
 *   in plan.c, in the order in which they apply.
 * Guarantee: a plan changes the speed of a run, and never its results.
 */
#ifndef MARGAY_SIM_RUN_PLAN_H
#define MARGAY_SIM_RUN_PLAN_H

#include <margay/run.h>

/* The input of a plan. */
struct margay_plan_facts {
    /* Of the request. */
    size_t trace_count;
    size_t block_count; /* block sizes; 0 = as the trace suggests, which is 1 */
    unsigned threads;
    enum margay_straddle straddle;
    bool windows;        /* results for windows of references */
    bool looks_by_refs;  /* looked into after numbers of references, */
    bool looks_by_time;  /* or after seconds */
    bool saves, resumes; /* a state */
    bool warms_up;
    unsigned ranks; /* of the cluster; 1 = none */

    struct margay_abilities can; /* of the question */

    /* Of the trace, once it is open; zeroed before. */
    bool is_open;
    bool trace_splits; /* as is usual for its format */
    bool has_ranges; /* it is a file whose references can be read from anywhere,
                        by several threads */
    bool has_records; /* namely records, which take no decoding */
    bool by_lines;    /* namely any line; references are not counted */
    bool is_named;    /* other processes can open it */
    uint64_t refs; /* to be analysed, a guess for lines; 0 = not known without
                      reading */
};

enum margay_executor {
    MARGAY_ONE_READER, /* batches in their order, through one thread */
    MARGAY_IN_PARTS,   /* parts of the file, a thread each; perhaps one part */
    MARGAY_ON_RANKS,   /* parts of the trace, a rank each */
};

struct margay_plan {
    /* Valid before the trace is open. */
    unsigned traces;   /* analysed at the same time */
    unsigned threads;  /* for each of them */
    bool numbers_only; /* the reader may leave out all else */
    unsigned columns;  /* set of columns that are read */
    bool data;         /* the data of references are read instead of sites */

    /* Valid once the trace is open. */
    enum margay_executor executor;
    unsigned passes;       /* fed at the same time, by a thread each */
    unsigned pass_threads; /* for the analysis of each of them */
    bool all_blocks;       /* one analysis is fed numbers, once */
    unsigned most_parts;   /* of the file, with MARGAY_IN_PARTS */
    bool ranks_read;       /* each rank reads its own part of the file */
    bool shares;           /* common caches of machines are simulated once */
};

/* The facts before the trace is open. */
void margay_plan_state(const struct margay_request *request,
                       const struct margay_abilities *can,
                       struct margay_plan_facts *facts);

/* Are references split, by these facts? */
bool margay_plan_splits(const struct margay_plan_facts *facts);

void margay_plan_make(const struct margay_plan_facts *facts,
                      struct margay_plan *plan);

/* A line for people about the plan of an open trace. */
#define MARGAY_PLAN_TEXT_BYTES 256
void margay_plan_describe(const struct margay_plan_facts *facts,
                          const struct margay_plan *plan,
                          char text[MARGAY_PLAN_TEXT_BYTES]);

#endif
