/*
 * test_fakes.c - the kernels as plain C, and OpenCL on a driver that emulates
 *
 * Everything but the kernels' compiler is as on a device, and uploads come as
 * late as they may.  A library that is open already is found by its name, so
 * the driver is opened first.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "stackdist/gpu/device.h"
#include "tests/gpu/cases.h"

static void open_driver(const char *name)
{
    char path[4096];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/tests/gpu/%s",
             build == NULL ? "build" : build, name);
    if (dlopen(path, RTLD_NOW | RTLD_LOCAL) == NULL) {
        printf("Bail out! %s\n", dlerror());
        exit(1);
    }
}

/* Each call that may fail does so, and the engine says which. */
static void test_failures(const char *backend, const char *const *names)
{
    static uint64_t blocks[3000];
    char spec[64];
    snprintf(spec, sizeof spec, "hp-rda:st=64,nb=4,backend=%s", backend);
    for (size_t i = 0; i < 3000; i++)
        blocks[i] = i * i % 1013;
    for (; *names != NULL; names++) {
        struct margay_engine_options options = MARGAY_ENGINE_OPTIONS_DEFAULT;
        struct margay_result result;
        struct margay_error error = {.message = ""};
        margay_engine *engine;
        char name[64];
        setenv("FAKE_FAIL", *names, 1);
        margay_engine_create(spec, &options, &engine, NULL);
        enum margay_status status =
            margay_engine_feed(engine, blocks, 3000, NULL, &error);
        if (status == MARGAY_OK)
            status = margay_engine_finish(engine, &result, &error);
        margay_engine_free(engine);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*names, ":"), *names);
        CHECK(status != MARGAY_OK && strstr(error.message, name) != NULL,
              "%s: %s", *names, error.message);
    }
    unsetenv("FAKE_FAIL");
}

int main(void)
{
    static const char *const opencl[] = {
        "clCreateContext:1",
        "clCreateCommandQueue:1",
        "clCreateCommandQueue:2",
        "clCreateProgramWithSource:1",
        "clCreateKernel:3",
        "clSetKernelArg:9",
        "clSetKernelArg:60",
        "clEnqueueMapBuffer:1",
        "clEnqueueWriteBuffer:43",
        "clEnqueueBarrierWithWaitList:1",
        "clFlush:1",
        "clEnqueueNDRangeKernel:1",
        "clEnqueueNDRangeKernel:12",
        "clEnqueueReadBuffer:1",
        "clEnqueueReadBuffer:5",
        NULL,
    };
    struct margay_error error = {0};
    margay_gpu *gpu;
    test_hp_rda("emulate");
    CHECK(margay_gpu_open(MARGAY_GPU_EMULATE, 1, &gpu, &error) ==
                  MARGAY_BAD_ARGUMENT &&
              gpu == NULL,
          "a device that is not there: %s", error.message);
    open_driver("libOpenCL.so.1");
    test_hp_rda("opencl");
    test_failures("opencl", opencl);
    return tap_done();
}
