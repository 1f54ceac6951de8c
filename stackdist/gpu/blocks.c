/*
 * blocks.c - the thread blocks of engine hp-rda, on a device
 *
 * Chunks are analysed by an item each.  Their first references are sorted by
 * block id and then by thread block, so that neighbours are what a thread
 * merge puts together; what is left is a place for each id and thread block.
 */
#include "stackdist/gpu/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "stackdist/gpu/launch.h"
#include "stackdist/gpu/steps.h"
#include "traces/traces_internal.h"

/* The device's buffers, and the host's copies of some. */
enum buffer {
    REFS,
    LIVE,
    IS_FIRST,
    BEFORE,
    AFTER,
    LOCAL_COUNTS,
    CHUNK_COUNTS,
    STARTS,
    BLOCK_SUMS,
    HEADS,
    ACROSS,
    PLACE_IDS,
    PLACE_FIRSTS,
    PLACE_KEYS,
    PLACE_COUNTS,
    RESULT,
    BUFFERS
};

struct margay_gpu_blocks {
    enum margay_gpu_choice backend;
    unsigned device;
    margay_gpu *gpu;
    uint32_t chunk_refs, block_refs, most_blocks;
    struct margay_gpu_pinned pinned;
    struct margay_gpu_buffer buffers[BUFFERS];
    struct margay_gpu_keys pair[2];
    struct margay_gpu_scratch scratch;
    uint32_t block_count; /* of the run */
    void *copies[BUFFERS];
};

static size_t element_bytes(enum buffer buffer)
{
    return buffer == REFS || buffer == PLACE_IDS ? sizeof(uint64_t)
                                                 : sizeof(uint32_t);
}

/* How many elements a buffer has, and whether the host has a copy of it. */
static uint64_t elements(const margay_gpu_blocks *run, enum buffer buffer,
                         bool *is_copied)
{
    uint64_t all = (uint64_t)run->block_refs * run->most_blocks;
    *is_copied = buffer == LOCAL_COUNTS || buffer == BLOCK_SUMS ||
                 (buffer >= ACROSS && buffer <= PLACE_COUNTS);
    switch (buffer) {
    case LOCAL_COUNTS:
        return run->chunk_refs;
    case CHUNK_COUNTS:
    case STARTS:
        return all / run->chunk_refs;
    case BLOCK_SUMS:
    case PLACE_COUNTS:
        return run->most_blocks;
    case ACROSS:
        return all + run->most_blocks;
    case RESULT:
        return 2;
    default:
        return all;
    }
}

/* ---------------------------------------------------- making, releasing -- */

enum margay_status margay_gpu_blocks_create(
    enum margay_gpu_choice backend, unsigned device, uint32_t chunk_refs,
    uint32_t block_refs, uint32_t blocks, margay_gpu_blocks **made,
    struct margay_error *error)
{
    margay_gpu_blocks *run = calloc(1, sizeof *run);
    *made = run;
    if (run == NULL)
        return margay_fail_memory(error, "thread blocks on a device");
    run->backend = backend;
    run->device = device;
    run->chunk_refs = chunk_refs;
    run->block_refs = block_refs;
    run->most_blocks = blocks;
    return MARGAY_OK;
}

/* The pinned memory first: that waits for uploads into the buffers. */
static void release(margay_gpu_blocks *run)
{
    margay_gpu_release_pinned(run->gpu, &run->pinned);
    for (unsigned i = 0; i < BUFFERS; i++) {
        margay_gpu_release(run->gpu, &run->buffers[i]);
        free(run->copies[i]);
        run->copies[i] = NULL;
    }
    for (unsigned i = 0; i < 2; i++) {
        margay_gpu_release(run->gpu, &run->pair[i].keys);
        margay_gpu_release(run->gpu, &run->pair[i].owners);
    }
    margay_gpu_scratch_release(run->gpu, &run->scratch);
}

void margay_gpu_blocks_free(margay_gpu_blocks *run)
{
    if (run == NULL)
        return;
    if (run->gpu != NULL)
        release(run);
    margay_gpu_close(run->gpu);
    free(run);
}

static enum margay_status allocate(margay_gpu_blocks *run,
                                   struct margay_error *error)
{
    size_t all = (size_t)run->block_refs * run->most_blocks;
    enum margay_status status = margay_gpu_allocate_pinned(
        run->gpu, all * sizeof(uint64_t), &run->pinned, error);
    for (unsigned i = 0; i < BUFFERS && status == MARGAY_OK; i++) {
        bool is_copied;
        size_t bytes = (size_t)elements(run, i, &is_copied) * element_bytes(i);
        status = margay_gpu_allocate(run->gpu, bytes, &run->buffers[i], error);
        if (!is_copied || status != MARGAY_OK)
            continue;
        run->copies[i] = malloc(bytes);
        if (run->copies[i] == NULL)
            status = margay_fail_memory(error, "thread blocks of a device");
    }
    for (unsigned i = 0; i < 2 && status == MARGAY_OK; i++) {
        status = margay_gpu_allocate(run->gpu, all * sizeof(uint64_t),
                                     &run->pair[i].keys, error);
        if (status == MARGAY_OK)
            status = margay_gpu_allocate(run->gpu, all * sizeof(uint32_t),
                                         &run->pair[i].owners, error);
    }
    if (status == MARGAY_OK)
        status = margay_gpu_scratch_create(run->gpu, (uint32_t)all,
                                           &run->scratch, error);
    return status;
}

