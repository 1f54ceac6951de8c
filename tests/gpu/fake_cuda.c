/* fake_cuda.c - a CUDA driver that emulates: see fake.h */
#include "stackdist/gpu/cuda_api.h"
#include "tests/gpu/fake.h"

#define FAIL_IF_TOLD(name, usual_code)             \
    do {                                           \
        int code = fake_failure(name, usual_code); \
        if (code != 0)                             \
            return code;                           \
    } while (0)

#define LAUNCH_FAILED 719

struct cuda_context {
    int unused;
};
struct cuda_module {
    int unused;
};
struct cuda_stream {
    struct fake_upload upload;
};
struct cuda_event {
    struct cuda_stream *stream; /* on which it was recorded */
};

static struct cuda_context the_context;

/* What memory of the device is, for all that is here. */
static void *memory_at(cuda_memory memory)
{
    return (void *)(uintptr_t)memory;
}

FAKE_API int cuInit(unsigned flags);
int cuInit(unsigned flags)
{
    (void)flags;
    FAIL_IF_TOLD("cuInit", 100);
    return CUDA_SUCCESS;
}

FAKE_API int cuGetErrorName(int code, const char **name);
int cuGetErrorName(int code, const char **name)
{
    *name = code == LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED" : "FAKE_ERROR";
    return CUDA_SUCCESS;
}

FAKE_API int cuDeviceGetCount(int *count);
int cuDeviceGetCount(int *count)
{
    *count = 1;
    return CUDA_SUCCESS;
}

FAKE_API int cuDeviceGet(int *device, int number);
int cuDeviceGet(int *device, int number)
{
    *device = number;
    return number == 0 ? CUDA_SUCCESS : 101;
}

FAKE_API int cuDeviceGetName(char *name, int room, int device);
int cuDeviceGetName(char *name, int room, int device)
{
    (void)device;
    snprintf(name, (size_t)room, "fake CUDA device");
    return CUDA_SUCCESS;
}

FAKE_API int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    *bytes = (size_t)fake_memory_bytes();
    return CUDA_SUCCESS;
}

FAKE_API int cuDevicePrimaryCtxRetain(cuda_context *context, int device);
int cuDevicePrimaryCtxRetain(cuda_context *context, int device)
{
    (void)device;
    FAIL_IF_TOLD("cuDevicePrimaryCtxRetain", 46);
    *context = &the_context;
    return CUDA_SUCCESS;
}

FAKE_API int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    return CUDA_SUCCESS;
}

FAKE_API int cuCtxSetCurrent(cuda_context context);
int cuCtxSetCurrent(cuda_context context)
{
    return context == &the_context ? CUDA_SUCCESS : 201;
}

FAKE_API int cuModuleLoadDataEx(cuda_module *module, const void *image,
                                unsigned count, int *options, void **values);
int cuModuleLoadDataEx(cuda_module *module, const void *image, unsigned count,
                       int *options, void **values)
{
    (void)image;
    int code = fake_failure("cuModuleLoadDataEx", 218);
    if (code != 0 && count == 2 && options[0] == CU_JIT_ERROR_LOG_BUFFER)
        snprintf(values[0], (size_t)(uintptr_t)values[1], "no such thing");
    if (code == 0)
        *module = calloc(1, sizeof **module);
    return code;
}

FAKE_API int cuModuleUnload(cuda_module module);
int cuModuleUnload(cuda_module module)
{
    free(module);
    return CUDA_SUCCESS;
}

FAKE_API int cuModuleGetFunction(cuda_function *function, cuda_module module,
                                 const char *name);
int cuModuleGetFunction(cuda_function *function, cuda_module module,
                        const char *name)
{
    (void)module;
    unsigned number = fake_find_kernel(name);
    *function = (cuda_function)(uintptr_t)(number + 1);
    return number < MARGAY_GPU_KERNELS ? CUDA_SUCCESS : 500;
}

FAKE_API int cuMemAlloc_v2(cuda_memory *memory, size_t bytes);
int cuMemAlloc_v2(cuda_memory *memory, size_t bytes)
{
    FAIL_IF_TOLD("cuMemAlloc", CUDA_ERROR_OUT_OF_MEMORY);
    *memory = (uintptr_t)malloc(bytes);
    return CUDA_SUCCESS;
}

FAKE_API int cuMemFree_v2(cuda_memory memory);
int cuMemFree_v2(cuda_memory memory)
{
    free(memory_at(memory));
    return CUDA_SUCCESS;
}

FAKE_API int cuMemAllocHost_v2(void **memory, size_t bytes);
int cuMemAllocHost_v2(void **memory, size_t bytes)
{
    FAIL_IF_TOLD("cuMemAllocHost", CUDA_ERROR_OUT_OF_MEMORY);
    *memory = malloc(bytes);
    return CUDA_SUCCESS;
}

