/*
 * exact.c - exact reuse distances on a graphics processor
 *
 * Algorithm: references are taken in transfers.  The blocks of the LRU stack,
 *   oldest first, and the references behind them are a sequence, which is
 *   sorted by block, stable: neighbours of the same block are each other's
 *   previous and next reference.  With p(i) the number of the previous one, or
 *   -1, the distance of i is the number of all j < i with p(j) < p(i), less
 *   p(i) + 1: of the references through p(i), all of which count and are to be
 *   taken off, and of those behind, the first ones to each block.  All j that
 *   have no previous one count, so only reuses need comparing.  They are
 *   numbered in the order of p, and these numbers divided, in the order of
 *   time, into sixteen by the topmost four bits, each part by the next four,
 *   and so on; smaller ones before are counted as a reference is moved, by the
 *   prefix sums that tell where to.  References without a next one are the
 *   stack of the next transfer.
 * Source: our own; the stable sort by digits is that of Satish, Harris,
 *   Garland, "Designing efficient sorting algorithms for manycore GPUs", IPDPS
 *   2009, and the counting is the wavelet tree of Grossi, Gupta, Vitter,
 *   "High-order entropy-compressed text indexes", SODA 2003, four bits a level.
 * Guarantee: exact, and the same on every device: nothing depends on the order
 *   in which groups run.  With a bound B, exact below B and infinite from
 *   there.
 * Cost: O((N + M) log N) work, the M for every transfer; on the device 60
 *   bytes per block of the stack and 104 per reference of a transfer.
 */
#include "stackdist/gpu/exact.h"

#include <stdlib.h>
#include <string.h>

#include "stackdist/engine.h"
#include "stackdist/histogram.h"
#include "traces/traces_internal.h"

/* In the order of the class's parameters. */
enum parameter { BACKEND, DEVICE, TRANSFER };

static void destroy(void *state)
{
    struct margay_gpu_exact *e = state;
    if (e->gpu != NULL)
        margay_gpu_exact_release(e);
    margay_gpu_close(e->gpu);
    margay_tally_destroy(&e->tally);
}

static enum margay_status create(const struct margay_engine_setup *setup,
                                 void *state, struct margay_error *error)
{
    struct margay_gpu_exact *e = state;
    e->backend = (enum margay_gpu_choice)setup->settings.choices[BACKEND];
    e->device = (unsigned)setup->settings.counts[DEVICE];
    e->most_transfer_refs = (uint32_t)setup->settings.counts[TRANSFER];
    e->keep_transfer = setup->settings.given & 1u << TRANSFER;
    return margay_tally_create(&e->tally, setup->options.bound_blocks, error);
}

/* Open the device when it is first needed: a process that makes an engine and
   then forks must not have started the driver. */
static enum margay_status wake(struct margay_gpu_exact *e,
                               struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (e->failure.status != MARGAY_OK)
        return margay_fail(error, e->failure.status, "%s", e->failure.message);
    if (e->gpu == NULL)
        status = margay_gpu_open(e->backend, e->device, &e->gpu, error);
    if (status != MARGAY_OK || e->transfer_refs != 0)
        return status;
    uint32_t first = MARGAY_GPU_FIRST_TRANSFER;
    e->transfer_refs = e->keep_transfer || first > e->most_transfer_refs
                           ? e->most_transfer_refs
                           : first;
    return margay_gpu_exact_make_transfers(e, error);
}

/* Note the block for the next transfer. */
static inline void take_block(struct margay_gpu_exact *e, uint64_t block)
{
    if (!e->has_block)
        e->first_block = block;
    e->has_block = true;
    e->previous_block = block;
    e->varying |= block ^ e->first_block;
    ((uint64_t *)e->staging[e->slot].memory)[e->filled++] = block;
}

/* Distances are needed on return, so all references so far are a transfer. */
static enum margay_status feed_for_distances(struct margay_gpu_exact *e,
                                             const uint64_t *blocks,
                                             size_t count, uint64_t *distances,
                                             struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    if (e->filled != 0)
        status = margay_gpu_exact_submit(e, NULL, error);
    for (size_t i = 0; i < count && status == MARGAY_OK;) {
        uint64_t *first = distances + i;
        while (i < count && e->filled < e->transfer_refs)
            take_block(e, blocks[i++]);
        status = margay_gpu_exact_submit(e, first, error);
    }
    return status;
}

static enum margay_status feed_plainly(struct margay_gpu_exact *e,
                                       const uint64_t *blocks, size_t count,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    for (size_t i = 0; i < count && status == MARGAY_OK; i++) {
        if (e->has_block && blocks[i] == e->previous_block) {
            e->repeats++;
            continue;
        }
        take_block(e, blocks[i]);
        if (e->filled == e->transfer_refs)
            status = margay_gpu_exact_submit(e, NULL, error);
    }
    return status;
}

