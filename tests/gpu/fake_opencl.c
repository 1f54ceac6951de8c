/*
 * fake_opencl.c - an OpenCL that emulates
 *
 * Its library takes the place of the real one, in which kernels cannot be run
 * by sanitizers, nor made to fail.  Uploads are done late, when they are waited
 * for and not before, so that a caller that touches memory too early sees wrong
 * results.
 *
 *     FAKE_FAIL=NAME:N[:CODE]   the Nth call of NAME fails
 *     FAKE_MEMORY=BYTES         of the device
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stackdist/gpu/device.h"
#pragma GCC visibility push(default)
#include "stackdist/gpu/opencl_api.h"
#pragma GCC visibility pop

/* 0, or the code with which this call of `name` is to fail. */
static int fake_failure(const char *name, int usual_code)
{
    static _Thread_local unsigned calls;
    static _Thread_local char told[80];
    char wanted[64];
    unsigned number = 0;
    int code = usual_code;
    const char *fail = getenv("FAKE_FAIL");
    if (fail == NULL)
        return 0;
    if (strcmp(fail, told) != 0)
        calls = 0;
    snprintf(told, sizeof told, "%s", fail);
    if (sscanf(fail, "%63[^:]:%u:%d", wanted, &number, &code) < 2 ||
        strcmp(name, wanted) != 0 || ++calls != number)
        return 0;
    return code;
}

static uint64_t fake_memory_bytes(void)
{
    const char *bytes = getenv("FAKE_MEMORY");
    return bytes == NULL ? UINT64_C(1) << 30 : strtoull(bytes, NULL, 10);
}

/* An upload that is queued and not yet done. */
struct fake_upload {
    void *to;
    const void *from;
    size_t bytes;
};

static void fake_do_upload(struct fake_upload *upload)
{
    if (upload->bytes != 0)
        memcpy(upload->to, upload->from, upload->bytes);
    upload->bytes = 0;
}

static void fake_defer_upload(struct fake_upload *upload, void *to,
                              const void *from, size_t bytes)
{
    fake_do_upload(upload);
    *upload = (struct fake_upload){to, from, bytes};
}

/* The kernel's number, or MARGAY_GPU_KERNELS. */
static unsigned fake_find_kernel(const char *name)
{
    unsigned i = 0;
    while (i < MARGAY_GPU_KERNELS &&
           strcmp(margay_gpu_kernel_names[i], name) != 0)
        i++;
    return i;
}

static void fake_launch(unsigned kernel, size_t groups,
                        const struct margay_gpu_argument *arguments)
{
    margay_gpu_emulate.launch(NULL, (enum margay_gpu_kernel)kernel,
                              (uint32_t)groups, arguments, 0, NULL);
}

/* Anything that is made and released, and knows something. */
struct cl_queue {
    struct fake_upload upload;
};
struct cl_event {
    struct cl_queue *queue;
};
struct cl_memory {
    struct margay_gpu_buffer buffer;
};
struct cl_kernel {
    unsigned number;
    struct margay_gpu_argument arguments[16];
};

#define FAIL_IF_TOLD(name, usual_code)             \
    do {                                           \
        int code = fake_failure(name, usual_code); \
        if (code != 0)                             \
            return code;                           \
    } while (0)

#define FAIL_WITH_NULL_IF_TOLD(name, usual_code, at) \
    do {                                             \
        *(at) = fake_failure(name, usual_code);      \
        if (*(at) != 0)                              \
            return NULL;                             \
    } while (0)

#define RELEASE(name, type)     \
    int32_t name(type released) \
    {                           \
        free(released);         \
        return CL_SUCCESS;      \
    }
RELEASE(clReleaseContext, cl_context)
RELEASE(clReleaseCommandQueue, cl_queue)
RELEASE(clReleaseProgram, cl_program)
RELEASE(clReleaseKernel, cl_kernel)
RELEASE(clReleaseEvent, cl_event)

/* ------------------------------------------------------------- devices -- */

int32_t clGetPlatformIDs(uint32_t room, cl_platform *platforms, uint32_t *count)
{
    FAIL_IF_TOLD("clGetPlatformIDs", -1001);
    if (room > 0)
        platforms[0] = NULL;
    *count = 1;
    return CL_SUCCESS;
}

