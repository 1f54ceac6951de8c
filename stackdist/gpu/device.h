/*
 * device.h - an open device: buffers, kernels, transfers
 *
 * A device belongs to one of the backends in the table of device.c.  Work is
 * queued: kernels run one after the other, and uploads run meanwhile.  After
 * a failure nothing more is done, and the next download, which waits for all
 * queued work, reports it.  So a result that was downloaded is complete.
 *
 * One thread at a time per device.
 */
#ifndef MARGAY_STACKDIST_GPU_DEVICE_H
#define MARGAY_STACKDIST_GPU_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/status.h>

/* Which backend; the order is that of the words in MARGAY_GPU_BACKENDS. */
enum margay_gpu_choice {
    MARGAY_GPU_AUTO, /* the first real device of any */
    MARGAY_GPU_OPENCL,
    MARGAY_GPU_EMULATE,
};
#define MARGAY_GPU_BACKENDS "auto|opencl|emulate"
#define MARGAY_GPU_DEVICES  "0|0..63"

enum margay_gpu_kernel {
#define MARGAY_KERNEL(name, ...) MARGAY_GPU_##name,
#include "stackdist/gpu/kernels.def"
#undef MARGAY_KERNEL
    MARGAY_GPU_KERNELS
};

/* Memory of the device; zeroed: none. */
struct margay_gpu_buffer {
    uintptr_t handle;
    size_t bytes;
    void *memory; /* if it is pinned: memory of the host, which uploads can be
                     read from while the host goes on; else NULL */
};

/* An argument of a kernel: a buffer, or a number. */
struct margay_gpu_argument {
    const struct margay_gpu_buffer *buffer; /* NULL: a number */
    uint32_t number;
};

/* The description of a device, which need not be open. */
struct margay_gpu_info {
    char name[128];
    uint64_t memory_bytes;
    bool is_processor; /* the device is a processor that runs programs, too */
};

typedef struct margay_gpu margay_gpu;

/* Open device `number` of the backend, compile the kernels for it.  Fails with
   MARGAY_BAD_ARGUMENT where there is no such device, and says which ones there
   are and what to install; with MARGAY_IO where the driver fails; with
   MARGAY_NO_MEMORY. */
enum margay_status margay_gpu_open(enum margay_gpu_choice choice,
                                   unsigned number, margay_gpu **gpu,
                                   struct margay_error *error);

/* Close a device whose buffers have been released; NULL does nothing. */
void margay_gpu_close(margay_gpu *gpu);

/* "opencl device 0 (NAME)", for messages; valid as long as the device. */
const char *margay_gpu_name(const margay_gpu *gpu);

/* Allocate memory of unspecified contents.  MARGAY_NO_MEMORY where the device
   has less left. */
enum margay_status margay_gpu_allocate(margay_gpu *gpu, size_t bytes,
                                       bool pinned,
                                       struct margay_gpu_buffer *buffer,
                                       struct margay_error *error);

/* Release a buffer, and zero *buffer; a zeroed buffer is none.  Waits for
   uploads where it is pinned, and else for nothing. */
void margay_gpu_release(margay_gpu *gpu, struct margay_gpu_buffer *buffer);

/* Queue a copy of the first `bytes`, which kernels launched from here on wait
   for.  Both sides must stay as they are until the caller has waited for one of
   these kernels. */
void margay_gpu_upload(margay_gpu *gpu, const struct margay_gpu_buffer *buffer,
                       const struct margay_gpu_buffer *pinned, size_t bytes);

/* Queue a kernel after all kernels queued before. */
void margay_gpu_launch(margay_gpu *gpu, enum margay_gpu_kernel kernel,
                       uint32_t groups,
                       const struct margay_gpu_argument *arguments,
                       uint32_t argument_count);

/* Wait for all kernels, then copy.  Reports the first failure of any work so
 * far. */
enum margay_status margay_gpu_download(margay_gpu *gpu,
                                       const struct margay_gpu_buffer *buffer,
                                       size_t offset_bytes, void *memory,
                                       size_t bytes,
                                       struct margay_error *error);

/* --------------------------------------------------------- for listing -- */

/* Device `number` of the backend numbered `backend`, which is named in *name;
   MARGAY_END if it has no such device; *name is NULL beyond the last backend.
   On other failures the message says why there is no device. */
enum margay_status margay_gpu_list(unsigned backend, unsigned number,
                                   const char **name,
                                   struct margay_gpu_info *info,
                                   struct margay_error *error);

/* ------------------------------------------------------------- backends -- */

struct margay_gpu_backend {
    const char *name;
    bool is_real; /* may be chosen for the user */

    /* As margay_gpu_list(). */
    enum margay_status (*describe)(unsigned number,
                                   struct margay_gpu_info *info,
                                   struct margay_error *error);
    /* `number` is one that describe() knows.  This and close() are NULL where
       there is nothing to open. */
    enum margay_status (*open)(unsigned number, void **device,
                               struct margay_error *error);
    void (*close)(void *device);
    enum margay_status (*allocate)(void *device, bool pinned,
                                   struct margay_gpu_buffer *buffer,
                                   struct margay_error *error);
    void (*release)(void *device, struct margay_gpu_buffer *buffer);
    enum margay_status (*upload)(void *device,
                                 const struct margay_gpu_buffer *buffer,
                                 const struct margay_gpu_buffer *pinned,
                                 size_t bytes, struct margay_error *error);
    enum margay_status (*launch)(void *device, enum margay_gpu_kernel kernel,
                                 uint32_t groups,
                                 const struct margay_gpu_argument *arguments,
                                 uint32_t argument_count,
                                 struct margay_error *error);
    enum margay_status (*download)(void *device,
                                   const struct margay_gpu_buffer *buffer,
                                   size_t offset_bytes, void *memory,
                                   size_t bytes, struct margay_error *error);
};

extern const struct margay_gpu_backend margay_gpu_opencl;
extern const struct margay_gpu_backend margay_gpu_emulate;

extern const char *const margay_gpu_kernel_names[MARGAY_GPU_KERNELS];

#endif
