/* tally.c - what an engine that keeps the whole stack has counted */
#include "stackdist/tally.h"

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

static void fill_result(const struct margay_tally *tally, uint64_t blocks,
                        margay_histogram *histogram,
                        struct margay_result *result)
{
    if (tally->exceeded)
        margay_histogram_set_exceeded_bound(histogram, tally->bound);
    result->histogram = histogram;
    result->distinct_blocks = blocks + tally->exceeded;
}

void margay_tally_finish(struct margay_tally *tally, uint64_t blocks,
                         struct margay_result *result)
{
    fill_result(tally, blocks, tally->histogram, result);
    tally->histogram = NULL;
}

enum margay_status margay_tally_peek(const struct margay_tally *tally,
                                     uint64_t blocks,
                                     struct margay_result *result,
                                     struct margay_error *error)
{
    margay_histogram *copy;
    enum margay_status status =
        margay_histogram_copy(tally->histogram, &copy, error);
    if (status == MARGAY_OK)
        fill_result(tally, blocks, copy, result);
    return status;
}

enum margay_status margay_tally_adopt(struct margay_tally *tally,
                                      const margay_histogram *counts,
                                      struct margay_error *error)
{
    tally->exceeded = margay_histogram_exceeded_bound(counts) != 0;
    return margay_histogram_add_all(tally->histogram, counts, error);
}
