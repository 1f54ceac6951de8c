/* opencl.c - devices by way of OpenCL 1.2, through its ICD loader */
#include "stackdist/gpu/opencl_api.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "stackdist/gpu/device.h"
#include "stackdist/gpu/sizes.h"
#include "traces/traces_internal.h"

#define MOST_PLATFORMS 16
#define MOST_DEVICES   64

/* The kernels' source, line by line; made from the headers by make. */
extern const char *const margay_gpu_opencl_source[];
extern const uint32_t margay_gpu_opencl_source_lines;

/* Held while a driver starts or compiles: some drivers find no device, or
   crash, if two threads do so at the same time. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* It stays open, as drivers fail after they are unloaded. */
static struct margay_late loader = {
    .file = "libOpenCL.so.1",
    .newest = "clEnqueueBarrierWithWaitList",
    .package = "ocl-icd-libopencl1, and the driver of a device, or "
               "pocl-opencl-icd",
};

#define CL(name, ...) MARGAY_LATE(&loader, cl##name)(__VA_ARGS__)

struct opencl {
    cl_device device;
    cl_context context;
    cl_queue computing, uploading;
    cl_program program;
    cl_kernel kernels[MARGAY_GPU_KERNELS];
};

/* --------------------------------------------------------------- errors -- */

