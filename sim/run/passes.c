/* passes.c - the block sizes that a trace is analysed with */
#include <inttypes.h>
#include <stdio.h>

#include "sim/run/running.h"
#include "traces/traces_internal.h"

/* Of addresses, where nothing is said. */
#define DEFAULT_BLOCK_BYTES 64

uint64_t margay_least_block_bytes(const struct margay_running *running)
{
    return running->request->block_count == 0
               ? DEFAULT_BLOCK_BYTES
               : running->request->block_bytes[0];
}

/* The block sizes that this trace is analysed with; 0 = unknown. */
static enum margay_status check_blocks(const struct margay_running *running,
                                       uint64_t *usual,
                                       struct margay_error *error)
{
    const struct margay_request *request = running->request;
    uint64_t unit = margay_trace_unit_bytes(running->trace);
    bool ids = margay_trace_numbers(running->trace) == MARGAY_IDS;
    uint64_t collapsed = margay_trace_collapsed_bytes(running->trace);
    uint64_t of_format = margay_trace_format(running->trace)->usual_block_bytes;
    *usual = ids ? unit : of_format != 0 ? of_format : DEFAULT_BLOCK_BYTES;
    if (request->block_count > 0 && unit == 0)
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT,
            "%s: a block size with block ids of no known size (say "
            "what an id stands for with --unit BYTES)",
            running->job.trace);
    if (request->block_count > 0 && request->block_bytes[0] < unit)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: a block of %" PRIu64
                           " bytes is smaller than what "
                           "an id stands for, %" PRIu64 " bytes",
                           running->job.trace, request->block_bytes[0], unit);
    uint64_t least =
        request->block_count > 0 ? request->block_bytes[0] : *usual;
    if (collapsed > (ids ? unit : least))
        return margay_fail(
            error, MARGAY_BAD_ARGUMENT,
            "%s: repeats within %" PRIu64 " byte%s were collapsed "
            "when it was recorded, so a block is to be %" PRIu64 " or more",
            running->job.trace, collapsed, margay_plural(collapsed, "s"),
            collapsed);
    return MARGAY_OK;
}

/* What is known of the trace. */
static void make_pass(struct margay_running *running, uint64_t block_bytes)
{
    uint64_t unit = margay_trace_unit_bytes(running->trace);
    struct margay_pass *pass = &running->passes[running->pass_count];
    *pass = (struct margay_pass){
        .trace = running->job.trace,
        .format = margay_trace_format(running->trace),
        .numbers = margay_trace_numbers(running->trace),
        .splits = margay_plan_splits(&running->facts),
        .index = running->pass_count++,
        .block_bytes = block_bytes,
    };
    if (unit != 0)
        pass->shift = margay_log2_floor(block_bytes / unit) -
                      margay_trace_shift(running->trace);
}

enum margay_status margay_passes_make(struct margay_running *running,
                                      struct margay_error *error)
{
    const struct margay_request *request = running->request;
    uint64_t usual;
    enum margay_status status = check_blocks(running, &usual, error);
    if (status != MARGAY_OK)
        return status;
    if (request->block_count == 0)
        make_pass(running, usual);
    for (size_t i = 0; i < request->block_count; i++)
        make_pass(running, request->block_bytes[i]);
    return MARGAY_OK;
}

void margay_passes_of_state(struct margay_running *running)
{
    const struct margay_request *request = running->request;
    uint64_t saved[MARGAY_MOST_BLOCK_SIZES];
    const uint64_t *block_bytes = request->block_bytes;
    size_t count = request->block_count;
    if (count == 0) {
        margay_state_blocks(&running->state, saved);
        block_bytes = saved;
        count = running->state.pass_count;
    }
    for (size_t i = 0; i < count; i++)
        running->passes[running->pass_count++] = (struct margay_pass){
            .trace = running->job.trace,
            .numbers =
                running->reading.numbers != 0 ? MARGAY_IDS : MARGAY_ADDRESSES,
            .splits = running->reading.split != 0,
            .index = i,
            .block_bytes = block_bytes[i],
        };
}