FAKE_API int cuMemFreeHost(void *memory);
int cuMemFreeHost(void *memory)
{
    free(memory);
    return CUDA_SUCCESS;
}

FAKE_API int cuStreamCreate(cuda_stream *stream, unsigned flags);
int cuStreamCreate(cuda_stream *stream, unsigned flags)
{
    (void)flags;
    FAIL_IF_TOLD("cuStreamCreate", CUDA_ERROR_OUT_OF_MEMORY);
    *stream = calloc(1, sizeof **stream);
    return CUDA_SUCCESS;
}

FAKE_API int cuStreamDestroy_v2(cuda_stream stream);
int cuStreamDestroy_v2(cuda_stream stream)
{
    free(stream);
    return CUDA_SUCCESS;
}

FAKE_API int cuStreamSynchronize(cuda_stream stream);
int cuStreamSynchronize(cuda_stream stream)
{
    FAIL_IF_TOLD("cuStreamSynchronize", LAUNCH_FAILED);
    fake_do_upload(&stream->upload);
    return CUDA_SUCCESS;
}

FAKE_API int cuStreamWaitEvent(cuda_stream stream, cuda_event event,
                               unsigned flags);
int cuStreamWaitEvent(cuda_stream stream, cuda_event event, unsigned flags)
{
    (void)stream;
    (void)flags;
    if (event->stream != NULL)
        fake_do_upload(&event->stream->upload);
    return CUDA_SUCCESS;
}

FAKE_API int cuEventCreate(cuda_event *event, unsigned flags);
int cuEventCreate(cuda_event *event, unsigned flags)
{
    (void)flags;
    *event = calloc(1, sizeof **event);
    return CUDA_SUCCESS;
}

FAKE_API int cuEventDestroy_v2(cuda_event event);
int cuEventDestroy_v2(cuda_event event)
{
    free(event);
    return CUDA_SUCCESS;
}

FAKE_API int cuEventRecord(cuda_event event, cuda_stream stream);
int cuEventRecord(cuda_event event, cuda_stream stream)
{
    event->stream = stream;
    return CUDA_SUCCESS;
}

FAKE_API int cuMemcpyHtoDAsync_v2(cuda_memory to, const void *from,
                                  size_t bytes, cuda_stream stream);
int cuMemcpyHtoDAsync_v2(cuda_memory to, const void *from, size_t bytes,
                         cuda_stream stream)
{
    FAIL_IF_TOLD("cuMemcpyHtoDAsync", LAUNCH_FAILED);
    fake_defer_upload(&stream->upload, memory_at(to), from, bytes);
    return CUDA_SUCCESS;
}

FAKE_API int cuMemcpyDtoHAsync_v2(void *to, cuda_memory from, size_t bytes,
                                  cuda_stream stream);
int cuMemcpyDtoHAsync_v2(void *to, cuda_memory from, size_t bytes,
                         cuda_stream stream)
{
    (void)stream;
    FAIL_IF_TOLD("cuMemcpyDtoHAsync", LAUNCH_FAILED);
    memcpy(to, memory_at(from), bytes);
    return CUDA_SUCCESS;
}

FAKE_API int cuLaunchKernel(cuda_function function, unsigned groups,
                            unsigned groups_y, unsigned groups_z,
                            unsigned items, unsigned items_y, unsigned items_z,
                            unsigned shared_bytes, cuda_stream stream,
                            void **values, void **extra);
int cuLaunchKernel(cuda_function function, unsigned groups, unsigned groups_y,
                   unsigned groups_z, unsigned items, unsigned items_y,
                   unsigned items_z, unsigned shared_bytes, cuda_stream stream,
                   void **values, void **extra)
{
    unsigned number = (unsigned)(uintptr_t)function - 1;
    const char *kinds = margay_gpu_signatures[number].arguments;
    struct margay_gpu_argument arguments[MARGAY_GPU_MOST_ARGUMENTS] = {0};
    struct margay_gpu_buffer buffers[MARGAY_GPU_MOST_ARGUMENTS] = {0};
    (void)stream;
    FAIL_IF_TOLD("cuLaunchKernel", LAUNCH_FAILED);
    if (groups == 0 || items != 128 || shared_bytes != 0 || extra != NULL ||
        groups_y * groups_z * items_y * items_z != 1)
        return 1;
    for (unsigned i = 0; kinds[i] != '\0'; i++) {
        if (kinds[i] == 'n') {
            memcpy(&arguments[i].number, values[i], sizeof(uint32_t));
        } else {
            cuda_memory memory;
            memcpy(&memory, values[i], sizeof memory);
            buffers[i].handle = (uintptr_t)memory;
            arguments[i].buffer = &buffers[i];
        }
    }
    fake_launch(number, groups, arguments);
    return CUDA_SUCCESS;
}
