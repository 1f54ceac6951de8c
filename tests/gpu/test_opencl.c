/* test_opencl.c - the kernels on the first OpenCL device, if there is one */
#define _GNU_SOURCE
#include "stackdist/gpu/device.h"
#include "tests/gpu/cases.h"

int main(void)
{
    struct margay_gpu_info info;
    struct margay_error error = {.message = "no device"};
    /* What PoCL compiles is kept where everything else is. */
    char cache[4096];
    const char *build = getenv("BUILD");
    snprintf(cache, sizeof cache, "%s/pocl", build == NULL ? "build" : build);
    setenv("POCL_CACHE_DIR", cache, 0);
    if (margay_gpu_opencl.describe(0, &info, &error) != MARGAY_OK)
        tap_skip_all(error.message);
    printf("# on %s\n", info.name);
    test_hp_rda("opencl");
    return tap_done();
}