static const char *error_name(int32_t code)
{
    static const struct {
        int32_t code;
        const char *name;
    } names[] = {
        {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
        {-2, "CL_DEVICE_NOT_AVAILABLE"},
        {-3, "CL_COMPILER_NOT_AVAILABLE"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
        {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
        {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
        {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
        {-36, "CL_INVALID_COMMAND_QUEUE"},
        {-54, "CL_INVALID_WORK_GROUP_SIZE"},
        {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].code == code)
            return names[i].name;
    }
    return "OpenCL error";
}

/* MARGAY_OK, or the failure of function `name`. */
static enum margay_status check(int32_t code, const char *name,
                                struct margay_error *error)
{
    if (code == CL_SUCCESS)
        return MARGAY_OK;
    return margay_fail(error, MARGAY_IO, "cl%s: %s (%d)", name,
                       error_name(code), (int)code);
}

/* The same where there may be too little memory. */
static enum margay_status check_memory(int32_t code, const char *name,
                                       struct margay_error *error)
{
    enum margay_status status = check(code, name, error);
    bool is_memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                     code == CL_OUT_OF_RESOURCES ||
                     code == CL_OUT_OF_HOST_MEMORY ||
                     code == CL_INVALID_BUFFER_SIZE;
    return is_memory ? MARGAY_NO_MEMORY : status;
}

/* -------------------------------------------------- loader and devices -- */

static bool is_processor(cl_device device)
{
    uint64_t type = 0;
    CL(GetDeviceInfo, device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    return (type & CL_DEVICE_TYPE_CPU) != 0;
}

/* All devices, those that are processors last. */
static enum margay_status list_devices(cl_device devices[MOST_DEVICES],
                                       unsigned *count,
                                       struct margay_error *error)
{
    cl_platform platforms[MOST_PLATFORMS];
    cl_device found[MOST_DEVICES];
    uint32_t platform_count = 0, all = 0;
    *count = 0;
    if (!margay_late_open(&loader))
        return margay_late_fail(&loader, NULL, "reaches", "devices", error);
    int32_t code =
        CL(GetPlatformIDs, MOST_PLATFORMS, platforms, &platform_count);
    if (code != CL_SUCCESS || platform_count == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s finds no driver (Debian: that of the device, "
                           "or pocl-opencl-icd)",
                           loader.file);
    platform_count = (uint32_t)margay_minimum(platform_count, MOST_PLATFORMS);
    for (uint32_t i = 0; i < platform_count && all < MOST_DEVICES; i++) {
        uint32_t more = 0, room = MOST_DEVICES - all;
        code = CL(GetDeviceIDs, platforms[i], CL_DEVICE_TYPE_ALL, room,
                  found + all, &more);
        if (code == CL_SUCCESS)
            all += more < room ? more : room;
    }
    for (unsigned last = 0; last < 2; last++) {
        for (uint32_t i = 0; i < all; i++) {
            if (is_processor(found[i]) == (last != 0))
                devices[(*count)++] = found[i];
        }
    }
    return MARGAY_OK;
}

static enum margay_status describe(unsigned number,
                                   struct margay_gpu_info *info,
                                   struct margay_error *error)
{
    cl_device devices[MOST_DEVICES];
    unsigned count = 0;
    *info = (struct margay_gpu_info){.name = ""};
    pthread_mutex_lock(&one_at_a_time);
    enum margay_status status = list_devices(devices, &count, error);
    if (status == MARGAY_OK && number >= count)
        status = MARGAY_END;
    if (status == MARGAY_OK) {
        CL(GetDeviceInfo, devices[number], CL_DEVICE_NAME,
           sizeof info->name - 1, info->name, NULL);
        CL(GetDeviceInfo, devices[number], CL_DEVICE_GLOBAL_MEM_SIZE,
           sizeof info->memory_bytes, &info->memory_bytes, NULL);
        info->is_processor = is_processor(devices[number]);
    }
    pthread_mutex_unlock(&one_at_a_time);
    return status;
}

/* --------------------------------------------------- opening, closing -- */

static void close_device(void *device)
{
    struct opencl *cl = device;
    if (cl->computing != NULL)
        CL(Finish, cl->computing);
    for (unsigned i = 0; i < MARGAY_GPU_KERNELS; i++) {
        if (cl->kernels[i] != NULL)
            CL(ReleaseKernel, cl->kernels[i]);
    }
    if (cl->program != NULL)
        CL(ReleaseProgram, cl->program);
    if (cl->uploading != NULL)
        CL(ReleaseCommandQueue, cl->uploading);
    if (cl->computing != NULL)
        CL(ReleaseCommandQueue, cl->computing);
    if (cl->context != NULL)
        CL(ReleaseContext, cl->context);
    free(cl);
}

static enum margay_status build(struct opencl *cl, struct margay_error *error)
{
    int32_t code;
    cl->program =
        CL(CreateProgramWithSource, cl->context, margay_gpu_opencl_source_lines,
           margay_gpu_opencl_source, NULL, &code);
    if (cl->program == NULL)
        return check(code, "CreateProgramWithSource", error);
    code = CL(BuildProgram, cl->program, 1, &cl->device, "-cl-std=CL1.2", NULL,
              NULL);
    if (code != CL_SUCCESS) {
        /* The messages of the driver's compiler, in one line. */
        char *log = calloc(1, 65536);
        if (log == NULL)
            return margay_fail_memory(error, "a compiler's messages");
        CL(GetProgramBuildInfo, cl->program, cl->device, CL_PROGRAM_BUILD_LOG,
           65535, log, NULL);
        for (char *c = log; *c != '\0'; c++) {
            if (*c == '\n' || *c == '\t' || *c == '\r')
                *c = ' ';
        }
        margay_fail(error, MARGAY_IO,
                    "the driver cannot compile the kernels: %s (%d): %.800s",
                    error_name(code), (int)code, log);
        free(log);
        return MARGAY_IO;
    }
    for (unsigned i = 0; i < MARGAY_GPU_KERNELS; i++) {
        cl->kernels[i] =
            CL(CreateKernel, cl->program, margay_gpu_kernel_names[i], &code);
        if (cl->kernels[i] == NULL)
            return check(code, "CreateKernel", error);
    }
    return MARGAY_OK;
}

static enum margay_status make_queues(struct opencl *cl,
                                      struct margay_error *error)
{
    int32_t code = CL_SUCCESS;
    cl->context = CL(CreateContext, NULL, 1, &cl->device, NULL, NULL, &code);
    if (cl->context == NULL)
        return check(code, "CreateContext", error);
    cl->computing = CL(CreateCommandQueue, cl->context, cl->device, 0, &code);
    if (cl->computing != NULL)
        cl->uploading =
            CL(CreateCommandQueue, cl->context, cl->device, 0, &code);
    return check(code, "CreateCommandQueue", error);
}

static enum margay_status open_device(unsigned number, void **device,
                                      struct margay_error *error)
{
    cl_device devices[MOST_DEVICES];
    unsigned count = 0;
    struct opencl *cl = calloc(1, sizeof *cl);
    if (cl == NULL)
        return margay_fail_memory(error, "an OpenCL device");
    pthread_mutex_lock(&one_at_a_time);
    enum margay_status status = list_devices(devices, &count, error);
    if (status == MARGAY_OK && number >= count)
        status = margay_fail(error, MARGAY_IO, "the device has disappeared");
    if (status == MARGAY_OK) {
        cl->device = devices[number];
        status = make_queues(cl, error);
    }
    if (status == MARGAY_OK)
        status = build(cl, error);
    pthread_mutex_unlock(&one_at_a_time);
    if (status == MARGAY_OK)
        *device = cl;
    else
        close_device(cl);
    return status;
}

/* --------------------------------------------------------------- memory -- */

static enum margay_status allocate(void *device, bool pinned,
                                   struct margay_gpu_buffer *buffer,
                                   struct margay_error *error)
{
    struct opencl *cl = device;
    static const char nothing[4];
    int32_t code = CL_SUCCESS;
    cl_memory memory =
        CL(CreateBuffer, cl->context,
           CL_MEM_READ_WRITE | (pinned ? CL_MEM_ALLOC_HOST_PTR : 0),
           buffer->bytes, NULL, &code);
    if (memory == NULL)
        return check_memory(code, "CreateBuffer", error);
    /* A driver allocates memory at its first use only. */
    if (pinned)
        buffer->memory = CL(EnqueueMapBuffer, cl->uploading, memory, CL_TRUE,
                            CL_MAP_READ | CL_MAP_WRITE, 0, buffer->bytes, 0,
                            NULL, NULL, &code);
    else
        code = CL(EnqueueWriteBuffer, cl->computing, memory, CL_TRUE, 0,
                  sizeof nothing, nothing, 0, NULL, NULL);
    if (code != CL_SUCCESS) {
        CL(ReleaseMemObject, memory);
        return check_memory(
            code, pinned ? "EnqueueMapBuffer" : "EnqueueWriteBuffer", error);
    }
    buffer->handle = (uintptr_t)memory;
    return MARGAY_OK;
}

static void release(void *device, struct margay_gpu_buffer *buffer)
{
    struct opencl *cl = device;
    cl_memory memory = (cl_memory)buffer->handle;
    if (buffer->memory != NULL) {
        CL(EnqueueUnmapMemObject, cl->uploading, memory, buffer->memory, 0,
           NULL, NULL);
        CL(Finish, cl->uploading);
    }
    CL(ReleaseMemObject, memory);
}

/* ----------------------------------------------------------------- work -- */

static enum margay_status upload(void *device,
                                 const struct margay_gpu_buffer *buffer,
                                 const struct margay_gpu_buffer *pinned,
                                 size_t bytes, struct margay_error *error)
{
    struct opencl *cl = device;
    cl_event event;
    int32_t code =
        CL(EnqueueWriteBuffer, cl->uploading, (cl_memory)buffer->handle,
           CL_FALSE, 0, bytes, pinned->memory, 0, NULL, &event);
    if (code != CL_SUCCESS)
        return check(code, "EnqueueWriteBuffer", error);
    enum margay_status status = check(CL(Flush, cl->uploading), "Flush", error);
    if (status == MARGAY_OK)
        status = check(
            CL(EnqueueBarrierWithWaitList, cl->computing, 1, &event, NULL),
            "EnqueueBarrierWithWaitList", error);
    CL(ReleaseEvent, event);
    return status;
}

static enum margay_status launch(void *device, enum margay_gpu_kernel kernel,
                                 uint32_t groups,
                                 const struct margay_gpu_argument *arguments,
                                 uint32_t argument_count,
                                 struct margay_error *error)
{
    struct opencl *cl = device;
    const size_t items = (size_t)groups * GROUP_ITEMS, local = GROUP_ITEMS;
    int32_t code = CL_SUCCESS;
    for (uint32_t i = 0; i < argument_count && code == CL_SUCCESS; i++) {
        const struct margay_gpu_argument *given = &arguments[i];
        bool is_number = given->buffer == NULL;
        code = CL(SetKernelArg, cl->kernels[kernel], i,
                  is_number ? sizeof given->number : sizeof(cl_memory),
                  is_number ? (const void *)&given->number
                            : &given->buffer->handle);
    }
    if (code != CL_SUCCESS)
        return check(code, "SetKernelArg", error);
    code = CL(EnqueueNDRangeKernel, cl->computing, cl->kernels[kernel], 1, NULL,
              &items, &local, 0, NULL, NULL);
    return check(code, "EnqueueNDRangeKernel", error);
}

static enum margay_status download(void *device,
                                   const struct margay_gpu_buffer *buffer,
                                   size_t offset_bytes, void *memory,
                                   size_t bytes, struct margay_error *error)
{
    struct opencl *cl = device;
    int32_t code =
        CL(EnqueueReadBuffer, cl->computing, (cl_memory)buffer->handle, CL_TRUE,
           offset_bytes, bytes, memory, 0, NULL, NULL);
    return check(code, "EnqueueReadBuffer", error);
}

const struct margay_gpu_backend margay_gpu_opencl = {
    .name = "opencl",
    .is_real = true,
    .describe = describe,
    .open = open_device,
    .close = close_device,
    .allocate = allocate,
    .release = release,
    .upload = upload,
    .launch = launch,
    .download = download,
};
