/* exact.h - the exact engine on a device, inside gpu/ and for its tests */
#ifndef MARGAY_STACKDIST_GPU_EXACT_H
#define MARGAY_STACKDIST_GPU_EXACT_H

#include "stackdist/gpu/steps.h"
#include "stackdist/reference/tally.h"

#include <margay/stackdist.h>

/* The least references of a transfer; where memory is too small for these, it
   has run out. */
#define MARGAY_GPU_LEAST_TRANSFER 256u

/* The references of the first transfer; later ones double in size. */
#define MARGAY_GPU_FIRST_TRANSFER (1u << 16)

/* The reuses of a transfer on their way from node to node. */
struct margay_gpu_reuses {
    struct margay_gpu_buffer values, counts, owners;
};

struct margay_gpu_exact {
    struct margay_tally tally; /* `blocks` is true after a flush only */
    enum margay_gpu_choice backend;
    unsigned device;
    margay_gpu *gpu; /* NULL until it is needed */

    /* Transfers: one is filled while the other one is worked on. */
    uint32_t most_transfer_refs;
    bool keep_transfer; /* all transfers have that size, as the spec asks */
    uint32_t transfer_refs;
    struct margay_gpu_pinned staging[2];
    struct margay_gpu_buffer transfers[2];
    unsigned slot;
    uint32_t filled;

    /* A sequence: the stack, then the references. */
    uint32_t capacity; /* of both */
    uint32_t room;     /* for references */
    bool is_tight;     /* the device has no more memory */
    uint32_t stack_refs;
    struct margay_gpu_buffer stack, new_stack;
    struct margay_gpu_keys pair[2];
    struct margay_gpu_buffer previous, reuses, nexts; /* by reference */
    struct margay_gpu_reuses moving[2];
    struct margay_gpu_buffer distances;
    struct margay_gpu_buffer low, high; /* counts by distance */
    struct margay_gpu_buffer result;    /* reuses, references with a next */
    struct margay_gpu_scratch scratch;

    /* The piece of a transfer whose second half is still to be queued. */
    struct {
        bool is_there;
        bool want_distances;
        unsigned slot;
        uint32_t first, refs;
    } piece;

    /* Blocks so far: any two differ in these bits only. */
    uint64_t varying, first_block;
    uint64_t previous_block;
    bool has_block;

    uint32_t limit;   /* distances from here on are counted as one */
    uint64_t repeats; /* immediate repeats, which are not transferred */
    uint64_t cold;
    uint64_t settled; /* finite or beyond the bound, counted on the device */
    uint32_t deepest; /* larger than all distances so far */
    struct margay_error failure;
};

/* space.c: memory of the device.  After a failure of the device it has to be
   closed. */

/* Allocate transfers of e->transfer_refs, or of fewer. */
enum margay_status margay_gpu_exact_make_transfers(struct margay_gpu_exact *e,
                                                   struct margay_error *error);

/* Reserve memory for *refs references beside the stack, or for fewer; *refs
   becomes their number. */
enum margay_status margay_gpu_exact_reserve(struct margay_gpu_exact *e,
                                            uint32_t *refs,
                                            struct margay_error *error);

/* Release all memory of the device. */
void margay_gpu_exact_release(struct margay_gpu_exact *e);

/* transfer.c: the work on the device.  Failures as above. */

/* Hand over e->filled references; their distances, if wanted, in order. */
enum margay_status margay_gpu_exact_submit(struct margay_gpu_exact *e,
                                           uint64_t *distances,
                                           struct margay_error *error);

/* Queue what is left to do for what was handed over. */
enum margay_status margay_gpu_exact_settle(struct margay_gpu_exact *e,
                                           struct margay_error *error);

/* Move the device's counts to the histogram. */
enum margay_status margay_gpu_exact_collect(struct margay_gpu_exact *e,
                                            struct margay_error *error);

#endif