/* With ever fewer thread blocks at a time, as long as memory is too little. */
static enum margay_status open_device(margay_gpu_blocks *run,
                                      struct margay_error *error)
{
    enum margay_status status =
        margay_gpu_open(run->backend, run->device, &run->gpu, error);
    while (status == MARGAY_OK) {
        status = allocate(run, error);
        if (status == MARGAY_OK)
            return MARGAY_OK;
        release(run);
        if (status != MARGAY_NO_MEMORY || run->most_blocks == 1)
            break;
        run->most_blocks /= 2;
        status = MARGAY_OK;
    }
    margay_gpu_close(run->gpu);
    run->gpu = NULL;
    return status;
}

/* ------------------------------------------------------------------ a run --
 */

/* Within chunks, and what they add up to; the number of first references. */
static enum margay_status run_chunks(margay_gpu_blocks *run, uint32_t count,
                                     uint32_t *firsts,
                                     struct margay_error *error)
{
    struct margay_gpu_buffer *b = run->buffers;
    uint32_t chunks = (count - 1) / run->chunk_refs + 1;
    uint32_t groups = (chunks - 1) / GROUP_ITEMS + 1;
    bool is_copied;
    margay_gpu_upload(run->gpu, &b[REFS], &run->pinned,
                      (size_t)count * sizeof(uint64_t));
    margay_gpu_await_uploads(run->gpu);
    margay_gpu_fill(run->gpu, &b[LOCAL_COUNTS], run->chunk_refs, 0);
    margay_gpu_fill(run->gpu, &b[PLACE_COUNTS], run->most_blocks, 0);
    margay_gpu_fill(run->gpu, &b[AFTER], count, 0);
    margay_gpu_fill(run->gpu, &b[ACROSS],
                    (uint32_t)elements(run, ACROSS, &is_copied), 0);
    LAUNCH(run->gpu, chunk_distances, groups, B(b[REFS]), N(count),
           N(run->chunk_refs), B(b[LIVE]), B(b[IS_FIRST]), B(b[BEFORE]),
           B(b[AFTER]), B(b[LOCAL_COUNTS]), B(b[CHUNK_COUNTS]));
    LAUNCH(run->gpu, chunk_starts, groups, B(b[CHUNK_COUNTS]), N(chunks),
           N(run->block_refs / run->chunk_refs), B(b[STARTS]),
           B(b[BLOCK_SUMS]));
    LAUNCH(run->gpu, chunk_ends, margay_gpu_tiles(count), B(b[STARTS]),
           B(b[CHUNK_COUNTS]), N(count), N(run->chunk_refs), B(b[AFTER]));
    margay_gpu_scan(run->gpu, &b[IS_FIRST], count, &run->scratch, &b[RESULT],
                    0);
    return margay_gpu_download(run->gpu, &b[RESULT], 0, firsts, sizeof *firsts,
                               error);
}

/* From chunk to chunk. */
static void run_merge(margay_gpu_blocks *run, uint32_t count, uint32_t firsts,
                      uint64_t varying)
{
    struct margay_gpu_buffer *b = run->buffers;
    uint32_t tiles = margay_gpu_tiles(firsts);
    struct margay_gpu_keys pair[2] = {run->pair[0], run->pair[1]};
    uint64_t block_bits = run->most_blocks - 1;
    for (unsigned shift = 1; shift < 32; shift *= 2)
        block_bits |= block_bits >> shift;
    LAUNCH(run->gpu, gather_firsts, margay_gpu_tiles(count), B(b[REFS]),
           B(b[IS_FIRST]), N(count), N(firsts), B(pair[0].keys),
           B(pair[0].owners));
    if (margay_gpu_sort(run->gpu, pair, firsts, varying, &run->scratch) != 0) {
        pair[0] = run->pair[1];
        pair[1] = run->pair[0];
    }
    LAUNCH(run->gpu, key_by_block, tiles, B(pair[0].owners), N(firsts),
           N(run->block_refs), B(pair[0].keys));
    unsigned sorted =
        margay_gpu_sort(run->gpu, pair, firsts, block_bits, &run->scratch);
    const struct margay_gpu_buffer *owners = &pair[sorted].owners;
    LAUNCH(run->gpu, mark_heads, tiles, B(b[REFS]), B(*owners), N(firsts),
           N(run->block_refs), B(b[HEADS]));
    margay_gpu_scan(run->gpu, &b[HEADS], firsts, &run->scratch, &b[RESULT], 1);
    LAUNCH(run->gpu, merge_chunks, tiles, B(b[REFS]), B(*owners), N(firsts),
           N(run->chunk_refs), N(run->block_refs), B(b[HEADS]), B(b[STARTS]),
           B(b[BEFORE]), B(b[AFTER]), B(b[ACROSS]), B(b[PLACE_IDS]),
           B(b[PLACE_FIRSTS]), B(b[PLACE_KEYS]), B(b[PLACE_COUNTS]));
}

