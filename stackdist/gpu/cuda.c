/* cuda.c - no devices by way of CUDA yet */
#include "stackdist/gpu/device.h"
#include "traces/traces_internal.h"

static enum margay_status describe(unsigned number,
                                   struct margay_gpu_info *info,
                                   struct margay_error *error)
{
    (void)number;
    (void)info;
    return margay_fail(error, MARGAY_BAD_ARGUMENT, "not compiled in");
}

const struct margay_gpu_backend margay_gpu_cuda = {
    .name = "cuda",
    .is_real = true,
    .describe = describe,
};
