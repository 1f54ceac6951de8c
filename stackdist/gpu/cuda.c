/*
 * cuda.c - devices by way of CUDA
 *
 * The kernels are compiled by nvcc when Margay is built (make cuda), which
 * needs nothing else of CUDA; running them needs the driver only.  The driver's
 * library is opened at the first use and stays open.
 */
#include "stackdist/gpu/cuda_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "stackdist/gpu/device.h"
#include "stackdist/gpu/sizes.h"
#include "traces/traces_internal.h"

#define DRIVER "libcuda.so.1"

/* What nvcc made of the kernels; one byte of 0 where there was none. */
extern const unsigned char margay_gpu_cuda_image[];
extern const size_t margay_gpu_cuda_image_bytes;

struct cuda {
    struct cuda_api api;
    int device;
    cuda_context context;
    cuda_module module;
    cuda_function kernels[MARGAY_GPU_KERNELS];
    cuda_stream computing, uploading;
    cuda_event uploaded;
};

/* --------------------------------------------------------------- errors -- */

/* MARGAY_OK, or what function `name` refused to do. */
static enum margay_status check(const struct cuda_api *api, int code,
                                const char *name, struct margay_error *error)
{
    const char *text = NULL;
    if (code == CUDA_SUCCESS)
        return MARGAY_OK;
    api->GetErrorName(code, &text);
    return margay_fail(
        error, code == CUDA_ERROR_OUT_OF_MEMORY ? MARGAY_NO_MEMORY : MARGAY_IO,
        "cu%s: %s (%d)", name, text == NULL ? "CUDA error" : text, code);
}

