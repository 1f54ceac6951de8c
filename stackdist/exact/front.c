/* front.c - which references are to the top of the LRU stack */
#include "stackdist/exact/front.h"

enum margay_status margay_front_create(uint64_t blocks,
                                       struct margay_front *front,
                                       struct margay_error *error)
{
    struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
    *front = (struct margay_front){
        .blocks = blocks,
        .kernel = margay_near_kernel_of(margay_target_best()),
    };
    if (blocks <= MARGAY_NEAR_MOST_BLOCKS)
        return margay_near_create((uint32_t)blocks, margay_target_best(),
                                  &front->near, error);
    options.bound_blocks = blocks;
    return margay_engine_create("exact", &options, &front->engine, error);
}

void margay_front_destroy(struct margay_front *front)
{
    margay_near_free(front->near);
    margay_engine_free(front->engine);
}

void margay_front_reset_counts(struct margay_front *front)
{
    front->hits[0] = front->hits[1] = 0;
    if (front->near != NULL)
        margay_near_reset_counts(front->near);
    else
        margay_engine_reset_counts(front->engine);
}

/* ----------------------------------------------------------- references -- */

/* Drop a repeat, before the stack has two blocks; false if it was one. */
static bool begin_with(struct margay_front *front, uint64_t block)
{
    if (front->tops > 0 && front->top[0] == block) {
        front->hits[0]++;
        return false;
    }
    front->top[1] = front->top[0];
    front->top[0] = block;
    front->tops += front->tops < 2;
    return true;
}

size_t margay_front_condense(struct margay_front *front, const uint64_t *blocks,
                             size_t count, uint64_t *kept)
{
    size_t i = 0, n = 0;
    /* With a front of one block, the second block is beyond it. */
    while (i < count && (front->tops < 2 || front->blocks == 1)) {
        kept[n] = blocks[i];
        n += begin_with(front, blocks[i++]);
    }
    return n + front->kernel->condense(blocks + i, count - i, front->top,
                                       kept + n, front->hits);
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

enum margay_status margay_front_refer(struct margay_front *front,
                                      const uint64_t *blocks, size_t count,
                                      uint16_t *beyond, size_t *found,
                                      struct margay_error *error)
{
    *found = 0;
    if (front->near == NULL)
        return refer_engine(front, blocks, count, beyond, found, error);
    uint64_t gone[MARGAY_FRONT_REFS];
    *found = front->kernel->refer(front->near, blocks, count, beyond, gone);
    return MARGAY_OK;
}

static enum margay_status finish_near(const struct margay_near *near,
                                      margay_histogram **histogram,
                                      struct margay_error *error)
{
    enum margay_status status = margay_histogram_create(histogram, error);
    for (uint32_t d = 0; d < near->most_blocks && status == MARGAY_OK; d++)
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
    for (uint64_t d = 0; d < 2 && status == MARGAY_OK; d++)
        status = margay_histogram_add(*histogram, d, front->hits[d], error);
    if (status != MARGAY_OK) {
        margay_histogram_free(*histogram);
        *histogram = NULL;
    }
    return status;
}
