/* blocks.h - the thread blocks of engine hp-rda, on a device */
#ifndef MARGAY_STACKDIST_GPU_BLOCKS_H
#define MARGAY_STACKDIST_GPU_BLOCKS_H

#include "stackdist/gpu/device.h"

typedef struct margay_gpu_blocks margay_gpu_blocks;

/* Of the references of a run.  Counts are those of references by distance, and
   may be changed.  Places are the distinct ids of a thread block. */
struct margay_gpu_result {
    uint32_t *local;        /* counts within chunks, below chunk_refs */
    uint32_t block_count;   /* thread blocks; of each: */
    uint32_t *place_counts; /* places */
    uint32_t *sum_counts;   /* distinct ids of the chunks, added up */
    uint32_t *across;       /* block_refs + 1 counts, from chunk to chunk */

    /* Exact: thread blocks are merged within the run. */
    uint32_t distinct;      /* ids of the run, of which there are: */
    uint32_t *distances;    /* counts from thread block to thread block */
    uint64_t *ids_by_first; /* in the order of their first references */
    uint64_t *ids_by_last;  /* and of their last ones */

    /* Else the places, by id and then thread block; both numbers are from block
     * block_refs on. */
    uint32_t places;
    uint64_t *ids;
    uint32_t *firsts; /* distinct ones before its first reference */
    uint32_t *keys;   /* sum of counts through its last chunk, less the others
                         after it there, less 1 */
};

/* For up to `blocks` thread blocks of `block_refs` at a time, chunks of
   `chunk_refs`.  MARGAY_NO_MEMORY on failure. */
enum margay_status margay_gpu_blocks_create(
    enum margay_gpu_choice backend, unsigned device, uint32_t chunk_refs,
    uint32_t block_refs, uint32_t blocks, bool is_exact,
    margay_gpu_blocks **made, struct margay_error *error);

/* NULL is fine. */
void margay_gpu_blocks_free(margay_gpu_blocks *blocks);

/* Open the device, once: (*refs)[0 .. *room - 1] are for the references of a
   run, as many thread blocks as there is memory for.  Fails as
   margay_gpu_open() does, and with MARGAY_NO_MEMORY where there is none for a
   single thread block. */
enum margay_status margay_gpu_blocks_open(margay_gpu_blocks *blocks,
                                          uint64_t **refs, uint32_t *room,
                                          struct margay_error *error);

/* Analyse the first `count` references, at least 1.  The result is valid until
   the next run.  Fails with MARGAY_IO. */
enum margay_status margay_gpu_blocks_run(
    margay_gpu_blocks *blocks, uint32_t count,
    const struct margay_gpu_result **result, struct margay_error *error);

#endif
