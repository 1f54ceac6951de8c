/*
 * cuda_api.h - what is used of the CUDA driver API, declared here
 *
 * The driver's library is looked for when the program runs.  Names and numbers
 * are those of NVIDIA's "CUDA Driver API" manual; a suffix of _v2 is part of
 * what cuda.h calls the same without it.
 */
#ifndef MARGAY_STACKDIST_GPU_CUDA_API_H
#define MARGAY_STACKDIST_GPU_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

typedef struct cuda_context *cuda_context;
typedef struct cuda_module *cuda_module;
typedef struct cuda_function *cuda_function;
typedef struct cuda_stream *cuda_stream;
typedef struct cuda_event *cuda_event;
typedef uint64_t cuda_memory;

#define CUDA_SUCCESS             0
#define CUDA_ERROR_OUT_OF_MEMORY 2

#define CU_STREAM_NON_BLOCKING             1u
#define CU_EVENT_DISABLE_TIMING            2u
#define CU_JIT_ERROR_LOG_BUFFER            5
#define CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES 6

/* CUDA_FUNCTION(member, name in the library, arguments); all return a code. */
#define CUDA_FUNCTIONS                                                       \
    CUDA_FUNCTION(Init, "cuInit", (unsigned))                                \
    CUDA_FUNCTION(GetErrorName, "cuGetErrorName", (int, const char **))      \
    CUDA_FUNCTION(DeviceGetCount, "cuDeviceGetCount", (int *))               \
    CUDA_FUNCTION(DeviceGet, "cuDeviceGet", (int *, int))                    \
    CUDA_FUNCTION(DeviceGetName, "cuDeviceGetName", (char *, int, int))      \
    CUDA_FUNCTION(DeviceTotalMem, "cuDeviceTotalMem_v2", (size_t *, int))    \
    CUDA_FUNCTION(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain",        \
                  (cuda_context *, int))                                     \
    CUDA_FUNCTION(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2",   \
                  (int))                                                     \
    CUDA_FUNCTION(CtxSetCurrent, "cuCtxSetCurrent", (cuda_context))          \
    CUDA_FUNCTION(ModuleLoadDataEx, "cuModuleLoadDataEx",                    \
                  (cuda_module *, const void *, unsigned, int *, void **))   \
    CUDA_FUNCTION(ModuleUnload, "cuModuleUnload", (cuda_module))             \
    CUDA_FUNCTION(ModuleGetFunction, "cuModuleGetFunction",                  \
                  (cuda_function *, cuda_module, const char *))              \
    CUDA_FUNCTION(MemAlloc, "cuMemAlloc_v2", (cuda_memory *, size_t))        \
    CUDA_FUNCTION(MemFree, "cuMemFree_v2", (cuda_memory))                    \
    CUDA_FUNCTION(MemAllocHost, "cuMemAllocHost_v2", (void **, size_t))      \
    CUDA_FUNCTION(MemFreeHost, "cuMemFreeHost", (void *))                    \
    CUDA_FUNCTION(StreamCreate, "cuStreamCreate", (cuda_stream *, unsigned)) \
    CUDA_FUNCTION(StreamDestroy, "cuStreamDestroy_v2", (cuda_stream))        \
    CUDA_FUNCTION(StreamSynchronize, "cuStreamSynchronize", (cuda_stream))   \
    CUDA_FUNCTION(StreamWaitEvent, "cuStreamWaitEvent",                      \
                  (cuda_stream, cuda_event, unsigned))                       \
    CUDA_FUNCTION(EventCreate, "cuEventCreate", (cuda_event *, unsigned))    \
    CUDA_FUNCTION(EventDestroy, "cuEventDestroy_v2", (cuda_event))           \
    CUDA_FUNCTION(EventRecord, "cuEventRecord", (cuda_event, cuda_stream))   \
    CUDA_FUNCTION(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                   \
                  (cuda_memory, const void *, size_t, cuda_stream))          \
    CUDA_FUNCTION(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2",                   \
                  (void *, cuda_memory, size_t, cuda_stream))                \
    CUDA_FUNCTION(LaunchKernel, "cuLaunchKernel",                            \
                  (cuda_function, unsigned, unsigned, unsigned, unsigned,    \
                   unsigned, unsigned, unsigned, cuda_stream, void **,       \
                   void **))

struct cuda_api {
#define CUDA_FUNCTION(member, name, arguments) int(*member) arguments;
    CUDA_FUNCTIONS
#undef CUDA_FUNCTION
};

#endif
