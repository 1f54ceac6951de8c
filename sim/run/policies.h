/*
 * policies.h - the analysis of several policies, shared by its files
 *
 * policies.c reads a trace, and policies_curves.c makes its curves in the end;
 * policies_replay.c simulates what has no engine.
 */
#ifndef MARGAY_SIM_RUN_POLICIES_H
#define MARGAY_SIM_RUN_POLICIES_H

#include "sim/run/policies_replay.h"
#include "sim/run/series.h"
#include <margay/questions.h>

struct margay_policies_question {
    margay_question question;
    struct margay_policies_request request;
    struct margay_policy_rows rows; /* the list is owned */
    struct margay_sample sample;
};

/* An engine that is fed all references, or those of the sample. */
struct margay_policy_engine {
    margay_engine *engine; /* NULL = none */
    struct margay_result result;
};

struct margay_policies {
    margay_analysis analysis;
    const struct margay_policies_question *asked;
    struct margay_share share;
    margay_crew *crew;
    uint64_t bound_blocks;
    struct margay_sizes sizes_asked; /* its list is owned */
    /* One of each exact policy and, last, of LRU where the sizes follow from
       LRU distances and no policy is LRU. */
    struct margay_policy_engine *engines; /* [policy_count + 1] */
    size_t lru;                           /* which of them; none: beyond */
    struct margay_error *failures;        /* of the crew's tasks */
    /* Where a policy is simulated: the references as numbers of blocks. */
    margay_numbering *numbering;
    struct margay_history history;
    uint64_t uncounted; /* the first of them, a warm-up */
    uint32_t uncounted_blocks;
    struct margay_kept_caches kept; /* from look to look */
    /* The span that the crew works on: its blocks, or those in the sample. */
    const uint64_t *blocks;
    size_t block_count;
    uint64_t *picked; /* owned */
    size_t picked_room;

    uint64_t references; /* counted, in the sample or not */
    struct margay_result result;
    /* The curves.  Several sizes may be the same in a sample, where
       sampled[places[i]] stands for sizes[i]. */
    uint64_t *sizes, *sampled; /* in blocks, ascending */
    size_t *places;            /* [size_count] */
    size_t size_count, sampled_count;
    uint64_t *misses;                   /* [policy][sampled], in the sample */
    struct margay_series_point *points; /* [policy][size], */
    size_t *point_counts; /* [policy]: without those not simulated */
};

/* Release what comes of that. */
void margay_policies_clear_curves(struct margay_policies *policies);

/* Everything of what has been read so far: the sizes, the misses of each
   policy, and the points.  What is simulated stays in `kept`, NULL = it does
   not. */
enum margay_status margay_policies_make_curves(struct margay_policies *policies,
                                               struct margay_kept_caches *kept,
                                               struct margay_error *error);

#endif
