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

/* What counts references, or tells them apart, would leave out those of blocks
   that are not in the sample. */
static bool selects(const struct margay_request *request)
{
    const struct margay_trace_options *reading = &request->reading;
    return reading->skip_refs != 0 || reading->limit_refs != UINT64_MAX ||
           reading->kinds != MARGAY_ALL_KINDS || request->window_refs != 0 ||
           request->every_refs != 0 || request->saves ||
           request->resume_path != NULL;
}

/* A consumer that takes whole traces, or other samples. */
static enum margay_status fail_consumer(const struct margay_running *running,
                                        const struct margay_sampling *sampling,
                                        struct margay_error *error)
{
    char way[96];
    if (sampling->sets != 0)
        snprintf(way, sizeof way, "assoc -b %" PRIu64 " --sets %" PRIu64,
                 sampling->block_bytes, sampling->sets);
    else
        snprintf(way, sizeof way, "curve -b %" PRIu64 " -e shards:rate=%.10g",
                 sampling->block_bytes, margay_sampling_share(sampling));
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       "%s: it was recorded with --sample%s, and whole traces "
                       "alone go into %s (margay %s takes this one)",
                       running->job.trace,
                       sampling->sets != 0 ? " and --sets" : "",
                       running->consumer->name, way);
}

/* A trace that is a sample is for consumers that sample the same blocks. */
static enum margay_status check_sampling(const struct margay_running *running,
                                         struct margay_error *error)
{
    const struct margay_sampling *sampling =
        margay_trace_sampling(running->trace);
    const struct margay_request *request = running->request;
    if (sampling == NULL)
        return MARGAY_OK;
    if (sampling->sets == 0 ? !running->consumer->can.samples
                            : !running->consumer->can.set_samples)
        return fail_consumer(running, sampling, error);
    if (selects(request) || running->warmup_refs != 0 ||
        margay_plan_splits(&running->facts))
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: it was recorded with --sample, and is to be "
                           "analysed as a whole, without options that choose "
                           "or split references",
                           running->job.trace);
    if (running->pass_count != 1 ||
        running->passes[0].block_bytes != sampling->block_bytes)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: it was recorded with a sample of blocks of "
                           "%" PRIu64 " byte%s: say -b %" PRIu64
                           ", or take a machine of such blocks",
                           running->job.trace, sampling->block_bytes,
                           margay_plural(sampling->block_bytes, "s"),
                           sampling->block_bytes);
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
        .sampling = margay_trace_sampling(running->trace),
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
    return check_sampling(running, error);
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
