/*
 * emulate.c - the kernels as plain C, on the thread that launches them
 *
 * For machines without a device, and for tests under sanitizers: a kernel is
 * called for one group after the other, and nothing is queued.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stackdist/gpu/device.h"
#include "stackdist/gpu/hp_rda_kernels.h"
#include "traces/traces_internal.h"

/* --------------------------------------------------------- the kernels -- */

/* Argument i of the kernel that is launched. */
#define L(i) ((ulong *)arguments[i].buffer->handle)
#define I(i) ((uint *)arguments[i].buffer->handle)
#define N(i) (arguments[i].number)

static void run_group(enum margay_gpu_kernel kernel, uint g,
                      const struct margay_gpu_argument *arguments)
{
    switch (kernel) {
    case MARGAY_GPU_scan_sums:
        scan_sums(g, I(0), I(1), N(2));
        break;
    case MARGAY_GPU_scan_top:
        scan_top(g, I(0), N(1), I(2), N(3));
        break;
    case MARGAY_GPU_scan_apply:
        scan_apply(g, I(0), I(1), N(2));
        break;
    case MARGAY_GPU_sort_count:
        sort_count(g, L(0), N(1), N(2), I(3), N(4));
        break;
    case MARGAY_GPU_sort_move:
        sort_move(g, L(0), I(1), L(2), I(3), N(4), N(5), I(6), N(7));
        break;
    case MARGAY_GPU_fill:
        fill(g, I(0), N(1), N(2));
        break;
    case MARGAY_GPU_chunk_distances:
        chunk_distances(g, L(0), N(1), N(2), I(3), I(4), I(5), I(6), I(7),
                        I(8));
        break;
    case MARGAY_GPU_chunk_starts:
        chunk_starts(g, I(0), N(1), N(2), I(3), I(4));
        break;
    case MARGAY_GPU_chunk_ends:
        chunk_ends(g, I(0), I(1), N(2), N(3), I(4));
        break;
    case MARGAY_GPU_gather_firsts:
        gather_firsts(g, L(0), I(1), N(2), N(3), L(4), I(5));
        break;
    case MARGAY_GPU_mark_heads:
        mark_heads(g, L(0), I(1), N(2), N(3), I(4));
        break;
    case MARGAY_GPU_merge_chunks:
        merge_chunks(g, L(0), I(1), N(2), N(3), N(4), I(5), I(6), I(7), I(8),
                     I(9), L(10), I(11), I(12), I(13));
        break;
    case MARGAY_GPU_mark_places:
        mark_places(g, L(0), I(1), I(2), N(3), I(4), I(5), I(6), I(7));
        break;
    case MARGAY_GPU_order_places:
        order_places(g, L(0), I(1), I(2), N(3), I(4), I(5), I(6), I(7), L(8),
                     L(9), L(10));
        break;
    case MARGAY_GPU_split_marks:
        split_marks(g, L(0), N(1), N(2), I(3));
        break;
    case MARGAY_GPU_split_move:
        split_move(g, L(0), N(1), N(2), I(3), L(4));
        break;
    case MARGAY_GPU_count_distances:
        count_distances(g, L(0), N(1), I(2));
        break;
    case MARGAY_GPU_KERNELS:
        break;
    }
}

/* --------------------------------------------------------- the backend -- */

static enum margay_status describe(unsigned number,
                                   struct margay_gpu_info *info,
                                   struct margay_error *error)
{
    (void)error;
    *info = (struct margay_gpu_info){.is_processor = true};
    snprintf(info->name, sizeof info->name, "kernels as plain C");
    return number == 0 ? MARGAY_OK : MARGAY_END;
}

static enum margay_status open_device(unsigned number, void **device,
                                      struct margay_error *error)
{
    (void)number;
    (void)error;
    *device = NULL;
    return MARGAY_OK;
}

static void close_device(void *device)
{
    (void)device;
}

static enum margay_status allocate(void *device,
                                   struct margay_gpu_buffer *buffer,
                                   struct margay_error *error)
{
    (void)device;
    void *memory = malloc(buffer->bytes);
    if (memory == NULL)
        return margay_fail_memory(error, "the emulated device");
    buffer->handle = (uintptr_t)memory;
    return MARGAY_OK;
}

static void release(void *device, struct margay_gpu_buffer *buffer)
{
    (void)device;
    free((void *)buffer->handle);
}

static enum margay_status allocate_pinned(void *device,
                                          struct margay_gpu_pinned *pinned,
                                          struct margay_error *error)
{
    (void)device;
    pinned->memory = malloc(pinned->buffer.bytes);
    if (pinned->memory == NULL)
        return margay_fail_memory(error, "a transfer");
    return MARGAY_OK;
}

static void release_pinned(void *device, struct margay_gpu_pinned *pinned)
{
    (void)device;
    free(pinned->memory);
}

static enum margay_status upload(void *device,
                                 const struct margay_gpu_buffer *buffer,
                                 const struct margay_gpu_pinned *pinned,
                                 size_t bytes, struct margay_error *error)
{
    (void)device;
    (void)error;
    memcpy((void *)buffer->handle, pinned->memory, bytes);
    return MARGAY_OK;
}

static enum margay_status await_uploads(void *device,
                                        struct margay_error *error)
{
    (void)device;
    (void)error;
    return MARGAY_OK;
}

static enum margay_status launch(void *device, enum margay_gpu_kernel kernel,
                                 uint32_t groups,
                                 const struct margay_gpu_argument *arguments,
                                 struct margay_error *error)
{
    (void)device;
    (void)error;
    for (uint32_t group = 0; group < groups; group++)
        run_group(kernel, group, arguments);
    return MARGAY_OK;
}

static enum margay_status download(void *device,
                                   const struct margay_gpu_buffer *buffer,
                                   size_t offset_bytes, void *memory,
                                   size_t bytes, struct margay_error *error)
{
    (void)device;
    (void)error;
    memcpy(memory, (const char *)buffer->handle + offset_bytes, bytes);
    return MARGAY_OK;
}

const struct margay_gpu_backend margay_gpu_emulate = {
    .name = "emulate",
    .describe = describe,
    .open = open_device,
    .close = close_device,
    .allocate = allocate,
    .release = release,
    .allocate_pinned = allocate_pinned,
    .release_pinned = release_pinned,
    .upload = upload,
    .await_uploads = await_uploads,
    .launch = launch,
    .download = download,
};
