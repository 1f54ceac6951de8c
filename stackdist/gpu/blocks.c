/*
 * blocks.c - the thread blocks of engine hp-rda, on a device
 *
 * Chunks are analysed by a group of items each.  Their first references are
 * sorted by block id, and a thread merge joins neighbours, which leaves a place
 * for each id and thread block.  Neighbouring places are merged next, exactly
 * or by the host.
 */
#include "stackdist/gpu/blocks.h"

#include <stdlib.h>

#include "stackdist/gpu/sizes.h"
#include "traces/traces_internal.h"

/* LAUNCH(fill, groups, B(REFS), N(count), N(0)): a kernel on a run. */
#define B(which)                \
    {                           \
        &run->buffers[which], 0 \
    }
#define N(number)                \
    {                            \
        NULL, (uint32_t)(number) \
    }
#define ARGUMENTS(...)                   \
    (const struct margay_gpu_argument[]) \
    {                                    \
        __VA_ARGS__                      \
    }
#define LAUNCH(kernel, groups, ...)                                    \
    margay_gpu_launch(                                                 \
        run->gpu, MARGAY_GPU_##kernel, groups, ARGUMENTS(__VA_ARGS__), \
        sizeof ARGUMENTS(__VA_ARGS__) / sizeof(struct margay_gpu_argument))

/* A digit of bits that are all 0. */
#define UNUSED_BITS UINT32_C(0xffffffff)

/* The device's buffers, and the host's copies of some. */
enum buffer {
    REFS,
    NEXT,
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
    DISTANCES,
    IDS_BY_FIRST,
    IDS_BY_LAST,
    SUMS,
    /* Keys of 64 bits and an owner for each; a sort moves them between two of
       these. */
    KEYS,
    OTHER_KEYS,
    OWNERS,
    OTHER_OWNERS,
    TOTALS,    /* of tiles, by digit */
    TILE_SUMS, /* of a scan */
    BUFFERS
};

/* The totals of prefix sums. */
enum sum { FIRSTS, PLACES, REUSES, UNUSED, SUMS_COUNT };

struct margay_gpu_blocks {
    enum margay_gpu_choice backend;
    unsigned device;
    margay_gpu *gpu;
    bool is_exact;
    uint32_t chunk_refs, block_refs, most_blocks;
    struct margay_gpu_buffer pinned;
    struct margay_gpu_buffer buffers[BUFFERS];
    void *copies[BUFFERS];
    struct margay_gpu_result result;
};

static size_t element_bytes(enum buffer buffer)
{
    bool is_id = buffer == REFS || buffer == PLACE_IDS ||
                 buffer == IDS_BY_FIRST || buffer == IDS_BY_LAST ||
                 buffer == KEYS || buffer == OTHER_KEYS;
    return is_id ? sizeof(uint64_t) : sizeof(uint32_t);
}

/* The number of tiles, and of groups, for `count` references. */
static uint32_t tiles_of(uint64_t count)
{
    return (uint32_t)((count + TILE_REFS - 1) / TILE_REFS);
}

/* How many elements a buffer has. */
static uint64_t elements(const margay_gpu_blocks *run, enum buffer buffer)
{
    uint64_t all = (uint64_t)run->block_refs * run->most_blocks;
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
    case DISTANCES:
    case IDS_BY_FIRST:
    case IDS_BY_LAST:
        return run->is_exact ? all : 0;
    case SUMS:
        return SUMS_COUNT;
    case TOTALS:
        return (uint64_t)tiles_of(all) * DIGITS;
    case TILE_SUMS: /* of a scan over all references, or these totals */
        return tiles_of(all);
    default:
        return all;
    }
}

/* How many of them the host wants. */
static uint64_t wanted(const margay_gpu_blocks *run, enum buffer buffer)
{
    const struct margay_gpu_result *result = &run->result;
    switch (buffer) {
    case LOCAL_COUNTS:
        return run->chunk_refs;
    case BLOCK_SUMS:
    case PLACE_COUNTS:
        return result->block_count;
    case ACROSS:
        return (uint64_t)result->block_count * (run->block_refs + 1);
    case PLACE_IDS:
    case PLACE_FIRSTS:
    case PLACE_KEYS:
        return run->is_exact ? 0 : result->places;
    case DISTANCES:
    case IDS_BY_FIRST:
    case IDS_BY_LAST:
        return run->is_exact ? result->distinct : 0;
    default:
        return 0;
    }
}

