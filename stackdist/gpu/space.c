/* space.c - the exact engine on a device: its memory, and how to do with less
 */
#include "stackdist/gpu/exact.h"

#include <string.h>

#include "stackdist/gpu/launch.h"
#include "traces/traces_internal.h"

/* A buffer, and its size. */
struct row {
    struct margay_gpu_buffer *buffer;
    uint64_t count;
    size_t element_bytes;
};

#define WORK_BUFFERS 18

/* The work space: everything that depends on the capacity but the stack. */
static void list_work(struct margay_gpu_exact *e, uint64_t all, uint64_t room,
                      uint64_t limit, struct row rows[WORK_BUFFERS])
{
    const struct row list[WORK_BUFFERS] = {
        {&e->new_stack, all, 8},
        {&e->pair[0].keys, all, 8},
        {&e->pair[1].keys, all, 8},
        {&e->pair[0].owners, all, 4},
        {&e->pair[1].owners, all, 4},
        {&e->previous, all, 4},
        {&e->reuses, all, 4},
        {&e->nexts, all, 4},
        {&e->moving[0].values, room, 4},
        {&e->moving[0].counts, room, 4},
        {&e->moving[0].owners, room, 4},
        {&e->moving[1].values, room, 4},
        {&e->moving[1].counts, room, 4},
        {&e->moving[1].owners, room, 4},
        {&e->distances, room, 4},
        {&e->low, limit + 1, 4},
        {&e->high, limit + 1, 4},
        {&e->result, 2, 4},
    };
    memcpy(rows, list, sizeof list);
}

static void release_work(struct margay_gpu_exact *e)
{
    struct row rows[WORK_BUFFERS];
    list_work(e, 0, 0, 0, rows);
    for (unsigned i = 0; i < WORK_BUFFERS; i++)
        margay_gpu_release(e->gpu, rows[i].buffer);
    margay_gpu_scratch_release(e->gpu, &e->scratch);
}

static void release_transfers(struct margay_gpu_exact *e)
{
    for (unsigned i = 0; i < 2; i++) {
        margay_gpu_release_pinned(e->gpu, &e->staging[i]);
        margay_gpu_release(e->gpu, &e->transfers[i]);
    }
}

void margay_gpu_exact_release(struct margay_gpu_exact *e)
{
    release_transfers(e);
    release_work(e);
    margay_gpu_release(e->gpu, &e->stack);
}

static enum margay_status allocate_transfers(struct margay_gpu_exact *e,
                                             struct margay_error *error)
{
    size_t bytes = (size_t)e->transfer_refs * sizeof(uint64_t);
    enum margay_status status = MARGAY_OK;
    for (unsigned i = 0; i < 2 && status == MARGAY_OK; i++) {
        status = margay_gpu_allocate(e->gpu, bytes, &e->transfers[i], error);
        if (status == MARGAY_OK)
            status = margay_gpu_allocate_pinned(e->gpu, bytes, &e->staging[i],
                                                error);
    }
    if (status != MARGAY_OK)
        release_transfers(e);
    return status;
}

enum margay_status margay_gpu_exact_make_transfers(struct margay_gpu_exact *e,
                                                   struct margay_error *error)
{
    enum margay_status status;
    /* An eighth of the memory at most: the work on them takes six times what
       they take themselves, and the stack is to have its share. */
    uint64_t most = margay_gpu_memory_bytes(e->gpu) / 8 / (2 * 8);
    release_transfers(e);
    while (most != 0 && e->transfer_refs > most &&
           e->transfer_refs / 2 >= MARGAY_GPU_LEAST_TRANSFER) {
        e->transfer_refs /= 2;
        e->is_tight = true;
    }
    while ((status = allocate_transfers(e, error)) == MARGAY_NO_MEMORY &&
           e->transfer_refs / 2 >= MARGAY_GPU_LEAST_TRANSFER) {
        e->transfer_refs /= 2;
        e->is_tight = true;
    }
    return status;
}