/* Keep a failure: results of the device after it are not used. */
static enum margay_status keep_failure(struct margay_gpu_exact *e,
                                       enum margay_status status,
                                       const struct margay_error *error)
{
    if (status != MARGAY_OK)
        margay_fail(&e->failure, status, "%s", error->message);
    return status;
}

static enum margay_status feed(void *state, const uint64_t *blocks,
                               size_t count, uint64_t *distances,
                               struct margay_error *error)
{
    struct margay_gpu_exact *e = state;
    struct margay_error why;
    enum margay_status status = wake(e, &why);
    if (status == MARGAY_OK && distances != NULL)
        status = feed_for_distances(e, blocks, count, distances, &why);
    else if (status == MARGAY_OK)
        status = feed_plainly(e, blocks, count, &why);
    if (status != MARGAY_OK && error != NULL)
        *error = why;
    return keep_failure(e, status, &why);
}

/* Count all references that were fed in the histogram. */
static enum margay_status flush(struct margay_gpu_exact *e,
                                struct margay_error *error)
{
    struct margay_error why;
    enum margay_status status = wake(e, &why);
    if (status == MARGAY_OK && e->filled != 0)
        status = margay_gpu_exact_submit(e, NULL, &why);
    if (status == MARGAY_OK)
        status = margay_gpu_exact_settle(e, &why);
    if (status == MARGAY_OK)
        status = margay_gpu_exact_collect(e, &why);
    if (status == MARGAY_OK)
        status = margay_histogram_add(e->tally.histogram, 0, e->repeats, &why);
    if (status == MARGAY_OK)
        status = margay_histogram_add(e->tally.histogram, MARGAY_INFINITE,
                                      e->cold, &why);
    e->repeats = e->cold = 0;
    e->tally.blocks = e->stack_refs;
    if (status != MARGAY_OK && error != NULL)
        *error = why;
    return keep_failure(e, status, &why);
}

static void reset_counts(void *state)
{
    struct margay_gpu_exact *e = state;
    /* A failure is kept, and reported by what is called next. */
    if (e->has_block)
        flush(e, NULL);
    margay_histogram_clear(e->tally.histogram);
}

static enum margay_status finish(void *state, struct margay_result *result,
                                 struct margay_error *error)
{
    struct margay_gpu_exact *e = state;
    enum margay_status status = flush(e, error);
    return status == MARGAY_OK ? margay_tally_finish(e, result, error) : status;
}

static enum margay_status peek(void *state, struct margay_result *result,
                               struct margay_error *error)
{
    struct margay_gpu_exact *e = state;
    enum margay_status status = flush(e, error);
    return status == MARGAY_OK ? margay_tally_peek(e, result, error) : status;
}

static enum margay_status list_stack(void *state, uint64_t **blocks,
                                     uint64_t *count,
                                     struct margay_error *error)
{
    struct margay_gpu_exact *e = state;
    enum margay_status status = flush(e, error);
    if (status != MARGAY_OK)
        return status;
    size_t bytes = (size_t)e->stack_refs * sizeof **blocks;
    *blocks = malloc(bytes + 1);
    if (*blocks == NULL)
        return margay_fail_memory(error, "the state of the gpu engine");
    *count = e->stack_refs;
    if (bytes != 0)
        status =
            margay_gpu_download(e->gpu, &e->stack, 0, *blocks, bytes, error);
    if (status != MARGAY_OK) {
        free(*blocks);
        *blocks = NULL;
    }
    return status;
}

#define TRANSFER_VALUES "16777216|256..1073741824"

const struct margay_engine_class margay_engine_gpu = {
    .info =
        {
            .name = "gpu",
            .exact = true,
            .guarantee = "exact",
            .parameters =
                "backend=" MARGAY_GPU_BACKENDS ",device=" MARGAY_GPU_DEVICES
                ",transfer=" TRANSFER_VALUES,
            .time = "O(N log N) on a device",
            .space = "O(M + transfer) on a device",
            .source = "sort and count; our own",
        },
    .can = MARGAY_GIVES_DISTANCES | MARGAY_CAN_TAKE_BOUND |
           MARGAY_CAN_COUNT_REPEATS,
    .parameters = {[BACKEND] = {"backend", MARGAY_GPU_BACKENDS, MARGAY_CHOICE},
                   [DEVICE] = {"device", MARGAY_GPU_DEVICES, MARGAY_COUNT},
                   [TRANSFER] = {"transfer", TRANSFER_VALUES, MARGAY_COUNT}},
    MARGAY_ENGINE_FUNCTIONS(struct margay_gpu_exact),
    .peek = peek,
    .list_stack = list_stack,
    .adopt = margay_tally_adopt,
};
