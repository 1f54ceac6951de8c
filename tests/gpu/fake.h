/*
 * fake.h - drivers that are none: the emulation behind a driver's functions
 *
 * A library made from fake_opencl.c takes the place of the real one, in which
 * kernels cannot be run by sanitizers, nor made to fail. Uploads are done late,
 * when they are waited for and not before, so that a caller that touches memory
 * too early sees wrong results.
 *
 *     FAKE_FAIL=NAME:N[:CODE]   the Nth call of NAME fails
 *     FAKE_MEMORY=BYTES         of the device
 */
#ifndef MARGAY_TESTS_GPU_FAKE_H
#define MARGAY_TESTS_GPU_FAKE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stackdist/gpu/device.h"

#define FAKE_API __attribute__((visibility("default")))

/* 0, or the code with which this call of `name` is to fail. */
static inline int fake_failure(const char *name, int usual_code)
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

static inline uint64_t fake_memory_bytes(void)
{
    const char *bytes = getenv("FAKE_MEMORY");
    return bytes == NULL ? UINT64_C(1) << 30 : strtoull(bytes, NULL, 10);
}

/* An upload that has been asked for and not been done. */
struct fake_upload {
    void *to;
    const void *from;
    size_t bytes;
};

static inline void fake_do_upload(struct fake_upload *upload)
{
    if (upload->bytes != 0)
        memcpy(upload->to, upload->from, upload->bytes);
    upload->bytes = 0;
}

static inline void fake_defer_upload(struct fake_upload *upload, void *to,
                                     const void *from, size_t bytes)
{
    fake_do_upload(upload);
    *upload = (struct fake_upload){to, from, bytes};
}

/* The kernel's number, or MARGAY_GPU_KERNELS. */
static inline unsigned fake_find_kernel(const char *name)
{
    unsigned i = 0;
    while (i < MARGAY_GPU_KERNELS &&
           strcmp(margay_gpu_kernel_names[i], name) != 0)
        i++;
    return i;
}

static inline void fake_launch(unsigned kernel, size_t groups,
                               const struct margay_gpu_argument *arguments)
{
    margay_gpu_emulate.launch(NULL, (enum margay_gpu_kernel)kernel,
                              (uint32_t)groups, arguments, 0, NULL);
}

#endif
