/*
 * rank_work.h - what a rank of a cluster does for a trace
 *
 * The ranks stand in a row, and analyse a phase of the trace together: each
 * the part of its place, divided among its threads.
 */
#ifndef MARGAY_SIM_RUN_RANK_WORK_H
#define MARGAY_SIM_RUN_RANK_WORK_H

#include "sim/run/spans.h"
#include "stackdist/stackdist_internal.h"
#include "traces/traces_internal.h"

/* What rank 0 tells all ranks to do. */
struct margay_rank_order {
    bool leave;
    int exit_status;
    /* A trace: which one, in which format, and if everyone can read it, the
       references of the file to analyse. */
    size_t trace;
    bool from_file, to_end;
    bool counts; /* of repeats are added up */
    char format[16], spec[1024];
    uint64_t seed;
    uint64_t first, count, warmup;
    size_t pass_count;
    struct {
        uint64_t bound_blocks;
        unsigned shift;
        bool splits;
    } passes[MARGAY_MOST_BLOCK_SIZES];
};

/* A thread's part of a rank's part of a phase. */
struct margay_rank_part {
    uint64_t begin, count; /* references: of the file, or of what is here */
    enum margay_status status;
    struct margay_error error;
    struct margay_span_store store;
};

/* A trace, on one rank. */
struct margay_rank_work {
    const struct margay_transport *ranks;
    const struct margay_request *request;
    const struct margay_rank_order *order;
    unsigned threads;
    margay_trace *trace; /* what rank 0 reads for all; NULL on others */
    margay_trace *file;  /* what each rank reads itself */
    margay_cluster *passes[MARGAY_MOST_BLOCK_SIZES];
    margay_crew *crew;
    struct margay_rank_part *parts; /* one for each thread */
    unsigned part_count;            /* in this phase */

    /* What has been read for all, or received. */
    uint64_t *numbers;
    uint32_t *extents;
    uint64_t capacity, buffered;
    uint64_t repeats; /* of what is buffered, on rank 0 */
    bool has_extents, warmup;
    struct margay_batch batch; /* of the trace, of which `given` are buffered */
    size_t given;
    bool ended;
};

/* Has a rank failed?  All learn of the first that did. */
enum margay_status margay_rank_agree(struct margay_rank_work *work,
                                     enum margay_status status,
                                     struct margay_error *error);

/* Where the share of `place` in `count` references begins. */
uint64_t margay_rank_share(const struct margay_rank_work *work, uint64_t count,
                           unsigned place);

/* The place of this rank in the row of the phase. */
unsigned margay_rank_own_place(const struct margay_rank_work *work);

/* Begin with this rank's share, divided among its threads. */
enum margay_status margay_rank_begin_phase(struct margay_rank_work *work,
                                           uint64_t begin, uint64_t count,
                                           struct margay_error *error);

/* Feed a batch to all passes, as part `part`. */
enum margay_status margay_rank_feed_batch(struct margay_rank_work *work,
                                          unsigned part,
                                          const struct margay_batch *batch,
                                          struct margay_error *error);

/* Let each thread feed its part; the first failure counts. */
enum margay_status margay_rank_run_parts(struct margay_rank_work *work,
                                         void (*feed)(void *work, size_t part),
                                         struct margay_error *error);

/* Agree on how it went, and end the phase if that was well. */
enum margay_status margay_rank_end_phase(struct margay_rank_work *work,
                                         enum margay_status status, bool more,
                                         bool reset,
                                         struct margay_error *error);

/* A trace that rank 0 reads for all. */
enum margay_status margay_rank_analyse_stream(struct margay_rank_work *work,
                                              struct margay_error *error);

#endif
