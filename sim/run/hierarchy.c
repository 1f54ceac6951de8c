/*
 * hierarchy.c - a machine of caches that feed caches, as a consumer
 *
 * The levels have blocks of different sizes, so that the consumer is fed the
 * references of a trace as they stand, and the machine finds their blocks.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/run/consumer.h"
#include "traces/traces_internal.h"

struct machine {
    margay_consumer consumer;
    struct margay_level levels[MARGAY_MOST_LEVELS];
    struct margay_hierarchy_options options;
    margay_hierarchy *hierarchy;
};

static struct machine *self(const margay_consumer *consumer)
{
    return (struct machine *)consumer;
}

static enum margay_status machine_begin(margay_consumer *consumer,
                                        const struct margay_pass *passes,
                                        size_t count,
                                        const struct margay_share *share,
                                        struct margay_error *error)
{
    struct machine *machine = self(consumer);
    uint64_t block_bytes = passes[0].block_bytes;
    (void)count, (void)share;
    if (block_bytes == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "%s: caches hold bytes, and nothing says what a "
                           "block id of this trace stands for (say --unit "
                           "BYTES)",
                           passes[0].trace);
    machine->options.unit_shift =
        margay_log2_floor(block_bytes) - passes[0].shift;
    machine->options.splits = passes[0].splits;
    return margay_hierarchy_create(&machine->options, &machine->hierarchy,
                                   error);
}

static enum margay_status machine_feed(margay_consumer *consumer,
                                       const struct margay_pass *pass,
                                       const struct margay_span *span,
                                       struct margay_error *error)
{
    (void)pass;
    return margay_hierarchy_feed(self(consumer)->hierarchy, span, error);
}

static enum margay_status machine_reset(margay_consumer *consumer,
                                        const struct margay_pass *pass,
                                        struct margay_error *error)
{
    (void)pass, (void)error;
    margay_hierarchy_reset_counts(self(consumer)->hierarchy);
    return MARGAY_OK;
}

static void machine_free(margay_consumer *consumer)
{
    margay_hierarchy_free(self(consumer)->hierarchy);
    free(consumer);
}

static bool needs_sites(const struct margay_level *level)
{
    const struct margay_policy_info *policy;
    return level->prefetch == MARGAY_PREFETCH_STRIDE ||
           (level->bytes != 0 && level->policy != NULL &&
            margay_policy_find(level->policy, &policy, NULL) == MARGAY_OK &&
            (policy->abilities & MARGAY_POLICY_NEEDS_SITES) != 0);
}

enum margay_status margay_machine_consumer(
    const struct margay_machine_request *request, margay_consumer **consumer,
    struct margay_error *error)
{
    static const struct margay_consumer_class functions = {
        .begin = machine_begin,
        .feed = machine_feed,
        .reset = machine_reset,
        .free = machine_free,
    };
    size_t wrong;
    *consumer = NULL;
    enum margay_status status = margay_machine_check(
        request->levels, request->level_count, &wrong, error);
    if (status != MARGAY_OK)
        return status;
    struct machine *made = calloc(1, sizeof *made);
    if (made == NULL)
        return margay_fail_memory(error, "a machine");
    made->consumer = (margay_consumer){
        .functions = &functions,
        .can = {.uses = MARGAY_COLUMN_KINDS | MARGAY_COLUMN_EXTENTS |
                        MARGAY_COLUMN_THREADS,
                .references = true,
                .traces = true},
        .name = "the machine",
    };
    memcpy(made->levels, request->levels,
           request->level_count * sizeof *request->levels);
    for (size_t i = 0; i < request->level_count; i++) {
        if (needs_sites(&request->levels[i]))
            made->consumer.can.needs |= MARGAY_COLUMN_SITES;
    }
    made->options = (struct margay_hierarchy_options){
        .levels = made->levels,
        .level_count = request->level_count,
        .seed = request->seed,
    };
    *consumer = &made->consumer;
    return MARGAY_OK;
}

const margay_hierarchy *margay_machine_consumer_hierarchy(
    const margay_consumer *consumer)
{
    return self(consumer)->hierarchy;
}