#define CHECK(cuda, function, ...) \
    check(&(cuda)->api, (cuda)->api.function(__VA_ARGS__), #function, error)

/* -------------------------------------------------- driver and devices -- */

static enum margay_status load(struct cuda_api *api, struct margay_error *error)
{
    if (margay_gpu_cuda_image_bytes <= 1)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "this margay was built without its kernels (make "
                           "cuda builds one with them, where nvcc is)");
    void *driver = dlopen(DRIVER, RTLD_NOW | RTLD_LOCAL);
    if (driver == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s is not installed (it comes with the driver of "
                           "an NVIDIA device)",
                           DRIVER);
    const char *missing = NULL;
#define CUDA_FUNCTION(member, name, arguments)      \
    *(void **)(&api->member) = dlsym(driver, name); \
    if (api->member == NULL)                        \
        missing = name;
    CUDA_FUNCTIONS
#undef CUDA_FUNCTION
    if (missing != NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s has no %s: the driver is too old", DRIVER,
                           missing);
    enum margay_status status = check(api, api->Init(0), "Init", error);
    return status == MARGAY_OK ? status : MARGAY_BAD_ARGUMENT;
}

static enum margay_status describe(unsigned number,
                                   struct margay_gpu_info *info,
                                   struct margay_error *error)
{
    struct cuda_api api = {0};
    size_t bytes = 0;
    int count = 0, device;
    *info = (struct margay_gpu_info){.name = ""};
    enum margay_status status = load(&api, error);
    if (status != MARGAY_OK)
        return status;
    if (api.DeviceGetCount(&count) != CUDA_SUCCESS || (int)number >= count)
        return MARGAY_END;
    status =
        check(&api, api.DeviceGet(&device, (int)number), "DeviceGet", error);
    if (status != MARGAY_OK)
        return status;
    api.DeviceGetName(info->name, (int)sizeof info->name - 1, device);
    api.DeviceTotalMem(&bytes, device);
    info->memory_bytes = bytes;
    return MARGAY_OK;
}

/* --------------------------------------------------- opening, closing -- */

/* The driver has a current context for each thread. */
static void enter(const struct cuda *cuda)
{
    cuda->api.CtxSetCurrent(cuda->context);
}

static void close_device(void *device)
{
    struct cuda *cuda = device;
    if (cuda->context != NULL) {
        enter(cuda);
        if (cuda->computing != NULL) {
            cuda->api.StreamSynchronize(cuda->computing);
            cuda->api.StreamDestroy(cuda->computing);
        }
        if (cuda->uploading != NULL)
            cuda->api.StreamDestroy(cuda->uploading);
        if (cuda->uploaded != NULL)
            cuda->api.EventDestroy(cuda->uploaded);
        if (cuda->module != NULL)
            cuda->api.ModuleUnload(cuda->module);
        cuda->api.DevicePrimaryCtxRelease(cuda->device);
    }
    free(cuda);
}

/* Load the kernels; an error has the message of the driver's compiler. */
static enum margay_status load_kernels(struct cuda *cuda,
                                       struct margay_error *error)
{
    char log[800] = "";
    int options[] = {CU_JIT_ERROR_LOG_BUFFER,
                     CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    struct margay_error why;
    int code = cuda->api.ModuleLoadDataEx(&cuda->module, margay_gpu_cuda_image,
                                          2, options, values);
    if (check(&cuda->api, code, "ModuleLoadDataEx", &why) != MARGAY_OK)
        return margay_fail(error, MARGAY_IO,
                           "the driver cannot load the kernels: %s: %s",
                           why.message, log);
    enum margay_status status = MARGAY_OK;
    for (unsigned i = 0; i < MARGAY_GPU_KERNELS && status == MARGAY_OK; i++)
        status = CHECK(cuda, ModuleGetFunction, &cuda->kernels[i], cuda->module,
                       margay_gpu_signatures[i].name);
    return status;
}

static enum margay_status prepare(struct cuda *cuda, unsigned number,
                                  struct margay_error *error)
{
    enum margay_status status = load(&cuda->api, error);
    if (status == MARGAY_OK)
        status = CHECK(cuda, DeviceGet, &cuda->device, (int)number);
    if (status == MARGAY_OK)
        status =
            CHECK(cuda, DevicePrimaryCtxRetain, &cuda->context, cuda->device);
    if (status != MARGAY_OK)
        return status;
    status = CHECK(cuda, CtxSetCurrent, cuda->context);
    if (status == MARGAY_OK)
        status =
            CHECK(cuda, StreamCreate, &cuda->computing, CU_STREAM_NON_BLOCKING);
    if (status == MARGAY_OK)
        status =
            CHECK(cuda, StreamCreate, &cuda->uploading, CU_STREAM_NON_BLOCKING);
    if (status == MARGAY_OK)
        status =
            CHECK(cuda, EventCreate, &cuda->uploaded, CU_EVENT_DISABLE_TIMING);
    if (status == MARGAY_OK)
        status = load_kernels(cuda, error);
    return status;
}

static enum margay_status open_device(unsigned number, void **device,
                                      struct margay_error *error)
{
    struct cuda *cuda = calloc(1, sizeof *cuda);
    if (cuda == NULL)
        return margay_fail_memory(error, "a CUDA device");
    enum margay_status status = prepare(cuda, number, error);
    if (status == MARGAY_OK)
        *device = cuda;
    else
        close_device(cuda);
    return status;
}

/* --------------------------------------------------------------- memory -- */

static enum margay_status allocate(void *device,
                                   struct margay_gpu_buffer *buffer,
                                   struct margay_error *error)
{
    struct cuda *cuda = device;
    cuda_memory memory;
    enter(cuda);
    enum margay_status status = CHECK(cuda, MemAlloc, &memory, buffer->bytes);
    if (status == MARGAY_OK)
        buffer->handle = (uintptr_t)memory;
    return status;
}

static void release(void *device, struct margay_gpu_buffer *buffer)
{
    struct cuda *cuda = device;
    enter(cuda);
    /* It may still be in use by what is queued. */
    cuda->api.StreamSynchronize(cuda->computing);
    cuda->api.MemFree(buffer->handle);
}

static enum margay_status allocate_pinned(void *device,
                                          struct margay_gpu_pinned *pinned,
                                          struct margay_error *error)
{
    struct cuda *cuda = device;
    enter(cuda);
    return CHECK(cuda, MemAllocHost, &pinned->memory, pinned->buffer.bytes);
}

static void release_pinned(void *device, struct margay_gpu_pinned *pinned)
{
    struct cuda *cuda = device;
    enter(cuda);
    cuda->api.StreamSynchronize(cuda->uploading);
    cuda->api.MemFreeHost(pinned->memory);
}

/* ----------------------------------------------------------------- work -- */

static enum margay_status upload(void *device,
                                 const struct margay_gpu_buffer *buffer,
                                 const struct margay_gpu_pinned *pinned,
                                 size_t bytes, struct margay_error *error)
{
    struct cuda *cuda = device;
    enter(cuda);
    enum margay_status status = CHECK(cuda, MemcpyHtoDAsync, buffer->handle,
                                      pinned->memory, bytes, cuda->uploading);
    if (status == MARGAY_OK)
        status = CHECK(cuda, EventRecord, cuda->uploaded, cuda->uploading);
    return status;
}

static enum margay_status await_uploads(void *device,
                                        struct margay_error *error)
{
    struct cuda *cuda = device;
    enter(cuda);
    return CHECK(cuda, StreamWaitEvent, cuda->computing, cuda->uploaded, 0);
}

static enum margay_status launch(void *device, enum margay_gpu_kernel kernel,
                                 uint32_t groups,
                                 const struct margay_gpu_argument *arguments,
                                 struct margay_error *error)
{
    struct cuda *cuda = device;
    const char *kinds = margay_gpu_signatures[kernel].arguments;
    cuda_memory buffers[MARGAY_GPU_MOST_ARGUMENTS];
    uint32_t numbers[MARGAY_GPU_MOST_ARGUMENTS];
    void *values[MARGAY_GPU_MOST_ARGUMENTS];
    enter(cuda);
    for (unsigned i = 0; kinds[i] != '\0'; i++) {
        numbers[i] = arguments[i].number;
        if (kinds[i] != 'n')
            buffers[i] = arguments[i].buffer->handle;
        values[i] = kinds[i] == 'n' ? (void *)&numbers[i] : &buffers[i];
    }
    return CHECK(cuda, LaunchKernel, cuda->kernels[kernel], groups, 1, 1,
                 GROUP_ITEMS, 1, 1, 0, cuda->computing, values, NULL);
}

static enum margay_status download(void *device,
                                   const struct margay_gpu_buffer *buffer,
                                   size_t offset_bytes, void *memory,
                                   size_t bytes, struct margay_error *error)
{
    struct cuda *cuda = device;
    enter(cuda);
    enum margay_status status =
        CHECK(cuda, MemcpyDtoHAsync, memory, buffer->handle + offset_bytes,
              bytes, cuda->computing);
    if (status == MARGAY_OK)
        status = CHECK(cuda, StreamSynchronize, cuda->computing);
    return status;
}

const struct margay_gpu_backend margay_gpu_cuda = {
    .name = "cuda",
    .is_real = true,
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
