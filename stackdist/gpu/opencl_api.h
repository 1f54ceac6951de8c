/*
 * opencl_api.h - the functions and numbers of OpenCL 1.2 in use
 *
 * The library is opened at run time, so no header of it is needed to build.
 * Numbers are those of the Khronos OpenCL specification, version 1.2.
 */
#ifndef MARGAY_STACKDIST_GPU_OPENCL_API_H
#define MARGAY_STACKDIST_GPU_OPENCL_API_H

#include <stddef.h>
#include <stdint.h>

typedef struct cl_platform *cl_platform;
typedef struct cl_device *cl_device;
typedef struct cl_context *cl_context;
typedef struct cl_queue *cl_queue;
typedef struct cl_memory *cl_memory;
typedef struct cl_program *cl_program;
typedef struct cl_kernel *cl_kernel;
typedef struct cl_event *cl_event;

#define CL_SUCCESS                       0
#define CL_DEVICE_NOT_FOUND              (-1)
#define CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)
#define CL_OUT_OF_RESOURCES              (-5)
#define CL_OUT_OF_HOST_MEMORY            (-6)
#define CL_BUILD_PROGRAM_FAILURE         (-11)
#define CL_INVALID_BUFFER_SIZE           (-61)

#define CL_DEVICE_TYPE_CPU        ((uint64_t)1 << 1)
#define CL_DEVICE_TYPE_ALL        ((uint64_t)0xffffffff)
#define CL_DEVICE_TYPE            0x1000
#define CL_DEVICE_GLOBAL_MEM_SIZE 0x101f
#define CL_DEVICE_NAME            0x102b
#define CL_MEM_READ_WRITE         ((uint64_t)1 << 0)
#define CL_MEM_ALLOC_HOST_PTR     ((uint64_t)1 << 4)
#define CL_MAP_READ               ((uint64_t)1 << 0)
#define CL_MAP_WRITE              ((uint64_t)1 << 1)
#define CL_PROGRAM_BUILD_LOG      0x1183
#define CL_TRUE                   1
#define CL_FALSE                  0

/* The functions in use. */
int32_t clGetPlatformIDs(uint32_t, cl_platform *, uint32_t *);
int32_t clGetDeviceIDs(cl_platform, uint64_t, uint32_t, cl_device *,
                       uint32_t *);
int32_t clGetDeviceInfo(cl_device, uint32_t, size_t, void *, size_t *);
cl_context clCreateContext(const intptr_t *, uint32_t, const cl_device *,
                           void (*)(const char *, const void *, size_t, void *),
                           void *, int32_t *);
int32_t clReleaseContext(cl_context);
cl_queue clCreateCommandQueue(cl_context, cl_device, uint64_t, int32_t *);
int32_t clReleaseCommandQueue(cl_queue);
cl_program clCreateProgramWithSource(cl_context, uint32_t, const char *const *,
                                     const size_t *, int32_t *);
int32_t clBuildProgram(cl_program, uint32_t, const cl_device *, const char *,
                       void (*)(cl_program, void *), void *);
int32_t clGetProgramBuildInfo(cl_program, cl_device, uint32_t, size_t, void *,
                              size_t *);
int32_t clReleaseProgram(cl_program);
cl_kernel clCreateKernel(cl_program, const char *, int32_t *);
int32_t clReleaseKernel(cl_kernel);
int32_t clSetKernelArg(cl_kernel, uint32_t, size_t, const void *);
cl_memory clCreateBuffer(cl_context, uint64_t, size_t, void *, int32_t *);
int32_t clReleaseMemObject(cl_memory);
void *clEnqueueMapBuffer(cl_queue, cl_memory, uint32_t, uint64_t, size_t,
                         size_t, uint32_t, const cl_event *, cl_event *,
                         int32_t *);
int32_t clEnqueueUnmapMemObject(cl_queue, cl_memory, void *, uint32_t,
                                const cl_event *, cl_event *);
int32_t clEnqueueWriteBuffer(cl_queue, cl_memory, uint32_t, size_t, size_t,
                             const void *, uint32_t, const cl_event *,
                             cl_event *);
int32_t clEnqueueReadBuffer(cl_queue, cl_memory, uint32_t, size_t, size_t,
                            void *, uint32_t, const cl_event *, cl_event *);
int32_t clEnqueueNDRangeKernel(cl_queue, cl_kernel, uint32_t, const size_t *,
                               const size_t *, const size_t *, uint32_t,
                               const cl_event *, cl_event *);
int32_t clEnqueueBarrierWithWaitList(cl_queue, uint32_t, const cl_event *,
                                     cl_event *);
int32_t clReleaseEvent(cl_event);
int32_t clFlush(cl_queue);
int32_t clFinish(cl_queue);

#endif
