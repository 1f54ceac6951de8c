/* front.c - which references are to the top of the LRU stack */
#include "stackdist/engines/front.h"

#include <string.h>

/* The filter's depth leaves the stack this much more. */
#define LEAST_FILTERED 64

/* Shares of references to the top of the stack at which a filter pays. */
#define SHARE_TO_BEGIN 0.40
#define SHARE_TO_STOP  0.30

static const struct margay_exact_kernel *filter_kernel(void)
{
#if defined(__x86_64__)
    if (margay_target_best() == MARGAY_TARGET_V4)
        return &margay_exact_kernel_v4;
    if (margay_target_best() == MARGAY_TARGET_V3)
        return &margay_exact_kernel_v3;
#endif
    return &margay_exact_kernel_portable;
}

static enum margay_status create_near(struct margay_front *front,
                                      struct margay_error *error)
{
    enum margay_status status = margay_near_create(
        (uint32_t)front->blocks, margay_target_best(), &front->near, error);
    if (status != MARGAY_OK || front->blocks < LEAST_FILTERED)
        return status;
    front->filter = margay_map(sizeof *front->filter);
    if (front->filter == NULL)
        return margay_fail_memory(error, "the filter of a stack");
    front->filter->kernel = filter_kernel();
    return MARGAY_OK;
}

enum margay_status margay_front_create(uint64_t blocks,
                                       struct margay_front *front,
                                       struct margay_error *error)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    *front = (struct margay_front){
        .blocks = blocks,
        .kernel = margay_near_kernel_of(margay_target_best()),
    };
    if (blocks <= MARGAY_NEAR_FRONT)
        return create_near(front, error);
    options.bound_blocks = blocks;
    return margay_engine_create("exact", &options, &front->engine, error);
}

void margay_front_destroy(struct margay_front *front)
{
    margay_near_free(front->near);
    margay_unmap(front->filter, sizeof *front->filter);
    margay_engine_free(front->engine);
}

void margay_front_reset_counts(struct margay_front *front)
{
    front->repeats = 0;
    if (front->near != NULL)
        margay_near_reset_counts(front->near);
    else
        margay_engine_reset_counts(front->engine);
    if (front->filter != NULL)
        memset(front->filter->front_hits, 0, sizeof front->filter->front_hits);
}

/* ----------------------------------------------------------- references -- */

size_t margay_front_collapse(struct margay_front *front, const uint64_t *blocks,
                             size_t count, uint64_t *kept)
{
    if (count == 0)
        return 0;
    uint64_t previous = front->begun ? front->previous : ~blocks[0];
    size_t n = front->kernel->collapse(blocks, count, previous, kept);
    front->previous = blocks[count - 1];
    front->begun = true;
    front->repeats += count - n;
    return n;
}

static enum margay_status refer_engine(struct margay_front *front,
                                       const uint64_t *blocks, size_t count,
                                       uint16_t *beyond, size_t *found,
                                       struct margay_error *error)
{
    uint64_t distances[MARGAY_FRONT_REFS];
    enum margay_status status =
        margay_engine_feed(front->engine, blocks, count, distances, error);
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (distances[i] == MARGAY_INFINITE)
            beyond[(*found)++] = (uint16_t)i;
    }
    return status;
}

/* Where the filter would have hits. */
static uint64_t hits_on_top(const struct margay_near *near)
{
    uint64_t hits = 0;
    for (unsigned d = 0; d < MARGAY_FRONT; d++)
        hits += near->counts[d];
    return hits;
}

/* Without the filter; begin with it, if many were to the top. */
static size_t refer_plainly(struct margay_front *front, const uint64_t *blocks,
                            size_t count, uint16_t *beyond)
{
    struct margay_near *near = front->near;
    uint64_t hits = hits_on_top(near);
    size_t found = front->kernel->refer(near, blocks, count, beyond);
    hits = hits_on_top(near) - hits;
    if (front->filter != NULL && near->blocks > MARGAY_FRONT &&
        (double)hits > SHARE_TO_BEGIN * (double)count) {
        margay_near_take_top(near, front->filter->front, MARGAY_FRONT);
        front->filtering = true;
    }
    return found;
}

/* With it. */
static size_t refer_filtered(struct margay_front *front, const uint64_t *blocks,
                             size_t count, uint16_t *beyond)
{
    uint64_t distances[MARGAY_FRONT_REFS];
    struct margay_exact *filter = front->filter;
    struct margay_near *near = front->near;
    size_t passed =
        filter->kernel->pass_filter(filter, blocks, count, distances);
    size_t found = front->kernel->refer_deep(
        near, filter->wanted, filter->demoted, passed, MARGAY_FRONT, beyond);
    for (size_t i = 0; i < found; i++)
        beyond[i] = filter->origins[beyond[i]];
    if ((double)(count - passed) < SHARE_TO_STOP * (double)count) {
        margay_near_put_top(near, filter->front, MARGAY_FRONT);
        front->filtering = false;
    }
    return found;
}

enum margay_status margay_front_refer(struct margay_front *front,
                                      const uint64_t *blocks, size_t count,
                                      uint16_t *beyond, size_t *found,
                                      struct margay_error *error)
{
    *found = 0;
    if (front->near == NULL)
        return refer_engine(front, blocks, count, beyond, found, error);
    *found = front->filtering ? refer_filtered(front, blocks, count, beyond)
                              : refer_plainly(front, blocks, count, beyond);
    return MARGAY_OK;
}

static enum margay_status finish_near(const struct margay_near *near,
                                      margay_histogram **histogram,
                                      struct margay_error *error)
{
    enum margay_status status = margay_histogram_create(histogram, error);
    for (uint32_t d = 0; d < near->front && status == MARGAY_OK; d++)
        status = margay_histogram_add(*histogram, d, near->counts[d], error);
    if (status == MARGAY_OK)
        status = margay_histogram_add(*histogram, MARGAY_INFINITE, near->beyond,
                                      error);
    return status;
}

enum margay_status margay_front_finish(struct margay_front *front,
                                       margay_histogram **histogram,
                                       uint64_t *distinct,
                                       struct margay_error *error)
{
    enum margay_status status;
    *histogram = NULL;
    if (front->near != NULL) {
        *distinct = front->near->blocks + front->near->exceeded;
        status = finish_near(front->near, histogram, error);
    } else {
        struct margay_result result;
        status = margay_engine_finish(front->engine, &result, error);
        *histogram = result.histogram;
        *distinct = result.distinct_blocks;
    }
    if (status == MARGAY_OK)
        status = margay_histogram_add(*histogram, 0, front->repeats, error);
    for (unsigned d = 0;
         front->filter != NULL && d < MARGAY_FRONT && status == MARGAY_OK; d++)
        status = margay_histogram_add(*histogram, d,
                                      front->filter->front_hits[d], error);
    if (status != MARGAY_OK) {
        margay_histogram_free(*histogram);
        *histogram = NULL;
    }
    return status;
}
