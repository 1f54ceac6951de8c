/* device.c - the table of backends, and the functions that call them */
#include "stackdist/gpu/device.h"

#include <stdio.h>
#include <stdlib.h>

#include "traces/traces_internal.h"

/* In the order of the search for a device, and of enum margay_gpu_choice. */
static const struct margay_gpu_backend *const backends[] = {
    &margay_gpu_opencl,
    &margay_gpu_emulate,
};
#define BACKENDS (sizeof backends / sizeof backends[0])

const char *const margay_gpu_kernel_names[MARGAY_GPU_KERNELS] = {
#define MARGAY_KERNEL(name, ...) #name,
#include "stackdist/gpu/kernels.def"
#undef MARGAY_KERNEL
};

struct margay_gpu {
    const struct margay_gpu_backend *backend;
    void *device;
    char name[192];
    uint64_t memory_bytes;    /* 0 = unknown */
    uint64_t allocated_bytes; /* of these */
    struct margay_error failure;
};

/* ------------------------------------------------------------ to choose -- */

enum margay_status margay_gpu_list(unsigned backend, unsigned number,
                                   const char **name,
                                   struct margay_gpu_info *info,
                                   struct margay_error *error)
{
    *name = NULL;
    if (backend >= BACKENDS)
        return MARGAY_END;
    *name = backends[backend]->name;
    return backends[backend]->describe(number, info, error);
}

/* The first backend that has a device. */
static enum margay_status choose_backend(
    const struct margay_gpu_backend **backend, struct margay_error *error)
{
    struct margay_gpu_info info;
    struct margay_error why[BACKENDS];
    char text[MARGAY_MESSAGE_BYTES / 2] = "";
    size_t used = 0;
    for (size_t i = 0; i < BACKENDS && backends[i]->is_real; i++) {
        enum margay_status status = backends[i]->describe(0, &info, &why[i]);
        *backend = backends[i];
        if (status == MARGAY_OK)
            return MARGAY_OK;
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "; %s: %.200s", backends[i]->name,
                                     status == MARGAY_END ? "no device"
                                                          : why[i].message);
    }
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "gpu: there is no device%s (backend=emulate needs none)",
                       text);
}

static enum margay_status describe_device(
    const struct margay_gpu_backend *backend, unsigned number,
    struct margay_gpu_info *info, struct margay_error *error)
{
    struct margay_error why = {.message = ""};
    enum margay_status status = backend->describe(number, info, &why);
    if (status == MARGAY_OK)
        return MARGAY_OK;
    if (status != MARGAY_END)
        return margay_fail(error, status, "gpu: no device by way of %s: %s",
                           backend->name, why.message);
    unsigned devices = 0;
    while (backend->describe(devices, info, NULL) == MARGAY_OK)
        devices++;
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "gpu: %s has no device %u, only %u (margay version "
                       "-v lists them)",
                       backend->name, number, devices);
}

enum margay_status margay_gpu_open(enum margay_gpu_choice choice,
                                   unsigned number, margay_gpu **gpu,
                                   struct margay_error *error)
{
    const struct margay_gpu_backend *backend = NULL;
    struct margay_gpu_info info = {.name = ""};
    struct margay_error why;
    enum margay_status status = MARGAY_OK;
    *gpu = NULL;
    if (choice == MARGAY_GPU_AUTO)
        status = choose_backend(&backend, error);
    else
        backend = backends[choice - MARGAY_GPU_OPENCL];
    if (status == MARGAY_OK)
        status = describe_device(backend, number, &info, error);
    if (status != MARGAY_OK)
        return status;
    margay_gpu *made = calloc(1, sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "a device");
    made->backend = backend;
    made->memory_bytes = info.memory_bytes;
    snprintf(made->name, sizeof made->name, "%s device %u (%s)", backend->name,
             number, info.name);
    if (backend->open != NULL)
        status = backend->open(number, &made->device, &why);
    if (status == MARGAY_OK) {
        *gpu = made;
    } else {
        margay_fail(error, status, "gpu: %s: %s", made->name, why.message);
        free(made);
    }
    return status;
}

