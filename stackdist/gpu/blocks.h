/* blocks.h - the thread blocks of engine hp-rda, on a device */
#ifndef MARGAY_STACKDIST_GPU_BLOCKS_H
#define MARGAY_STACKDIST_GPU_BLOCKS_H

#include "stackdist/gpu/device.h"

typedef struct margay_gpu_blocks margay_gpu_blocks;

/* What is known of a thread block once its chunks are merged. */
struct margay_gpu_block {
    uint32_t place_count; /* distinct block ids, an entry for each of which: */
    const uint64_t *ids;
    const uint32_t *firsts; /* distinct ones before its first reference */
    const uint32_t *keys;   /* sum of counts through its last chunk, less the
                               others after it there */
    uint32_t sum_counts;    /* distinct ids of the chunks, added up */
    const uint32_t *across; /* counts of distances across chunks, through
                               the number of references */
};

/*
 * For up to `blocks` thread blocks of `block_refs` at a time, chunks of
 * `chunk_refs`.  The device is opened when it is first needed.
 * MARGAY_NO_MEMORY on failure.
 */
enum margay_status margay_gpu_blocks_create(
    enum margay_gpu_choice backend, unsigned device, uint32_t chunk_refs,
    uint32_t block_refs, uint32_t blocks, margay_gpu_blocks **made,
    struct margay_error *error);

/* NULL is fine. */
void margay_gpu_blocks_free(margay_gpu_blocks *blocks);

/*
 * Analyse the first *taken of `count` references, which may be 0: all of them,
 * or as many thread blocks as the device has memory for.  This replaces the
 * results of the run before.  Fails as margay_gpu_open() does, with MARGAY_IO,
 * and with MARGAY_NO_MEMORY where there is none for a single thread block.
 */
enum margay_status margay_gpu_blocks_run(margay_gpu_blocks *blocks,
                                         const uint64_t *refs, uint32_t count,
                                         uint32_t *taken,
                                         struct margay_error *error);

/* Counts of distances within chunks, those of all blocks, below chunk_refs. */
const uint32_t *margay_gpu_blocks_local(const margay_gpu_blocks *blocks);

/* Block `i` of the run; false beyond.  Valid until the next run. */
bool margay_gpu_blocks_at(const margay_gpu_blocks *blocks, uint32_t i,
                          struct margay_gpu_block *block);

#endif
