/*
 * emulate.c - the kernels as plain C, on the thread that launches them
 *
 * For machines without a device, and for tests under sanitizers: a kernel is
 * called for one group after the other, and nothing is queued.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stackdist/gpu/device.h"
#include "stackdist/gpu/kernels.h"
#include "traces/traces_internal.h"

/* --------------------------------------------------------- the kernels -- */

/* Argument i of the kernel that is launched. */
#define L(i) ((ulong *)arguments[i].buffer->handle)
#define I(i) ((uint *)arguments[i].buffer->handle)
#define N(i) (arguments[i].number)

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

static enum margay_status allocate(void *device, bool pinned,
                                   struct margay_gpu_buffer *buffer,
                                   struct margay_error *error)
{
    (void)device;
    void *memory = malloc(buffer->bytes);
    if (memory == NULL)
        return margay_fail_memory(error, pinned ? "a transfer"
                                                : "the emulated device");
    buffer->handle = (uintptr_t)memory;
    buffer->memory = pinned ? memory : NULL;
    return MARGAY_OK;
}

static void release(void *device, struct margay_gpu_buffer *buffer)
{
    (void)device;
    free((void *)buffer->handle);
}

static enum margay_status upload(void *device,
                                 const struct margay_gpu_buffer *buffer,
                                 const struct margay_gpu_buffer *pinned,
                                 size_t bytes, struct margay_error *error)
{
    (void)device;
    (void)error;
    memcpy((void *)buffer->handle, pinned->memory, bytes);
    return MARGAY_OK;
}

static enum margay_status launch(void *device, enum margay_gpu_kernel kernel,
                                 uint32_t groups,
                                 const struct margay_gpu_argument *arguments,
                                 uint32_t argument_count,
                                 struct margay_error *error)
{
    (void)device;
    (void)argument_count;
    (void)error;
    for (uint32_t group = 0; group < groups; group++) {
        switch (kernel) {
#define MARGAY_KERNEL(name, ...)  \
    case MARGAY_GPU_##name:       \
        name(group, __VA_ARGS__); \
        break;
#include "stackdist/gpu/kernels.def"
#undef MARGAY_KERNEL
        case MARGAY_GPU_KERNELS:
            break;
        }
    }
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
    .allocate = allocate,
    .release = release,
    .upload = upload,
    .launch = launch,
    .download = download,
};