/* Take to the host what it has copies of, as far as it is used. */
static enum margay_status fetch(margay_gpu_blocks *run,
                                struct margay_error *error)
{
    uint32_t places;
    enum margay_status status =
        margay_gpu_download(run->gpu, &run->buffers[RESULT], sizeof places,
                            &places, sizeof places, error);
    for (unsigned i = 0; i < BUFFERS && status == MARGAY_OK; i++) {
        bool is_copied;
        uint64_t count = elements(run, i, &is_copied);
        if (i == PLACE_IDS || i == PLACE_FIRSTS || i == PLACE_KEYS)
            count = places < count ? places : count;
        if (i == ACROSS)
            count = (uint64_t)run->block_count * (run->block_refs + 1);
        if (is_copied && count != 0)
            status = margay_gpu_download(
                run->gpu, &run->buffers[i], 0, run->copies[i],
                (size_t)count * element_bytes(i), error);
    }
    return status;
}

/* Every reference was counted, in one way or another. */
static enum margay_status check(const margay_gpu_blocks *run, uint32_t count,
                                struct margay_error *error)
{
    const uint32_t *across = run->copies[ACROSS], *local;
    const uint32_t *places = run->copies[PLACE_COUNTS];
    uint64_t sum = 0;
    local = run->copies[LOCAL_COUNTS];
    for (uint32_t i = 0; i < run->chunk_refs; i++)
        sum += local[i];
    for (uint32_t i = 0; i < run->block_count; i++)
        sum += places[i];
    for (uint64_t i = 0; i < (uint64_t)run->block_count * (run->block_refs + 1);
         i++)
        sum += across[i];
    if (sum == count)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_IO,
                       "gpu: %s computes wrongly: it has counted %llu "
                       "references of %u",
                       margay_gpu_name(run->gpu), (unsigned long long)sum,
                       count);
}

enum margay_status margay_gpu_blocks_run(margay_gpu_blocks *run,
                                         const uint64_t *refs, uint32_t count,
                                         uint32_t *taken,
                                         struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    uint64_t varying = 0;
    uint32_t firsts = 0;
    run->block_count = 0;
    *taken = 0;
    if (run->gpu == NULL)
        status = open_device(run, error);
    if (status != MARGAY_OK || count == 0)
        return status;
    if (count > run->block_refs * run->most_blocks)
        count = run->block_refs * run->most_blocks;
    *taken = count;
    memcpy(run->pinned.memory, refs, (size_t)count * sizeof *refs);
    for (uint32_t i = 1; i < count; i++)
        varying |= refs[i] ^ refs[0];
    run->block_count = (count - 1) / run->block_refs + 1;
    status = run_chunks(run, count, &firsts, error);
    if (status != MARGAY_OK)
        return status;
    run_merge(run, count, firsts, varying);
    status = fetch(run, error);
    if (status == MARGAY_OK)
        status = check(run, count, error);
    return status;
}

const uint32_t *margay_gpu_blocks_local(const margay_gpu_blocks *run)
{
    return run->copies[LOCAL_COUNTS];
}

bool margay_gpu_blocks_at(const margay_gpu_blocks *run, uint32_t i,
                          struct margay_gpu_block *block)
{
    const uint32_t *counts = run->copies[PLACE_COUNTS];
    size_t begin = 0;
    if (i >= run->block_count)
        return false;
    for (uint32_t before = 0; before < i; before++)
        begin += counts[before];
    *block = (struct margay_gpu_block){
        .place_count = counts[i],
        .ids = (const uint64_t *)run->copies[PLACE_IDS] + begin,
        .firsts = (const uint32_t *)run->copies[PLACE_FIRSTS] + begin,
        .keys = (const uint32_t *)run->copies[PLACE_KEYS] + begin,
        .sum_counts = ((const uint32_t *)run->copies[BLOCK_SUMS])[i],
        .across = (const uint32_t *)run->copies[ACROSS] +
                  (size_t)i * (run->block_refs + 1),
    };
    return true;
}
