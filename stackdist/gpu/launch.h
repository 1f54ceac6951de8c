/* launch.h - macros for launching kernels */
#ifndef MARGAY_STACKDIST_GPU_LAUNCH_H
#define MARGAY_STACKDIST_GPU_LAUNCH_H

#include "stackdist/gpu/device.h"
#include "stackdist/gpu/sizes.h"

#define B(buffer) MARGAY_GPU_BUFFER(buffer)
#define N(number) MARGAY_GPU_NUMBER(number)

/* LAUNCH(gpu, fill, groups, B(buffer), N(count), N(0)) */
#define LAUNCH(gpu, kernel, groups, ...)                \
    margay_gpu_launch(gpu, MARGAY_GPU_##kernel, groups, \
                      (const struct margay_gpu_argument[]){__VA_ARGS__})

#endif