void margay_gpu_close(margay_gpu *gpu)
{
    if (gpu == NULL)
        return;
    if (gpu->backend->close != NULL)
        gpu->backend->close(gpu->device);
    free(gpu);
}

const char *margay_gpu_name(const margay_gpu *gpu)
{
    return gpu->name;
}

/* --------------------------------------------------------------- memory -- */

enum margay_status margay_gpu_allocate(margay_gpu *gpu, size_t bytes,
                                       bool pinned,
                                       struct margay_gpu_buffer *buffer,
                                       struct margay_error *error)
{
    *buffer = (struct margay_gpu_buffer){.bytes = bytes == 0 ? 8 : bytes};
    size_t counted = pinned ? 0 : buffer->bytes;
    enum margay_status status = MARGAY_NO_MEMORY;
    /* Drivers allocate more than the device has, and fail when it is used. */
    if (gpu->memory_bytes == 0 ||
        (counted <= gpu->memory_bytes &&
         gpu->allocated_bytes <= gpu->memory_bytes - counted))
        status = gpu->backend->allocate(gpu->device, pinned, buffer, error);
    if (status == MARGAY_OK) {
        gpu->allocated_bytes += counted;
        return MARGAY_OK;
    }
    *buffer = (struct margay_gpu_buffer){0};
    if (status == MARGAY_NO_MEMORY && !pinned)
        margay_fail(error, status,
                    "%s: no memory for %zu bytes more (of %llu in all, %llu "
                    "are in use)",
                    gpu->name, bytes, (unsigned long long)gpu->memory_bytes,
                    (unsigned long long)gpu->allocated_bytes);
    return status;
}

void margay_gpu_release(margay_gpu *gpu, struct margay_gpu_buffer *buffer)
{
    if (buffer->bytes != 0)
        gpu->backend->release(gpu->device, buffer);
    if (buffer->memory == NULL)
        gpu->allocated_bytes -= buffer->bytes;
    *buffer = (struct margay_gpu_buffer){0};
}

/* ----------------------------------------------------------------- work -- */

/* Keep a failure of the device, with its name before the message. */
static void stick(margay_gpu *gpu, enum margay_status status,
                  const struct margay_error *why)
{
    if (status != MARGAY_OK)
        margay_fail(&gpu->failure, status, "gpu: %s failed: %s", gpu->name,
                    why->message);
}

void margay_gpu_upload(margay_gpu *gpu, const struct margay_gpu_buffer *buffer,
                       const struct margay_gpu_buffer *pinned, size_t bytes)
{
    struct margay_error why;
    if (gpu->failure.status == MARGAY_OK)
        stick(gpu,
              gpu->backend->upload(gpu->device, buffer, pinned, bytes, &why),
              &why);
}

void margay_gpu_launch(margay_gpu *gpu, enum margay_gpu_kernel kernel,
                       uint32_t groups,
                       const struct margay_gpu_argument *arguments,
                       uint32_t argument_count)
{
    struct margay_error why;
    if (gpu->failure.status == MARGAY_OK && groups != 0)
        stick(gpu,
              gpu->backend->launch(gpu->device, kernel, groups, arguments,
                                   argument_count, &why),
              &why);
}

enum margay_status margay_gpu_download(margay_gpu *gpu,
                                       const struct margay_gpu_buffer *buffer,
                                       size_t offset_bytes, void *memory,
                                       size_t bytes, struct margay_error *error)
{
    struct margay_error why;
    if (gpu->failure.status == MARGAY_OK)
        stick(gpu,
              gpu->backend->download(gpu->device, buffer, offset_bytes, memory,
                                     bytes, &why),
              &why);
    return margay_fail_again(error, &gpu->failure);
}