/* Two: a processor, and something else that has to be listed before it. */
int32_t clGetDeviceIDs(cl_platform platform, uint64_t type, uint32_t room,
                       cl_device *devices, uint32_t *count)
{
    (void)platform, (void)type;
    FAIL_IF_TOLD("clGetDeviceIDs", CL_DEVICE_NOT_FOUND);
    for (uint32_t i = 0; i < 2 && i < room; i++)
        devices[i] = (cl_device)(uintptr_t)(i + 1);
    *count = 2;
    return CL_SUCCESS;
}

int32_t clGetDeviceInfo(cl_device device, uint32_t what, size_t room,
                        void *value, size_t *bytes)
{
    bool is_processor = (uintptr_t)device == 1;
    uint64_t number = 0;
    (void)bytes;
    if (what == CL_DEVICE_NAME)
        return snprintf(value, room, "fake %s",
                        is_processor ? "processor" : "device") < 0;
    if (what == CL_DEVICE_TYPE)
        number = is_processor ? CL_DEVICE_TYPE_CPU : UINT64_C(1) << 2;
    if (what == CL_DEVICE_GLOBAL_MEM_SIZE)
        number = fake_memory_bytes();
    memcpy(value, &number, room < sizeof number ? room : sizeof number);
    return CL_SUCCESS;
}

cl_context clCreateContext(const intptr_t *properties, uint32_t count,
                           const cl_device *devices,
                           void (*notify)(const char *, const void *, size_t,
                                          void *),
                           void *context, int32_t *code)
{
    (void)properties, (void)count, (void)devices, (void)notify, (void)context;
    FAIL_WITH_NULL_IF_TOLD("clCreateContext", -2, code);
    return calloc(1, 1);
}

cl_queue clCreateCommandQueue(cl_context context, cl_device device,
                              uint64_t properties, int32_t *code)
{
    (void)context, (void)device, (void)properties;
    FAIL_WITH_NULL_IF_TOLD("clCreateCommandQueue", -6, code);
    return calloc(1, sizeof(struct cl_queue));
}

/* ------------------------------------------------------------- programs -- */

cl_program clCreateProgramWithSource(cl_context context, uint32_t lines,
                                     const char *const *source,
                                     const size_t *bytes, int32_t *code)
{
    (void)context, (void)bytes;
    FAIL_WITH_NULL_IF_TOLD("clCreateProgramWithSource", -6, code);
    unsigned kernels = 0;
    for (uint32_t i = 0; i < lines; i++) {
        if (strstr(source[i], "#include") != NULL)
            return NULL;
        kernels += strncmp(source[i], "KERNEL ", 7) == 0;
    }
    return kernels == MARGAY_GPU_KERNELS ? calloc(1, 1) : NULL;
}

int32_t clBuildProgram(cl_program program, uint32_t count,
                       const cl_device *devices, const char *options,
                       void (*notify)(cl_program, void *), void *context)
{
    (void)program, (void)count, (void)devices, (void)options, (void)notify,
        (void)context;
    FAIL_IF_TOLD("clBuildProgram", CL_BUILD_PROGRAM_FAILURE);
    return CL_SUCCESS;
}

int32_t clGetProgramBuildInfo(cl_program program, cl_device device,
                              uint32_t what, size_t room, void *value,
                              size_t *bytes)
{
    (void)program, (void)device, (void)what, (void)bytes;
    snprintf(value, room, "line 7: error:\n\tno such thing\n");
    return CL_SUCCESS;
}

cl_kernel clCreateKernel(cl_program program, const char *name, int32_t *code)
{
    (void)program;
    FAIL_WITH_NULL_IF_TOLD("clCreateKernel", -46, code);
    struct cl_kernel *kernel = calloc(1, sizeof *kernel);
    kernel->number = fake_find_kernel(name);
    return kernel;
}

int32_t clSetKernelArg(cl_kernel kernel, uint32_t index, size_t bytes,
                       const void *value)
{
    FAIL_IF_TOLD("clSetKernelArg", -49);
    struct margay_gpu_argument *argument = &kernel->arguments[index];
    if (bytes != sizeof argument->number && bytes != sizeof(cl_memory))
        return -51;
    if (bytes == sizeof argument->number) {
        memcpy(&argument->number, value, bytes);
    } else {
        cl_memory memory;
        memcpy(&memory, value, sizeof memory);
        static const struct margay_gpu_buffer none;
        argument->buffer = memory == NULL ? &none : &memory->buffer;
    }
    return CL_SUCCESS;
}

