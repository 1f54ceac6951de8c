/*
 * prefixes_policies.h - requests of blocks, by LRU alone and by several
 * policies
 */
#ifndef MARGAY_SIM_RUN_PREFIXES_POLICIES_H
#define MARGAY_SIM_RUN_PREFIXES_POLICIES_H

#include <margay/questions.h>

/* What a pass asks of requests by LRU or, with that measure, the optimum. */
enum margay_status margay_prefixes_begin(
    const struct margay_prefixes_request *request, enum margay_measure measure,
    const struct margay_pass *pass, const struct margay_share *share,
    margay_prefixes **prefixes, struct margay_error *error);

/* The counts of a result at these sizes, labelled with a policy, NULL = none;
   see margay_series_take. */
enum margay_status margay_prefixes_give(
    const struct margay_prefixes_result *result,
    const struct margay_sizes *sizes, const char *policy,
    margay_series_take *take, void *context, struct margay_error *error);

/* The question of a request with policies. */
enum margay_status margay_prefix_policies_question(
    const struct margay_prefixes_request *request, margay_question **question,
    struct margay_error *error);

#endif
