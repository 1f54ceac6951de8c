/* tally.c - the counts of engines that keep the whole stack */
#include "stackdist/reference/tally.h"

#include "stackdist/histogram.h"

enum margay_status margay_tally_create(struct margay_tally *tally,
                                       uint64_t bound,
                                       struct margay_error *error)
{
    *tally = (struct margay_tally){.bound = bound == 0 ? UINT64_MAX : bound};
    return margay_histogram_create(&tally->histogram, error);
}

void margay_tally_destroy(struct margay_tally *tally)
{
    margay_histogram_free(tally->histogram);
    tally->histogram = NULL;
}

void margay_tally_reset_counts(void *state)
{
    struct margay_tally *tally = state;
    margay_histogram_clear(tally->histogram);
}

enum margay_status margay_tally_peek(void *state, struct margay_result *result,
                                     struct margay_error *error)
{
    const struct margay_tally *tally = state;
    enum margay_status status =
        margay_histogram_copy(tally->histogram, &result->histogram, error);
    if (status != MARGAY_OK)
        return status;
    if (tally->exceeded)
        margay_histogram_set_exceeded_bound(result->histogram, tally->bound);
    result->distinct_blocks = tally->blocks + tally->exceeded;
    result->nodes = tally->has_nodes ? tally->blocks : 0;
    return MARGAY_OK;
}

enum margay_status margay_tally_adopt(void *state,
                                      const margay_histogram *counts,
                                      struct margay_error *error)
{
    struct margay_tally *tally = state;
    tally->exceeded = margay_histogram_exceeded_bound(counts) != 0;
    return margay_histogram_add_all(tally->histogram, counts, error);
}