/* --------------------------------------------------------------- memory -- */

cl_memory clCreateBuffer(cl_context context, uint64_t flags, size_t bytes,
                         void *host, int32_t *code)
{
    (void)context, (void)flags, (void)host;
    FAIL_WITH_NULL_IF_TOLD("clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE,
                           code);
    struct cl_memory *memory = calloc(1, sizeof *memory);
    memory->buffer.handle = (uintptr_t)malloc(bytes);
    memory->buffer.bytes = bytes;
    return memory;
}

int32_t clReleaseMemObject(cl_memory memory)
{
    free((void *)memory->buffer.handle);
    free(memory);
    return CL_SUCCESS;
}

void *clEnqueueMapBuffer(cl_queue queue, cl_memory memory, uint32_t blocking,
                         uint64_t flags, size_t offset, size_t bytes,
                         uint32_t wait_count, const cl_event *wait,
                         cl_event *event, int32_t *code)
{
    (void)queue, (void)blocking, (void)flags, (void)offset, (void)bytes,
        (void)wait_count, (void)wait, (void)event;
    FAIL_WITH_NULL_IF_TOLD("clEnqueueMapBuffer", -12, code);
    return (void *)memory->buffer.handle;
}

int32_t clEnqueueUnmapMemObject(cl_queue queue, cl_memory memory, void *mapped,
                                uint32_t wait_count, const cl_event *wait,
                                cl_event *event)
{
    (void)queue, (void)memory, (void)mapped, (void)wait_count, (void)wait,
        (void)event;
    return CL_SUCCESS;
}

/* ----------------------------------------------------------------- work -- */

int32_t clEnqueueWriteBuffer(cl_queue queue, cl_memory memory,
                             uint32_t blocking, size_t offset, size_t bytes,
                             const void *from, uint32_t wait_count,
                             const cl_event *wait, cl_event *event)
{
    (void)wait_count, (void)wait;
    FAIL_IF_TOLD("clEnqueueWriteBuffer", CL_OUT_OF_RESOURCES);
    if (offset + bytes > memory->buffer.bytes)
        return -30;
    fake_defer_upload(&queue->upload, (char *)memory->buffer.handle + offset,
                      from, bytes);
    if (blocking)
        fake_do_upload(&queue->upload);
    if (event != NULL) {
        *event = calloc(1, sizeof **event);
        (*event)->queue = queue;
    }
    return CL_SUCCESS;
}

int32_t clEnqueueReadBuffer(cl_queue queue, cl_memory memory, uint32_t blocking,
                            size_t offset, size_t bytes, void *to,
                            uint32_t wait_count, const cl_event *wait,
                            cl_event *event)
{
    (void)queue, (void)wait_count, (void)wait, (void)event;
    FAIL_IF_TOLD("clEnqueueReadBuffer", CL_OUT_OF_RESOURCES);
    if (!blocking || offset + bytes > memory->buffer.bytes)
        return -30;
    memcpy(to, (char *)memory->buffer.handle + offset, bytes);
    return CL_SUCCESS;
}

int32_t clEnqueueNDRangeKernel(cl_queue queue, cl_kernel kernel,
                               uint32_t dimensions, const size_t *offset,
                               const size_t *items, const size_t *local,
                               uint32_t wait_count, const cl_event *wait,
                               cl_event *event)
{
    (void)queue, (void)wait_count, (void)wait, (void)event;
    FAIL_IF_TOLD("clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES);
    if (dimensions != 1 || offset != NULL || *items == 0 || *items % *local)
        return -54;
    fake_launch(kernel->number, *items / *local, kernel->arguments);
    return CL_SUCCESS;
}

int32_t clEnqueueBarrierWithWaitList(cl_queue queue, uint32_t wait_count,
                                     const cl_event *wait, cl_event *event)
{
    (void)queue, (void)event;
    FAIL_IF_TOLD("clEnqueueBarrierWithWaitList", -14);
    for (uint32_t i = 0; i < wait_count; i++)
        fake_do_upload(&wait[i]->queue->upload);
    return CL_SUCCESS;
}

int32_t clFlush(cl_queue queue)
{
    (void)queue;
    FAIL_IF_TOLD("clFlush", -36);
    return CL_SUCCESS;
}

int32_t clFinish(cl_queue queue)
{
    fake_do_upload(&queue->upload);
    return CL_SUCCESS;
}
