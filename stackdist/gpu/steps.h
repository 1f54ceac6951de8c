/* steps.h - sorts and prefix sums on a device, several kernels each */
#ifndef MARGAY_STACKDIST_GPU_STEPS_H
#define MARGAY_STACKDIST_GPU_STEPS_H

#include "stackdist/gpu/device.h"
#include "stackdist/gpu/sizes.h"

/* The most references of an array; and a digit of bits that are all 0. */
#define MARGAY_GPU_MOST_COUNT  (UINT32_C(1) << 31)
#define MARGAY_GPU_UNUSED_BITS UINT32_C(0xffffffff)

/* The number of tiles, and of groups, for `count` references. */
static inline uint32_t margay_gpu_tiles(uint32_t count)
{
    return count / TILE_REFS + (count % TILE_REFS != 0);
}

/* Memory for the totals of tiles, and for the sums of a scan over them. */
struct margay_gpu_scratch {
    struct margay_gpu_buffer totals, sums;
};

/* For up to `count` references, at most MARGAY_GPU_MOST_COUNT; on failure
   there may be something to release. */
enum margay_status margay_gpu_scratch_create(margay_gpu *gpu, uint32_t count,
                                             struct margay_gpu_scratch *scratch,
                                             struct margay_error *error);
void margay_gpu_scratch_release(margay_gpu *gpu,
                                struct margay_gpu_scratch *scratch);

/* Queue: values[0 .. count - 1] to exclusive prefix sums, all of them added up
   to result[at]. */
void margay_gpu_scan(margay_gpu *gpu, const struct margay_gpu_buffer *values,
                     uint32_t count, const struct margay_gpu_scratch *scratch,
                     const struct margay_gpu_buffer *result, uint32_t at);

/* Queue: values[0 .. count - 1] = value. */
void margay_gpu_fill(margay_gpu *gpu, const struct margay_gpu_buffer *values,
                     uint32_t count, uint32_t value);

/* Keys of 64 bits and an owner for each; a sort moves them between two of
 * these. */
struct margay_gpu_keys {
    struct margay_gpu_buffer keys, owners;
};

/*
 * Queue a stable sort of pair[0]; returns which of the pair has the result.
 * `varying` are the bits in which any two keys differ, or more: the others are
 * left alone.  Equal keys end up side by side; the order is otherwise one of
 * the keys' varying bits.
 */
unsigned margay_gpu_sort(margay_gpu *gpu, const struct margay_gpu_keys *pair,
                         uint32_t count, uint64_t varying,
                         const struct margay_gpu_scratch *scratch);

#endif