/* ---------------------------------------------------- making, releasing -- */

enum margay_status margay_gpu_blocks_create(
    enum margay_gpu_choice backend, unsigned device, uint32_t chunk_refs,
    uint32_t block_refs, uint32_t blocks, bool is_exact,
    margay_gpu_blocks **made, struct margay_error *error)
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
    run->is_exact = is_exact;
    return MARGAY_OK;
}

/* The pinned memory first: that waits for uploads into the buffers. */
static void release(margay_gpu_blocks *run)
{
    margay_gpu_release(run->gpu, &run->pinned);
    for (unsigned i = 0; i < BUFFERS; i++) {
        margay_gpu_release(run->gpu, &run->buffers[i]);
        free(run->copies[i]);
        run->copies[i] = NULL;
    }
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

/* With ever fewer thread blocks at a time, as long as memory is too little. */
enum margay_status margay_gpu_blocks_open(margay_gpu_blocks *run,
                                          uint64_t **refs, uint32_t *room,
                                          struct margay_error *error)
{
    enum margay_status status =
        margay_gpu_open(run->backend, run->device, &run->gpu, error);
    while (status == MARGAY_OK) {
        status = margay_gpu_allocate(
            run->gpu, (size_t)elements(run, REFS) * sizeof(uint64_t), true,
            &run->pinned, error);
        for (unsigned i = 0; i < BUFFERS && status == MARGAY_OK; i++) {
            size_t bytes = (size_t)elements(run, i) * element_bytes(i);
            status = margay_gpu_allocate(run->gpu, bytes, false,
                                         &run->buffers[i], error);
        }
        if (status == MARGAY_OK) {
            *refs = run->pinned.memory;
            *room = run->block_refs * run->most_blocks;
            return MARGAY_OK;
        }
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

/* ------------------------------------------------------ several kernels -- */

/* Set the first `count` numbers of a buffer to 0. */
static void clear(margay_gpu_blocks *run, enum buffer buffer, uint64_t count)
{
    LAUNCH(fill, tiles_of(count), B(buffer), N(count), N(0));
}

/* The first `count` numbers of a buffer to exclusive prefix sums, all of them
   added up to result[at]. */
static void scan(margay_gpu_blocks *run, enum buffer buffer, uint32_t count,
                 enum buffer result, uint32_t at)
{
    uint32_t tiles = tiles_of(count);
    LAUNCH(scan_sums, tiles, B(buffer), B(TILE_SUMS), N(count));
    LAUNCH(scan_top, 1, B(TILE_SUMS), N(tiles), B(result), N(at));
    LAUNCH(scan_apply, tiles, B(buffer), B(TILE_SUMS), N(count));
}

/* A stable sort of the keys; returns whether the result is in the others.
   `varying` are the bits in which any two keys differ, or more: the others are
   left alone.  Equal keys end up side by side; the order is otherwise one of
   the keys' varying bits. */
static unsigned sort(margay_gpu_blocks *run, uint32_t count, uint64_t varying)
{
    uint32_t tiles = tiles_of(count);
    unsigned from = 0;
    while (varying != 0) {
        uint32_t bits = UNUSED_BITS; /* a digit: the lowest, a byte each */
        for (unsigned i = 0; i < DIGIT_BITS && varying != 0; i++) {
            uint32_t bit = (uint32_t)__builtin_ctzll(varying);
            bits = (bits & ~(UINT32_C(255) << (8 * i))) | bit << (8 * i);
            varying &= varying - 1;
        }
        LAUNCH(sort_count, tiles, B(KEYS + from), N(count), N(bits), B(TOTALS),
               N(tiles));
        /* The sum of all is not needed: it goes to memory that is written
           next. */
        scan(run, TOTALS, tiles * DIGITS, OWNERS + !from, 0);
        LAUNCH(sort_move, tiles, B(KEYS + from), B(OWNERS + from),
               B(KEYS + !from), B(OWNERS + !from), N(count), N(bits), B(TOTALS),
               N(tiles));
        from = !from;
    }
    return from;
}

/* ----------------------------------------------------------------- a run -- */

/* No more than `most`, whatever a device computes. */
static enum margay_status take_sum(margay_gpu_blocks *run, enum sum sum,
                                   uint32_t most, uint32_t *count,
                                   struct margay_error *error)
{
    enum margay_status status =
        margay_gpu_download(run->gpu, &run->buffers[SUMS], sum * sizeof *count,
                            count, sizeof *count, error);
    *count = (uint32_t)margay_minimum(*count, most);
    return status;
}

/* Distances within chunks and their totals; the number of first references. */
static enum margay_status run_chunks(margay_gpu_blocks *run, uint32_t count,
                                     uint32_t *firsts,
                                     struct margay_error *error)
{
    uint32_t chunks = (count - 1) / run->chunk_refs + 1;
    margay_gpu_upload(run->gpu, &run->buffers[REFS], &run->pinned,
                      (size_t)count * sizeof(uint64_t));
    clear(run, LOCAL_COUNTS, run->chunk_refs);
    clear(run, PLACE_COUNTS, run->most_blocks);
    clear(run, AFTER, count);
    clear(run, ACROSS, wanted(run, ACROSS));
    LAUNCH(chunk_distances, chunks, B(REFS), N(count), N(run->chunk_refs),
           B(NEXT), B(IS_FIRST), B(BEFORE), B(AFTER), B(LOCAL_COUNTS),
           B(CHUNK_COUNTS));
    LAUNCH(chunk_starts, (chunks - 1) / GROUP_ITEMS + 1, B(CHUNK_COUNTS),
           N(chunks), N(run->block_refs / run->chunk_refs), B(STARTS),
           B(BLOCK_SUMS));
    LAUNCH(chunk_ends, tiles_of(count), B(STARTS), B(CHUNK_COUNTS), N(count),
           N(run->chunk_refs), B(AFTER));
    scan(run, IS_FIRST, count, SUMS, FIRSTS);
    return take_sum(run, FIRSTS, count, firsts, error);
}

/* From chunk to chunk. */
static enum margay_status run_merge(margay_gpu_blocks *run, uint32_t count,
                                    uint32_t firsts, uint64_t varying,
                                    struct margay_error *error)
{
    uint32_t tiles = tiles_of(firsts);
    LAUNCH(gather_firsts, tiles_of(count), B(REFS), B(IS_FIRST), N(count),
           N(firsts), B(KEYS), B(OWNERS));
    enum buffer owners = OWNERS + sort(run, firsts, varying);
    LAUNCH(mark_heads, tiles, B(REFS), B(owners), N(firsts), N(run->block_refs),
           B(HEADS));
    scan(run, HEADS, firsts, SUMS, PLACES);
    LAUNCH(merge_chunks, tiles, B(REFS), B(owners), N(firsts),
           N(run->chunk_refs), N(run->block_refs), B(HEADS), B(STARTS),
           B(BEFORE), B(AFTER), B(ACROSS), B(PLACE_IDS), B(PLACE_FIRSTS),
           B(PLACE_KEYS), B(PLACE_COUNTS));
    return take_sum(run, PLACES, firsts, &run->result.places, error);
}

/* From thread block to thread block, exactly. */
static enum margay_status run_exactly(margay_gpu_blocks *run,
                                      struct margay_error *error)
{
    /* Release buffers that no kernel needs any more. */
    static const enum buffer marks[] = {NEXT, IS_FIRST, BEFORE, AFTER};
    uint32_t places = run->result.places, tiles = tiles_of(places);
    uint32_t slots = run->result.block_count * run->block_refs, reuses = 0;
    for (unsigned i = 0; i < 4; i++)
        clear(run, marks[i], slots);
    LAUNCH(mark_places, tiles, B(PLACE_IDS), B(PLACE_FIRSTS), B(PLACE_KEYS),
           N(places), B(marks[0]), B(marks[1]), B(marks[2]), B(marks[3]));
    for (unsigned i = 0; i < 4; i++)
        scan(run, marks[i], slots, SUMS, i < 3 ? UNUSED : REUSES);
    LAUNCH(order_places, tiles, B(PLACE_IDS), B(PLACE_FIRSTS), B(PLACE_KEYS),
           N(places), B(marks[0]), B(marks[1]), B(marks[2]), B(marks[3]),
           B(KEYS), B(IDS_BY_FIRST), B(IDS_BY_LAST));
    enum margay_status status = take_sum(run, REUSES, places, &reuses, error);
    if (status != MARGAY_OK)
        return status;
    run->result.distinct = places - reuses;
    clear(run, DISTANCES, run->result.distinct);
    if (reuses == 0)
        return MARGAY_OK;
    /* Sort the reuses and count on the way; their distances. */
    unsigned from = 0;
    tiles = tiles_of(reuses);
    for (uint32_t bit = 32; bit-- > 0;) {
        if (reuses - 1 < UINT32_C(1) << bit)
            continue;
        LAUNCH(split_marks, tiles, B(KEYS + from), N(reuses), N(bit), B(HEADS));
        scan(run, HEADS, reuses, SUMS, UNUSED);
        LAUNCH(split_move, tiles, B(KEYS + from), N(reuses), N(bit), B(HEADS),
               B(KEYS + !from));
        from = !from;
    }
    LAUNCH(count_distances, tiles, B(KEYS + from), N(reuses), B(DISTANCES));
    return MARGAY_OK;
}

/* Copy the results to the host. */
static enum margay_status fetch(margay_gpu_blocks *run,
                                struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (unsigned i = 0; i < BUFFERS && status == MARGAY_OK; i++) {
        size_t bytes = (size_t)wanted(run, i) * element_bytes(i);
        if (bytes == 0)
            continue;
        if (run->copies[i] == NULL)
            run->copies[i] =
                malloc((size_t)elements(run, i) * element_bytes(i));
        status = run->copies[i] == NULL
                     ? margay_fail_memory(error, "thread blocks of a device")
                     : margay_gpu_download(run->gpu, &run->buffers[i], 0,
                                           run->copies[i], bytes, error);
    }
    return status;
}

static uint64_t add_up(const uint32_t *counts, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += counts[i];
    return sum;
}

/* Every reference was counted, in one way or another. */
static enum margay_status check(const margay_gpu_blocks *run, uint32_t count,
                                struct margay_error *error)
{
    const struct margay_gpu_result *result = &run->result;
    uint64_t places = add_up(result->place_counts, result->block_count);
    uint64_t sum = add_up(result->local, run->chunk_refs) + places +
                   add_up(result->across, wanted(run, ACROSS));
    if (run->is_exact)
        sum = sum - places + result->distinct +
              add_up(result->distances, result->distinct);
    if (sum == count)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_IO,
                       "gpu: %s computes wrongly: it has counted %llu "
                       "references of %u",
                       margay_gpu_name(run->gpu), (unsigned long long)sum,
                       count);
}

enum margay_status margay_gpu_blocks_run(
    margay_gpu_blocks *run, uint32_t count,
    const struct margay_gpu_result **result, struct margay_error *error)
{
    const uint64_t *refs = run->pinned.memory;
    uint64_t varying = 0;
    uint32_t firsts = 0;
    for (uint32_t i = 1; i < count; i++)
        varying |= refs[i] ^ refs[0];
    run->result = (struct margay_gpu_result){
        .block_count = (count - 1) / run->block_refs + 1};
    enum margay_status status = run_chunks(run, count, &firsts, error);
    if (status == MARGAY_OK)
        status = run_merge(run, count, firsts, varying, error);
    if (status == MARGAY_OK && run->is_exact)
        status = run_exactly(run, error);
    if (status == MARGAY_OK)
        status = fetch(run, error);
    run->result.local = run->copies[LOCAL_COUNTS];
    run->result.place_counts = run->copies[PLACE_COUNTS];
    run->result.sum_counts = run->copies[BLOCK_SUMS];
    run->result.across = run->copies[ACROSS];
    run->result.ids = run->copies[PLACE_IDS];
    run->result.firsts = run->copies[PLACE_FIRSTS];
    run->result.keys = run->copies[PLACE_KEYS];
    run->result.distances = run->copies[DISTANCES];
    run->result.ids_by_first = run->copies[IDS_BY_FIRST];
    run->result.ids_by_last = run->copies[IDS_BY_LAST];
    if (status == MARGAY_OK)
        status = check(run, count, error);
    *result = &run->result;
    return status;
}