static enum margay_status allocate_work(struct margay_gpu_exact *e,
                                        uint32_t room,
                                        struct margay_error *error)
{
    uint64_t all = (uint64_t)e->stack_refs + room;
    uint64_t limit = all < e->tally.bound ? all : e->tally.bound;
    struct row rows[WORK_BUFFERS];
    list_work(e, all, room, limit, rows);
    enum margay_status status = MARGAY_OK;
    for (unsigned i = 0; i < WORK_BUFFERS && status == MARGAY_OK; i++)
        status = margay_gpu_allocate(
            e->gpu, (size_t)rows[i].count * rows[i].element_bytes,
            rows[i].buffer, error);
    if (status == MARGAY_OK)
        status = margay_gpu_scratch_create(e->gpu, (uint32_t)all, &e->scratch,
                                           error);
    if (status != MARGAY_OK) {
        release_work(e);
        return status;
    }
    e->capacity = (uint32_t)all;
    e->room = room;
    e->limit = (uint32_t)limit;
    margay_gpu_fill(e->gpu, &e->low, e->limit + 1, 0);
    margay_gpu_fill(e->gpu, &e->high, e->limit + 1, 0);
    return MARGAY_OK;
}

/* The stack moves to a buffer of the new capacity; the one that it leaves is
   too small to come back to. */
static enum margay_status move_stack(struct margay_gpu_exact *e,
                                     struct margay_error *error)
{
    struct margay_gpu_buffer moved;
    enum margay_status status = margay_gpu_allocate(
        e->gpu, (size_t)e->capacity * sizeof(uint64_t), &moved, error);
    if (status != MARGAY_OK)
        return status;
    LAUNCH(e->gpu, copy_blocks, margay_gpu_tiles(e->stack_refs), B(e->stack),
           B(moved), N(e->stack_refs));
    /* Wait for the queued work before its memory is released. */
    uint32_t unused;
    if (e->stack_refs != 0)
        status = margay_gpu_download(e->gpu, &moved, 0, &unused, sizeof unused,
                                     error);
    margay_gpu_release(e->gpu, &e->stack);
    e->stack = moved;
    return status;
}

static enum margay_status fail_room(const struct margay_gpu_exact *e,
                                    const struct margay_error *why,
                                    struct margay_error *error)
{
    return margay_fail(
        error, MARGAY_NO_MEMORY,
        "gpu: too little memory for an LRU stack of %u blocks and %u more "
        "references: %s; a bound (--bound) needs less, and the engine exact "
        "none on a device",
        e->stack_refs, MARGAY_GPU_LEAST_TRANSFER, why->message);
}

/* Replace the work space by one with room for `wanted` references beside the
   stack and, if possible, for a stack that grows; or for fewer. */
static enum margay_status make_work(struct margay_gpu_exact *e, uint32_t wanted,
                                    struct margay_error *error)
{
    struct margay_error why = {.message = ""};
    uint64_t room = (uint64_t)wanted + e->stack_refs / 2;
    uint64_t most = MARGAY_GPU_MOST_COUNT - e->stack_refs;
    enum margay_status status = margay_gpu_exact_collect(e, error);
    if (status != MARGAY_OK)
        return status;
    if (most < MARGAY_GPU_LEAST_TRANSFER)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "gpu: the LRU stack has reached 2^31 blocks; a "
                           "bound (--bound) limits it, and exact has no limit");
    room = room < most ? room : most;
    release_work(e);
    for (; room >= MARGAY_GPU_LEAST_TRANSFER || room >= wanted; room /= 2) {
        status = allocate_work(e, (uint32_t)room, &why);
        if (status == MARGAY_OK)
            status = move_stack(e, &why);
        if (status != MARGAY_NO_MEMORY)
            break;
        release_work(e);
        e->is_tight = true;
    }
    if (status == MARGAY_NO_MEMORY)
        return fail_room(e, &why, error);
    if (status != MARGAY_OK && error != NULL)
        *error = why;
    return status;
}

enum margay_status margay_gpu_exact_reserve(struct margay_gpu_exact *e,
                                            uint32_t *refs,
                                            struct margay_error *error)
{
    uint32_t left = e->capacity - e->stack_refs;
    left = left < e->room ? left : e->room;
    enum margay_status status = MARGAY_OK;
    if (left < *refs && !(e->is_tight && left >= MARGAY_GPU_LEAST_TRANSFER)) {
        status = make_work(e, *refs, error);
        left = e->room;
    }
    *refs = *refs < left ? *refs : left;
    return status;
}
